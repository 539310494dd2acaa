/* Runs: starting, resuming within a budget, stopping, and looking at frames (run.h has the promises).
 *
 * Resuming is a loop around the loops: slices, so that a stop asked for by a signal is seen soon, and the choice of the stream. A run
 * owns its blocks of frames and slots; the struct itself lives in the store's arena. */
#include "interp/stream.h"
#include "interp/frame.h"

/* Instructions between looks at is_stop_asked: some milliseconds. */
#define SLICE ((uint64_t)1 << 20)
#define FAST_SLICE ((uint64_t)1 << 22)

struct wm_run *wm_run_open(struct wm_store *store)
{
  const struct wm_host *host = store->host;
  const struct wm_limits *limits = store->limits;
  struct wm_run *run = wm_arena_zero(store->arena, 1, sizeof *run);
  struct wm_event *batch = wm_arena_take(store->arena, WM_BATCH_EVENTS, sizeof *batch);
  if (run == NULL || batch == NULL)
    return NULL;
  uint64_t frames = limits->frames < UINT32_MAX ? limits->frames : UINT32_MAX;
  uint64_t slot_bytes = limits->slots * sizeof(uint64_t), frame_bytes = frames * sizeof(struct wm_frame);
  if (!host->take(host->user, &run->slot_block, slot_bytes, slot_bytes))
    return NULL;
  if (!host->take(host->user, &run->frame_block, frame_bytes, frame_bytes)) {
    host->release(host->user, &run->slot_block);
    return NULL;
  }
  run->store = store;
  run->batch = batch;
  run->slots = (uint64_t *)(void *)run->slot_block.base;
  run->slots_end = run->slots + limits->slots;
  run->frames = (struct wm_frame *)(void *)run->frame_block.base;
  run->frame_limit = (uint32_t)frames;
  run->bulk_limit = run->bulk_left = limits->bulk_bytes;
  run->next = store->runs;
  store->runs = run;
  return run;
}

void wm_run_close(struct wm_run *run)
{
  struct wm_store *store = run->store;
  struct wm_run **link = &store->runs;
  while (*link != run)
    link = &(*link)->next;
  *link = run->next;
  store->host->release(store->host->user, &run->slot_block);
  store->host->release(store->host->user, &run->frame_block);
  run->frame_count = 0;
  run->state = WM_RUN_IDLE;
}

void wm_run_set_tap(struct wm_run *run, const struct wm_tap *tap)
{
  run->tap = tap != NULL ? *tap : (struct wm_tap){0};
  run->wants = run->tap.wants;
  run->needs = run->tap.needs;
}

void wm_run_set_stream(struct wm_run *run, enum wm_stream stream)
{
  run->stream = (uint8_t)stream;
}

void wm_run_set_budget(struct wm_run *run, uint64_t instructions)
{
  run->budget = instructions;
}

void wm_run_ask_stop(struct wm_run *run)
{
  run->is_stop_asked = true;
}

/* ---- Starting ------------------------------------------------------------------------------------------------------ */

/* A reference that is there is not null, whatever type the host has it by. */
static wm_valtype value_type(const struct wm_value *value)
{
  return wm_type_is_ref(value->type) && value->bits[0] != 0 ? value->type & ~WM_TYPE_NULLABLE : value->type;
}

static bool args_match(const struct wm_run *run, const struct wm_type *signature, const struct wm_value *args, uint32_t arg_count)
{
  if (arg_count != signature->param_count)
    return false;
  for (uint32_t i = 0; i < arg_count; i++)
    if (!wm_type_matches(run->store->types, value_type(&args[i]), signature->params[i]))
      return false;
  return true;
}

/* Values to slots and back; both answer the number of slots. */
static uint32_t put_value(uint64_t *slots, wm_valtype type, const uint64_t bits[2])
{
  bool is_32 = type == WM_TYPE_I32 || type == WM_TYPE_F32;
  slots[0] = is_32 ? (uint32_t)bits[0] : bits[0];
  if (type != WM_TYPE_V128)
    return 1;
  slots[1] = bits[1];
  return 2;
}

static uint32_t get_value(const uint64_t *slots, wm_valtype type, struct wm_value *value)
{
  *value = (struct wm_value){type, {slots[0], type == WM_TYPE_V128 ? slots[1] : 0}};
  return wm_type_slots(type);
}

