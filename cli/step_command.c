/* Commands of the debugger; see step_command.h. Names and abbreviations are gdb's where gdb has them; any unambiguous beginning does. */
#include "cli/step_command.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/files.h"
#include "cli/message.h"
#include "cli/step_expr.h"

struct step_command {
  const char *name, *alias, *arguments, *help;
  /* True: tell the stop. `text` is what follows the name, without blanks around it. */
  bool (*run)(struct wm_debugger *d, const char *text);
  const char *words; /* completions of the first argument, parted by blanks; NULL: functions */
};

static bool refuse(struct wm_debugger *d, const char *what)
{
  if (d->problem.length == 0)
    wm_buffer_text(&d->problem, what);
  return false;
}

/* An optional count: an expression, 1 when there is none. */
static bool read_count(struct wm_debugger *d, const char *text, uint64_t otherwise, uint64_t *count)
{
  struct wm_term term;
  *count = otherwise;
  if (*text == '\0')
    return true;
  if (!wm_expr_all(d, text, &term) || !wm_expr_number(d, &term, count))
    return false;
  if ((int64_t)*count >= 0 || (term.value.type == 0 && *text != '-'))
    return true;
  return refuse(d, "a count cannot be negative");
}

static bool wants_nothing(struct wm_debugger *d, const char *text)
{
  if (*text == '\0')
    return true;
  wm_buffer_text(&d->problem, "this command takes no argument: ");
  wm_buffer_escaped(&d->problem, text, strlen(text));
  return false;
}

/* ---- Running ---------------------------------------------------------------------------------------------------- */

static bool do_step(struct wm_debugger *d, const char *text)
{
  uint64_t count;
  if (!read_count(d, text, 1, &count))
    return false;
  wm_run_steps(d, count);
  return true;
}

static bool do_next(struct wm_debugger *d, const char *text)
{
  uint64_t count;
  if (!read_count(d, text, 1, &count))
    return false;
  wm_run_next(d, count);
  return true;
}

static bool do_finish(struct wm_debugger *d, const char *text)
{
  if (!wants_nothing(d, text))
    return false;
  wm_run_finish(d);
  return true;
}

static bool do_until(struct wm_debugger *d, const char *text)
{
  struct wm_place place;
  if (*text != '\0' && !wm_code_find(&d->code, text, &place, &d->problem))
    return false;
  wm_run_until(d, *text != '\0' ? &place : NULL);
  return true;
}

/* `continue N`: past the point of this stop N - 1 more times. */
static bool do_continue(struct wm_debugger *d, const char *text)
{
  uint64_t count;
  if (!read_count(d, text, 1, &count))
    return false;
  struct wm_point *point = wm_points_find(&d->points, d->stop.point);
  if (count > 1 && point == NULL)
    return refuse(d, "this stop is at no breakpoint or watchpoint");
  if (count > 1)
    point->ignore = count - 1;
  wm_run_on(d);
  return true;
}

static void restart(struct wm_debugger *d)
{
  wm_history_reset(&d->history);
  d->has_output = false;
  wm_run_begin(d);
}

static bool do_start(struct wm_debugger *d, const char *text)
{
  if (!wants_nothing(d, text))
    return false;
  restart(d);
  return true;
}

static bool do_run(struct wm_debugger *d, const char *text)
{
  if (!wants_nothing(d, text))
    return false;
  restart(d);
  if (d->stop.reason == WM_STOP_START)
    wm_run_on(d);
  return true;
}

static bool do_goto(struct wm_debugger *d, const char *text)
{
  uint64_t to;
  if (*text == '\0')
    return refuse(d, "goto takes an instruction number, or end");
  if (strcmp(text, "end") == 0)
    to = UINT64_MAX;
  else if (!read_count(d, text, 0, &to))
    return false;
  wm_run_goto(d, to);
  return true;
}

static bool do_back_step(struct wm_debugger *d, const char *text)
{
  uint64_t count;
  if (!read_count(d, text, 1, &count))
    return false;
  wm_run_back_steps(d, count);
  return true;
}

static bool do_back_next(struct wm_debugger *d, const char *text)
{
  uint64_t count;
  if (!read_count(d, text, 1, &count))
    return false;
  wm_run_back_next(d, count);
  return true;
}

