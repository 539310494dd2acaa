/* From options to components, uniforms, input and limits; see job.h. */
#include "cli/job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "interp/run.h"

static struct wm_text text_of(const char *text)
{
  size_t length = strlen(text);
  return (struct wm_text){text, length > UINT32_MAX ? UINT32_MAX : (uint32_t)length};
}

static int tell_problem(const struct wm_problem *problem, int status, const char *file)
{
  return wm_fail(status, file, "%s", problem->text);
}

/* ---- -F --------------------------------------------------------------------------------------------------------- */

struct form {
  struct wm_form_field *fields;
  struct wm_form_part *parts;
  struct wm_file *files;
  uint32_t count;
};

static void free_form(struct form *form)
{
  for (uint32_t i = 0; i < form->count; i++)
    wm_file_free(&form->files[i]);
  free(form->fields);
  free(form->parts);
  free(form->files);
}

/* The part of one -F argument; file contents are read into form->files[i]. */
static int read_part(struct form *form, uint32_t i, const char *argument, uint64_t limit)
{
  struct wm_problem problem;
  wm_problem_clear(&problem);
  struct wm_form_field *field = &form->fields[i];
  if (!wm_form_split(text_of(argument), field, &problem))
    return tell_problem(&problem, WM_EXIT_USAGE, "-F");
  struct wm_form_part *part = &form->parts[i];
  *part = (struct wm_form_part){field->name, field->is_upload, field->filename, (const uint8_t *)field->value.bytes, field->value.length};
  if (field->source != WM_FORM_LITERAL) {
    const char *path = field->source == WM_FORM_STDIN ? "-" : field->value.bytes; /* the rest of an argv word: terminated */
    int status = wm_file_read(path, limit, &form->files[i]);
    if (status != WM_EXIT_OK)
      return status;
    if (form->files[i].is_too_large)
      return wm_fail(WM_EXIT_DATA, path, "too large for a request: more than %" PRIu64 " bytes", limit);
    part->body = form->files[i].bytes;
    part->length = form->files[i].length;
  }
  if (!wm_form_check(part, &problem))
    return tell_problem(&problem, WM_EXIT_DATA, "-F");
  return WM_EXIT_OK;
}

/* Builds the canonical request of all -F options into job->request. */
static int build_form(struct wm_job *job, const struct wm_args *args, const char **component_path)
{
  uint32_t count = 0;
  for (uint32_t i = 0; i < args->count; i++)
    count += args->items[i].def->id == WM_OPT_FORM;
  struct form form = {wm_allocate(count, sizeof *form.fields), wm_allocate(count, sizeof *form.parts),
                      wm_allocate(count, sizeof *form.files), 0};
  uint64_t limit = job->limits.module_bytes > job->limits.memory_bytes ? job->limits.module_bytes : job->limits.memory_bytes;
  int status = WM_EXIT_OK;
  for (uint32_t i = 0; i < args->count && status == WM_EXIT_OK; i++) {
    if (args->items[i].def->id != WM_OPT_FORM)
      continue;
    uint32_t number = form.count++;
    form.files[number] = (struct wm_file){0};
    status = read_part(&form, number, args->items[i].text, limit);
    const struct wm_form_field *field = &form.fields[number];
    if (status == WM_EXIT_OK && wm_text_equal(field->name, WM_TEXT("component")) && field->source == WM_FORM_FILE)
      *component_path = field->value.bytes;
  }
  if (status == WM_EXIT_OK) {
    uint64_t size = wm_form_size(form.parts, form.count);
    if (size > SIZE_MAX / 2)
      status = wm_fail(WM_EXIT_DATA, "-F", "the request is too large");
    else {
      wm_buffer_reserve(&job->request, (size_t)size);
      wm_form_write(form.parts, form.count, job->request.bytes);
      job->request.length = (size_t)size;
    }
  }
  free_form(&form);
  return status;
}

/* ---- The request to the tool itself ----------------------------------------------------------------------------- */

