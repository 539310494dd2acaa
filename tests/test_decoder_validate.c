/* Function bodies against the rules of validation: each row is the code of one function in a module that has something of
 * every kind (decoder_support.c), the verdict, the specification's words and the offending instruction's place. */
#include <criterion/criterion.h>
#include <string.h>

#include "decoder_support.h"

struct row {
  const char *name, *code;
  size_t size;
  enum wm_status status;
  const char *message;
  size_t offset; /* in the code */
};

#define GOOD(name, literal) {name, B(literal), WM_OK, "", 0}
#define BAD(name, literal, message, offset) {name, B(literal), WM_INVALID, message, offset}
#define MALFORMED(name, literal, message, offset) {name, B(literal), WM_MALFORMED, message, offset}

/* Short names for frequent instructions. */
#define I32 "\x41\x00"
#define I64 "\x42\x00"
#define F32 "\x43\0\0\0\0"
#define F64 "\x44\0\0\0\0\0\0\0\0"
#define V128 "\x20\x04"
#define NULL_3 "\xd0\x03"
#define DROP "\x1a"
#define END "\x0b"
#define UNREACHABLE "\x00"

static void check(const struct row *rows, size_t count, bool has_data_count)
{
  for (size_t i = 0; i < count; i++) {
    const struct row *row = &rows[i];
    struct bytes module = bytes_of_environment(row->code, row->size, has_data_count);
    struct decoded decoded;
    decoded_make(&decoded, module.data, module.size);
    cr_assert(decoded.error.status == row->status, "%s: status %d, %s", row->name, decoded.error.status, decoded.error.message);
    cr_assert_str_eq(decoded.error.message, row->message, "%s: %s", row->name, decoded.error.message);
    if (row->status != WM_OK) {
      size_t offset = (size_t)decoded.error.offset - environment_code_offset(&module, row->size);
      cr_assert(offset == row->offset, "%s: offset %zu", row->name, offset);
      cr_assert(decoded.error.function == ENVIRONMENT_FUNCTION, "%s: function %u", row->name, decoded.error.function);
    }
    decoded_free(&decoded);
    bytes_free(&module);
  }
}

#define CHECK(rows) check(rows, sizeof(rows) / sizeof *(rows), true)