static bool do_back_finish(struct wm_debugger *d, const char *text)
{
  if (!wants_nothing(d, text))
    return false;
  wm_run_back_finish(d);
  return true;
}

static bool do_back(struct wm_debugger *d, const char *text)
{
  if (!wants_nothing(d, text))
    return false;
  wm_run_back(d);
  return true;
}

static bool do_budget(struct wm_debugger *d, const char *text)
{
  uint64_t count;
  if (strcmp(text, "off") == 0) {
    d->budget = UINT64_MAX;
  } else if (*text != '\0') {
    if (!read_count(d, text, 0, &count))
      return false;
    if (count == 0)
      return refuse(d, "a budget is at least 1, or off");
    d->budget = count;
  }
  if (d->budget == UINT64_MAX)
    wm_buffer_text(&d->out, "no budget for a command\n");
  else
    wm_buffer_format(&d->out, "budget of each command: %" PRIu64 " instructions\n", d->budget);
  return false;
}

/* ---- Points ----------------------------------------------------------------------------------------------------- */

static void tell_point(struct wm_debugger *d, const struct wm_point *point)
{
  wm_buffer_format(&d->out, "%s %" PRIu32 ": ", point->kind == WM_POINT_BREAK ? "breakpoint" : "watchpoint", point->number);
  wm_buffer_escaped(&d->out, point->shown, strlen(point->shown));
  wm_buffer_char(&d->out, '\n');
}

/* Splits `WHAT if CONDITION` (or `if CONDITION` alone); the condition must be an expression that can be read now, or that names locals. */
static char *split_condition(char *text)
{
  char *found = strncmp(text, "if ", 3) == 0 ? text : strstr(text, " if ");
  if (found == NULL)
    return NULL;
  char *condition = found + (found == text ? 3 : 4);
  while (found > text && found[-1] == ' ')
    found--;
  *found = '\0';
  return condition;
}

static char *copy_text(const char *text)
{
  size_t bytes = strlen(text) + 1;
  return memcpy(wm_allocate(bytes, 1), text, bytes);
}

static void set_condition(struct wm_point *point, const char *condition)
{
  free(point->condition);
  point->condition = condition != NULL ? copy_text(condition) : NULL;
}

static bool add_break(struct wm_debugger *d, const char *given, bool is_temporary)
{
  char *text = copy_text(given), *condition = split_condition(text);
  struct wm_place place;
  struct wm_run_status at = wm_run_look(d->target.run);
  struct wm_frame_view view;
  bool is_good;
  if (*text == '\0' && (is_good = wm_run_frame(d->target.run, 0, &view)))
    place = (struct wm_place){view.function, view.instruction, at.offset};
  else if (*text == '\0')
    is_good = refuse(d, "no function is running: say where");
  else
    is_good = wm_code_find(&d->code, text, &place, &d->problem);
  if (is_good) {
    struct wm_buffer shown = WM_BUFFER_EMPTY;
    wm_code_name(&d->code, &shown, place.function);
    wm_buffer_format(&shown, " at 0x%" PRIx64 "%c", place.offset, '\0');
    struct wm_point *point = wm_points_add(&d->points, WM_POINT_BREAK, (const char *)shown.bytes);
    point->places = memcpy(wm_allocate(1, sizeof place), &place, sizeof place);
    point->place_count = 1;
    point->is_temporary = is_temporary;
    set_condition(point, condition);
    tell_point(d, point);
    wm_buffer_free(&shown);
  }
  free(text);
  return false;
}

static bool do_break(struct wm_debugger *d, const char *text) { return add_break(d, text, false); }
static bool do_tbreak(struct wm_debugger *d, const char *text) { return add_break(d, text, true); }

