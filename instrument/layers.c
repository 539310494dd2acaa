/* The layers sink: which drawing pass did the work, and how much of what it drew survives in the final frame.
 *
 * A layer is a set of functions, by globs over their names. Work goes to the innermost active layer; a function that is in none works for
 * the layer it was called from. A layer's total runs from its outermost entry to that entry's exit. Of each byte of the surface, the
 * component's output or a range given, the last writer is remembered: what a layer wrote and what is still there at the end
 * tells work that was drawn over (docs/timing.md). The surface is in memory 0. */
#include "instrument/calltree.h"
#include "instrument/match.h"
#include "instrument/meter.h"
#include "instrument/options.h"
#include "instrument/registry.h"

#define LAYERS 255    /* with layer 0, which is what no layer claims: an id fits a byte */
#define NO_LAYER 255u /* an activation that changes nothing */

struct layer {
  struct wm_text name;
  uint64_t calls; /* outermost entries */
  struct wm_cost self;
  uint64_t total_instructions, total_ns;
  uint64_t entered_instructions, entered_ns;
  uint64_t live;
  uint64_t surface_written, surface_kept; /* bytes */
};

struct activation {
  uint8_t own;    /* the layer it entered, or NO_LAYER */
  uint8_t before; /* the layer that was current */
  uint32_t node_before;
};

struct layers {
  struct wm_meter meter;
  struct layer *layers;     /* 0: unattributed */
  uint32_t layer_count;
  uint8_t *layer_of;        /* by function, and one for those of other instances */
  struct activation *stack;
  uint64_t depth;
  uint8_t current;
  uint32_t node;            /* of the current path */
  uint64_t surface_address, surface_length;
  uint8_t *last_writer;     /* layer of each byte of the surface */
  uint64_t frames;
  struct wm_calltree tree;
  bool has_weight, has_tree, has_clock, has_surface, is_folded_ns;
  uint8_t format;
  uint64_t probe_ns;
  const struct wm_view *view;
};

enum { FORMAT_FOLDED = WM_FORMATS, FORMAT_SPEEDSCOPE };

/* ---- Events ------------------------------------------------------------------------------------------------------- */

/* Outside the guest nobody works. */
static void charge_current(struct layers *layers)
{
  if (layers->depth == 0) {
    wm_meter_skip(&layers->meter);
    return;
  }
  if (layers->has_tree) {
    layers->tree.nodes[layers->node].instructions += layers->meter.now.instructions - layers->meter.lap.instructions;
    layers->tree.nodes[layers->node].ns += layers->meter.now.ns - layers->meter.lap.ns;
  }
  wm_meter_charge(&layers->meter, &layers->layers[layers->current].self);
}

static void enter(struct layers *layers, uint32_t function)
{
  bool is_first = layers->depth == 0;
  struct activation *top = &layers->stack[layers->depth];
  *top = (struct activation){.own = layers->layer_of[function], .before = layers->current, .node_before = layers->node};
  if (top->own == 0 && !is_first)
    top->own = NO_LAYER;
  if (top->own != NO_LAYER) {
    charge_current(layers);
    struct layer *layer = &layers->layers[top->own];
    if (layer->live++ == 0) {
      layer->calls++;
      layer->entered_instructions = layers->meter.now.instructions;
      layer->entered_ns = layers->meter.now.ns;
    }
    if (layers->has_tree && (is_first || top->own != layers->current))
      layers->node = wm_calltree_enter(&layers->tree, layers->node, top->own);
    layers->current = top->own;
  }
  layers->depth++;
}

static void leave(struct layers *layers)
{
  if (layers->depth == 0)
    return;
  const struct activation *top = &layers->stack[layers->depth - 1];
  if (top->own != NO_LAYER) {
    charge_current(layers);
    struct layer *layer = &layers->layers[top->own];
    if (--layer->live == 0) {
      layer->total_instructions += layers->meter.now.instructions - layer->entered_instructions;
      layer->total_ns += layers->meter.now.ns - layer->entered_ns;
    }
    layers->current = top->before;
    layers->node = top->node_before;
  }
  layers->depth--;
}

static void leave_all(struct layers *layers)
{
  while (layers->depth > 0)
    leave(layers);
}

