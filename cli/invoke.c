/* `run MODULE --invoke EXPORT ARGS…`; see invoke.h. No component contract here: the module is linked, its start function and
 * then the export run, on one budget, both watched by the sinks. */
#include "cli/invoke.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/digest.h"
#include "cli/files.h"
#include "cli/job.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/session.h"
#include "cli/values.h"

struct invocation {
  const struct wm_args *args;
  struct wm_job job;
  struct wm_session session;
  struct wm_sinks sinks;
  struct wm_instance *instance;
  struct wm_run *run;
  struct wm_extern function;
  const struct wm_type *type;
  struct wm_value *arguments, *results;
  uint32_t result_count;
};

static int check_options(const struct wm_args *args)
{
  static const uint8_t refused[] = {WM_OPT_INPUT, WM_OPT_FORM, WM_OPT_UNIFORM, WM_OPT_CAPACITIES};
  for (size_t i = 0; i < sizeof refused; i++) {
    const struct wm_arg *arg = wm_args_find(args, refused[i]);
    if (arg != NULL)
      return wm_fail(WM_EXIT_USAGE, NULL, "--%s is for components: --invoke takes arguments only", arg->def->name);
  }
  if (args->positional_count != 1)
    return wm_fail(WM_EXIT_USAGE, NULL, "--invoke needs one module before it");
  return WM_EXIT_OK;
}

/* ---- The export and its arguments ------------------------------------------------------------------------------- */

static int find_export(struct invocation *in, const char *name)
{
  const struct wm_module *module = &in->session.module;
  const struct wm_export *export_ = wm_module_find_export(module, name, strlen(name));
  if (export_ == NULL || export_->kind != WM_EXTERN_FUNC)
    return wm_fail(WM_EXIT_DATA, in->session.label, "exports no function %s", name);
  in->type = wm_func_type(module, export_->index);
  return WM_EXIT_OK;
}

static int read_arguments(struct invocation *in, const char *name)
{
  const struct wm_args *args = in->args;
  const struct wm_type *type = in->type;
  struct wm_buffer text = WM_BUFFER_EMPTY;
  wm_signature_print(&text, type);
  wm_buffer_char(&text, '\0');
  int status = WM_EXIT_OK;
  if (args->rest_count != type->param_count)
    status = wm_fail(WM_EXIT_USAGE, in->session.label, "%s %s takes %" PRIu32 " argument%s, %" PRIu32 " given", name, (char *)text.bytes,
                     type->param_count, type->param_count == 1 ? "" : "s", args->rest_count);
  in->arguments = wm_allocate(type->param_count, sizeof *in->arguments);
  for (uint32_t i = 0; i < type->param_count && status == WM_EXIT_OK; i++) {
    if (wm_value_parse(&in->arguments[i], type->params[i], args->rest[i]))
      continue;
    text.length = 0;
    wm_valtype_print(&text, type->params[i]);
    wm_buffer_char(&text, '\0');
    status = wm_fail(WM_EXIT_USAGE, in->session.label, "%s: argument %" PRIu32 " is no %s: %s", name, i + 1, (char *)text.bytes,
                     args->rest[i]);
  }
  wm_buffer_free(&text);
  return status;
}

/* ---- Running ---------------------------------------------------------------------------------------------------- */

static int tell_stop(struct invocation *in, enum wm_run_state state, uint64_t budget)
{
  struct wm_run_status at = wm_run_look(in->run);
  struct wm_buffer text = WM_BUFFER_EMPTY;
  int status = WM_EXIT_TRAP;
  if (state == WM_RUN_PAUSED) {
    status = WM_EXIT_BUDGET;
    wm_buffer_format(&text, "instruction budget of %" PRIu64 " exhausted", budget);
  } else if (state == WM_RUN_NO_HOST_MEMORY) {
    status = WM_EXIT_INTERNAL;
    wm_buffer_text(&text, "the host has no memory for it");
  } else {
    wm_buffer_format(&text, "trap: %s", wm_trap_text((enum wm_trap)at.trap));
  }
  wm_session_where(&in->session, &text, at.function, at.offset);
  wm_buffer_char(&text, '\0');
  wm_fail(status, in->session.label, "%s", (const char *)text.bytes);
  wm_buffer_free(&text);
  return status;
}

/* Runs one function to its end; the budget goes on from call to call. */
static int call(struct invocation *in, struct wm_extern function, const struct wm_value *arguments, uint32_t count)
{
  struct wm_error error = WM_ERROR_NONE;
  if (!wm_run_start(in->run, function, arguments, count, &error))
    return wm_session_tell_error(&in->session, &error);
  struct wm_progress progress = {0};
  uint64_t left = wm_run_look(in->run).budget;
  enum wm_run_state state;
  do {
    uint64_t slice = wm_progress_slice(&progress);
    if (slice > left)
      slice = left;
    wm_run_set_budget(in->run, slice);
    state = wm_run_resume(in->run);
    left -= slice - wm_run_look(in->run).budget;
    wm_progress_show(&progress, in->session.label, wm_run_look(in->run).instructions);
  } while (state == WM_RUN_PAUSED && left > 0);
  wm_progress_end(&progress);
  wm_run_set_budget(in->run, left);
  return state == WM_RUN_DONE ? WM_EXIT_OK : tell_stop(in, state, in->job.budget);
}