/* All instructions that access a global. */
static void find_accesses(struct wm_debugger *d, struct wm_point *point)
{
  const struct wm_module *module = &d->target.session.module;
  uint32_t capacity = 0;
  for (uint32_t f = module->imported_func_count; f < module->func_count; f++) {
    struct wm_walk walk;
    if (!wm_code_walk(&d->code, &walk, f, 0))
      continue;
    while (wm_walk_next(&walk)) {
      bool is_read = walk.insn.op == WM_OP_GLOBAL_GET;
      if ((!is_read && walk.insn.op != WM_OP_GLOBAL_SET) || walk.insn.index != point->index ||
          (point->kind != WM_POINT_ACCESS && is_read != (point->kind == WM_POINT_READ)))
        continue;
      if (point->place_count == capacity) {
        capacity = capacity == 0 ? 16 : capacity * 2;
        point->places = wm_reallocate(point->places, capacity, sizeof *point->places);
      }
      point->places[point->place_count++] = (struct wm_place){f, walk.insn_number, walk.insn.offset};
    }
  }
}

/* A range to watch: `ADDRESS[, LENGTH]`, a memory expression such as u32[A], `output`, or a global. */
static bool read_range(struct wm_debugger *d, const char *text, struct wm_term *term, uint64_t *address, uint64_t *length, uint32_t *memory)
{
  struct wm_term count;
  *length = 1;
  *memory = 0;
  if (strcmp(text, "output") == 0) {
    if (!wm_debug_find_output(d))
      return false;
    *term = (struct wm_term){.home = WM_HOME_NONE};
    *address = d->output_address;
    *length = d->output_length;
    return *length > 0 || refuse(d, "the output is empty");
  }
  if (!wm_expr_read(d, &text, term))
    return false;
  if (term->home == WM_HOME_MEMORY && *text != ',') {
    *address = term->at;
    *length = term->bytes;
    *memory = term->index;
    return *text == '\0' || refuse(d, "something is left over behind the expression");
  }
  if (term->home == WM_HOME_GLOBAL && *text == '\0')
    return true;
  if (!wm_expr_address(d, term, 0, address))
    return false;
  term->home = WM_HOME_NONE;
  if (*text == ',') {
    text++;
    if (!wm_expr_read(d, &text, &count) || !wm_expr_number(d, &count, length))
      return false;
  }
  return *text == '\0' || refuse(d, "something is left over behind the expression");
}

static bool add_watch(struct wm_debugger *d, const char *given, uint8_t kind)
{
  char *text = copy_text(given), *condition = split_condition(text);
  struct wm_term term;
  uint64_t address = 0, length = 0;
  uint32_t memory = 0;
  bool is_good = *text != '\0' ? read_range(d, text, &term, &address, &length, &memory) : refuse(d, "what is to be watched?");
  if (is_good && term.home != WM_HOME_GLOBAL) {
    uint64_t bound = d->target.session.module.memory_count > 0 ? wm_instance_memory(d->target.instance, memory).length : 0;
    if (length == 0 || address >= bound || length > bound - address) {
      wm_buffer_format(&d->problem, "0x%" PRIx64 " and %" PRIu64 " bytes are no range of memory %" PRIu32 " of %" PRIu64 " bytes", address, length, memory, bound);
      is_good = false;
    }
  }
  if (is_good) {
    struct wm_buffer shown = WM_BUFFER_EMPTY;
    if (term.home == WM_HOME_GLOBAL)
      wm_buffer_format(&shown, "g%" PRIu32 "%c", term.index, '\0');
    else
      wm_buffer_format(&shown, "0x%" PRIx64 ", %" PRIu64 " byte%s%c", address, length, length == 1 ? "" : "s", '\0');
    struct wm_point *point = wm_points_add(&d->points, kind, (const char *)shown.bytes);
    point->is_global = term.home == WM_HOME_GLOBAL;
    point->index = point->is_global ? term.index : memory;
    point->address = address;
    point->length = length;
    if (point->is_global)
      find_accesses(d, point);
    set_condition(point, condition);
    tell_point(d, point);
    wm_buffer_free(&shown);
  }
  free(text);
  return false;
}

static bool do_watch(struct wm_debugger *d, const char *text) { return add_watch(d, text, WM_POINT_WATCH); }
static bool do_rwatch(struct wm_debugger *d, const char *text) { return add_watch(d, text, WM_POINT_READ); }
static bool do_awatch(struct wm_debugger *d, const char *text) { return add_watch(d, text, WM_POINT_ACCESS); }

