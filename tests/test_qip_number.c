/* Text to numbers: tables for the grammar, and thousands of seeded texts against the C library's own conversion. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qip/number.h"

static struct wm_text text(const char *string)
{
  return (struct wm_text){string, (uint32_t)strlen(string)};
}

static uint32_t library_f32(const char *string)
{
  float value = strtof(string, NULL);
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static uint64_t library_f64(const char *string)
{
  double value = strtod(string, NULL);
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static void check_against_library(const char *string)
{
  uint32_t narrow = 0;
  uint64_t wide = 0;
  cr_assert(wm_number_f32(text(string), false, &narrow), "f32 %s", string);
  cr_assert(wm_number_f64(text(string), false, &wide), "f64 %s", string);
  cr_assert(narrow == library_f32(string), "f32 %.60s: %08x, library %08x", string, narrow, library_f32(string));
  cr_assert(wide == library_f64(string), "f64 %.60s: %016llx, library %016llx", string, (unsigned long long)wide,
            (unsigned long long)library_f64(string));
}

static uint64_t seed = 0x9e3779b97f4a7c15u;
static uint64_t random_bits(void)
{
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed;
}

Test(qip_number, listed_floats_equal_the_library)
{
  static const char *const cases[] = {
    "0", "-0", "+0", "0.0", ".5", "5.", "1e0", "1E+5", "1e-5", "3.4028235e38", "3.4028236e38", "3.40282357e38",
    "3.40282346638528859811704183484516925e38", "340282356779733661637539395458142568447", "340282356779733661637539395458142568448",
    "1.401298464324817e-45", "7.006492321624085354618e-46", "7.006492321624085354619e-46", "1.17549435e-38", "1.1754943e-38",
    "1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308", "179769313486231580793e289", "1e309", "-1e999999999999999999999",
    "2.2250738585072011e-308", "2.2250738585072012e-308", "2.2250738585072014e-308", "4.9406564584124654e-324", "2.4703282292062327e-324",
    "2.4703282292062328e-324", "1e-400", "-1e-99999999999999999999999", "9007199254740993", "9007199254740992.9999999999999999", "16777217",
    "16777216.99999", "16777217.0000000000000000000000000000000001", "0.1", "0.3", "1e23", "8.5e22", "123456789012345678901234567890",
    "0x1p0", "0x.8", "0x1.", "0X1.8P3", "0x1.fffffffffffff8p0", "0x1.fffffffffffff7fp0", "0x1.ffffffp0", "0x1.fffffefffp127", "0x1.ffffffp127",
    "0x1p1024", "0x1.fffffffffffff8p1023", "0x1p-1074", "0x1p-1075", "0x1.00000000000000000001p-1075", "0x1p-149", "0x1p-150", "0x1.8p-150",
    "0x0.0000000000000000000000000000001p100", "0x10000000000000000000000000000001", "0x1p99999999999999999999", "0x1p-99999999999999999999",
    "0x0p5", "-0x0.000", "inf", "-Infinity", "+INF",
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_against_library(cases[i]);
}

Test(qip_number, random_decimals_equal_the_library)
{
  char string[96];
  for (int i = 0; i < 20000; i++) {
    uint64_t digits = random_bits() >> (random_bits() % 64);
    int exponent = (int)(random_bits() % 700) - 380;
    if (i % 2 == 0)
      exponent = (int)(random_bits() % 100) - 60;
    snprintf(string, sizeof string, "%s%llu.%llue%d", i % 3 ? "" : "-", (unsigned long long)digits, (unsigned long long)(random_bits() % 1000), exponent);
    check_against_library(string);
  }
}

Test(qip_number, random_hexadecimals_equal_the_library)
{
  char string[96];
  for (int i = 0; i < 20000; i++) {
    int exponent = (int)(random_bits() % 2300) - 1150;
    if (i % 2 == 0)
      exponent = (int)(random_bits() % 320) - 190;
    snprintf(string, sizeof string, "0x%llx.%llxp%d", (unsigned long long)(random_bits() >> (random_bits() % 64)),
             (unsigned long long)(random_bits() >> (random_bits() % 64)), exponent);
    check_against_library(string);
  }
}

/* Exact halfway points between neighbours, and their texts one unit above and below in a far digit. */
Test(qip_number, halfway_points_equal_the_library)
{
  static char string[1400], varied[1600];
  for (int i = 0; i < 2000; i++) {
    uint64_t bits = random_bits() & 0x7fffffffffffffffu;
    if (i % 4 == 0)
      bits &= 0x001fffffffffffffu; /* subnormal and just above */
    if ((bits >> 52) == 0x7ff)
      continue;
    double low, high;
    uint64_t next = bits + 1;
    memcpy(&low, &bits, sizeof low);
    memcpy(&high, &next, sizeof high);
    if (isinf(high))
      continue;
    long double middle = ((long double)low + (long double)high) / 2; /* exact where long double is wider */
    snprintf(string, sizeof string, "%.1200Lg", middle);
    check_against_library(string);
    char *e = strchr(string, 'e');
    size_t head = e ? (size_t)(e - string) : strlen(string);
    if (memchr(string, '.', head) == NULL)
      continue;
    snprintf(varied, sizeof varied, "%.*s%0100d%s", (int)head, string, 1, e ? e : "");
    check_against_library(varied);
    string[head - 1] = '0'; /* the last digit of a halfway point is 5 */
    check_against_library(string);
  }
}

