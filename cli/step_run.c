/* Running on and back, and why it stopped; see step.h.
 *
 * Everything forward is one function, run_on, that goes round wm_history_advance with the points armed. Everything backward finds an
 * instruction number and goes there: by arithmetic, by call events (frames), or by running pieces of the past again from their
 * snapshots, the latest piece first, and taking the last stop that running forward would have made. */
#include "cli/step_expr.h"

#include <inttypes.h>
#include <string.h>

#include "cli/status.h"

/* What ends a command that runs, besides the points. */
struct goal {
  uint64_t to;               /* instructions */
  uint32_t depth;            /* so few frames; 0: none */
  uint32_t function, first, end; /* instructions to stop before, in frames no deeper than goal_depth; WM_NO_INDEX: none */
  uint32_t goal_depth;
  bool stops_at_calls;
  bool is_silent;            /* searching: hit counts stay */
};

static uint64_t now(const struct wm_debugger *d)
{
  return wm_target_instructions(&d->target);
}

static uint32_t depth(const struct wm_debugger *d)
{
  return wm_run_look(d->target.run).depth;
}

static void set_stop(struct wm_debugger *d, enum wm_stop_reason reason)
{
  d->stop = (struct wm_stop){.reason = (uint8_t)reason};
}

static void set_end(struct wm_debugger *d)
{
  int status = wm_target_status(&d->target);
  set_stop(d, status == WM_EXIT_OK ? WM_STOP_DONE : status == WM_EXIT_REJECTED ? WM_STOP_REJECTED : status == WM_EXIT_TRAP ? WM_STOP_TRAP : WM_STOP_FAILED);
}

/* ---- Points ----------------------------------------------------------------------------------------------------- */

/* Is the condition true? One that cannot be computed stops the run, and says so. */
static bool is_wanted(struct wm_debugger *d, const struct wm_point *point)
{
  struct wm_term term;
  if (point->condition == NULL)
    return true;
  d->frame = 0;
  size_t before = d->problem.length;
  if (wm_expr_all(d, point->condition, &term))
    return wm_expr_is_true(&term);
  if (before == 0)
    wm_buffer_format(&d->problem, " (condition of %" PRIu32 ")", point->number);
  return true;
}

/* Counts a hit; true when it stops the run. */
static bool take_hit(struct wm_debugger *d, struct wm_point *point, bool is_silent)
{
  if (!is_wanted(d, point))
    return false;
  if (is_silent)
    return true;
  point->hits++;
  if (point->ignore > 0) {
    point->ignore--;
    return false;
  }
  return true;
}

static bool stops_by_break(struct wm_debugger *d, uint64_t offset, const struct goal *goal)
{
  for (uint32_t i = 0; i < d->points.count; i++) {
    struct wm_point *point = &d->points.items[i];
    if (point->kind != WM_POINT_BREAK || !point->is_enabled || point->places[0].offset != offset || !take_hit(d, point, goal->is_silent))
      continue;
    set_stop(d, WM_STOP_BREAKPOINT);
    d->stop.point = point->number;
    if (point->is_temporary && !goal->is_silent)
      point->is_enabled = false; /* deleted once the run is disarmed */
    return true;
  }
  return false;
}

static bool stops_by_watch(struct wm_debugger *d, const struct goal *goal)
{
  struct wm_point *point = wm_points_find(&d->points, d->points.hit_point);
  d->points.hit_point = 0;
  if (point == NULL || !take_hit(d, point, goal->is_silent))
    return false;
  set_stop(d, WM_STOP_WATCHPOINT);
  d->stop.point = point->number;
  d->stop.hit = d->points.hit;
  return true;
}

/* A global that is about to be accessed, as its hit will be: `after` follows. */
static void expect_global(struct wm_debugger *d, const struct wm_site *site)
{
  struct wm_insn insn;
  uint16_t op = WM_OP_COUNT;
  for (uint32_t i = 0; i < d->points.count; i++) {
    struct wm_point *point = &d->points.items[i];
    if (!point->is_enabled || !point->is_global)
      continue;
    if (op == WM_OP_COUNT)
      op = wm_code_instruction(&d->code, site->function, site->ordinal, &insn, NULL);
    bool is_read = op == WM_OP_GLOBAL_GET;
    if ((op != WM_OP_GLOBAL_GET && op != WM_OP_GLOBAL_SET) || insn.index != point->index ||
        (point->kind != WM_POINT_ACCESS && is_read != (point->kind == WM_POINT_READ)))
      continue;
    struct wm_value value = wm_extern_global(wm_instance_item(d->target.instance, WM_EXTERN_GLOBAL, point->index));
    d->points.hit = (struct wm_watch_hit){.is_read = is_read, .is_global = true, .function = site->function, .offset = site->offset, .index = point->index};
    memcpy(d->points.hit.before, value.bits, sizeof value.bits);
    d->points.hit_point = point->number;
    return;
  }
}