/* Widths of stores without a loop: this is the sink's hot place. */
static void mark_writer(uint8_t *at, uint64_t length, uint8_t layer)
{
  uint64_t bytes = layer * UINT64_C(0x0101010101010101);
  switch (length) {
  case 16:
    __builtin_memcpy(at + 8, &bytes, 8);
    __builtin_memcpy(at, &bytes, 8);
    break;
  case 8:
    __builtin_memcpy(at, &bytes, 8);
    break;
  case 4:
    __builtin_memcpy(at, &bytes, 4);
    break;
  case 1:
    *at = layer;
    break;
  default:
    for (uint64_t i = 0; i < length; i++)
      at[i] = layer;
  }
}

/* A write to memory 0: which bytes of the surface are this layer's now. */
static void write_surface(struct layers *layers, const struct wm_event *event)
{
  uint64_t begin = event->address, end = event->address + event->length;
  uint64_t surface_end = layers->surface_address + layers->surface_length;
  if (begin >= surface_end || end <= layers->surface_address || event->memory != 0)
    return; /* elsewhere */
  begin = begin < layers->surface_address ? layers->surface_address : begin;
  end = end > surface_end ? surface_end : end;
  layers->layers[layers->current].surface_written += end - begin;
  mark_writer(layers->last_writer + (begin - layers->surface_address), end - begin, layers->current);
}

static void take_call(struct layers *layers, const struct wm_event *event)
{
  if ((event->flags & WM_FLAG_OUTERMOST) != 0) /* what an abandoned run left */
    leave_all(layers);
  wm_meter_clock(&layers->meter, event);
  if ((event->flags & WM_FLAG_IMPORT) == 0)
    enter(layers, event->detail < layers->view->function_count ? (uint32_t)event->detail : layers->view->function_count);
}

static void take_events(void *user, const struct wm_event *batch, uint32_t count)
{
  struct layers *layers = user;
  for (const struct wm_event *event = batch; event < batch + count; event++) {
    if (event->kind <= WM_EVENT_INIT) {
      wm_meter_access(&layers->meter, event);
      if (event->kind != WM_EVENT_LOAD)
        write_surface(layers, event);
    } else if (event->kind == WM_EVENT_CALL) {
      take_call(layers, event);
    } else if (event->kind == WM_EVENT_RETURN) {
      wm_meter_clock(&layers->meter, event);
      leave(layers);
    } else if (event->kind == WM_EVENT_TRAP) {
      wm_meter_clock(&layers->meter, event);
      leave_all(layers);
    }
  }
}

/* A reset forgets the work, not who wrote last. */
static void take_mark(void *user, const struct wm_mark *mark)
{
  struct layers *layers = user;
  layers->frames += mark->kind == WM_MARK_FRAME_END;
  if (mark->kind != WM_MARK_RESET)
    return;
  for (uint32_t i = 0; i < layers->layer_count; i++)
    layers->layers[i] = (struct layer){.name = layers->layers[i].name};
  layers->frames = 0;
  if (layers->has_tree)
    wm_calltree_reset(&layers->tree);
  wm_meter_reset(&layers->meter, mark);
}

/* ---- Opening ------------------------------------------------------------------------------------------------------ */

/* Every function that the glob names and no earlier layer has becomes the layer's. Returns how many. */
static uint32_t add_glob(struct layers *layers, uint8_t layer, struct wm_text glob)
{
  uint32_t count = 0;
  for (uint32_t f = layers->view->imported_function_count; f < layers->view->function_count; f++) {
    if (layers->layer_of[f] == 0 && wm_function_match(layers->view, f, glob)) {
      layers->layer_of[f] = layer;
      count++;
    }
  }
  return count;
}

/* The layer of that name, a new one at need; 0 when there is no room or the name is not allowed. */
static uint8_t find_layer(struct layers *layers, struct wm_text name)
{
  if (name.length == 0 || wm_text_is(name, "unattributed") || wm_text_is(name, "total"))
    return 0;
  for (uint32_t i = 1; i < layers->layer_count; i++)
    if (wm_text_is_equal(layers->layers[i].name, name))
      return (uint8_t)i;
  if (layers->layer_count == LAYERS)
    return 0;
  layers->layers[layers->layer_count].name = name;
  return (uint8_t)layers->layer_count++;
}

/* `GLOB,GLOB…`; false when one of them is empty. */
static bool add_globs(struct layers *layers, uint8_t layer, struct wm_text globs, uint32_t *matched)
{
  for (uint32_t begin = 0; begin <= globs.length;) {
    uint32_t end = begin;
    while (end < globs.length && globs.bytes[end] != ',')
      end++;
    if (end == begin)
      return false;
    *matched += add_glob(layers, layer, (struct wm_text){globs.bytes + begin, end - begin});
    begin = end + 1;
  }
  return true;
}

