/* The time sink: for each function what it did itself and with all it called. Exact counts first; wall time of the interpreter after.
 *
 * A function's own work is what ran while it was innermost; its total is what ran from its outermost entry to that entry's exit, so
 * recursion counts once. A tail call ends the caller first. An exception ends every function that it leaves. A host function costs no
 * instructions; its time is its caller's. At a trap or a used-up budget all live functions end there (docs/timing.md). */
#include "instrument/calltree.h"
#include "instrument/meter.h"
#include "instrument/options.h"
#include "instrument/registry.h"
#include "instrument/report.h"

struct function {
  uint64_t calls; /* entries, the host's too */
  struct wm_cost self;
  uint64_t total_instructions, total_ns;
  uint64_t entered_instructions, entered_ns; /* of the outermost live entry */
  uint32_t live;  /* entries on the stack */
};

struct activation {
  uint32_t function, node;
};

struct time_state {
  struct wm_meter meter;
  struct function *functions; /* by index, and one for those of other instances, which a table can hold */
  struct activation *stack; /* outermost first */
  uint64_t depth;
  struct wm_calltree tree;
  bool has_weight, has_tree, has_clock, is_folded_ns;
  uint8_t format;
  uint64_t probe_ns;
  const struct wm_view *view;
  uint32_t *order; /* of rows in the aligned form */
};

enum { FORMAT_FOLDED = WM_FORMATS, FORMAT_SPEEDSCOPE };

/* ---- Events ------------------------------------------------------------------------------------------------------- */

/* Outside the guest nobody works. */
static void charge_top(struct time_state *state)
{
  if (state->depth == 0) {
    wm_meter_skip(&state->meter);
    return;
  }
  const struct activation *top = &state->stack[state->depth - 1];
  if (state->has_tree) {
    state->tree.nodes[top->node].instructions += state->meter.now.instructions - state->meter.lap.instructions;
    state->tree.nodes[top->node].ns += state->meter.now.ns - state->meter.lap.ns;
  }
  wm_meter_charge(&state->meter, &state->functions[top->function].self);
}

static void enter(struct time_state *state, uint32_t index)
{
  struct function *function = &state->functions[index];
  uint32_t above = state->depth == 0 ? 0 : state->stack[state->depth - 1].node;
  struct activation *top = &state->stack[state->depth++];
  top->function = index;
  top->node = state->has_tree ? wm_calltree_enter(&state->tree, above, index) : 0;
  function->calls++;
  if (function->live++ == 0) {
    function->entered_instructions = state->meter.now.instructions;
    function->entered_ns = state->meter.now.ns;
  }
}

static void leave(struct time_state *state)
{
  if (state->depth == 0)
    return;
  struct function *function = &state->functions[state->stack[--state->depth].function];
  if (--function->live == 0) {
    function->total_instructions += state->meter.now.instructions - function->entered_instructions;
    function->total_ns += state->meter.now.ns - function->entered_ns;
  }
}

static void leave_all(struct time_state *state)
{
  charge_top(state);
  while (state->depth > 0)
    leave(state);
}

static void take_call(struct time_state *state, const struct wm_event *event)
{
  uint32_t callee = event->detail < state->view->function_count ? (uint32_t)event->detail : state->view->function_count;
  if ((event->flags & WM_FLAG_OUTERMOST) != 0) /* what an abandoned run left */
    leave_all(state);
  wm_meter_clock(&state->meter, event);
  if ((event->flags & WM_FLAG_IMPORT) != 0) {
    state->functions[callee].calls++;
    return;
  }
  charge_top(state);
  enter(state, callee);
}

static void take_events(void *user, const struct wm_event *batch, uint32_t count)
{
  struct time_state *state = user;
  for (const struct wm_event *event = batch; event < batch + count; event++) {
    if (event->kind <= WM_EVENT_INIT) {
      wm_meter_access(&state->meter, event);
    } else if (event->kind == WM_EVENT_CALL) {
      take_call(state, event);
    } else if (event->kind == WM_EVENT_RETURN) {
      wm_meter_clock(&state->meter, event);
      charge_top(state);
      leave(state);
    } else if (event->kind == WM_EVENT_TRAP) {
      wm_meter_clock(&state->meter, event);
      leave_all(state);
    }
  }
}

static void reset(struct time_state *state)
{
  for (uint32_t i = 0; i <= state->view->function_count; i++)
    if (state->functions[i].calls > 0)
      state->functions[i] = (struct function){.calls = 0};
  if (state->has_tree)
    wm_calltree_reset(&state->tree);
}

