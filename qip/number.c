/* Text to numbers, correctly rounded without a C library.
 *
 * A decimal float is the fraction N/D of two integers of at most about 2700 bits: 800 significant digits decide every case (a
 * halfway point between two doubles has at most 767), further ones only say "and a little more". 64 quotient bits and that
 * "sticky" remainder are then rounded once to the format's own width, subnormals included. */
#include "qip/number.h"

/* ---- Characters ------------------------------------------------------------------------------------------------ */

struct cursor {
  const char *at, *end;
};

static bool take(struct cursor *cursor, char byte)
{
  if (cursor->at == cursor->end || *cursor->at != byte)
    return false;
  cursor->at++;
  return true;
}

/* `lower` is lower-case; letters of the text may be of either case. */
static bool take_word(struct cursor *cursor, const char *lower)
{
  const char *at = cursor->at;
  for (; *lower; lower++, at++) {
    if (at == cursor->end)
      return false;
    char byte = *at >= 'A' && *at <= 'Z' ? (char)(*at + 32) : *at;
    if (byte != *lower)
      return false;
  }
  cursor->at = at;
  return true;
}

static bool is_digit(char byte)
{
  return byte >= '0' && byte <= '9';
}

/* Value of a digit of base 16 or 10, -1 when it is none. */
static int digit_value(char byte, uint32_t base)
{
  if (is_digit(byte))
    return byte - '0';
  if (base == 16 && byte >= 'a' && byte <= 'f')
    return byte - 'a' + 10;
  if (base == 16 && byte >= 'A' && byte <= 'F')
    return byte - 'A' + 10;
  return -1;
}

/* ---- Integers -------------------------------------------------------------------------------------------------- */

/* All of the rest as digits of that base; false when there is none, something else, or more than 64 bits. */
static bool read_digits(struct cursor *cursor, uint32_t base, uint64_t *value)
{
  uint64_t sum = 0;
  if (cursor->at == cursor->end)
    return false;
  for (; cursor->at != cursor->end; cursor->at++) {
    int digit = digit_value(*cursor->at, base);
    if (digit < 0 || sum > (UINT64_MAX - (uint64_t)digit) / base)
      return false;
    sum = sum * base + (uint64_t)digit;
  }
  *value = sum;
  return true;
}

static uint64_t mask_of(uint32_t width)
{
  return width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
}

bool wm_number_unsigned(struct wm_text text, uint32_t width, uint64_t *bits)
{
  struct cursor cursor = {text.bytes, text.bytes + text.length};
  uint32_t base = take_word(&cursor, "0x") ? 16 : 10;
  uint64_t value;
  if (!read_digits(&cursor, base, &value) || value > mask_of(width))
    return false;
  *bits = value;
  return true;
}

/* Sign and magnitude in the signed range; the largest negative one included. */
static bool read_signed(struct wm_text text, uint32_t width, bool may_be_hex, uint64_t *bits)
{
  struct cursor cursor = {text.bytes, text.bytes + text.length};
  bool is_negative = take(&cursor, '-');
  if (!is_negative)
    take(&cursor, '+');
  uint32_t base = may_be_hex && take_word(&cursor, "0x") ? 16 : 10;
  uint64_t value, half = (uint64_t)1 << (width - 1);
  if (!read_digits(&cursor, base, &value) || value > (is_negative ? half : half - 1))
    return false;
  *bits = (is_negative ? 0 - value : value) & mask_of(width);
  return true;
}

bool wm_number_signed(struct wm_text text, uint32_t width, uint64_t *bits)
{
  bool is_hex = text.length > 1 && text.bytes[0] == '0' && (text.bytes[1] == 'x' || text.bytes[1] == 'X');
  return is_hex ? wm_number_unsigned(text, width, bits) : read_signed(text, width, false, bits);
}

bool wm_number_integer(struct wm_text text, uint32_t width, uint64_t *bits)
{
  return wm_number_unsigned(text, width, bits) || read_signed(text, width, true, bits);
}

