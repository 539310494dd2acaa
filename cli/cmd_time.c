/* `wasmeter time`: what each function, or each layer of functions, did: exact counts first, then the interpreter's wall time.
 *
 * The `time` sink, or with --layer or --layers the `layers` sink, with their options spelled out, over the first render and what a script
 * makes of it after that (frames.h). A timed copy that imports qip_bench.now_ms runs too (bench_clock.h). With --compare a second build
 * plays the same, without sinks, and every frame must be the first's. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/frames.h"
#include "cli/job.h"
#include "cli/message.h"
#include "cli/report.h"
#include "cli/sum_check.h"
#include "instrument/registry.h"
#include "instrument/text.h"

#define LAYER_FILE_BYTES (1u << 20)

enum { OPT_LAYER = WM_OPT_OWN, OPT_SURFACE, OPT_WEIGHT, /* of the sinks, by name */
       OPT_CLOCK, OPT_LAYERS, OPT_SCRIPT, OPT_WARMUP, OPT_FRAMES, OPT_FRAME_REPORT, OPT_SAVE, OPT_COMPARE, OPT_COUNTER, OPT_CHECK };
enum { CLOCK_ON, CLOCK_OFF, CLOCK_REAL };

static const struct wm_opt_def options[] = {
  WM_ROWS_REQUEST, WM_ROW_OUTPUT, WM_ROW_FORMAT("csv|json|table|folded|speedscope", "how the report is written (default csv)"),
  {OPT_LAYER, WM_OPT_TEXT, 0, "layer", "NAME=GLOB[,GLOB...]", "a layer of functions, by name or wasm-function[N]; comes again for each;\nself goes to the innermost active layer"},
  {OPT_LAYERS, WM_OPT_TEXT, 0, "layers", "FILE", "layers from a file, one NAME=GLOB[,GLOB...] a line, # for remarks"},
  {OPT_SURFACE, WM_OPT_TEXT, 0, "surface", "ADDRESS:LENGTH", "whose last writer is followed, instead of the output"},
  {OPT_SCRIPT, WM_OPT_TEXT, 0, "script", "FILE", "what follows the first render, a step a line: uniform, at, key, pointer,\nfinish, render, warmup, frames"},
  {OPT_WARMUP, WM_OPT_COUNT, 0, "warmup", "N", "after the script, N frames; then everything counts from zero"},
  {OPT_FRAMES, WM_OPT_COUNT, 0, "frames", "N", "after that, N frames"},
  {OPT_FRAME_REPORT, WM_OPT_TEXT, 0, "frame-report", "FILE", "a CSV of all frames, with their digests"},
  {OPT_SAVE, WM_OPT_TEXT, 0, "save-frames", "DIR", "the frames (KTX2) as DIR/frame-NNNN.png, warm-up left out"},
  {OPT_COMPARE, WM_OPT_TEXT, 0, "compare", "OTHER.wasm", "plays the same on a second build: status 3 at the first frame that differs"},
  {OPT_COUNTER, WM_OPT_TEXT, 0, "export-counter", "NAME", "an export () -> i32 that is read after the frames, uncounted; may come again"},
  {OPT_CHECK, WM_OPT_FLAG, 0, "check", NULL, "checks the sums against counts and the page report of the same run"},
  {OPT_WEIGHT, WM_OPT_CHOICE, 0, "weight", "instructions|ns", "of folded stacks"},
  {OPT_CLOCK, WM_OPT_CHOICE, 0, "clock", "on|off|real", "off: no wall time, and less overhead; real: qip_bench.now_ms of a timed\ncopy tells wall time, not instructions / 1000000"},
  WM_ROW_PARTIAL, WM_ROW_SINK, WM_ROW_SYMBOLS, WM_ROWS_LIMITS, WM_ROWS_COMMON, WM_ROW_END,
};

struct timing {
  const struct wm_args *args;
  struct wm_job job;
  struct wm_option sink_options[WM_OPTIONS_MAX];
  uint32_t sink_option_count;
  struct wm_file layer_file;
  uint32_t first_layer_option, layer_lines[WM_OPTIONS_MAX]; /* which options come from the file, and from which lines */
  const struct wm_sink_class *class_;
  struct wm_frame_script script;
  bool has_clock;
  struct wm_session session;
  struct wm_sinks sinks;
  struct wm_player player;
  struct wm_sum_check check;
  /* --compare */
  const char *other_path;
  struct wm_file other_file;
  struct wm_session other;
  struct wm_player other_player;
};

