/* How numeric.def's operand and result types are read from and written to 64-bit slots: one set of macros for every form of the loop
 * and for constant expressions. A slot is any uint64_t expression; WM_PUT gives the slot's new contents. */
#ifndef WM_INTERP_NUMERIC_H
#define WM_INTERP_NUMERIC_H

#include "interp/scalar.h"

#define WM_C_u32 uint32_t
#define WM_C_u64 uint64_t
#define WM_C_s32 int32_t
#define WM_C_s64 int64_t
#define WM_C_f32 float
#define WM_C_f64 double

#define WM_GET_u32(slot) ((uint32_t)(slot))
#define WM_GET_u64(slot) (slot)
#define WM_GET_s32(slot) ((int32_t)(uint32_t)(slot))
#define WM_GET_s64(slot) ((int64_t)(slot))
#define WM_GET_f32(slot) wm_f32_from((uint32_t)(slot))
#define WM_GET_f64(slot) wm_f64_from(slot)

#define WM_PUT_u32(value) ((uint64_t)(uint32_t)(value))
#define WM_PUT_u64(value) ((uint64_t)(value))
#define WM_PUT_f32(value) ((uint64_t)wm_f32_bits(value))
#define WM_PUT_f64(value) wm_f64_bits(value)
#define WM_PUT_n32(value) ((uint64_t)wm_f32_result(value))
#define WM_PUT_n64(value) wm_f64_result(value)

#endif
