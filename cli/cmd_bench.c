/* `wasmeter bench`: times variants of a component that must give byte-equal outputs.
 *
 * Each module is loaded once; one unmeasured run of each is compared with the first module's. Then rounds: round i begins with module
 * i mod n and goes on cyclically. Every sample has a fresh instance; its total goes from before instantiation, through copying the input,
 * setters and render, and copying the output, to after the instance is gone. Every sample's output is compared, outside the timed part. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/gzip.h"
#include "cli/job.h"
#include "cli/message.h"
#include "cli/samples.h"
#include "cli/session.h"
#include "cli/sha256.h"
#include "instrument/text.h"

enum { OPT_RUNS = WM_OPT_OWN, OPT_BENCHTIME, OPT_TIMEOUT };

static const struct wm_opt_def options[] = {
  WM_ROWS_REQUEST, WM_ROW_OUTPUT, WM_ROW_FORMAT("text|json", "how the report is written (default text)"),
  {OPT_RUNS, WM_OPT_COUNT, 'r', "runs", "N", "samples of each module (default 1000)"},
  {OPT_BENCHTIME, WM_OPT_TEXT, 0, "benchtime", "DURATION",
    "instead of -r: whole rounds until every module has been measured\nfor that long (3s, 250ms)"},
  {OPT_TIMEOUT, WM_OPT_TEXT, 0, "timeout", "DURATION",
    "a run that takes longer ends the command with status 5 (default none;\n--budget bounds a run exactly)"},
  WM_ROWS_LIMITS, WM_ROWS_COMMON, WM_ROW_END,
};

struct variant {
  const struct wm_job_stage *stage;
  struct wm_session session;
  bool is_loaded;
  struct wm_buffer output;        /* of the latest run */
  struct wm_samples total, render; /* begin: total - render - the copies */
  struct wm_samples begin;
  uint64_t load_ns, instructions, encoding;
  uint64_t memory_bytes_sum, memory_bytes_peak;
  bool has_gzip;
  uint64_t gzip_bytes;
  struct wm_summary summary;
};

struct bench {
  const struct wm_args *args;
  struct wm_job job;
  struct variant *variants;
  uint32_t count;
  uint64_t runs, benchtime_ns; /* benchtime 0: by runs */
  uint64_t timeout_ns;         /* of one run; 0: none */
  struct wm_buffer expected;   /* the first module's output */
};

/* ---- Measuring -------------------------------------------------------------------------------------------------- */

static uint64_t memory_bytes(const struct wm_session *session)
{
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < session->module.memory_count; i++)
    bytes += wm_instance_memory(session->content.instance, i).length;
  return bytes;
}

static int tell_timeout(const struct bench *bench, const struct variant *variant)
{
  return wm_fail(WM_EXIT_BUDGET, variant->stage->path, "a run takes longer than --timeout %s", wm_args_text(bench->args, OPT_TIMEOUT, ""));
}

static int run_once(struct bench *bench, struct variant *variant, bool is_measured)
{
  struct wm_session_input input = {bench->job.input, bench->job.input_length, true, variant->stage->uniforms, variant->stage->uniform_count,
                                   bench->job.budget, bench->job.stream};
  uint64_t start = wm_clock_ns();
  variant->session.deadline_ns = bench->timeout_ns == 0 ? 0 : start + bench->timeout_ns;
  int status = wm_session_begin(&variant->session, &input);
  if (status != WM_EXIT_OK)
    return status;
  uint64_t ready = wm_clock_ns();
  status = wm_session_finish(&variant->session, bench->job.budget);
  uint64_t done = wm_clock_ns();
  if (variant->session.is_late)
    return tell_timeout(bench, variant);
  if (status != WM_EXIT_OK)
    return status;
  variant->output.length = 0;
  wm_session_output(&variant->session, &variant->output);
  uint64_t memory = memory_bytes(&variant->session);
  const struct wm_content_outcome *outcome = wm_content_outcome(&variant->session.content);
  variant->instructions = outcome->instructions;
  variant->encoding = outcome->output_encoding;
  wm_session_end(&variant->session);
  uint64_t end = wm_clock_ns();
  if (bench->timeout_ns != 0 && end - start > bench->timeout_ns)
    return tell_timeout(bench, variant);
  if (!is_measured)
    return WM_EXIT_OK;
  wm_samples_add(&variant->begin, ready - start);
  wm_samples_add(&variant->render, done - ready);
  wm_samples_add(&variant->total, end - start);
  variant->memory_bytes_sum += memory;
  if (variant->memory_bytes_peak < memory)
    variant->memory_bytes_peak = memory;
  return WM_EXIT_OK;
}