Test(decoder_validate, control)
{
  static const struct row rows[] = {
    GOOD("nothing", ""),
    GOOD("nop", "\x01"),
    BAD("a value too many", I32, "type mismatch", 2),
    BAD("drop of nothing", DROP, "type mismatch", 0),
    GOOD("drop of nothing, unreachable", UNREACHABLE DROP),
    GOOD("block of a value", "\x02\x7f" I32 END DROP),
    BAD("block lacks its value", "\x02\x7f" END DROP, "type mismatch", 2),
    BAD("block has another", "\x02\x7f" I64 END DROP, "type mismatch", 4),
    BAD("block leaves two", "\x02\x7f" I32 I32 END DROP, "type mismatch", 6),
    BAD("block takes from outside", I32 "\x02\x40" DROP END, "type mismatch", 4),
    GOOD("block with parameters", I64 F64 "\x02\x02" DROP DROP I32 I32 END DROP DROP),
    BAD("block lacks a parameter", I64 "\x02\x02" DROP DROP I32 I32 END DROP DROP, "type mismatch", 2),
    BAD("block of a structure type", "\x02\x03" END, "unknown type", 1),
    BAD("block of no type", "\x02\x0b" END, "unknown type", 1),
    MALFORMED("block of a negative type", "\x02\x80\x7f" END, "malformed block type", 1),
    GOOD("loop branches take parameters", I32 "\x03\x01" "\x0c\x00" END DROP),
    GOOD("if else", I32 "\x04\x7f" I32 "\x05" I32 END DROP),
    BAD("if without else gives a value", I32 "\x04\x7f" I32 END DROP, "type mismatch", 6),
    GOOD("if without else passes on", I32 I32 "\x04\x01" END DROP),
    BAD("if without condition", "\x04\x40" END, "type mismatch", 0),
    BAD("else arm lacks a value", I32 "\x04\x7f" I32 "\x05" END DROP, "type mismatch", 7),
    BAD("then arm lacks a value", I32 "\x04\x7f" "\x05" I32 END DROP, "type mismatch", 4),
    GOOD("else is reachable after unreachable then", I32 "\x04\x40" UNREACHABLE "\x05\x01" END),
    BAD("else is not polymorphic", I32 "\x04\x40" UNREACHABLE "\x05" DROP END, "type mismatch", 6),
    MALFORMED("else in a block", "\x02\x40\x05" END, "END opcode expected", 2),
    MALFORMED("two elses", I32 "\x04\x40\x05\x05" END, "END opcode expected", 5),
    MALFORMED("no end", "\x02\x40", "unexpected end of section or function", 3),
    MALFORMED("code after the end", END "\x01", "section size mismatch", 1),
    GOOD("br out", "\x0c\x00"),
    GOOD("br takes what it needs", "\x02\x7f" I64 I32 "\x0c\x00" END DROP),
    BAD("br lacks the value", "\x02\x7f\x0c\x00" END DROP, "type mismatch", 2),
    BAD("br to nowhere", "\x0c\x01", "unknown label", 0),
    GOOD("code after br is polymorphic", "\x02\x40\x0c\x00\x6a" DROP END),
    BAD("but not without types", "\x02\x40\x0c\x00\x6a\x42\x00\x6a" DROP END, "type mismatch", 7),
    BAD("polymorphic only below", "\x02\x40\x0c\x00" I32 END, "type mismatch", 6),
    GOOD("br_if keeps its values", "\x02\x7f" I32 I32 "\x0d\x00" END DROP),
    BAD("br_if without condition", "\x02\x40\x0d\x00" END, "type mismatch", 2),
    BAD("br_if to nowhere", I32 "\x0d\x09", "unknown label", 2),
    GOOD("br_table", "\x02\x40" I32 "\x0e\x02\x00\x01\x00" END),
    BAD("br_table of unequal arity", "\x02\x7f" I32 I32 "\x0e\x01\x01\x00" END DROP, "type mismatch", 6),
    BAD("br_table to nowhere", I32 "\x0e\x01\x05\x00", "unknown label", 2),
    BAD("br_table default nowhere", I32 "\x0e\x00\x05", "unknown label", 2),
    BAD("br_table without index", "\x0e\x00\x00", "type mismatch", 0),
    GOOD("br_table unreachable", "\x02\x7f" UNREACHABLE "\x02\x7d" UNREACHABLE "\x0e\x01\x00\x01" END DROP UNREACHABLE END DROP),
    GOOD("return", I32 "\x0f"),
    GOOD("call", I32 "\x10\x00" DROP),
    BAD("call without argument", "\x10\x00" DROP, "type mismatch", 0),
    BAD("call of no function", "\x10\x05", "unknown function", 0),
    GOOD("call of two results", I64 F64 "\x10\x02" DROP DROP),
    BAD("call with arguments exchanged", F64 I64 "\x10\x02" DROP DROP, "type mismatch", 11),
    GOOD("call_indirect", I32 I32 "\x11\x01\x00" DROP),
    BAD("call_indirect of a structure type", I32 "\x11\x03\x00", "type mismatch", 2),
    BAD("call_indirect of no table", I32 "\x11\x00\x03", "unknown table", 2),
    BAD("call_indirect through externref", I64 "\x11\x00\x01", "type mismatch", 2),
    BAD("call_indirect of no type", I32 "\x11\x0b\x00", "unknown type", 3),
    GOOD("return_call", "\x12\x01"),
    BAD("return_call of other results", I32 "\x12\x03", "type mismatch", 2),
    GOOD("return_call_indirect", I32 "\x13\x00\x00"),
    GOOD("call_ref", I32 "\xd2\x03\x14\x01" DROP),
    GOOD("call_ref of null", I32 "\xd0\x01\x14\x01" DROP),
    BAD("call_ref of funcref", I32 "\xd0\x70\x14\x01" DROP, "type mismatch", 4),
    GOOD("return_call_ref", "\xd2\x01\x15\x00"),
    GOOD("throw", I32 F32 "\x08\x00"),
    BAD("throw without values", I32 "\x08\x00", "type mismatch", 2),
    BAD("throw of no tag", "\x08\x02", "unknown tag", 0),
    GOOD("throw_ref", "\xd0\x69\x0a"),
    BAD("throw_ref of another", "\xd0\x6f\x0a", "type mismatch", 2),
    GOOD("try_table", "\x1f\x40\x00" END),
    GOOD("catch", I32 F32 "\x03\x08" DROP DROP "\x1f\x40\x01\x00\x00\x00" END END),
    GOOD("catch of a tag's values", "\x02\x40\x1f\x40\x01\x00\x01\x00" END END),
    BAD("catch for a label of other types", "\x1f\x40\x01\x00\x00\x00" END, "type mismatch", 0),
    BAD("catch of no tag", "\x1f\x40\x01\x00\x02\x00" END, "unknown tag", 0),
    BAD("catch to nowhere", "\x1f\x40\x01\x02\x01" END, "unknown label", 0),
    GOOD("catch_all", "\x1f\x40\x01\x02\x00" END),
    GOOD("catch_all_ref", "\x02\x69\x1f\x40\x01\x03\x00" END UNREACHABLE END DROP),
    GOOD("catch_all_ref is not null", "\x02\x64\x69\x1f\x40\x01\x03\x00" END UNREACHABLE END DROP),
    BAD("catch_all_ref without place", "\x1f\x40\x01\x03\x00" END, "type mismatch", 0),
    MALFORMED("catch of another kind", "\x1f\x40\x01\x04\x00" END, "malformed catch clause", 3),
    MALFORMED("illegal opcode", "\x06", "illegal opcode", 0),
    MALFORMED("illegal opcode behind a prefix", "\xfc\x12", "illegal opcode", 0),
    MALFORMED("illegal vector opcode", "\xfd\x9a\x01", "illegal opcode", 0),
    MALFORMED("malformed beats invalid", DROP "\x06", "illegal opcode", 1),
    MALFORMED("malformed beats invalid, nested", DROP "\x02\x40\x05" END, "END opcode expected", 3),
  };
  CHECK(rows);
}

