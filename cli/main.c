/* Entry of the hosted front end: finds the command, parses its options, and ends with its status.
 *
 * Nothing is set up here that a run does not need: no locale, no stdio, no tables to fill (the aim is a cold process within a
 * fraction of a millisecond of an empty one). SIGPIPE and SIGXFSZ are ignored so that a reader that has gone away and a file that may
 * not grow any more are ordinary write errors. */
#define _XOPEN_SOURCE 700 /* SIGXFSZ */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/message.h"

static const struct wm_command *const commands[] = {
  &wm_command_run, &wm_command_pages, &wm_command_counts, &wm_command_time, &wm_command_step, &wm_command_trace, &wm_command_bench,
  &wm_command_spec, &wm_command_inspect,
  &wm_command_help, &wm_command_completion, NULL,
};

const struct wm_command *wm_command_at(unsigned number)
{
  return commands[number];
}

const struct wm_command *wm_command_find(const char *name)
{
  for (const struct wm_command *const *command = commands; *command != NULL; command++)
    if (strcmp((*command)->name, name) == 0)
      return *command;
  return NULL;
}

static int run_command(const struct wm_command *command, int argc, char **argv)
{
  struct wm_args args;
  int status = wm_args_parse(&args, command->options, command->name, argc, argv, 2);
  if (status == WM_EXIT_OK) {
    if (wm_args_has(&args, WM_OPT_HELP))
      status = wm_help_print(command);
    else if (wm_args_has(&args, WM_OPT_VERSION))
      status = wm_version_print();
    else
      status = command->run(&args);
  }
  wm_args_free(&args);
  return status;
}

int main(int argc, char **argv)
{
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  if (argc < 2)
    return wm_fail(WM_EXIT_USAGE, NULL, "no command is given (see wasmeter --help)");
  const char *name = argv[1];
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
    return wm_help_print(NULL);
  if (strcmp(name, "--version") == 0)
    return wm_version_print();
  const struct wm_command *command = wm_command_find(name);
  if (command == NULL)
    return wm_fail(WM_EXIT_USAGE, NULL, "%s: unknown command (see wasmeter --help)", name);
  return run_command(command, argc, argv);
}