static void take_mark(void *user, const struct wm_mark *mark)
{
  struct time_state *state = user;
  if (mark->kind != WM_MARK_RESET)
    return;
  reset(state);
  wm_meter_reset(&state->meter, mark);
}

/* ---- Opening ------------------------------------------------------------------------------------------------------ */

/* NULL when the option was taken, else what is wanted of its value; "" for an unknown one. */
static const char *read_option(struct time_state *state, const struct wm_option *option)
{
  static const char *const formats[] = {"csv", "json", "table", "folded", "speedscope", NULL};
  static const char *const weights[] = {"instructions", "ns", NULL};
  unsigned choice = 0;
  if (wm_text_is(option->key, "format")) {
    bool is_good = wm_option_choice(option->value, formats, &choice);
    state->format = (uint8_t)choice;
    state->has_tree = choice >= WM_FORMATS;
    return is_good ? NULL : "csv, json, table, folded or speedscope";
  }
  if (wm_text_is(option->key, "weight")) {
    bool is_good = wm_option_choice(option->value, weights, &choice);
    state->is_folded_ns = choice == 1;
    state->has_weight = true;
    return is_good ? NULL : "instructions or ns";
  }
  if (wm_text_is(option->key, "clock"))
    return wm_option_switch(option->value, &state->has_clock) ? NULL : "on or off";
  return "";
}

/* What one probe costs, tried on this very state, which is clean again afterwards. */
static void calibrate(struct time_state *state)
{
  bool has_tree = state->has_tree;
  state->has_tree = false;
  state->probe_ns = wm_probe_cost_ns(state->view, take_events, state);
  state->has_tree = has_tree;
  state->functions[0] = (struct function){.calls = 0};
  state->meter = (struct wm_meter){.probes = 0};
}

static void *open_time(const struct wm_view *view, const struct wm_option *options, uint32_t option_count, uint32_t *wants,
                       uint32_t *needs, char *message, size_t message_bytes)
{
  struct time_state *state = view->reserve(view, sizeof *state);
  if (state == NULL)
    return wm_open_refuse("no memory", message, message_bytes);
  state->view = view;
  state->has_clock = true;
  for (uint32_t i = 0; i < option_count; i++) {
    const char *wanted = read_option(state, &options[i]);
    if (wanted != NULL)
      return wm_option_refuse(options[i], *wanted == '\0' ? NULL : wanted, message, message_bytes);
  }
  if (state->is_folded_ns && !state->has_clock)
    return wm_open_refuse("weight=ns needs the clock", message, message_bytes);
  if (state->has_weight && state->format != FORMAT_FOLDED)
    return wm_open_refuse("weight is of folded stacks: it needs format=folded", message, message_bytes);
  state->functions = view->reserve(view, ((uint64_t)view->function_count + 1) * sizeof *state->functions);
  state->stack = view->reserve(view, (view->frame_limit + 1) * sizeof *state->stack);
  state->order = view->reserve(view, ((uint64_t)view->function_count + 1) * sizeof *state->order);
  if (state->functions == NULL || state->stack == NULL || state->order == NULL ||
      (state->has_tree && !wm_calltree_open(&state->tree, view, view->function_count + 1)))
    return wm_open_refuse("no memory", message, message_bytes);
  if (state->has_clock)
    calibrate(state);
  *wants = WM_METER_WANTS;
  *needs = WM_NEED_INSTRUCTION | (state->has_clock ? WM_NEED_CLOCK : 0);
  return state;
}

/* ---- The report --------------------------------------------------------------------------------------------------- */

static struct wm_text name_of(void *user, uint32_t id)
{
  const struct time_state *state = user;
  return id < state->view->function_count ? state->view->function_name(state->view, id) : wm_text_of("(another module)");
}

static void write_row(struct wm_report *report, struct time_state *state, uint32_t index)
{
  const struct function *function = &state->functions[index];
  wm_report_text(report, name_of(state, index));
  wm_report_u64(report, index);
  wm_report_u64(report, function->calls);
  if (state->format == WM_FORMAT_TABLE)
    wm_report_u64(report, wm_ratio_half_up(function->self.instructions, 10000,
                                           state->meter.charged.instructions > 0 ? state->meter.charged.instructions : 1));
  wm_report_u64(report, function->self.instructions);
  wm_report_u64(report, function->total_instructions);
  wm_report_u64(report, function->self.loads);
  wm_report_u64(report, function->self.stores);
  wm_report_u64(report, function->self.bytes_read);
  wm_report_u64(report, function->self.bytes_written);
  if (state->has_clock) {
    wm_report_u64(report, function->self.ns);
    wm_report_u64(report, function->total_ns);
  } else {
    wm_report_none(report);
    wm_report_none(report);
  }
}

