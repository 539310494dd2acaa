/* Commands of the debugger; see step_command.h. Names and abbreviations are gdb's where gdb has them; any unambiguous beginning does. */
#include "cli/step_command_points.h"

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

bool wm_command_refuse(struct wm_debugger *d, const char *what)
{
  if (d->problem.length == 0)
    wm_buffer_text(&d->problem, what);
  return false;
}

bool wm_command_count(struct wm_debugger *d, const char *text, uint64_t otherwise, uint64_t *count)
{
  struct wm_term term;
  *count = otherwise;
  if (*text == '\0')
    return true;
  if (!wm_expr_all(d, text, &term) || !wm_expr_number(d, &term, count))
    return false;
  if ((int64_t)*count >= 0 || (term.value.type == 0 && *text != '-'))
    return true;
  return wm_command_refuse(d, "a count cannot be negative");
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
  if (!wm_command_count(d, text, 1, &count))
    return false;
  wm_run_steps(d, count);
  return true;
}

static bool do_next(struct wm_debugger *d, const char *text)
{
  uint64_t count;
  if (!wm_command_count(d, text, 1, &count))
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
  if (!wm_command_count(d, text, 1, &count))
    return false;
  struct wm_point *point = wm_points_find(&d->points, d->stop.point);
  if (count > 1 && point == NULL)
    return wm_command_refuse(d, "this stop is at no breakpoint or watchpoint");
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
    return wm_command_refuse(d, "goto takes an instruction number, or end");
  if (strcmp(text, "end") == 0)
    to = UINT64_MAX;
  else if (!wm_command_count(d, text, 0, &to))
    return false;
  wm_run_goto(d, to);
  return true;
}

static bool do_back_step(struct wm_debugger *d, const char *text)
{
  uint64_t count;
  if (!wm_command_count(d, text, 1, &count))
    return false;
  wm_run_back_steps(d, count);
  return true;
}

static bool do_back_next(struct wm_debugger *d, const char *text)
{
  uint64_t count;
  if (!wm_command_count(d, text, 1, &count))
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
    if (!wm_command_count(d, text, 0, &count))
      return false;
    if (count == 0)
      return wm_command_refuse(d, "a budget is at least 1, or off");
    d->budget = count;
  }
  if (d->budget == UINT64_MAX)
    wm_buffer_text(&d->out, "no budget for a command\n");
  else
    wm_buffer_format(&d->out, "budget of each command: %" PRIu64 " instructions\n", d->budget);
  return false;
}

/* ---- Looking ---------------------------------------------------------------------------------------------------- */

static const struct { const char *name; void (*show)(struct wm_debugger *d); } topics[] = {
  {"breakpoints", wm_show_points}, {"watchpoints", wm_show_points}, {"locals", wm_show_locals}, {"stack", wm_show_stack},
  {"globals", wm_show_globals}, {"memory", wm_show_memory}, {"counters", wm_show_counters}, {"regions", wm_show_regions},
  {"contract", wm_show_contract}, {"history", wm_show_history}, {"edits", wm_show_edits}, {"digest", wm_show_digest},
};
#define TOPIC_WORDS "breakpoints watchpoints locals stack globals memory counters regions contract history edits digest functions"

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
  if (wm_command_count(d, text, 1000, &most))
    wm_show_backtrace(d, most);
  return false;
}

static bool select_frame(struct wm_debugger *d, uint64_t frame)
{
  uint32_t depth = wm_run_look(d->target.run).depth;
  if (frame >= depth)
    return wm_command_refuse(d, "there is no such frame");
  d->frame = (uint32_t)frame;
  d->has_list = false;
  wm_show_frame(d, d->frame);
  return false;
}

