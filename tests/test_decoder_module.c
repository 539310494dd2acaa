/* Whole modules: what is malformed and what invalid in each section, limits at and one beyond, arenas of every size, every
 * truncation. */
#include <criterion/criterion.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "decoder_support.h"

struct row {
  const char *name;
  enum wm_status status;
  const char *message;
  struct part parts[10];
};

static void check(const struct row *rows, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const struct row *row = &rows[i];
    struct bytes module = bytes_of_parts(row->parts, sizeof row->parts / sizeof *row->parts);
    struct decoded decoded;
    decoded_make(&decoded, module.data, module.size);
    cr_assert(decoded.error.status == row->status, "%s: status %d, %s", row->name, decoded.error.status, decoded.error.message);
    cr_assert_str_eq(decoded.error.message, row->message, "%s: %s", row->name, decoded.error.message);
    decoded_free(&decoded);
    bytes_free(&module);
  }
}

#define CHECK(rows) check(rows, sizeof(rows) / sizeof *(rows))
#define TYPE PART(1, "\x01\x60\0\0")
#define FUNC PART(3, "\x01\0")
#define CODE PART(10, "\x01\x02\0\x0b")
#define MEMORY PART(5, "\x01\0\x01")
#define TABLE PART(4, "\x01\x70\0\x01")

