/* The trace sink: what the interpreter did, one line an event, in program order.
 *
 * Loads and stores have the lines of the QIP tracer: before a load, before and after a store, with the bytes that are in memory then;
 * an access that traps ends the trace with <out-of-bounds>. Whole traces leave while the run is under way; with `last`, a ring keeps
 * the end of it. JSON lines carry the same and more. With `checksum` there are no lines, one number instead (docs/trace.md). */
#include "instrument/match.h"
#include "instrument/options.h"
#include "instrument/registry.h"
#include "instrument/report.h"

#define SHOWN_LINES 16 /* of a kept end, when show does not say */
#define SHOWN_BYTES 16 /* of one access; a longer range is cut and ends with dots */
#define MEMORY_KINDS (WM_WANT_ACCESSES | WM_WANT(WM_EVENT_GROW) | WM_WANT(WM_EVENT_TRAP))
#define ALL_KINDS (WM_WANT(WM_EVENT_KINDS) - 1)

/* One line to be: the event and what memory held at its address. */
struct line {
  struct wm_event event;
  uint8_t bytes[SHOWN_BYTES];
  uint8_t byte_count;
  bool is_outside; /* no bytes: the range is not within the memory */
};

struct trace {
  const struct wm_view *view;
  struct wm_print print;
  bool is_json, is_checksum, has_range, has_memory, has_functions;
  uint32_t kinds;
  uint64_t range_address, range_length, memory;
  uint64_t *functions;      /* a bit for each that a filter names */
  struct line *ring;        /* NULL: every line goes out at once */
  uint64_t ring_lines, shown_lines;
  uint64_t lines;           /* so far */
  uint64_t checksum, checksum_events;
  char buffer[4096];
};

/* ---- Opening ------------------------------------------------------------------------------------------------------ */

static const char *const kind_names[] = {
  [WM_EVENT_LOAD] = "load", [WM_EVENT_STORE] = "store", [WM_EVENT_COPY] = "copy", [WM_EVENT_FILL] = "fill",
  [WM_EVENT_INIT] = "init", [WM_EVENT_GROW] = "grow", [WM_EVENT_CALL] = "call", [WM_EVENT_RETURN] = "return",
  [WM_EVENT_BRANCH] = "branch", [WM_EVENT_SET_GLOBAL0] = "global0", [WM_EVENT_TRAP] = "trap", [WM_EVENT_KINDS] = NULL};

/* Cuts the next part of a list at `+` or `,`. */
static struct wm_text next_part(struct wm_text *rest)
{
  uint32_t end = 0;
  while (end < rest->length && rest->bytes[end] != '+' && rest->bytes[end] != ',')
    end++;
  struct wm_text part = {rest->bytes, end};
  uint32_t taken = end < rest->length ? end + 1 : end;
  *rest = (struct wm_text){rest->bytes + taken, rest->length - taken};
  return part;
}

static bool read_kinds(struct wm_text value, uint32_t *kinds)
{
  *kinds = 0;
  do {
    struct wm_text part = next_part(&value);
    unsigned kind;
    if (wm_text_is(part, "all"))
      *kinds |= ALL_KINDS;
    else if (wm_text_is(part, "memory"))
      *kinds |= MEMORY_KINDS;
    else if (wm_option_choice(part, kind_names, &kind))
      *kinds |= WM_WANT(kind);
    else
      return false;
  } while (value.length > 0);
  return true;
}

/* ADDRESS:LENGTH */
static bool read_range(struct wm_text value, uint64_t *address, uint64_t *length)
{
  uint32_t colon = 0;
  while (colon < value.length && value.bytes[colon] != ':')
    colon++;
  return colon < value.length && wm_option_u64((struct wm_text){value.bytes, colon}, address) &&
         wm_option_u64((struct wm_text){value.bytes + colon + 1, value.length - colon - 1}, length);
}

/* Marks the functions that a pattern names; false when there is none. */
static bool add_functions(struct trace *trace, struct wm_text pattern)
{
  bool is_any = false;
  for (uint32_t f = 0; f < trace->view->function_count; f++) {
    if (wm_function_match(trace->view, f, pattern)) {
      trace->functions[f / 64] |= UINT64_C(1) << f % 64;
      is_any = true;
    }
  }
  return is_any;
}

