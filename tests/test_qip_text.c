/* UTF-8, problem texts, and uniform keys and values. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "qip/message.h"
#include "qip/uniforms.h"
#include "qip/utf8.h"

static struct wm_text text(const char *string)
{
  return (struct wm_text){string, (uint32_t)strlen(string)};
}

/* ---- UTF-8 ----------------------------------------------------------------------------------------------------- */

Test(qip_utf8, first_bad_byte_is_found)
{
  static const struct { const char *bytes; uint32_t length; int64_t bad; } cases[] = {
    {"", 0, -1}, {"a", 1, -1}, {"\0", 1, -1}, {"12345678", 8, -1}, {"123456789", 9, -1}, {"\x7f", 1, -1},
    {"\xc2\x80", 2, -1}, {"\xdf\xbf", 2, -1}, {"\xe0\xa0\x80", 3, -1}, {"\xed\x9f\xbf", 3, -1}, {"\xee\x80\x80", 3, -1}, {"\xef\xbf\xbf", 3, -1},
    {"\xf0\x90\x80\x80", 4, -1}, {"\xf4\x8f\xbf\xbf", 4, -1}, {"\xf1\x80\x80\x80z", 5, -1},
    {"\x80", 1, 0}, {"a\xbf", 2, 1}, {"\xc0\x80", 2, 0}, {"\xc1\xbf", 2, 0}, {"\xc2", 1, 0}, {"\xc2z", 2, 0}, {"\xc2\xc2", 2, 0},
    {"\xe0\x9f\xbf", 3, 0}, {"\xe1\x80", 2, 0}, {"\xe1\x80z", 3, 0}, {"\xed\xa0\x80", 3, 0}, {"\xed\xbf\xbf", 3, 0}, {"\xf0\x8f\xbf\xbf", 4, 0},
    {"\xf4\x90\x80\x80", 4, 0}, {"\xf5\x80\x80\x80", 4, 0}, {"\xff", 1, 0}, {"\xfe", 1, 0}, {"\xf1\x80\x80", 3, 0}, {"\xf1\x80\x80z", 4, 0},
    {"12345678\xe2\x82\xac" "12345\xff", 17, 16}, {"1234567\xe2\x82\xac" "890\xe2\x82", 15, 13}, {"1234567\x80", 8, 7},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint64_t bad = 0;
    bool is_valid = wm_utf8_is_valid((const uint8_t *)cases[i].bytes, cases[i].length, &bad);
    cr_assert(is_valid == (cases[i].bad < 0), "case %zu", i);
    cr_assert(is_valid || (int64_t)bad == cases[i].bad, "case %zu: %llu", i, (unsigned long long)bad);
  }
}

/* Encodes by the definition, then asks: every scalar value is accepted, every surrogate and every longer form is not. */
static uint32_t encode(uint32_t code, uint32_t length, uint8_t *out)
{
  static const uint8_t leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
  for (uint32_t i = length; i-- > 1; code >>= 6)
    out[i] = (uint8_t)(0x80 | (code & 63));
  out[0] = (uint8_t)(leads[length] | code);
  return length;
}

Test(qip_utf8, every_code_point)
{
  static const uint32_t beyond[] = {0, 0x80, 0x800, 0x10000, 0x200000};
  for (uint32_t length = 1; length <= 4; length++)
    for (uint32_t code = 0; code < beyond[length]; code++) {
      uint8_t bytes[4];
      uint64_t bad = 0;
      bool is_expected = code >= beyond[length - 1] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
      encode(code, length, bytes);
      if (wm_utf8_is_valid(bytes, length, &bad) != is_expected)
        cr_assert(false, "U+%X in %u bytes", code, length);
    }
}

/* ---- Problem texts --------------------------------------------------------------------------------------------- */

Test(qip_message, texts_are_one_bounded_line)
{
  struct wm_problem problem;
  wm_problem_clear(&problem);
  cr_assert(wm_problem_begin(&problem, WM_REQUEST));
  wm_problem_text(&problem, "a ");
  wm_problem_number(&problem, 0);
  wm_problem_number(&problem, UINT64_MAX);
  wm_problem_bytes(&problem, "\n\xff", 2);
  cr_assert_str_eq(problem.text, "a 018446744073709551615\\x0a\\xff");
  cr_assert_not(wm_problem_begin(&problem, WM_CONTRACT), "the first problem wins");
  for (int i = 0; i < 1000; i++)
    wm_problem_text(&problem, "x");
  cr_assert(problem.length == WM_PROBLEM_TEXT_BYTES - 1 && strlen(problem.text) == problem.length);
  cr_assert_str_eq(problem.text + problem.length - 4, "x...");
}

Test(qip_message, an_error_keeps_its_place)
{
  struct wm_problem problem;
  struct wm_error error = {WM_LIMIT, 77, 3, 4096, "too many functions"};
  wm_problem_clear(&problem);
  wm_problem_from_error(&problem, &error);
  cr_assert(problem.status == WM_LIMIT && problem.offset == 77 && problem.function == 3);
  cr_assert_str_eq(problem.text, "too many functions (limit 4096)");
}