static void finish_global(struct wm_debugger *d)
{
  if (d->points.hit_point == 0 || !d->points.hit.is_global)
    return;
  struct wm_value value = wm_extern_global(wm_instance_item(d->target.instance, WM_EXTERN_GLOBAL, d->points.hit.index));
  memcpy(d->points.hit.after, value.bits, sizeof value.bits);
}

/* ---- Forward ---------------------------------------------------------------------------------------------------- */

/* One turn: over what stands here, then as far as it goes. False: ended. */
static bool advance(struct wm_debugger *d, const struct goal *goal)
{
  uint64_t at = now(d);
  struct wm_site *site = d->points.site_count > 0 ? wm_points_site(&d->points, wm_run_look(d->target.run).offset) : NULL;
  if (site == NULL)
    return wm_history_advance(&d->history, goal->to, goal->stops_at_calls);
  expect_global(d, site);
  wm_points_lift(site);
  bool is_alive = wm_history_advance(&d->history, at + 1, goal->stops_at_calls);
  wm_points_lower(&d->points, site);
  finish_global(d);
  return is_alive;
}

/* Has something ended the command here? Sets d->stop. */
static bool is_stopped(struct wm_debugger *d, const struct goal *goal, uint64_t begun)
{
  struct wm_run_status at = wm_run_look(d->target.run);
  if (d->points.hit_point != 0 && stops_by_watch(d, goal))
    return true;
  struct wm_site *site = d->points.site_count > 0 ? wm_points_site(&d->points, at.offset) : NULL;
  if (site != NULL && stops_by_break(d, at.offset, goal))
    return true;
  bool is_goal = (site != NULL && site->is_goal && at.depth <= goal->goal_depth) || (goal->depth != 0 && at.depth <= goal->depth) ||
                 (goal->stops_at_calls && d->target.now.begun != begun);
  set_stop(d, WM_STOP_STEP);
  if (is_goal)
    return true;
  if (wm_history_is_interrupted()) {
    set_stop(d, WM_STOP_INTERRUPT);
    return true;
  }
  return false;
}

/* Runs until the goal, a point, the end or an interrupt. */
static void run_on(struct wm_debugger *d, struct goal goal)
{
  uint64_t begun = d->target.now.begun;
  uint64_t limit = d->target.limit;
  goal.to = goal.to < limit ? goal.to : limit;
  bool is_armed = wm_points_arm(&d->points, &d->history, &d->code, goal.function, goal.first, goal.end);
  wm_run_stop_at_depth(d->target.run, goal.depth);
  wm_target_set_stream(&d->target, is_armed || goal.depth != 0 ? WM_STREAM_STEP : (enum wm_stream)d->target.job.stream);
  bool is_first = true;
  set_stop(d, WM_STOP_STEP);
  for (;;) {
    if (now(d) >= goal.to) {
      set_stop(d, now(d) >= limit ? WM_STOP_BUDGET : WM_STOP_STEP);
      if (!is_first || now(d) >= limit)
        break;
    }
    is_first = false;
    if (!advance(d, &goal)) {
      set_end(d);
      break;
    }
    if (is_stopped(d, &goal, begun))
      break;
  }
  wm_points_disarm(&d->points, &d->history);
  wm_run_stop_at_depth(d->target.run, 0);
  for (uint32_t i = d->points.count; i-- > 0 && !goal.is_silent;)
    if (d->points.items[i].is_temporary && !d->points.items[i].is_enabled)
      wm_points_delete(&d->points, d->points.items[i].number);
}

static struct goal goal_of(uint64_t to)
{
  return (struct goal){.to = to, .function = WM_NO_INDEX};
}

/* Where the command's own budget ends. */
static uint64_t allowed(const struct wm_debugger *d)
{
  return d->budget > UINT64_MAX - now(d) ? UINT64_MAX : now(d) + d->budget;
}