/* NULL when the option was taken, else what is wanted of its value; "" for an unknown one. */
static const char *read_option(struct trace *trace, const struct wm_option *option)
{
  static const char *const formats[] = {"text", "json", NULL};
  unsigned format = 0;
  if (wm_text_is(option->key, "format")) {
    bool is_good = wm_option_choice(option->value, formats, &format);
    trace->is_json = format == 1;
    return is_good ? NULL : "text or json";
  }
  if (wm_text_is(option->key, "last")) {
    trace->ring_lines = 256;
    bool is_good = option->value.bytes == NULL || wm_option_u64(option->value, &trace->ring_lines);
    return is_good && trace->ring_lines > 0 && trace->ring_lines <= 1u << 24 ? NULL : "a number from 1 to 16777216";
  }
  if (wm_text_is(option->key, "show"))
    return wm_option_u64(option->value, &trace->shown_lines) && trace->shown_lines > 0 ? NULL : "a number from 1"; /* 0: not given */
  if (wm_text_is(option->key, "kind"))
    return read_kinds(option->value, &trace->kinds)
             ? NULL : "load, store, copy, fill, init, grow, call, return, branch, global0, trap, memory or all, joined by +";
  if (wm_text_is(option->key, "memory")) {
    trace->has_memory = true;
    return wm_option_u64(option->value, &trace->memory) && trace->memory < trace->view->memory_count ? NULL : "the index of a memory";
  }
  if (wm_text_is(option->key, "range")) {
    trace->has_range = true;
    return read_range(option->value, &trace->range_address, &trace->range_length) && trace->range_length > 0 ? NULL : "ADDRESS:LENGTH";
  }
  if (wm_text_is(option->key, "function")) {
    trace->has_functions = true;
    return add_functions(trace, option->value) ? NULL : "the name, a glob or the index of a function that there is";
  }
  if (wm_text_is(option->key, "checksum"))
    return wm_option_switch(option->value, &trace->is_checksum) ? NULL : "on or off";
  return "";
}

static void *open_trace(const struct wm_view *view, const struct wm_option *options, uint32_t option_count, uint32_t *wants,
                        uint32_t *needs, char *message, size_t message_bytes)
{
  struct trace *trace = view->reserve(view, sizeof *trace);
  uint64_t *functions = view->reserve(view, ((uint64_t)view->function_count / 64 + 1) * sizeof *functions);
  if (trace == NULL || functions == NULL)
    return wm_open_refuse("no memory", message, message_bytes);
  trace->view = view;
  trace->functions = functions;
  trace->kinds = MEMORY_KINDS;
  for (uint32_t i = 0; i < option_count; i++) {
    const char *wanted = read_option(trace, &options[i]);
    if (wanted != NULL)
      return wm_option_refuse(options[i], *wanted == '\0' ? NULL : wanted, message, message_bytes);
  }
  if (trace->is_checksum && (trace->is_json || trace->ring_lines > 0 || trace->shown_lines > 0))
    return wm_open_refuse("checksum prints no lines: it goes with no format, last or show", message, message_bytes);
  if (trace->shown_lines > 0 && trace->ring_lines == 0)
    return wm_open_refuse("show is of the lines that last keeps: it needs last", message, message_bytes);
  if (trace->shown_lines == 0)
    trace->shown_lines = SHOWN_LINES;
  if (trace->ring_lines > 0) {
    trace->ring = view->reserve(view, trace->ring_lines * sizeof *trace->ring);
    if (trace->ring == NULL)
      return wm_open_refuse("no memory for so many lines", message, message_bytes);
  }
  if (trace->is_checksum)
    trace->kinds &= WM_WANT_ACCESSES;
  *wants = trace->kinds;
  *needs = !trace->is_checksum     ? WM_NEED_SITE | ((trace->kinds & WM_WANT_ACCESSES) != 0 ? WM_NEED_IMMEDIATE : 0)
           : trace->has_functions ? WM_NEED_SITE
                                  : 0;
  if (trace->is_json)
    *needs |= WM_NEED_EVERY_INSTRUCTION;
  return trace;
}

static void begin(void *state, struct wm_writer *writer)
{
  struct trace *trace = state;
  wm_print_open(&trace->print, trace->buffer, sizeof trace->buffer, writer);
}

