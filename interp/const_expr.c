/* Constant expressions: initialisers of globals, tables and segments (WebAssembly 3.0, Validation: Constant Expressions).
 *
 * Walks the decoded bytes and computes on a few slots of the store's scratch. Not counted, not tapped, no recursion. While one is under
 * way its references are roots of the collector (store->const_frame). Arithmetic comes from numeric.def. */
#include "interp/aggregate.h"
#include "interp/numeric.h"

#include "decoder/walk.h"

struct evaluation {
  struct wm_instance *instance;
  struct wm_store *store;
  const struct wm_insn *insn;
  uint64_t *slots;      /* room for the deepest stack */
  uint8_t *is_traced;   /* does that slot hold a reference into the heap? */
  uint32_t height;      /* slots in use */
};

static void push(struct evaluation *e, uint64_t bits, bool is_traced)
{
  e->slots[e->height] = bits;
  e->is_traced[e->height++] = is_traced;
}

static void push_wide(struct evaluation *e, const uint64_t bits[2])
{
  push(e, bits[0], false);
  push(e, bits[1], false);
}

/* Instructions that make an object of what stands in the last `used` slots, and of the references and lengths in them. */
static enum wm_trap make_object(struct evaluation *e)
{
  const struct wm_type *type = wm_types_get(e->store->types, e->insn->index);
  uint32_t width = type->object_words; /* of a structure, or of one element */
  uint32_t used = 0;
  uint64_t length = 0;
  switch (e->insn->op) {
  case WM_OP_STRUCT_NEW: used = width; break;
  case WM_OP_ARRAY_NEW: used = width + 1; length = (uint32_t)e->slots[e->height - 1]; break;
  case WM_OP_ARRAY_NEW_DEFAULT: used = 1; length = (uint32_t)e->slots[e->height - 1]; break;
  case WM_OP_ARRAY_NEW_FIXED: used = width * e->insn->index2; length = e->insn->index2; break;
  default: break;
  }
  uint64_t *operands = e->slots + e->height - used;
  uint64_t ref = 0;
  enum wm_trap trap = WM_TRAP_NONE;
  switch (e->insn->op) {
  case WM_OP_STRUCT_NEW: trap = wm_struct_make(e->store, e->insn->index, operands, &ref); break;
  case WM_OP_STRUCT_NEW_DEFAULT: trap = wm_struct_make(e->store, e->insn->index, NULL, &ref); break;
  case WM_OP_ARRAY_NEW: trap = wm_array_make(e->store, e->insn->index, length, operands, &ref); break;
  case WM_OP_ARRAY_NEW_DEFAULT: trap = wm_array_make(e->store, e->insn->index, length, NULL, &ref); break;
  default: trap = wm_array_make_fixed(e->store, e->insn->index, length, operands, &ref); break;
  }
  e->height -= used;
  push(e, ref, true);
  return trap;
}

static enum wm_trap execute(struct evaluation *e)
{
  const struct wm_insn *insn = e->insn;
  switch (insn->op) {
  case WM_OP_I32_CONST: case WM_OP_I64_CONST: push(e, insn->imm.integer, false); break;
  case WM_OP_F32_CONST: case WM_OP_F64_CONST: push(e, insn->imm.bits, false); break;
  case WM_OP_V128_CONST: push_wide(e, insn->imm.v128); break;
  case WM_OP_REF_NULL: push(e, 0, false); break;
  case WM_OP_REF_FUNC: push(e, wm_function_ref(e->instance->functions[insn->index]), false); break;
  case WM_OP_GLOBAL_GET: {
    const struct wm_global_instance *global = e->instance->globals[insn->index];
    if (global->type.type == WM_TYPE_V128)
      push_wide(e, global->bits);
    else
      push(e, global->bits[0], wm_type_is_traced(e->store->types, global->type.type));
    break;
  }
  case WM_OP_REF_I31: e->slots[e->height - 1] = wm_ref_i31((uint32_t)e->slots[e->height - 1]); break;
#define WM_UN(NAME, forms, operand, result, value)
#define WM_UN_TRAP(NAME, forms, operand, result, trap, value)
#define WM_BIN_TRAP(NAME, forms, operand, result, trap, value)
#define WM_BIN(NAME, forms, operand, result, value) \
  case WM_OP_##NAME: { \
    WM_C_##operand a = WM_GET_##operand(e->slots[e->height - 2]), b = WM_GET_##operand(e->slots[e->height - 1]); \
    e->slots[e->height - 2] = WM_PUT_##result(value); \
    e->height--; \
    break; \
  }
#include "interp/numeric.def"
#undef WM_UN
#undef WM_BIN
#undef WM_UN_TRAP
#undef WM_BIN_TRAP
  case WM_OP_STRUCT_NEW: case WM_OP_STRUCT_NEW_DEFAULT: case WM_OP_ARRAY_NEW: case WM_OP_ARRAY_NEW_DEFAULT: case WM_OP_ARRAY_NEW_FIXED:
    return make_object(e);
  default: break; /* end; conversions between any and extern change nothing */
  }
  return WM_TRAP_NONE;
}

enum wm_trap wm_const_evaluate(struct wm_instance *instance, const struct wm_const_expr *expr, wm_valtype type, uint64_t bits[2])
{
  struct wm_store *store = instance->store;
  size_t mark = store->scratch.used;
  enum wm_trap trap = WM_TRAP_HOST; /* what was reserved at link time is always enough */
  struct wm_walk walk;
  struct evaluation e = {.instance = instance, .store = store, .insn = &walk.insn};
  e.slots = wm_arena_take(&store->scratch, expr->max_slots + 2, sizeof *e.slots);
  e.is_traced = wm_arena_take(&store->scratch, expr->max_slots + 2, 1);
  if (e.slots != NULL && e.is_traced != NULL && wm_walk_begin_const(&walk, instance->module, expr, type, &store->scratch)) {
    struct wm_const_frame frame = {e.slots, e.is_traced, &e.height};
    store->const_frame = &frame;
    trap = WM_TRAP_NONE;
    while (trap == WM_TRAP_NONE && wm_walk_next(&walk))
      trap = execute(&e);
    store->const_frame = NULL;
    bits[0] = e.slots[0];
    bits[1] = type == WM_TYPE_V128 ? e.slots[1] : 0;
  }
  store->scratch.used = mark;
  return trap;
}
