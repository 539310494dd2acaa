/* Which handlers of the fast stream an instruction has, by where its operands are: the table that lowering looks into, made from
 * numeric.def and the lists of fast.h. */
#include "interp/lower_fast.h"

#define CLASS_u32 ACC_I
#define CLASS_s32 ACC_I
#define CLASS_u64 ACC_I
#define CLASS_s64 ACC_I
#define CLASS_f32 ACC_F32
#define CLASS_n32 ACC_F32
#define CLASS_f64 ACC_F64
#define CLASS_n64 ACC_F64
#define PAIR(FORM, NAME) .forms[FORM] = WM_OP_F_##NAME##_##FORM,
#define ONE(FORM, NAME) .forms[FORM] = WM_OP_F_##NAME##_##FORM##_TO | STORED,
#define TEST(FORM, NAME) .branches[FORM] = WM_OP_F_##NAME##_##FORM##_BRANCH,
#define SHAPE(NAME, n, traps, operand, result, ...) \
  [WM_OP_##NAME] = {.arity = n, .can_trap = traps, .in = CLASS_##operand, .out = CLASS_##result, __VA_ARGS__},
#define COMMUTES(set) (#set[0] == 'C')

const struct wm_shape wm_shapes[WM_OP_COUNT] = {
#define WM_UN(NAME, FORMS, operand, result, ...) SHAPE(NAME, 1, false, operand, result, WM_FORMS_##FORMS(PAIR, ONE, TEST, NAME))
#define WM_UN_TRAP(NAME, FORMS, operand, result, ...) SHAPE(NAME, 1, true, operand, result, WM_FORMS_##FORMS(PAIR, ONE, TEST, NAME))
#define WM_BIN(NAME, FORMS, operand, result, ...) \
  SHAPE(NAME, 2, false, operand, result, .commutes = COMMUTES(FORMS), WM_FORMS_##FORMS(PAIR, ONE, TEST, NAME))
#define WM_BIN_TRAP(NAME, FORMS, operand, result, ...) SHAPE(NAME, 2, true, operand, result, WM_FORMS_##FORMS(PAIR, ONE, TEST, NAME))
#include "interp/numeric.def"
#define LOAD(NAME, FORMS, type, result) SHAPE(NAME, 1, true, u32, result, WM_FORMS_##FORMS(PAIR, ONE, TEST, NAME))
  WM_FAST_LOADS(LOAD)
#define STORE(NAME, type, value) \
  SHAPE(NAME, 2, true, value, value, .forms[SS] = WM_OP_F_##NAME##_SS, .forms[SA] = WM_OP_F_##NAME##_SA, \
        .forms[SK] = WM_OP_F_##NAME##_SK, .forms[AS] = WM_OP_F_##NAME##_AS)
  WM_FAST_STORES(STORE)
};

uint16_t wm_swapped(uint16_t op)
{
  switch (op) {
#define SWAP(TYPE, X, Y) case WM_OP_##TYPE##_##X: return WM_OP_##TYPE##_##Y; case WM_OP_##TYPE##_##Y: return WM_OP_##TYPE##_##X;
  SWAP(I32, LT_S, GT_S) SWAP(I32, LT_U, GT_U) SWAP(I32, LE_S, GE_S) SWAP(I32, LE_U, GE_U)
  SWAP(I64, LT_S, GT_S) SWAP(I64, LT_U, GT_U) SWAP(I64, LE_S, GE_S) SWAP(I64, LE_U, GE_U)
#undef SWAP
  default: return op;
  }
}

uint16_t wm_negated(uint16_t op)
{
  switch (op) {
#define NEGATE(TYPE, X, Y) case WM_OP_##TYPE##_##X: return WM_OP_##TYPE##_##Y; case WM_OP_##TYPE##_##Y: return WM_OP_##TYPE##_##X;
  NEGATE(I32, EQ, NE) NEGATE(I32, LT_S, GE_S) NEGATE(I32, LT_U, GE_U) NEGATE(I32, GT_S, LE_S) NEGATE(I32, GT_U, LE_U)
  NEGATE(I64, EQ, NE) NEGATE(I64, LT_S, GE_S) NEGATE(I64, LT_U, GE_U) NEGATE(I64, GT_S, LE_S) NEGATE(I64, GT_U, LE_U)
#undef NEGATE
  default: return op;
  }
}