static void begin(struct wm_run *run, struct wm_function *function, const struct wm_value *args, uint32_t arg_count)
{
  run->frame_count = 0;
  run->trap = WM_TRAP_NONE;
  run->has_fault = false;
  run->exception = 0;
  run->started = function;
  uint64_t *slots = run->slots;
  for (uint32_t i = 0; i < arg_count; i++)
    slots += put_value(slots, function->signature->params[i], args[i].bits);
}

static void tell_start(struct wm_run *run, const struct wm_function *function)
{
  if ((run->wants & WM_WANT(WM_EVENT_CALL)) == 0)
    return;
  uint16_t flags = WM_FLAG_OUTERMOST | (function->instance == NULL ? WM_FLAG_IMPORT : 0);
  wm_tell(run, (struct wm_site){WM_NO_INDEX, 0, run->instructions},
          &(struct wm_event){.kind = WM_EVENT_CALL, .flags = flags, .detail = function->index});
}

static void trap_at_start(struct wm_run *run, enum wm_trap trap)
{
  run->trap = (uint8_t)trap;
  run->state = WM_RUN_TRAPPED;
}

bool wm_run_start(struct wm_run *run, struct wm_extern function, const struct wm_value *args, uint32_t arg_count, struct wm_error *error)
{
  struct wm_function *called = function.item;
  if (!args_match(run, called->signature, args, arg_count)) {
    wm_error_set(error, WM_CONTRACT, WM_NO_OFFSET, "arguments do not match the function's type");
    return false;
  }
  if (!wm_frame_fits(run, called, run->slots)) {
    run->frame_count = 0;
    trap_at_start(run, WM_TRAP_CALL_STACK_EXHAUSTED);
    return true;
  }
  begin(run, called, args, arg_count);
  tell_start(run, called);
  if (called->instance == NULL) {
    enum wm_trap trap = wm_host_call(run, called, run->slots);
    run->state = WM_RUN_DONE;
    if (trap != WM_TRAP_NONE)
      trap_at_start(run, trap);
  } else if (wm_frame_push(run, called, run->slots)) {
    run->state = WM_RUN_PAUSED;
  } else {
    trap_at_start(run, WM_TRAP_CALL_STACK_EXHAUSTED);
  }
  wm_tell_flush(run);
  return true;
}

enum wm_trap wm_host_call(struct wm_run *run, const struct wm_function *function, uint64_t *slots)
{
  const struct wm_type *signature = function->signature;
  struct wm_value *args = run->store->host_values, *results = args + signature->param_count;
  if (!wm_frame_fits(run, function, slots))
    return WM_TRAP_CALL_STACK_EXHAUSTED;
  const uint64_t *from = slots;
  for (uint32_t i = 0; i < signature->param_count; i++)
    from += get_value(from, signature->params[i], &args[i]);
  enum wm_trap trap = function->host(function->user, run->store, args, results);
  if (trap != WM_TRAP_NONE)
    return trap;
  for (uint32_t i = 0; i < signature->result_count; i++)
    slots += put_value(slots, signature->results[i], results[i].bits);
  return WM_TRAP_NONE;
}

/* ---- Resuming ------------------------------------------------------------------------------------------------------ */

static enum wm_run_state finish(struct wm_run *run, enum wm_loop_exit exit)
{
  switch (exit) {
  case WM_LOOP_DONE: run->state = WM_RUN_DONE; break;
  case WM_LOOP_TRAPPED: run->state = WM_RUN_TRAPPED; break;
  case WM_LOOP_NO_HOST_MEMORY: run->state = WM_RUN_NO_HOST_MEMORY; break;
  default: run->state = WM_RUN_PAUSED; break;
  }
  run->is_stop_asked = false; /* it has stopped */
  wm_tell_flush(run);
  return (enum wm_run_state)run->state;
}

enum wm_run_state wm_run_step(struct wm_run *run, uint64_t count)
{
  enum wm_loop_exit exit = WM_LOOP_PAUSED;
  if (run->state != WM_RUN_PAUSED)
    return (enum wm_run_state)run->state;
  while (exit == WM_LOOP_PAUSED && count != 0 && run->budget != 0 && !run->is_stop_asked) {
    uint64_t before = run->instructions;
    exit = wm_loop_step(run, count < SLICE ? count : SLICE);
    count -= run->instructions - before;
  }
  return finish(run, exit);
}

