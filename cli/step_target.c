/* The debuggee; see step_target.h. A component is resumed through its content session, which judges the result; an export by itself. */
#include "cli/step_target.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/values.h"
#include "instrument/text.h"

/* ---- Opening ---------------------------------------------------------------------------------------------------- */

static int open_component(struct wm_target *target)
{
  struct wm_session *session = &target->session;
  struct wm_job *job = &target->job;
  int status = wm_session_contract(session, 0);
  if (status == WM_EXIT_OK)
    status = wm_job_input(job, wm_session_capacity(session), session->label);
  if (status != WM_EXIT_OK)
    return status;
  struct wm_session_input input = {job->input, job->input_length, true, job->stages[0].uniforms, job->stages[0].uniform_count,
                                   job->budget, job->stream};
  status = wm_session_begin(session, &input);
  if (status != WM_EXIT_OK)
    return status;
  target->instance = session->content.instance;
  target->run = session->content.run;
  target->limit = session->content.budget_left; /* getters of V1 and V2 have run on the budget */
  return WM_EXIT_OK;
}

static int check_invoke(const struct wm_args *args)
{
  static const uint8_t refused[] = {WM_OPT_INPUT, WM_OPT_FORM, WM_OPT_UNIFORM};
  for (size_t i = 0; i < sizeof refused; i++) {
    const struct wm_arg *arg = wm_args_find(args, refused[i]);
    if (arg != NULL)
      return wm_fail(WM_EXIT_USAGE, NULL, "--%s is for components: --invoke takes arguments only", arg->def->name);
  }
  return WM_EXIT_OK;
}

static int read_arguments(struct wm_target *target, const struct wm_type *type, const char *name)
{
  const struct wm_args *args = target->args;
  const char *label = target->session.label;
  if (args->rest_count != type->param_count)
    return wm_fail(WM_EXIT_USAGE, label, "%s takes %" PRIu32 " argument%s, %" PRIu32 " given", name, type->param_count,
                   type->param_count == 1 ? "" : "s", args->rest_count);
  target->arguments = wm_allocate(type->param_count, sizeof *target->arguments);
  target->argument_count = type->param_count;
  for (uint32_t i = 0; i < type->param_count; i++)
    if (!wm_value_parse(&target->arguments[i], type->params[i], args->rest[i]))
      return wm_fail(WM_EXIT_USAGE, label, "%s: argument %" PRIu32 " is no value of its type: %s", name, i + 1, args->rest[i]);
  return WM_EXIT_OK;
}

static int link_module(struct wm_target *target)
{
  struct wm_session *session = &target->session;
  int status = wm_session_open_store(session);
  if (status != WM_EXIT_OK)
    return status;
  struct wm_error error = WM_ERROR_NONE;
  target->instance = wm_instance_link(session->store, &session->module, NULL, &error);
  if (target->instance == NULL)
    return wm_session_tell_error(session, &error);
  uint64_t offset = WM_NO_OFFSET;
  enum wm_trap trap = wm_instance_init(target->instance, &offset);
  if (trap != WM_TRAP_NONE)
    return wm_session_tell_trap(session, trap, WM_NO_INDEX, offset);
  target->run = wm_run_open(session->store);
  if (target->run == NULL)
    return wm_fail(WM_EXIT_INTERNAL, session->label, "the host has no memory for it");
  wm_run_set_stream(target->run, (enum wm_stream)target->job.stream);
  target->limit = target->job.budget;
  return WM_EXIT_OK;
}

static void add_call(struct wm_target *target, uint32_t function)
{
  target->functions[target->call_count] = function;
  target->calls[target->call_count++] = wm_instance_item(target->instance, WM_EXTERN_FUNC, function);
}

static int open_invoke(struct wm_target *target, const char *name)
{
  struct wm_session *session = &target->session;
  const struct wm_module *module = &session->module;
  int status = check_invoke(target->args);
  if (status != WM_EXIT_OK)
    return status;
  if (module->import_count > 0)
    return wm_fail(WM_EXIT_DATA, session->label, "imports %.*s.%.*s: only a module without imports can be invoked",
                   (int)module->imports[0].module.length, (const char *)module->imports[0].module.bytes,
                   (int)module->imports[0].name.length, (const char *)module->imports[0].name.bytes);
  const struct wm_export *export_ = wm_module_find_export(module, name, strlen(name));
  if (export_ == NULL || export_->kind != WM_EXTERN_FUNC)
    return wm_fail(WM_EXIT_DATA, session->label, "exports no function %s", name);
  const struct wm_type *type = wm_func_type(module, export_->index);
  status = read_arguments(target, type, name);
  if (status == WM_EXIT_OK)
    status = link_module(target);
  if (status != WM_EXIT_OK)
    return status;
  target->results = wm_allocate(type->result_count, sizeof *target->results);
  target->result_count = type->result_count;
  if (module->has_start)
    add_call(target, module->start);
  add_call(target, export_->index);
  return WM_EXIT_OK;
}