Test(decoder_module, headers)
{
  static const struct { const char *bytes; size_t size; const char *message; } rows[] = {
    {B(""), "unexpected end"},
    {B("\0as"), "unexpected end"},
    {B("\0as\x6e\x01\0\0\0"), "magic header not detected"},
    {B("asm\0\x01\0\0\0"), "magic header not detected"},
    {B("\0asm\x01\0\0"), "unexpected end"},
    {B("\0asm\x02\0\0\0"), "unknown binary version"},
    {B("\0asm\x0d\0\x01\0"), "unknown binary version"},
    {B("\0asm\0\0\0\x01"), "unknown binary version"},
    {B("\0asm\x01\0\0\0\x0e\0"), "malformed section id"},
    {B("\0asm\x01\0\0\0\x01"), "unexpected end of section or function"},
    {B("\0asm\x01\0\0\0\x01\x05\0"), "length out of bounds"},
    {B("\0asm\x01\0\0\0\0\0"), "unexpected end of section or function"},
    {B("\0asm\x01\0\0\0\0\x02\x02" "a"), "length out of bounds"},
    {B("\0asm\x01\0\0\0\0\x02\x01\xff"), "malformed UTF-8 encoding"},
    {B("\0asm\x01\0\0\0\0\xff\xff\xff\xff\x1f"), "integer too large"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct decoded decoded;
    decoded_make(&decoded, (const uint8_t *)rows[i].bytes, rows[i].size);
    cr_assert(decoded.error.status == WM_MALFORMED && strcmp(decoded.error.message, rows[i].message) == 0, "row %zu: %s", i,
              decoded.error.message);
    decoded_free(&decoded);
  }
}

Test(decoder_module, order)
{
  static const struct row rows[] = {
    {"empty", WM_OK, "", {{0, NULL, 0}}},
    {"customs anywhere", WM_OK, "", {PART(0, "\x01" "a"), TYPE, PART(0, "\x01" "a"), FUNC, PART(0, "\0"), CODE, PART(0, "\x01" "a")}},
    {"twice", WM_MALFORMED, "unexpected content after last section", {TYPE, TYPE}},
    {"out of order", WM_MALFORMED, "unexpected content after last section", {FUNC, TYPE}},
    {"tags after memories", WM_OK, "", {TYPE, MEMORY, PART(13, "\x01\0\0"), PART(6, "\0")}},
    {"tags after globals", WM_MALFORMED, "unexpected content after last section", {TYPE, PART(6, "\0"), PART(13, "\x01\0\0")}},
    {"data count before code", WM_OK, "", {PART(9, "\0"), PART(12, "\0"), PART(10, "\0"), PART(11, "\0")}},
    {"data count after code", WM_MALFORMED, "unexpected content after last section", {PART(10, "\0"), PART(12, "\0")}},
    {"section too long", WM_MALFORMED, "section size mismatch", {PART(1, "\0\0")}},
    {"section too short", WM_MALFORMED, "unexpected end of section or function", {PART(1, "\x01\x60")}},
    {"count beyond the section", WM_MALFORMED, "length out of bounds", {PART(1, "\xff\xff\xff\xff\x0f")}},
    {"no code section", WM_MALFORMED, "function and code section have inconsistent lengths", {TYPE, FUNC}},
    {"no function section", WM_MALFORMED, "function and code section have inconsistent lengths", {TYPE, CODE}},
    {"fewer bodies", WM_MALFORMED, "function and code section have inconsistent lengths", {TYPE, PART(3, "\x02\0\0"), CODE}},
    {"no functions, no bodies", WM_OK, "", {PART(3, "\0"), PART(10, "\0")}},
    {"data count without data", WM_MALFORMED, "data count and data section have inconsistent lengths", {PART(12, "\x01")}},
    {"data count without data, zero", WM_OK, "", {PART(12, "\0")}},
    {"data count differs", WM_MALFORMED, "data count and data section have inconsistent lengths", {PART(12, "\x02"), PART(11, "\x01\x01\0")}},
    {"malformed beats an earlier invalid", WM_MALFORMED, "malformed import kind", {PART(1, "\x01\x50\x01\x05\x5f\0"), PART(2, "\x01\0\0\x05")}},
    {"and an earlier invalid body", WM_MALFORMED, "malformed data segment kind", {TYPE, FUNC, PART(10, "\x01\x03\0\x1a\x0b"), PART(11, "\x01\x03")}},
    {"and an earlier invalid expression", WM_MALFORMED, "malformed mutability", {PART(6, "\x02\x7f\0\x42\0\x0b\x7f\x02")}},
    {"the first invalid one counts", WM_INVALID, "unknown type", {PART(1, "\x01\x60\x01\x63\x05\0"), PART(3, "\x01\x07"), CODE}},
  };
  CHECK(rows);
}

Test(decoder_module, types)
{
  static const struct row rows[] = {
    {"form", WM_MALFORMED, "malformed type form", {PART(1, "\x01\x61\0\0")}},
    {"value type", WM_MALFORMED, "malformed value type", {PART(1, "\x01\x60\x01\x40\0")}},
    {"packed parameter", WM_MALFORMED, "malformed value type", {PART(1, "\x01\x60\x01\x78\0")}},
    {"packed field", WM_OK, "", {PART(1, "\x01\x5f\x02\x78\0\x77\x01")}},
    {"mutability", WM_MALFORMED, "malformed mutability", {PART(1, "\x01\x5f\x01\x7f\x02")}},
    {"heap type", WM_MALFORMED, "malformed heap type", {PART(1, "\x01\x5f\x01\x64\x7f\0")}},
    {"long heap type", WM_MALFORMED, "malformed heap type", {PART(1, "\x01\x5f\x01\x64\xf0\x7f\0")}},
    {"index of many bytes", WM_OK, "", {PART(1, "\x01\x5f\x01\x63\x80\x80\x00\0")}},
    {"unknown type", WM_INVALID, "unknown type", {PART(1, "\x01\x5f\x01\x64\x01\0")}},
    {"group in a group", WM_MALFORMED, "malformed type form", {PART(1, "\x01\x4e\x01\x4e\x01\x60\0\0")}},
  };
  CHECK(rows);
}

Test(decoder_module, imports_and_declarations)
{
  static const struct row rows[] = {
    {"kind", WM_MALFORMED, "malformed import kind", {PART(2, "\x01\0\0\x05")}},
    {"name", WM_MALFORMED, "malformed UTF-8 encoding", {PART(2, "\x01\0\x01\xc0\0\0")}},
    {"unknown type", WM_INVALID, "unknown type", {PART(2, "\x01\0\0\0\0")}},
    {"structure type", WM_INVALID, "unknown type", {PART(1, "\x01\x5f\0"), PART(2, "\x01\0\0\0\0")}},
    {"tag attribute", WM_MALFORMED, "malformed tag attribute", {TYPE, PART(2, "\x01\0\0\x04\x01\0")}},
    {"tag with results", WM_INVALID, "non-empty tag result type", {PART(1, "\x01\x60\0\x01\x7f"), PART(13, "\x01\0\0")}},
    {"limits flags", WM_MALFORMED, "malformed limits flags", {PART(5, "\x01\x08\0")}},
    {"shared memory", WM_MALFORMED, "malformed limits flags", {PART(5, "\x01\x03\x01\x01")}},
    {"largest memory", WM_OK, "", {PART(5, "\x01\x01\x80\x80\x04\x80\x80\x04")}},
    {"memory too large", WM_INVALID, "memory size must be at most 65536 pages (4GiB)", {PART(5, "\x01\0\x81\x80\x04")}},
    {"memory maximum too large", WM_INVALID, "memory size must be at most 65536 pages (4GiB)", {PART(5, "\x01\x01\0\x81\x80\x04")}},
    {"largest 64-bit memory", WM_OK, "", {PART(5, "\x01\x05\0\x80\x80\x80\x80\x80\x80\x40")}},
    {"64-bit memory too large", WM_INVALID, "memory size must be at most 2^48 pages (16EiB)", {PART(5, "\x01\x04\x81\x80\x80\x80\x80\x80\x40")}},
    {"minimum above maximum", WM_INVALID, "size minimum must not be greater than maximum", {PART(5, "\x01\x01\x02\x01")}},
    {"largest table", WM_OK, "", {PART(4, "\x01\x70\0\xff\xff\xff\xff\x0f")}},
    {"table too large", WM_INVALID, "table size must be at most 2^32-1", {PART(4, "\x01\x70\0\x80\x80\x80\x80\x10")}},
    {"largest 64-bit table", WM_OK, "", {PART(4, "\x01\x70\x04\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")}},
    {"table of numbers", WM_MALFORMED, "malformed reference type", {PART(4, "\x01\x7f\0\0")}},
    {"table without initial value", WM_INVALID, "type mismatch", {PART(4, "\x01\x64\x70\0\0")}},
    {"table with initial value", WM_OK, "", {TYPE, FUNC, PART(4, "\x01\x40\0\x64\x70\0\0\xd2\0\x0b"), CODE}},
    {"table with another value", WM_INVALID, "type mismatch", {PART(4, "\x01\x40\0\x64\x70\0\0\xd0\x70\x0b")}},
    {"reserved byte", WM_MALFORMED, "malformed table", {PART(4, "\x01\x40\x01\x70\0\0\xd0\x70\x0b")}},
    {"many memories", WM_OK, "", {PART(5, "\x03\0\0\0\0\x04\0")}},
    {"function's type", WM_INVALID, "unknown type", {PART(3, "\x01\0"), CODE}},
  };
  CHECK(rows);
}

#define GLOBAL(init) {PART(6, "\x01" init)}
#define IMPORTED_GLOBALS PART(2, "\x02\0\0\x03\x7f\0\0\0\x03\x7f\x01") /* i32, mut i32 */

Test(decoder_module, constant_expressions)
{
  static const struct row rows[] = {
    {"i32", WM_OK, "", GLOBAL("\x7f\0\x41\0\x0b")},
    {"another type", WM_INVALID, "type mismatch", GLOBAL("\x7f\0\x42\0\x0b")},
    {"nothing", WM_INVALID, "type mismatch", GLOBAL("\x7f\0\x0b")},
    {"two values", WM_INVALID, "type mismatch", GLOBAL("\x7f\0\x41\0\x41\0\x0b")},
    {"no end", WM_MALFORMED, "unexpected end of section or function", GLOBAL("\x7f\0\x41\0")},
    {"not constant", WM_INVALID, "constant expression required", GLOBAL("\x7f\0\x41\0\x45\x0b")},
    {"nop", WM_INVALID, "constant expression required", GLOBAL("\x7f\0\x41\0\x01\x0b")},
    {"block", WM_INVALID, "constant expression required", GLOBAL("\x7f\0\x02\x7f\x41\0\x0b\x0b")},
    {"arithmetic", WM_OK, "", GLOBAL("\x7e\0\x42\x01\x42\x02\x7c\x42\x03\x7d\x42\x04\x7e\x0b")},
    {"division", WM_INVALID, "constant expression required", GLOBAL("\x7f\0\x41\x01\x41\x01\x6d\x0b")},
    {"floats", WM_INVALID, "constant expression required", GLOBAL("\x7d\0\x43\0\0\0\0\x43\0\0\0\0\x92\x0b")},
    {"imported global", WM_OK, "", {IMPORTED_GLOBALS, PART(6, "\x01\x7f\0\x23\0\x0b")}},
    {"mutable global", WM_INVALID, "constant expression required", {IMPORTED_GLOBALS, PART(6, "\x01\x7f\0\x23\x01\x0b")}},
    {"previous global", WM_OK, "", GLOBAL("\x7f\0\x41\0\x0b") },
    {"a previous global of the section", WM_OK, "", {PART(6, "\x02\x7f\0\x41\0\x0b\x7f\0\x23\0\x0b")}},
    {"itself", WM_INVALID, "unknown global", {PART(6, "\x01\x7f\0\x23\0\x0b")}},
    {"a later one", WM_INVALID, "unknown global", {PART(6, "\x02\x7f\0\x23\x01\x0b\x7f\0\x41\0\x0b")}},
    {"function", WM_OK, "", {TYPE, FUNC, PART(6, "\x01\x64\0\0\xd2\0\x0b"), CODE}},
    {"unknown function", WM_INVALID, "unknown function", {PART(6, "\x01\x70\0\xd2\0\x0b")}},
    {"null", WM_OK, "", GLOBAL("\x6e\0\xd0\x71\x0b")},
    {"vector", WM_OK, "", GLOBAL("\x7b\0\xfd\x0c\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x0b")},
    {"i31 as external", WM_OK, "", GLOBAL("\x64\x6f\0\x41\0\xfb\x1c\xfb\x1b\x0b")},
    {"array", WM_OK, "", {PART(1, "\x01\x5e\x7f\0"), PART(6, "\x01\x64\0\0\x41\x01\x41\x02\xfb\x08\0\x02\x0b")}},
    {"array of data", WM_INVALID, "constant expression required", {PART(1, "\x01\x5e\x7f\0"), PART(6, "\x01\x63\0\0\x41\x01\x41\x02\xfb\x09\0\0\x0b")}},
    {"structure", WM_OK, "", {PART(1, "\x01\x5f\x01\x7f\0"), PART(6, "\x01\x64\0\0\x41\x01\xfb\0\0\x0b")}},
    {"illegal opcode after an invalid one", WM_MALFORMED, "illegal opcode", GLOBAL("\x7f\0\x45\x06\x0b")},
    {"else after an invalid one", WM_MALFORMED, "END opcode expected", GLOBAL("\x7f\0\x45\x05\x0b")},
    {"table sees imported globals only", WM_INVALID, "unknown global",
     {PART(4, "\x01\x40\0\x70\0\0\x23\0\x0b"), PART(6, "\x01\x70\0\xd0\x70\x0b")}},
  };
  CHECK(rows);
}

Test(decoder_module, exports_and_start)
{
  static const struct row rows[] = {
    {"kind", WM_MALFORMED, "malformed export kind", {PART(7, "\x01\0\x05\0")}},
    {"function", WM_INVALID, "unknown function", {PART(7, "\x01\0\0\0")}},
    {"table", WM_INVALID, "unknown table", {PART(7, "\x01\0\x01\0")}},
    {"memory", WM_INVALID, "unknown memory", {PART(7, "\x01\0\x02\0")}},
    {"global", WM_INVALID, "unknown global", {PART(7, "\x01\0\x03\0")}},
    {"tag", WM_INVALID, "unknown tag", {PART(7, "\x01\0\x04\0")}},
    {"names differ", WM_OK, "", {MEMORY, PART(7, "\x03\x01" "a\x02\0\x02" "aa\x02\0\0\x02\0")}},
    {"same name", WM_INVALID, "duplicate export name", {MEMORY, PART(7, "\x03\x01" "a\x02\0\x01" "b\x02\0\x01" "a\x02\0")}},
    {"same name of another kind", WM_INVALID, "duplicate export name", {TABLE, MEMORY, PART(7, "\x02\0\x01\0\0\x02\0")}},
    {"start", WM_OK, "", {TYPE, FUNC, PART(8, "\0"), CODE}},
    {"unknown start", WM_INVALID, "unknown function", {TYPE, FUNC, PART(8, "\x01"), CODE}},
    {"start with parameter", WM_INVALID, "start function", {PART(1, "\x01\x60\x01\x7f\0"), FUNC, PART(8, "\0"), CODE}},
    {"start with result", WM_INVALID, "start function", {PART(1, "\x01\x60\0\x01\x7f"), FUNC, PART(8, "\0"), PART(10, "\x01\x04\0\x41\0\x0b")}},
  };
  CHECK(rows);
}

Test(decoder_module, segments)
{
  static const struct row rows[] = {
    {"kind", WM_MALFORMED, "malformed elements segment kind", {PART(9, "\x01\x08")}},
    {"element kind", WM_MALFORMED, "malformed element kind", {PART(9, "\x01\x01\x01\0")}},
    {"no table", WM_INVALID, "unknown table", {PART(9, "\x01\0\x41\0\x0b\0")}},
    {"no function", WM_INVALID, "unknown function", {TABLE, PART(9, "\x01\0\x41\0\x0b\x01\0")}},
    {"offset type", WM_INVALID, "type mismatch", {TABLE, PART(9, "\x01\0\x42\0\x0b\0")}},
    {"64-bit offset", WM_OK, "", {PART(4, "\x01\x70\x04\x01"), PART(9, "\x01\0\x42\0\x0b\0")}},
    {"another type", WM_INVALID, "type mismatch", {PART(4, "\x01\x6f\0\0"), PART(9, "\x01\0\x41\0\x0b\0")}},
    {"expressions", WM_OK, "", {TABLE, PART(9, "\x01\x04\x41\0\x0b\x01\xd0\x70\x0b")}},
    {"explicit table", WM_OK, "", {PART(4, "\x02\x70\0\0\x6f\0\0"), PART(9, "\x01\x06\x01\x41\0\x0b\x6f\x01\xd0\x6f\x0b")}},
    {"passive of numbers", WM_MALFORMED, "malformed reference type", {PART(9, "\x01\x05\x7f\0")}},
    {"declarative", WM_OK, "", {PART(9, "\x01\x07\x70\x01\xd0\x70\x0b")}},
    {"data kind", WM_MALFORMED, "malformed data segment kind", {MEMORY, PART(11, "\x01\x03\0")}},
    {"no memory", WM_INVALID, "unknown memory", {PART(11, "\x01\0\x41\0\x0b\0")}},
    {"data offset type", WM_INVALID, "type mismatch", {MEMORY, PART(11, "\x01\0\x42\0\x0b\0")}},
    {"data offset of 64 bits", WM_OK, "", {PART(5, "\x01\x04\x01"), PART(11, "\x01\x02\0\x42\0\x0b\0")}},
    {"data beyond the section", WM_MALFORMED, "length out of bounds", {MEMORY, PART(11, "\x01\0\x41\0\x0b\x02" "a")}},
  };
  CHECK(rows);
}

Test(decoder_module, code)
{
  static const struct row rows[] = {
    {"body beyond the section", WM_MALFORMED, "length out of bounds", {TYPE, FUNC, PART(10, "\x01\x03\0\x0b")}},
    {"body too long", WM_MALFORMED, "section size mismatch", {TYPE, FUNC, PART(10, "\x01\x03\0\x0b\x0b")}},
    {"no end", WM_MALFORMED, "unexpected end of section or function", {TYPE, FUNC, PART(10, "\x01\x02\0\x01")}},
    {"locals are cut", WM_MALFORMED, "unexpected end of section or function", {TYPE, FUNC, PART(10, "\x01\x02\x01\x01")}},
    {"two thirty-second powers of locals", WM_MALFORMED, "too many locals",
     {TYPE, FUNC, PART(10, "\x01\x0e\x02\x80\x80\x80\x80\x08\x7f\x80\x80\x80\x80\x08\x7e\x0b")}},
    {"one less is a limit", WM_LIMIT, "too many locals in a function",
     {TYPE, FUNC, PART(10, "\x01\x0e\x02\x80\x80\x80\x80\x08\x7f\xff\xff\xff\xff\x07\x7e\x0b")}},
    {"groups of none", WM_OK, "", {TYPE, FUNC, PART(10, "\x01\x07\x02\0\x7f\0\x64\0\x0b")}},
    {"unknown type of a local", WM_INVALID, "unknown type", {TYPE, FUNC, PART(10, "\x01\x05\x01\x01\x63\x01\x0b")}},
  };
  CHECK(rows);
}

/* ---- What a module holds ---------------------------------------------------------------------------------------- */

Test(decoder_module, contents)
{
  struct bytes bytes = bytes_of_environment(B("\x20\x04\x20\x04\x1a\x1a\x41\0\x0e\x01\0\0"), true);
  struct decoded decoded;
  decoded_make(&decoded, bytes.data, bytes.size);
  const struct wm_module *m = &decoded.module;
  cr_assert(decoded.is_good, "%s", decoded.error.message);
  cr_assert(m->type_count == 11 && m->import_count == 5 && m->func_count == 5 && m->imported_func_count == 1);
  cr_assert(m->table_count == 3 && m->imported_table_count == 1 && m->memory_count == 2 && m->imported_memory_count == 1);
  cr_assert(m->global_count == 5 && m->imported_global_count == 1 && m->tag_count == 2 && m->imported_tag_count == 1);
  cr_assert(m->export_count == 5 && m->element_count == 4 && m->data_count == 2 && m->has_start && m->start == 1);
  cr_assert(m->imports[4].kind == WM_EXTERN_TAG && m->imports[4].index == 0 && m->imports[0].name.bytes[0] == 'f');
  const struct wm_func *func = &m->funcs[ENVIRONMENT_FUNCTION];
  cr_assert(func->local_count == 7 && func->local_slots == 8 && func->max_operand_slots == 4 && func->max_nesting == 1);
  cr_assert(func->instruction_count == 7 && func->branch_target_count == 2 && func->local_group_count == 7);
  cr_assert_eq(func->code_offset, environment_code_offset(&bytes, 12));
  cr_assert(m->tables[1].type.limits.is_64 && m->tables[2].has_init && m->tables[2].init.instruction_count == 2);
  cr_assert(m->globals[2].init.instruction_count == 4 && m->globals[2].init.max_slots == 2 && m->globals[3].init.max_slots == 2);
  cr_assert(m->elements[0].functions[0] == 1 && m->elements[1].count == 2 && m->elements[1].functions == NULL);
  cr_assert(m->elements[2].mode == WM_SEGMENT_DECLARATIVE && m->elements[3].exprs[0].code.length == 3);
  cr_assert(m->datas[1].mode == WM_SEGMENT_PASSIVE && memcmp(m->bytes + m->datas[1].bytes.offset, "xyz", 3) == 0);
  static const struct { const char *name; size_t length; int kind; } exports[] = {
    {B("f"), WM_EXTERN_FUNC}, {B("g"), WM_EXTERN_GLOBAL}, {B("mem"), WM_EXTERN_MEMORY}, {B("t"), WM_EXTERN_TAG}, {B("tab"), WM_EXTERN_TABLE},
    {B(""), -1}, {B("a"), -1}, {B("me"), -1}, {B("memo"), -1}, {B("z"), -1},
  };
  for (size_t i = 0; i < sizeof exports / sizeof *exports; i++) {
    const struct wm_export *found = wm_module_find_export(m, exports[i].name, exports[i].length);
    cr_assert(exports[i].kind < 0 ? found == NULL : found != NULL && found->kind == exports[i].kind, "%s", exports[i].name);
  }
  decoded_free(&decoded);
  bytes_free(&bytes);
}

/* ---- Limits ------------------------------------------------------------------------------------------------------ */

/* Every limit that decoding knows, with what the environment module uses of it. */
static const struct { size_t field; uint64_t used; const char *message; } limits[] = {
#define LIMIT(field, used, message) {offsetof(struct wm_limits, field), used, message}
  LIMIT(types, 11, "too many types"), LIMIT(functions, 5, "too many functions"), LIMIT(globals, 5, "too many globals"),
  LIMIT(tables, 3, "too many tables"), LIMIT(memories, 2, "too many memories"), LIMIT(tags, 2, "too many tags"),
  LIMIT(imports, 5, "too many imports"), LIMIT(exports, 5, "too many exports"), LIMIT(element_segments, 4, "too many element segments"),
  LIMIT(data_segments, 2, "too many data segments"), LIMIT(parameters, 2, "too many parameters"), LIMIT(results, 2, "too many results"),
  LIMIT(fields, 4, "too many fields"), LIMIT(local_types, 7, "too many locals"), LIMIT(function_locals, 7, "too many locals in a function"),
  LIMIT(instructions, 11, "too many instructions"), LIMIT(branch_targets, 2, "too many branch targets"), LIMIT(nesting, 2, "too deep nesting"),
  LIMIT(subtype_depth, 1, "too deep chain of super types"),
};

static uint64_t *limit_at(struct wm_limits *all, size_t i) { return (uint64_t *)((char *)all + limits[i].field); }

Test(decoder_module, limits)
{
  struct bytes bytes = bytes_of_environment(B("\x02\x40\x0b\x41\0\x0e\x01\0\0"), true);
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
    for (int short_by = 0; short_by < 2; short_by++) {
      struct wm_limits all = wm_limits_native;
      struct decoded decoded;
      *limit_at(&all, i) = limits[i].used - (uint64_t)short_by;
      decoded_read(&decoded, bytes.data, bytes.size, &all, 1 << 16);
      if (short_by == 0) {
        cr_assert(decoded.is_good, "%s: %s", limits[i].message, decoded.error.message);
      } else {
        cr_assert(decoded.error.status == WM_LIMIT, "%s: %d", limits[i].message, decoded.error.status);
        cr_assert_str_eq(decoded.error.message, limits[i].message);
        cr_assert(decoded.error.limit == limits[i].used - 1 && decoded.error.offset < bytes.size);
      }
      decoded_free(&decoded);
    }
  bytes_free(&bytes);
}

Test(decoder_module, limit_of_bytes)
{
  struct bytes bytes = bytes_of_environment(B(""), true);
  struct wm_limits all = wm_limits_native;
  struct decoded decoded;
  all.module_bytes = bytes.size;
  decoded_read(&decoded, bytes.data, bytes.size, &all, 1 << 16);
  cr_assert(decoded.is_good);
  decoded_free(&decoded);
  all.module_bytes = bytes.size - 1;
  decoded_read(&decoded, bytes.data, bytes.size, &all, 1 << 16);
  cr_assert(decoded.error.status == WM_LIMIT && decoded.error.limit == bytes.size - 1);
  cr_assert_str_eq(decoded.error.message, "module too large");
  decoded_free(&decoded);
  bytes_free(&bytes);
}

/* ---- Sweeps ------------------------------------------------------------------------------------------------------ */

/* A body that makes the walk's buffers grow and locals that need tracking. */
static struct bytes sweep_module(void)
{
  struct bytes code = {NULL, 0, 0};
  for (int i = 0; i < 40; i++)
    bytes_add(&code, B("\x02\x40\xfb\x01\x03\x21\x06\x41\0\x41\0\x41\0\x1a\x1a\x1a"));
  for (int i = 0; i < 40; i++)
    bytes_add(&code, B("\x0b"));
  struct bytes module = bytes_of_environment(code.data, code.size, true);
  bytes_add_section(&module, 0, B("\x04name\x01\x06\x01\x01\x03" "abc\x02\x06\x01\x04\x01\0\x01x"));
  bytes_free(&code);
  return module;
}

Test(decoder_module, arenas_of_every_size)
{
  struct bytes module = sweep_module();
  size_t enough = 0;
  for (size_t size = 0; size < 65536 && size < enough + 256 + (enough == 0 ? 65536 : 0); size += 16) {
    struct decoded decoded;
    decoded_read(&decoded, module.data, module.size, &wm_limits_native, size);
    if (decoded.is_good && enough == 0)
      enough = size;
    cr_assert(decoded.is_good == (enough != 0), "%zu bytes suffice, %zu do not", enough, size);
    if (!decoded.is_good)
      cr_assert(decoded.error.status == WM_NO_SPACE, "%zu bytes: %s", size, decoded.error.message);
    decoded_free(&decoded);
  }
  cr_assert(enough > 0);
  bytes_free(&module);
}

Test(decoder_module, every_truncation)
{
  struct bytes module = sweep_module();
  size_t good = 0;
  for (size_t size = 0; size <= module.size; size++) {
    struct decoded decoded;
    decoded_make(&decoded, module.data, size);
    good += decoded.is_good;
    /* Cut between sections it may be a module, of whatever worth; elsewhere it is none. */
    if (decoded.error.status != WM_OK && decoded.error.status != WM_INVALID)
      cr_assert(decoded.error.status == WM_MALFORMED && decoded.error.offset <= size, "%zu bytes: %s", size, decoded.error.message);
    decoded_free(&decoded);
  }
  cr_assert(good >= 2 && good < 20, "%zu", good);
  bytes_free(&module);
}

/* Any byte changed to any value: some verdict, and nothing read or written out of place (sanitizers look). */
Test(decoder_module, every_byte_changed, .timeout = 120)
{
  struct bytes module = bytes_of_environment(B("\x02\x40\x0b\x20\x05\xfb\x02\x03\x01\x1a\x41\0\x0e\x01\0\0"), true);
  static const uint8_t values[] = {0x00, 0x01, 0x02, 0x05, 0x0b, 0x40, 0x4e, 0x50, 0x63, 0x64, 0x70, 0x7f, 0x80, 0xd2, 0xfb, 0xfd, 0xff};
  for (size_t at = 0; at < module.size; at++) {
    uint8_t kept = module.data[at];
    for (size_t i = 0; i < sizeof values; i++) {
      struct decoded decoded;
      module.data[at] = values[i];
      decoded_read(&decoded, module.data, module.size, &wm_limits_component, 1 << 16);
      cr_assert(decoded.error.status <= WM_INVALID || decoded.error.status == WM_LIMIT || decoded.error.status == WM_NO_SPACE);
      decoded_free(&decoded);
    }
    module.data[at] = kept;
  }
  bytes_free(&module);
}
