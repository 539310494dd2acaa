/* Scalar arithmetic that C does not spell exactly as WebAssembly means it (WebAssembly 3.0, Execution: Numerics).
 *
 * Deterministic profile: every operation that yields a NaN yields the positive canonical one. Floats that only move, and
 * those functions here whose names end in a float operation, are bit patterns (uint32_t, uint64_t): no value of type float is
 * ever copied where a signalling NaN must survive. Rounding is done on the bits, so that no library and no processor feature
 * is needed. Pure functions; used by numeric.def and by the vector lanes. */
#ifndef WM_INTERP_SCALAR_H
#define WM_INTERP_SCALAR_H

#include <stdbool.h>
#include <stdint.h>

#define WM_F32_NAN 0x7fc00000u
#define WM_F64_NAN 0x7ff8000000000000u
#define WM_F32_SIGN 0x80000000u
#define WM_F64_SIGN 0x8000000000000000u

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "guest memory and slots are little-endian");

static inline float wm_f32_from(uint32_t bits)
{
  float value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}
static inline double wm_f64_from(uint64_t bits)
{
  double value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}
static inline uint32_t wm_f32_bits(float value)
{
  uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}
static inline uint64_t wm_f64_bits(double value)
{
  uint64_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}
static inline bool wm_f32_is_nan(uint32_t bits) { return (bits & ~WM_F32_SIGN) > 0x7f800000u; }
static inline bool wm_f64_is_nan(uint64_t bits) { return (bits & ~WM_F64_SIGN) > 0x7ff0000000000000u; }
/* The bits of an arithmetic result: any NaN becomes the canonical one. */
static inline uint32_t wm_f32_result(float value) { return value != value ? WM_F32_NAN : wm_f32_bits(value); }
static inline uint64_t wm_f64_result(double value) { return value != value ? WM_F64_NAN : wm_f64_bits(value); }

/* ---- Integers ------------------------------------------------------------------------------------------------- */