enum wm_run_state wm_run_resume(struct wm_run *run)
{
  wm_loop *loop = wm_stream_loop(run);
  if (loop == NULL)
    return wm_run_step(run, UINT64_MAX);
  enum wm_loop_exit exit = WM_LOOP_PAUSED;
  if (run->state != WM_RUN_PAUSED)
    return (enum wm_run_state)run->state;
  while (exit == WM_LOOP_PAUSED && run->budget != 0 && !run->is_stop_asked) {
    uint64_t before = run->instructions;
    exit = loop(run, FAST_SLICE);
    if (exit == WM_LOOP_PAUSED && run->instructions == before)
      exit = wm_loop_step(run, wm_stream_fallback(run));
  }
  return finish(run, exit);
}

/* ---- Looking ------------------------------------------------------------------------------------------------------- */

static uint64_t offset_of(struct wm_function *function, uint32_t position)
{
  if (function->steps == NULL)
    wm_step_lower(function);
  return function->steps[position].offset;
}

static bool has_frames(const struct wm_run *run)
{
  return run->frame_count != 0 && run->state != WM_RUN_DONE && run->state != WM_RUN_IDLE;
}

struct wm_run_status wm_run_look(const struct wm_run *run)
{
  struct wm_run_status status = {
    .state = run->state,
    .trap = run->trap,
    .instructions = run->instructions,
    .budget = run->budget,
    .depth = run->frame_count,
    .function = WM_NO_INDEX,
    .offset = WM_NO_OFFSET,
    .peak_frames = run->peak_frames,
    .bulk_bytes = run->bulk_limit - run->bulk_left,
  };
  if (has_frames(run)) {
    const struct wm_frame *frame = &run->frames[run->frame_count - 1];
    status.function = frame->function->index;
    status.offset = offset_of(frame->function, frame->position);
  }
  return status;
}

uint32_t wm_run_results(const struct wm_run *run, struct wm_value *results, uint32_t capacity)
{
  if (run->state != WM_RUN_DONE)
    return 0;
  const struct wm_type *signature = run->started->signature;
  const uint64_t *slots = run->slots;
  for (uint32_t i = 0; i < signature->result_count && i < capacity; i++)
    slots += get_value(slots, signature->results[i], &results[i]);
  return signature->result_count;
}

uint32_t wm_run_exception(const struct wm_run *run, struct wm_extern *tag, struct wm_value *args, uint32_t capacity)
{
  *tag = (struct wm_extern){WM_EXTERN_TAG, NULL};
  if (run->exception == 0)
    return 0;
  const struct wm_object_heap *heap = &run->store->heap;
  const struct wm_type *signature = wm_types_get(run->store->types, wm_heap_object(heap, run->exception)->type);
  const uint64_t *words = wm_heap_words(heap, run->exception);
  tag->item = (void *)(uintptr_t)words++[0];
  for (uint32_t i = 0; i < signature->param_count && i < capacity; i++)
    words += get_value(words, signature->params[i], &args[i]);
  return signature->param_count;
}

bool wm_run_frame(const struct wm_run *run, uint32_t depth, struct wm_frame_view *view)
{
  if (!has_frames(run) || depth >= run->frame_count)
    return false;
  const struct wm_frame *frame = &run->frames[run->frame_count - 1 - depth];
  struct wm_function *function = frame->function;
  const struct wm_func *func = &function->instance->module->funcs[function->index];
  size_t mark = run->store->scratch.used;
  struct wm_walk walk;
  uint32_t live = wm_frame_walk(run->store, &walk, function, frame->position, depth == 0);
  view->instance = function->instance;
  view->function = function->index;
  view->instruction = frame->position;
  view->offset = offset_of(function, frame->position);
  view->local_count = func->local_count;
  view->operand_slots = live == 0 ? 0 : walk.operands[live - 1].slot + wm_type_slots(walk.operands[live - 1].type);
  view->slots = frame->slots;
  run->store->scratch.used = mark;
  return true;
}