int wm_target_open(struct wm_target *target, const struct wm_args *args)
{
  *target = (struct wm_target){.args = args};
  const char *invoked = wm_args_text(args, WM_OPT_INVOKE, NULL);
  target->is_invoke = invoked != NULL;
  int status = wm_job_open(&target->job, args, 1);
  if (status != WM_EXIT_OK)
    return status;
  const struct wm_job_stage *stage = &target->job.stages[0];
  status = wm_session_load(&target->session, stage->path, stage->bytes, stage->length, &target->job.limits);
  if (status == WM_EXIT_OK)
    status = wm_session_symbols(&target->session, wm_args_text(args, WM_OPT_SYMBOLS, NULL));
  if (status != WM_EXIT_OK)
    return status;
  return target->is_invoke ? open_invoke(target, invoked) : open_component(target);
}

void wm_target_close(struct wm_target *target)
{
  if (target->is_invoke && target->run != NULL)
    wm_run_close(target->run);
  free(target->arguments);
  free(target->results);
  wm_session_close(&target->session);
  wm_job_free(&target->job);
}

/* ---- Resuming --------------------------------------------------------------------------------------------------- */

uint64_t wm_target_instructions(const struct wm_target *target)
{
  return wm_run_look(target->run).instructions;
}

/* The content session ends when the budget does; here it stops in place, and may be looked at and taken back. */
static bool is_exhausted_in_place(struct wm_target *target)
{
  struct wm_content *content = &target->session.content;
  struct wm_content_outcome *outcome = &content->outcome;
  bool is_guest = outcome->phase == WM_CONTENT_SETTER || outcome->phase == WM_CONTENT_RENDER;
  if (outcome->result != WM_CONTENT_EXHAUSTED || !is_guest || wm_run_look(target->run).state != WM_RUN_PAUSED)
    return false;
  content->phase = outcome->phase;
  outcome->result = WM_CONTENT_UNFINISHED;
  return true;
}

static bool resume_content(struct wm_target *target, uint64_t to, bool stops_at_calls)
{
  struct wm_content *content = &target->session.content;
  for (;;) {
    uint64_t at = wm_target_instructions(target);
    uint8_t phase = content->phase;
    uint32_t setter = content->setter;
    bool was_started = target->now.is_started;
    if (was_started && at >= to)
      return true;
    wm_content_set_budget(content, target->limit - at);
    bool is_paused = wm_content_resume(content, to - at, WM_CONTENT_STOP_SETTER | WM_CONTENT_STOP_RENDER);
    if (!is_paused && !is_exhausted_in_place(target)) {
      target->now.is_ended = true;
      return false;
    }
    if (was_started && content->phase == phase && content->setter == setter)
      return true; /* as many as were wanted, or a stop was asked for */
    target->now.is_started = true;
    target->now.begun = wm_target_instructions(target);
    if (stops_at_calls)
      return true;
  }
}

static bool resume_calls(struct wm_target *target, uint64_t to, bool stops_at_calls)
{
  struct wm_target_state *now = &target->now;
  for (;;) {
    uint64_t at = wm_target_instructions(target);
    if (!now->is_started) {
      bool is_last = now->call + 1 == target->call_count;
      struct wm_error error = WM_ERROR_NONE; /* arguments were read by the function's own type */
      wm_run_start(target->run, target->calls[now->call], target->arguments, is_last ? target->argument_count : 0, &error);
      now->is_started = true;
      now->begun = at;
      if (stops_at_calls && wm_run_look(target->run).state == WM_RUN_PAUSED)
        return true;
    }
    enum wm_run_state state = (enum wm_run_state)wm_run_look(target->run).state;
    if (state == WM_RUN_PAUSED && at < to) {
      wm_run_set_budget(target->run, to - at);
      state = wm_run_resume(target->run);
    }
    if (state == WM_RUN_PAUSED)
      return true;
    if (state != WM_RUN_DONE || now->call + 1 == target->call_count) {
      now->is_ended = true;
      wm_run_results(target->run, target->results, target->result_count);
      return false;
    }
    now->call++;
    now->is_started = false;
  }
}

bool wm_target_resume(struct wm_target *target, uint64_t to, bool stops_at_calls)
{
  if (target->now.is_ended)
    return false;
  if (to > target->limit)
    to = target->limit;
  return target->is_invoke ? resume_calls(target, to, stops_at_calls) : resume_content(target, to, stops_at_calls);
}

/* ---- Looking ---------------------------------------------------------------------------------------------------- */

bool wm_target_is_at_entry_call(const struct wm_target *target)
{
  if (target->is_invoke)
    return target->now.call + 1 == target->call_count;
  return target->session.content.phase >= WM_CONTENT_RENDER;
}

