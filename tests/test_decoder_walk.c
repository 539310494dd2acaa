/* Walking decoded bodies: what users see at each step, the text of every kind of instruction, scratch memory. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "decoder/disasm.h"
#include "decoder_support.h"

/* The tested function of the environment module, ready to be walked in exactly the scratch memory that was announced. */
struct walking {
  struct bytes bytes;
  struct decoded decoded;
  struct wm_arena scratch;
  struct wm_walk walk;
};

static void open_walk(struct walking *w, const void *code, size_t size)
{
  w->bytes = bytes_of_environment(code, size, true);
  decoded_make(&w->decoded, w->bytes.data, w->bytes.size);
  cr_assert(w->decoded.is_good, "%s at %d", w->decoded.error.message,
            (int)(w->decoded.error.offset - environment_code_offset(&w->bytes, size)));
  size_t scratch = (size_t)wm_walk_scratch(&w->decoded.module.funcs[ENVIRONMENT_FUNCTION]);
  w->scratch = (struct wm_arena){malloc(scratch), 0, scratch};
  cr_assert(wm_walk_begin(&w->walk, &w->decoded.module, ENVIRONMENT_FUNCTION, &w->scratch));
}

static void close_walk(struct walking *w)
{
  free(w->scratch.base);
  decoded_free(&w->decoded);
  bytes_free(&w->bytes);
}

/* ---- State ------------------------------------------------------------------------------------------------------ */

Test(decoder_walk, locals)
{
  static const wm_valtype types[] = {WM_TYPE_I32, WM_TYPE_I64, WM_TYPE_F32, WM_TYPE_F64, WM_TYPE_V128};
  static const uint32_t slots[] = {0, 1, 2, 3, 4, 6, 7};
  struct walking w;
  open_walk(&w, B(""));
  for (uint32_t i = 0; i < 5; i++)
    cr_assert_eq(wm_walk_local(&w.walk, i), types[i]);
  for (uint32_t i = 0; i < 7; i++)
    cr_assert_eq(wm_walk_local_slot(&w.walk, i), slots[i]);
  close_walk(&w);
}

/* Opcode, height before and after (values, slots), labels after, reachable or not. */
Test(decoder_walk, heights_and_labels)
{
  static const struct { uint16_t op; uint32_t popped, popped_slots, count, slots, labels; bool is_unreachable; } steps[] = {
    {WM_OP_LOCAL_GET, 0, 0, 1, 2, 1, false},   {WM_OP_I32_CONST, 1, 2, 2, 3, 1, false},
    {WM_OP_IF, 2, 3, 1, 2, 2, false},          {WM_OP_LOCAL_GET, 1, 2, 2, 4, 2, false},
    {WM_OP_BR, 2, 4, 1, 2, 2, false},          {WM_OP_NOP, 1, 2, 1, 2, 2, true},
    {WM_OP_BLOCK, 1, 2, 1, 2, 3, true},        {WM_OP_END, 1, 2, 1, 2, 2, true},
    {WM_OP_ELSE, 1, 2, 1, 2, 2, true},         {WM_OP_LOCAL_GET, 1, 2, 2, 4, 2, false},
    {WM_OP_END, 2, 4, 2, 4, 1, false},         {WM_OP_DROP, 2, 4, 1, 2, 1, false},
    {WM_OP_DROP, 1, 2, 0, 0, 1, false},        {WM_OP_END, 0, 0, 0, 0, 0, false},
  };
  struct walking w;
  open_walk(&w, B("\x20\x04\x41\x00\x04\x7b\x20\x04\x0c\x00\x01\x02\x40\x0b\x05\x20\x04\x0b\x1a\x1a"));
  uint64_t offset = w.decoded.module.funcs[ENVIRONMENT_FUNCTION].code_offset;
  for (uint32_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    cr_assert(wm_walk_next(&w.walk), "step %u", i);
    const struct wm_walk *walk = &w.walk;
    cr_assert(walk->insn.op == steps[i].op && walk->insn_number == i && walk->insn.offset == offset, "step %u", i);
    cr_assert(walk->popped_count == steps[i].popped && walk->popped_slots == steps[i].popped_slots, "step %u", i);
    cr_assert(walk->operand_count == steps[i].count && walk->operand_slots == steps[i].slots, "step %u: %u", i, walk->operand_count);
    cr_assert(walk->label_count == steps[i].labels && walk->insn_unreachable == steps[i].is_unreachable, "step %u", i);
    if (walk->insn.op == WM_OP_ELSE)
      cr_assert(walk->ended.op == WM_OP_IF && wm_walk_label(walk, 0)->op == WM_OP_ELSE && walk->ended.is_unreachable);
    if (walk->insn.op == WM_OP_END && i == 10)
      cr_assert(walk->ended.op == WM_OP_ELSE && walk->ended.result_slots == 2 && walk->ended.results[0] == WM_TYPE_V128 &&
                walk->ended.height == 1 && walk->ended.height_slots == 2);
    if (walk->insn.op == WM_OP_BLOCK)
      cr_assert(wm_walk_label(walk, 0)->was_unreachable && !wm_walk_label(walk, 1)->was_unreachable);
    offset += walk->insn.length;
  }
  cr_assert(w.walk.is_done && !wm_walk_next(&w.walk) && w.walk.error.status == WM_OK);
  close_walk(&w);
}