static bool can_run(struct wm_debugger *d)
{
  wm_history_clear_interrupt();
  d->frame = 0;
  if (!wm_target_has_ended(&d->target))
    return true;
  set_end(d);
  return false;
}

/* The command's budget, not its goal, was what stopped it? */
static void tell_budget(struct wm_debugger *d, uint64_t end)
{
  if (d->stop.reason == WM_STOP_STEP && now(d) >= end)
    set_stop(d, WM_STOP_BUDGET);
}

void wm_run_begin(struct wm_debugger *d)
{
  struct goal goal = goal_of(UINT64_MAX);
  goal.stops_at_calls = true;
  wm_history_clear_interrupt();
  d->frame = 0;
  wm_target_set_stream(&d->target, (enum wm_stream)d->target.job.stream);
  if (!d->target.now.is_started && !wm_history_advance(&d->history, 0, true)) {
    set_end(d);
    return;
  }
  set_stop(d, WM_STOP_START);
  while (!wm_target_is_at_entry_call(&d->target) && (d->stop.reason == WM_STOP_START || d->stop.reason == WM_STOP_STEP)) {
    run_on(d, goal);
    if (d->stop.reason == WM_STOP_STEP)
      set_stop(d, WM_STOP_START);
  }
}

void wm_run_steps(struct wm_debugger *d, uint64_t count)
{
  if (!can_run(d))
    return;
  uint64_t end = allowed(d), to = count > UINT64_MAX - now(d) ? UINT64_MAX : now(d) + count;
  if (count == 0) {
    set_stop(d, WM_STOP_STEP);
    return;
  }
  run_on(d, goal_of(to < end ? to : end));
  if (to > end)
    tell_budget(d, end);
}

/* Back to a frame no deeper than `frames`, when there are more. */
static void leave_calls(struct wm_debugger *d, uint32_t frames, uint64_t end)
{
  if (d->stop.reason != WM_STOP_STEP || depth(d) <= frames || wm_target_has_ended(&d->target))
    return;
  struct goal goal = goal_of(end);
  goal.depth = frames;
  run_on(d, goal);
  if (depth(d) > frames)
    tell_budget(d, end);
}

void wm_run_next(struct wm_debugger *d, uint64_t count)
{
  if (!can_run(d))
    return;
  uint64_t end = allowed(d);
  set_stop(d, WM_STOP_STEP);
  for (uint64_t i = 0; i < count && d->stop.reason == WM_STOP_STEP; i++) {
    uint32_t frames = depth(d);
    if (now(d) >= end) {
      set_stop(d, WM_STOP_BUDGET);
      break;
    }
    run_on(d, goal_of(now(d) + 1));
    leave_calls(d, frames, end);
  }
}

void wm_run_finish(struct wm_debugger *d)
{
  uint32_t selected = d->frame;
  if (!can_run(d))
    return;
  uint64_t end = allowed(d);
  uint32_t frames = depth(d);
  struct goal goal = goal_of(end);
  goal.depth = frames > selected + 1 ? frames - selected - 1 : 0;
  goal.stops_at_calls = goal.depth == 0;
  uint64_t begun = d->target.now.begun;
  run_on(d, goal);
  if (goal.depth != 0 ? depth(d) > goal.depth : begun == d->target.now.begun)
    tell_budget(d, end);
}

/* Forward past loops: on to an instruction behind this one in this frame, or out of it. */
static void run_past(struct wm_debugger *d, uint64_t end)
{
  struct wm_frame_view view;
  uint32_t frames = depth(d);
  if (!wm_run_frame(d->target.run, 0, &view))
    return;
  uint32_t function = view.function, position = view.instruction;
  run_on(d, goal_of(now(d) + 1));
  leave_calls(d, frames, end);
  while (d->stop.reason == WM_STOP_STEP && depth(d) >= frames && wm_run_frame(d->target.run, 0, &view)) {
    if (view.function != function || (depth(d) == frames && view.instruction > position))
      return;
    struct goal goal = goal_of(end);
    goal.depth = frames > 1 ? frames - 1 : 0;
    goal.function = function;
    goal.first = position + 1;
    goal.end = WM_NO_INDEX;
    goal.goal_depth = UINT32_MAX;
    run_on(d, goal);
    if (now(d) >= end)
      tell_budget(d, end);
    leave_calls(d, frames, end);
  }
}

