/* The name section: every kind, gaps, and all that makes a subsection as if it were not there. */
#include <criterion/criterion.h>
#include <string.h>

#include "decoder/names.h"
#include "decoder_support.h"

/* A module of the header and a custom section. */
static void open_names(struct decoded *decoded, const char *content, size_t size)
{
  struct bytes bytes = {NULL, 0, 0}, custom = {NULL, 0, 0};
  bytes_add_header(&bytes);
  bytes_add(&custom, B("\x04name"));
  bytes_add(&custom, content, size);
  bytes_add_section(&bytes, 0, custom.data, custom.size);
  decoded_make(decoded, bytes.data, bytes.size);
  cr_assert(decoded->is_good, "a name section is never an error");
  bytes_free(&custom);
  bytes_free(&bytes);
}

static bool is(struct wm_name name, const char *expected)
{
  return name.length == strlen(expected) && memcmp(name.bytes, expected, name.length) == 0;
}

Test(decoder_names, all_kinds)
{
  struct decoded d;
  open_names(&d, B("\x00\x03\x02mo"
                   "\x01\x09\x03\x00\x01" "a\x01\x00\x05\x01" "f"
                   "\x02\x0b\x02\x01\x02\x00\x01x\x03\x01y\x04\x00"
                   "\x03\x06\x01\x01\x01\x00\x01l"
                   "\x04\x04\x01\x02\x01t\x05\x04\x01\x03\x01T\x06\x04\x01\x04\x01m\x07\x04\x01\x05\x01g"
                   "\x08\x04\x01\x06\x01" "e\x09\x04\x01\x07\x01" "d"
                   "\x0a\x06\x01\x02\x01\x01\x01" "F\x0b\x04\x01\x08\x01X"));
  const struct wm_module *m = &d.module;
  cr_assert(is(wm_names_module(m), "mo"));
  cr_assert(is(wm_names_function(m, 0), "a") && is(wm_names_function(m, 1), "") && is(wm_names_function(m, 5), "f"));
  cr_assert(is(wm_names_function(m, 2), "") && is(wm_names_function(m, 6), "") && is(wm_names_function(m, UINT32_MAX), ""));
  cr_assert(is(wm_names_find_in(m, WM_NAME_LOCAL, 1, 0), "x") && is(wm_names_find_in(m, WM_NAME_LOCAL, 1, 3), "y"));
  cr_assert(is(wm_names_find_in(m, WM_NAME_LOCAL, 1, 1), "") && is(wm_names_find_in(m, WM_NAME_LOCAL, 1, 4), ""));
  cr_assert(is(wm_names_find_in(m, WM_NAME_LOCAL, 4, 0), "") && is(wm_names_find_in(m, WM_NAME_LOCAL, 2, 0), ""));
  cr_assert(is(wm_names_find_in(m, WM_NAME_LABEL, 1, 0), "l") && is(wm_names_find_in(m, WM_NAME_FIELD, 2, 1), "F"));
  static const struct { enum wm_name_kind kind; uint32_t index; const char *name; } others[] = {
    {WM_NAME_TYPE, 2, "t"}, {WM_NAME_TABLE, 3, "T"}, {WM_NAME_MEMORY, 4, "m"}, {WM_NAME_GLOBAL, 5, "g"},
    {WM_NAME_ELEMENT, 6, "e"}, {WM_NAME_DATA, 7, "d"}, {WM_NAME_TAG, 8, "X"},
  };
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    cr_assert(is(wm_names_find(m, others[i].kind, others[i].index), others[i].name), "%s", others[i].name);
    cr_assert(is(wm_names_find(m, others[i].kind, others[i].index + 1), ""));
  }
  decoded_free(&d);
}

#define GOOD_FUNCTIONS "\x01\x04\x01\x00\x01" "a"
#define GOOD_GLOBALS "\x07\x04\x01\x00\x01g"