/* The point that a number at the start of *text names; *text is left behind it. */
static struct wm_point *read_point(struct wm_debugger *d, const char **text)
{
  uint64_t number = 0;
  char word[24];
  size_t length = strcspn(*text, " ");
  if (length < sizeof word) {
    memcpy(word, *text, length);
    word[length] = '\0';
  }
  struct wm_point *point = length < sizeof word && wm_parse_count(word, &number) && number <= UINT32_MAX ? wm_points_find(&d->points, (uint32_t)number) : NULL;
  if (point == NULL) {
    wm_buffer_text(&d->problem, "there is no breakpoint or watchpoint ");
    wm_buffer_escaped(&d->problem, *text, length);
    return NULL;
  }
  *text += length;
  while (**text == ' ')
    ++*text;
  return point;
}

static bool do_delete(struct wm_debugger *d, const char *text)
{
  if (*text == '\0')
    while (d->points.count > 0)
      wm_points_delete(&d->points, d->points.items[0].number);
  while (*text != '\0') {
    struct wm_point *point = read_point(d, &text);
    if (point == NULL)
      return false;
    wm_points_delete(&d->points, point->number);
  }
  return false;
}

static bool enable(struct wm_debugger *d, const char *text, bool is_enabled)
{
  for (uint32_t i = 0; i < d->points.count && *text == '\0'; i++)
    d->points.items[i].is_enabled = is_enabled;
  while (*text != '\0') {
    struct wm_point *point = read_point(d, &text);
    if (point == NULL)
      return false;
    point->is_enabled = is_enabled;
  }
  return false;
}

static bool do_enable(struct wm_debugger *d, const char *text) { return enable(d, text, true); }
static bool do_disable(struct wm_debugger *d, const char *text) { return enable(d, text, false); }

static bool do_condition(struct wm_debugger *d, const char *text)
{
  struct wm_point *point = read_point(d, &text);
  if (point != NULL)
    set_condition(point, *text != '\0' ? text : NULL);
  return false;
}

static bool do_ignore(struct wm_debugger *d, const char *text)
{
  uint64_t count;
  struct wm_point *point = read_point(d, &text);
  if (point == NULL || !read_count(d, text, 0, &count))
    return false;
  point->ignore = count;
  return false;
}

/* ---- Looking ---------------------------------------------------------------------------------------------------- */

static const struct { const char *name; void (*show)(struct wm_debugger *d); } topics[] = {
  {"breakpoints", wm_show_points}, {"watchpoints", wm_show_points}, {"locals", wm_show_locals}, {"stack", wm_show_stack},
  {"globals", wm_show_globals}, {"memory", wm_show_memory}, {"counters", wm_show_counters}, {"regions", wm_show_regions},
  {"contract", wm_show_contract}, {"history", wm_show_history},
};
#define TOPIC_WORDS "breakpoints watchpoints locals stack globals memory counters regions contract history functions"

static bool do_info(struct wm_debugger *d, const char *text)
{
  size_t length = strcspn(text, " ");
  if (length >= 1 && strncmp(text, "functions", length) == 0) {
    for (text += length; *text == ' ';)
      text++;
    wm_show_functions(d, text);
    return false;
  }
  for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
    if (length >= 1 && text[length] == '\0' && strncmp(text, topics[i].name, length) == 0) {
      topics[i].show(d);
      return false;
    }
  wm_buffer_text(&d->problem, "info is about " TOPIC_WORDS);
  return false;
}

static bool do_backtrace(struct wm_debugger *d, const char *text)
{
  uint64_t most;
  if (read_count(d, text, 1000, &most))
    wm_show_backtrace(d, most);
  return false;
}

static bool select_frame(struct wm_debugger *d, uint64_t frame)
{
  uint32_t depth = wm_run_look(d->target.run).depth;
  if (frame >= depth)
    return refuse(d, "there is no such frame");
  d->frame = (uint32_t)frame;
  wm_show_frame(d, d->frame);
  return false;
}

