/* A subcommand: one file, one table, one function.
 *
 * main.c finds the command, parses its options by its table, answers --help and --version, and calls run with what is left. run
 * returns the process's exit status and has told its failures itself. To add one: define it in cmd_NAME.c and list it in main.c. */
#ifndef WM_CLI_COMMAND_H
#define WM_CLI_COMMAND_H

#include "cli/args.h"
#include "cli/status.h"

struct wm_command {
  const char *name;
  const char *summary;  /* one line */
  const char *usage;    /* what follows `wasmeter NAME` */
  const char *details;  /* paragraphs after the options; lines end in \n; "" for none */
  const struct wm_opt_def *options;
  int (*run)(const struct wm_args *args);
};

/* NULL when there is none of that name. */
const struct wm_command *wm_command_find(const char *name);
/* By number, NULL at the end. */
const struct wm_command *wm_command_at(unsigned number);

/* Writes the help of a command, or (NULL) of the program, to standard output. */
int wm_help_print(const struct wm_command *command);
int wm_version_print(void);

#endif
