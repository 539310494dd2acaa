/* `wasmeter pages`: the memory page report of one run, the `pages` sink under a short name. */
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
  return wm_report_run(args, &wm_sink_pages, &option, count);
}

const struct wm_command wm_command_pages = {
  "pages", "reports which memory pages a run reads and writes, and how often", "[options] COMPONENT.wasm",
  "One row for each 64 KiB page that was initialised, read or written: page, region (data, input, stack, output,\n"
  "joined by +, or other), initialized_bytes, reads, bytes_read, writes, bytes_written, distinct_bytes_written,\n"
  "rewrite_ratio. Uniform setters and render are covered.\n"
  "The same request in one piece, without COMPONENT:\n"
  "  wasmeter pages -F component=@COMPONENT.wasm -F input=@FILE -F 'uniforms[KEY]=VALUE' -u instruction_budget=N\n",
  options, run,
};