/* ---- Rounding -------------------------------------------------------------------------------------------------- */

struct format {
  int32_t precision;    /* significand bits, the leading one included */
  int32_t emin, emax;   /* of normal numbers, 1.x * 2^e */
};
static const struct format format_f32 = {24, -126, 127};
static const struct format format_f64 = {53, -1022, 1023};

static uint64_t infinity_of(const struct format *format)
{
  return (uint64_t)(format->emax - format->emin + 2) << (format->precision - 1);
}

/* The bit above exponent and significand. */
static uint64_t sign_of(const struct format *format)
{
  return infinity_of(format) + ((uint64_t)1 << (format->precision - 1));
}

/* significand * 2^(exponent - 63), bit 63 set, and a little more if `sticky`: rounded to nearest, ties to even. */
static uint64_t round_to(const struct format *format, uint64_t significand, bool sticky, int64_t exponent)
{
  if (exponent > format->emax)
    return infinity_of(format);
  int64_t keep = format->precision;
  if (exponent < format->emin)
    keep -= format->emin - exponent;
  if (keep < 0)
    return 0;
  uint32_t drop = (uint32_t)(64 - keep);
  uint64_t kept = drop == 64 ? 0 : significand >> drop;
  uint64_t half = (uint64_t)1 << (drop - 1);
  bool is_above = (significand & (half - 1)) != 0 || sticky;
  if ((significand & half) != 0 && (is_above || (kept & 1) != 0))
    kept++;
  if (exponent < format->emin)
    return kept; /* a carry makes the smallest normal number */
  /* A carry out of the significand raises the exponent, at the top to infinity. */
  uint64_t biased = (uint64_t)(exponent - format->emin + 1);
  return (biased << (format->precision - 1)) + (kept - ((uint64_t)1 << (format->precision - 1)));
}

/* ---- Big integers ---------------------------------------------------------------------------------------------- */

#define BIG_WORDS 96 /* 3072 bits: see the bounds in decimal_to_bits */

struct big {
  uint32_t count; /* words in use, the highest not zero */
  uint32_t words[BIG_WORDS];
};