Test(decoder_walk, vectors_of_labels_and_catches)
{
  struct walking w;
  open_walk(&w, B("\x02\x40\x41\0\x0e\x81\x00\x81\x80\x00\x00\x0b\x02\x40\x1f\x40\x02\x00\x01\x00\x02\x01\x0b\x0b"));
  uint64_t position;
  for (int i = 0; i < 3; i++)
    cr_assert(wm_walk_next(&w.walk));
  cr_assert(w.walk.insn.op == WM_OP_BR_TABLE && w.walk.insn.vector_count == 1 && w.walk.insn.index == 0);
  position = w.walk.insn.vector_offset;
  cr_assert(wm_walk_read_label(&w.decoded.module, &position) == 1 && position == w.walk.insn.vector_offset + 3);
  for (int i = 0; i < 3; i++)
    cr_assert(wm_walk_next(&w.walk));
  cr_assert(w.walk.insn.op == WM_OP_TRY_TABLE && w.walk.insn.vector_count == 2);
  position = w.walk.insn.vector_offset;
  struct wm_catch first = wm_walk_read_catch(&w.decoded.module, &position), second = wm_walk_read_catch(&w.decoded.module, &position);
  cr_assert(first.kind == WM_CATCH && first.tag == 1 && first.label == 0 && second.kind == WM_CATCH_ALL && second.label == 1);
  cr_assert_eq(w.decoded.module.funcs[ENVIRONMENT_FUNCTION].handler_count, 2);
  close_walk(&w);
}

Test(decoder_walk, constant_expressions)
{
  struct walking w;
  open_walk(&w, B(""));
  const struct wm_global *global = &w.decoded.module.globals[2];
  size_t size = (size_t)wm_walk_scratch_const(&global->init);
  struct wm_arena scratch = {malloc(size), 0, size};
  struct wm_walk walk;
  static const uint16_t ops[] = {WM_OP_GLOBAL_GET, WM_OP_I32_CONST, WM_OP_I32_ADD, WM_OP_END};
  cr_assert(wm_walk_begin_const(&walk, &w.decoded.module, &global->init, WM_TYPE_I32, &scratch));
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
    cr_assert(wm_walk_next(&walk) && walk.insn.op == ops[i]);
  cr_assert(walk.is_done && walk.operand_count == 1);
  free(scratch.base);
  close_walk(&w);
}

/* Less scratch memory than announced is refused or ends the walk, and never overruns. */
Test(decoder_walk, scratch_of_every_size)
{
  struct walking w;
  open_walk(&w, B("\x20\x04\x41\x00\x04\x7b\x20\x04\x0c\x00\x05\x20\x04\x0b\x1a\x1a"));
  size_t enough = (size_t)wm_walk_scratch(&w.decoded.module.funcs[ENVIRONMENT_FUNCTION]);
  for (size_t size = 0; size <= enough; size += 16) {
    struct wm_arena scratch = {malloc(size > 0 ? size : 1), 0, size};
    struct wm_walk walk;
    if (wm_walk_begin(&walk, &w.decoded.module, ENVIRONMENT_FUNCTION, &scratch)) {
      while (wm_walk_next(&walk))
        ;
      cr_assert(walk.is_done || walk.error.status == WM_NO_SPACE);
    } else {
      cr_assert(size < enough);
    }
    free(scratch.base);
  }
  close_walk(&w);
}

/* ---- Text ------------------------------------------------------------------------------------------------------- */

