/* Vector instructions of the fast stream that have no handler of their own: a function each, made from simd.def, which one handler
 * calls through the address in the entry (fast_vector.def says why). Rows that are INLINE have one only if their operands may be of a form
 * that the handler does not take, that is, shifts by a count that varies. */
#include "interp/fast.h"
#include "interp/scalar.h"
#include "interp/vector.h"

/* Entries: d, a, b slots; the third word: slot of the third operand, or the lane; of a shuffle the third and the fourth: its lanes. */
#define GET_V(name, slot) \
  union wm_v128 name; \
  __builtin_memcpy(&name, &slots[slot], 16)
#define A_V GET_V(a, entry->a)
#define B_V GET_V(b, entry->b)
#define CALLED(NAME, operands, ...) \
  static void compute_##NAME(uint64_t *slots, const union wm_word *entry) \
  { \
    operands; \
    union wm_v128 r; \
    __VA_ARGS__; \
    __builtin_memcpy(&slots[entry->d], &r, 16); \
  }
#define CALLED_BITS(NAME, operands, ...) \
  static void compute_##NAME(uint64_t *slots, const union wm_word *entry) \
  { \
    operands; \
    uint64_t s; \
    __VA_ARGS__; \
    slots[entry->d] = s; \
  }
#define INLINE(...)
#define INLINE_BITS(...)
#define WM_V_V(NAME, where, ...) where(NAME, A_V, __VA_ARGS__)
#define WM_V_VV(NAME, where, ...) where(NAME, A_V; B_V, __VA_ARGS__)
#define WM_V_VVV(NAME, where, ...) where(NAME, A_V; B_V; GET_V(c, entry[2].low), __VA_ARGS__)
#define WM_V_VS(NAME, where, ...) CALLED(NAME, A_V; uint64_t s = slots[entry->b], __VA_ARGS__)
#define WM_V_S(NAME, where, ...) where(NAME, uint64_t s = slots[entry->a], __VA_ARGS__)
#define WM_V_VLS(NAME, where, ...) where(NAME, A_V; uint32_t lane = entry[2].low; uint64_t s = slots[entry->b], __VA_ARGS__)
#define WM_S_V(NAME, where, ...) where##_BITS(NAME, A_V, __VA_ARGS__)
#define WM_S_VL(NAME, where, ...) where##_BITS(NAME, A_V; uint32_t lane = entry->b, __VA_ARGS__)
#define WM_V_M(NAME, size, ...) CALLED(NAME, union wm_v128 in = {.words = {0}}; in.words[0] = slots[entry->a], __VA_ARGS__)
#define WM_V_VVI(NAME, where, ...) \
  where(NAME, A_V; B_V; union wm_v128 k; __builtin_memcpy(&k, &entry[2], 16), __VA_ARGS__)
#include "interp/simd.def"
#undef CALLED
#undef WM_V_V
#undef WM_V_VV
#undef WM_V_VVV
#undef WM_V_VS
#undef WM_V_S
#undef WM_V_VLS
#undef WM_S_V
#undef WM_S_VL
#undef WM_V_VVI
#undef WM_V_M

/* Moves that are too rare for handlers. */
static void compute_GLOBAL_GET_V(uint64_t *slots, const union wm_word *entry)
{
  __builtin_memcpy(&slots[entry->d], entry[2].slot, 16);
}
static void compute_GLOBAL_SET_V(uint64_t *slots, const union wm_word *entry)
{
  __builtin_memcpy(entry[2].slot, &slots[entry->a], 16);
}
static void compute_SELECT_V(uint64_t *slots, const union wm_word *entry)
{
  GET_V(r, (uint32_t)slots[entry[2].low] != 0 ? entry->a : entry->b);
  __builtin_memcpy(&slots[entry->d], &r, 16);
}

#define CALLED(NAME) [WM_OP_##NAME] = compute_##NAME,
#define WM_V_V(NAME, where, ...) where(NAME)
#define WM_V_VV WM_V_V
#define WM_V_VVV WM_V_V
#define WM_V_VS(NAME, where, ...) CALLED(NAME)
#define WM_V_S WM_V_V
#define WM_V_VLS WM_V_V
#define WM_S_V WM_V_V
#define WM_S_VL WM_V_V
#define WM_V_VVI WM_V_V
#define WM_V_M(NAME, ...) CALLED(NAME)
wm_vector_function *const wm_vector_functions[WM_STEP_OP_COUNT] = {
#include "interp/simd.def"
  CALLED(GLOBAL_GET_V) CALLED(GLOBAL_SET_V) CALLED(SELECT_V)
};