/* What an option begins: its value NAME=GLOB[,GLOB…], and more globs in the lone keys after it (a sink's options are cut at commas). */
static uint32_t read_layer(struct layers *layers, const struct wm_option *options, uint32_t option_count, bool *is_good, uint32_t *matched)
{
  struct wm_text value = options[0].value;
  uint32_t equals = 0, taken = 1;
  while (equals < value.length && value.bytes[equals] != '=')
    equals++;
  *matched = 0;
  *is_good = false;
  uint8_t layer = equals < value.length ? find_layer(layers, (struct wm_text){value.bytes, equals}) : 0;
  if (layer == 0 || !add_globs(layers, layer, (struct wm_text){value.bytes + equals + 1, value.length - equals - 1}, matched))
    return taken;
  for (; taken < option_count && options[taken].value.bytes == NULL; taken++)
    *matched += add_glob(layers, layer, options[taken].key);
  *is_good = true;
  return taken;
}

static void *refuse_layer(const struct wm_option *option, char *message, size_t message_bytes)
{
  struct wm_print print;
  if (message_bytes == 0)
    return NULL;
  wm_print_open(&print, message, message_bytes - 1, NULL);
  wm_print_string(&print, "layer \"");
  wm_print_visible(&print, option->value);
  wm_print_string(&print, "\" matches no function (or only those of earlier layers); one that the compiler inlined cannot be told apart");
  message[print.length] = '\0';
  return NULL;
}

/* ADDRESS:LENGTH within what memory 0 can ever be. */
static bool read_surface(struct layers *layers, struct wm_text value)
{
  uint32_t colon = 0;
  uint64_t limit = layers->view->memory_count > 0 ? layers->view->memory(layers->view, 0).limit : 0;
  while (colon < value.length && value.bytes[colon] != ':')
    colon++;
  layers->has_surface = true;
  return colon < value.length && wm_option_u64((struct wm_text){value.bytes, colon}, &layers->surface_address) &&
         wm_option_u64((struct wm_text){value.bytes + colon + 1, value.length - colon - 1}, &layers->surface_length) &&
         layers->surface_length <= limit && layers->surface_address <= limit - layers->surface_length;
}

static const char *read_option(struct layers *layers, const struct wm_option *option)
{
  static const char *const formats[] = {"csv", "json", "table", "folded", "speedscope", NULL};
  static const char *const weights[] = {"instructions", "ns", NULL};
  unsigned choice = 0;
  if (wm_text_is(option->key, "format")) {
    bool is_good = wm_option_choice(option->value, formats, &choice);
    layers->format = (uint8_t)choice;
    layers->has_tree = choice >= WM_FORMATS;
    return is_good ? NULL : "csv, json, table, folded or speedscope";
  }
  if (wm_text_is(option->key, "weight")) {
    bool is_good = wm_option_choice(option->value, weights, &choice);
    layers->is_folded_ns = choice == 1;
    layers->has_weight = true;
    return is_good ? NULL : "instructions or ns";
  }
  if (wm_text_is(option->key, "clock"))
    return wm_option_switch(option->value, &layers->has_clock) ? NULL : "on or off";
  if (wm_text_is(option->key, "surface"))
    return read_surface(layers, option->value) ? NULL : "ADDRESS:LENGTH within memory 0";
  return "";
}

/* Without a range given, the surface is the output that the host knows of from an identical run. */
static bool open_surface(struct layers *layers)
{
  const struct wm_view *view = layers->view;
  for (uint32_t i = 0; i < view->region_count && !layers->has_surface; i++) {
    if (view->regions[i].kind == WM_REGION_OUTPUT && view->regions[i].memory == 0) {
      layers->surface_address = view->regions[i].address;
      layers->surface_length = view->regions[i].length;
    }
  }
  layers->last_writer = view->reserve(view, layers->surface_length + 1);
  return layers->last_writer != NULL;
}

static void calibrate(struct layers *layers)
{
  uint8_t kept = layers->layer_of[0];
  bool has_tree = layers->has_tree;
  layers->has_tree = false;
  layers->layer_of[0] = layers->layer_count > 1; /* the dearer path: a layer is entered and left */
  layers->probe_ns = wm_probe_cost_ns(layers->view, take_events, layers);
  layers->layer_of[0] = kept;
  layers->has_tree = has_tree;
  take_mark(layers, &(struct wm_mark){.kind = WM_MARK_RESET});
  layers->meter = (struct wm_meter){.probes = 0};
}

