/* `wasmeter run`: one component, or a pipeline of them, on an input; or any export of any module (--invoke, cmd_invoke.c).
 *
 * A pipeline is checked as a whole before anything runs: contracts, encodings, content types. Each stage's output is copied before
 * its instance goes away. Output and reports leave when the last stage has been accepted. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/digest.h"
#include "cli/files.h"
#include "cli/invoke.h"
#include "cli/job.h"
#include "cli/message.h"
#include "cli/session.h"
#include "qip/pipeline.h"

static const struct wm_opt_def options[] = {
  WM_ROWS_REQUEST, WM_ROW_OUTPUT, WM_ROW_SINK,
  {WM_OPT_INVOKE, WM_OPT_REST, 0, "invoke", "EXPORT ARGS...",
    "call EXPORT of any module without imports and print its results,\none a line; everything after EXPORT is an argument"},
  {WM_OPT_DIGEST, WM_OPT_FLAG, 0, "digest", NULL, "print XXH3-128 digests of modules and outputs to standard error"},
  {WM_OPT_MEMORY_DIGEST, WM_OPT_FLAG, 0, "memory-digest", NULL, "and of each final linear memory"},
  {WM_OPT_CAPACITIES, WM_OPT_FLAG, 0, "capacities-must-fit", NULL, "refuse a pipeline whose stages might write more than the next takes"},
  WM_ROW_SYMBOLS, WM_ROWS_LIMITS, WM_ROWS_COMMON, WM_ROW_END,
};

struct stage {
  char *label;
  bool is_loaded;
  struct wm_session session;
  struct wm_sinks sinks;
};

struct pipeline {
  const struct wm_args *args;
  struct wm_job job;
  struct stage *stages;
  struct wm_buffer data; /* the current stage's input, after the first */
  struct wm_buffer digests;
};

/* ---- Planning --------------------------------------------------------------------------------------------------- */

static int load_stage(struct pipeline *pipeline, uint32_t i)
{
  const struct wm_job_stage *given = &pipeline->job.stages[i];
  struct stage *stage = &pipeline->stages[i];
  if (pipeline->job.stage_count > 1) {
    struct wm_buffer label = WM_BUFFER_EMPTY;
    wm_buffer_format(&label, "step %" PRIu32 " %s%c", i + 1, given->path, '\0');
    stage->label = (char *)label.bytes;
  }
  int status = WM_EXIT_OK;
  for (uint32_t sink = 0; sink < given->sink_count && status == WM_EXIT_OK; sink++)
    status = wm_sinks_add(&stage->sinks, given->sinks[sink]);
  if (status != WM_EXIT_OK)
    return status;
  stage->is_loaded = true;
  status = wm_session_load(&stage->session, stage->label != NULL ? stage->label : given->path, given->bytes, given->length,
                           &pipeline->job.limits);
  if (status == WM_EXIT_OK)
    status = wm_session_symbols(&stage->session, given->symbols);
  if (status == WM_EXIT_OK)
    status = wm_session_contract(&stage->session, 0);
  if (status == WM_EXIT_OK && pipeline->job.stage_count > 1)
    status = wm_session_resolve(&stage->session, pipeline->job.budget);
  return status;
}

/* Uniforms, encodings and content types, and (a note, or an error when it was asked for) capacities. */
static int check_plan(struct pipeline *pipeline)
{
  uint32_t count = pipeline->job.stage_count;
  struct wm_problem problem;
  wm_problem_clear(&problem);
  for (uint32_t i = 0; i < count; i++)
    if (!wm_content_check_uniforms(&pipeline->stages[i].session.contract, pipeline->job.stages[i].uniforms,
                                   pipeline->job.stages[i].uniform_count, &problem))
      return wm_session_tell_problem(&pipeline->stages[i].session, &problem);
  if (count == 1)
    return WM_EXIT_OK;
  struct wm_stage *stages = wm_allocate(count, sizeof *stages);
  for (uint32_t i = 0; i < count; i++)
    stages[i] = (struct wm_stage){{pipeline->job.stages[i].path, (uint32_t)strlen(pipeline->job.stages[i].path)},
                                  &pipeline->stages[i].session.contract};
  int status = WM_EXIT_OK;
  if (!wm_pipeline_check(stages, count, (struct wm_text){"", 0}, &problem))
    status = wm_fail(WM_EXIT_CONTRACT, NULL, "%s", problem.text);
  bool must_fit = wm_args_has(pipeline->args, WM_OPT_CAPACITIES);
  for (uint32_t i = 0; i + 1 < count && status == WM_EXIT_OK; i++) {
    wm_problem_clear(&problem);
    if (!wm_pipeline_capacity_note(stages, count, i, &problem))
      continue;
    if (must_fit)
      status = wm_fail(WM_EXIT_CONTRACT, NULL, "%s", problem.text);
    else
      wm_note(NULL, "note: %s", problem.text);
  }
  free(stages);
  return status;
}