Test(decoder_validate, blocks_with_two_results)
{
  /* Type 2's results are taken as a block type's through a type index; the loop variant needs parameters. */
  static const struct row rows[] = {
    GOOD("branch with two values", I64 F64 "\x02\x02" DROP DROP I32 I32 "\x0c\x00" END DROP DROP),
    BAD("branch with one value", I64 F64 "\x02\x02" DROP DROP I32 "\x0c\x00" END DROP DROP, "type mismatch", 17),
    GOOD("loop", I64 F64 "\x03\x02\x0c\x00" END DROP DROP),
    BAD("loop's branch lacks one", I64 F64 "\x03\x02" DROP "\x0c\x00" END DROP DROP, "type mismatch", 14),
  };
  CHECK(rows);
}

Test(decoder_validate, parametric_and_variables)
{
  static const struct row rows[] = {
    GOOD("select", I32 I32 I32 "\x1b" DROP),
    GOOD("select of vectors", V128 V128 I32 "\x1b" DROP),
    BAD("select of two types", I32 I64 I32 "\x1b" DROP, "type mismatch", 6),
    BAD("select of references", NULL_3 NULL_3 I32 "\x1b" DROP, "type mismatch", 6),
    GOOD("select with type", NULL_3 NULL_3 I32 "\x1c\x01\x63\x03" DROP),
    BAD("select with two types", I32 I32 I32 "\x1c\x02\x7f\x7f" DROP, "invalid result arity", 6),
    BAD("select with no type", I32 I32 I32 "\x1c\x00" DROP, "invalid result arity", 6),
    BAD("select with another type", I32 I32 I32 "\x1c\x01\x7e" DROP, "type mismatch", 6),
    GOOD("select, unreachable", UNREACHABLE "\x1b" DROP),
    GOOD("select takes the other's type", UNREACHABLE I64 I32 "\x1b\x42\x00\x7c" DROP),
    BAD("and nothing else", UNREACHABLE I64 I32 "\x1b\x45" DROP, "type mismatch", 6),
    GOOD("local.get", "\x20\x03" DROP),
    BAD("local.get of none", "\x20\x07", "unknown local", 0),
    GOOD("local.set", I64 "\x21\x01"),
    BAD("local.set of another type", I64 "\x21\x00", "type mismatch", 2),
    GOOD("local.tee", I32 "\x22\x00" DROP),
    GOOD("non-null local after set", "\xfb\x01\x03\x21\x06\x20\x06" DROP),
    BAD("non-null local before", "\x20\x06" DROP, "uninitialized local", 0),
    GOOD("tee initialises", "\xfb\x01\x03\x22\x06" DROP "\x20\x06" DROP),
    BAD("set in a block counts there", "\x02\x40\xfb\x01\x03\x21\x06" END "\x20\x06" DROP, "uninitialized local", 8),
    GOOD("set before a block counts in it", "\xfb\x01\x03\x21\x06\x02\x40\x20\x06" DROP END),
    BAD("set in one arm does not count in the other", I32 "\x04\x40\xfb\x01\x03\x21\x06\x05\x20\x06" DROP END, "uninitialized local", 10),
    BAD("not even after both", I32 "\x04\x40\xfb\x01\x03\x21\x06\x05\xfb\x01\x03\x21\x06" END "\x20\x06" DROP, "uninitialized local", 16),
    BAD("uninitialised in unreachable code too", UNREACHABLE "\x20\x06" DROP, "uninitialized local", 1),
    GOOD("global.get", "\x23\x02" DROP),
    BAD("global.get of none", "\x23\x05", "unknown global", 0),
    GOOD("global.set", I64 "\x24\x01"),
    BAD("global.set of a constant", I32 "\x24\x02", "immutable global", 2),
    GOOD("table.get", I32 "\x25\x00" DROP),
    GOOD("table.get of 64 bits", I64 "\x25\x01" DROP),
    BAD("table.get of the wrong width", I32 "\x25\x01" DROP, "type mismatch", 2),
    GOOD("table.set", I32 NULL_3 "\x26\x02"),
    BAD("table.set of another type", I32 NULL_3 "\x26\x00", "type mismatch", 4),
    GOOD("table.size", "\xfc\x10\x01\x50" DROP),
    GOOD("table.grow", "\xd0\x6f" I64 "\xfc\x0f\x01\x50" DROP),
    GOOD("table.fill", I64 "\xd0\x6f" I64 "\xfc\x11\x01"),
    BAD("table.fill of none", I32 "\xd0\x70" I32 "\xfc\x11\x03", "unknown table", 6),
    GOOD("table.copy", I32 I32 I32 "\xfc\x0e\x00\x00"),
    BAD("table.copy of another type", I32 I64 I32 "\xfc\x0e\x00\x01", "type mismatch", 6),
    GOOD("table.init", I32 I32 I32 "\xfc\x0c\x01\x00"),
    GOOD("table.init of 64 bits lacks only the type", I32 I32 I32 "\xfc\x0c\x03\x02"),
    BAD("table.init of another type", I64 I32 I32 "\xfc\x0c\x01\x01", "type mismatch", 6),
    BAD("table.init of no segment", I32 I32 I32 "\xfc\x0c\x04\x00", "unknown elem segment", 6),
    GOOD("elem.drop", "\xfc\x0d\x03"),
    BAD("elem.drop of none", "\xfc\x0d\x04", "unknown elem segment", 0),
  };
  CHECK(rows);
}