/* ---- One line ----------------------------------------------------------------------------------------------------- */

static bool is_access(const struct wm_event *event)
{
  return (WM_WANT_ACCESSES & WM_WANT(event->kind)) != 0;
}

/* A trap of an access: it carries the range that is not there. */
static bool is_access_trap(const struct wm_event *event)
{
  return event->kind == WM_EVENT_TRAP && event->length > 0;
}

static uint32_t ordinal(const struct trace *trace, const struct wm_event *event)
{
  bool has_one = event->kind == WM_EVENT_LOAD || event->kind == WM_EVENT_STORE || is_access_trap(event);
  return has_one ? trace->view->access_ordinal(trace->view, event->function, event->offset) : UINT32_MAX;
}

/* before_load, after_store, call …; a trapping load or store is the before of one. */
static void print_kind(struct trace *trace, const struct wm_event *event, uint32_t access)
{
  struct wm_print *print = &trace->print;
  if (is_access_trap(event) && access != UINT32_MAX) {
    wm_print_string(print, (event->flags & WM_FLAG_STORE) != 0 ? "before_store" : "before_load");
    return;
  }
  if (is_access(event))
    wm_print_string(print, event->phase == WM_PHASE_AFTER ? "after_" : "before_");
  wm_print_string(print, kind_names[event->kind]);
}

/* The bytes as hexadecimal digits in memory order. */
static void print_bytes(struct trace *trace, const struct line *line)
{
  if (line->is_outside) {
    wm_print_string(&trace->print, "<out-of-bounds>");
    return;
  }
  for (unsigned i = 0; i < line->byte_count; i++)
    wm_print_hex(&trace->print, line->bytes[i], 2);
  if (line->event.length > line->byte_count)
    wm_print_string(&trace->print, "...");
}

/* The members of a line, in both forms: ` key=value` and `,"key":value`. */
static void put_key(struct trace *trace, const char *key, const char *json_key)
{
  if (trace->is_json) {
    wm_print_char(&trace->print, ',');
    wm_print_json(&trace->print, wm_text_of(json_key));
    wm_print_char(&trace->print, ':');
  } else {
    wm_print_char(&trace->print, ' ');
    wm_print_string(&trace->print, key);
    wm_print_char(&trace->print, '=');
  }
}

static void put_u64(struct trace *trace, const char *key, const char *json_key, uint64_t value)
{
  put_key(trace, key, json_key);
  wm_print_u64(&trace->print, value);
}

static void put_address(struct trace *trace, const char *key, const char *json_key, uint64_t value)
{
  put_key(trace, key, json_key);
  if (trace->is_json) {
    wm_print_u64(&trace->print, value);
  } else {
    wm_print_string(&trace->print, "0x");
    wm_print_hex(&trace->print, value, 8);
  }
}

static void put_flag(struct trace *trace, const struct wm_event *event, uint16_t flag, const char *name)
{
  if ((event->flags & flag) == 0)
    return;
  if (trace->is_json) {
    put_key(trace, name, name);
    wm_print_string(&trace->print, "true");
  } else {
    wm_print_char(&trace->print, ' ');
    wm_print_string(&trace->print, name);
  }
}

static void put_function(struct trace *trace, const char *key, const char *json_key, const char *json_name, uint64_t function)
{
  put_u64(trace, key, json_key, function);
  if (trace->is_json && function < trace->view->function_count) {
    put_key(trace, json_name, json_name);
    wm_print_json(&trace->print, trace->view->function_name(trace->view, (uint32_t)function));
  }
}

static void put_access(struct trace *trace, const struct line *line, uint32_t access)
{
  const struct wm_event *event = &line->event;
  if (access != UINT32_MAX)
    put_u64(trace, "op", "op", access);
  else
    put_address(trace, "offset", "offset", event->offset);
  put_u64(trace, "mem", "memory", event->memory);
  put_address(trace, "addr", "address", event->address);
  put_u64(trace, "width", "width", event->length);
  if (event->kind == WM_EVENT_COPY) {
    put_u64(trace, "from_mem", "source_memory", event->source_memory);
    put_address(trace, "from", "source", event->source);
  }
  if (event->kind == WM_EVENT_INIT)
    put_u64(trace, "segment", "segment", event->detail);
  put_key(trace, "bytes", "bytes");
  if (trace->is_json)
    wm_print_char(&trace->print, '"');
  print_bytes(trace, line);
  if (trace->is_json)
    wm_print_char(&trace->print, '"');
}