Test(decoder_names, bad_subsections_are_not_there)
{
  static const struct { const char *what, *bytes; size_t size; bool has_function, has_global; } rows[] = {
    {"both", B(GOOD_FUNCTIONS GOOD_GLOBALS), true, true},
    {"nothing", B(""), false, false},
    {"unknown kind between", B(GOOD_FUNCTIONS "\x02\x01\x00\x06\x01\x00" GOOD_GLOBALS), true, true},
    {"unknown kind behind", B(GOOD_FUNCTIONS GOOD_GLOBALS "\x0c\x02zz"), true, true},
    {"count beyond", B("\x01\x04\x02\x00\x01" "a" GOOD_GLOBALS), false, true},
    {"huge count", B("\x01\x05\xff\xff\xff\xff\x0f" GOOD_GLOBALS), false, true},
    {"name beyond", B("\x01\x04\x01\x00\x02" "a" GOOD_GLOBALS), false, true},
    {"bytes left", B("\x01\x05\x01\x00\x01" "a\x00" GOOD_GLOBALS), false, true},
    {"invalid UTF-8", B("\x01\x04\x01\x00\x01\xff" GOOD_GLOBALS), false, true},
    {"descending", B("\x01\x07\x02\x01\x01" "b\x00\x01" "a" GOOD_GLOBALS), false, true},
    {"twice the same index", B("\x01\x07\x02\x00\x01" "b\x00\x01" "a" GOOD_GLOBALS), false, true},
    {"a long integer", B("\x01\x09\x01\x80\x80\x80\x80\x80\x00\x01" "a" GOOD_GLOBALS), false, true},
    {"empty subsection", B("\x01\x00" GOOD_GLOBALS), false, true},
    {"subsection beyond the section", B(GOOD_FUNCTIONS "\x07\x05\x01\x00\x01g"), true, false},
    {"subsections out of order", B(GOOD_GLOBALS GOOD_FUNCTIONS), false, true},
    {"bad module name", B("\x00\x02\x02m" GOOD_FUNCTIONS GOOD_GLOBALS), true, true},
    {"bad locals", B(GOOD_FUNCTIONS "\x02\x06\x01\x00\x02\x00\x01x" GOOD_GLOBALS), true, true},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct decoded d;
    open_names(&d, rows[i].bytes, rows[i].size);
    cr_assert(is(wm_names_function(&d.module, 0), rows[i].has_function ? "a" : ""), "%s", rows[i].what);
    cr_assert(is(wm_names_find(&d.module, WM_NAME_GLOBAL, 0), rows[i].has_global ? "g" : ""), "%s", rows[i].what);
    cr_assert(is(wm_names_module(&d.module), ""), "%s", rows[i].what);
    cr_assert(is(wm_names_find_in(&d.module, WM_NAME_LOCAL, 0, 0), ""), "%s", rows[i].what);
    decoded_free(&d);
  }
}

/* No section, and only the first of two. */
Test(decoder_names, other_sections)
{
  struct decoded d;
  decoded_make(&d, (const uint8_t *)"\0asm\x01\0\0\0", 8);
  cr_assert(is(wm_names_function(&d.module, 0), "") && is(wm_names_module(&d.module), ""));
  decoded_free(&d);
  static const struct part parts[] = {PART(0, "\x05names\x00\x02\x01n"), PART(0, "\x04name" GOOD_FUNCTIONS), PART(0, "\x04name\x01\x04\x01\x00\x01" "b")};
  struct bytes bytes = bytes_of_parts(parts, 3);
  decoded_make(&d, bytes.data, bytes.size);
  cr_assert(is(wm_names_function(&d.module, 0), "a"));
  decoded_free(&d);
  bytes_free(&bytes);
}

/* Many names with gaps: each is found, none else. */
Test(decoder_names, search)
{
  enum { COUNT = 500 };
  struct bytes map = {NULL, 0, 0}, content = {NULL, 0, 0};
  bytes_add_leb(&map, COUNT);
  for (uint32_t i = 0; i < COUNT; i++) {
    char name = (char)('a' + i % 26);
    bytes_add_leb(&map, i * 3 + (i > 100));
    bytes_add_leb(&map, 1);
    bytes_add(&map, &name, 1);
  }
  bytes_add(&content, "\x01", 1);
  bytes_add_leb(&content, map.size);
  bytes_add(&content, map.data, map.size);
  struct decoded d;
  open_names(&d, (const char *)content.data, content.size);
  for (uint32_t index = 0; index < COUNT * 3 + 10; index++) {
    uint32_t ordinal = index > 300 ? (index - 1) / 3 : index / 3;
    bool has_name = ordinal < COUNT && index == ordinal * 3 + (ordinal > 100);
    struct wm_name name = wm_names_function(&d.module, index);
    cr_assert(name.length == has_name, "%u", index);
    if (has_name)
      cr_assert(name.bytes[0] == 'a' + ordinal % 26, "%u", index);
  }
  decoded_free(&d);
  bytes_free(&map);
  bytes_free(&content);
}