/* ---- Options ---------------------------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r';
}

/* Each line of the file that is no remark becomes one option layer=…; the texts point into t->layer_file. */
static int add_layers(struct timing *t, const char *path)
{
  const char *line = (const char *)t->layer_file.bytes, *end = line + t->layer_file.length;
  for (uint32_t number = 1; line < end; number++) {
    const char *next = memchr(line, '\n', (size_t)(end - line));
    const char *stop = next == NULL ? end : next;
    while (line < stop && is_blank(*line))
      line++;
    while (stop > line && is_blank(stop[-1]))
      stop--;
    if (line < stop && *line != '#') {
      if (t->sink_option_count == WM_OPTIONS_MAX)
        return wm_fail_line(path, number, "too many layers: more than %d with the other options", WM_OPTIONS_MAX);
      t->layer_lines[t->sink_option_count - t->first_layer_option] = number;
      t->sink_options[t->sink_option_count++] = (struct wm_option){{"layer", 5}, {line, (uint32_t)(stop - line)}};
    }
    line = next == NULL ? end : next + 1;
  }
  return WM_EXIT_OK;
}

static int read_layers(struct timing *t, const char *path)
{
  int status = wm_file_read(path, LAYER_FILE_BYTES, &t->layer_file);
  if (status != WM_EXIT_OK)
    return status;
  if (t->layer_file.is_too_large)
    return wm_fail(WM_EXIT_DATA, path, "too large for a file of layers: more than %u bytes", LAYER_FILE_BYTES);
  t->first_layer_option = t->sink_option_count;
  status = add_layers(t, path);
  if (status == WM_EXIT_OK && t->sink_option_count == t->first_layer_option)
    return wm_fail(WM_EXIT_DATA, path, "names no layer: want lines NAME=GLOB[,GLOB...]");
  return status;
}

static int read_sink_options(struct timing *t)
{
  const struct wm_args *args = t->args;
  uint64_t clock = wm_args_number(args, OPT_CLOCK, CLOCK_ON);
  t->has_clock = clock != CLOCK_OFF;
  t->player.clock.is_real = t->other_player.clock.is_real = clock == CLOCK_REAL;
  t->sink_option_count = wm_report_format(args, t->sink_options);
  if (!t->has_clock)
    t->sink_options[t->sink_option_count++] = (struct wm_option){wm_text_of("clock"), wm_text_of("off")};
  int status = wm_report_options(args, OPT_LAYER, OPT_WEIGHT, t->sink_options, &t->sink_option_count);
  const char *path = wm_args_text(args, OPT_LAYERS, NULL);
  if (status == WM_EXIT_OK && path != NULL)
    status = read_layers(t, path);
  bool has_layers = path != NULL || wm_args_has(args, OPT_LAYER);
  t->class_ = has_layers ? &wm_sink_layers : &wm_sink_time;
  if (status == WM_EXIT_OK && !has_layers && wm_args_has(args, OPT_SURFACE))
    status = wm_fail(WM_EXIT_USAGE, NULL, "--surface needs layers");
  return status;
}

static int read_counters(struct timing *t)
{
  for (uint32_t i = 0; i < t->args->count; i++) {
    if (t->args->items[i].def->id != OPT_COUNTER)
      continue;
    if (t->player.counter_count == WM_FRAME_COUNTERS)
      return wm_fail(WM_EXIT_USAGE, NULL, "--export-counter: more than %d counters", WM_FRAME_COUNTERS);
    t->player.counters[t->player.counter_count++] = (struct wm_frame_counter){.name = t->args->items[i].text};
  }
  return WM_EXIT_OK;
}

static int read_options(struct timing *t)
{
  int status = read_sink_options(t);
  const char *path = wm_args_text(t->args, OPT_SCRIPT, NULL);
  if (status == WM_EXIT_OK && path != NULL)
    status = wm_frame_script_read(&t->script, path);
  if (status == WM_EXIT_OK)
    status = read_counters(t);
  wm_frame_script_add(&t->script, WM_STEP_WARMUP, wm_args_number(t->args, OPT_WARMUP, 0));
  wm_frame_script_add(&t->script, WM_STEP_FRAMES, wm_args_number(t->args, OPT_FRAMES, 0));
  t->player.save_path = wm_args_text(t->args, OPT_SAVE, NULL);
  t->other_path = wm_args_text(t->args, OPT_COMPARE, NULL);
  return status;
}

