/* References, tables, objects and bulk operations on memory 0 into the fast stream (lower_fast.h). Null tests are integer tests, so that they fuse
 * with branches; what else reads or writes one thing, and may trap, is a function that one handler calls (checked_functions.c). What
 * allocates, grows or moves many things is left to the step stream. */
#include "interp/lower_fast.h"

void wm_fast_lower_bulk(struct wm_lowering *l, const struct wm_step *step)
{
  uint32_t c = wm_take_slot(l, step->a + 2), b = wm_take_slot(l, step->a + 1), a = wm_take_slot(l, step->a);
  wm_note_trap(l);
  wm_emit(l, step->op == WM_OP_MEMORY_COPY ? WM_OP_F_MEMORY_COPY : WM_OP_F_MEMORY_FILL, 0, a, b, 2)[1].low = c;
}

void wm_fast_lower_reference(struct wm_lowering *l, const struct wm_step *step)
{
  struct wm_step integer = *step;
  integer.op = step->op == WM_OP_REF_EQ ? WM_OP_I64_EQ : WM_OP_I64_EQZ;
  if (step->op == WM_OP_REF_EQ)
    wm_fast_lower_binary(l, &integer);
  else
    wm_fast_lower_unary(l, &integer);
}

bool wm_fast_is_checked(uint16_t op)
{
  return op < WM_OP_COUNT && wm_checked_functions[op] != NULL;
}

/* Operands of one slot each, the last of objects' setters perhaps of two; and what the result is. */
enum result { NOTHING, SCALAR, FIELD };
static uint32_t operand_count(uint16_t op, enum result *result)
{
  *result = SCALAR;
  switch (op) {
  case WM_OP_TABLE_SIZE: return 0;
  case WM_OP_STRUCT_GET: *result = FIELD; return 1;
  case WM_OP_ARRAY_GET: *result = FIELD; return 2;
  case WM_OP_ARRAY_GET_S: case WM_OP_ARRAY_GET_U: return 2;
  case WM_OP_TABLE_SET: case WM_OP_STRUCT_SET: *result = NOTHING; return 2;
  case WM_OP_ARRAY_SET: *result = NOTHING; return 3;
  default: return 1;
  }
}

void wm_fast_lower_checked(struct wm_lowering *l, const struct wm_step *step)
{
  enum result result;
  uint32_t slots[3] = {0};
  for (uint32_t i = operand_count(step->op, &result); i-- > 0;)
    slots[i] = wm_take_slot(l, step->a + i);
  bool is_wide = result == FIELD && (step->flags & WM_STEP_WIDE) != 0, is_table = wm_opcodes[step->op].immediates == WM_IMM_TABLE;
  wm_free_acc(l, ACC_I);
  uint32_t entry = l->used;
  wm_note_trap(l);
  union wm_word *words = wm_emit(l, WM_OP_F_CHECKED, result == NOTHING ? 0 : step->a, slots[0], slots[1], 4);
  words[1].check = wm_checked_functions[step->op];
  words[2].parts[0] = (uint16_t)slots[2];
  words[2].parts[1] = step->flags;
  words[2].high = step->d;
  if (is_table)
    words[3].table = l->function->instance->tables[step->c];
  else
    words[3].bits = step->imm;
  if (is_wide)
    wm_note_made_vector(l, entry, step->a);
  else if (result != NOTHING)
    wm_note_made(l, entry, true, ACC_I, step->a);
}