Test(decoder_validate, memory)
{
  static const struct row rows[] = {
    GOOD("load", I32 "\x28\x02\x00" DROP),
    GOOD("load with less alignment", I32 "\x28\x00\x00" DROP),
    BAD("load with more alignment", I32 "\x28\x03\x00" DROP, "alignment must not be larger than natural", 2),
    BAD("exponent 31", I32 "\x28\x1f\x00" DROP, "alignment must not be larger than natural", 2),
    BAD("exponent 32", I32 "\x28\x20\x00" DROP, "alignment must not be larger than natural", 2),
    BAD("exponent 63", I32 "\x28\x3f\x00" DROP, "alignment must not be larger than natural", 2),
    GOOD("flags with a memory index", I64 "\x28\x42\x01\x00" DROP),
    BAD("address of the wrong width", I32 "\x28\x42\x01\x00" DROP, "type mismatch", 2),
    BAD("unknown memory", I32 "\x28\x42\x02\x00" DROP, "unknown memory", 2),
    MALFORMED("flags above 127", I32 "\x28\x80\x01\x00" DROP, "malformed memop flags", 3),
    GOOD("largest 32-bit offset", I32 "\x28\x02\xff\xff\xff\xff\x0f" DROP),
    BAD("offset beyond 32 bits", I32 "\x28\x02\x80\x80\x80\x80\x10" DROP, "offset out of range", 2),
    GOOD("largest 64-bit offset", I64 "\x28\x42\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01" DROP),
    MALFORMED("offset beyond 64 bits", I64 "\x28\x42\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x03" DROP, "integer too large", 5),
    GOOD("store", I32 F64 "\x39\x03\x00"),
    BAD("store of another type", I32 F32 "\x39\x03\x00", "type mismatch", 7),
    GOOD("store of 64-bit address", I64 F32 "\x38\x42\x01\x07"),
    GOOD("memory.size", "\x3f\x00\x45" DROP),
    GOOD("memory.size of 64 bits", "\x3f\x01\x50" DROP),
    GOOD("memory.grow", I64 "\x40\x01\x50" DROP),
    GOOD("memory.fill", I64 I32 I64 "\xfc\x0b\x01"),
    BAD("memory.fill of the wrong width", I64 I32 I32 "\xfc\x0b\x01", "type mismatch", 6),
    GOOD("memory.copy within 64 bits", I64 I64 I64 "\xfc\x0a\x01\x01"),
    GOOD("memory.copy from 32 to 64 bits", I64 I32 I32 "\xfc\x0a\x01\x00"),
    BAD("the length has the smaller width", I64 I32 I64 "\xfc\x0a\x01\x00", "type mismatch", 6),
    GOOD("memory.init", I32 I32 I32 "\xfc\x08\x01\x00"),
    GOOD("memory.init of 64 bits", I64 I32 I32 "\xfc\x08\x01\x01"),
    BAD("memory.init of no segment", I32 I32 I32 "\xfc\x08\x02\x00", "unknown data segment", 6),
    GOOD("data.drop", "\xfc\x09\x00"),
    BAD("data.drop of none", "\xfc\x09\x02", "unknown data segment", 0),
  };
  CHECK(rows);
}