static bool do_frame(struct wm_debugger *d, const char *text)
{
  uint64_t frame;
  return read_count(d, text, d->frame, &frame) && select_frame(d, frame);
}
static bool do_up(struct wm_debugger *d, const char *text) { return wants_nothing(d, text) && select_frame(d, (uint64_t)d->frame + 1); }
static bool do_down(struct wm_debugger *d, const char *text)
{
  return wants_nothing(d, text) && (d->frame == 0 ? refuse(d, "this is the innermost frame") : select_frame(d, (uint64_t)d->frame - 1));
}

/* `/FMT` behind a command's name. */
static const char *take_format(const char *text, char format[16])
{
  size_t length = 0;
  if (*text == '/') {
    length = strcspn(++text, " ");
    memcpy(format, text, length < 15 ? length : 15);
  }
  format[length < 15 ? length : 15] = '\0';
  text += length;
  while (*text == ' ')
    text++;
  return text;
}

static bool do_print(struct wm_debugger *d, const char *text)
{
  char format[16];
  struct wm_term term;
  text = take_format(text, format);
  if (format[0] != '\0' && (strchr("xdutc", format[0]) == NULL || format[1] != '\0'))
    return refuse(d, "print takes one of x d u t c");
  if (!wm_expr_all(d, text, &term))
    return false;
  wm_expr_print(d, &term, format[0]);
  wm_buffer_char(&d->out, '\n');
  return false;
}

static bool do_x(struct wm_debugger *d, const char *text)
{
  char format[16];
  struct wm_term term;
  uint64_t address = 0;
  uint32_t memory = 0;
  text = take_format(text, format);
  if (*text != '\0') {
    if (!wm_expr_all(d, text, &term))
      return false;
    if (term.home == WM_HOME_MEMORY) {
      memory = term.index;
      address = term.at;
    } else if (!wm_expr_address(d, &term, 0, &address)) {
      return false;
    }
  }
  wm_show_bytes(d, format, memory, address, *text != '\0');
  return false;
}

#define LIST_LINES 11

/* Around a place, the first time around the current instruction, then on from where it left off. */
static bool do_list(struct wm_debugger *d, const char *text)
{
  struct wm_frame_view view;
  struct wm_place place;
  bool has_frame = wm_run_frame(d->target.run, d->frame, &view);
  uint32_t first, current = WM_NO_INDEX;
  if (*text != '\0') {
    if (!wm_code_find(&d->code, text, &place, &d->problem))
      return false;
    first = place.ordinal;
  } else if (d->has_list) {
    place = d->list_next;
    first = place.ordinal;
  } else if (has_frame) {
    place = (struct wm_place){view.function, view.instruction, view.offset};
    first = place.ordinal > LIST_LINES / 2 ? place.ordinal - LIST_LINES / 2 : 0;
  } else {
    return refuse(d, "no function is running: say where");
  }
  if (has_frame && view.function == place.function)
    current = view.instruction;
  size_t before = d->out.length;
  wm_code_list(&d->code, &d->out, place.function, first, first + LIST_LINES, current);
  if (d->out.length == before)
    return refuse(d, "the function ends here");
  d->has_list = true;
  d->list_next = (struct wm_place){place.function, first + LIST_LINES, 0};
  return false;
}

static bool do_disassemble(struct wm_debugger *d, const char *text)
{
  struct wm_frame_view view;
  bool has_frame = wm_run_frame(d->target.run, d->frame, &view);
  uint32_t function = has_frame ? view.function : WM_NO_INDEX;
  struct wm_place place;
  if (*text != '\0') {
    if (!wm_code_find(&d->code, text, &place, &d->problem))
      return false;
    function = place.function;
  }
  if (function == WM_NO_INDEX)
    return refuse(d, "no function is running: say which");
  wm_code_name(&d->code, &d->out, function);
  wm_buffer_text(&d->out, ":\n");
  wm_code_list(&d->code, &d->out, function, 0, UINT32_MAX, has_frame && view.function == function ? view.instruction : WM_NO_INDEX);
  return false;
}

