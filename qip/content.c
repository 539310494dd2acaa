/* One render from request to result: opening, the resumable run of setters and render, and what can be seen of it. */
#include "qip/content.h"

#include "instrument/text.h"
#include "qip/session.h"
#include "qip/utf8.h"

#define WASM_PAGE_BYTES 65536u

/* ---- Checks that can be made at plan time ------------------------------------------------------------------------- */

static const char *type_name(wm_valtype type)
{
  return type == WM_TYPE_I32 ? "i32" : type == WM_TYPE_I64 ? "i64" : type == WM_TYPE_F32 ? "f32" : "f64";
}

bool wm_content_find_setter(const struct wm_contract *contract, const struct wm_uniform *uniform, struct wm_content_setter *setter,
                            struct wm_problem *problem)
{
  setter->uniform = wm_contract_find_uniform(contract, uniform->key);
  if (setter->uniform != NULL && setter->uniform->type != 0 && wm_uniform_parse(setter->uniform->type, uniform->value, &setter->value))
    return true;
  bool is_contract = setter->uniform != NULL && setter->uniform->type == 0;
  if (!wm_problem_begin(problem, is_contract ? WM_CONTRACT : WM_REQUEST))
    return false;
  wm_problem_text(problem, is_contract ? "uniform_set_" : setter->uniform == NULL ? "unknown uniform \"" : "uniform \"");
  wm_problem_bytes(problem, uniform->key.bytes, uniform->key.length);
  if (is_contract) {
    wm_problem_text(problem, " must take one i32, i64, f32 or f64 and return the same type");
  } else if (setter->uniform == NULL) {
    wm_problem_text(problem, "\"");
  } else {
    wm_problem_text(problem, "\": \"");
    wm_problem_bytes(problem, uniform->value.bytes, uniform->value.length);
    wm_problem_text(problem, "\" is no value of type ");
    wm_problem_text(problem, type_name(setter->uniform->type));
  }
  return false;
}

bool wm_content_check_uniforms(const struct wm_contract *contract, const struct wm_uniform *uniforms, uint32_t count,
                               struct wm_problem *problem)
{
  struct wm_content_setter setter;
  for (uint32_t i = 0; i < count; i++)
    if (!wm_content_find_setter(contract, &uniforms[i], &setter, problem))
      return false;
  return true;
}

bool wm_content_check_input(const struct wm_contract *contract, const uint8_t *input, uint64_t length, bool check_utf8,
                            struct wm_problem *problem)
{
  uint64_t bad;
  if (contract->is_generator && length > 0) {
    if (wm_problem_begin(problem, WM_REQUEST)) {
      wm_problem_text(problem, "the component takes no input (");
      wm_problem_number(problem, length);
      wm_problem_text(problem, " bytes given)");
    }
    return false;
  }
  if (!contract->is_generator && contract->input_cap.is_known && length > contract->input_cap.value) {
    if (wm_problem_begin(problem, WM_REQUEST)) {
      wm_problem_text(problem, "input is too large (");
      wm_problem_number(problem, length);
      wm_problem_text(problem, " bytes > ");
      wm_problem_number(problem, contract->input_cap.value);
      wm_problem_text(problem, " bytes input capacity)");
    }
    return false;
  }
  if (check_utf8 && contract->input_encoding == WM_ENCODING_UTF8 && length > 0 && !wm_utf8_is_valid(input, length, &bad)) {
    if (wm_problem_begin(problem, WM_REQUEST)) {
      wm_problem_text(problem, "expected UTF-8 input, got invalid UTF-8 at input offset ");
      wm_problem_number(problem, bad);
    }
    return false;
  }
  return true;
}

/* ---- Opening ---------------------------------------------------------------------------------------------------- */

/* A plan-time problem ends the session. */
static bool end_with_problem(struct wm_content_outcome *outcome)
{
  outcome->result = outcome->problem.status == WM_CONTRACT ? WM_CONTENT_VIOLATION
                    : outcome->problem.status == WM_NO_SPACE ? WM_CONTENT_NO_MEMORY : WM_CONTENT_REFUSED;
  return false;
}