Test(decoder_validate, data_count_is_required)
{
  static const struct row rows[] = {
    GOOD("not for other code", I32 "\x28\x02\x00" DROP),
    MALFORMED("memory.init", I32 I32 I32 "\xfc\x08\x01\x00", "data count section required", 6),
    MALFORMED("data.drop", "\xfc\x09\x00", "data count section required", 0),
    MALFORMED("array.new_data", I32 I32 "\xfb\x09\x05\x00" DROP, "data count section required", 4),
    MALFORMED("array.init_data", "\xd0\x05" I32 I32 I32 "\xfb\x12\x05\x00", "data count section required", 8),
    MALFORMED("in a body found invalid", DROP "\xfc\x09\x00", "data count section required", 1),
  };
  check(rows, sizeof rows / sizeof *rows, false);
}

Test(decoder_validate, vectors)
{
  static const struct row rows[] = {
    GOOD("v128.const", "\xfd\x0c\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" DROP),
    GOOD("load", I32 "\xfd\x00\x04\x00" DROP),
    BAD("load with more alignment", I32 "\xfd\x00\x05\x00" DROP, "alignment must not be larger than natural", 2),
    GOOD("lane load", I32 V128 "\xfd\x57\x03\x00\x01" DROP),
    BAD("lane load beyond", I32 V128 "\xfd\x57\x03\x00\x02" DROP, "invalid lane index", 4),
    GOOD("lane store", I32 V128 "\xfd\x58\x00\x00\x0f"),
    BAD("lane store beyond", I32 V128 "\xfd\x58\x00\x00\x10", "invalid lane index", 4),
    GOOD("shuffle", V128 V128 "\xfd\x0d\0\1\2\3\4\5\6\7\x1f\x1f\x1f\x1f\x1f\x1f\x1f\x1f" DROP),
    BAD("shuffle beyond", V128 V128 "\xfd\x0d\0\1\2\3\4\5\6\7\x1f\x1f\x1f\x1f\x1f\x1f\x1f\x20" DROP, "invalid lane index", 4),
    GOOD("extract", V128 "\xfd\x15\x0f\x45" DROP),
    BAD("extract beyond", V128 "\xfd\x18\x08" DROP, "invalid lane index", 2),
    GOOD("replace", V128 F64 "\xfd\x22\x01" DROP),
    BAD("replace by another", V128 F32 "\xfd\x22\x01" DROP, "type mismatch", 7),
    GOOD("splat", I64 "\xfd\x12" DROP),
    GOOD("shift", V128 I32 "\xfd\xcb\x01" DROP),
    GOOD("bitselect", V128 V128 V128 "\xfd\x52" DROP),
    BAD("bitselect of two", V128 V128 "\xfd\x52" DROP, "type mismatch", 4),
    GOOD("relaxed", V128 V128 V128 "\xfd\x85\x02" DROP),
    GOOD("all_true", V128 "\xfd\x63\x45" DROP),
  };
  CHECK(rows);
}

