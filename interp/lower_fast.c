/* Lowering of one body into the fast stream (fast.h), from its step stream: one pass over the steps (lower_fast.h says how).
 *
 * Cannot fail half-way: room for the worst case is there before it begins, else the function stays in the step stream. */
#include "interp/lower_fast.h"
#include "interp/frame.h"

#define WORDS_PER_STEP 12 /* at most: its own entry with moves and an inverted branch, and one pending value stored */

static bool is_control(const struct wm_step *step)
{
  switch (step->op) {
  case WM_OP_BR_TABLE: case WM_OP_BR_ON_NULL: case WM_OP_BR_ON_NON_NULL: case WM_OP_BR_ON_CAST: case WM_OP_BR_ON_CAST_FAIL:
  case WM_OP_CALL: case WM_OP_CALL_REF: case WM_OP_RETURN_CALL: case WM_OP_RETURN_CALL_INDIRECT: case WM_OP_RETURN_CALL_REF:
  case WM_OP_THROW: case WM_OP_THROW_REF:
    return true;
  default: return false;
  }
}

/* Instructions in a row that the step stream runs. */
static void lower_escape(struct wm_lowering *l)
{
  uint32_t first = l->at;
  wm_flush_pending(l);
  while (!is_control(&l->steps[l->at]) && l->place[l->at + 1] == 0 && !is_control(&l->steps[l->at + 1]) &&
         wm_fast_is_escape(l->function, &l->steps[l->at + 1]))
    l->at++;
  union wm_word *words = wm_emit(l, WM_OP_F_ESCAPE, 0, 0, 0, 3);
  words[1].low = first;
  words[1].high = l->at + 1 - first;
  wm_fast_go_on(l, &words[2], l->at + 1);
}

static void lower_one(struct wm_lowering *l)
{
  const struct wm_step *step = &l->steps[l->at];
  switch (step->op) {
  case WM_OP_NOP: case WM_OP_BLOCK: case WM_OP_LOOP: case WM_OP_END: case WM_OP_TRY_TABLE: return;
  case WM_OP_UNREACHABLE:
    wm_note_trap(l);
    wm_emit(l, WM_OP_F_UNREACHABLE, 0, 0, 0, 1);
    return;
  case WM_OP_BR: case WM_OP_ELSE: wm_fast_lower_jump(l, step); return;
  case WM_OP_BR_IF: case WM_OP_IF: {
    struct wm_condition c = {.slot = step->op == WM_OP_IF ? step->a : step->a + step->d};
    c.o.x = wm_take_pending(l, c.slot);
    wm_fast_lower_conditional(l, &c);
    return;
  }
  case WM_OP_BR_TABLE: wm_fast_lower_br_table(l, step); return;
  case WM_OP_RETURN: case WM_OP_END_FUNCTION: wm_fast_lower_return(l, step->a, step->op == WM_OP_RETURN); return;
  case WM_OP_CALL: case WM_OP_CALL_INDIRECT: case WM_OP_CALL_REF:
  case WM_OP_RETURN_CALL: case WM_OP_RETURN_CALL_INDIRECT: case WM_OP_RETURN_CALL_REF:
    wm_fast_lower_call(l, step);
    return;
  case WM_OP_BR_ON_NULL: case WM_OP_BR_ON_NON_NULL: wm_fast_lower_null_branch(l, step); return;
  case WM_OP_REF_IS_NULL: case WM_OP_REF_EQ:
    if (!wm_fast_lower_test(l))
      wm_fast_lower_reference(l, step);
    return;
  case WM_OP_MEMORY_COPY: case WM_OP_MEMORY_FILL: wm_fast_lower_bulk(l, step); return;
  case WM_OP_ANY_CONVERT_EXTERN: case WM_OP_EXTERN_CONVERT_ANY: return; /* the same bits */
  case WM_OP_DROP: wm_discard_pending(l, step->a - 1); return;
  case WM_OP_SELECT: case WM_OP_SELECT_T: wm_fast_lower_select(l, step); return;
  case WM_OP_LOCAL_GET: wm_push_pending(l, step->a, (struct wm_fast_value){.kind = IN_LOCAL, .slot = step->b}); return;
  case WM_OP_LOCAL_SET: case WM_OP_LOCAL_TEE: {
    struct wm_fast_value value = wm_take_pending(l, step->a);
    wm_set_slot(l, step->b, &value);
    if (step->op == WM_OP_LOCAL_TEE)
      wm_push_pending(l, step->a, value.kind == CONSTANT ? value : (struct wm_fast_value){.kind = IN_LOCAL, .slot = step->b});
    return;
  }
  case WM_OP_GLOBAL_GET: case WM_OP_GLOBAL_SET: wm_fast_lower_global(l, step); return;
  case WM_OP_I32_CONST: case WM_OP_I64_CONST: case WM_OP_F32_CONST: case WM_OP_F64_CONST: case WM_OP_REF_NULL: case WM_OP_REF_FUNC:
    wm_push_pending(l, step->a, (struct wm_fast_value){.kind = CONSTANT, .bits = step->imm});
    return;
  case WM_OP_MEMORY_SIZE:
    wm_free_acc(l, ACC_I);
    wm_emit(l, WM_OP_F_MEMORY_SIZE, step->a, 0, 0, 1);
    wm_note_made(l, l->used - 1, true, ACC_I, step->a);
    return;
  default: break;
  }
  if (wm_fast_is_checked(step->op)) {
    wm_fast_lower_checked(l, step);
    return;
  }
  if (wm_fast_is_vector(step->op) || wm_fast_is_vector_access(step->op)) {
    wm_fast_lower_vector(l, step);
    return;
  }
  bool is_test = wm_shapes[step->op].branches[SS] != 0 || step->op == WM_OP_I32_EQZ || step->op == WM_OP_I64_EQZ;
  if (is_test && wm_fast_lower_test(l))
    return;
  if (wm_opcodes[step->op].access == WM_ACCESS_STORE)
    wm_fast_lower_store(l, step);
  else if (wm_opcodes[step->op].access == WM_ACCESS_LOAD)
    wm_fast_lower_load(l, step);
  else if (wm_shapes[step->op].arity == 2)
    wm_fast_lower_binary(l, step);
  else
    wm_fast_lower_unary(l, step);
}