static int add_sinks(struct timing *t)
{
  t->sinks.result_path = wm_args_text(t->args, WM_OPT_OUTPUT, NULL);
  t->sinks.takes_partial = wm_args_has(t->args, WM_OPT_PARTIAL);
  wm_sinks_add_result(&t->sinks, t->class_, t->sink_options, t->sink_option_count);
  if (t->layer_file.bytes != NULL)
    wm_sinks_set_lines(&t->sinks, t->first_layer_option, wm_args_text(t->args, OPT_LAYERS, NULL), t->layer_lines);
  if (wm_args_has(t->args, OPT_CHECK))
    wm_sum_check_add(&t->check, &t->sinks, t->class_, t->sink_options, t->sink_option_count);
  int status = WM_EXIT_OK;
  for (uint32_t i = 0; i < t->job.stages[0].sink_count && status == WM_EXIT_OK; i++)
    status = wm_sinks_add(&t->sinks, t->job.stages[0].sinks[i]);
  return status;
}

/* ---- Running ---------------------------------------------------------------------------------------------------- */

/* A module whose only import is the clock of timed copies is let through; any other import is the contract's to refuse. */
static int read_contract(struct wm_session *session)
{
  return wm_session_contract(session, wm_bench_clock_is_wanted(&session->module) ? WM_CONTRACT_ALLOW_IMPORTS : 0);
}

static struct wm_session_input input_of(const struct timing *t)
{
  const struct wm_job_stage *stage = &t->job.stages[0];
  return (struct wm_session_input){t->job.input, t->job.input_length, true, stage->uniforms, stage->uniform_count, t->job.budget, t->job.stream};
}

static int run_first(struct timing *t)
{
  const struct wm_job_stage *stage = &t->job.stages[0];
  int status = wm_session_load(&t->session, stage->path, stage->bytes, stage->length, &t->job.limits);
  if (status == WM_EXIT_OK)
    status = wm_session_symbols(&t->session, wm_args_text(t->args, WM_OPT_SYMBOLS, NULL));
  if (status == WM_EXIT_OK)
    status = read_contract(&t->session);
  if (status == WM_EXIT_OK)
    status = wm_job_input(&t->job, wm_session_capacity(&t->session), stage->path);
  if (status == WM_EXIT_OK)
    status = wm_player_attach(&t->player, &t->session);
  if (status != WM_EXIT_OK)
    return status;
  struct wm_session_input input = input_of(t);
  t->player.script = &t->script;
  t->player.sinks = &t->sinks;
  t->player.budget = t->job.budget;
  return wm_session_run(&t->session, &input, &t->sinks);
}

/* Tells frame and digests, and, from a play of the first build up to that frame, the first byte. */
static int tell_mismatch(struct timing *t)
{
  uint64_t number = t->other_player.frame_count - 1, at = 0;
  char digest[WM_DIGEST_CHARS];
  memcpy(digest, t->player.frames[number].digest, sizeof digest);
  struct wm_session_input input = input_of(t);
  struct wm_sinks none = {0};
  t->player.sinks = NULL;
  t->player.save_path = NULL;
  t->player.is_capturing = true;
  t->player.captured_frame = number;
  int status = wm_session_run(&t->session, &input, &none);
  if (status != WM_EXIT_DIFFERS)
    return status != WM_EXIT_OK ? status : wm_fail(WM_EXIT_INTERNAL, t->session.label, "a second play was shorter than the first");
  const struct wm_buffer *one = &t->player.captured, *other = &t->other_player.captured;
  while (at < one->length && at < other->length && one->bytes[at] == other->bytes[at])
    at++;
  return wm_fail(WM_EXIT_DIFFERS, t->other_path, "frame %" PRIu64 " is not that of %s: digest %s, not %s; first at byte %" PRIu64
                 " (of %zu and %zu bytes)", number, t->session.label, t->other_player.frames[number].digest, digest, at, other->length, one->length);
}