static int link_module(struct invocation *in)
{
  struct wm_session *session = &in->session;
  int status = wm_session_open_store(session);
  if (status != WM_EXIT_OK)
    return status;
  struct wm_error error = WM_ERROR_NONE;
  in->instance = wm_instance_link(session->store, &session->module, NULL, &error);
  if (in->instance == NULL)
    return wm_session_tell_error(session, &error);
  uint64_t offset = WM_NO_OFFSET;
  enum wm_trap trap = wm_instance_init(in->instance, &offset);
  if (trap != WM_TRAP_NONE)
    return wm_session_tell_trap(session, trap, WM_NO_INDEX, offset);
  in->run = wm_run_open(session->store);
  if (in->run == NULL)
    return wm_fail(WM_EXIT_INTERNAL, session->label, "the host has no memory for it");
  wm_run_set_stream(in->run, (enum wm_stream)in->job.stream);
  wm_run_set_budget(in->run, in->job.budget);
  return WM_EXIT_OK;
}

static int run_export(struct invocation *in)
{
  const struct wm_module *module = &in->session.module;
  const char *name = wm_args_text(in->args, WM_OPT_INVOKE, "");
  int status = find_export(in, name);
  if (status == WM_EXIT_OK)
    status = read_arguments(in, name);
  if (status == WM_EXIT_OK)
    status = link_module(in);
  if (status == WM_EXIT_OK && in->sinks.count > 0) {
    status = wm_session_watch(&in->session, in->instance, in->run, &in->sinks);
    if (status == WM_EXIT_OK)
      wm_run_set_tap(in->run, &in->sinks.fanout.tap);
  }
  if (status == WM_EXIT_OK && module->has_start)
    status = call(in, wm_instance_item(in->instance, WM_EXTERN_FUNC, module->start), NULL, 0);
  if (status != WM_EXIT_OK)
    return status;
  struct wm_extern function = wm_instance_export(in->instance, wm_module_find_export(module, name, strlen(name)));
  status = call(in, function, in->arguments, in->type->param_count);
  if (status == WM_EXIT_OK) {
    in->results = wm_allocate(in->type->result_count, sizeof *in->results);
    in->result_count = wm_run_results(in->run, in->results, in->type->result_count);
  }
  return status;
}

static int write_results(struct invocation *in)
{
  struct wm_buffer out = WM_BUFFER_EMPTY, digests = WM_BUFFER_EMPTY;
  for (uint32_t i = 0; i < in->result_count; i++) {
    wm_value_print(&out, in->session.store, &in->results[i]);
    wm_buffer_char(&out, '\n');
  }
  if (wm_args_has(in->args, WM_OPT_DIGEST)) {
    wm_digest_line(&digests, "module", in->job.stages[0].bytes, in->job.stages[0].length, in->session.label);
    wm_digest_line(&digests, "output", out.bytes, out.length, in->session.label);
  }
  for (uint32_t m = 0; wm_args_has(in->args, WM_OPT_MEMORY_DIGEST) && m < in->session.module.memory_count; m++) {
    struct wm_memory_bytes memory = wm_instance_memory(in->instance, m);
    wm_digest_line(&digests, "memory", memory.base, (size_t)memory.length, in->session.label);
  }
  int status = wm_output_write(wm_args_text(in->args, WM_OPT_OUTPUT, NULL), out.bytes, out.length);
  if (status == WM_EXIT_OK && wm_write_all(2, digests.bytes, digests.length) != 0)
    status = WM_EXIT_IO;
  wm_buffer_free(&out);
  wm_buffer_free(&digests);
  return status;
}

static int load(struct invocation *in)
{
  int status = wm_job_open(&in->job, in->args, 1);
  for (uint32_t i = 0; status == WM_EXIT_OK && i < in->job.stages[0].sink_count; i++)
    status = wm_sinks_add(&in->sinks, in->job.stages[0].sinks[i]);
  if (status != WM_EXIT_OK)
    return status;
  const struct wm_job_stage *stage = &in->job.stages[0];
  status = wm_session_load(&in->session, stage->path, stage->bytes, stage->length, &in->job.limits);
  if (status == WM_EXIT_OK)
    status = wm_session_symbols(&in->session, stage->symbols);
  if (status == WM_EXIT_OK && in->session.module.import_count > 0)
    status = wm_fail(WM_EXIT_DATA, stage->path, "imports %.*s.%.*s: only a module without imports can be invoked",
                     (int)in->session.module.imports[0].module.length, (const char *)in->session.module.imports[0].module.bytes,
                     (int)in->session.module.imports[0].name.length, (const char *)in->session.module.imports[0].name.bytes);
  return status;
}

int wm_invoke(const struct wm_args *args)
{
  int status = check_options(args);
  if (status != WM_EXIT_OK)
    return status;
  struct invocation in = {.args = args};
  status = load(&in);
  if (status == WM_EXIT_OK)
    status = run_export(&in);
  if (in.session.has_run) {
    struct wm_run_status at = wm_run_look(in.run);
    wm_session_report_run(&in.session, &in.sinks, status == WM_EXIT_OK, at.instructions);
  }
  if (status == WM_EXIT_OK)
    status = write_results(&in);
  int written = wm_sinks_write(&in.sinks);
  if (status == WM_EXIT_OK)
    status = written;
  if (in.run != NULL)
    wm_run_close(in.run);
  free(in.arguments);
  free(in.results);
  wm_session_close(&in.session);
  wm_sinks_free(&in.sinks);
  wm_job_free(&in.job);
  return status;
}
