/* `wasmeter time`: what each function, or each layer of functions, did: exact counts first, then the interpreter's wall time.
 *
 * The `time` sink, or with --layer or --layers the `layers` sink, with their options spelled out. */
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/message.h"
#include "cli/report.h"
#include "instrument/registry.h"

#define LAYER_FILE_BYTES (1u << 20)

enum { OPT_LAYER = WM_OPT_OWN, OPT_SURFACE, OPT_WEIGHT, OPT_CLOCK, OPT_LAYERS };

static const struct wm_opt_def options[] = {
  WM_ROWS_REQUEST, WM_ROW_OUTPUT, WM_ROW_FORMAT("csv|json|table|folded|speedscope", "how the report is written (default csv)"),
  {OPT_LAYER, WM_OPT_TEXT, 0, "layer", "NAME=GLOB[,GLOB...]", "a layer of functions, by name or wasm-function[N]; comes again for each;\nself goes to the innermost active layer"},
  {OPT_LAYERS, WM_OPT_TEXT, 0, "layers", "FILE", "layers from a file, one NAME=GLOB[,GLOB...] a line, # for remarks"},
  {OPT_SURFACE, WM_OPT_TEXT, 0, "surface", "ADDRESS:LENGTH", "whose last writer is followed, instead of the output"},
  {OPT_WEIGHT, WM_OPT_CHOICE, 0, "weight", "instructions|ns", "of folded stacks"},
  {OPT_CLOCK, WM_OPT_CHOICE, 0, "clock", "on|off", "off: no wall time, and less overhead"},
  WM_ROW_PARTIAL, WM_ROW_SINK, WM_ROW_SYMBOLS, WM_ROWS_LIMITS, WM_ROWS_COMMON, WM_ROW_END,
};

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r';
}

/* Each line of the file that is no remark becomes one option layer=…; the texts point into `file`. */
static int add_layers(const char *path, const struct wm_file *file, struct wm_option *sink_options, uint32_t *count)
{
  const char *line = (const char *)file->bytes, *end = line + file->length;
  while (line < end) {
    const char *next = memchr(line, '\n', (size_t)(end - line));
    const char *stop = next == NULL ? end : next;
    while (line < stop && is_blank(*line))
      line++;
    while (stop > line && is_blank(stop[-1]))
      stop--;
    if (line < stop && *line != '#') {
      if (*count == WM_OPTIONS_MAX)
        return wm_fail(WM_EXIT_USAGE, path, "too many layers");
      sink_options[(*count)++] = (struct wm_option){{"layer", 5}, {line, (uint32_t)(stop - line)}};
    }
    line = next == NULL ? end : next + 1;
  }
  return WM_EXIT_OK;
}

static int read_layers(const char *path, struct wm_file *file, struct wm_option *sink_options, uint32_t *count)
{
  int status = wm_file_read(path, LAYER_FILE_BYTES, file);
  if (status != WM_EXIT_OK)
    return status;
  if (file->is_too_large)
    return wm_fail(WM_EXIT_USAGE, path, "too large for a file of layers");
  uint32_t before = *count;
  status = add_layers(path, file, sink_options, count);
  if (status == WM_EXIT_OK && *count == before)
    return wm_fail(WM_EXIT_USAGE, path, "names no layer");
  return status;
}

static int run(const struct wm_args *args)
{
  struct wm_option sink_options[WM_OPTIONS_MAX];
  struct wm_file file = {0};
  uint32_t count = wm_report_format(args, sink_options);
  int status = wm_report_options(args, OPT_LAYER, OPT_CLOCK, sink_options, &count);
  const char *path = wm_args_text(args, OPT_LAYERS, NULL);
  if (status == WM_EXIT_OK && path != NULL)
    status = read_layers(path, &file, sink_options, &count);
  if (status == WM_EXIT_OK) {
    bool has_layers = path != NULL || wm_args_has(args, OPT_LAYER);
    if (!has_layers && wm_args_has(args, OPT_SURFACE))
      status = wm_fail(WM_EXIT_USAGE, NULL, "--surface needs layers");
    else
      status = wm_report_run(args, has_layers ? &wm_sink_layers : &wm_sink_time, sink_options, count);
  }
  wm_file_free(&file);
  return status;
}

const struct wm_command wm_command_time = {
  "time", "reports calls, instructions, memory traffic and time of each function or layer", "[options] COMPONENT.wasm",
  "Counts are exact; times are the interpreter's own and say nothing about other engines. With layers, every column but the\n"
  "total_ ones adds up to the frame, unattributed included.\n"
  "  wasmeter time --layer 'dial=draw_dial*' --layer 'hand=draw_hand*' --symbols named.wasm gauge.wasm\n",
  options, run,
};
