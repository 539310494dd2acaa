/* `wasmeter step`: the stepping debugger. Options, the commands' sources (-e, -x, standard input), the prompt, the exit status. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/message.h"
#include "cli/step_command.h"
#include "cli/step_line.h"

enum { OPT_EXECUTE = WM_OPT_OWN, OPT_SCRIPT, OPT_JSON, OPT_POST_MORTEM, OPT_HISTORY_BYTES, OPT_HISTORY_SPACING };

#define DEFAULT_HISTORY_BYTES (UINT64_C(256) << 20)

static const struct wm_opt_def options[] = {
  WM_ROWS_REQUEST,
  {WM_OPT_INVOKE, WM_OPT_REST, 0, "invoke", "EXPORT ARGS...", "step through EXPORT of any module without imports;\neverything after EXPORT is an argument"},
  {OPT_EXECUTE, WM_OPT_TEXT, 'e', "execute", "COMMAND", "run a command (repeatable; in the order of the command line)"},
  {OPT_SCRIPT, WM_OPT_TEXT, 'x', "script", "FILE", "run the commands of FILE, one a line (repeatable)"},
  {OPT_JSON, WM_OPT_FLAG, 0, "json", NULL, "one JSON object a stop on standard output; other text goes to standard error"},
  {OPT_POST_MORTEM, WM_OPT_FLAG, 0, "post-mortem", NULL, "run to the trap, the end of the budget, or the end first"},
  {OPT_HISTORY_BYTES, WM_OPT_SIZE, 0, "history-bytes", "BYTES", "memory for going back (default 256M)"},
  {OPT_HISTORY_SPACING, WM_OPT_COUNT, 0, "history-spacing", "N", "instructions between snapshots at first; it doubles when they need too much"},
  WM_ROW_SYMBOLS, WM_ROWS_LIMITS, WM_ROWS_COMMON, WM_ROW_END,
};

/* ---- Text out --------------------------------------------------------------------------------------------------- */

/* False: nobody reads any more. */
static bool flush(struct wm_debugger *d, int fd)
{
  bool is_good = wm_write_all(fd, d->out.bytes, d->out.length) == 0;
  d->out.length = 0;
  return is_good;
}

static bool tell_stop(struct wm_debugger *d)
{
  if (d->is_json)
    wm_show_stop_json(d);
  else
    wm_show_stop(d);
  return flush(d, 1);
}

/* One command: its text, its refusal, the stop it came to. False: the session is over. */
static bool execute(struct wm_debugger *d, const char *source, const char *line)
{
  d->problem.length = 0;
  bool has_moved = wm_command_line(d, line);
  bool is_good = flush(d, d->is_json ? 2 : 1);
  if (d->problem.length > 0) {
    d->is_refused = true;
    wm_buffer_char(&d->problem, '\0');
    wm_fail(WM_EXIT_USAGE, source, "%s", (const char *)d->problem.bytes);
  }
  if (has_moved && is_good)
    is_good = tell_stop(d);
  return is_good && !d->has_quit;
}

/* ---- Where commands come from ----------------------------------------------------------------------------------- */

static bool run_script(struct wm_debugger *d, const char *path, int *status)
{
  struct wm_file file;
  *status = wm_file_read(path, UINT64_C(1) << 24, &file);
  if (*status == WM_EXIT_OK && file.is_too_large)
    *status = wm_fail(WM_EXIT_DATA, path, "too large for a script: more than 16 MiB");
  if (*status != WM_EXIT_OK)
    return false;
  struct wm_buffer line = WM_BUFFER_EMPTY, source = WM_BUFFER_EMPTY;
  bool goes_on = true;
  uint64_t number = 1;
  for (size_t at = 0; at < file.length && goes_on; number++) {
    const uint8_t *end = memchr(file.bytes + at, '\n', file.length - at);
    size_t length = end != NULL ? (size_t)(end - (file.bytes + at)) : file.length - at;
    line.length = source.length = 0;
    wm_buffer_add(&line, file.bytes + at, length);
    wm_buffer_char(&line, '\0');
    wm_buffer_format(&source, "%s:%" PRIu64 "%c", path, number, '\0');
    goes_on = execute(d, (const char *)source.bytes, (const char *)line.bytes);
    at += length + 1;
  }
  wm_buffer_free(&line);
  wm_buffer_free(&source);
  wm_file_free(&file);
  return goes_on;
}

static const char *complete(void *user, const char *line, size_t length, unsigned number)
{
  return wm_command_complete(user, line, length, number);
}