/* `ADDRESS[, LENGTH]`, `u8[A]`, `output`. */
static bool do_who(struct wm_debugger *d, const char *text)
{
  struct wm_term term;
  uint64_t address, length;
  uint32_t memory;
  if (*text == '\0')
    return refuse(d, "who-wrote takes an address");
  if (!read_range(d, text, &term, &address, &length, &memory))
    return false;
  if (term.home == WM_HOME_GLOBAL)
    return refuse(d, "who-wrote is about memory");
  if (length == 0 || d->target.session.module.memory_count == 0)
    return refuse(d, "there is nothing to look at");
  wm_show_writers(d, memory, address, length);
  return false;
}

/* ---- Changing, saving ------------------------------------------------------------------------------------------- */

/* The `=` that assigns, not one of == != <= >=. */
static char *find_equals(char *text)
{
  for (char *at = strchr(text, '='); at != NULL; at = strchr(at + 1, '=')) {
    bool is_compare = at[1] == '=' || (at > text && strchr("=!<>", at[-1]) != NULL);
    if (!is_compare)
      return at;
  }
  return NULL;
}

static bool do_set(struct wm_debugger *d, const char *given)
{
  if (strncmp(given, "var ", 4) == 0)
    given += 4;
  char *text = copy_text(given), *equals = find_equals(text);
  struct wm_term home, value;
  if (equals == NULL) {
    refuse(d, "set takes PLACE = EXPRESSION");
  } else {
    *equals = '\0';
    if (wm_expr_all(d, text, &home) && wm_expr_all(d, equals + 1, &value)) {
      if (home.home == WM_HOME_NONE)
        refuse(d, "only locals, stack values, globals and memory (u8[A] …) can be set");
      else
        wm_expr_assign(d, &home, &value);
    }
  }
  free(text);
  return false;
}

/* FILE [ADDRESS, LENGTH] */
static bool do_save(struct wm_debugger *d, const char *text)
{
  size_t length = strcspn(text, " ");
  struct wm_term term, count;
  uint64_t address = 0, bytes;
  if (length == 0)
    return refuse(d, "save-memory takes a file");
  if (d->target.session.module.memory_count == 0)
    return refuse(d, "there is no memory");
  struct wm_memory_bytes memory = wm_instance_memory(d->target.instance, 0);
  bytes = memory.length;
  const char *rest = text + length;
  while (*rest == ' ')
    rest++;
  if (*rest != '\0') {
    if (!wm_expr_read(d, &rest, &term) || !wm_expr_address(d, &term, 0, &address))
      return false;
    if (*rest != ',')
      return refuse(d, "save-memory takes FILE ADDRESS, LENGTH");
    rest++;
    if (!wm_expr_all(d, rest, &count) || !wm_expr_number(d, &count, &bytes))
      return false;
  }
  if (address > memory.length || bytes > memory.length - address)
    return refuse(d, "that range is outside the memory");
  char *path = copy_text(text);
  path[length] = '\0';
  if (wm_output_write(path, memory.base + address, (size_t)bytes) != WM_EXIT_OK)
    d->is_refused = true; /* told already */
  else
    wm_buffer_format(&d->out, "%" PRIu64 " bytes saved\n", bytes);
  free(path);
  return false;
}

static bool do_quit(struct wm_debugger *d, const char *text)
{
  uint64_t status;
  if (!read_count(d, text, 0, &status))
    return false;
  if (status > 255)
    return refuse(d, "an exit status is at most 255");
  d->has_quit = true;
  d->has_quit_status = *text != '\0';
  d->quit_status = (int)status;
  return false;
}

static bool do_help(struct wm_debugger *d, const char *text);

/* ---- The table -------------------------------------------------------------------------------------------------- */

