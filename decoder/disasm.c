/* The disassembler, driven by the opcode table; see disasm.h. It writes into a bounded buffer and allocates nothing. */
#include "decoder/disasm.h"

/* A bounded text: `length` goes on counting when the room is used up. */
struct text {
  const struct wm_module *module;
  char *bytes;
  size_t size, length;
};

static void put_char(struct text *t, char c)
{
  if (t->length + 1 < t->size)
    t->bytes[t->length] = c;
  t->length++;
}

static void put(struct text *t, const char *string)
{
  while (*string != '\0')
    put_char(t, *string++);
}

static void put_number(struct text *t, uint64_t value)
{
  char digits[20];
  size_t count = 0;
  do
    digits[count++] = (char)('0' + value % 10);
  while ((value /= 10) != 0);
  while (count > 0)
    put_char(t, digits[--count]);
}

static void put_index(struct text *t, uint64_t value)
{
  put_char(t, ' ');
  put_number(t, value);
}

static void put_signed(struct text *t, int64_t value)
{
  put_char(t, ' ');
  if (value < 0)
    put_char(t, '-');
  put_number(t, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* `digits` hexadecimal digits, the highest first. */
static void put_hex(struct text *t, uint64_t value, unsigned digits)
{
  while (digits-- > 0)
    put_char(t, "0123456789abcdef"[value >> (4 * digits) & 15]);
}

/* As few digits as the value has. */
static void put_short_hex(struct text *t, uint64_t value)
{
  unsigned digits = 1;
  while (digits < 16 && value >> (4 * digits) != 0)
    digits++;
  put(t, "0x");
  put_hex(t, value, digits);
}

/* Floats */

static void put_hex_float(struct text *t, uint64_t bits, bool is_64)
{
  unsigned fraction_bits = is_64 ? 52 : 23;
  uint64_t top = is_64 ? 0x7ff : 0xff;
  uint64_t fraction = bits & ((UINT64_C(1) << fraction_bits) - 1), exponent = bits >> fraction_bits & top;
  if (bits >> (is_64 ? 63 : 31) != 0)
    put_char(t, '-');
  if (exponent == top) {
    put(t, fraction == 0 ? "inf" : "nan");
    if (fraction != 0 && fraction != UINT64_C(1) << (fraction_bits - 1)) {
      put_char(t, ':');
      put_short_hex(t, fraction);
    }
    return;
  }
  int64_t power = (int64_t)exponent - (int64_t)(top / 2);
  if (exponent == 0 && fraction == 0) {
    put(t, "0x0");
    power = 0;
  } else {
    if (exponent == 0) /* subnormal: the first one becomes the leading digit */
      for (power = 1 - (int64_t)(top / 2); fraction >> fraction_bits == 0; fraction <<= 1)
        power--;
    put(t, "0x1");
  }
  fraction = (fraction & ((UINT64_C(1) << fraction_bits) - 1)) << (is_64 ? 0 : 1);
  if (fraction != 0) {
    unsigned digits = is_64 ? 13 : 6;
    for (; (fraction & 15) == 0; fraction >>= 4)
      digits--;
    put_char(t, '.');
    put_hex(t, fraction, digits);
  }
  put(t, power < 0 ? "p-" : "p+");
  put_number(t, (uint64_t)(power < 0 ? -power : power));
}

static void put_float(struct text *t, uint64_t bits, bool is_64, wm_float_text *floats)
{
  char literal[64];
  put_char(t, ' ');
  if (floats == NULL) {
    put_hex_float(t, bits, is_64);
    return;
  }
  size_t length = floats(bits, is_64, literal, sizeof literal);
  for (size_t i = 0; i < length && i < sizeof literal; i++)
    put_char(t, literal[i]);
}

/* Types */

static const char *const heap_names[] = {
  [WM_HEAP_FUNC] = "func", [WM_HEAP_NOFUNC] = "nofunc", [WM_HEAP_EXTERN] = "extern", [WM_HEAP_NOEXTERN] = "noextern",
  [WM_HEAP_ANY] = "any", [WM_HEAP_EQ] = "eq", [WM_HEAP_I31] = "i31", [WM_HEAP_STRUCT] = "struct",
  [WM_HEAP_ARRAY] = "array", [WM_HEAP_NONE] = "none", [WM_HEAP_EXN] = "exn", [WM_HEAP_NOEXN] = "noexn",
  [WM_HEAP_BOTTOM] = "bottom",
};

/* Nullable references to the abstract types, in the same order. */
static const char *const ref_names[] = {
  [WM_HEAP_FUNC] = "funcref", [WM_HEAP_NOFUNC] = "nullfuncref", [WM_HEAP_EXTERN] = "externref",
  [WM_HEAP_NOEXTERN] = "nullexternref", [WM_HEAP_ANY] = "anyref", [WM_HEAP_EQ] = "eqref", [WM_HEAP_I31] = "i31ref",
  [WM_HEAP_STRUCT] = "structref", [WM_HEAP_ARRAY] = "arrayref", [WM_HEAP_NONE] = "nullref", [WM_HEAP_EXN] = "exnref",
  [WM_HEAP_NOEXN] = "nullexnref", [WM_HEAP_BOTTOM] = "(ref null bottom)",
};

/* `index`: the module's own one where the instruction has it, else the first with that canonical id. */
static void put_heap(struct text *t, uint32_t heap, uint32_t index)
{
  if (heap < WM_HEAP_FIRST_ID) {
    put(t, heap_names[heap]);
    return;
  }
  if (index == WM_NO_INDEX)
    for (index = 0; index < t->module->type_count; index++)
      if (t->module->type_ids[index] == heap - WM_HEAP_FIRST_ID)
        break;
  put_number(t, index);
}

static void put_type(struct text *t, wm_valtype type, uint32_t index)
{
  switch (type) {
  case WM_TYPE_I32:
    put(t, "i32");
    return;
  case WM_TYPE_I64:
    put(t, "i64");
    return;
  case WM_TYPE_F32:
    put(t, "f32");
    return;
  case WM_TYPE_F64:
    put(t, "f64");
    return;
  case WM_TYPE_V128:
    put(t, "v128");
    return;
  case WM_TYPE_I8:
    put(t, "i8");
    return;
  case WM_TYPE_I16:
    put(t, "i16");
    return;
  case WM_TYPE_BOTTOM:
    put(t, "bottom");
    return;
  default:
    break;
  }
  if (wm_type_is_nullable(type) && wm_type_heap(type) < WM_HEAP_FIRST_ID) {
    put(t, ref_names[wm_type_heap(type)]);
    return;
  }
  put(t, wm_type_is_nullable(type) ? "(ref null " : "(ref ");
  put_heap(t, wm_type_heap(type), index);
  put_char(t, ')');
}

/* Immediates */

static void put_block_type(struct text *t, const struct wm_insn *insn)
{
  if (insn->index != WM_NO_INDEX) {
    put(t, " (type ");
    put_number(t, insn->module_type);
    put_char(t, ')');
  } else if (insn->type != WM_TYPE_BOTTOM) {
    put(t, " (result ");
    put_type(t, insn->type, WM_NO_INDEX);
    put_char(t, ')');
  }
}

static void put_catches(struct text *t, const struct wm_insn *insn)
{
  static const char *const names[] = {" (catch", " (catch_ref", " (catch_all", " (catch_all_ref"};
  uint64_t position = insn->vector_offset;
  for (uint32_t i = 0; i < insn->vector_count && t->length < t->size; i++) {
    struct wm_catch clause = wm_walk_read_catch(t->module, &position);
    put(t, names[clause.kind]);
    if (clause.kind == WM_CATCH || clause.kind == WM_CATCH_REF)
      put_index(t, clause.tag);
    put_index(t, clause.label);
    put_char(t, ')');
  }
}

/* Targets beyond the room are not read: a table may have millions. */
static void put_targets(struct text *t, const struct wm_insn *insn)
{
  uint64_t position = insn->vector_offset;
  for (uint32_t i = 0; i < insn->vector_count && t->length < t->size; i++)
    put_index(t, wm_walk_read_label(t->module, &position));
  put_index(t, insn->index);
}

static void put_memarg(struct text *t, const struct wm_insn *insn)
{
  if (insn->index != 0)
    put_index(t, insn->index);
  if (insn->imm.address_offset != 0) {
    put(t, " offset=");
    put_number(t, insn->imm.address_offset);
  }
  if (1u << insn->align_log2 != wm_opcodes[insn->op].access_bytes) {
    put(t, " align=");
    put_number(t, 1u << insn->align_log2);
  }
}

static void put_vector(struct text *t, const struct wm_insn *insn)
{
  put(t, " i32x4");
  for (unsigned i = 0; i < 4; i++) {
    put(t, " 0x");
    put_hex(t, insn->imm.v128[i / 2] >> (i % 2 * 32) & UINT32_MAX, 8);
  }
}

static void put_two(struct text *t, uint32_t first, uint32_t second)
{
  put_index(t, first);
  put_index(t, second);
}

static void put_immediates(struct text *t, const struct wm_insn *insn, wm_float_text *floats)
{
  switch (wm_opcodes[insn->op].immediates) {
  case WM_IMM_NONE:
    break;
  case WM_IMM_BLOCK:
    put_block_type(t, insn);
    break;
  case WM_IMM_TRY_TABLE:
    put_block_type(t, insn);
    put_catches(t, insn);
    break;
  case WM_IMM_BR_TABLE:
    put_targets(t, insn);
    break;
  case WM_IMM_LABEL:
  case WM_IMM_FUNC:
  case WM_IMM_TAG:
  case WM_IMM_LOCAL:
  case WM_IMM_GLOBAL:
  case WM_IMM_TABLE:
  case WM_IMM_ELEM:
  case WM_IMM_DATA:
    put_index(t, insn->index);
    break;
  case WM_IMM_TYPE:
    put_index(t, insn->module_type);
    break;
  case WM_IMM_CALL_INDIRECT:
    if (insn->index2 != 0)
      put_index(t, insn->index2);
    put(t, " (type ");
    put_number(t, insn->module_type);
    put_char(t, ')');
    break;
  case WM_IMM_SELECT_T:
    put(t, " (result ");
    put_type(t, insn->type, WM_NO_INDEX);
    put_char(t, ')');
    break;
  case WM_IMM_MEMORY:
    if (insn->index != 0)
      put_index(t, insn->index);
    break;
  case WM_IMM_TABLE_TABLE:
  case WM_IMM_MEMORY_MEMORY:
    if (insn->index != 0 || insn->index2 != 0)
      put_two(t, insn->index, insn->index2);
    break;
  case WM_IMM_ELEM_TABLE: /* the text names table and memory first */
  case WM_IMM_DATA_MEMORY:
    if (insn->index2 != 0)
      put_index(t, insn->index2);
    put_index(t, insn->index);
    break;
  case WM_IMM_MEMARG:
    put_memarg(t, insn);
    break;
  case WM_IMM_MEMARG_LANE:
    put_memarg(t, insn);
    put_index(t, insn->lane);
    break;
  case WM_IMM_LANE:
    put_index(t, insn->lane);
    break;
  case WM_IMM_I32:
    put_signed(t, (int32_t)(uint32_t)insn->imm.integer);
    break;
  case WM_IMM_I64:
    put_signed(t, (int64_t)insn->imm.integer);
    break;
  case WM_IMM_F32:
    put_float(t, insn->imm.bits, false, floats);
    break;
  case WM_IMM_F64:
    put_float(t, insn->imm.bits, true, floats);
    break;
  case WM_IMM_V128:
    put_vector(t, insn);
    break;
  case WM_IMM_SHUFFLE:
    for (unsigned i = 0; i < 16; i++)
      put_index(t, insn->imm.v128[i / 8] >> (i % 8 * 8) & 0xff);
    break;
  case WM_IMM_HEAP:
  case WM_IMM_HEAP_NULL:
    put_char(t, ' ');
    if (insn->op == WM_OP_REF_NULL)
      put_heap(t, wm_type_heap(insn->type), insn->module_type);
    else
      put_type(t, insn->type, insn->module_type);
    break;
  case WM_IMM_BR_CAST:
    put_index(t, insn->index);
    put_char(t, ' ');
    put_type(t, insn->type2, insn->module_type2);
    put_char(t, ' ');
    put_type(t, insn->type, insn->module_type);
    break;
  case WM_IMM_FIELD:
  case WM_IMM_TYPE_COUNT:
  case WM_IMM_TYPE_DATA:
  case WM_IMM_TYPE_ELEM:
    put_two(t, insn->module_type, insn->index2);
    break;
  case WM_IMM_TYPE_TYPE:
    put_two(t, insn->module_type, insn->module_type2);
    break;
  }
}

static size_t finish(struct text *t)
{
  if (t->size > 0)
    t->bytes[t->length < t->size ? t->length : t->size - 1] = '\0';
  return t->length;
}

size_t wm_disasm(const struct wm_module *module, const struct wm_insn *insn, wm_float_text *floats, char *text, size_t size)
{
  struct text t = {module, text, size, 0};
  put(&t, wm_opcodes[insn->op].text);
  put_immediates(&t, insn, floats);
  return finish(&t);
}

size_t wm_disasm_type(const struct wm_module *module, wm_valtype type, char *text, size_t size)
{
  struct text t = {module, text, size, 0};
  put_type(&t, type, WM_NO_INDEX);
  return finish(&t);
}
