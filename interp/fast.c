/* Finding one's way between a fast stream and the ordinals of its body (fast.h): binary searches in the maps that lowering left, and the
 * charge of a place, counted along the step stream. Cold for the loop: entering, running out of budget, trapping. */
#include "interp/fast.h"

bool wm_fast_is_jump(const struct wm_step *step)
{
  return step->op == WM_OP_ELSE || ((step->op == WM_OP_BR || step->op == WM_OP_RETURN) && (step->flags & WM_STEP_BACK) == 0);
}

/* Accesses have handlers when they are to memory 0 and it is addressed by 32 bits. */
static bool is_near(const struct wm_function *function, const struct wm_step *step)
{
  return step->c == 0 && !function->instance->memories[0]->type.limits.is_64;
}

bool wm_fast_is_escape(const struct wm_function *function, const struct wm_step *step)
{
  switch (step->op) {
#define WM_UN(NAME, ...) case WM_OP_##NAME:
#define WM_BIN WM_UN
#define WM_UN_TRAP WM_UN
#define WM_BIN_TRAP WM_UN
#include "interp/numeric.def"
#undef WM_UN
#undef WM_BIN
#undef WM_UN_TRAP
#undef WM_BIN_TRAP
  case WM_OP_UNREACHABLE: case WM_OP_NOP: case WM_OP_BLOCK: case WM_OP_LOOP: case WM_OP_IF: case WM_OP_ELSE: case WM_OP_END:
  case WM_OP_TRY_TABLE: case WM_OP_BR: case WM_OP_BR_IF: case WM_OP_RETURN: case WM_OP_END_FUNCTION: case WM_OP_DROP: case WM_OP_SELECT:
  case WM_OP_SELECT_T: case WM_OP_LOCAL_GET: case WM_OP_LOCAL_SET: case WM_OP_LOCAL_TEE: case WM_OP_GLOBAL_GET: case WM_OP_GLOBAL_SET:
  case WM_OP_I32_CONST: case WM_OP_I64_CONST: case WM_OP_F32_CONST: case WM_OP_F64_CONST: case WM_OP_REF_NULL: case WM_OP_REF_FUNC:
  case WM_OP_CALL_INDIRECT: case WM_OP_CALL_REF: case WM_OP_RETURN_CALL_INDIRECT: case WM_OP_RETURN_CALL_REF:
  case WM_OP_REF_IS_NULL: case WM_OP_REF_EQ: case WM_OP_ANY_CONVERT_EXTERN: case WM_OP_EXTERN_CONVERT_ANY:
  case WM_OP_BR_ON_NULL: case WM_OP_BR_ON_NON_NULL:
    return false;
  case WM_OP_CALL: case WM_OP_RETURN_CALL: return wm_ref_function(step->imm)->instance != function->instance;
  case WM_OP_BR_TABLE: return step->d != 0;
#define X(NAME, ...) case WM_OP_##NAME:
  WM_FAST_LOADS(X)
  WM_FAST_STORES(X)
#undef X
  case WM_OP_MEMORY_SIZE: case WM_OP_MEMORY_FILL: return !is_near(function, step);
  case WM_OP_MEMORY_COPY: return step->d != 0 || !is_near(function, step);
  default:
    if (wm_fast_is_checked(step->op))
      return false;
    return !wm_fast_is_vector(step->op) && !(wm_fast_is_vector_access(step->op) && is_near(function, step));
  }
}

bool wm_fast_is_call(const struct wm_step *step)
{
  switch (step->op) {
  case WM_OP_CALL: case WM_OP_CALL_INDIRECT: case WM_OP_CALL_REF:
  case WM_OP_RETURN_CALL: case WM_OP_RETURN_CALL_INDIRECT: case WM_OP_RETURN_CALL_REF:
    return true;
  default: return false;
  }
}

bool wm_fast_is_terminator(const struct wm_function *function, const struct wm_step *step)
{
  switch (step->op) {
  case WM_OP_UNREACHABLE: case WM_OP_END_FUNCTION: case WM_OP_BR_TABLE: return true;
  case WM_OP_BR: return (step->flags & WM_STEP_BACK) != 0;
  default: return wm_fast_is_call(step) || wm_fast_is_escape(function, step);
  }
}

uint64_t wm_fast_cost(const struct wm_function *function, uint32_t ordinal)
{
  for (uint64_t cost = 1;; cost++) {
    const struct wm_step *step = &function->steps[ordinal];
    if (wm_fast_is_terminator(function, step))
      return cost;
    ordinal = wm_fast_is_jump(step) ? step->c : ordinal + 1;
  }
}

const union wm_word *wm_fast_enter(const struct wm_function *function, uint32_t ordinal)
{
  const struct wm_fast_place *heads = function->fast_map->heads;
  uint32_t low = 0, high = function->fast_map->head_count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (heads[middle].ordinal == ordinal)
      return function->fast + heads[middle].word;
    if (heads[middle].ordinal < ordinal)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

/* The place whose entry begins at `word`: it is there. Of several (between them stand instructions without an effect) the first: that is
 * the state they run in, some instructions earlier, and the step stream runs those. */
static uint32_t find_word(const struct wm_fast_place *places, uint32_t count, uint32_t word)
{
  uint32_t low = 0, high = count;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (places[middle].word <= word)
      low = middle;
    else
      high = middle;
  }
  while (low > 0 && places[low - 1].word == word)
    low--;
  return places[low].ordinal;
}

uint32_t wm_fast_head(const struct wm_function *function, const union wm_word *word)
{
  return find_word(function->fast_map->heads, function->fast_map->head_count, (uint32_t)(word - function->fast));
}

uint32_t wm_fast_trap(const struct wm_function *function, const union wm_word *word)
{
  return find_word(function->fast_map->traps, function->fast_map->trap_count, (uint32_t)(word - function->fast));
}