static void read_commands(struct wm_debugger *d)
{
  struct wm_line_reader reader;
  wm_line_open(&reader, d->is_interactive);
  reader.prompt = d->is_interactive ? "(wasmeter) " : NULL;
  reader.complete = complete;
  reader.user = d;
  char *last = NULL;
  const char *line;
  bool goes_on = true;
  while (goes_on && (line = wm_line_read(&reader)) != NULL) {
    wm_history_clear_interrupt();
    if (d->is_interactive && *line == '\0' && last != NULL) {
      goes_on = execute(d, NULL, last);
      continue;
    }
    if (d->is_interactive && *line != '\0') {
      size_t bytes = strlen(line) + 1;
      free(last);
      last = memcpy(wm_allocate(bytes, 1), line, bytes);
    }
    goes_on = execute(d, NULL, line);
  }
  free(last);
  wm_line_close(&reader);
}

/* -e and -x in their order; without any, standard input. */
static int run_commands(struct wm_debugger *d, const struct wm_args *args)
{
  bool goes_on = true, has_any = false;
  int status = WM_EXIT_OK;
  for (uint32_t i = 0; i < args->count && goes_on; i++) {
    const struct wm_arg *arg = &args->items[i];
    if (arg->def->id == OPT_EXECUTE)
      goes_on = execute(d, "-e", arg->text);
    else if (arg->def->id == OPT_SCRIPT)
      goes_on = run_script(d, arg->text, &status);
    else
      continue;
    has_any = true;
  }
  if (!has_any)
    read_commands(d);
  return status;
}

/* ---- The session ------------------------------------------------------------------------------------------------ */

static void free_debugger(struct wm_debugger *d)
{
  if (d->history.target != NULL)
    wm_history_close(&d->history);
  if (d->code.session != NULL)
    wm_code_close(&d->code);
  wm_points_free(&d->points);
  wm_buffer_free(&d->out);
  wm_buffer_free(&d->problem);
  wm_target_close(&d->target);
}

/* What the session says to its caller: the status given to quit, else that of the run where a script left it, else whether a command was
 * refused. A person at a terminal has seen all that. */
static int final_status(const struct wm_debugger *d, int status)
{
  if (d->has_quit || d->is_interactive || status != WM_EXIT_OK)
    return d->has_quit_status ? d->quit_status : status;
  int of_run = wm_target_status(&d->target);
  if (!wm_target_has_ended(&d->target) && wm_target_instructions(&d->target) >= d->target.limit)
    of_run = WM_EXIT_BUDGET;
  return of_run != WM_EXIT_OK ? of_run : d->is_refused ? WM_EXIT_USAGE : WM_EXIT_OK;
}

static int debug(struct wm_debugger *d, const struct wm_args *args)
{
  bool has_script = wm_args_has(args, OPT_EXECUTE) || wm_args_has(args, OPT_SCRIPT);
  d->is_json = wm_args_has(args, OPT_JSON);
  d->is_interactive = !has_script && isatty(0) && isatty(1);
  d->wants_color = wm_wants_color(1);
  d->budget = UINT64_MAX;
  wm_code_open(&d->code, &d->target.session);
  wm_history_open(&d->history, &d->target, wm_args_number(args, OPT_HISTORY_BYTES, DEFAULT_HISTORY_BYTES),
                  wm_args_number(args, OPT_HISTORY_SPACING, 0));
  d->history.counts = d->is_json;
  wm_history_catch_interrupt(&d->target, d->is_interactive);
  wm_run_begin(d);
  if (wm_args_has(args, OPT_POST_MORTEM) && d->stop.reason == WM_STOP_START)
    wm_run_on(d);
  int status = tell_stop(d) ? run_commands(d, args) : WM_EXIT_OK;
  return final_status(d, status);
}

static int run(const struct wm_args *args)
{
  struct wm_debugger *d = wm_allocate(1, sizeof *d);
  memset(d, 0, sizeof *d);
  int status = wm_target_open(&d->target, args);
  if (status == WM_EXIT_OK)
    status = debug(d, args);
  free_debugger(d);
  free(d);
  return status;
}

const struct wm_command wm_command_step = {
  "step", "steps through a run, forward and back", "[options] COMPONENT.wasm [-e COMMAND | -x SCRIPT]...",
  "The run stops before render's first instruction. Commands come from -e and -x, else from standard input; `help` lists\n"
  "them. At a terminal there are a prompt, line editing, history and completion.\n"
  "The status of a script is that of the run where it ends (4 trap, 5 budget, 1 rejected, 6 contract), else 64 when a\n"
  "command was refused; `quit N` ends with N.\n",
  options, run,
};
