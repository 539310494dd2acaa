/* `wasmeter help`, --help and --version, read from the option tables.
 *
 * Help goes to standard output whole; a full device is an I/O error as for any result. */
#include <string.h>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/message.h"

#define OPTION_COLUMN 30 /* where the explanations begin */

static const char *const exit_statuses =
  "Exit status: 0 done, 1 input rejected, 3 comparison failed, 4 trap, 5 budget exhausted,\n"
  "6 contract broken, 64 usage, 65 bad data, 66 no input, 70 internal, 73 cannot create output, 74 I/O error.\n";

int wm_version_print(void)
{
  static const char line[] = "wasmeter " WM_VERSION "\n";
  return wm_output_write(NULL, line, sizeof line - 1);
}

static void add_padding(struct wm_buffer *out, size_t used, size_t column)
{
  do {
    wm_buffer_char(out, ' ');
  } while (++used < column);
}

static void add_option(struct wm_buffer *out, const struct wm_opt_def *def)
{
  size_t start = out->length;
  if (def->letter != 0)
    wm_buffer_format(out, "  -%c, --%s", def->letter, def->name);
  else
    wm_buffer_format(out, "      --%s", def->name);
  if (def->value != NULL)
    wm_buffer_format(out, " %s", def->value);
  size_t used = out->length - start;
  if (used >= OPTION_COLUMN) {
    wm_buffer_char(out, '\n');
    used = 0;
  }
  for (const char *line = def->help; *line != '\0';) {
    size_t length = strcspn(line, "\n");
    add_padding(out, used, OPTION_COLUMN);
    wm_buffer_add(out, line, length);
    wm_buffer_char(out, '\n');
    line += length + (line[length] == '\n');
    used = 0;
  }
}

static void add_command_help(struct wm_buffer *out, const struct wm_command *command)
{
  char first = command->summary[0];
  wm_buffer_format(out, "Usage: wasmeter %s %s\n\n%c%s.\n", command->name, command->usage,
                   first >= 'a' && first <= 'z' ? first - 'a' + 'A' : first,
                   command->summary + 1);
  wm_buffer_text(out, "\nOptions:\n");
  for (const struct wm_opt_def *def = command->options; def->id != WM_OPT_END; def++)
    add_option(out, def);
  if (command->details[0] != '\0')
    wm_buffer_format(out, "\n%s", command->details);
  wm_buffer_format(out, "\n%s", exit_statuses);
}

static void add_program_help(struct wm_buffer *out)
{
  wm_buffer_text(out, "Usage: wasmeter COMMAND [options] COMPONENT.wasm ...\n\n"
                      "Runs a WebAssembly component in a bounded interpreter and reports, exactly and repeatably, what it did.\n\n"
                      "Commands:\n");
  for (unsigned i = 0; wm_command_at(i) != NULL; i++) {
    const struct wm_command *command = wm_command_at(i);
    wm_buffer_format(out, "  %s", command->name);
    add_padding(out, strlen(command->name) + 2, 14);
    wm_buffer_format(out, "%s\n", command->summary);
  }
  wm_buffer_format(out, "\nwasmeter COMMAND --help tells the options of a command; wasmeter --version the version.\n\n%s", exit_statuses);
}

int wm_help_print(const struct wm_command *command)
{
  struct wm_buffer out = WM_BUFFER_EMPTY;
  if (command == NULL)
    add_program_help(&out);
  else
    add_command_help(&out, command);
  int status = wm_output_write(NULL, out.bytes, out.length);
  wm_buffer_free(&out);
  return status;
}

static int run_help(const struct wm_args *args)
{
  if (args->positional_count == 0)
    return wm_help_print(NULL);
  if (args->positional_count > 1)
    return wm_fail(WM_EXIT_USAGE, NULL, "help takes one command, %u given", (unsigned)args->positional_count);
  const struct wm_command *command = wm_command_find(args->positional[0]);
  if (command == NULL)
    return wm_fail(WM_EXIT_USAGE, NULL, "%s: unknown command (see wasmeter --help)", args->positional[0]);
  return wm_help_print(command);
}

static const struct wm_opt_def help_options[] = {WM_ROWS_COMMON, WM_ROW_END};
const struct wm_command wm_command_help = {"help", "tells how a command is used", "[COMMAND]", "", help_options, run_help};