Test(qip_number, long_digit_strings_are_exact)
{
  static char string[20000];
  /* Halfway between 1 and the next double, then 10,000 zeros and a 1, or nothing. */
  const char *half = "1.00000000000000011102230246251565404236316680908203125";
  size_t length = strlen(half);
  memcpy(string, half, length);
  memset(string + length, '0', 10000);
  string[length + 10000] = 0;
  check_against_library(string);
  uint64_t bits;
  cr_assert(wm_number_f64(text(string), false, &bits));
  cr_assert(bits == 0x3ff0000000000000u);
  string[length + 9999] = '1';
  check_against_library(string);
  cr_assert(wm_number_f64(text(string), false, &bits));
  cr_assert(bits == 0x3ff0000000000001u);
  /* Long runs of zeros before and after the point. */
  memset(string, '0', 9000);
  strcpy(string + 9000, "1.5");
  check_against_library(string);
  memset(string, '0', 9000);
  string[0] = '.';
  strcpy(string + 9000, "15e9000");
  check_against_library(string);
  memset(string, '9', 9000);
  strcpy(string + 9000, "e-8990");
  check_against_library(string);
  memset(string, '1', 9000);
  strcpy(string + 9000, ".1e-9320");
  check_against_library(string);
}

Test(qip_number, nan_has_one_pattern_unless_a_payload_is_asked_for)
{
  static const struct { const char *text; bool with_payload; uint32_t narrow; uint64_t wide; } good[] = {
    {"nan", false, 0x7fc00000u, 0x7ff8000000000000u},    {"-NaN", false, 0xffc00000u, 0xfff8000000000000u},
    {"+nan", true, 0x7fc00000u, 0x7ff8000000000000u},    {"nan:0x1", true, 0x7f800001u, 0x7ff0000000000001u},
    {"-nan:0x7fffff", true, 0xffffffffu, 0xfff00000007fffffu},
  };
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    uint32_t narrow;
    uint64_t wide;
    cr_assert(wm_number_f32(text(good[i].text), good[i].with_payload, &narrow));
    cr_assert(wm_number_f64(text(good[i].text), good[i].with_payload, &wide));
    cr_assert(narrow == good[i].narrow && wide == good[i].wide, "%s", good[i].text);
  }
  uint32_t narrow;
  uint64_t wide;
  cr_assert_not(wm_number_f32(text("nan:0x1"), false, &narrow));
  cr_assert_not(wm_number_f32(text("nan:0x0"), true, &narrow));
  cr_assert_not(wm_number_f32(text("nan:0x800000"), true, &narrow));
  cr_assert(wm_number_f64(text("nan:0xfffffffffffff"), true, &wide));
  cr_assert_not(wm_number_f64(text("nan:0x10000000000000"), true, &wide));
  cr_assert_not(wm_number_f64(text("nan:0x"), true, &wide));
  cr_assert_not(wm_number_f64(text("nan:canonical"), true, &wide));
}