/* Charges, from the end backwards, and which steps are branched to. */
static void survey(struct wm_lowering *l)
{
  const struct wm_function *function = l->function;
  for (uint32_t i = l->count; i-- > 0;) {
    const struct wm_step *step = &l->steps[i];
    l->cost[i] = wm_fast_is_terminator(function, step) ? 1 : 1 + l->cost[wm_fast_is_jump(step) ? step->c : i + 1];
    switch (step->op) {
    case WM_OP_BR: case WM_OP_BR_IF: case WM_OP_IF: case WM_OP_ELSE: case WM_OP_BR_ON_NULL: case WM_OP_BR_ON_NON_NULL:
    case WM_OP_BR_ON_CAST: case WM_OP_BR_ON_CAST_FAIL:
      l->place[step->c] = WAITING;
      break;
    case WM_OP_BR_TABLE:
      for (uint32_t k = 0; k <= step->b; k++)
        l->place[function->targets[step->c + k].target] = WAITING;
      break;
    default: break;
    }
  }
  for (uint32_t i = 0; i < function->catch_count; i++)
    l->place[function->catches[i].target] = WAITING;
  l->place[0] = WAITING;
}

static void lower_all(struct wm_lowering *l)
{
  bool is_dead = false;
  for (l->at = 0; l->at < l->count; l->at++) {
    if (l->place[l->at] != 0) {
      wm_reach_head(l);
      l->heads[l->head_count++] = (struct wm_fast_place){l->used, l->at};
      is_dead = false;
    }
    if (is_dead)
      continue;
    const struct wm_step *step = &l->steps[l->at];
    if (wm_fast_is_escape(l->function, step))
      lower_escape(l);
    else
      lower_one(l);
    step = &l->steps[l->at];
    bool is_resumed = step->op == WM_OP_CALL || step->op == WM_OP_CALL_INDIRECT || step->op == WM_OP_CALL_REF || wm_fast_is_escape(l->function, step);
    if (is_resumed && l->place[l->at + 1] == 0)
      l->place[l->at + 1] = WAITING;
    is_dead = !is_resumed && (wm_fast_is_jump(step) || wm_fast_is_terminator(l->function, step));
    if (is_dead)
      l->pending_count = 0;
  }
}

uint64_t wm_fast_space(const struct wm_func *func)
{
  return 24 * (uint64_t)func->instruction_count + 8 * (uint64_t)func->branch_target_count + 64;
}

uint64_t wm_fast_most(const struct wm_func *func)
{
  uint64_t words = WORDS_PER_STEP * (uint64_t)func->instruction_count + func->branch_target_count + 4;
  return words * sizeof(union wm_word) + (uint64_t)func->instruction_count * (2 * sizeof(uint32_t) + 4 * sizeof(struct wm_fast_place)) + 256;
}

/* Places for good, behind the words. */
static const struct wm_fast_place *keep(struct wm_arena *arena, const struct wm_fast_place *places, uint32_t count)
{
  struct wm_fast_place *kept = wm_arena_take(arena, count, sizeof *kept);
  for (uint32_t i = 0; i < count; i++)
    kept[i] = places[i];
  return kept;
}

void wm_fast_lower(struct wm_function *function)
{
  struct wm_instance *instance = function->instance;
  const struct wm_func *func = &instance->module->funcs[function->index];
  struct wm_arena *arena = &instance->fast_code;
  size_t size = arena->size;
  function->is_fast_tried = true;
  if (function->frame_slots > UINT16_MAX || wm_frame_zeroed(function) > WM_FREE_WORK_BYTES ||
      func->instruction_count > (uint32_t)1 << 28 ||
      size - arena->used < wm_fast_most(func))
    return;
  if (function->steps == NULL)
    wm_step_lower(function);
  struct wm_lowering l = {.function = function, .steps = function->steps, .count = func->instruction_count,
                          .newest = NONE, .last = NONE, .last_slot = NONE};
  l.cost = wm_arena_take_end(arena, l.count, sizeof *l.cost);
  l.place = wm_arena_take_end(arena, l.count, sizeof *l.place);
  l.heads = wm_arena_take_end(arena, l.count, sizeof *l.heads);
  l.traps = wm_arena_take_end(arena, l.count, sizeof *l.traps);
  for (uint32_t i = 0; i < l.count; i++)
    l.place[i] = 0;
  l.words = (union wm_word *)(void *)(arena->base + ((arena->used + 15) & ~(size_t)15)) + 1;
  survey(&l);
  lower_all(&l);
  wm_fast_go_on(&l, &l.words[-1], 0);
  wm_arena_take(arena, l.used + 1, sizeof *l.words);
  struct wm_fast_map *map = wm_arena_take(arena, 1, sizeof *map);
  map->heads = keep(arena, l.heads, l.head_count);
  map->head_count = l.head_count;
  map->traps = keep(arena, l.traps, l.trap_count);
  map->trap_count = l.trap_count;
  arena->size = size;
  function->fast_map = map;
  function->fast = l.words;
}