/* -u instruction_budget=N: the one uniform of the tool, with its range. */
static int take_budget_uniform(struct wm_job *job, const struct wm_args *args)
{
  for (uint32_t i = 0; i < args->count; i++) {
    if (args->items[i].def->id != WM_OPT_UNIFORM)
      continue;
    struct wm_problem problem;
    wm_problem_clear(&problem);
    struct wm_uniform uniform;
    if (!wm_uniform_split(text_of(args->items[i].text), &uniform, &problem))
      return tell_problem(&problem, WM_EXIT_DATA, "-u");
    struct wm_value value;
    if (!wm_text_equal(uniform.key, WM_TEXT("instruction_budget")))
      return wm_fail(WM_EXIT_DATA, "-u", "unknown uniform %.*s: without a COMPONENT only instruction_budget can be set; "
                     "the component's own are parts: -F 'uniforms[%.*s]=…'", (int)uniform.key.length, uniform.key.bytes,
                     (int)uniform.key.length, uniform.key.bytes);
    if (!wm_uniform_parse(WM_TYPE_I32, uniform.value, &value))
      return wm_fail(WM_EXIT_DATA, "-u", "instruction_budget: not an unsigned 32-bit number: %s", uniform.value.bytes);
    if (wm_args_has(args, WM_OPT_BUDGET))
      return wm_fail(WM_EXIT_USAGE, NULL, "--budget and -u instruction_budget exclude each other");
    job->budget = value.bits[0] < 1 ? 1 : value.bits[0] > 10000000 ? 10000000 : value.bits[0];
  }
  return WM_EXIT_OK;
}

static int open_request(struct wm_job *job, const struct wm_args *args)
{
  if (job->input_path != NULL)
    return wm_fail(WM_EXIT_USAGE, NULL, "-i needs a COMPONENT; the request's input is a part: -F input=@FILE");
  int status = take_budget_uniform(job, args);
  const char *path = "component";
  if (status == WM_EXIT_OK)
    status = build_form(job, args, &path);
  if (status != WM_EXIT_OK)
    return status;
  struct wm_problem problem;
  wm_problem_clear(&problem);
  job->is_request = true;
  job->parsed = wm_allocate(1, sizeof *job->parsed);
  if (!wm_request_parse(job->parsed, job->request.bytes, job->request.length, (const uint8_t *)WM_BOUNDARY_UUID, &problem))
    return tell_problem(&problem, WM_EXIT_DATA, "request");
  struct wm_job_stage *stage = &job->stages[0];
  job->stage_count = 1;
  stage->path = path;
  stage->bytes = job->parsed->component;
  stage->length = (size_t)job->parsed->component_length;
  stage->uniforms = job->parsed->uniforms;
  stage->uniform_count = job->parsed->uniform_count;
  job->input = job->parsed->input;
  job->input_length = job->parsed->input_length;
  return WM_EXIT_OK;
}

/* ---- Components ------------------------------------------------------------------------------------------------- */

/* The stage that an option belongs to: the one before it; before the first, the only one. NULL after telling that there are several. */
static struct wm_job_stage *find_stage(const struct wm_job *job, const struct wm_arg *arg)
{
  if (arg->before == 0 && job->stage_count > 1) {
    wm_fail(WM_EXIT_USAGE, NULL, "--%s %s: in a pipeline, put it after the component it is for", arg->def->name, arg->text);
    return NULL;
  }
  return &job->stages[arg->before == 0 ? 0 : arg->before - 1];
}

static int take_uniforms(struct wm_job *job, const struct wm_args *args)
{
  struct wm_problem problem;
  wm_problem_clear(&problem);
  for (uint32_t i = 0; i < args->count; i++) {
    if (args->items[i].def->id != WM_OPT_UNIFORM)
      continue;
    struct wm_job_stage *stage = find_stage(job, &args->items[i]);
    if (stage == NULL)
      return WM_EXIT_USAGE;
    stage->uniforms = wm_reallocate(stage->uniforms, stage->uniform_count + 1, sizeof *stage->uniforms);
    if (!wm_uniform_split(text_of(args->items[i].text), &stage->uniforms[stage->uniform_count++], &problem))
      return tell_problem(&problem, WM_EXIT_DATA, "-u");
  }
  for (uint32_t i = 0; i < job->stage_count; i++)
    if (!wm_uniforms_sort(job->stages[i].uniforms, job->stages[i].uniform_count, &problem))
      return tell_problem(&problem, WM_EXIT_DATA, "-u");
  return WM_EXIT_OK;
}

/* --sink and --symbols. */
static int take_watchers(struct wm_job *job, const struct wm_args *args)
{
  for (uint32_t i = 0; i < args->count; i++) {
    bool is_sink = args->items[i].def->id == WM_OPT_SINK;
    if (!is_sink && args->items[i].def->id != WM_OPT_SYMBOLS)
      continue;
    struct wm_job_stage *stage = find_stage(job, &args->items[i]);
    if (stage == NULL)
      return WM_EXIT_USAGE;
    if (!is_sink) {
      stage->symbols = args->items[i].text;
      continue;
    }
    stage->sinks = wm_reallocate(stage->sinks, stage->sink_count + 1, sizeof *stage->sinks);
    stage->sinks[stage->sink_count++] = args->items[i].text;
  }
  return WM_EXIT_OK;
}