static bool no_space(struct wm_content_outcome *outcome)
{
  return wm_outcome_fail(outcome, WM_CONTENT_NO_MEMORY, WM_NO_SPACE, "no memory to run the component");
}

static bool take_uniforms(struct wm_content *content)
{
  const struct wm_content_setup *setup = &content->setup;
  content->setters = wm_arena_zero(setup->arena, setup->uniform_count + (size_t)1, sizeof *content->setters);
  if (content->setters == NULL)
    return no_space(&content->outcome);
  for (; content->setter_count < setup->uniform_count; content->setter_count++)
    if (!wm_content_find_setter(setup->contract, &setup->uniforms[content->setter_count], &content->setters[content->setter_count],
                                &content->outcome.problem))
      return end_with_problem(&content->outcome);
  return true;
}

/* Instance, active segments, and the start function where a command lets one through. */
static bool instantiate(struct wm_content *content)
{
  const struct wm_content_setup *setup = &content->setup;
  struct wm_content_outcome *outcome = &content->outcome;
  struct wm_error error = WM_ERROR_NONE;
  content->instance = wm_instance_link(setup->store, setup->module, setup->imports, &error);
  if (content->instance == NULL)
    return wm_outcome_fail_error(outcome, &error);
  enum wm_trap trap = wm_instance_init(content->instance, &outcome->offset);
  if (trap == WM_TRAP_NO_HOST_MEMORY)
    return no_space(outcome);
  if (trap != WM_TRAP_NONE) {
    outcome->result = WM_CONTENT_TRAPPED;
    outcome->trap = (uint8_t)trap;
    outcome->export_name = wm_text_of("instantiation");
    return false;
  }
  outcome->offset = WM_NO_OFFSET;
  if (!setup->module->has_start)
    return true;
  struct wm_extern start = wm_instance_item(content->instance, WM_EXTERN_FUNC, setup->module->start);
  return wm_call_quietly(setup->store, start, wm_text_of("start function"), &content->budget_left, NULL, outcome);
}

/* Regions for sinks, and the copy of the input. */
static bool place_input(struct wm_content *content)
{
  const struct wm_content_setup *setup = &content->setup;
  const struct wm_contract *contract = setup->contract;
  size_t room = contract->data_count + (size_t)2;
  content->regions = wm_arena_take(setup->arena, room, sizeof *content->regions);
  content->initialized = wm_arena_take(setup->arena, room, sizeof *content->initialized);
  if (content->regions == NULL || content->initialized == NULL)
    return no_space(&content->outcome);
  for (uint32_t i = 0; i < contract->data_count; i++) {
    const struct wm_contract_data *data = &contract->datas[i];
    struct wm_region region = {WM_REGION_DATA, (uint16_t)data->memory, data->address, data->length};
    if (data->length > 0)
      content->regions[content->region_count++] = content->initialized[content->initialized_count++] = region;
  }
  if (!contract->is_generator) {
    struct wm_region region = {WM_REGION_INPUT, 0, contract->input_ptr.value, contract->input_cap.value};
    if (region.length > 0)
      content->regions[content->region_count++] = region;
    region.length = setup->input_length;
    if (region.length > 0) {
      /* The buffer's place was checked against the initial memory, which does not shrink. */
      __builtin_memcpy(wm_instance_memory(content->instance, 0).base + region.address, setup->input, (size_t)region.length);
      content->initialized[content->initialized_count++] = region;
    }
  }
  content->input_region_count = content->region_count;
  return true;
}