/* Code, and the text of its instructions one after the other, the last `end` left out. */
static const struct { const char *code; size_t size; const char *text; } texts[] = {
  {B("\x01"), "nop"},
  {B("\x02\x40\x0b\x02\x7e\x42\x7f\x0b\x1a"), "block|end|block (result i64)|i64.const -1|end|drop"},
  {B("\x02\x63\x04\x00\x0b\x1a\x02\x6f\x00\x0b\x1a"), "block (result (ref null 4))|unreachable|end|drop|block (result externref)|unreachable|end|drop"},
  {B("\x41\x00\x41\x80\x80\x80\x80\x78\x04\x01\x05\x0b\x1a"), "i32.const 0|i32.const -2147483648|if (type 1)|else|end|drop"},
  {B("\x42\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f\x1a"), "i64.const -9223372036854775808|drop"},
  {B("\x02\x40\x41\x00\x0d\x00\x41\x00\x0e\x02\x00\x01\x00\x0b"), "block|i32.const 0|br_if 0|i32.const 0|br_table 0 1 0|end"},
  {B("\x41\x00\x10\x00\x1a\x41\x00\x41\x00\x11\x01\x00\x1a\x12\x01"), "i32.const 0|call 0|drop|i32.const 0|i32.const 0|call_indirect (type 1)|drop|return_call 1"},
  {B("\x1f\x40\x02\x02\x00\x00\x01\x00\x0b"), "try_table (catch_all 0) (catch 1 0)|end"},
  {B("\x41\x00\x43\0\0\0\0\x08\x00"), "i32.const 0|f32.const 0x0p+0|throw 0"},
  {B("\xd0\x03\xd0\x03\x41\x00\x1c\x01\x63\x03\x1a"), "ref.null 3|ref.null 3|i32.const 0|select (result (ref null 3))|drop"},
  {B("\x20\x00\x22\x00\x21\x00\x23\x02\x1a"), "local.get 0|local.tee 0|local.set 0|global.get 2|drop"},
  {B("\x41\x00\x28\x02\x00\x2d\x00\x07\x1a"), "i32.const 0|i32.load|i32.load8_u offset=7|drop"},
  {B("\x42\x00\x29\x42\x01\x80\x01\x1a"), "i64.const 0|i64.load 1 offset=128 align=4|drop"},
  {B("\x41\x00\x20\x04\xfd\x56\x00\x00\x03\x1a"), "i32.const 0|local.get 4|v128.load32_lane align=1 3|drop"},
  {B("\x3f\x01\x1a\x3f\x00\x1a"), "memory.size 1|drop|memory.size|drop"},
  {B("\x41\x00\x41\x00\x41\x00\xfc\x0a\x00\x00\x42\x00\x41\x00\x41\x00\xfc\x0a\x01\x00"),
   "i32.const 0|i32.const 0|i32.const 0|memory.copy|i64.const 0|i32.const 0|i32.const 0|memory.copy 1 0"},
  {B("\x41\x00\x41\x00\x41\x00\xfc\x08\x01\x00\x42\x00\x41\x00\x41\x00\xfc\x08\x00\x01\xfc\x09\x01"),
   "i32.const 0|i32.const 0|i32.const 0|memory.init 1|i64.const 0|i32.const 0|i32.const 0|memory.init 1 0|data.drop 1"},
  {B("\x41\x00\x41\x00\x41\x00\xfc\x0c\x01\x00\xfc\x10\x02\x1a\xfc\x0d\x02"),
   "i32.const 0|i32.const 0|i32.const 0|table.init 1|table.size 2|drop|elem.drop 2"},
  {B("\x41\x00\x41\x00\x41\x00\xfc\x0c\x03\x02"), "i32.const 0|i32.const 0|i32.const 0|table.init 2 3"},
  {B("\xfd\x0c\1\0\0\0\2\0\0\0\xff\xff\xff\xff\0\0\0\x80\x1a"), "v128.const i32x4 0x00000001 0x00000002 0xffffffff 0x80000000|drop"},
  {B("\x20\x04\x20\x04\xfd\x0d\0\1\2\3\4\5\6\7\x1f\x1e\x1d\x1c\x1b\x1a\x19\x18\x1a"),
   "local.get 4|local.get 4|i8x16.shuffle 0 1 2 3 4 5 6 7 31 30 29 28 27 26 25 24|drop"},
  {B("\x20\x04\xfd\x16\x0f\x1a"), "local.get 4|i8x16.extract_lane_u 15|drop"},
  {B("\xd2\x03\x1a\xd0\x71\x1a\xd0\x69\x1a"), "ref.func 3|drop|ref.null none|drop|ref.null exn|drop"},
  {B("\xd0\x6e\xfb\x14\x03\x1a\xd0\x6e\xfb\x15\x6b\x1a\xd0\x6e\xfb\x17\x04\x1a"),
   "ref.null any|ref.test (ref 3)|drop|ref.null any|ref.test structref|drop|ref.null any|ref.cast (ref null 4)|drop"},
  {B("\x02\x63\x04\xd0\x6d\xfb\x18\x03\x00\x6d\x04\x1a\x00\x0b\x1a"), "block (result (ref null 4))|ref.null eq|br_on_cast 0 eqref (ref null 4)|drop|unreachable|end|drop"},
  {B("\x20\x05\xfb\x03\x03\x00\x1a"), "local.get 5|struct.get_s 3 0|drop"},
  {B("\x41\x00\x41\x00\xfb\x08\x05\x02\x1a"), "i32.const 0|i32.const 0|array.new_fixed 5 2|drop"},
  {B("\xd0\x05\x41\x00\xd0\x05\x41\x00\x41\x00\xfb\x11\x05\x05"), "ref.null 5|i32.const 0|ref.null 5|i32.const 0|i32.const 0|array.copy 5 5"},
  {B("\xd0\x07\x41\x00\x41\x00\x41\x00\xfb\x13\x07\x03"), "ref.null 7|i32.const 0|i32.const 0|i32.const 0|array.init_elem 7 3"},
  {B("\x43\0\0\x80\x3f\x1a\x43\0\0\xc0\x7f\x1a\x43\1\0\x80\xff\x1a\x43\0\0\x80\xff\x1a\x43\0\0\0\x80\x1a\x43\1\0\0\0\x1a\x43\xdb\x0f\x49\x40\x1a"),
   "f32.const 0x1p+0|drop|f32.const nan|drop|f32.const -nan:0x1|drop|f32.const -inf|drop|f32.const -0x0p+0|drop|f32.const 0x1p-149|drop|"
   "f32.const 0x1.921fb6p+1|drop"},
  {B("\x44\0\0\0\0\0\0\xf0\x3f\x1a\x44\x18\x2d\x44\x54\xfb\x21\x09\x40\x1a\x44\1\0\0\0\0\0\0\0\x1a\x44\0\0\0\0\0\0\xf4\x7f\x1a"),
   "f64.const 0x1p+0|drop|f64.const 0x1.921fb54442d18p+1|drop|f64.const 0x1p-1074|drop|f64.const nan:0x4000000000000|drop"},
};

