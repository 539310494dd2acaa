/* `wasmeter counts`: exact totals of one run, the `counts` sink under a short name. */
#include "cli/commands.h"
#include "cli/report.h"
#include "instrument/registry.h"

static const struct wm_opt_def options[] = {
  WM_ROWS_REQUEST, WM_ROW_OUTPUT, WM_ROW_FORMAT("csv|json|table", "how the report is written (default csv)"), WM_ROW_PARTIAL, WM_ROW_SINK,
  WM_ROW_SYMBOLS, WM_ROWS_LIMITS, WM_ROWS_COMMON, WM_ROW_END,
};

static int run(const struct wm_args *args)
{
  struct wm_option option;
  uint32_t count = wm_report_format(args, &option);
  return wm_report_run(args, &wm_sink_counts, &option, count);
}

const struct wm_command wm_command_counts = {
  "counts", "reports exact totals of one run: instructions, calls, branches, memory traffic", "[options] COMPONENT.wasm",
  "Totals over uniform setters and render, as metric,value lines. With --budget set to the instructions reported, the\n"
  "run succeeds; with one less it ends with status 5.\n",
  options, run,
};
