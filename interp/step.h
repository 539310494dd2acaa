/* The step stream: one fixed-size entry for each instruction of a body, entry number = ordinal of the instruction.
 *
 * The reference form of the engine: every entry charges one from the budget and the run can stop before any of them. Operands are
 * frame slots known when lowering, so there is no operand stack pointer. lower_step.c makes it, loop_step.c runs it; the
 * debugger and the events read the byte offsets. Streams live in the instance's code block and, breakpoints apart, never change once made. */
#ifndef WM_INTERP_STEP_H
#define WM_INTERP_STEP_H

#include "decoder/opcode.h"
#include "interp/instance.h"

/* Entries whose operation is no opcode of its own. BREAK: a debugger's, see debug.h. V: the value is a v128, two slots. */
#define WM_STEP_OPS(X) \
  X(END_FUNCTION) \
  X(BREAK) \
  X(LOCAL_GET_V) \
  X(LOCAL_SET_V) \
  X(LOCAL_TEE_V) \
  X(GLOBAL_GET_V) \
  X(GLOBAL_SET_V) \
  X(SELECT_V)

enum wm_step_op {
  WM_STEP_OP_BASE = WM_OP_COUNT - 1,
#define X(NAME) WM_OP_##NAME,
  WM_STEP_OPS(X)
#undef X
  WM_STEP_OP_COUNT
};

/* All slots are frame slots (locals first). What the members mean, by family:
 *   most            a = first operand and result; further operands follow it (v128: two slots each)
 *   local           a = operand slot, b = the local's slot
 *   constants       a = result, imm = bits
 *   loads, stores   a = address (a + 1: value), imm = static offset, c = memory
 *   branches        a = first slot moved, b = where to, d = slots moved, c = ordinal to go on at; the condition stands at a + d
 *   br_table        a = index operand, d = slots moved (just below it), c = first of the function's targets, b = their number - 1
 *   if, else        a = condition, c = ordinal to go on at (if: when false); block, loop, if, try_table: d = ordinal of their end
 *   calls           a = first argument, b = operand slot of the table index or reference, c = function or type id, d = table;
 *                   imm = address of the struct wm_function (direct calls)
 *   globals         a, imm = address of the struct wm_global_instance, c = index
 *   segments, bulk  a = first of three operands, c = index, d = index2
 *   aggregates      a, c = canonical type id, d = first word of the field, number of operands, or segment */
struct wm_step {
  uint16_t op;     /* enum wm_op or enum wm_step_op */
  uint16_t flags;  /* WM_STEP bits */
  uint32_t a, b, c, d;
  uint32_t offset; /* byte in the module file */
  uint64_t imm;
};
_Static_assert(sizeof(struct wm_step) == 32, "one entry is 32 bytes");

enum {
  WM_STEP_BACK = 1,    /* the branch is a loop's back-edge */
  WM_STEP_GLOBAL0 = 2, /* global.set of a global 0 whose writes are events */
  WM_STEP_WIDE = 4,    /* the field or element is a v128 */
  WM_STEP_PACK8 = 8,   /* the field or element is i8 or i16 */
  WM_STEP_PACK16 = 16,
};

struct wm_step_target { /* of a br_table */
  uint32_t target, to;
  uint32_t flags;
};

/* One catch clause. Those of an inner try_table stand before those of the try_tables around it. */
struct wm_step_catch {
  uint32_t first, last; /* ordinals of the try_table and of its end: instructions strictly between are covered */
  uint32_t target, to;
  uint8_t kind;  /* enum wm_catch_kind */
  uint8_t flags;
  const struct wm_tag_instance *tag;
};

/* Bytes of code block that one body needs at most, and of scratch to lower it. */
uint64_t wm_step_space(const struct wm_func *func);
/* Lowers a function of an instance once; what it needs was reserved when the instance was linked. */
void wm_step_lower(struct wm_function *function);

#endif