Test(decoder_validate, references)
{
  static const struct row rows[] = {
    GOOD("ref.null", "\xd0\x71" DROP),
    BAD("ref.null of no type", "\xd0\x0b" DROP, "unknown type", 1),
    GOOD("ref.is_null", "\xd0\x6f\xd1\x45" DROP),
    BAD("ref.is_null of a number", I32 "\xd1" DROP, "type mismatch", 2),
    GOOD("ref.func declared by an element", "\xd2\x03" DROP),
    GOOD("ref.func declared by a declarative element", "\xd2\x02" DROP),
    BAD("ref.func of itself", "\xd2\x04" DROP, "undeclared function reference", 0),
    BAD("ref.func of none", "\xd2\x05" DROP, "unknown function", 0),
    GOOD("ref.eq", NULL_3 "\xd0\x6c\xd3" DROP),
    BAD("ref.eq of functions", "\xd0\x70\xd0\x70\xd3" DROP, "type mismatch", 4),
    GOOD("ref.as_non_null", "\x20\x05\xd4\x21\x06"),
    BAD("nullable is not enough", "\x20\x05\x21\x06", "type mismatch", 2),
    GOOD("ref.as_non_null, unreachable", UNREACHABLE "\xd4\x21\x06"),
    BAD("but still a reference", UNREACHABLE "\xd4\x45" DROP, "type mismatch", 2),
    GOOD("br_on_null", "\x02\x40\x20\x05\xd5\x00\x21\x06" END),
    BAD("br_on_null of a number", "\x02\x40" I32 "\xd5\x00" DROP END, "type mismatch", 4),
    GOOD("br_on_non_null", "\x02\x64\x03\x20\x05\xd6\x00" UNREACHABLE END DROP),
    BAD("br_on_non_null without place", "\x02\x40\x20\x05\xd6\x00" END, "type mismatch", 4),
    GOOD("ref.test", "\xd0\x6e\xfb\x14\x03" DROP),
    BAD("ref.test of another hierarchy", "\xd0\x70\xfb\x14\x03" DROP, "type mismatch", 2),
    GOOD("ref.cast", "\xd0\x6e\xfb\x16\x03\x21\x06"),
    GOOD("ref.cast null", "\xd0\x6e\xfb\x17\x03\x21\x05"),
    BAD("ref.cast null may be null", "\xd0\x6e\xfb\x17\x03\x21\x06", "type mismatch", 5),
    GOOD("br_on_cast", "\x02\x63\x04\x20\x05\xfb\x18\x03\x00\x03\x04" DROP UNREACHABLE END DROP),
    BAD("br_on_cast upwards", "\x02\x63\x03\xd0\x04\xfb\x18\x03\x00\x04\x03" DROP UNREACHABLE END DROP, "type mismatch", 5),
    GOOD("br_on_cast leaves non-null", "\x02\x63\x04\x20\x05\xfb\x18\x03\x00\x03\x04\x21\x06" UNREACHABLE END DROP),
    GOOD("br_on_cast_fail", "\x02\x63\x03\x20\x05\xfb\x19\x01\x00\x03\x04\x21\x06" UNREACHABLE END DROP),
    MALFORMED("br_on_cast flags", "\x02\x63\x04\x20\x05\xfb\x18\x04\x00\x03\x04" END, "malformed br_on_cast flags", 7),
    GOOD("conversions", "\xd0\x6f\xfb\x1a\xfb\x1b" DROP),
    BAD("conversion of another", "\xd0\x70\xfb\x1a" DROP, "type mismatch", 2),
    GOOD("i31", I32 "\xfb\x1c\xfb\x1d\x45" DROP),
    GOOD("i31 of null", "\xd0\x6c\xfb\x1e" DROP),
  };
  CHECK(rows);
}