void wm_run_until(struct wm_debugger *d, const struct wm_place *place)
{
  if (!can_run(d))
    return;
  uint64_t end = allowed(d);
  set_stop(d, WM_STOP_STEP);
  if (place == NULL) {
    if (end > now(d))
      run_past(d, end);
    return;
  }
  struct goal goal = goal_of(end);
  goal.depth = depth(d) > 1 ? depth(d) - 1 : 0;
  goal.function = place->function;
  goal.first = place->ordinal;
  goal.end = place->ordinal + 1;
  goal.goal_depth = UINT32_MAX;
  run_on(d, goal);
  if (wm_run_look(d->target.run).offset != place->offset)
    tell_budget(d, end);
}

void wm_run_on(struct wm_debugger *d)
{
  if (!can_run(d))
    return;
  uint64_t end = allowed(d);
  run_on(d, goal_of(end));
  tell_budget(d, end);
}

/* ---- There and back --------------------------------------------------------------------------------------------- */

static bool go(struct wm_debugger *d, uint64_t to)
{
  wm_target_set_stream(&d->target, (enum wm_stream)d->target.job.stream);
  return wm_history_goto(&d->history, to);
}

static void stop_at(struct wm_debugger *d, uint64_t to)
{
  bool has_come = go(d, to);
  if (wm_target_has_ended(&d->target))
    set_end(d);
  else
    set_stop(d, !has_come ? WM_STOP_INTERRUPT : now(d) < to ? WM_STOP_BUDGET : WM_STOP_STEP);
}

void wm_run_goto(struct wm_debugger *d, uint64_t to)
{
  wm_history_clear_interrupt();
  d->frame = 0;
  stop_at(d, to);
}

bool wm_debug_find_output(struct wm_debugger *d)
{
  uint64_t here = now(d);
  if (d->has_output)
    return true;
  if (d->points.is_armed) { /* in a condition, under way */
    wm_buffer_text(&d->problem, "where the output goes is not known yet: print it first");
    return false;
  }
  if (!wm_target_output(&d->target, &d->output_address, &d->output_length)) {
    bool has_ended = go(d, UINT64_MAX) && wm_target_output(&d->target, &d->output_address, &d->output_length);
    bool is_interrupted = wm_history_is_interrupted();
    wm_history_clear_interrupt();
    go(d, here);
    if (!has_ended) {
      wm_buffer_text(&d->problem, is_interrupted ? "interrupted" : "this run yields no output");
      return false;
    }
  }
  return d->has_output = true;
}

/* Nothing before this: says so. */
static bool is_at_begin(struct wm_debugger *d)
{
  wm_history_clear_interrupt();
  d->frame = 0;
  if (now(d) > 0)
    return false;
  set_stop(d, WM_STOP_BEGIN);
  return true;
}

void wm_run_back_steps(struct wm_debugger *d, uint64_t count)
{
  if (count == 0 || is_at_begin(d))
    return;
  bool is_beyond = count > now(d);
  stop_at(d, is_beyond ? 0 : now(d) - count);
  if (is_beyond && d->stop.reason == WM_STOP_STEP)
    set_stop(d, WM_STOP_BEGIN);
}

/* ---- Frames of the past ----------------------------------------------------------------------------------------- */

struct depths {
  uint32_t depth, most;
  bool is_found;
  uint64_t last; /* after which there were more than `most` frames */
};

static void watch_depth(void *user, const struct wm_event *event)
{
  struct depths *depths = user;
  if (event->kind == WM_EVENT_RETURN) {
    depths->depth--;
  } else if ((event->flags & WM_FLAG_IMPORT) == 0 && depths->depth++ == depths->most) {
    depths->is_found = true;
    depths->last = event->instruction - 1;
  }
}

