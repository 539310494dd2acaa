/* Order and calls of the timed and interactive lifecycle. Every call of the component goes through `call`, counted and tapped as
 * the session's own render was. */
#include "qip/lifecycle.h"

#include "instrument/text.h"
#include "qip/session.h"

/* ---- Problems --------------------------------------------------------------------------------------------------- */

static bool out_of_order(struct wm_problem *problem, const char *text)
{
  if (wm_problem_begin(problem, WM_CONTRACT))
    wm_problem_text(problem, text);
  return false;
}

static void add_signed(struct wm_problem *problem, int64_t number)
{
  if (number < 0)
    wm_problem_text(problem, "-");
  wm_problem_number(problem, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

/* The component is at fault: the session ends, and the problem says what its outcome does. */
static bool end_session(struct wm_lifecycle *lifecycle, struct wm_problem *problem)
{
  const struct wm_content_outcome *outcome = &lifecycle->content->outcome;
  if (outcome->problem.status != WM_OK) {
    if (problem->status == WM_OK)
      *problem = outcome->problem;
  } else if (wm_problem_begin(problem, WM_CONTRACT)) {
    wm_problem_bytes(problem, outcome->export_name.bytes, outcome->export_name.length);
    wm_problem_text(problem, outcome->result == WM_CONTENT_TRAPPED ? " trapped: " : " used up the instruction budget");
    if (outcome->result == WM_CONTENT_TRAPPED)
      wm_problem_text(problem, wm_trap_text(outcome->trap));
    problem->function = outcome->function;
    problem->offset = outcome->offset;
  }
  return false;
}

static bool violate(struct wm_lifecycle *lifecycle, const char *text, int64_t number, const char *after, struct wm_problem *problem)
{
  struct wm_content_outcome *outcome = &lifecycle->content->outcome;
  wm_outcome_fail(outcome, WM_CONTENT_VIOLATION, WM_CONTRACT, text);
  add_signed(&outcome->problem, number);
  wm_problem_text(&outcome->problem, after);
  return end_session(lifecycle, problem);
}

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

static bool is_live(const struct wm_lifecycle *lifecycle, struct wm_problem *problem)
{
  if (lifecycle->content->outcome.result == WM_CONTENT_ACCEPTED)
    return true;
  return out_of_order(problem, "the component has stopped: nothing can follow");
}

/* Runs a function to its end on the session's budget. */
static bool call(struct wm_lifecycle *lifecycle, uint32_t function, struct wm_text name, const struct wm_value *args, uint32_t count,
                 struct wm_value *result, struct wm_problem *problem)
{
  struct wm_content *content = lifecycle->content;
  struct wm_content_outcome *outcome = &content->outcome;
  struct wm_error error = WM_ERROR_NONE;
  if (!is_live(lifecycle, problem))
    return false;
  if (!wm_run_start(content->run, wm_instance_item(content->instance, WM_EXTERN_FUNC, function), args, count, &error)) {
    wm_outcome_fail_error(outcome, &error);
    return end_session(lifecycle, problem);
  }
  struct wm_run_status status = wm_run_look(content->run);
  while (status.state == WM_RUN_PAUSED && content->budget_left > 0) {
    uint64_t before = status.instructions;
    wm_run_set_budget(content->run, content->budget_left);
    wm_run_resume(content->run);
    status = wm_run_look(content->run);
    content->budget_left -= status.instructions - before;
  }
  outcome->instructions = status.instructions;
  outcome->peak_frames = status.peak_frames;
  outcome->bulk_bytes = status.bulk_bytes;
  outcome->budget_left = content->budget_left;
  if (status.state != WM_RUN_DONE) {
    wm_outcome_fail_run(outcome, content->run, name);
    return end_session(lifecycle, problem);
  }
  *result = (struct wm_value){0, {0, 0}};
  wm_run_results(content->run, result, 1);
  return true;
}

static struct wm_value value_i32(uint32_t bits)
{
  return (struct wm_value){WM_TYPE_I32, {bits, 0}};
}

/* ---- The lifecycle ---------------------------------------------------------------------------------------------- */

bool wm_lifecycle_begin(struct wm_lifecycle *lifecycle, struct wm_content *content, struct wm_problem *problem)
{
  *lifecycle = (struct wm_lifecycle){.content = content};
  if (content->setup.contract->version != WM_CONTRACT_V3)
    return out_of_order(problem, "only components of contract V3 can be rendered again");
  if (content->outcome.result != WM_CONTENT_ACCEPTED)
    return out_of_order(problem, "the first render was not accepted");
  return true;
}

bool wm_lifecycle_begin_update(struct wm_lifecycle *lifecycle, int64_t now_ms, struct wm_problem *problem)
{
  const struct wm_contract *contract = lifecycle->content->setup.contract;
  struct wm_value argument = {WM_TYPE_I64, {(uint64_t)now_ms, 0}}, nothing;
  if (!contract->is_interactive)
    return out_of_order(problem, "begin_update_at and finish_update are not exported: the component has no updates");
  if (lifecycle->is_updating)
    return out_of_order(problem, "an update is open already");
  if (now_ms <= lifecycle->now_ms) {
    if (wm_problem_begin(problem, WM_CONTRACT)) {
      wm_problem_text(problem, "time must rise: ");
      add_signed(problem, now_ms);
      wm_problem_text(problem, " ms is not after ");
      add_signed(problem, lifecycle->now_ms);
      wm_problem_text(problem, " ms");
    }
    return false;
  }
  if (!call(lifecycle, contract->begin_update_at, wm_text_of("begin_update_at"), &argument, 1, &nothing, problem))
    return false;
  lifecycle->now_ms = now_ms;
  lifecycle->is_updating = true;
  lifecycle->has_events = false;
  lifecycle->has_wake = false;
  return true;
}

bool wm_lifecycle_uniform(struct wm_lifecycle *lifecycle, const struct wm_uniform *uniform, struct wm_value *applied, struct wm_problem *problem)
{
  struct wm_content_setter setter;
  if (lifecycle->is_updating && lifecycle->has_events)
    return out_of_order(problem, "a uniform may not be set after the update's first event");
  if (!wm_content_find_setter(lifecycle->content->setup.contract, uniform, &setter, problem))
    return false;
  return call(lifecycle, setter.uniform->function, wm_content_setter_name(&setter), &setter.value, 1, applied, problem);
}

/* An event handler says 1 for a changed state, 0 for none. */
static bool send(struct wm_lifecycle *lifecycle, uint32_t function, const char *name, const struct wm_value *args, uint32_t count,
                 bool *is_changed, struct wm_problem *problem)
{
  struct wm_value result;
  if (!lifecycle->is_updating)
    return out_of_order(problem, "an event needs an open update");
  if (function == WM_NO_INDEX) {
    out_of_order(problem, name);
    wm_problem_text(problem, " is not exported");
    return false;
  }
  lifecycle->has_events = true;
  if (!call(lifecycle, function, wm_text_of(name), args, count, &result, problem))
    return false;
  *is_changed = result.bits[0] == 1;
  if (result.bits[0] > 1)
    return violate(lifecycle, "an event handler must return 0 or 1, not ", (int32_t)result.bits[0], "", problem);
  return true;
}

bool wm_lifecycle_key(struct wm_lifecycle *lifecycle, uint32_t keysym, uint32_t flags, bool *is_changed, struct wm_problem *problem)
{
  struct wm_value args[] = {value_i32(keysym), value_i32(flags)};
  return send(lifecycle, lifecycle->content->setup.contract->key_event, "key_event", args, 2, is_changed, problem);
}

bool wm_lifecycle_pointer(struct wm_lifecycle *lifecycle, uint32_t buttons, int32_t x, int32_t y, bool *is_changed, struct wm_problem *problem)
{
  struct wm_value args[] = {value_i32(buttons), value_i32((uint32_t)x), value_i32((uint32_t)y)};
  return send(lifecycle, lifecycle->content->setup.contract->pointer_event, "pointer_event", args, 3, is_changed, problem);
}

bool wm_lifecycle_finish_update(struct wm_lifecycle *lifecycle, struct wm_problem *problem)
{
  struct wm_value result;
  if (!lifecycle->is_updating)
    return out_of_order(problem, "no update is open");
  if (!call(lifecycle, lifecycle->content->setup.contract->finish_update, wm_text_of("finish_update"), NULL, 0, &result, problem))
    return false;
  int64_t wake = (int64_t)result.bits[0];
  if (wake < lifecycle->now_ms)
    return violate(lifecycle, "finish_update asked to wake at ", wake, " ms, before now", problem);
  lifecycle->is_updating = false;
  lifecycle->has_wake = wake > lifecycle->now_ms;
  lifecycle->wake_ms = wake;
  lifecycle->updates++;
  return true;
}

bool wm_lifecycle_render(struct wm_lifecycle *lifecycle, struct wm_problem *problem)
{
  struct wm_content *content = lifecycle->content;
  struct wm_value result, nothing = value_i32(0);
  if (lifecycle->is_updating)
    return out_of_order(problem, "render may not be called while an update is open");
  if (!call(lifecycle, content->setup.contract->entry, wm_text_of("render"), &nothing, 1, &result, problem))
    return false;
  wm_content_judge(content, result.bits[0], 0);
  if (content->outcome.result == WM_CONTENT_REJECTED) {
    wm_problem_clear(&content->outcome.problem);
    wm_outcome_fail(&content->outcome, WM_CONTENT_VIOLATION, WM_CONTRACT, "render rejected a frame after it had accepted its input");
  }
  if (content->outcome.result != WM_CONTENT_ACCEPTED)
    return end_session(lifecycle, problem);
  lifecycle->frames++;
  return true;
}

bool wm_lifecycle_read(struct wm_lifecycle *lifecycle, uint32_t function, uint32_t *value, struct wm_problem *problem)
{
  struct wm_content *content = lifecycle->content;
  struct wm_value result;
  if (!is_live(lifecycle, problem))
    return false;
  struct wm_extern item = wm_instance_item(content->instance, WM_EXTERN_FUNC, function);
  if (!wm_call_quietly(content->setup.store, item, wm_text_of("a counter"), &content->budget_left, &result, &content->outcome))
    return end_session(lifecycle, problem);
  *value = (uint32_t)result.bits[0];
  return true;
}
