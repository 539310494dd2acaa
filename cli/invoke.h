/* --invoke EXPORT ARGS…: any exported function of any module without imports. */
#ifndef WM_CLI_INVOKE_H
#define WM_CLI_INVOKE_H

#include "cli/args.h"

/* The whole of `run MODULE --invoke`: loads, links, runs the start function and the export on one budget, prints the results. */
int wm_invoke(const struct wm_args *args);

#endif
