/* The commands that are one sink under another name: pages, counts, time, trace. */
#ifndef WM_CLI_REPORT_H
#define WM_CLI_REPORT_H

#include "cli/args.h"
#include "cli/sinks.h"

/* Runs one component with `class_` as the result's sink (and --sink's as well), and writes its report to -o or standard output.
 * A run that stopped is reported with --partial only, unless the sink tells stops. */
int wm_report_run(const struct wm_args *args, const struct wm_sink_class *class_, const struct wm_option *options, uint32_t option_count);
/* The option format=csv|json|table of --format, when it is given: 0 or 1 options. */
uint32_t wm_report_format(const struct wm_args *args, struct wm_option *option);
/* Turns the options with ids from `first` to `last` into a sink's: key = the option's name, in the order of the command line. Tells it
 * when there are too many; returns an exit status. */
int wm_report_options(const struct wm_args *args, int first, int last, struct wm_option options[WM_OPTIONS_MAX], uint32_t *count);

#endif