static void put_other(struct trace *trace, const struct wm_event *event)
{
  if (event->kind != WM_EVENT_RETURN && (event->flags & WM_FLAG_OUTERMOST) == 0)
    put_address(trace, "offset", "offset", event->offset);
  switch (event->kind) {
  case WM_EVENT_GROW:
    put_u64(trace, "mem", "memory", event->memory);
    put_u64(trace, "pages", "pages", event->address);
    put_u64(trace, "by", "by", event->length);
    put_u64(trace, "grew", "grew", event->detail);
    break;
  case WM_EVENT_CALL:
    put_function(trace, "callee", "callee", "callee_name", event->detail);
    break;
  case WM_EVENT_SET_GLOBAL0:
    put_address(trace, "value", "value", event->address);
    break;
  case WM_EVENT_TRAP:
    put_key(trace, "reason", "reason");
    wm_print_json(&trace->print, trace->view->trap_text(trace->view, event->detail));
    break;
  }
  put_flag(trace, event, WM_FLAG_INDIRECT, "indirect");
  put_flag(trace, event, WM_FLAG_TAIL, "tail");
  put_flag(trace, event, WM_FLAG_IMPORT, "import");
  put_flag(trace, event, WM_FLAG_UNWIND, "unwind");
  put_flag(trace, event, WM_FLAG_BACK, "back");
  put_flag(trace, event, WM_FLAG_OUTERMOST, "outermost");
}

static void print_line(struct trace *trace, const struct line *line)
{
  const struct wm_event *event = &line->event;
  uint32_t access = ordinal(trace, event);
  if (trace->is_json)
    wm_print_string(&trace->print, "{\"event\":\"");
  print_kind(trace, event, access);
  if (trace->is_json)
    wm_print_char(&trace->print, '"');
  if (event->kind != WM_EVENT_CALL || (event->flags & WM_FLAG_OUTERMOST) == 0)
    put_function(trace, "func", "function", "name", event->function);
  if (is_access(event) || (is_access_trap(event) && access != UINT32_MAX)) {
    put_access(trace, line, access);
  } else {
    put_other(trace, event);
    if (is_access_trap(event)) { /* a bulk operation beyond memory */
      put_u64(trace, "mem", "memory", event->memory);
      put_address(trace, "addr", "address", event->address);
      put_u64(trace, "width", "width", event->length);
    }
  }
  if (trace->is_json) {
    put_u64(trace, "", "instruction", event->instruction);
    wm_print_char(&trace->print, '}');
  }
  wm_print_char(&trace->print, '\n');
}

/* ---- Events ------------------------------------------------------------------------------------------------------- */

static bool overlaps(const struct trace *trace, uint64_t address, uint64_t length)
{
  return address < trace->range_address ? trace->range_address - address < length
                                        : address - trace->range_address < trace->range_length;
}

static bool is_named(const struct trace *trace, uint64_t function)
{
  return function < trace->view->function_count && (trace->functions[function / 64] >> function % 64 & 1) != 0;
}

/* The filters. Functions: the one an event happens in, and of a call also the one called. Ranges hold accesses only, and a trap always
 * passes them: it is the end of the story. */
static bool passes(const struct trace *trace, const struct wm_event *event)
{
  if (trace->has_functions && event->kind != WM_EVENT_TRAP) {
    bool is_host_call = event->kind == WM_EVENT_CALL && (event->flags & WM_FLAG_OUTERMOST) != 0;
    if (!(!is_host_call && is_named(trace, event->function)) && !(event->kind == WM_EVENT_CALL && is_named(trace, event->detail)))
      return false;
  }
  if (!is_access(event) || (!trace->has_range && !trace->has_memory))
    return true;
  bool is_copy = event->kind == WM_EVENT_COPY;
  bool has_destination = (!trace->has_memory || event->memory == trace->memory) &&
                         (!trace->has_range || overlaps(trace, event->address, event->length));
  bool has_source = is_copy && (!trace->has_memory || event->source_memory == trace->memory) &&
                    (!trace->has_range || overlaps(trace, event->source, event->length));
  return has_destination || has_source;
}