static bool open_steps(struct wm_content *content)
{
  struct wm_content_setup *setup = &content->setup;
  struct wm_content_outcome *outcome = &content->outcome;
  bool is_static = setup->contract->version == WM_CONTRACT_V3;
  if (is_static && !wm_content_check_input(setup->contract, setup->input, setup->input_length, setup->check_input_utf8, &outcome->problem))
    return end_with_problem(outcome);
  if (!take_uniforms(content) || !instantiate(content))
    return false;
  if (!wm_contract_resolve(setup->contract, setup->store, content->instance, &content->budget_left, outcome))
    return false;
  if (!is_static && !wm_content_check_input(setup->contract, setup->input, setup->input_length, setup->check_input_utf8, &outcome->problem))
    return end_with_problem(outcome);
  if (!place_input(content))
    return false;
  const struct wm_global *global = setup->module->globals;
  content->has_global0 = setup->module->global_count > 0 && global->type.is_mutable &&
                         (global->type.type == WM_TYPE_I32 || global->type.type == WM_TYPE_I64);
  if (content->has_global0)
    content->global0_initial = wm_extern_global(wm_instance_item(content->instance, WM_EXTERN_GLOBAL, 0)).bits[0];
  content->run = wm_run_open(setup->store);
  return content->run != NULL || no_space(outcome);
}

/* Ends the session: the outcome stands. Always false. */
static bool finish(struct wm_content *content)
{
  struct wm_content_outcome *outcome = &content->outcome;
  outcome->phase = content->phase;
  outcome->budget_left = content->budget_left;
  content->phase = WM_CONTENT_FINISHED;
  return false;
}

bool wm_content_open(struct wm_content *content, const struct wm_content_setup *setup)
{
  *content = (struct wm_content){.setup = *setup, .phase = WM_CONTENT_OPENING, .stream = WM_STREAM_AUTO, .budget_left = setup->budget};
  wm_outcome_clear(&content->outcome);
  if (!open_steps(content))
    return finish(content);
  content->phase = WM_CONTENT_SETTER;
  return true;
}

void wm_content_set_tap(struct wm_content *content, const struct wm_tap *tap)
{
  if (content->run != NULL)
    wm_run_set_tap(content->run, tap);
}

void wm_content_set_stream(struct wm_content *content, enum wm_stream stream)
{
  content->stream = (uint8_t)stream;
  if (content->run != NULL)
    wm_run_set_stream(content->run, stream);
}

void wm_content_set_budget(struct wm_content *content, uint64_t instructions)
{
  content->budget_left = instructions;
}

/* ---- Running ---------------------------------------------------------------------------------------------------- */

/* The key stands in the export's own name. */
struct wm_text wm_content_setter_name(const struct wm_content_setter *setter)
{
  uint32_t prefix = sizeof "uniform_set_" - 1;
  return (struct wm_text){setter->uniform->key.bytes - prefix, setter->uniform->key.length + prefix};
}

struct wm_text wm_content_export_name(const struct wm_content *content)
{
  if (content->phase == WM_CONTENT_SETTER)
    return wm_content_setter_name(&content->setters[content->setter]);
  return wm_text_of(content->setup.contract->version == WM_CONTRACT_V1 ? "run" : "render");
}

/* Starts the phase's function: it stops before its first instruction. */
static bool start(struct wm_content *content)
{
  struct wm_error error = WM_ERROR_NONE;
  struct wm_value argument = {WM_TYPE_I32, {content->setup.input_length, 0}};
  uint32_t function = content->setup.contract->entry;
  if (content->phase == WM_CONTENT_SETTER) {
    argument = content->setters[content->setter].value;
    function = content->setters[content->setter].uniform->function;
  }
  content->is_started = true;
  if (wm_run_start(content->run, wm_instance_item(content->instance, WM_EXTERN_FUNC, function), &argument, 1, &error))
    return true;
  return wm_outcome_fail_error(&content->outcome, &error);
}

