/* The debugger's commands: one table that parsing, help and completion read. */
#ifndef WM_CLI_STEP_COMMAND_H
#define WM_CLI_STEP_COMMAND_H

#include "cli/step.h"

/* Runs one line; empty lines and those that begin with # do nothing. Text is left in d->out, the reason of a refusal in d->problem.
 * True: the run has moved (or was asked to), so that a stop wants telling. */
bool wm_command_line(struct wm_debugger *d, const char *line);
/* The `number`th word that could stand where the last word of `line` stands, or NULL; valid until the next call. */
const char *wm_command_complete(struct wm_debugger *d, const char *line, size_t length, unsigned number);

#endif