static const struct step_command table[] = {
  {"step", "s", "[N]", "runs N instructions (1), into calls", do_step, ""},
  {"next", "n", "[N]", "the same, over calls", do_next, ""},
  {"finish", "fin", "", "runs until the selected frame has returned", do_finish, ""},
  {"until", "u", "[PLACE]", "on to PLACE, or past a loop's end", do_until, NULL},
  {"continue", "c", "[N]", "runs to the next stop; N: ignores the point of this one N - 1 times", do_continue, ""},
  {"run", "r", "", "from the beginning to the first stop; edits are forgotten", do_run, ""},
  {"start", "", "", "back to before the first instruction of render or the export; edits are forgotten", do_start, ""},
  {"goto", "g", "N|end", "to the state when N instructions had run", do_goto, "end"},
  {"reverse-step", "rs", "[N]", "takes N instructions back", do_back_step, ""},
  {"reverse-next", "rn", "[N]", "the same, over calls", do_back_next, ""},
  {"reverse-finish", "rf", "", "back to the call of the selected frame", do_back_finish, ""},
  {"reverse-continue", "rc", "", "back to the last stop before this, or the beginning", do_back, ""},
  {"budget", "", "[N|off]", "instructions that each command may run", do_budget, "off"},
  {"break", "b", "[PLACE] [if EXPR]", "stops before an instruction: NAME, NAME+BYTES, wasm-function[N], an export, a byte offset", do_break, NULL},
  {"tbreak", "tb", "[PLACE] [if EXPR]", "the same, once", do_tbreak, NULL},
  {"watch", "w", "WHAT [if EXPR]", "stops after a write: ADDRESS[, LENGTH], u32[A], output, a global", do_watch, "output"},
  {"rwatch", "rw", "WHAT [if EXPR]", "the same for reads", do_rwatch, "output"},
  {"awatch", "aw", "WHAT [if EXPR]", "for reads and writes", do_awatch, "output"},
  {"delete", "d", "[NUMBER…]", "removes breakpoints and watchpoints, all without a number", do_delete, ""},
  {"enable", "en", "[NUMBER…]", "lets them stop again", do_enable, ""},
  {"disable", "dis", "[NUMBER…]", "keeps them from stopping", do_disable, ""},
  {"condition", "cond", "NUMBER [EXPR]", "stops there only when EXPR is true", do_condition, ""},
  {"ignore", "ig", "NUMBER N", "passes it N times", do_ignore, ""},
  {"info", "i", "TOPIC", TOPIC_WORDS, do_info, TOPIC_WORDS},
  {"backtrace", "bt", "[N]", "the frames, innermost first", do_backtrace, ""},
  {"frame", "f", "[N]", "selects a frame", do_frame, ""},
  {"up", "", "", "selects the caller's frame", do_up, ""},
  {"down", "", "", "selects the callee's", do_down, ""},
  {"print", "p", "[/x|d|u|t|c] EXPR", "a value: l0 s0 g0 names, u8[A] … f64[A], input_ptr, output, and C's operators", do_print, ""},
  {"x", "", "[/NFU] [ADDRESS]", "memory: N units, F one of x d u t c s f, U one of b h w g; bytes show where they come from", do_x, "input_ptr output"},
  {"list", "l", "[PLACE]", "instructions around the current one, then on", do_list, NULL},
  {"disassemble", "disas", "[PLACE]", "the whole function", do_disassemble, NULL},
  {"who-wrote", "ww", "ADDRESS[, LENGTH]", "the last instruction that wrote each byte", do_who, "output"},
  {"set", "", "PLACE = EXPR", "changes a local, stack value, global or memory from here on", do_set, ""},
  {"save-memory", "", "FILE [ADDRESS, LENGTH]", "writes memory to a file", do_save, ""},
  {"help", "h", "[COMMAND]", "this", do_help, "*"},
  {"quit", "q", "[STATUS]", "ends", do_quit, ""},
};
#define COMMANDS (sizeof table / sizeof *table)

/* By name, abbreviation, or unambiguous beginning; `count` says how many begin so. */
static const struct step_command *find_command(const char *word, size_t length, unsigned *count)
{
  const struct step_command *found = NULL;
  *count = 0;
  for (size_t i = 0; i < COMMANDS; i++) {
    bool is_name = strlen(table[i].name) == length && memcmp(table[i].name, word, length) == 0;
    bool is_alias = length > 0 && strlen(table[i].alias) == length && memcmp(table[i].alias, word, length) == 0;
    if (is_name || is_alias) {
      *count = 1;
      return &table[i];
    }
    if (length > 0 && strncmp(table[i].name, word, length) == 0) {
      found = &table[i];
      ++*count;
    }
  }
  return *count == 1 ? found : NULL;
}