static void *open_layers(const struct wm_view *view, const struct wm_option *options, uint32_t option_count, uint32_t *wants,
                         uint32_t *needs, char *message, size_t message_bytes)
{
  struct layers *layers = view->reserve(view, sizeof *layers);
  struct layer *list = view->reserve(view, LAYERS * sizeof *list);
  uint8_t *layer_of = view->reserve(view, (uint64_t)view->function_count + 1);
  struct activation *stack = view->reserve(view, (view->frame_limit + 1) * sizeof *stack);
  if (layers == NULL || list == NULL || layer_of == NULL || stack == NULL)
    return wm_open_refuse("no memory", message, message_bytes);
  *layers = (struct layers){.layers = list, .layer_count = 1, .layer_of = layer_of, .stack = stack, .has_clock = true, .view = view};
  list[0].name = wm_text_of("unattributed");
  for (uint32_t i = 0; i < option_count;) {
    const struct wm_option *option = &options[i];
    if (wm_text_is(option->key, "layer")) {
      bool is_good;
      uint32_t matched;
      i += read_layer(layers, option, option_count - i, &is_good, &matched);
      if (!is_good)
        return wm_option_refuse(*option, "NAME=GLOB[,GLOB...], at most 254 names, none of them unattributed or total", message, message_bytes);
      if (matched == 0)
        return refuse_layer(option, message, message_bytes);
      continue;
    }
    const char *wanted = read_option(layers, option);
    if (wanted != NULL)
      return wm_option_refuse(*option, *wanted == '\0' ? NULL : wanted, message, message_bytes);
    i++;
  }
  if (layers->is_folded_ns && !layers->has_clock)
    return wm_open_refuse("weight=ns needs the clock", message, message_bytes);
  if (layers->has_weight && layers->format != FORMAT_FOLDED)
    return wm_open_refuse("weight is of folded stacks: it needs format=folded", message, message_bytes);
  if (!open_surface(layers) || (layers->has_tree && !wm_calltree_open(&layers->tree, view, LAYERS)))
    return wm_open_refuse("no memory", message, message_bytes);
  if (layers->has_clock)
    calibrate(layers);
  *wants = WM_METER_WANTS;
  *needs = WM_NEED_INSTRUCTION | (layers->has_clock ? WM_NEED_CLOCK : 0);
  return layers;
}

/* ---- The report --------------------------------------------------------------------------------------------------- */

static void write_ns(struct wm_report *report, const struct layers *layers, uint64_t ns)
{
  if (layers->has_clock)
    wm_report_u64(report, ns);
  else
    wm_report_none(report);
}

/* part of whole in hundredths of a percent; an empty cell when there is no whole. */
static void write_share(struct wm_report *report, uint64_t part, uint64_t whole)
{
  if (whole > 0)
    wm_report_u64(report, wm_ratio_half_up(part, 10000, whole));
  else
    wm_report_none(report);
}

static void write_layer(struct wm_report *report, const struct layers *layers, const struct layer *layer)
{
  bool is_aligned = layers->format == WM_FORMAT_TABLE;
  wm_report_text(report, layer->name);
  wm_report_u64(report, layer->calls);
  if (is_aligned)
    write_share(report, layer->self.instructions, layers->meter.charged.instructions);
  wm_report_u64(report, layer->self.instructions);
  wm_report_u64(report, layer->total_instructions);
  wm_report_u64(report, layer->self.loads);
  wm_report_u64(report, layer->self.stores);
  wm_report_u64(report, layer->self.bytes_read);
  wm_report_u64(report, layer->self.bytes_written);
  wm_report_u64(report, layer->surface_written);
  wm_report_u64(report, layer->surface_kept);
  if (is_aligned)
    write_share(report, layer->surface_kept < layer->surface_written ? layer->surface_kept : layer->surface_written, layer->surface_written);
  write_ns(report, layers, layer->self.ns);
  write_ns(report, layers, layer->total_ns);
}

/* The layers in the order given, what no layer did, and the total: every column but the totals adds up. */
static void write_rows(struct wm_report *report, void *user)
{
  const struct layers *layers = user;
  struct layer total = {.name = wm_text_of("total")};
  for (uint32_t k = 1; k <= layers->layer_count; k++) {
    const struct layer *layer = &layers->layers[k % layers->layer_count];
    write_layer(report, layers, layer);
    total.calls += layer->calls;
    wm_cost_add(&total.self, &layer->self);
    total.surface_written += layer->surface_written;
    total.surface_kept += layer->surface_kept;
  }
  total.total_instructions = total.self.instructions;
  total.total_ns = total.self.ns;
  write_layer(report, layers, &total);
}