/* Byte for byte like the first module's; else says where they part and what each is. */
static int compare_output(const struct bench *bench, const struct variant *variant)
{
  const struct variant *first = &bench->variants[0];
  const struct wm_buffer *want = &bench->expected, *got = &variant->output;
  if (variant->encoding != first->encoding)
    return wm_fail(WM_EXIT_DIFFERS, variant->stage->path, "encoding differs from %s (expected %s, actual %s)", first->stage->path,
                   wm_encoding_name((enum wm_encoding)first->encoding), wm_encoding_name((enum wm_encoding)variant->encoding));
  size_t common = want->length < got->length ? want->length : got->length;
  if (want->length == got->length && (common == 0 || memcmp(want->bytes, got->bytes, common) == 0))
    return WM_EXIT_OK;
  char expected[WM_SHA256_CHARS], actual[WM_SHA256_CHARS];
  wm_sha256_text(expected, want->bytes, want->length);
  wm_sha256_text(actual, got->bytes, got->length);
  size_t at = 0;
  while (at < common && want->bytes[at] == got->bytes[at])
    at++;
  if (at == common)
    return wm_fail(WM_EXIT_DIFFERS, variant->stage->path,
                   "output size differs from %s (expected size=%zu sha256=%s, actual size=%zu sha256=%s)",
                   first->stage->path, want->length, expected, got->length, actual);
  return wm_fail(WM_EXIT_DIFFERS, variant->stage->path,
                 "output differs from %s at byte %zu (expected len=%zu sha256=%s, actual len=%zu sha256=%s)",
                 first->stage->path, at, want->length, expected, got->length, actual);
}

static int check_all(struct bench *bench)
{
  for (uint32_t i = 0; i < bench->count; i++) {
    int status = run_once(bench, &bench->variants[i], false);
    if (status != WM_EXIT_OK)
      return status;
    if (i == 0)
      wm_buffer_add(&bench->expected, bench->variants[0].output.bytes, bench->variants[0].output.length);
    status = compare_output(bench, &bench->variants[i]);
    if (status != WM_EXIT_OK)
      return status;
  }
  return WM_EXIT_OK;
}

static bool is_enough(const struct bench *bench, uint64_t round)
{
  if (bench->benchtime_ns == 0)
    return round >= bench->runs;
  for (uint32_t i = 0; i < bench->count; i++)
    if (bench->variants[i].total.total_ns < bench->benchtime_ns)
      return false;
  return true;
}

static int measure_all(struct bench *bench)
{
  for (uint64_t round = 0; !is_enough(bench, round); round++) {
    for (uint32_t i = 0; i < bench->count; i++) {
      struct variant *variant = &bench->variants[(round + i) % bench->count];
      int status = run_once(bench, variant, true);
      if (status == WM_EXIT_OK)
        status = compare_output(bench, variant);
      if (status != WM_EXIT_OK)
        return status;
    }
  }
  return WM_EXIT_OK;
}

static int load_all(struct bench *bench)
{
  for (uint32_t i = 0; i < bench->count; i++) {
    struct variant *variant = &bench->variants[i];
    variant->stage = &bench->job.stages[i];
    variant->is_loaded = true;
    uint64_t start = wm_clock_ns();
    int status = wm_session_load(&variant->session, variant->stage->path, variant->stage->bytes, variant->stage->length, &bench->job.limits);
    if (status == WM_EXIT_OK)
      status = wm_session_contract(&variant->session, 0);
    variant->load_ns = wm_clock_ns() - start;
    if (status == WM_EXIT_OK && i == 0)
      status = wm_job_input(&bench->job, wm_session_capacity(&variant->session), variant->stage->path);
    if (status != WM_EXIT_OK)
      return status;
    variant->has_gzip = wm_gzip_size(variant->stage->bytes, variant->stage->length, &variant->gzip_bytes);
  }
  return WM_EXIT_OK;
}