bool wm_target_is_trapped(const struct wm_target *target)
{
  struct wm_run_status at = wm_run_look(target->run);
  return target->now.is_ended && at.state == WM_RUN_TRAPPED;
}

int wm_target_status(const struct wm_target *target)
{
  const struct wm_content_outcome *outcome = &target->session.content.outcome;
  if (!target->now.is_ended)
    return WM_EXIT_OK;
  if (target->is_invoke) {
    uint8_t state = wm_run_look(target->run).state;
    return state == WM_RUN_DONE ? WM_EXIT_OK : state == WM_RUN_TRAPPED ? WM_EXIT_TRAP : WM_EXIT_INTERNAL;
  }
  switch (outcome->result) {
  case WM_CONTENT_ACCEPTED: return WM_EXIT_OK;
  case WM_CONTENT_REJECTED: return WM_EXIT_REJECTED;
  case WM_CONTENT_TRAPPED: return WM_EXIT_TRAP;
  case WM_CONTENT_EXHAUSTED: return WM_EXIT_BUDGET;
  case WM_CONTENT_NO_MEMORY: return WM_EXIT_INTERNAL;
  default: return wm_status_exit(outcome->problem.status);
  }
}

static void describe_results(struct wm_target *target, struct wm_buffer *text)
{
  wm_buffer_format(text, "%s returned", wm_args_text(target->args, WM_OPT_INVOKE, ""));
  for (uint32_t i = 0; i < target->result_count; i++) {
    wm_buffer_text(text, i == 0 ? " " : ", ");
    wm_value_print(text, target->session.store, &target->results[i]);
  }
}

static void describe_outcome(struct wm_target *target, struct wm_buffer *text)
{
  const struct wm_content_outcome *outcome = &target->session.content.outcome;
  switch (outcome->result) {
  case WM_CONTENT_ACCEPTED:
    wm_buffer_format(text, "accepted, %" PRIu64 " bytes of output", outcome->output_length);
    if (outcome->output_length > 0)
      wm_buffer_format(text, " at 0x%" PRIx64, outcome->output_address);
    wm_buffer_format(text, " (result 0x%" PRIx64 ")", outcome->word);
    break;
  case WM_CONTENT_EXHAUSTED:
    wm_buffer_format(text, "instruction budget exhausted in %.*s", (int)outcome->export_name.length, outcome->export_name.bytes);
    break;
  case WM_CONTENT_TRAPPED:
    wm_buffer_format(text, "%s in %.*s", wm_trap_text((enum wm_trap)outcome->trap), (int)outcome->export_name.length, outcome->export_name.bytes);
    break;
  default:
    wm_buffer_text(text, outcome->problem.text[0] != '\0' ? outcome->problem.text : "the host has no memory for it");
    break;
  }
}

void wm_target_describe(struct wm_target *target, struct wm_buffer *text)
{
  struct wm_run_status at = wm_run_look(target->run);
  if (at.state == WM_RUN_TRAPPED)
    wm_buffer_text(text, wm_trap_text((enum wm_trap)at.trap));
  else if (at.state == WM_RUN_NO_HOST_MEMORY)
    wm_buffer_text(text, "the host has no memory for it");
  else if (target->is_invoke)
    describe_results(target, text);
  else
    describe_outcome(target, text);
}

struct wm_text wm_target_export_name(const struct wm_target *target)
{
  if (!target->is_invoke) {
    const struct wm_content *content = &target->session.content;
    return content->phase == WM_CONTENT_SETTER && content->setter < content->setter_count ? wm_content_export_name(content)
           : wm_text_of(content->setup.contract->version == WM_CONTRACT_V1 ? "run" : "render");
  }
  bool is_last = target->now.call + 1 == target->call_count;
  return wm_text_of(is_last ? wm_args_text(target->args, WM_OPT_INVOKE, "") : "start function");
}

bool wm_target_output(const struct wm_target *target, uint64_t *address, uint64_t *length)
{
  const struct wm_content_outcome *outcome = &target->session.content.outcome;
  if (target->is_invoke || !target->now.is_ended || outcome->result != WM_CONTENT_ACCEPTED)
    return false;
  *address = outcome->output_address;
  *length = outcome->output_length;
  return true;
}

void wm_target_set_tap(struct wm_target *target, const struct wm_tap *tap)
{
  wm_run_set_tap(target->run, tap);
}

void wm_target_set_stream(struct wm_target *target, enum wm_stream stream)
{
  wm_run_set_stream(target->run, stream);
}

/* ---- States ----------------------------------------------------------------------------------------------------- */

/* The setters' applied values are not in it: running again finds the same. */
void wm_target_save(const struct wm_target *target, struct wm_target_state *state)
{
  *state = target->now;
  state->content = target->session.content;
}

void wm_target_restore(struct wm_target *target, const struct wm_target_state *state)
{
  target->now = *state;
  if (!target->is_invoke)
    target->session.content = state->content;
}