/* The rows of functions that ran: by index, in the aligned form by their own work, most first. */
static uint32_t find_order(struct time_state *state)
{
  uint32_t count = 0;
  for (uint32_t i = 0; i <= state->view->function_count; i++)
    if (state->functions[i].calls > 0)
      state->order[count++] = i;
  if (state->format != WM_FORMAT_TABLE)
    return count;
  for (uint32_t gap = count / 2; gap > 0; gap /= 2) { /* Shell's sort; ties stay in the order of indices */
    for (uint32_t i = gap; i < count; i++) {
      uint32_t moved = state->order[i], at = i;
      uint64_t self = state->functions[moved].self.instructions;
      for (; at >= gap; at -= gap) {
        uint32_t other = state->order[at - gap];
        uint64_t other_self = state->functions[other].self.instructions;
        if (other_self > self || (other_self == self && other < moved))
          break;
        state->order[at] = other;
      }
      state->order[at] = moved;
    }
  }
  return count;
}

static void write_rows(struct wm_report *report, void *user)
{
  struct time_state *state = user;
  uint32_t count = find_order(state);
  for (uint32_t i = 0; i < count; i++)
    write_row(report, state, state->order[i]);
}

static void write_report(struct time_state *state, const struct wm_outcome *outcome, struct wm_writer *writer)
{
  static const struct wm_column columns[] = {
    {"function", WM_COLUMN_TEXT}, {"index", WM_COLUMN_NUMBER}, {"calls", WM_COLUMN_COUNT}, {"self_instructions", WM_COLUMN_COUNT},
    {"total_instructions", WM_COLUMN_COUNT}, {"loads", WM_COLUMN_COUNT}, {"stores", WM_COLUMN_COUNT}, {"bytes_read", WM_COLUMN_BYTES},
    {"bytes_written", WM_COLUMN_BYTES}, {"self_ns", WM_COLUMN_NS}, {"total_ns", WM_COLUMN_NS}};
  static const struct wm_column aligned[] = {
    {"function", WM_COLUMN_TEXT}, {"index", WM_COLUMN_NUMBER}, {"calls", WM_COLUMN_COUNT}, {"self_%", WM_COLUMN_RATIO},
    {"self_instructions", WM_COLUMN_COUNT}, {"total_instructions", WM_COLUMN_COUNT}, {"loads", WM_COLUMN_COUNT},
    {"stores", WM_COLUMN_COUNT}, {"bytes_read", WM_COLUMN_BYTES}, {"bytes_written", WM_COLUMN_BYTES},
    {"self_time", WM_COLUMN_NS}, {"total_time", WM_COLUMN_NS}};
  struct wm_report report;
  if (state->format == WM_FORMAT_TABLE)
    wm_report_open(&report, WM_FORMAT_TABLE, "time", outcome, aligned, sizeof aligned / sizeof *aligned, writer);
  else
    wm_report_open(&report, state->format, "time", outcome, columns, sizeof columns / sizeof *columns, writer);
  wm_report_rows(&report, write_rows, state);
  wm_meter_write_notes(&state->meter, &report, outcome, state->has_clock, state->probe_ns);
  wm_report_close(&report);
}

static void finish(void *user, const struct wm_view *view, const struct wm_outcome *outcome, struct wm_writer *writer)
{
  struct time_state *state = user;
  char buffer[1024];
  struct wm_print print;
  (void)view;
  if (state->depth > 0) {
    wm_meter_stop(&state->meter, outcome);
    leave_all(state);
  }
  if (state->format < WM_FORMATS) {
    write_report(state, outcome, writer);
    return;
  }
  wm_print_open(&print, buffer, sizeof buffer, writer);
  if (state->format == FORMAT_FOLDED)
    wm_calltree_write_folded(&state->tree, &print, state->is_folded_ns, name_of, state);
  else
    wm_calltree_write_speedscope(&state->tree, &print, state->has_clock, name_of, state);
  wm_print_flush(&print);
}

const struct wm_sink_class wm_sink_time = {
  .abi = WM_SINK_ABI,
  .size = sizeof(struct wm_sink_class),
  .name = "time",
  .summary = "calls, instructions, memory traffic and interpreter time of each function",
  .options = "format=csv, json, table, folded (flame graphs) or speedscope\n"
             "weight=of folded stacks: instructions (the default) or ns\n"
             "clock=on or off: without it there is no wall time, and less overhead\n",
  .open = open_time,
  .events = take_events,
  .mark = take_mark,
  .finish = finish,
};
