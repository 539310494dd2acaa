/* The commands by name; main.c lists them in the order of the help. */
#ifndef WM_CLI_COMMANDS_H
#define WM_CLI_COMMANDS_H

#include "cli/command.h"

extern const struct wm_command wm_command_run, wm_command_pages, wm_command_counts, wm_command_time, wm_command_step, wm_command_trace, wm_command_bench, wm_command_spec,
  wm_command_inspect, wm_command_help, wm_command_completion;

#endif
