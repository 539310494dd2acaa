/* Text, options and the three report forms of instrument/, from tables. */
#include "test_instrument_host.h"

#include "instrument/report.h"
#include "instrument/text.h"

static struct wm_text text_of(const char *string)
{
  return (struct wm_text){string, (uint32_t)strlen(string)};
}

/* Whatever `print` has in its buffer, terminated. */
static const char *printed(struct wm_print *print)
{
  print->bytes[print->length] = '\0';
  return print->bytes;
}

Test(instrument_text, integers)
{
  static const struct {
    uint64_t value;
    const char *decimal, *grouped, *hex, *scaled, *size, *duration;
  } cases[] = {
    {0, "0", "0", "00000000", "0.00", "0 B", "0 ns"},
    {7, "7", "7", "00000007", "0.07", "7 B", "7 ns"},
    {100, "100", "100", "00000064", "1.00", "100 B", "100 ns"},
    {696, "696", "696", "000002b8", "6.96", "696 B", "696 ns"},
    {999, "999", "999", "000003e7", "9.99", "999 B", "999 ns"},
    {1000, "1000", "1,000", "000003e8", "10.00", "1000 B", "1.00 µs"},
    {1023, "1023", "1,023", "000003ff", "10.23", "1023 B", "1.02 µs"},
    {1024, "1024", "1,024", "00000400", "10.24", "1.0 KiB", "1.02 µs"},
    {1075, "1075", "1,075", "00000433", "10.75", "1.0 KiB", "1.08 µs"}, /* 1.0498 KiB, 1.075 µs */
    {1076, "1076", "1,076", "00000434", "10.76", "1.1 KiB", "1.08 µs"}, /* 1.0508 KiB */
    {1048524, "1048524", "1,048,524", "000fffcc", "10485.24", "1023.9 KiB", "1.05 ms"},
    {1048525, "1048525", "1,048,525", "000fffcd", "10485.25", "1.0 MiB", "1.05 ms"},
    {999995, "999995", "999,995", "000f423b", "9999.95", "976.6 KiB", "1.00 ms"},
    {1234567890123, "1234567890123", "1,234,567,890,123", "11f71fb04cb", "12345678901.23", "1.1 TiB", "1234.57 s"},
    {UINT64_MAX, "18446744073709551615", "18,446,744,073,709,551,615", "ffffffffffffffff", "184467440737095516.15", "16.0 EiB",
     "18446744073.71 s"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char bytes[64];
    struct wm_print print;
#define CHECK(call, want) \
  wm_print_open(&print, bytes, sizeof bytes - 1, NULL); \
  call; \
  cr_expect_str_eq(printed(&print), want)
    CHECK(wm_print_u64(&print, cases[i].value), cases[i].decimal);
    CHECK(wm_print_grouped(&print, cases[i].value), cases[i].grouped);
    CHECK(wm_print_hex(&print, cases[i].value, 8), cases[i].hex);
    CHECK(wm_print_scaled(&print, cases[i].value, 2), cases[i].scaled);
    CHECK(wm_print_size(&print, cases[i].value), cases[i].size);
    CHECK(wm_print_duration(&print, cases[i].value), cases[i].duration);
  }
}

Test(instrument_text, ratio_rounds_half_up)
{
  static const struct {
    uint64_t value, divisor, hundredths;
  } cases[] = {
    {2888, 415, 696}, {28, 4, 700}, {16, 16, 100}, {176, 88, 200}, {201, 200, 101}, /* 1.005: a tie */
    {1, 200, 1}, {1, 201, 0}, {0, 5, 0}, {1, 3, 33}, {2, 3, 67}, {UINT64_MAX, UINT64_MAX, 100},
    {UINT64_MAX - 1, UINT64_MAX, 100}, {UINT64_MAX / 100, 1, UINT64_MAX / 100 * 100}, {1, UINT64_MAX, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    cr_expect_eq(wm_ratio_half_up(cases[i].value, 100, cases[i].divisor), cases[i].hundredths, "case %zu", i);
  /* The contract's own formula, where it does not overflow. */
  uint64_t seed = 1;
  for (int i = 0; i < 20000; i++) {
    uint64_t bytes = host_random(&seed) >> (24 + host_random(&seed) % 40);
    uint64_t distinct = (host_random(&seed) >> (30 + host_random(&seed) % 34)) + 1;
    cr_assert_eq(wm_ratio_half_up(bytes, 100, distinct), (200 * bytes + distinct) / (2 * distinct));
  }
}

Test(instrument_text, escapes)
{
  static const struct {
    const char *text, *csv, *json, *visible;
  } cases[] = {
    {"", "", "\"\"", ""},
    {"plain", "plain", "\"plain\"", "plain"},
    {"a,b", "\"a,b\"", "\"a,b\"", "a,b"},
    {"say \"x\"", "\"say \"\"x\"\"\"", "\"say \\\"x\\\"\"", "say \"x\""},
    {"a\nb", "\"a\nb\"", "\"a\\nb\"", "a\\x0ab"},
    {"a\rb", "\"a\rb\"", "\"a\\rb\"", "a\\x0db"},
    {" lead", "\" lead\"", "\" lead\"", " lead"},
    {"trail ", "\"trail \"", "\"trail \"", "trail "},
    {"\x1b[31m", "\x1b[31m", "\"\\u001b[31m\"", "\\x1b[31m"},
    {"\t\b\f\\", "\t\b\f\\", "\"\\t\\b\\f\\\\\"", "\\x09\\x08\\x0c\\"},
    {"\x7f", "\x7f", "\"\\u007f\"", "\\x7f"},
    {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"",
     "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
    {"\xc2\x9b", "\xc2\x9b", "\"\xc2\x9b\"", "\\xc2\\x9b"},          /* C1 control */
    {"\xff", "\xff", "\"\\ufffd\"", "\\xff"},
    {"\xc3", "\xc3", "\"\\ufffd\"", "\\xc3"},                        /* cut short */
    {"\xc0\x80", "\xc0\x80", "\"\\ufffd\\ufffd\"", "\\xc0\\x80"},    /* too long a form */
    {"\xe0\x9f\xbf", "\xe0\x9f\xbf", "\"\\ufffd\\ufffd\\ufffd\"", "\\xe0\\x9f\\xbf"},
    {"\xed\xa0\x80", "\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"", "\\xed\\xa0\\x80"}, /* surrogate */
    {"\xf4\x90\x80\x80", "\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"", "\\xf4\\x90\\x80\\x80"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char bytes[128];
    struct wm_print print;
    CHECK(wm_print_csv(&print, text_of(cases[i].text)), cases[i].csv);
    CHECK(wm_print_json(&print, text_of(cases[i].text)), cases[i].json);
    CHECK(wm_print_visible(&print, text_of(cases[i].text)), cases[i].visible);
  }
}

Test(instrument_text, a_small_buffer_cuts_or_hands_on)
{
  struct host host;
  host_open(&host, 1, 1);
  for (size_t capacity = 0; capacity < 12; capacity++) {
    char bytes[12];
    struct wm_print print;
    wm_print_open(&print, bytes, capacity, NULL);
    wm_print_string(&print, "0123456789");
    cr_expect_eq(print.length, capacity < 10 ? capacity : 10);
    cr_expect_eq(print.is_cut, capacity < 10);
    cr_expect_arr_eq(bytes, "0123456789", print.length);
    host_clear_text(&host);
    wm_print_open(&print, bytes, capacity, &host.writer);
    wm_print_string(&print, "0123456789");
    wm_print_u64(&print, 42);
    wm_print_flush(&print);
    cr_expect_str_eq(host.text, capacity == 0 ? "" : "012345678942");
    cr_expect_eq(print.is_cut, capacity == 0);
  }
  host_close(&host);
}

Test(instrument_text, options_are_cut_into_slices)
{
  static const struct {
    const char *spec, *name, *joined; /* key|value; … , - for a lone key; NULL name: refused */
  } cases[] = {
    {"pages", "pages", ""},
    {"pages:format=csv", "pages", "format|csv;"},
    {"trace:last=16,checksum", "trace", "last|16;checksum|-;"},
    {"layers:layer=hand=a*,b*,format=json", "layers", "layer|hand=a*;b*|-;format|json;"},
    {"x:k=", "x", "k|;"},
    {"./a:b/c.so:ways=8", "./a:b/c.so", "ways|8;"},
    {"/lib/c.so:out=/x/y", "/lib/c.so", "out|/x/y;"},
    {"", NULL, ""}, {":a=b", NULL, ""}, {"x:=v", NULL, ""}, {"x:", NULL, ""}, {"x:a=b,", NULL, ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct wm_text name;
    struct wm_option options[WM_OPTIONS_MAX];
    uint32_t count;
    char joined[256] = "";
    bool is_good = wm_option_split(text_of(cases[i].spec), &name, options, &count);
    cr_expect_eq(is_good, cases[i].name != NULL, "%s", cases[i].spec);
    if (!is_good)
      continue;
    cr_expect(wm_text_is(name, cases[i].name), "%s: %.*s", cases[i].spec, (int)name.length, name.bytes);
    for (uint32_t k = 0; k < count; k++)
      sprintf(joined + strlen(joined), "%.*s|%.*s;", (int)options[k].key.length, options[k].key.bytes,
              options[k].value.bytes == NULL ? 1 : (int)options[k].value.length,
              options[k].value.bytes == NULL ? "-" : options[k].value.bytes);
    cr_expect_str_eq(joined, cases[i].joined, "%s: %s", cases[i].spec, joined);
  }
  char many[300] = "x:a";
  struct wm_text name;
  struct wm_option options[WM_OPTIONS_MAX];
  uint32_t count;
  for (int i = 1; i < WM_OPTIONS_MAX; i++)
    strcat(many, ",a");
  cr_expect(wm_option_split(text_of(many), &name, options, &count));
  cr_expect_eq(count, WM_OPTIONS_MAX);
  cr_expect_not(wm_option_split(text_of(strcat(many, ",a")), &name, options, &count));
}

Test(instrument_text, numbers_are_read)
{
  static const struct {
    const char *text;
    bool is_good;
    uint64_t value;
  } cases[] = {
    {"0", true, 0}, {"256", true, 256}, {"0x10", true, 16}, {"0XfF", true, 255}, {"18446744073709551615", true, UINT64_MAX},
    {"0xffffffffffffffff", true, UINT64_MAX}, {"007", true, 7}, {"", false, 0}, {"0x", false, 0}, {"-1", false, 0}, {"+1", false, 0},
    {" 1", false, 0}, {"1a", false, 0}, {"18446744073709551616", false, 0}, {"0x10000000000000000", false, 0},
    {"99999999999999999999", false, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint64_t value = 99;
    cr_expect_eq(wm_option_u64(text_of(cases[i].text), &value), cases[i].is_good, "%s", cases[i].text);
    cr_expect_eq(value, cases[i].is_good ? cases[i].value : 99, "%s", cases[i].text);
  }
}

static void write_sample(struct wm_report *report, void *user)
{
  (void)user;
  wm_report_text(report, text_of("a,\"b\""));
  wm_report_u64(report, 1234567);
  wm_report_u64(report, 2048);
  wm_report_u64(report, 696);
  wm_report_text(report, text_of("\xc3\xa9"));
  wm_report_u64(report, 5);
  wm_report_u64(report, 0);
  wm_report_none(report);
}

Test(instrument_text, three_forms)
{
  static const struct wm_column columns[] = {
    {"name", WM_COLUMN_TEXT}, {"count", WM_COLUMN_COUNT}, {"bytes", WM_COLUMN_BYTES}, {"ratio", WM_COLUMN_RATIO}};
  static const char *const want[] = {
    "name,count,bytes,ratio\n\"a,\"\"b\"\"\",1234567,2048,6.96\n\xc3\xa9,5,0,\n",
    "{\"report\":\"sample\",\"complete\":true,\"rows\":[\n{\"name\":\"a,\\\"b\\\"\",\"count\":1234567,\"bytes\":2048,\"ratio\":6.96},\n"
    "{\"name\":\"\xc3\xa9\",\"count\":5,\"bytes\":0,\"ratio\":null}],\"page_count\":12345}\n",
    "name       count    bytes  ratio\n"
    "a,\"b\"  1,234,567  2.0 KiB   6.96\n"
    "\xc3\xa9              5      0 B      -\n"
    "\npage count: 12,345\n",
  };
  for (unsigned format = 0; format < WM_FORMATS; format++) {
    struct host host;
    struct wm_report report;
    struct wm_outcome outcome = {.is_complete = true};
    host_open(&host, 1, 1);
    wm_report_open(&report, format, "sample", &outcome, columns, 4, &host.writer);
    wm_report_rows(&report, write_sample, NULL);
    wm_report_note_u64(&report, "page_count", 12345);
    wm_report_close(&report);
    cr_expect_str_eq(host.text, want[format]);
    host_close(&host);
  }
}
