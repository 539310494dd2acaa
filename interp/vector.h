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
/* ---- Bytes picked by number: gathered from memory, since few processors' first vector instructions do ---- */

static inline wm_u8x16 wm_pick(const uint8_t from[32], const uint8_t numbers[16])
{
  uint64_t low = 0, high = 0;
  WM_LANES(8, low |= (uint64_t)from[numbers[i] & 31] << (8 * i))
  WM_LANES(8, high |= (uint64_t)from[numbers[i + 8] & 31] << (8 * i))
  return (wm_u8x16)(wm_u64x2){low, high};
}
/* Numbers count through a, then b. */
static inline wm_u8x16 wm_shuffle(const void *a, const void *b, const void *numbers)
{
  uint8_t from[32];
  __builtin_memcpy(from, a, 16);
  __builtin_memcpy(from + 16, b, 16);
  return wm_pick(from, numbers);
}
/* Numbers beyond 15 give 0. */
static inline wm_u8x16 wm_swizzle(wm_u8x16 a, wm_u8x16 numbers)
{
  wm_u8x16 is_beyond = (wm_u8x16)(numbers > 15), zero = {0};
  numbers = (numbers & ~is_beyond) | (is_beyond & 16);
  return wm_shuffle(&a, &zero, &numbers);
}

/* ---- Saturation ---- */

#define WM_SATURATING(bits, signed_type, unsigned_type, low_bits) \
  static inline unsigned_type wm_add_sat_u##bits(unsigned_type a, unsigned_type b) \
  { \
    return (a + b) | (unsigned_type)(a + b < a); \
  } \
  static inline unsigned_type wm_sub_sat_u##bits(unsigned_type a, unsigned_type b) \
  { \
    return (a - b) & (unsigned_type)(a >= b); \
  } \
  /* The wrapped sum, or the nearest end of the range when it has the wrong sign. */ \
  static inline unsigned_type wm_saturated_##bits(unsigned_type a, unsigned_type r, unsigned_type overflow) \
  { \
    unsigned_type is_over = (unsigned_type)((signed_type)overflow < 0), end = (unsigned_type)((signed_type)a < 0) ^ (low_bits); \
    return (r & ~is_over) | (end & is_over); \
  } \
  static inline unsigned_type wm_add_sat_s##bits(unsigned_type a, unsigned_type b) \
  { \
    return wm_saturated_##bits(a, a + b, ~(a ^ b) & (a ^ (a + b))); \
  } \
  static inline unsigned_type wm_sub_sat_s##bits(unsigned_type a, unsigned_type b) \
  { \
    return wm_saturated_##bits(a, a - b, (a ^ b) & (a ^ (a - b))); \
  }
WM_SATURATING(8, wm_i8x16, wm_u8x16, 0x7f)
WM_SATURATING(16, wm_i16x8, wm_u16x8, 0x7fff)

/* Two vectors' lanes, limited to low..high, in lanes of half the width. */
#define WM_NARROW(name, from, half, to) \
  typedef half wm_half_of_##name __attribute__((vector_size(8))); \
  static inline from wm_limit_##name(from x, from low, from high) \
  { \
    from is_low = (from)(x < low), is_high = (from)(x > high); \
    return (x & ~(is_low | is_high)) | (low & is_low) | (high & is_high); \
  } \
  static inline to wm_narrow_##name(from a, from b, from low, from high) \
  { \
    union { wm_half_of_##name halves[2]; to whole; } r; \
    r.halves[0] = __builtin_convertvector(wm_limit_##name(a, low, high), wm_half_of_##name); \
    r.halves[1] = __builtin_convertvector(wm_limit_##name(b, low, high), wm_half_of_##name); \
    return r.whole; \
  }
WM_NARROW(i16, wm_i16x8, uint8_t, wm_u8x16)
WM_NARROW(i32, wm_i32x4, uint16_t, wm_u16x8)

/* ---- Rounding of f32 lanes: those below 2^23 through integers, all others are whole or NaN ---- */

static inline wm_u32x4 wm_is_small(wm_f32x4 x) { return (wm_u32x4)((wm_i32x4)((wm_u32x4)x & 0x7fffffffu) < 0x4b000000); }
/* `rounded` where x is small, with the sign of x; else x, NaNs made canonical. */
static inline wm_f32x4 wm_rounded(wm_f32x4 x, wm_f32x4 rounded)
{
  wm_u32x4 is_small = wm_is_small(x), bits = (wm_u32x4)rounded | ((wm_u32x4)x & 0x80000000u);
  return wm_canonical_f32x4((wm_f32x4)((bits & is_small) | ((wm_u32x4)x & ~is_small)));
}
static inline wm_f32x4 wm_whole(wm_f32x4 x)
{
  wm_f32x4 small = (wm_f32x4)((wm_u32x4)x & wm_is_small(x));
  return __builtin_convertvector(__builtin_convertvector(small, wm_i32x4), wm_f32x4);
}
static inline wm_f32x4 wm_one_where(wm_i32x4 mask) { return (wm_f32x4)((wm_u32x4)mask & 0x3f800000u); }
static inline wm_f32x4 wm_trunc_f32x4(wm_f32x4 x) { return wm_rounded(x, wm_whole(x)); }
static inline wm_f32x4 wm_floor_f32x4(wm_f32x4 x) { return wm_rounded(x, wm_whole(x) - wm_one_where(wm_whole(x) > x)); }
static inline wm_f32x4 wm_ceil_f32x4(wm_f32x4 x) { return wm_rounded(x, wm_whole(x) + wm_one_where(wm_whole(x) < x)); }
static inline wm_f32x4 wm_nearest_f32x4(wm_f32x4 x)
{
  wm_f32x4 magnitude = (wm_f32x4)((wm_u32x4)x & 0x7fffffffu);
  return wm_rounded(x, (magnitude + 8388608.0f) - 8388608.0f);
}

/* ---- f32 lanes to integers, saturating: NaN is 0 ---- */

static inline wm_u32x4 wm_trunc_sat_s(wm_f32x4 x)
{
  wm_u32x4 is_low = (wm_u32x4)(x < -2147483648.0f), is_high = (wm_u32x4)(x >= 2147483648.0f);
  wm_u32x4 fits = (wm_u32x4)(x >= -2147483648.0f) & ~is_high;
  wm_u32x4 r = (wm_u32x4)__builtin_convertvector((wm_f32x4)((wm_u32x4)x & fits), wm_i32x4);
  return r | (is_high & 0x7fffffffu) | (is_low & 0x80000000u);
}
/* The upper half of the range is converted 2^31 lower. */
static inline wm_u32x4 wm_trunc_sat_u(wm_f32x4 x)
{
  wm_u32x4 is_upper = (wm_u32x4)(x >= 2147483648.0f), is_high = (wm_u32x4)(x >= 4294967296.0f), is_positive = (wm_u32x4)(x >= 0.0f);
  wm_f32x4 within = (wm_f32x4)((wm_u32x4)x & is_positive & ~is_high);
  wm_f32x4 lowered = within - (wm_f32x4)(is_upper & ~is_high & 0x4f000000u);
  wm_u32x4 r = (wm_u32x4)__builtin_convertvector(lowered, wm_i32x4);
  return (r + (is_upper & 0x80000000u)) | is_high;
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