/* ---- Text ------------------------------------------------------------------------------------------------------- */

static void add_size(struct wm_buffer *out, uint64_t bytes)
{
  char text[32];
  struct wm_print print;
  wm_print_open(&print, text, sizeof text, NULL);
  wm_print_size(&print, bytes);
  wm_buffer_add(out, text, print.length);
}

static void add_named(struct wm_buffer *out, const char *before, uint64_t ns, const char *after)
{
  wm_buffer_text(out, before);
  wm_duration_print(out, ns);
  wm_buffer_text(out, after);
}

static uint64_t mean_memory(const struct variant *variant)
{
  return variant->memory_bytes_sum / variant->total.count;
}

static void text_head(const struct bench *bench, struct wm_buffer *out)
{
  char digest[WM_SHA256_CHARS];
  wm_sha256_text(digest, bench->expected.bytes, bench->expected.length);
  wm_buffer_text(out, bench->count == 1 ? "bench: baseline output captured\n" : "bench: outputs match\n");
  wm_buffer_format(out, "  encoding: %s\n  bytes:    %zu\n  sha256:   %s\n", bench->variants[0].encoding == WM_ENCODING_UTF8 ? "utf8" : "raw",
                   bench->expected.length, digest);
  if (bench->benchtime_ns != 0)
    add_named(out, "  benchtime target: ", bench->benchtime_ns, " per module\n");
  wm_buffer_format(out, "  measured: %zu runs/module\n  budget:   %" PRIu64 " instructions per run\n", bench->variants[0].total.count,
                   bench->job.budget);
  if (bench->timeout_ns != 0)
    add_named(out, "  timeout:  ", bench->timeout_ns, " per run\n");
  wm_buffer_char(out, '\n');
}

static void text_variant(const struct variant *variant, uint32_t number, struct wm_buffer *out)
{
  const struct wm_summary *s = &variant->summary;
  const struct wm_contract *contract = &variant->session.contract;
  wm_buffer_format(out, "wasmeter %" PRIu32 ": ", number);
  wm_buffer_escaped(out, variant->stage->path, strlen(variant->stage->path));
  add_named(out, "\n  Time (mean ± stddev): ", s->mean, " ± ");
  add_named(out, "", s->deviation, "");
  add_named(out, " [min: ", s->minimum, "");
  add_named(out, ", p50: ", s->median, "");
  add_named(out, ", p95: ", s->p95, "");
  add_named(out, ", max: ", s->maximum, "]\n");
  wm_buffer_text(out, "  Runtime: wasmeter " WM_VERSION ", interpreter\n"
                      "  Boundary: fresh instance, contract checks, input/output copies, and render\n");
  add_named(out, "  Breakdown: run mean ", variant->render.total_ns / variant->render.count, "");
  add_named(out, ", instantiation mean ", variant->begin.total_ns / variant->begin.count, "");
  add_named(out, ", load ", variant->load_ns, "\n");
  wm_buffer_format(out, "  Work: %" PRIu64 " instructions\n  Memory allocated: mean ", variant->instructions);
  add_size(out, mean_memory(variant));
  wm_buffer_text(out, ", peak ");
  add_size(out, variant->memory_bytes_peak);
  wm_buffer_text(out, "\n  Capacity: input ");
  add_size(out, contract->is_generator ? 0 : contract->input_cap.value);
  wm_buffer_text(out, ", output ");
  add_size(out, contract->output_cap.value);
  wm_buffer_format(out, "\n  Binary size: %zu bytes, gzip ", variant->stage->length);
  if (variant->has_gzip)
    wm_buffer_format(out, "%" PRIu64 " bytes\n\n", variant->gzip_bytes);
  else
    wm_buffer_text(out, "n/a\n\n");
}

