/* The 128-bit vector as the handlers compute with it, and the helpers that simd.def's rows are written in (Execution: Vector
 * instructions; deterministic profile).
 *
 * Lanes are gcc and clang vector types, so that a row is one expression and the compiler picks the machine's own
 * instructions; on targets without vectors the same rows become scalar code. A float lane that an operation makes NaN is the
 * positive canonical NaN. Nothing here reads guest memory. */
#ifndef WM_INTERP_VECTOR_H
#define WM_INTERP_VECTOR_H

#include <stdint.h>

typedef uint8_t wm_u8x16 __attribute__((vector_size(16)));
typedef int8_t wm_i8x16 __attribute__((vector_size(16)));
typedef uint16_t wm_u16x8 __attribute__((vector_size(16)));
typedef int16_t wm_i16x8 __attribute__((vector_size(16)));
typedef uint32_t wm_u32x4 __attribute__((vector_size(16)));
typedef int32_t wm_i32x4 __attribute__((vector_size(16)));
typedef uint64_t wm_u64x2 __attribute__((vector_size(16)));
typedef int64_t wm_i64x2 __attribute__((vector_size(16)));
typedef float wm_f32x4 __attribute__((vector_size(16)));
typedef double wm_f64x2 __attribute__((vector_size(16)));

union wm_v128 {
  wm_u8x16 u8; wm_i8x16 i8;
  wm_u16x8 u16; wm_i16x8 i16;
  wm_u32x4 u32; wm_i32x4 i32;
  wm_u64x2 u64; wm_i64x2 i64;
  wm_f32x4 f32; wm_f64x2 f64;
  uint64_t words[2]; /* as in two frame slots, low lanes first */
};
_Static_assert(sizeof(union wm_v128) == 16, "a vector takes two frame slots");

/* Each lane `i` of `count`. */
#define WM_LANES(count, statement) for (unsigned i = 0; i < (count); i++) { statement; }

static inline uint8_t wm_saturate_u8(int32_t x) { return x < 0 ? 0 : x > 255 ? 255 : (uint8_t)x; }
static inline int8_t wm_saturate_i8(int32_t x) { return x < -128 ? -128 : x > 127 ? 127 : (int8_t)x; }
static inline uint16_t wm_saturate_u16(int32_t x) { return x < 0 ? 0 : x > 65535 ? 65535 : (uint16_t)x; }
static inline int16_t wm_saturate_i16(int32_t x) { return x < -32768 ? -32768 : x > 32767 ? 32767 : (int16_t)x; }

/* NaN lanes replaced by the canonical NaN. */
static inline wm_f32x4 wm_canonical_f32x4(wm_f32x4 x)
{
  wm_u32x4 is_nan = (wm_u32x4)(x != x);
  return (wm_f32x4)(((wm_u32x4)x & ~is_nan) | (is_nan & 0x7fc00000u));
}
static inline wm_f64x2 wm_canonical_f64x2(wm_f64x2 x)
{
  wm_u64x2 is_nan = (wm_u64x2)(x != x);
  return (wm_f64x2)(((wm_u64x2)x & ~is_nan) | (is_nan & 0x7ff8000000000000u));
}
/* The lower or upper half of the lanes, widened. */
#define WM_WIDEN(name, from, half, to) \
  typedef from half __attribute__((vector_size(8))); \
  static inline to wm_low_##name(const void *lanes) \
  { \
    half low; \
    __builtin_memcpy(&low, lanes, 8); \
    return __builtin_convertvector(low, to); \
  } \
  static inline to wm_high_##name(const void *lanes) \
  { \
    return wm_low_##name((const uint8_t *)lanes + 8); \
  }
WM_WIDEN(i8, int8_t, wm_i8x8, wm_i16x8)
WM_WIDEN(u8, uint8_t, wm_u8x8, wm_u16x8)
WM_WIDEN(i16, int16_t, wm_i16x4, wm_i32x4)
WM_WIDEN(u16, uint16_t, wm_u16x4, wm_u32x4)
WM_WIDEN(i32, int32_t, wm_i32x2, wm_i64x2)
WM_WIDEN(u32, uint32_t, wm_u32x2, wm_u64x2)

/* As the scalar functions: zeros are ordered by sign, any NaN makes the canonical one. */
static inline wm_f32x4 wm_min_f32x4(wm_f32x4 a, wm_f32x4 b)
{
  wm_u32x4 x = (wm_u32x4)a, y = (wm_u32x4)b, less = (wm_u32x4)(a < b), equal = (wm_u32x4)(a == b), is_nan = (wm_u32x4)(a != a) | (wm_u32x4)(b != b);
  wm_u32x4 r = (x & less) | (y & ~less) | (x & equal);
  return (wm_f32x4)((r & ~is_nan) | (is_nan & 0x7fc00000u));
}
static inline wm_f32x4 wm_max_f32x4(wm_f32x4 a, wm_f32x4 b)
{
  wm_u32x4 x = (wm_u32x4)a, y = (wm_u32x4)b, more = (wm_u32x4)(a > b), equal = (wm_u32x4)(a == b), is_nan = (wm_u32x4)(a != a) | (wm_u32x4)(b != b);
  wm_u32x4 r = (x & more) | (y & ~more & (x | ~equal));
  return (wm_f32x4)((r & ~is_nan) | (is_nan & 0x7fc00000u));
}
static inline wm_f64x2 wm_min_f64x2(wm_f64x2 a, wm_f64x2 b)
{
  wm_u64x2 x = (wm_u64x2)a, y = (wm_u64x2)b, less = (wm_u64x2)(a < b), equal = (wm_u64x2)(a == b), is_nan = (wm_u64x2)(a != a) | (wm_u64x2)(b != b);
  wm_u64x2 r = (x & less) | (y & ~less) | (x & equal);
  return (wm_f64x2)((r & ~is_nan) | (is_nan & 0x7ff8000000000000u));
}
static inline wm_f64x2 wm_max_f64x2(wm_f64x2 a, wm_f64x2 b)
{
  wm_u64x2 x = (wm_u64x2)a, y = (wm_u64x2)b, more = (wm_u64x2)(a > b), equal = (wm_u64x2)(a == b), is_nan = (wm_u64x2)(a != a) | (wm_u64x2)(b != b);
  wm_u64x2 r = (x & more) | (y & ~more & (x | ~equal));
  return (wm_f64x2)((r & ~is_nan) | (is_nan & 0x7ff8000000000000u));
}

#endif