static int read_components(struct wm_job *job, const struct wm_args *args)
{
  job->stage_count = args->positional_count;
  for (uint32_t i = 0; i < job->stage_count; i++) {
    struct wm_job_stage *stage = &job->stages[i];
    stage->path = args->positional[i];
    int status = wm_file_read(stage->path, job->limits.module_bytes, &stage->file);
    if (status != WM_EXIT_OK)
      return status;
    if (stage->file.is_too_large)
      return wm_fail(WM_EXIT_DATA, stage->path, "module is larger than the limit of %" PRIu64 " bytes", job->limits.module_bytes);
    stage->bytes = stage->file.bytes;
    stage->length = stage->file.length;
  }
  return WM_EXIT_OK;
}

struct wm_limits wm_job_limits(const struct wm_args *args)
{
  struct wm_limits limits = wm_limits_native;
  limits.memory_bytes = wm_args_number(args, WM_OPT_MAX_MEMORY, limits.memory_bytes);
  limits.frames = wm_args_number(args, WM_OPT_MAX_FRAMES, limits.frames);
  limits.bulk_bytes = wm_args_number(args, WM_OPT_MAX_BULK, limits.bulk_bytes);
  return limits;
}

int wm_job_open(struct wm_job *job, const struct wm_args *args, uint32_t most)
{
  static const uint32_t streams[] = {WM_STREAM_AUTO, WM_STREAM_STEP, WM_STREAM_FAST}; /* in the option's order */
  *job = (struct wm_job){0};
  job->limits = wm_job_limits(args);
  job->budget = wm_args_number(args, WM_OPT_BUDGET, WM_DEFAULT_BUDGET);
  job->stream = streams[wm_args_number(args, WM_OPT_STREAM, 0)];
  job->input_path = wm_args_text(args, WM_OPT_INPUT, NULL);
  bool has_form = wm_args_has(args, WM_OPT_FORM);
  if (has_form && job->input_path != NULL)
    return wm_fail(WM_EXIT_USAGE, NULL, "-F and -i exclude each other");
  if (args->positional_count == 0 && !has_form)
    return wm_fail(WM_EXIT_USAGE, NULL, "no COMPONENT is given");
  if (args->positional_count > most)
    return wm_fail(WM_EXIT_USAGE, NULL, "%s: one component too many", args->positional[most]);
  uint32_t count = args->positional_count == 0 ? 1 : args->positional_count;
  job->stages = wm_allocate(count, sizeof *job->stages);
  memset(job->stages, 0, count * sizeof *job->stages);
  if (args->positional_count == 0) {
    int status = open_request(job, args);
    return status == WM_EXIT_OK ? take_watchers(job, args) : status;
  }
  int status = read_components(job, args);
  if (status == WM_EXIT_OK)
    status = take_uniforms(job, args);
  if (status == WM_EXIT_OK)
    status = take_watchers(job, args);
  if (status == WM_EXIT_OK && has_form) {
    const char *unused;
    status = build_form(job, args, &unused);
    job->input = job->request.bytes;
    job->input_length = job->request.length;
  }
  return status;
}

int wm_job_input(struct wm_job *job, uint64_t capacity, const char *path)
{
  if (job->input_path == NULL)
    return WM_EXIT_OK;
  bool is_known = capacity != UINT64_MAX;
  int status = wm_file_read(job->input_path, is_known ? capacity : job->limits.memory_bytes, &job->input_file);
  if (status != WM_EXIT_OK)
    return status;
  if (!job->input_file.is_too_large) {
    job->input = job->input_file.bytes;
    job->input_length = job->input_file.length;
    return WM_EXIT_OK;
  }
  uint64_t length = job->input_file.full_length;
  if (!is_known)
    return wm_fail(WM_EXIT_DATA, path, "input is too large (more than the limit of %" PRIu64 " bytes)", job->limits.memory_bytes);
  if (length == 0)
    return wm_fail(WM_EXIT_DATA, path, "input is too large (more than %" PRIu64 " bytes input capacity)", capacity);
  return wm_fail(WM_EXIT_DATA, path, "input is too large (%" PRIu64 " bytes > %" PRIu64 " bytes input capacity)", length, capacity);
}

void wm_job_free(struct wm_job *job)
{
  for (uint32_t i = 0; i < job->stage_count; i++) {
    wm_file_free(&job->stages[i].file);
    if (!job->is_request)
      free(job->stages[i].uniforms);
    free(job->stages[i].sinks);
  }
  free(job->stages);
  free(job->parsed);
  wm_file_free(&job->input_file);
  wm_buffer_free(&job->request);
  *job = (struct wm_job){0};
}
