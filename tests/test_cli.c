/* The parts of cli/ that can be asked without a process: option tables, numbers, values as text, durations, statistics, SHA-256. */
#include <criterion/criterion.h>
#include <string.h>

#include "cli/args.h"
#include "cli/message.h"
#include "cli/samples.h"
#include "cli/sha256.h"
#include "cli/values.h"
#include "qip/number.h"

/* ---- Numbers of options ----------------------------------------------------------------------------------------- */

Test(cli, counts_and_sizes)
{
  static const struct { const char *text; bool is_count, is_size; uint64_t count, size; } cases[] = {
    {"0", true, true, 0, 0}, {"42", true, true, 42, 42}, {"0x10", true, true, 16, 16}, {"1_000_000", true, true, 1000000, 1000000},
    {"18446744073709551615", true, true, UINT64_MAX, UINT64_MAX}, {"18446744073709551616", false, false, 0, 0},
    {"0xffffffffffffffff", true, true, UINT64_MAX, UINT64_MAX}, {"0x10000000000000000", false, false, 0, 0},
    {"1K", false, true, 0, 1024}, {"1k", false, true, 0, 1024}, {"2KiB", false, true, 0, 2048}, {"3M", false, true, 0, 3u << 20},
    {"4GB", false, true, 0, UINT64_C(4) << 30}, {"5Ti", false, true, 0, UINT64_C(5) << 40}, {"7B", false, true, 0, 7},
    {"16777216T", false, false, 0, 0}, {"16777215T", false, true, 0, UINT64_C(16777215) << 40}, {"", false, false, 0, 0},
    {"-1", false, false, 0, 0}, {"+1", false, false, 0, 0}, {" 1", false, false, 0, 0}, {"1 ", false, false, 0, 0}, {"0x", false, false, 0, 0},
    {"_1", false, false, 0, 0}, {"1_", false, false, 0, 0}, {"1__0", false, false, 0, 0}, {"K", false, false, 0, 0}, {"1Q", false, false, 0, 0},
    {"1KK", false, false, 0, 0}, {"1.5K", false, false, 0, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint64_t number = 0;
    bool is_count = wm_parse_count(cases[i].text, &number);
    cr_assert(is_count == cases[i].is_count && (!is_count || number == cases[i].count), "count %s", cases[i].text);
    bool is_size = wm_parse_size(cases[i].text, &number);
    cr_assert(is_size == cases[i].is_size && (!is_size || number == cases[i].size), "size %s", cases[i].text);
  }
}

/* ---- Command lines ---------------------------------------------------------------------------------------------- */

static const struct wm_opt_def table[] = {
  WM_ROWS_REQUEST, WM_ROW_SINK, WM_ROW_PARTIAL, WM_ROW_FORMAT("csv|json", ""), WM_ROWS_LIMITS,
  {WM_OPT_INVOKE, WM_OPT_REST, 0, "invoke", "EXPORT", ""}, WM_ROWS_COMMON, WM_ROW_END,
};

static int parse(struct wm_args *args, const char *const *words)
{
  char *argv[32] = {(char *)"wasmeter", (char *)"test"};
  int argc = 2;
  for (; words[argc - 2] != NULL; argc++)
    argv[argc] = (char *)words[argc - 2];
  return wm_args_parse(args, table, "test", argc, argv, 2);
}

Test(cli, forms_of_options)
{
  struct wm_args args;
  cr_assert(parse(&args, (const char *const[]){"-i", "a", "--input=b", "-ic", "--budget", "7", "-qh", NULL}) == 0);
  cr_assert(strcmp(wm_args_text(&args, WM_OPT_INPUT, ""), "c") == 0, "the last one counts");
  cr_assert(wm_args_number(&args, WM_OPT_BUDGET, 0) == 7 && wm_args_has(&args, WM_OPT_QUIET) && wm_args_has(&args, WM_OPT_HELP));
  wm_args_free(&args);
  cr_assert(parse(&args, (const char *const[]){"x", "-u", "a=1", "y", "-u", "b=2", "--", "-u", "--format", NULL}) == 0);
  cr_assert(args.positional_count == 4 && strcmp(args.positional[2], "-u") == 0 && strcmp(args.positional[3], "--format") == 0);
  cr_assert(args.count == 2 && args.items[0].before == 1 && args.items[1].before == 2);
  wm_args_free(&args);
  cr_assert(parse(&args, (const char *const[]){"x", "--invoke", "f", "-1", "--budget", "2", NULL}) == 0);
  cr_assert(args.positional_count == 1 && args.rest_count == 3 && strcmp(args.rest[0], "-1") == 0 && !wm_args_has(&args, WM_OPT_BUDGET));
  wm_args_free(&args);
  cr_assert(parse(&args, (const char *const[]){"--format", "json", "-", NULL}) == 0);
  cr_assert(wm_args_number(&args, WM_OPT_FORMAT, 0) == 1 && args.positional_count == 1);
  wm_args_free(&args);
}

Test(cli, refused_command_lines)
{
  static const char *const cases[][4] = {
    {"--nothing"}, {"-x"}, {"-qx"}, {"--budget"}, {"--budget", "x"}, {"--budget="}, {"--partial=1"}, {"--format", "xml"}, {"--form"}, {"-F"},
    {"--max-memory", "1X"}, {"--inputs", "a"}, {"--inpu", "a"}, {"-q=1"}, {"--="},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct wm_args args;
    cr_assert(parse(&args, cases[i]) == WM_EXIT_USAGE, "%s", cases[i][0]);
    wm_args_free(&args);
  }
}

/* ---- Values ----------------------------------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

/* What is printed reads back to the same bits, and no shorter digits would. */
Test(cli, floats_read_back)
{
  static const uint64_t specials[] = {
    0, 1, 0x8000000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001,
    0x7fefffffffffffff, 0x000fffffffffffff, 0x0010000000000000, 0x3ff0000000000000, 0x4340000000000000, 0x444b1ae4d6e2ef50,
  };
  uint64_t state = 88172645463325252u;
  for (unsigned i = 0; i < 20000; i++) {
    uint64_t bits = i < sizeof specials / sizeof *specials ? specials[i] : next_random(&state);
    struct wm_buffer text = WM_BUFFER_EMPTY;
    wm_f64_print(&text, bits);
    uint64_t back;
    cr_assert(wm_number_f64((struct wm_text){(const char *)text.bytes, (uint32_t)text.length}, true, &back) && back == bits, "%.*s", (int)text.length,
              (const char *)text.bytes);
    text.length = 0;
    uint32_t single = (uint32_t)(bits >> 13), single_back;
    wm_f32_print(&text, single);
    cr_assert(wm_number_f32((struct wm_text){(const char *)text.bytes, (uint32_t)text.length}, true, &single_back) && single_back == single, "%.*s",
              (int)text.length, (const char *)text.bytes);
    wm_buffer_free(&text);
  }
}

Test(cli, float_spelling)
{
  static const struct { double number; const char *text; } cases[] = {
    {0, "0"}, {-0.0, "-0"}, {1, "1"}, {-1.5, "-1.5"}, {0.1, "0.1"}, {100, "100"}, {1e20, "100000000000000000000"}, {1e21, "1e+21"},
    {1.25e21, "1.25e+21"}, {0.000001, "0.000001"}, {1e-7, "1e-7"}, {123456.789, "123456.789"}, {5e-324, "5e-324"},
    {1.7976931348623157e308, "1.7976931348623157e+308"}, {9007199254740993.0, "9007199254740992"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct wm_buffer text = WM_BUFFER_EMPTY;
    uint64_t bits;
    memcpy(&bits, &cases[i].number, sizeof bits);
    wm_f64_print(&text, bits);
    cr_assert(text.length == strlen(cases[i].text) && memcmp(text.bytes, cases[i].text, text.length) == 0, "%s is not %.*s", cases[i].text,
              (int)text.length, (const char *)text.bytes);
    wm_buffer_free(&text);
  }
}

Test(cli, vector_arguments)
{
  static const struct { const char *text; bool is_good; uint64_t low, high; } cases[] = {
    {"i64x2 1 2", true, 1, 2}, {"i64x2:1,2", true, 1, 2}, {"i32x4 1 2 3 4", true, 0x200000001, 0x400000003},
    {"i16x8 -1 0 0 0 0 0 0 1", true, 0xffff, 0x1000000000000}, {"f32x4 1 0 -inf 0", true, 0x3f800000, 0xff800000},
    {"f64x2 nan:0x1 nan", true, 0x7ff0000000000001, 0x7ff8000000000000}, {"i8x16 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16", true, 0x0807060504030201, 0x100f0e0d0c0b0a09},
    {"i64x2 1", false, 0, 0}, {"i64x2 1 2 3", false, 0, 0}, {"i64x3 1 2 3", false, 0, 0}, {"", false, 0, 0}, {"i8x16", false, 0, 0},
    {"i8x16 256 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16", false, 0, 0}, {"f32x4 a b c d", false, 0, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct wm_value value;
    bool is_good = wm_value_parse(&value, WM_TYPE_V128, cases[i].text);
    cr_assert(is_good == cases[i].is_good && (!is_good || (value.bits[0] == cases[i].low && value.bits[1] == cases[i].high)), "%s", cases[i].text);
  }
}

/* ---- Durations and statistics ----------------------------------------------------------------------------------- */

Test(cli, durations)
{
  static const struct { const char *text; uint64_t ns; const char *printed; } cases[] = {
    {"1ns", 1, "1ns"}, {"999ns", 999, "999ns"}, {"54.118us", 54118, "54.118µs"}, {"1.5µs", 1500, "1.5µs"}, {"250ms", 250000000, "250ms"},
    {"1.234567ms", 1234567, "1.234567ms"}, {"3s", UINT64_C(3000000000), "3s"}, {"1.5m", UINT64_C(90000000000), "1m30s"},
    {"0.000000001s", 1, "1ns"}, {".5s", 500000000, "500ms"}, {"62.5s", UINT64_C(62500000000), "1m2.5s"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint64_t ns = 0;
    cr_assert(wm_duration_parse(cases[i].text, &ns) && ns == cases[i].ns, "%s", cases[i].text);
    struct wm_buffer text = WM_BUFFER_EMPTY;
    wm_duration_print(&text, ns);
    cr_assert(text.length == strlen(cases[i].printed) && memcmp(text.bytes, cases[i].printed, text.length) == 0, "%s", cases[i].printed);
    wm_buffer_free(&text);
  }
  static const char *const refused[] = {"", "s", "3", "-1s", "0s", "1.2.3s", "1h", "0.1ns", "99999999999999999999s", "20000000000s", "1 s", "1s ", "."};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    uint64_t ns;
    cr_assert(!wm_duration_parse(refused[i], &ns), "%s", refused[i]);
  }
}

Test(cli, statistics)
{
  struct wm_samples samples = {0};
  static const uint64_t given[] = {9, 2, 5, 4, 12, 7, 8, 11, 9, 3, 7, 4, 12, 5, 4, 10, 9, 6, 9, 4}; /* mean 7, population deviation 2.98 */
  for (size_t i = 0; i < sizeof given / sizeof *given; i++)
    wm_samples_add(&samples, given[i] * 1000);
  struct wm_summary s = wm_samples_summary(&samples);
  cr_assert(s.mean == 7000 && s.deviation == 2983 && s.minimum == 2000 && s.median == 7000 && s.p95 == 12000 && s.maximum == 12000);
  wm_samples_free(&samples);
  wm_samples_add(&samples, 42);
  s = wm_samples_summary(&samples);
  cr_assert(s.mean == 42 && s.deviation == 0 && s.minimum == 42 && s.median == 42 && s.p95 == 42 && s.maximum == 42);
  wm_samples_free(&samples);
}

/* ---- SHA-256: the standard's own examples, and every length around a block's border ------------------------------ */

Test(cli, sha256)
{
  static const struct { const char *text, *digest; } cases[] = {
    {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
  };
  char text[WM_SHA256_CHARS];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    wm_sha256_text(text, cases[i].text, strlen(cases[i].text));
    cr_assert(strcmp(text, cases[i].digest) == 0, "%s", cases[i].text);
  }
  /* Digest over the digests of 0..200 letters a: one figure for all paddings (checked with sha256sum). */
  uint8_t digests[201 * WM_SHA256_BYTES];
  char letters[200];
  memset(letters, 'a', sizeof letters);
  for (size_t length = 0; length <= sizeof letters; length++)
    wm_sha256(digests + length * WM_SHA256_BYTES, letters, length);
  wm_sha256_text(text, digests, sizeof digests);
  cr_assert(strcmp(text, "1be2d7d291484baf4c78d463a65b40a26c255b1946e5205eac8edad606a76fdd") == 0, "%s", text);
}

/* ---- Messages --------------------------------------------------------------------------------------------------- */

Test(cli, text_from_outside_stays_one_line)
{
  struct wm_buffer text = WM_BUFFER_EMPTY;
  wm_buffer_escaped(&text, "a\nb\x1b[31m\x80\xc2\x9b\xc3\xa9", 13);
  static const char expected[] = "a\\x0ab\\x1b[31m\\x80\\xc2\\x9b\xc3\xa9";
  cr_assert(text.length == sizeof expected - 1 && memcmp(text.bytes, expected, text.length) == 0, "%.*s", (int)text.length, (const char *)text.bytes);
  wm_buffer_free(&text);
}
