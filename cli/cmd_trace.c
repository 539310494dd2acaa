/* `wasmeter trace`: the event stream of one run as lines, the `trace` sink with its options spelled out. */
#include "cli/commands.h"
#include "cli/report.h"
#include "instrument/registry.h"

enum { OPT_LAST = WM_OPT_OWN, OPT_SHOW, OPT_KIND, OPT_FUNCTION, OPT_MEMORY, OPT_RANGE, OPT_CHECKSUM };

static const struct wm_opt_def options[] = {
  WM_ROWS_REQUEST, WM_ROW_OUTPUT, WM_ROW_FORMAT("text|json", "lines as text (the default) or a JSON object each"),
  {OPT_LAST, WM_OPT_COUNT, 0, "last", "N", "keep only the last N lines (a ring, for runs that trap)"},
  {OPT_SHOW, WM_OPT_COUNT, 0, "show", "N", "of the lines kept, print the last N (default 16)"},
  {OPT_KIND, WM_OPT_TEXT, 0, "kind", "KIND[+KIND...]",
    "load, store, copy, fill, init, grow, call, return, branch, global0,\ntrap, memory (the default) or all"},
  {OPT_FUNCTION, WM_OPT_TEXT, 0, "function", "GLOB", "only in functions of this name or index; may come again"},
  {OPT_MEMORY, WM_OPT_COUNT, 0, "memory", "INDEX", "only accesses of this memory"},
  {OPT_RANGE, WM_OPT_TEXT, 0, "range", "ADDRESS:LENGTH", "only accesses that touch it"},
  {OPT_CHECKSUM, WM_OPT_FLAG, 0, "checksum", NULL, "no lines, one number over the address and length of every access"},
  WM_ROW_SINK, WM_ROW_SYMBOLS, WM_ROWS_LIMITS, WM_ROWS_COMMON, WM_ROW_END,
};

static int run(const struct wm_args *args)
{
  struct wm_option sink_options[WM_OPTIONS_MAX];
  uint32_t count = wm_report_format(args, sink_options);
  int status = wm_report_options(args, OPT_LAST, OPT_CHECKSUM, sink_options, &count);
  return status != WM_EXIT_OK ? status : wm_report_run(args, &wm_sink_trace, sink_options, count);
}

const struct wm_command wm_command_trace = {
  "trace", "prints every load, store and other event of a run, as text or JSON lines", "[options] COMPONENT.wasm",
  "A run that traps is traced up to the trap, which is the last line; its status stays 4.\n"
  "  wasmeter trace --last 256 COMPONENT.wasm -i FILE\n",
  options, run,
};