Test(qip_number, what_is_no_float_is_refused)
{
  static const char *const cases[] = {"", "-", "+", ".", "e5", "1e", "1e+", "1 ", " 1", "1_000", "0x", "0x.", "0x1p", "0xg", "0x1.8p3x", "1.2.3",
                                      "--1", "+-1", "infi", "infinityx", "nanx", "nan:", "1f", "0x1.2.3", "1e5.0", "１", "0x1e+5"};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint32_t narrow;
    uint64_t wide;
    cr_assert_not(wm_number_f32(text(cases[i]), true, &narrow), "%s", cases[i]);
    cr_assert_not(wm_number_f64(text(cases[i]), true, &wide), "%s", cases[i]);
  }
}

enum { UNSIGNED = 1, SIGNED = 2, INTEGER = 4 };

Test(qip_number, integers_keep_their_ranges)
{
  static const struct { const char *text; uint32_t width; int accepted; uint64_t bits; } cases[] = {
    {"0", 32, 7, 0}, {"4294967295", 32, 5, 0xffffffffu}, {"4294967296", 32, 0, 0}, {"2147483647", 32, 7, 0x7fffffffu},
    {"0xffffffff", 32, 7, 0xffffffffu}, {"0XfF", 32, 7, 255}, {"0x100000000", 32, 0, 0}, {"-1", 32, 6, 0xffffffffu},
    {"-2147483648", 32, 6, 0x80000000u}, {"-2147483649", 32, 0, 0}, {"+5", 32, 6, 5}, {"-0x10", 32, 4, 0xfffffff0u}, {"+0x10", 32, 4, 0x10},
    {"-0x80000000", 32, 4, 0x80000000u}, {"-0x80000001", 32, 0, 0}, {"9223372036854775807", 64, 7, 0x7fffffffffffffffu},
    {"9223372036854775808", 64, 5, 0x8000000000000000u}, {"18446744073709551615", 64, 5, UINT64_MAX}, {"18446744073709551616", 64, 0, 0},
    {"99999999999999999999999", 64, 0, 0}, {"-9223372036854775808", 64, 6, 0x8000000000000000u}, {"-9223372036854775809", 64, 0, 0},
    {"0xffffffffffffffff", 64, 7, UINT64_MAX}, {"0x10000000000000000", 64, 0, 0}, {"000123", 64, 7, 123}, {"0x0000000000000000000000001", 32, 7, 1},
    {"", 32, 0, 0}, {"-", 32, 0, 0}, {"0x", 32, 0, 0}, {"1_0", 32, 0, 0}, {" 1", 32, 0, 0}, {"1 ", 32, 0, 0}, {"1.0", 32, 0, 0}, {"12a", 32, 0, 0},
    {"--1", 32, 0, 0}, {"1e3", 64, 0, 0}, {"255", 8, 5, 255}, {"256", 8, 0, 0}, {"-128", 8, 6, 0x80},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint64_t bits[3] = {0};
    int accepted = wm_number_unsigned(text(cases[i].text), cases[i].width, &bits[0]) ? UNSIGNED : 0;
    accepted |= wm_number_signed(text(cases[i].text), cases[i].width, &bits[1]) ? SIGNED : 0;
    accepted |= wm_number_integer(text(cases[i].text), cases[i].width, &bits[2]) ? INTEGER : 0;
    cr_assert(accepted == cases[i].accepted, "%s: %d", cases[i].text, accepted);
    for (int k = 0; k < 3; k++)
      if (accepted >> k & 1)
        cr_assert(bits[k] == cases[i].bits, "%s by reader %d", cases[i].text, k);
  }
}