/* Runs at most *instructions of what is started. True: it returned. */
static bool run_slice(struct wm_content *content, uint64_t *instructions, bool *is_paused)
{
  struct wm_content_outcome *outcome = &content->outcome;
  struct wm_run_status before = wm_run_look(content->run);
  uint64_t slice = *instructions < content->budget_left ? *instructions : content->budget_left;
  enum wm_run_state state = before.state;
  if (state == WM_RUN_PAUSED && slice > 0) {
    wm_run_set_budget(content->run, slice);
    state = wm_run_resume(content->run);
  }
  struct wm_run_status after = wm_run_look(content->run);
  uint64_t used = after.instructions - before.instructions;
  content->budget_left -= used;
  *instructions -= used;
  outcome->instructions = after.instructions;
  outcome->peak_frames = after.peak_frames;
  outcome->bulk_bytes = after.bulk_bytes;
  if (state == WM_RUN_DONE)
    return true;
  *is_paused = state == WM_RUN_PAUSED && content->budget_left > 0;
  if (!*is_paused)
    wm_outcome_fail_run(outcome, content->run, wm_content_export_name(content));
  return false;
}

/* What the phase's function returned. */
static void take_result(struct wm_content *content)
{
  struct wm_value value = {0, {0, 0}};
  wm_run_results(content->run, &value, 1);
  content->is_started = false;
  if (content->phase == WM_CONTENT_SETTER)
    content->setters[content->setter++].applied = value;
  else
    wm_content_judge(content, value.bits[0], content->setup.input_length);
}

bool wm_content_resume(struct wm_content *content, uint64_t instructions, uint32_t stops)
{
  while (content->phase != WM_CONTENT_FINISHED) {
    if (content->phase == WM_CONTENT_SETTER && content->setter == content->setter_count)
      content->phase = WM_CONTENT_RENDER;
    if (!content->is_started) {
      if (!start(content))
        return finish(content);
      if (stops & (content->phase == WM_CONTENT_SETTER ? WM_CONTENT_STOP_SETTER : WM_CONTENT_STOP_RENDER))
        return true;
    }
    bool is_paused = false;
    if (run_slice(content, &instructions, &is_paused))
      take_result(content);
    else if (is_paused)
      return true;
    if (content->outcome.result != WM_CONTENT_UNFINISHED)
      return finish(content);
  }
  return false;
}

/* ---- Looking ---------------------------------------------------------------------------------------------------- */

const struct wm_content_outcome *wm_content_outcome(const struct wm_content *content)
{
  return &content->outcome;
}

const uint8_t *wm_content_output(const struct wm_content *content, uint64_t *length)
{
  *length = 0;
  if (content->outcome.result != WM_CONTENT_ACCEPTED || content->outcome.output_length == 0)
    return NULL;
  *length = content->outcome.output_length;
  return wm_instance_memory(content->instance, 0).base + content->outcome.output_address;
}

static struct wm_memory_view view_memory(const struct wm_view *view, uint32_t index)
{
  const struct wm_content *content = view->host;
  struct wm_memory_bytes now = wm_instance_memory(content->instance, index);
  const struct wm_limits_type *type = &content->setup.module->memories[index].type.limits;
  uint64_t limit = content->setup.limits->memory_bytes;
  if (!type->is_64 && limit > UINT64_C(1) << 32)
    limit = UINT64_C(1) << 32;
  if (type->has_maximum && type->maximum < limit / WASM_PAGE_BYTES)
    limit = type->maximum * WASM_PAGE_BYTES;
  return (struct wm_memory_view){now.base, now.length, limit};
}

void wm_content_view(struct wm_content *content, struct wm_view *view)
{
  const struct wm_module *module = content->setup.module;
  view->size = sizeof *view;
  view->host = content;
  view->memory_count = module->memory_count;
  view->function_count = module->func_count;
  view->imported_function_count = module->imported_func_count;
  view->frame_limit = content->setup.limits->frames;
  view->has_global0 = content->has_global0;
  view->global0_initial = content->global0_initial;
  view->memory = view_memory;
  view->region_count = content->region_count;
  view->regions = content->regions;
  view->initialized_count = content->initialized_count;
  view->initialized = content->initialized;
}

void wm_content_close(struct wm_content *content)
{
  if (content->run != NULL)
    wm_run_close(content->run);
  content->run = NULL;
}