static int run_other(struct timing *t)
{
  struct wm_sinks none = {0};
  int status = wm_file_read(t->other_path, t->job.limits.module_bytes, &t->other_file);
  if (status == WM_EXIT_OK && t->other_file.is_too_large)
    status = wm_fail(WM_EXIT_DATA, t->other_path, "module is larger than the limit of %" PRIu64 " bytes", t->job.limits.module_bytes);
  if (status == WM_EXIT_OK)
    status = wm_session_load(&t->other, t->other_path, t->other_file.bytes, t->other_file.length, &t->job.limits);
  if (status == WM_EXIT_OK)
    status = read_contract(&t->other);
  if (status == WM_EXIT_OK)
    status = wm_player_attach(&t->other_player, &t->other);
  if (status != WM_EXIT_OK)
    return status;
  struct wm_session_input input = input_of(t);
  t->other_player.script = &t->script;
  t->other_player.other = &t->player;
  t->other_player.budget = t->job.budget;
  status = wm_session_run(&t->other, &input, &none);
  return status == WM_EXIT_DIFFERS && t->other_player.has_mismatch ? tell_mismatch(t) : status;
}

/* ---- Reports ---------------------------------------------------------------------------------------------------- */

static int report(struct timing *t, bool is_complete)
{
  struct wm_buffer checked = WM_BUFFER_EMPTY;
  int status = WM_EXIT_OK;
  wm_session_report(&t->session, &t->sinks, is_complete);
  if (!t->sinks.slots[0].has_report)
    return wm_sinks_write(&t->sinks);
  if (!is_complete)
    wm_note(t->session.label, "the report is partial: it covers the run up to where it stopped");
  if (wm_args_has(t->args, OPT_CHECK)) {
    bool adds_up = wm_sum_check_finish(&t->check, &t->sinks, &checked);
    wm_buffer_char(&checked, '\0');
    if (!adds_up)
      status = wm_fail(WM_EXIT_INTERNAL, t->session.label, "%s", (const char *)checked.bytes);
  }
  if (status == WM_EXIT_OK) {
    wm_player_tell(&t->player, t->other_path != NULL && is_complete ? &t->other_player : NULL, (const char *)checked.bytes,
                   wm_args_text(t->args, WM_OPT_FORMAT, "csv"), t->has_clock, &t->sinks.slots[0].report);
    status = wm_sinks_write(&t->sinks);
  }
  const char *path = wm_args_text(t->args, OPT_FRAME_REPORT, NULL);
  if (status == WM_EXIT_OK && path != NULL)
    status = wm_player_write_list(&t->player, path, t->has_clock);
  wm_buffer_free(&checked);
  return status;
}

static int run_all(struct timing *t)
{
  int status = read_options(t);
  if (status == WM_EXIT_OK)
    status = wm_job_open(&t->job, t->args, 1);
  if (status == WM_EXIT_OK)
    status = add_sinks(t);
  if (status == WM_EXIT_OK)
    status = run_first(t);
  bool has_stopped = status != WM_EXIT_OK; /* the first build: that can be reported up to there */
  if (status == WM_EXIT_OK && t->other_path != NULL)
    status = run_other(t);
  if (t->session.has_run && (status == WM_EXIT_OK || has_stopped)) {
    int written = report(t, status == WM_EXIT_OK);
    status = written != WM_EXIT_OK ? written : status;
  }
  return status;
}

static int run(const struct wm_args *args)
{
  struct timing *t = wm_allocate(1, sizeof *t);
  memset(t, 0, sizeof *t);
  t->args = args;
  int status = run_all(t);
  wm_session_close(&t->session);
  wm_session_close(&t->other);
  wm_sinks_free(&t->sinks);
  wm_player_free(&t->player);
  wm_player_free(&t->other_player);
  wm_frame_script_free(&t->script);
  wm_file_free(&t->layer_file);
  wm_file_free(&t->other_file);
  wm_job_free(&t->job);
  free(t);
  return status;
}

const struct wm_command wm_command_time = {
  "time", "reports calls, instructions, memory traffic and time of each function or layer", "[options] COMPONENT.wasm",
  "Counts are exact; times are the interpreter's own and say nothing about other engines. With layers, every column but the\n"
  "total_ ones adds up to the frame, unattributed included.\n"
  "Steps of a script: uniform KEY=VALUE, at MS, key KEYSYM [FLAGS], pointer MASK X Y, finish, render, warmup N, frames N; # for remarks.\n"
  "  wasmeter time --layer 'dial=draw_dial*' --layer 'hand=draw_hand*' --symbols named.wasm gauge.wasm\n"
  "  wasmeter time --script tilt.txt --warmup 10 --frames 60 --compare faster.wasm gauge.wasm\n",
  options, run,
};