static void big_multiply_add(struct big *big, uint32_t factor, uint32_t addend)
{
  uint64_t carry = addend;
  for (uint32_t i = 0; i < big->count; i++) {
    carry += (uint64_t)big->words[i] * factor;
    big->words[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry != 0)
    big->words[big->count++] = (uint32_t)carry;
}

static void big_multiply_pow5(struct big *big, uint32_t power)
{
  for (; power >= 13; power -= 13)
    big_multiply_add(big, 1220703125u, 0);
  for (; power > 0; power--)
    big_multiply_add(big, 5, 0);
}

/* Bits in use; the number is not zero. */
static int32_t big_bits(const struct big *big)
{
  return (int32_t)(big->count * 32) - __builtin_clz(big->words[big->count - 1]);
}

static void big_shift_left(struct big *big, uint32_t bits)
{
  uint32_t whole = bits / 32, part = bits % 32;
  uint64_t carry = 0;
  for (uint32_t i = big->count; i-- > 0;)
    big->words[i + whole] = big->words[i];
  for (uint32_t i = 0; i < whole; i++)
    big->words[i] = 0;
  big->count += whole;
  for (uint32_t i = whole; i < big->count; i++) {
    carry |= (uint64_t)big->words[i] << part;
    big->words[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry != 0)
    big->words[big->count++] = (uint32_t)carry;
}

static bool big_is_less(const struct big *a, const struct big *b)
{
  if (a->count != b->count)
    return a->count < b->count;
  for (uint32_t i = a->count; i-- > 0;)
    if (a->words[i] != b->words[i])
      return a->words[i] < b->words[i];
  return false;
}

/* a -= b, where b is not greater. */
static void big_subtract(struct big *a, const struct big *b)
{
  uint64_t borrow = 0;
  for (uint32_t i = 0; i < a->count; i++) {
    uint64_t take_away = (i < b->count ? b->words[i] : 0) + borrow;
    borrow = a->words[i] < take_away;
    a->words[i] -= (uint32_t)take_away;
  }
  while (a->count > 0 && a->words[a->count - 1] == 0)
    a->count--;
}

/* ---- Decimal floats -------------------------------------------------------------------------------------------- */

#define MAX_DIGITS 800

/* Digits as they stand in the text: value = 0.DIGITS * 10^point, leading zeros left out. */
struct decimal {
  struct big digits;
  int64_t count;   /* digits taken, at most MAX_DIGITS */
  int64_t point;
  bool sticky;     /* a digit that was left out is not zero */
  bool has_digits; /* at least one digit stood there, zeros too */
};

static void decimal_digits(struct decimal *decimal, struct cursor *cursor, bool is_fraction)
{
  for (; cursor->at != cursor->end && is_digit(*cursor->at); cursor->at++) {
    uint32_t digit = (uint32_t)(*cursor->at - '0');
    decimal->has_digits = true;
    bool is_leading_zero = decimal->count == 0 && digit == 0;
    if (is_leading_zero || decimal->count == MAX_DIGITS) {
      decimal->sticky |= digit != 0;
    } else {
      big_multiply_add(&decimal->digits, 10, digit);
      decimal->count++;
    }
    if (is_fraction)
      decimal->point -= is_leading_zero;
    else
      decimal->point += !is_leading_zero;
  }
}

/* [+-]? digits, saturating; what is left of the text must be nothing else. */
static bool read_exponent(struct cursor *cursor, int64_t *exponent)
{
  const int64_t enough = INT64_C(1) << 50;
  bool is_negative = take(cursor, '-');
  if (!is_negative)
    take(cursor, '+');
  int64_t value = 0;
  if (cursor->at == cursor->end)
    return false;
  for (; cursor->at != cursor->end; cursor->at++) {
    if (!is_digit(*cursor->at))
      return false;
    if (value < enough)
      value = value * 10 + (*cursor->at - '0');
  }
  *exponent = is_negative ? -value : value;
  return true;
}

static uint64_t decimal_to_bits(const struct format *format, struct decimal *decimal)
{
  if (decimal->count == 0)
    return 0;
  /* The value lies in [10^(point-1), 10^point): beyond 10^310 it overflows, below 10^-330 it is nothing, in both formats. */
  if (decimal->point > 310)
    return infinity_of(format);
  if (decimal->point < -330)
    return 0;
  /* digits * 10^power; power in [-1130, 310], so that 5^|power| and the digits have less than 2700 bits. */
  int64_t power = decimal->point - decimal->count;
  struct big *numerator = &decimal->digits, denominator = {1, {1}};
  if (power >= 0)
    big_multiply_pow5(numerator, (uint32_t)power);
  else
    big_multiply_pow5(&denominator, (uint32_t)-power);
  int64_t exponent = power;
  int32_t shift = big_bits(numerator) - big_bits(&denominator);
  if (shift > 0)
    big_shift_left(&denominator, (uint32_t)shift);
  else
    big_shift_left(numerator, (uint32_t)-shift);
  exponent += shift;
  if (big_is_less(numerator, &denominator)) {
    big_shift_left(numerator, 1);
    exponent--;
  }
  /* Now 1 <= numerator/denominator < 2: long division, one bit at a time. */
  uint64_t quotient = 0;
  for (uint32_t i = 0; i < 64; i++) {
    bool is_one = !big_is_less(numerator, &denominator);
    quotient = quotient << 1 | is_one;
    if (is_one)
      big_subtract(numerator, &denominator);
    big_shift_left(numerator, 1);
  }
  return round_to(format, quotient, numerator->count != 0 || decimal->sticky, exponent);
}

static bool read_decimal(const struct format *format, struct cursor *cursor, uint64_t *bits)
{
  struct decimal decimal;
  decimal.digits.count = 0;
  decimal.count = decimal.point = 0;
  decimal.sticky = decimal.has_digits = false;
  decimal_digits(&decimal, cursor, false);
  if (take(cursor, '.'))
    decimal_digits(&decimal, cursor, true);
  if (!decimal.has_digits)
    return false;
  int64_t exponent = 0;
  if (cursor->at != cursor->end && (!take_word(cursor, "e") || !read_exponent(cursor, &exponent)))
    return false;
  decimal.point += exponent;
  *bits = decimal_to_bits(format, &decimal);
  return true;
}

/* ---- Hexadecimal floats ---------------------------------------------------------------------------------------- */

/* After `0x`. */
static bool read_hex(const struct format *format, struct cursor *cursor, uint64_t *bits)
{
  uint64_t significand = 0;
  int64_t exponent = 0; /* of the significand's last bit */
  bool sticky = false, has_digits = false, is_fraction = false;
  for (; cursor->at != cursor->end; cursor->at++) {
    if (*cursor->at == '.' && !is_fraction) {
      is_fraction = true;
      continue;
    }
    int digit = digit_value(*cursor->at, 16);
    if (digit < 0)
      break;
    has_digits = true;
    if (significand >> 60 != 0) {
      sticky |= digit != 0;
      exponent += is_fraction ? 0 : 4;
    } else {
      significand = significand << 4 | (uint64_t)digit;
      exponent -= is_fraction ? 4 : 0;
    }
  }
  if (!has_digits)
    return false;
  int64_t power = 0;
  if (cursor->at != cursor->end && (!take_word(cursor, "p") || !read_exponent(cursor, &power)))
    return false;
  *bits = 0;
  if (significand == 0)
    return true;
  int leading = __builtin_clzll(significand);
  *bits = round_to(format, significand << leading, sticky, exponent + power + 63 - leading);
  return true;
}

/* ---- Floats ---------------------------------------------------------------------------------------------------- */

/* After `nan`: nothing, or a payload where that is allowed. */
static bool read_nan(const struct format *format, struct cursor *cursor, bool with_payload, uint64_t *bits)
{
  uint64_t payload = (uint64_t)1 << (format->precision - 2); /* canonical: the quiet bit alone */
  if (cursor->at != cursor->end) {
    if (!with_payload || !take_word(cursor, ":0x") || !read_digits(cursor, 16, &payload))
      return false;
    if (payload == 0 || payload >> (format->precision - 1) != 0)
      return false;
  }
  *bits = infinity_of(format) | payload;
  return true;
}

static bool read_float(const struct format *format, struct wm_text text, bool with_payload, uint64_t *bits)
{
  struct cursor cursor = {text.bytes, text.bytes + text.length};
  bool is_negative = take(&cursor, '-'), is_read;
  if (!is_negative)
    take(&cursor, '+');
  if (take_word(&cursor, "nan")) {
    is_read = read_nan(format, &cursor, with_payload, bits);
  } else if (take_word(&cursor, "infinity") || take_word(&cursor, "inf")) {
    *bits = infinity_of(format);
    is_read = cursor.at == cursor.end;
  } else if (take_word(&cursor, "0x")) {
    is_read = read_hex(format, &cursor, bits);
  } else {
    is_read = read_decimal(format, &cursor, bits);
  }
  if (is_read && is_negative)
    *bits |= sign_of(format);
  return is_read;
}

bool wm_number_f32(struct wm_text text, bool with_payload, uint32_t *bits)
{
  uint64_t wide;
  if (!read_float(&format_f32, text, with_payload, &wide))
    return false;
  *bits = (uint32_t)wide;
  return true;
}

bool wm_number_f64(struct wm_text text, bool with_payload, uint64_t *bits)
{
  return read_float(&format_f64, text, with_payload, bits);
}