/* ---- Running ---------------------------------------------------------------------------------------------------- */

static void add_digests(struct pipeline *pipeline, uint32_t i)
{
  struct wm_session *session = &pipeline->stages[i].session;
  if (wm_args_has(pipeline->args, WM_OPT_DIGEST)) {
    wm_digest_line(&pipeline->digests, "module", pipeline->job.stages[i].bytes, pipeline->job.stages[i].length, session->label);
    wm_digest_line(&pipeline->digests, "output", pipeline->data.bytes, pipeline->data.length, session->label);
  }
  for (uint32_t m = 0; wm_args_has(pipeline->args, WM_OPT_MEMORY_DIGEST) && m < session->module.memory_count; m++) {
    struct wm_memory_bytes memory = wm_instance_memory(session->content.instance, m);
    wm_digest_line(&pipeline->digests, "memory", memory.base, (size_t)memory.length, session->label);
  }
}

static int run_stage(struct pipeline *pipeline, uint32_t i)
{
  const struct wm_job_stage *given = &pipeline->job.stages[i];
  struct stage *stage = &pipeline->stages[i];
  struct wm_session_input input = {pipeline->job.input, pipeline->job.input_length, i == 0, given->uniforms, given->uniform_count,
                                   pipeline->job.budget, pipeline->job.stream};
  struct wm_buffer previous = pipeline->data; /* stays until this stage is done */
  if (i > 0) {
    input.bytes = previous.bytes;
    input.length = previous.length;
  }
  pipeline->data = WM_BUFFER_EMPTY;
  int status = wm_session_run(&stage->session, &input, &stage->sinks);
  if (status == WM_EXIT_OK) {
    wm_session_output(&stage->session, &pipeline->data);
    add_digests(pipeline, i);
  }
  wm_session_report(&stage->session, &stage->sinks, status == WM_EXIT_OK);
  if (status != WM_EXIT_OK)
    wm_sinks_write(&stage->sinks); /* of those that tell stops */
  wm_buffer_free(&previous);
  return status;
}

static int run_all(struct pipeline *pipeline)
{
  uint32_t count = pipeline->job.stage_count;
  int status = WM_EXIT_OK;
  for (uint32_t i = 0; i < count && status == WM_EXIT_OK; i++)
    status = load_stage(pipeline, i);
  if (status == WM_EXIT_OK)
    status = check_plan(pipeline);
  if (status == WM_EXIT_OK)
    status = wm_job_input(&pipeline->job, wm_session_capacity(&pipeline->stages[0].session), pipeline->stages[0].session.label);
  for (uint32_t i = 0; i < count && status == WM_EXIT_OK; i++) {
    status = run_stage(pipeline, i);
    wm_session_close(&pipeline->stages[i].session);
    pipeline->stages[i].is_loaded = false;
  }
  if (status == WM_EXIT_OK)
    status = wm_output_write(wm_args_text(pipeline->args, WM_OPT_OUTPUT, NULL), pipeline->data.bytes, pipeline->data.length);
  for (uint32_t i = 0; i < count && status == WM_EXIT_OK; i++)
    status = wm_sinks_write(&pipeline->stages[i].sinks);
  if (status == WM_EXIT_OK && wm_write_all(2, pipeline->digests.bytes, pipeline->digests.length) != 0)
    status = WM_EXIT_IO;
  return status;
}

static int run(const struct wm_args *args)
{
  if (wm_args_has(args, WM_OPT_INVOKE))
    return wm_invoke(args);
  struct pipeline pipeline = {.args = args};
  int status = wm_job_open(&pipeline.job, args, UINT32_MAX);
  if (status == WM_EXIT_OK) {
    pipeline.stages = wm_allocate(pipeline.job.stage_count, sizeof *pipeline.stages);
    memset(pipeline.stages, 0, pipeline.job.stage_count * sizeof *pipeline.stages);
    status = run_all(&pipeline);
    for (uint32_t i = 0; i < pipeline.job.stage_count; i++) {
      if (pipeline.stages[i].is_loaded)
        wm_session_close(&pipeline.stages[i].session);
      wm_sinks_free(&pipeline.stages[i].sinks);
      free(pipeline.stages[i].label);
    }
    free(pipeline.stages);
  }
  wm_job_free(&pipeline.job);
  wm_buffer_free(&pipeline.data);
  wm_buffer_free(&pipeline.digests);
  return status;
}

const struct wm_command wm_command_run = {
  "run", "runs a component (several: a pipeline) on an input and writes its output", "[options] COMPONENT.wasm [COMPONENT.wasm ...]",
  "In a pipeline -u, --sink and --symbols belong to the component before them, and --budget holds for each stage.\n"
  "  wasmeter run upper.wasm -u width=3 count.wasm -i FILE\n"
  "  wasmeter run module.wasm --invoke add 1 -2\n",
  options, run,
};