/* The last state before `before` with at most `most` frames, which there must be. False: interrupted. */
static bool find_depth(struct wm_debugger *d, uint64_t before, uint32_t most, uint64_t *at)
{
  uint64_t end = before;
  while (end > 0) {
    uint64_t start = wm_history_restore(&d->history, end - 1);
    wm_target_set_stream(&d->target, (enum wm_stream)d->target.job.stream);
    wm_history_advance(&d->history, start, false);
    struct depths depths = {.depth = depth(d), .most = most};
    wm_history_watch(&d->history, WM_WANT(WM_EVENT_CALL) | WM_WANT(WM_EVENT_RETURN), WM_NEED_INSTRUCTION, watch_depth, &depths);
    while (now(d) < end - 1 && !wm_target_has_ended(&d->target) && !wm_history_is_interrupted())
      wm_history_advance(&d->history, end - 1, false);
    wm_history_watch(&d->history, 0, 0, NULL, NULL);
    if (wm_history_is_interrupted())
      return false;
    if (depths.depth <= most || depths.is_found) {
      *at = depths.depth <= most ? end - 1 : depths.last;
      return true;
    }
    end = start;
  }
  *at = 0;
  return true;
}

static void go_to_depth(struct wm_debugger *d, uint64_t here, uint32_t most)
{
  uint64_t at;
  if (find_depth(d, here, most, &at)) {
    stop_at(d, at);
    return;
  }
  wm_history_clear_interrupt();
  go(d, here);
  set_stop(d, WM_STOP_INTERRUPT);
}

void wm_run_back_next(struct wm_debugger *d, uint64_t count)
{
  if (count > 0 && is_at_begin(d))
    return;
  set_stop(d, WM_STOP_STEP);
  for (uint64_t i = 0; i < count && !wm_history_is_interrupted(); i++) {
    uint32_t frames = depth(d);
    uint64_t here = now(d);
    if (here == 0) {
      set_stop(d, WM_STOP_BEGIN);
      return;
    }
    stop_at(d, here - 1);
    if (frames > 0 && depth(d) > frames)
      go_to_depth(d, here, frames);
  }
}

void wm_run_back_finish(struct wm_debugger *d)
{
  uint32_t frames = depth(d), selected = d->frame;
  if (is_at_begin(d))
    return;
  if (frames > selected + 1) {
    go_to_depth(d, now(d), frames - selected - 1);
  } else if (now(d) == d->target.now.begun) {
    set_stop(d, WM_STOP_BEGIN);
  } else {
    stop_at(d, d->target.now.begun);
  }
}

/* The last stop that running on from here would make, at most when `last` instructions have run. */
static bool find_stop(struct wm_debugger *d, uint64_t last, struct wm_stop *stop, uint64_t *at)
{
  bool is_found = false;
  struct goal goal = goal_of(last);
  goal.is_silent = true;
  while (now(d) < last && !wm_target_has_ended(&d->target)) {
    run_on(d, goal);
    if (d->stop.reason != WM_STOP_BREAKPOINT && d->stop.reason != WM_STOP_WATCHPOINT)
      break;
    is_found = true;
    *stop = d->stop;
    *at = now(d);
  }
  return is_found;
}

/* The first state of all is met by no running on. */
static bool is_stop_here(struct wm_debugger *d, struct wm_stop *stop)
{
  struct goal goal = goal_of(0);
  goal.is_silent = true;
  if (!stops_by_break(d, wm_run_look(d->target.run).offset, &goal))
    return false;
  *stop = d->stop;
  return true;
}

/* Pieces of the past, the latest first: of (start, last] each. */
static bool find_last_stop(struct wm_debugger *d, uint64_t last, struct wm_stop *stop, uint64_t *at)
{
  for (;;) {
    uint64_t start = wm_history_restore(&d->history, wm_history_before(&d->history, last));
    wm_history_advance(&d->history, start, false);
    bool is_found = start == 0 && is_stop_here(d, stop);
    *at = 0;
    if (find_stop(d, last, stop, at) || is_found)
      return true;
    if (start == 0 || wm_history_is_interrupted())
      return false;
    last = start;
  }
}

void wm_run_back(struct wm_debugger *d)
{
  if (is_at_begin(d))
    return;
  uint64_t here = now(d), at = 0;
  struct wm_stop stop;
  bool is_found = find_last_stop(d, here - 1, &stop, &at);
  bool is_interrupted = wm_history_is_interrupted();
  wm_history_clear_interrupt();
  stop_at(d, is_interrupted ? here : is_found ? at : 0);
  if (is_interrupted)
    set_stop(d, WM_STOP_INTERRUPT);
  else if (is_found)
    d->stop = stop;
  else if (d->stop.reason == WM_STOP_STEP)
    set_stop(d, WM_STOP_BEGIN);
}