/* What the memory holds at the event's address now. */
static void look(const struct trace *trace, struct line *line)
{
  const struct wm_event *event = &line->event;
  if (!is_access(event) && !is_access_trap(event))
    return;
  struct wm_memory_view memory = trace->view->memory(trace->view, event->memory);
  line->is_outside = is_access_trap(event) || event->length > memory.length || event->address > memory.length - event->length;
  if (line->is_outside)
    return;
  line->byte_count = (uint8_t)(event->length < SHOWN_BYTES ? event->length : SHOWN_BYTES);
  __builtin_memcpy(line->bytes, memory.base + event->address, line->byte_count);
}

static void take_checksum(struct trace *trace, const struct wm_event *event)
{
  uint64_t hash = trace->checksum;
  trace->checksum = ((hash << 7 | hash >> 57) + event->address) ^ event->length * UINT64_C(0x9e3779b97f4a7c15);
  trace->checksum_events++;
}

static void take_events(void *state, const struct wm_event *batch, uint32_t count)
{
  struct trace *trace = state;
  for (const struct wm_event *event = batch; event < batch + count; event++) {
    if (!passes(trace, event))
      continue;
    if (trace->is_checksum) {
      take_checksum(trace, event);
      continue;
    }
    if (event->kind == WM_EVENT_LOAD && event->phase == WM_PHASE_AFTER)
      continue;
    struct line line = {.event = *event};
    look(trace, &line);
    if (trace->ring == NULL)
      print_line(trace, &line);
    else
      trace->ring[trace->lines % trace->ring_lines] = line;
    trace->lines++;
  }
}

/* ---- The end ------------------------------------------------------------------------------------------------------ */

static void finish_ring(struct trace *trace)
{
  uint64_t kept = trace->lines < trace->ring_lines ? trace->lines : trace->ring_lines;
  uint64_t shown = kept < trace->shown_lines ? kept : trace->shown_lines;
  if (!trace->is_json && trace->lines == 0)
    wm_print_string(&trace->print, "  no memory trace events recorded\n");
  if (!trace->is_json && trace->lines > shown) {
    wm_print_string(&trace->print, "  ... ");
    wm_print_u64(&trace->print, trace->lines - shown);
    wm_print_string(&trace->print, " earlier memory events omitted\n");
  }
  for (uint64_t i = trace->lines - shown; i < trace->lines; i++) {
    if (!trace->is_json)
      wm_print_string(&trace->print, "  ");
    print_line(trace, &trace->ring[i % trace->ring_lines]);
  }
}

static void finish(void *state, const struct wm_view *view, const struct wm_outcome *outcome, struct wm_writer *writer)
{
  struct trace *trace = state;
  (void)view, (void)outcome, (void)writer;
  if (trace->is_checksum) {
    wm_print_string(&trace->print, "events=");
    wm_print_u64(&trace->print, trace->checksum_events);
    wm_print_string(&trace->print, " checksum=0x");
    wm_print_hex(&trace->print, trace->checksum, 16);
    wm_print_char(&trace->print, '\n');
  } else if (trace->ring != NULL) {
    finish_ring(trace);
  }
  wm_print_flush(&trace->print);
}

const struct wm_sink_class wm_sink_trace = {
  .abi = WM_SINK_ABI,
  .size = sizeof(struct wm_sink_class),
  .name = "trace",
  .summary = "every load, store and other event as a line",
  .options = "format=text or json (an object a line)\n"
             "last=keep only the last N lines (256), and of those\n"
             "show=print the last N (16)\n"
             "kind=load, store, copy, fill, init, grow, call, return, branch, global0, trap, memory (the default) or all, joined by +\n"
             "function=only in functions of this name, glob or index; may come again\n"
             "memory=only accesses of this memory\n"
             "range=ADDRESS:LENGTH, only accesses that touch it\n"
             "checksum=no lines, one number over the address and length of every access\n",
  .traits = WM_SINK_TELLS_STOPS,
  .open = open_trace,
  .begin = begin,
  .events = take_events,
  .finish = finish,
};
