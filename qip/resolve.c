/* Calls beside the run proper: getters of contracts V1 and V2, which have to be run (or read, where V1 has globals). */
#include "instrument/text.h"
#include "qip/session.h"

void wm_outcome_clear(struct wm_content_outcome *outcome)
{
  *outcome = (struct wm_content_outcome){.function = WM_NO_INDEX, .offset = WM_NO_OFFSET};
  wm_problem_clear(&outcome->problem);
}

bool wm_outcome_fail(struct wm_content_outcome *outcome, enum wm_content_result result, enum wm_status status, const char *text)
{
  outcome->result = (uint8_t)result;
  if (wm_problem_begin(&outcome->problem, status))
    wm_problem_text(&outcome->problem, text);
  return false;
}

bool wm_outcome_fail_error(struct wm_content_outcome *outcome, const struct wm_error *error)
{
  enum wm_content_result result = WM_CONTENT_REFUSED; /* the module is not acceptable, or beyond a limit */
  if (error->status == WM_NO_SPACE)
    result = WM_CONTENT_NO_MEMORY;
  else if (error->status == WM_UNLINKABLE || error->status == WM_CONTRACT)
    result = WM_CONTENT_VIOLATION;
  outcome->result = (uint8_t)result;
  wm_problem_from_error(&outcome->problem, error);
  return false;
}

bool wm_outcome_fail_run(struct wm_content_outcome *outcome, const struct wm_run *run, struct wm_text export_name)
{
  struct wm_run_status status = wm_run_look(run);
  outcome->export_name = export_name;
  outcome->function = status.function;
  outcome->offset = status.offset;
  if (status.state == WM_RUN_NO_HOST_MEMORY)
    return wm_outcome_fail(outcome, WM_CONTENT_NO_MEMORY, WM_NO_SPACE, "the host has no memory for the component");
  outcome->result = status.state == WM_RUN_TRAPPED ? WM_CONTENT_TRAPPED : WM_CONTENT_EXHAUSTED;
  outcome->trap = status.trap;
  return false;
}

bool wm_call_quietly(struct wm_store *store, struct wm_extern function, struct wm_text export_name, uint64_t *budget,
                     struct wm_value *result, struct wm_content_outcome *outcome)
{
  struct wm_error error = WM_ERROR_NONE;
  struct wm_run *run = wm_run_open(store);
  if (run == NULL)
    return wm_outcome_fail(outcome, WM_CONTENT_NO_MEMORY, WM_NO_SPACE, "no memory to run the component");
  bool is_done = false;
  wm_run_set_budget(run, *budget);
  if (!wm_run_start(run, function, NULL, 0, &error)) {
    wm_outcome_fail_error(outcome, &error);
  } else {
    enum wm_run_state state = wm_run_look(run).state;
    if (state == WM_RUN_PAUSED && *budget > 0)
      state = wm_run_resume(run);
    *budget = wm_run_look(run).budget;
    is_done = state == WM_RUN_DONE;
    if (!is_done)
      wm_outcome_fail_run(outcome, run, export_name);
    else if (result != NULL)
      wm_run_results(run, result, 1);
  }
  wm_run_close(run);
  return is_done;
}

/* Names in the order in which getters are asked. */
static bool resolve_getter(struct wm_instance *instance, struct wm_store *store, const char *name, struct wm_getter *getter,
                           uint64_t *budget, struct wm_content_outcome *outcome)
{
  struct wm_value value;
  if (!getter->is_present)
    return true;
  if (getter->is_global) {
    value = wm_extern_global(wm_instance_item(instance, WM_EXTERN_GLOBAL, getter->index));
  } else {
    struct wm_extern function = wm_instance_item(instance, WM_EXTERN_FUNC, getter->index);
    if (!wm_call_quietly(store, function, wm_text_of(name), budget, &value, outcome))
      return false;
  }
  getter->is_known = true;
  getter->value = (uint32_t)value.bits[0];
  return true;
}

static bool resolve_type(struct wm_contract *contract, struct wm_instance *instance, const char *name, struct wm_content_type *type,
                         struct wm_content_outcome *outcome)
{
  if (!type->pointer.is_present)
    return true;
  struct wm_memory_bytes memory = wm_instance_memory(instance, 0);
  if (wm_contract_read_type(contract, name, memory.base, memory.length, type, &outcome->problem))
    return true;
  outcome->result = outcome->problem.status == WM_NO_SPACE ? WM_CONTENT_NO_MEMORY : WM_CONTENT_VIOLATION;
  return false;
}

bool wm_contract_resolve(struct wm_contract *contract, struct wm_store *store, struct wm_instance *instance, uint64_t *budget,
                         struct wm_content_outcome *outcome)
{
  if (contract->version == WM_CONTRACT_V3)
    return true;
  const struct { const char *name; struct wm_getter *getter; } getters[] = {
    {"input_ptr", &contract->input_ptr},
    {contract->input_encoding == WM_ENCODING_UTF8 ? "input_utf8_cap" : "input_bytes_cap", &contract->input_cap},
    {contract->output_encoding == WM_ENCODING_UTF8 ? "output_utf8_cap" :
     contract->output_encoding == WM_ENCODING_I32 ? "output_i32_cap" : "output_bytes_cap", &contract->output_cap},
    {"input_content_type_ptr", &contract->input_type.pointer}, {"input_content_type_size", &contract->input_type.size},
    {"output_content_type_ptr", &contract->output_type.pointer}, {"output_content_type_size", &contract->output_type.size},
  };
  for (size_t i = 0; i < sizeof getters / sizeof *getters; i++)
    if (!resolve_getter(instance, store, getters[i].name, getters[i].getter, budget, outcome))
      return false;
  if (!resolve_type(contract, instance, "input_content_type", &contract->input_type, outcome) ||
      !resolve_type(contract, instance, "output_content_type", &contract->output_type, outcome))
    return false;
  if (wm_contract_check_input_region(contract, wm_instance_memory(instance, 0).length, &outcome->problem))
    return true;
  outcome->result = WM_CONTENT_VIOLATION;
  return false;
}