Test(decoder_walk, texts)
{
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct walking w;
    char all[1024] = "", one[256];
    open_walk(&w, texts[i].code, texts[i].size);
    while (wm_walk_next(&w.walk) && !w.walk.is_done) {
      size_t length = wm_disasm(&w.decoded.module, &w.walk.insn, NULL, one, sizeof one);
      cr_assert(length == strlen(one));
      strcat(strcat(all, all[0] == '\0' ? "" : "|"), one);
    }
    cr_assert_str_eq(all, texts[i].text, "%s", all);
    close_walk(&w);
  }
}

/* Every prefix of a text fits its buffer and is terminated. */
Test(decoder_walk, texts_are_cut)
{
  struct walking w;
  open_walk(&w, B("\x41\0\x0e\x03\x00\x00\x00\x00"));
  cr_assert(wm_walk_next(&w.walk) && wm_walk_next(&w.walk));
  static const char full[] = "br_table 0 0 0 0";
  for (size_t size = 0; size <= sizeof full; size++) {
    char *text = malloc(size > 0 ? size : 1);
    size_t length = wm_disasm(&w.decoded.module, &w.walk.insn, NULL, text, size);
    cr_assert(size == 0 || (strlen(text) == (size <= sizeof full - 1 ? size - 1 : sizeof full - 1) && strncmp(text, full, strlen(text)) == 0));
    cr_assert((length < size) == (size == sizeof full));
    free(text);
  }
  close_walk(&w);
}

static size_t say(uint64_t bits, bool is_64, char *text, size_t size)
{
  cr_assert(size >= 8);
  memcpy(text, is_64 ? "sixty" : "thirty", 6);
  return bits == 0 ? 0 : is_64 ? 5 : 6;
}

Test(decoder_walk, floats_of_the_callers)
{
  struct walking w;
  char text[64];
  open_walk(&w, B("\x43\1\0\0\0\x1a\x44\1\0\0\0\0\0\0\0\x1a"));
  cr_assert(wm_walk_next(&w.walk));
  wm_disasm(&w.decoded.module, &w.walk.insn, say, text, sizeof text);
  cr_assert_str_eq(text, "f32.const thirty");
  cr_assert(wm_walk_next(&w.walk) && wm_walk_next(&w.walk));
  wm_disasm(&w.decoded.module, &w.walk.insn, say, text, sizeof text);
  cr_assert_str_eq(text, "f64.const sixty");
  cr_assert(wm_disasm_type(&w.decoded.module, WM_REF(WM_HEAP_FUNC, false), text, sizeof text) == 10);
  cr_assert_str_eq(text, "(ref func)");
  close_walk(&w);
}