static void text_summary(const struct bench *bench, struct wm_buffer *out)
{
  const struct variant *fastest = &bench->variants[0], *slowest = fastest, *smallest = fastest;
  for (uint32_t i = 1; i < bench->count; i++) {
    const struct variant *variant = &bench->variants[i];
    if (variant->summary.mean < fastest->summary.mean)
      fastest = variant;
    if (variant->summary.mean > slowest->summary.mean)
      slowest = variant;
    if (variant->memory_bytes_peak < smallest->memory_bytes_peak)
      smallest = variant;
  }
  wm_buffer_text(out, "Summary\n  fastest: ");
  wm_buffer_json(out, fastest->stage->path, strlen(fastest->stage->path));
  add_named(out, " (mean total time ", fastest->summary.mean, ")\n");
  if (slowest != fastest) {
    uint64_t hundredths = (slowest->summary.mean * 100 + fastest->summary.mean / 2) / fastest->summary.mean;
    wm_buffer_format(out, "  speedup vs slowest: %" PRIu64 ".%02" PRIu64 "x over ", hundredths / 100, hundredths % 100);
    wm_buffer_json(out, slowest->stage->path, strlen(slowest->stage->path));
    wm_buffer_char(out, '\n');
  }
  wm_buffer_text(out, "  lowest peak memory: ");
  wm_buffer_json(out, smallest->stage->path, strlen(smallest->stage->path));
  wm_buffer_text(out, " (peak ");
  add_size(out, smallest->memory_bytes_peak);
  wm_buffer_text(out, ", mean ");
  add_size(out, mean_memory(smallest));
  wm_buffer_text(out, ")\n");
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

static void json_report(const struct bench *bench, struct wm_buffer *out)
{
  char digest[WM_SHA256_CHARS];
  wm_sha256_text(digest, bench->expected.bytes, bench->expected.length);
  wm_buffer_format(out, "{\n  \"encoding\": \"%s\",\n  \"output_bytes\": %zu,\n  \"output_sha256\": \"%s\",\n  \"runs\": %zu,\n"
                   "  \"budget\": %" PRIu64 ",\n  \"timeout_ns\": ", wm_encoding_name((enum wm_encoding)bench->variants[0].encoding), bench->expected.length, digest,
                   bench->variants[0].total.count, bench->job.budget);
  if (bench->timeout_ns != 0)
    wm_buffer_format(out, "%" PRIu64, bench->timeout_ns);
  else
    wm_buffer_text(out, "null");
  wm_buffer_text(out, ",\n  \"modules\": [");
  for (uint32_t i = 0; i < bench->count; i++) {
    const struct variant *v = &bench->variants[i];
    wm_buffer_text(out, i > 0 ? ",\n    {\"path\": " : "\n    {\"path\": ");
    wm_buffer_json(out, v->stage->path, strlen(v->stage->path));
    wm_buffer_format(out, ", \"mean_ns\": %" PRIu64 ", \"stddev_ns\": %" PRIu64 ", \"min_ns\": %" PRIu64 ", \"p50_ns\": %" PRIu64
                     ", \"p95_ns\": %" PRIu64 ", \"max_ns\": %" PRIu64 ", \"run_mean_ns\": %" PRIu64 ", \"instantiation_mean_ns\": %" PRIu64
                     ", \"load_ns\": %" PRIu64 ", \"instructions\": %" PRIu64
                     ", \"memory_mean_bytes\": %" PRIu64 ", \"memory_peak_bytes\": %" PRIu64
                     ", \"module_bytes\": %zu, \"gzip_bytes\": ",
                     v->summary.mean, v->summary.deviation, v->summary.minimum, v->summary.median, v->summary.p95, v->summary.maximum,
                     v->render.total_ns / v->render.count, v->begin.total_ns / v->begin.count, v->load_ns, v->instructions, mean_memory(v),
                     v->memory_bytes_peak, v->stage->length);
    if (v->has_gzip)
      wm_buffer_format(out, "%" PRIu64 "}", v->gzip_bytes);
    else
      wm_buffer_text(out, "null}");
  }
  wm_buffer_text(out, "\n  ]\n}\n");
}

/* ---- The command ------------------------------------------------------------------------------------------------ */

static int read_options(struct bench *bench)
{
  bench->runs = wm_args_number(bench->args, OPT_RUNS, 1000);
  if (bench->runs == 0)
    return wm_fail(WM_EXIT_USAGE, NULL, "--runs: at least one");
  const char *duration = wm_args_text(bench->args, OPT_BENCHTIME, NULL);
  if (duration != NULL && wm_args_has(bench->args, OPT_RUNS))
    return wm_fail(WM_EXIT_USAGE, NULL, "--runs and --benchtime exclude each other");
  if (duration != NULL && !wm_duration_parse(duration, &bench->benchtime_ns))
    return wm_fail(WM_EXIT_USAGE, NULL, "--benchtime: not a duration above zero, such as 3s or 250ms: %s", duration);
  duration = wm_args_text(bench->args, OPT_TIMEOUT, NULL);
  if (duration != NULL && !wm_duration_parse(duration, &bench->timeout_ns))
    return wm_fail(WM_EXIT_USAGE, NULL, "--timeout: not a duration above zero, such as 3s or 250ms: %s", duration);
  if (bench->args->positional_count == 0)
    return wm_fail(WM_EXIT_USAGE, NULL, "no COMPONENT is given");
  return WM_EXIT_OK;
}

static int report(struct bench *bench)
{
  for (uint32_t i = 0; i < bench->count; i++)
    bench->variants[i].summary = wm_samples_summary(&bench->variants[i].total);
  struct wm_buffer out = WM_BUFFER_EMPTY;
  if (wm_args_number(bench->args, WM_OPT_FORMAT, 0) == 1) {
    json_report(bench, &out);
  } else {
    text_head(bench, &out);
    for (uint32_t i = 0; i < bench->count; i++)
      text_variant(&bench->variants[i], i + 1, &out);
    if (bench->count > 1)
      text_summary(bench, &out);
  }
  int status = wm_output_write(wm_args_text(bench->args, WM_OPT_OUTPUT, NULL), out.bytes, out.length);
  wm_buffer_free(&out);
  return status;
}

static void free_variants(struct bench *bench)
{
  for (uint32_t i = 0; i < bench->count; i++) {
    struct variant *variant = &bench->variants[i];
    if (variant->is_loaded)
      wm_session_close(&variant->session);
    wm_buffer_free(&variant->output);
    wm_samples_free(&variant->total);
    wm_samples_free(&variant->render);
    wm_samples_free(&variant->begin);
  }
  free(bench->variants);
}

static int run(const struct wm_args *args)
{
  struct bench bench = {.args = args};
  int status = read_options(&bench);
  if (status != WM_EXIT_OK)
    return status;
  status = wm_job_open(&bench.job, args, UINT32_MAX);
  if (status == WM_EXIT_OK) {
    bench.count = bench.job.stage_count;
    bench.variants = wm_allocate(bench.count, sizeof *bench.variants);
    memset(bench.variants, 0, bench.count * sizeof *bench.variants);
    status = load_all(&bench);
    if (status == WM_EXIT_OK)
      status = check_all(&bench);
    if (status == WM_EXIT_OK)
      status = measure_all(&bench);
    if (status == WM_EXIT_OK)
      status = report(&bench);
    free_variants(&bench);
  }
  wm_buffer_free(&bench.expected);
  wm_job_free(&bench.job);
  return status;
}

const struct wm_command wm_command_bench = {
  "bench", "compares variants of a component whose outputs must be byte-equal", "[options] BASELINE.wasm [CANDIDATE.wasm ...]",
  "Every output of every sample must equal the first module's, else the status is 3. Times are this interpreter's: they compare\n"
  "variants, not engines; the instructions of a run are exact. -u belongs to the component before it.\n"
  "  wasmeter bench -i README.md --benchtime 3s before.wasm after.wasm\n",
  options, run,
};