Test(decoder_validate, aggregates)
{
  static const struct row rows[] = {
    GOOD("struct.new", I32 F64 NULL_3 "\xfb\x00\x03" DROP),
    BAD("struct.new lacks a field", I32 F64 "\xfb\x00\x03" DROP, "type mismatch", 11),
    BAD("struct.new of an array", "\xfb\x00\x05" DROP, "type mismatch", 0),
    BAD("struct.new_default without default", "\xfb\x01\x09" DROP, "type mismatch", 0),
    GOOD("struct.get", "\x20\x05\xfb\x02\x03\x01" DROP),
    BAD("struct.get of a packed field", "\x20\x05\xfb\x02\x03\x00" DROP, "type mismatch", 2),
    GOOD("struct.get_s", "\x20\x05\xfb\x03\x03\x00\x45" DROP),
    BAD("struct.get_u of an unpacked field", "\x20\x05\xfb\x04\x03\x01" DROP, "type mismatch", 2),
    BAD("struct.get of no field", "\x20\x05\xfb\x02\x03\x03" DROP, "unknown field", 2),
    GOOD("sub type for super type", "\xd0\x04\xfb\x02\x03\x01" DROP),
    BAD("super type for sub type", "\x20\x05\xfb\x02\x04\x01" DROP, "type mismatch", 2),
    GOOD("struct.set", "\x20\x05" I32 "\xfb\x05\x03\x00"),
    BAD("struct.set of a constant", "\x20\x05" F64 "\xfb\x05\x03\x01", "immutable field", 11),
    GOOD("array.new", I32 I32 "\xfb\x06\x05" DROP),
    GOOD("array.new_default", I32 "\xfb\x07\x07" DROP),
    GOOD("array.new_fixed", I32 I32 I32 "\xfb\x08\x05\x03" DROP),
    BAD("array.new_fixed of more", I32 I32 "\xfb\x08\x05\x03" DROP, "type mismatch", 4),
    GOOD("array.new_fixed of very many, unreachable", UNREACHABLE "\xfb\x08\x05\xff\xff\xff\xff\x0f" DROP),
    GOOD("array.new_data", I32 I32 "\xfb\x09\x05\x01" DROP),
    BAD("array.new_data of references", I32 I32 "\xfb\x09\x07\x01" DROP, "array type is not numeric or vector", 4),
    BAD("array.new_data of no segment", I32 I32 "\xfb\x09\x05\x02" DROP, "unknown data segment", 4),
    GOOD("array.new_elem", I32 I32 "\xfb\x0a\x06\x01" DROP),
    BAD("array.new_elem of another type", I32 I32 "\xfb\x0a\x07\x01" DROP, "type mismatch", 4),
    GOOD("array.get_u", "\xd0\x05" I32 "\xfb\x0d\x05" DROP),
    BAD("array.get of packed", "\xd0\x05" I32 "\xfb\x0b\x05" DROP, "type mismatch", 4),
    GOOD("array.get", "\xd0\x07" I32 "\xfb\x0b\x07" DROP),
    GOOD("array.set", "\xd0\x05" I32 I32 "\xfb\x0e\x05"),
    BAD("array.set of a constant", "\xd0\x06" I32 "\xd0\x70\xfb\x0e\x06", "immutable array", 6),
    GOOD("array.len", "\xd0\x06\xfb\x0f\x45" DROP),
    BAD("array.len of a structure", NULL_3 "\xfb\x0f" DROP, "type mismatch", 2),
    GOOD("array.fill", "\xd0\x05" I32 I32 I32 "\xfb\x10\x05"),
    GOOD("array.copy", "\xd0\x05" I32 "\xd0\x05" I32 I32 "\xfb\x11\x05\x05"),
    BAD("array.copy to a constant", "\xd0\x06" I32 "\xd0\x06" I32 I32 "\xfb\x11\x06\x06", "immutable array", 10),
    BAD("array.copy of another type", "\xd0\x05" I32 "\xd0\x0a" I32 I32 "\xfb\x11\x05\x0a", "array types do not match", 10),
    GOOD("array.init_data", "\xd0\x05" I32 I32 I32 "\xfb\x12\x05\x00"),
    GOOD("array.init_elem", "\xd0\x07" I32 I32 I32 "\xfb\x13\x07\x03"),
    BAD("array.init_elem of no segment", "\xd0\x07" I32 I32 I32 "\xfb\x13\x07\x04", "unknown elem segment", 8),
  };
  CHECK(rows);
}