static bool tell_unknown(struct wm_debugger *d, const char *word, size_t length, unsigned count)
{
  wm_buffer_text(&d->problem, count > 1 ? "several commands begin with " : "unknown command ");
  wm_buffer_escaped(&d->problem, word, length < 64 ? length : 64);
  wm_buffer_text(&d->problem, " (help lists them)");
  return false;
}

static bool do_help(struct wm_debugger *d, const char *text)
{
  unsigned count = 0;
  const struct step_command *one = NULL;
  if (*text != '\0' && (one = find_command(text, strlen(text), &count)) == NULL)
    return tell_unknown(d, text, strlen(text), count);
  for (size_t i = 0; i < COMMANDS; i++) {
    if (one != NULL && one != &table[i])
      continue;
    char head[64];
    size_t at = 0;
    const char *parts[] = {table[i].name, *table[i].alias != '\0' ? " (" : "", table[i].alias, *table[i].alias != '\0' ? ")" : "", " ", table[i].arguments};
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
      for (const char *c = parts[p]; *c != '\0' && at + 1 < sizeof head; c++)
        head[at++] = *c;
    head[at] = '\0';
    wm_buffer_format(&d->out, "%-40s  %s\n", head, table[i].help);
  }
  if (one == NULL)
    wm_buffer_text(&d->out, "An empty line repeats the last command. Ctrl-C stops what runs.\n");
  return false;
}

bool wm_command_line(struct wm_debugger *d, const char *line)
{
  while (*line == ' ' || *line == '\t')
    line++;
  if (*line == '\0' || *line == '#')
    return false;
  size_t length = strcspn(line, " \t/");
  if (length == 0)
    length = strcspn(line, " \t");
  unsigned count;
  const struct step_command *command = find_command(line, length, &count);
  if (command == NULL)
    return tell_unknown(d, line, length, count);
  const char *text = line + length;
  while (*text == ' ' || *text == '\t')
    text++;
  char *copy = copy_text(text);
  for (size_t end = strlen(copy); end > 0 && strchr(" \t\r", copy[end - 1]) != NULL;)
    copy[--end] = '\0';
  if (command->run != do_list)
    d->has_list = false;
  bool has_moved = command->run(d, copy);
  free(copy);
  return has_moved;
}

/* ---- Completion ------------------------------------------------------------------------------------------------- */

static const char *complete_list(const char *words, const char *part, size_t length, unsigned number)
{
  static char word[64];
  while (*words != '\0') {
    size_t size = strcspn(words, " ");
    if (size >= length && size < sizeof word && memcmp(words, part, length) == 0 && number-- == 0) {
      memcpy(word, words, size);
      word[size] = '\0';
      return word;
    }
    words += size;
    words += *words == ' ';
  }
  return NULL;
}

static const char *complete_function(struct wm_debugger *d, const char *part, size_t length, unsigned number)
{
  static char word[256];
  const struct wm_module *module = &d->target.session.module;
  for (uint32_t i = 0; i < module->func_count; i++) {
    struct wm_text name = wm_symbols_name(&d->target.session.symbols, i);
    if (name.length >= length && name.length < sizeof word && memcmp(name.bytes, part, length) == 0 && number-- == 0) {
      memcpy(word, name.bytes, name.length);
      word[name.length] = '\0';
      return word;
    }
  }
  return NULL;
}

static const char *complete_command(const char *part, size_t length, unsigned number)
{
  for (size_t i = 0; i < COMMANDS; i++)
    if (strncmp(table[i].name, part, length) == 0 && number-- == 0)
      return table[i].name;
  return NULL;
}

const char *wm_command_complete(struct wm_debugger *d, const char *line, size_t length, unsigned number)
{
  size_t start = length;
  while (start > 0 && line[start - 1] != ' ')
    start--;
  size_t first = 0;
  while (first < length && line[first] == ' ')
    first++;
  if (first == start)
    return complete_command(line + start, length - start, number);
  unsigned count;
  const struct step_command *command = find_command(line + first, strcspn(line + first, " /"), &count);
  if (command == NULL)
    return NULL;
  if (command->words == NULL)
    return complete_function(d, line + start, length - start, number);
  if (command->words[0] == '*')
    return complete_command(line + start, length - start, number);
  return complete_list(command->words, line + start, length - start, number);
}
