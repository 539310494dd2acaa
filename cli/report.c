/* One component, one report; see report.h. Nothing reaches the output before the run has been accepted, or --partial asks for it. */
#include "cli/report.h"

#include <string.h>

#include "cli/job.h"
#include "cli/message.h"
#include "cli/session.h"
#include "instrument/text.h"

uint32_t wm_report_format(const struct wm_args *args, struct wm_option *option)
{
  const char *format = wm_args_text(args, WM_OPT_FORMAT, NULL);
  if (format == NULL)
    return 0;
  *option = (struct wm_option){wm_text_of("format"), wm_text_of(format)};
  return 1;
}

int wm_report_options(const struct wm_args *args, int first, int last, struct wm_option options[WM_OPTIONS_MAX], uint32_t *count)
{
  for (uint32_t i = 0; i < args->count; i++) {
    const struct wm_arg *arg = &args->items[i];
    if (arg->def->id < first || arg->def->id > last)
      continue;
    if (*count == WM_OPTIONS_MAX)
      return wm_fail(WM_EXIT_USAGE, NULL, "--%s: too many options", arg->def->name);
    struct wm_text value = arg->text == NULL ? (struct wm_text){NULL, 0} : wm_text_of(arg->text);
    options[(*count)++] = (struct wm_option){wm_text_of(arg->def->name), value};
  }
  return WM_EXIT_OK;
}

static int run_job(struct wm_session *session, struct wm_job *job, struct wm_sinks *sinks)
{
  struct wm_job_stage *stage = &job->stages[0];
  int status = wm_session_load(session, stage->path, stage->bytes, stage->length, &job->limits);
  if (status == WM_EXIT_OK)
    status = wm_session_symbols(session, stage->symbols);
  if (status == WM_EXIT_OK)
    status = wm_session_contract(session, 0);
  if (status == WM_EXIT_OK)
    status = wm_job_input(job, wm_session_capacity(session), stage->path);
  if (status != WM_EXIT_OK)
    return status;
  struct wm_session_input input = {job->input, job->input_length, true, stage->uniforms, stage->uniform_count, job->budget, job->stream};
  return wm_session_run(session, &input, sinks);
}

int wm_report_run(const struct wm_args *args, const struct wm_sink_class *class_, const struct wm_option *options, uint32_t option_count)
{
  struct wm_job job;
  struct wm_session session = {0};
  struct wm_sinks sinks = {0};
  sinks.result_path = wm_args_text(args, WM_OPT_OUTPUT, NULL);
  sinks.takes_partial = wm_args_has(args, WM_OPT_PARTIAL);
  int status = wm_job_open(&job, args, 1);
  if (status == WM_EXIT_OK) {
    wm_sinks_add_result(&sinks, class_, options, option_count);
    for (uint32_t i = 0; i < job.stages[0].sink_count && status == WM_EXIT_OK; i++)
      status = wm_sinks_add(&sinks, job.stages[0].sinks[i]);
  }
  if (status == WM_EXIT_OK)
    status = run_job(&session, &job, &sinks);
  if (session.has_run) {
    bool is_complete = status == WM_EXIT_OK;
    wm_session_report(&session, &sinks, is_complete);
    if (!is_complete && sinks.takes_partial)
      wm_note(job.stages[0].path, "the report is partial: it covers the run up to where it stopped");
    int written = wm_sinks_write(&sinks);
    if (written != WM_EXIT_OK)
      status = written;
  }
  wm_session_close(&session);
  wm_sinks_free(&sinks);
  wm_job_free(&job);
  return status;
}