/* A deep stack and deep nesting grow the walk's buffers; what was noted about the body is enough to walk it again. */
Test(decoder_validate, growth)
{
  enum { DEPTH = 3000 };
  struct bytes code = {NULL, 0, 0};
  for (int i = 0; i < DEPTH; i++)
    bytes_add(&code, B("\x02\x7f"));
  for (int i = 0; i < DEPTH; i++)
    bytes_add(&code, B(I32));
  for (int i = 0; i < DEPTH - 1; i++)
    bytes_add(&code, B(DROP));
  for (int i = 0; i < DEPTH; i++)
    bytes_add(&code, B(END));
  bytes_add(&code, B(DROP));
  struct bytes module = bytes_of_environment(code.data, code.size, true);
  struct decoded decoded;
  decoded_make(&decoded, module.data, module.size);
  cr_assert(decoded.is_good, "%s", decoded.error.message);
  const struct wm_func *func = &decoded.module.funcs[ENVIRONMENT_FUNCTION];
  cr_assert_eq(func->max_nesting, DEPTH + 1);
  cr_assert_eq(func->max_operand_slots, DEPTH);
  cr_assert_eq(func->instruction_count, 4 * DEPTH + 1);
  decoded_free(&decoded);
  bytes_free(&module);
  bytes_free(&code);
}

/* Constructs with long lists of parameters and results, a vector among them: taken when every type is right, refused at the
 * first of them when any one is wrong. */
Test(decoder_validate, long_lists)
{
  enum { COUNT = 41, VECTOR = 20 };
  static const char v128_const[] = "\xfd\x0c\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
  for (int wrong = -1; wrong < COUNT; wrong++) {
    struct bytes list = {NULL, 0, 0}, types = {NULL, 0, 0}, code = {NULL, 0, 0}, bodies = {NULL, 0, 0}, module = {NULL, 0, 0};
    bytes_add_leb(&list, COUNT);
    for (int i = 0; i < COUNT; i++) {
      bytes_add(&list, i == VECTOR ? "\x7b" : "\x7f", 1);
      if (i == wrong)
        bytes_add(&code, B(F32));
      else if (i == VECTOR)
        bytes_add(&code, v128_const, sizeof v128_const);
      else
        bytes_add(&code, B(I32));
    }
    size_t first = code.size;
    bytes_add(&code, B("\x02\x01" I32 "\x0d\x00" END "\x03\x01" END I32 "\x04\x01" END I32 "\x04\x01\x05" END));
    for (int i = 0; i < COUNT; i++)
      bytes_add(&code, B(DROP));
    bytes_add(&types, B("\x02\x60\0\0\x60"));
    bytes_add(&types, list.data, list.size);
    bytes_add(&types, list.data, list.size);
    bytes_add(&bodies, B("\x01"));
    bytes_add_body(&bodies, B("\0"), code.data, code.size);
    bytes_add_header(&module);
    bytes_add_section(&module, 1, types.data, types.size);
    bytes_add_section(&module, 3, B("\x01\0"));
    bytes_add_section(&module, 10, bodies.data, bodies.size);
    struct decoded decoded;
    decoded_make(&decoded, module.data, module.size);
    cr_assert(decoded.is_good == (wrong < 0), "%d: %s", wrong, decoded.error.message);
    if (decoded.is_good) {
      cr_assert_eq(decoded.module.funcs[0].max_operand_slots, COUNT + 2);
    } else {
      cr_assert_str_eq(decoded.error.message, "type mismatch");
      cr_assert_eq(decoded.error.offset, module.size - 1 - (code.size - first), "%d: offset %u", wrong, (unsigned)decoded.error.offset);
    }
    decoded_free(&decoded);
    bytes_free(&list);
    bytes_free(&types);
    bytes_free(&code);
    bytes_free(&bodies);
    bytes_free(&module);
  }
}