static bool do_frame(struct wm_debugger *d, const char *text)
{
  uint64_t frame;
  return wm_command_count(d, text, d->frame, &frame) && select_frame(d, frame);
}
static bool do_up(struct wm_debugger *d, const char *text) { return wants_nothing(d, text) && select_frame(d, (uint64_t)d->frame + 1); }
static bool do_down(struct wm_debugger *d, const char *text)
{
  return wants_nothing(d, text) && (d->frame == 0 ? wm_command_refuse(d, "this is the innermost frame") : select_frame(d, (uint64_t)d->frame - 1));
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
    return wm_command_refuse(d, "print takes one of x d u t c");
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
    return wm_command_refuse(d, "no function is running: say where");
  }
  if (has_frame && view.function == place.function)
    current = view.instruction;
  size_t before = d->out.length;
  wm_code_list(&d->code, &d->out, place.function, first, first + LIST_LINES, current);
  if (d->out.length == before)
    return wm_command_refuse(d, "the function ends here");
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
    return wm_command_refuse(d, "no function is running: say which");
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
    return wm_command_refuse(d, "who-wrote takes an address");
  if (!wm_command_range(d, text, &term, &address, &length, &memory))
    return false;
  if (term.home == WM_HOME_GLOBAL)
    return wm_command_refuse(d, "who-wrote is about memory");
  if (length == 0 || d->target.session.module.memory_count == 0)
    return wm_command_refuse(d, "there is nothing to look at");
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
  char *text = wm_command_copy(given), *equals = find_equals(text);
  struct wm_term home, value;
  if (equals == NULL) {
    wm_command_refuse(d, "set takes PLACE = EXPRESSION");
  } else {
    *equals = '\0';
    if (wm_expr_all(d, text, &home) && wm_expr_all(d, equals + 1, &value)) {
      if (home.home == WM_HOME_NONE)
        wm_command_refuse(d, "only locals, stack values, globals and memory (u8[A] …) can be set");
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
    return wm_command_refuse(d, "save-memory takes a file");
  if (d->target.session.module.memory_count == 0)
    return wm_command_refuse(d, "there is no memory");
  struct wm_memory_bytes memory = wm_instance_memory(d->target.instance, 0);
  bytes = memory.length;
  const char *rest = text + length;
  while (*rest == ' ')
    rest++;
  if (*rest != '\0') {
    if (!wm_expr_read(d, &rest, &term) || !wm_expr_address(d, &term, 0, &address))
      return false;
    if (*rest != ',')
      return wm_command_refuse(d, "save-memory takes FILE ADDRESS, LENGTH");
    rest++;
    if (!wm_expr_all(d, rest, &count) || !wm_expr_number(d, &count, &bytes))
      return false;
  }
  if (address > memory.length || bytes > memory.length - address)
    return wm_command_refuse(d, "that range is outside the memory");
  char *path = wm_command_copy(text);
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
  if (!wm_command_count(d, text, 0, &status))
    return false;
  if (status > 255)
    return wm_command_refuse(d, "an exit status is at most 255");
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
  {"break", "b", "[PLACE] [if EXPR]", "stops before an instruction: NAME, NAME+BYTES, wasm-function[N], an export, a byte offset", wm_command_break, NULL},
  {"tbreak", "tb", "[PLACE] [if EXPR]", "the same, once", wm_command_tbreak, NULL},
  {"watch", "w", "WHAT [if EXPR]", "stops after a write: ADDRESS[, LENGTH], u32[A], output, a global", wm_command_watch, "output"},
  {"rwatch", "rw", "WHAT [if EXPR]", "the same for reads", wm_command_rwatch, "output"},
  {"awatch", "aw", "WHAT [if EXPR]", "for reads and writes", wm_command_awatch, "output"},
  {"delete", "d", "[NUMBER...]", "removes breakpoints and watchpoints, all without a number", wm_command_delete, ""},
  {"enable", "en", "[NUMBER...]", "lets them stop again", wm_command_enable, ""},
  {"disable", "dis", "[NUMBER...]", "keeps them from stopping", wm_command_disable, ""},
  {"condition", "cond", "NUMBER [EXPR]", "stops there only when EXPR is true", wm_command_condition, ""},
  {"ignore", "ig", "NUMBER N", "passes it N times", wm_command_ignore, ""},
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
  char *copy = wm_command_copy(text);
  for (size_t end = strlen(copy); end > 0 && strchr(" \t\r", copy[end - 1]) != NULL;)
    copy[--end] = '\0';
  bool has_moved = command->run(d, copy);
  if (has_moved)
    d->has_list = false;
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
