/* Values of constant expressions before anything runs (Execution: Instantiation, the integer part of it).
 *
 * Enough for addresses: i32.const, i64.const, global.get and the extended integer operations. What depends on an imported
 * global, or is no integer, is not known. Everything is computed once, globals in order, so no recursion is needed. */
#ifndef WM_QIP_CONSTANT_H
#define WM_QIP_CONSTANT_H

#include "decoder/module.h"

struct wm_constant {
  bool is_known;
  uint64_t value; /* i32: zero-extended */
};

/* One for each global of the module, from the arena; NULL when it does not fit. Initial values: a mutable global may change later. */
const struct wm_constant *wm_constants_of_globals(const struct wm_module *module, struct wm_arena *arena);
/* The value of an expression of type i32 or i64. The arena is scratch: it comes back as it was. False: it does not fit. */
bool wm_constant_evaluate(const struct wm_module *module, const struct wm_constant *globals, const struct wm_const_expr *expr,
                          wm_valtype type, struct wm_arena *arena, struct wm_constant *result);

#endif
