/* Evaluates integer constant expressions over the walk that validated them. */
#include "qip/constant.h"

#include "decoder/walk.h"

static uint64_t apply(uint16_t op, uint64_t a, uint64_t b)
{
  switch (op) {
  case WM_OP_I32_ADD:
    return (uint32_t)(a + b);
  case WM_OP_I32_SUB:
    return (uint32_t)(a - b);
  case WM_OP_I32_MUL:
    return (uint32_t)(a * b);
  case WM_OP_I64_ADD:
    return a + b;
  case WM_OP_I64_SUB:
    return a - b;
  default: /* WM_OP_I64_MUL */
    return a * b;
  }
}

/* One instruction on the stack; false when the expression is none of integers. */
static bool step(const struct wm_insn *insn, const struct wm_constant *globals, struct wm_constant *stack, uint32_t *height)
{
  switch (insn->op) {
  case WM_OP_I32_CONST:
  case WM_OP_I64_CONST:
    stack[(*height)++] = (struct wm_constant){true, insn->imm.integer};
    return true;
  case WM_OP_GLOBAL_GET:
    stack[(*height)++] = globals[insn->index];
    return true;
  case WM_OP_I32_ADD:
  case WM_OP_I32_SUB:
  case WM_OP_I32_MUL:
  case WM_OP_I64_ADD:
  case WM_OP_I64_SUB:
  case WM_OP_I64_MUL: {
    struct wm_constant b = stack[--*height], *a = &stack[*height - 1];
    a->is_known = a->is_known && b.is_known;
    a->value = apply(insn->op, a->value, b.value);
    return true;
  }
  case WM_OP_END:
    return true;
  default:
    return false;
  }
}

bool wm_constant_evaluate(const struct wm_module *module, const struct wm_constant *globals, const struct wm_const_expr *expr,
                          wm_valtype type, struct wm_arena *arena, struct wm_constant *result)
{
  *result = (struct wm_constant){false, 0};
  if (type != WM_TYPE_I32 && type != WM_TYPE_I64)
    return true;
  size_t used = arena->used;
  struct wm_walk walk;
  struct wm_constant *stack = wm_arena_take(arena, expr->max_slots + 1, sizeof *stack);
  bool fits = stack != NULL && wm_walk_begin_const(&walk, module, expr, type, arena);
  if (fits) {
    uint32_t height = 0;
    bool is_integer = true;
    while (is_integer && wm_walk_next(&walk))
      is_integer = step(&walk.insn, globals, stack, &height);
    if (walk.error.status != WM_OK)
      fits = false;
    else if (is_integer && height == 1)
      *result = stack[0];
  }
  arena->used = used;
  return fits;
}

const struct wm_constant *wm_constants_of_globals(const struct wm_module *module, struct wm_arena *arena)
{
  struct wm_constant *globals = wm_arena_zero(arena, module->global_count + (size_t)1, sizeof *globals);
  if (globals == NULL)
    return NULL;
  for (uint32_t i = module->imported_global_count; i < module->global_count; i++) {
    const struct wm_global *global = &module->globals[i];
    if (!wm_constant_evaluate(module, globals, &global->init, global->type.type, arena, &globals[i]))
      return NULL;
  }
  return globals;
}
