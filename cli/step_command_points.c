/* Commands about breakpoints and watchpoints; see step_command_points.h. */
#include "cli/step_command_points.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

char *wm_command_copy(const char *text)
{
  size_t bytes = strlen(text) + 1;
  return memcpy(wm_allocate(bytes, 1), text, bytes);
}

static void set_condition(struct wm_point *point, const char *condition)
{
  free(point->condition);
  point->condition = condition != NULL ? wm_command_copy(condition) : NULL;
}

static bool add_break(struct wm_debugger *d, const char *given, bool is_temporary)
{
  char *text = wm_command_copy(given), *condition = split_condition(text);
  struct wm_place place;
  struct wm_run_status at = wm_run_look(d->target.run);
  struct wm_frame_view view;
  bool is_good;
  if (*text == '\0' && (is_good = wm_run_frame(d->target.run, 0, &view)))
    place = (struct wm_place){view.function, view.instruction, at.offset};
  else if (*text == '\0')
    is_good = wm_command_refuse(d, "no function is running: say where");
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

bool wm_command_break(struct wm_debugger *d, const char *text) { return add_break(d, text, false); }
bool wm_command_tbreak(struct wm_debugger *d, const char *text) { return add_break(d, text, true); }

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

bool wm_command_range(struct wm_debugger *d, const char *text, struct wm_term *term, uint64_t *address, uint64_t *length, uint32_t *memory)
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
    return *length > 0 || wm_command_refuse(d, "the output is empty");
  }
  if (!wm_expr_read(d, &text, term))
    return false;
  if (term->home == WM_HOME_MEMORY && *text != ',') {
    *address = term->at;
    *length = term->bytes;
    *memory = term->index;
    return *text == '\0' || wm_command_refuse(d, "something is left over behind the expression");
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
  return *text == '\0' || wm_command_refuse(d, "something is left over behind the expression");
}

static bool add_watch(struct wm_debugger *d, const char *given, uint8_t kind)
{
  char *text = wm_command_copy(given), *condition = split_condition(text);
  struct wm_term term;
  uint64_t address = 0, length = 0;
  uint32_t memory = 0;
  bool is_good = *text != '\0' ? wm_command_range(d, text, &term, &address, &length, &memory) : wm_command_refuse(d, "what is to be watched?");
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

bool wm_command_watch(struct wm_debugger *d, const char *text) { return add_watch(d, text, WM_POINT_WATCH); }
bool wm_command_rwatch(struct wm_debugger *d, const char *text) { return add_watch(d, text, WM_POINT_READ); }
bool wm_command_awatch(struct wm_debugger *d, const char *text) { return add_watch(d, text, WM_POINT_ACCESS); }

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

bool wm_command_delete(struct wm_debugger *d, const char *text)
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

bool wm_command_enable(struct wm_debugger *d, const char *text) { return enable(d, text, true); }
bool wm_command_disable(struct wm_debugger *d, const char *text) { return enable(d, text, false); }

bool wm_command_condition(struct wm_debugger *d, const char *text)
{
  struct wm_point *point = read_point(d, &text);
  if (point != NULL)
    set_condition(point, *text != '\0' ? text : NULL);
  return false;
}

bool wm_command_ignore(struct wm_debugger *d, const char *text)
{
  uint64_t count;
  struct wm_point *point = read_point(d, &text);
  if (point == NULL || !wm_command_count(d, text, 0, &count))
    return false;
  point->ignore = count;
  return false;
}