Test(qip_message, texts_compare_by_bytes)
{
  cr_assert(wm_text_compare(text("a"), text("ab")) < 0 && wm_text_compare(text("ab"), text("a")) > 0);
  cr_assert(wm_text_compare(text("a_"), text("a0")) > 0 && wm_text_compare(text("\xff"), text("a")) > 0);
  cr_assert(wm_text_compare(text(""), text("")) == 0 && wm_text_equal(text("ab"), text("ab")) && !wm_text_equal(text("ab"), text("ac")));
}

/* ---- Uniforms -------------------------------------------------------------------------------------------------- */

#define KEY_63 "a23456789012345678901234567890123456789012345678901234567890123"

Test(qip_uniforms, key_grammar)
{
  static const char *const good[] = {"a", "z9", "a_b", "a_1_c", "instruction_budget", KEY_63};
  static const char *const bad[] = {"", "A", "aB", "1a", "_a", "a_", "a__b", "a-b", "a b", "a.", "\xc3\xa4", KEY_63 "4"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    cr_assert(wm_uniform_key_is_valid(text(good[i])), "%s", good[i]);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    cr_assert_not(wm_uniform_key_is_valid(text(bad[i])), "%s", bad[i]);
}

Test(qip_uniforms, arguments_split_at_the_first_equals_sign)
{
  struct wm_uniform uniform;
  struct wm_problem problem;
  wm_problem_clear(&problem);
  cr_assert(wm_uniform_split(text("key=a=b"), &uniform, &problem));
  cr_assert(wm_text_equal(uniform.key, text("key")) && wm_text_equal(uniform.value, text("a=b")));
  cr_assert(wm_uniform_split(text("key="), &uniform, &problem) && uniform.value.length == 0);
  cr_assert_not(wm_uniform_split(text("key"), &uniform, &problem));
  cr_assert(problem.status == WM_REQUEST);
  cr_assert_str_eq(problem.text, "uniform \"key\" is not of the form key=value");
  wm_problem_clear(&problem);
  cr_assert_not(wm_uniform_split(text("Key=1"), &uniform, &problem));
  cr_assert_str_eq(problem.text, "uniform key \"Key\" is not valid: 1 to 63 of a-z, 0-9 and single inner _, a letter first");
}

Test(qip_uniforms, keys_are_sorted_and_unique)
{
  struct wm_problem problem;
  struct wm_uniform uniforms[64];
  static char keys[64][8];
  for (uint32_t i = 0; i < 64; i++) {
    snprintf(keys[i], sizeof keys[i], "k%u", i * 37 % 64);
    uniforms[i].key = uniforms[i].value = text(keys[i]);
  }
  wm_problem_clear(&problem);
  cr_assert(wm_uniforms_sort(uniforms, 64, &problem));
  for (uint32_t i = 0; i < 64; i++) {
    cr_assert(i == 0 || wm_text_compare(uniforms[i - 1].key, uniforms[i].key) < 0);
    cr_assert(wm_text_equal(uniforms[i].key, uniforms[i].value));
  }
  uniforms[10].key = uniforms[40].key;
  cr_assert_not(wm_uniforms_sort(uniforms, 64, &problem));
  cr_assert(problem.status == WM_REQUEST && strstr(problem.text, "is given twice"));
  wm_problem_clear(&problem);
  uniforms[3].key = text("B");
  cr_assert_not(wm_uniforms_sort(uniforms, 64, &problem));
  cr_assert(wm_uniforms_sort(uniforms, 0, &problem));
}

Test(qip_uniforms, values_by_type)
{
  static const struct { wm_valtype type; const char *text; bool is_read; uint64_t bits; } cases[] = {
    {WM_TYPE_I32, "4294967295", true, 0xffffffffu},  {WM_TYPE_I32, "0xff", true, 255},
    {WM_TYPE_I32, "-1", false, 0},                   {WM_TYPE_I32, "4294967296", false, 0},
    {WM_TYPE_I32, "1_000", false, 0},                {WM_TYPE_I32, " 1", false, 0},
    {WM_TYPE_I64, "-1", true, UINT64_MAX},           {WM_TYPE_I64, "+7", true, 7},
    {WM_TYPE_I64, "0xffffffffffffffff", true, UINT64_MAX}, {WM_TYPE_I64, "-0x10", false, 0},
    {WM_TYPE_I64, "9223372036854775808", false, 0},  {WM_TYPE_F32, "1e39", true, 0x7f800000u},
    {WM_TYPE_F32, "0.1", true, 0x3dcccccdu},         {WM_TYPE_F64, "0.1", true, 0x3fb999999999999au},
    {WM_TYPE_F32, "nan", true, 0x7fc00000u},         {WM_TYPE_F32, "nan:0x1", false, 0},
    {WM_TYPE_F64, "-inf", true, 0xfff0000000000000u}, {WM_TYPE_F64, "0x1p-2", true, 0x3fd0000000000000u},
    {WM_TYPE_F64, "", false, 0},                     {WM_TYPE_V128, "1", false, 0},
    {0, "1", false, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct wm_value value;
    bool is_read = wm_uniform_parse(cases[i].type, text(cases[i].text), &value);
    cr_assert(is_read == cases[i].is_read, "case %zu %s", i, cases[i].text);
    cr_assert(!is_read || (value.bits[0] == cases[i].bits && value.type == cases[i].type), "case %zu %s", i, cases[i].text);
  }
}