static inline uint32_t wm_i32_clz(uint32_t a) { return a == 0 ? 32 : (uint32_t)__builtin_clz(a); }
static inline uint32_t wm_i32_ctz(uint32_t a) { return a == 0 ? 32 : (uint32_t)__builtin_ctz(a); }
static inline uint64_t wm_i64_clz(uint64_t a) { return a == 0 ? 64 : (uint64_t)__builtin_clzll(a); }
static inline uint64_t wm_i64_ctz(uint64_t a) { return a == 0 ? 64 : (uint64_t)__builtin_ctzll(a); }
static inline uint64_t wm_i64_popcnt(uint64_t a)
{
  a -= a >> 1 & 0x5555555555555555u;
  a = (a & 0x3333333333333333u) + (a >> 2 & 0x3333333333333333u);
  a = (a + (a >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return a * 0x0101010101010101u >> 56;
}
static inline uint32_t wm_i32_popcnt(uint32_t a) { return (uint32_t)wm_i64_popcnt(a); }
static inline uint32_t wm_i32_rotl(uint32_t a, uint32_t b) { return a << (b & 31) | a >> (-b & 31); }
static inline uint32_t wm_i32_rotr(uint32_t a, uint32_t b) { return a >> (b & 31) | a << (-b & 31); }
static inline uint64_t wm_i64_rotl(uint64_t a, uint64_t b) { return a << (b & 63) | a >> (-b & 63); }
static inline uint64_t wm_i64_rotr(uint64_t a, uint64_t b) { return a >> (b & 63) | a << (-b & 63); }

/* ---- Rounding, on the bits ------------------------------------------------------------------------------------- */

static inline uint32_t wm_f32_trunc(uint32_t a)
{
  if (wm_f32_is_nan(a))
    return WM_F32_NAN;
  uint32_t exponent = a >> 23 & 0xff;
  if (exponent < 127)
    return a & WM_F32_SIGN;
  return exponent >= 127 + 23 ? a : a & ~(0x7fffffu >> (exponent - 127));
}
static inline uint64_t wm_f64_trunc(uint64_t a)
{
  if (wm_f64_is_nan(a))
    return WM_F64_NAN;
  uint64_t exponent = a >> 52 & 0x7ff;
  if (exponent < 1023)
    return a & WM_F64_SIGN;
  return exponent >= 1023 + 52 ? a : a & ~(0xfffffffffffffu >> (exponent - 1023));
}
/* Towards infinity of the given sign: one more than truncation when something was cut off on that side. */
static inline uint32_t wm_f32_round_to(uint32_t a, uint32_t sign)
{
  uint32_t whole = wm_f32_trunc(a);
  if (whole == a || wm_f32_is_nan(whole) || (a & WM_F32_SIGN) != sign)
    return whole;
  return wm_f32_bits(wm_f32_from(whole) + (sign != 0 ? -1.0f : 1.0f));
}
static inline uint64_t wm_f64_round_to(uint64_t a, uint64_t sign)
{
  uint64_t whole = wm_f64_trunc(a);
  if (whole == a || wm_f64_is_nan(whole) || (a & WM_F64_SIGN) != sign)
    return whole;
  return wm_f64_bits(wm_f64_from(whole) + (sign != 0 ? -1.0 : 1.0));
}
static inline uint32_t wm_f32_ceil(uint32_t a) { return wm_f32_round_to(a, 0); }
static inline uint32_t wm_f32_floor(uint32_t a) { return wm_f32_round_to(a, WM_F32_SIGN); }
static inline uint64_t wm_f64_ceil(uint64_t a) { return wm_f64_round_to(a, 0); }
static inline uint64_t wm_f64_floor(uint64_t a) { return wm_f64_round_to(a, WM_F64_SIGN); }
/* Ties to even: adding and taking away 2^23 (2^52) leaves no bits behind the point. */
static inline uint32_t wm_f32_nearest(uint32_t a)
{
  if (wm_f32_is_nan(a))
    return WM_F32_NAN;
  uint32_t magnitude = a & ~WM_F32_SIGN;
  if (magnitude >= (127u + 23) << 23)
    return a;
  float rounded = wm_f32_from(magnitude) + 8388608.0f;
  return wm_f32_bits(rounded - 8388608.0f) | (a & WM_F32_SIGN);
}
static inline uint64_t wm_f64_nearest(uint64_t a)
{
  if (wm_f64_is_nan(a))
    return WM_F64_NAN;
  uint64_t magnitude = a & ~WM_F64_SIGN;
  if (magnitude >= (uint64_t)(1023 + 52) << 52)
    return a;
  double rounded = wm_f64_from(magnitude) + 4503599627370496.0;
  return wm_f64_bits(rounded - 4503599627370496.0) | (a & WM_F64_SIGN);
}
static inline uint32_t wm_f32_sqrt(uint32_t a) { return wm_f32_result(__builtin_sqrtf(wm_f32_from(a))); }
static inline uint64_t wm_f64_sqrt(uint64_t a) { return wm_f64_result(__builtin_sqrt(wm_f64_from(a))); }

/* ---- Minimum, maximum: zeros are ordered by sign, any NaN makes the canonical one ------------------------------- */

static inline uint32_t wm_f32_min(uint32_t a, uint32_t b)
{
  float x = wm_f32_from(a), y = wm_f32_from(b);
  return x < y ? a : y < x ? b : x == y ? a | b : WM_F32_NAN;
}
static inline uint32_t wm_f32_max(uint32_t a, uint32_t b)
{
  float x = wm_f32_from(a), y = wm_f32_from(b);
  return x > y ? a : y > x ? b : x == y ? a & b : WM_F32_NAN;
}
static inline uint64_t wm_f64_min(uint64_t a, uint64_t b)
{
  double x = wm_f64_from(a), y = wm_f64_from(b);
  return x < y ? a : y < x ? b : x == y ? a | b : WM_F64_NAN;
}
static inline uint64_t wm_f64_max(uint64_t a, uint64_t b)
{
  double x = wm_f64_from(a), y = wm_f64_from(b);
  return x > y ? a : y > x ? b : x == y ? a & b : WM_F64_NAN;
}

/* ---- Conversions ------------------------------------------------------------------------------------------------ */

static inline uint32_t wm_f32_demote_f64(uint64_t a) { return wm_f32_result((float)wm_f64_from(a)); }
static inline uint64_t wm_f64_promote_f32(uint32_t a) { return wm_f64_result((double)wm_f32_from(a)); }

/* Which floats truncate into an integer type: strictly between these bounds (all of them exact in the float's type, except
 * that f32 and i64 have no float just below the minimum, so that the minimum itself is admitted). */
static inline bool wm_fits_i32_s_f32(float a) { return a >= -2147483648.0f && a < 2147483648.0f; }
static inline bool wm_fits_i32_u_f32(float a) { return a > -1.0f && a < 4294967296.0f; }
static inline bool wm_fits_i32_s_f64(double a) { return a > -2147483649.0 && a < 2147483648.0; }
static inline bool wm_fits_i32_u_f64(double a) { return a > -1.0 && a < 4294967296.0; }
static inline bool wm_fits_i64_s_f32(float a) { return a >= -9223372036854775808.0f && a < 9223372036854775808.0f; }
static inline bool wm_fits_i64_u_f32(float a) { return a > -1.0f && a < 18446744073709551616.0f; }
static inline bool wm_fits_i64_s_f64(double a) { return a >= -9223372036854775808.0 && a < 9223372036854775808.0; }
static inline bool wm_fits_i64_u_f64(double a) { return a > -1.0 && a < 18446744073709551616.0; }

/* Saturating: NaN is 0, beyond the range the nearest end of it. */
#define WM_TRUNC_SAT(name, bits_type, from, result_type, signed_type, fits, low, high) \
  static inline result_type name(bits_type a) \
  { \
    if (fits(from(a))) \
      return (result_type)(signed_type)from(a); \
    return from(a) != from(a) ? 0 : from(a) < 0 ? (low) : (high); \
  }
WM_TRUNC_SAT(wm_i32_trunc_sat_f32_s, uint32_t, wm_f32_from, uint32_t, int32_t, wm_fits_i32_s_f32, 0x80000000u, 0x7fffffffu)
WM_TRUNC_SAT(wm_i32_trunc_sat_f32_u, uint32_t, wm_f32_from, uint32_t, uint32_t, wm_fits_i32_u_f32, 0, 0xffffffffu)
WM_TRUNC_SAT(wm_i32_trunc_sat_f64_s, uint64_t, wm_f64_from, uint32_t, int32_t, wm_fits_i32_s_f64, 0x80000000u, 0x7fffffffu)
WM_TRUNC_SAT(wm_i32_trunc_sat_f64_u, uint64_t, wm_f64_from, uint32_t, uint32_t, wm_fits_i32_u_f64, 0, 0xffffffffu)
WM_TRUNC_SAT(wm_i64_trunc_sat_f32_s, uint32_t, wm_f32_from, uint64_t, int64_t, wm_fits_i64_s_f32, WM_F64_SIGN, ~WM_F64_SIGN)
WM_TRUNC_SAT(wm_i64_trunc_sat_f32_u, uint32_t, wm_f32_from, uint64_t, uint64_t, wm_fits_i64_u_f32, 0, UINT64_MAX)
WM_TRUNC_SAT(wm_i64_trunc_sat_f64_s, uint64_t, wm_f64_from, uint64_t, int64_t, wm_fits_i64_s_f64, WM_F64_SIGN, ~WM_F64_SIGN)
WM_TRUNC_SAT(wm_i64_trunc_sat_f64_u, uint64_t, wm_f64_from, uint64_t, uint64_t, wm_fits_i64_u_f64, 0, UINT64_MAX)

#endif