static void write_report(struct layers *layers, const struct wm_outcome *outcome, struct wm_writer *writer)
{
  static const struct wm_column columns[] = {
    {"layer", WM_COLUMN_TEXT}, {"calls", WM_COLUMN_COUNT}, {"self_instructions", WM_COLUMN_COUNT}, {"total_instructions", WM_COLUMN_COUNT},
    {"loads", WM_COLUMN_COUNT}, {"stores", WM_COLUMN_COUNT}, {"bytes_read", WM_COLUMN_BYTES}, {"bytes_written", WM_COLUMN_BYTES},
    {"output_bytes_written", WM_COLUMN_BYTES}, {"output_bytes_surviving", WM_COLUMN_BYTES}, {"self_ns", WM_COLUMN_NS},
    {"total_ns", WM_COLUMN_NS}};
  static const struct wm_column aligned[] = {
    {"layer", WM_COLUMN_TEXT}, {"calls", WM_COLUMN_COUNT}, {"self_%", WM_COLUMN_RATIO}, {"self_instructions", WM_COLUMN_COUNT},
    {"total_instructions", WM_COLUMN_COUNT}, {"loads", WM_COLUMN_COUNT}, {"stores", WM_COLUMN_COUNT}, {"bytes_read", WM_COLUMN_BYTES},
    {"bytes_written", WM_COLUMN_BYTES}, {"output_written", WM_COLUMN_BYTES}, {"surviving", WM_COLUMN_BYTES},
    {"surviving_%", WM_COLUMN_RATIO}, {"self_time", WM_COLUMN_NS}, {"total_time", WM_COLUMN_NS}};
  struct wm_report report;
  if (layers->format == WM_FORMAT_TABLE)
    wm_report_open(&report, WM_FORMAT_TABLE, "layers", outcome, aligned, sizeof aligned / sizeof *aligned, writer);
  else
    wm_report_open(&report, layers->format, "layers", outcome, columns, sizeof columns / sizeof *columns, writer);
  wm_report_rows(&report, write_rows, layers);
  if (layers->frames > 0)
    wm_report_note_u64(&report, "frames", layers->frames);
  wm_report_note_u64(&report, "surface_address", layers->surface_address);
  wm_report_note_u64(&report, "surface_bytes", layers->surface_length);
  wm_meter_write_notes(&layers->meter, &report, outcome, layers->has_clock, layers->probe_ns);
  wm_report_close(&report);
}

static struct wm_text name_of(void *user, uint32_t id)
{
  const struct layers *layers = user;
  return layers->layers[id].name;
}

static void finish(void *user, const struct wm_view *view, const struct wm_outcome *outcome, struct wm_writer *writer)
{
  struct layers *layers = user;
  char buffer[1024];
  struct wm_print print;
  (void)view;
  if (layers->depth > 0) {
    wm_meter_stop(&layers->meter, outcome);
    leave_all(layers);
  }
  for (uint64_t i = 0; i < layers->surface_length; i++)
    layers->layers[layers->last_writer[i]].surface_kept++;
  if (layers->format < WM_FORMATS) {
    write_report(layers, outcome, writer);
    return;
  }
  wm_print_open(&print, buffer, sizeof buffer, writer);
  if (layers->format == FORMAT_FOLDED)
    wm_calltree_write_folded(&layers->tree, &print, layers->is_folded_ns, name_of, layers);
  else
    wm_calltree_write_speedscope(&layers->tree, &print, layers->has_clock, name_of, layers);
  wm_print_flush(&print);
}

const struct wm_sink_class wm_sink_layers = {
  .abi = WM_SINK_ABI,
  .size = sizeof(struct wm_sink_class),
  .name = "layers",
  .summary = "the work of each drawing layer, and how much of what it drew survives",
  .options = "layer=NAME=GLOB[,GLOB...], functions by name or wasm-function[N]; comes again for each layer\n"
             "surface=ADDRESS:LENGTH, the bytes whose last writer is followed (the component's output)\n"
             "format=csv, json, table, folded (flame graphs) or speedscope\n"
             "weight=of folded stacks: instructions (the default) or ns\n"
             "clock=on or off: without it there is no wall time, and less overhead\n",
  .traits = WM_SINK_KNOWS_OUTPUT,
  .open = open_layers,
  .events = take_events,
  .mark = take_mark,
  .finish = finish,
};
