/* `wasmeter completion SHELL`: scripts for bash, zsh (through its bash emulation) and fish, written from the option tables.
 *
 * Commands, options and the choices of options complete; everything else is a file name. */
#include <string.h>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/message.h"

/* For each command one line of words; option values with choices complete to those. */
static void add_bash(struct wm_buffer *out)
{
  wm_buffer_text(out, "_wasmeter() {\n"
                      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
                      "  COMPREPLY=()\n"
                      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    words='");
  for (unsigned i = 0; wm_command_at(i) != NULL; i++)
    wm_buffer_format(out, "%s ", wm_command_at(i)->name);
  wm_buffer_text(out, "--help --version'\n  else\n    case \"${COMP_WORDS[1]} $before\" in\n");
  for (unsigned i = 0; wm_command_at(i) != NULL; i++) {
    const struct wm_command *command = wm_command_at(i);
    for (const struct wm_opt_def *def = command->options; def->id != WM_OPT_END; def++) {
      if (def->kind != WM_OPT_CHOICE)
        continue;
      wm_buffer_format(out, "    '%s --%s') words='", command->name, def->name);
      for (const char *c = def->value; *c != '\0'; c++)
        wm_buffer_char(out, *c == '|' ? ' ' : *c);
      wm_buffer_text(out, "' ;;\n");
    }
    wm_buffer_format(out, "    '%s '*) case $word in -*) words='", command->name);
    for (const struct wm_opt_def *def = command->options; def->id != WM_OPT_END; def++)
      wm_buffer_format(out, "--%s ", def->name);
    wm_buffer_text(out, "' ;; esac ;;\n");
  }
  wm_buffer_text(out, "    esac\n  fi\n"
                      "  if [ -n \"$words\" ]; then\n    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
                      "  else\n    COMPREPLY=($(compgen -f -- \"$word\"))\n  fi\n}\n"
                      "complete -o filenames -F _wasmeter wasmeter\n");
}

/* A word in single quotes, up to the end of its first line. */
static void add_quoted(struct wm_buffer *out, const char *text)
{
  wm_buffer_char(out, '\'');
  for (size_t i = 0, length = strcspn(text, "\n"); i < length; i++) {
    if (text[i] == '\'' || text[i] == '\\')
      wm_buffer_char(out, '\\');
    wm_buffer_char(out, text[i]);
  }
  wm_buffer_char(out, '\'');
}

static void add_fish_option(struct wm_buffer *out, const struct wm_command *command, const struct wm_opt_def *def)
{
  wm_buffer_format(out, "complete -c wasmeter -n '__fish_seen_subcommand_from %s' -l %s", command->name, def->name);
  if (def->letter != 0)
    wm_buffer_format(out, " -s %c", def->letter);
  if (def->kind == WM_OPT_CHOICE) {
    wm_buffer_text(out, " -x -a '");
    for (const char *c = def->value; *c != '\0'; c++)
      wm_buffer_char(out, *c == '|' ? ' ' : *c);
    wm_buffer_char(out, '\'');
  } else if (def->kind != WM_OPT_FLAG) {
    wm_buffer_text(out, " -r");
  }
  wm_buffer_text(out, " -d ");
  add_quoted(out, def->help);
  wm_buffer_char(out, '\n');
}

static void add_fish(struct wm_buffer *out)
{
  for (unsigned i = 0; wm_command_at(i) != NULL; i++) {
    const struct wm_command *command = wm_command_at(i);
    wm_buffer_format(out, "complete -c wasmeter -f -n __fish_use_subcommand -a %s -d ", command->name);
    add_quoted(out, command->summary);
    wm_buffer_char(out, '\n');
    for (const struct wm_opt_def *def = command->options; def->id != WM_OPT_END; def++)
      add_fish_option(out, command, def);
  }
}

static int run_completion(const struct wm_args *args)
{
  const char *shell = args->positional_count == 1 ? args->positional[0] : "";
  struct wm_buffer out = WM_BUFFER_EMPTY;
  if (strcmp(shell, "fish") == 0)
    add_fish(&out);
  else if (strcmp(shell, "zsh") == 0)
    wm_buffer_text(&out, "autoload -U +X bashcompinit && bashcompinit\n");
  else if (strcmp(shell, "bash") != 0)
    return wm_fail(WM_EXIT_USAGE, NULL, "completion: the shell must be bash, zsh or fish");
  if (strcmp(shell, "fish") != 0)
    add_bash(&out);
  int status = wm_output_write(NULL, out.bytes, out.length);
  wm_buffer_free(&out);
  return status;
}

static const struct wm_opt_def completion_options[] = {WM_ROWS_COMMON, WM_ROW_END};
const struct wm_command wm_command_completion = {
  "completion", "prints a completion script for a shell", "bash|zsh|fish",
  "Load it with: eval \"$(wasmeter completion bash)\", or in fish: wasmeter completion fish | source\n", completion_options, run_completion,
};
