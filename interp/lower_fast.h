/* What lowering into the fast stream keeps in mind, shared by the lower_fast*.c files only; fast.h says what the stream is.
 *
 * The operand stack's upper values may be pending: not in their slots yet, because they are constants, equal to a local, or in an
 * accumulator. An entry that made a value for the accumulator alone can be changed afterwards to store it as well, into its stack slot or
 * into the local that it is set to; so nothing is moved twice. At heads nothing is pending.
 *
 *   lower_fast_shapes.c      which handlers there are for an instruction
 *   lower_fast_values.c      entries, pending values, accumulators
 *   lower_fast_address.c     sums that become addresses
 *   lower_fast_operations.c  arithmetic, loads, stores, select, globals
 *   lower_fast_fused.c       sequences that become one entry
 *   lower_fast_control.c     branches, tests, calls, returns
 *   lower_fast_vector.c      vectors
 *   lower_fast_reference.c   references, tables, objects, bulk operations
 *   lower_fast.c             the pass over the body */
#ifndef WM_INTERP_LOWER_FAST_H
#define WM_INTERP_LOWER_FAST_H

#include "interp/fast.h"

#define NONE UINT32_MAX
#define MOST_PENDING 64

/* ---- Handlers (lower_fast_shapes.c) ---------------------------------------------------------------------------------- */

enum wm_form { SS, SK, AS, AK, SA, AX, FORMS, S = SS, A = AS, SP = SK, AP = AK, SX = SA };
enum wm_class { ACC_I, ACC_F32, ACC_F64, ACC_COUNT }; /* the accumulators */

#define STORED 0x8000 /* the form's only handler stores its result */
struct wm_shape {
  uint16_t forms[FORMS]; /* enum wm_fast_op, 0: none */
  uint16_t branches[AK + 1];
  uint8_t arity, in, out; /* enum wm_class */
  bool commutes, can_trap;
};

extern const struct wm_shape wm_shapes[WM_OP_COUNT];
/* The comparison that holds for exchanged operands when this one holds; the one that holds when this one does not. */
uint16_t wm_swapped(uint16_t op);
uint16_t wm_negated(uint16_t op);

/* ---- State ----------------------------------------------------------------------------------------------------------- */

/* An operand: where its value is. SUM: on its way to be an address, not computed yet, the i32 sum of `slot` (NONE: the integer
 * accumulator), `second` (NONE: 0) and the low half of `bits`; or ((slot & mask) << shift) + bits. */
struct wm_fast_value {
  enum { IN_SLOT, IN_LOCAL, CONSTANT, IN_ACC, SUM } kind;
  uint32_t slot;  /* IN_SLOT, IN_LOCAL, SUM: where; else the stack slot that it belongs to */
  uint32_t entry; /* IN_ACC: the entry that made it */
  enum wm_class class;
  bool is_wide; /* a vector: two slots, or bits and high */
  uint32_t second, mask, shift;
  uint64_t bits, high; /* CONSTANT, SUM */
};

struct wm_pending { struct wm_fast_value value; uint32_t slot; /* the stack slot that it belongs to */ };

/* A comparison of i32 or i64 that a branch depends on, in a form of those with a branch. Of the latest loops that begin with one it is remembered. */
struct wm_test { uint16_t op; enum wm_form form; uint32_t a, b; uint64_t constant; };
struct wm_head_test { struct wm_test test; uint32_t ordinal, words; };
#define HEAD_TESTS 8

struct wm_lowering {
  struct wm_function *function;
  const struct wm_step *steps;
  uint32_t count; /* of steps */
  uint32_t at;    /* ordinal of the step under way */
  union wm_word *words;
  uint32_t used;
  /* By ordinal: charge of going on there; 0: no head, WAITING: one to come, else the last branch to it that waits for its place (its word + 2),
   * and once it has been reached, its word (which may be 0 or WAITING too: what is reached is not waited for). */
  uint32_t *cost, *place;
  struct wm_fast_place *traps, *heads;
  uint32_t trap_count, head_count;
  struct wm_pending pending[MOST_PENDING];
  uint32_t pending_count;
  uint32_t newest;            /* the entry before the next one, no head being between, or NONE */
  struct wm_head_test head_tests[HEAD_TESTS];
  uint32_t head_test_count;
  uint32_t mirror[ACC_COUNT]; /* a slot that an accumulator is known to equal */
  uint32_t last;              /* entry that made the latest value, nothing having been emitted since, or NONE */
  uint32_t last_slot;         /* stack slot that it stored that to, or NONE */
  enum wm_class last_class;
};
#define WAITING 1

/* ---- Values (lower_fast_values.c) ------------------------------------------------------------------------------------ */

/* An entry of `words` words behind the last, its first filled in, the others 0. */
union wm_word *wm_emit(struct wm_lowering *l, uint32_t op, uint32_t d, uint32_t a, uint32_t b, uint32_t words);
/* The entry that is emitted next can trap at the step under way. */
void wm_note_trap(struct wm_lowering *l);
void wm_forget_mirrors(struct wm_lowering *l);
/* A slot is about to hold something else. */
void wm_note_write(struct wm_lowering *l, uint32_t slot);
/* Puts all pending values into their stack slots. */
void wm_flush_pending(struct wm_lowering *l);
/* Pending values at and above a stack slot are dropped. */
void wm_discard_pending(struct wm_lowering *l, uint32_t slot);
void wm_push_pending(struct wm_lowering *l, uint32_t slot, struct wm_fast_value value);
/* Pops the value that belongs to a stack slot, the uppermost. */
struct wm_fast_value wm_take_pending(struct wm_lowering *l, uint32_t slot);
/* An accumulator, or a local, is about to change: what is pending in it or equals it is settled. */
void wm_free_acc(struct wm_lowering *l, enum wm_class class);
void wm_free_local(struct wm_lowering *l, uint32_t local);
bool wm_is_in_acc(const struct wm_lowering *l, const struct wm_fast_value *value, enum wm_class class);
/* The slot to read a value from: its stack slot `slot` if it is in none. */
uint32_t wm_to_slot(struct wm_lowering *l, const struct wm_fast_value *value, uint32_t slot);
/* After an entry whose result is in an accumulator, and in its stack slot if the form is a STORED one. */
void wm_note_made(struct wm_lowering *l, uint32_t entry, bool is_stored, enum wm_class class, uint32_t slot);
/* Writes a value to a local, or to a stack slot that it does not belong to. */
void wm_set_slot(struct wm_lowering *l, uint32_t to, const struct wm_fast_value *value);

/* ---- Operations (lower_fast_operations.c) ---------------------------------------------------------------------------- */

struct wm_fast_operands { struct wm_fast_value x, y; uint32_t a, b; uint64_t constant; enum wm_form form; };
/* Which of the forms there are reads these operands with the fewest moves; they are in place for it afterwards. */
void wm_choose_form(struct wm_lowering *l, const uint16_t *forms, uint32_t form_count, enum wm_class in, bool can_swap,
                    bool *is_swapped, uint32_t slot, struct wm_fast_operands *o);
/* Where an access finds its address: the form, of loads, and what goes into its words. */
struct wm_fast_address { enum wm_form form; uint32_t a, b, summand, mask, shift; };
struct wm_fast_address wm_find_address(struct wm_lowering *l, const struct wm_fast_value *value, uint32_t slot);
/* An i32.add, or an i32.shl or i32.and by a constant, leaves a SUM pending if that is what it is good for; else false, nothing having changed. */
bool wm_fast_lower_sum(struct wm_lowering *l, const struct wm_step *step, const struct wm_fast_operands *o);
/* Stores a SUM in a slot, accumulators staying what they are; or computes it into the accumulator, where no other operand in hand may be. */
void wm_emit_sum(struct wm_lowering *l, const struct wm_fast_value *sum, uint32_t to);
struct wm_fast_value wm_sum_to_acc(struct wm_lowering *l, const struct wm_fast_value *sum, uint32_t slot);

void wm_fast_lower_binary(struct wm_lowering *l, const struct wm_step *step);
void wm_fast_lower_unary(struct wm_lowering *l, const struct wm_step *step);
void wm_fast_lower_load(struct wm_lowering *l, const struct wm_step *step);
void wm_fast_lower_store(struct wm_lowering *l, const struct wm_step *step);
void wm_fast_lower_select(struct wm_lowering *l, const struct wm_step *step);
void wm_fast_lower_global(struct wm_lowering *l, const struct wm_step *step);

/* ---- Vectors (lower_fast_vector.c) ------------------------------------------------------------------------------------ */

/* The slot to read the operand from that belongs to stack slot `slot`, the uppermost. */
uint32_t wm_take_slot(struct wm_lowering *l, uint32_t slot);
/* The entry just emitted, at `entry`, stores a vector to a stack slot. */
void wm_note_made_vector(struct wm_lowering *l, uint32_t entry, uint32_t slot);
void wm_settle_vector(struct wm_lowering *l, const struct wm_fast_value *value, uint32_t slot);
void wm_fast_lower_vector(struct wm_lowering *l, const struct wm_step *step);

/* ---- References, tables, objects, bulk operations (lower_fast_reference.c) -------------------------------------------- */

void wm_fast_lower_bulk(struct wm_lowering *l, const struct wm_step *step);
/* ref.is_null, ref.eq; an instruction that a checked function executes. */
void wm_fast_lower_reference(struct wm_lowering *l, const struct wm_step *step);
void wm_fast_lower_checked(struct wm_lowering *l, const struct wm_step *step);

/* ---- Fused sequences (lower_fast_fused.c) ---------------------------------------------------------------------------- */

/* A binary operation, with a load before it; false: no. */
bool wm_fuse_load(struct wm_lowering *l, const struct wm_step *step, const struct wm_fast_operands *o);
/* A test of the accumulator's value, `x`, with what made it. Returns the word of the branch, to be aimed, or NONE. */
uint32_t wm_fuse_test(struct wm_lowering *l, uint16_t op, enum wm_form form, const struct wm_fast_value *x, uint32_t b, uint32_t constant,
                      bool is_event);
void wm_emit_copy(struct wm_lowering *l, uint32_t to, uint32_t from);
/* br_table's handler, slot, and what it adds to its index. */
struct wm_fused_index { uint32_t op, slot, summand; };
struct wm_fused_index wm_fuse_index(struct wm_lowering *l, const struct wm_fast_value *index, uint32_t slot);

/* ---- Control (lower_fast_control.c) ---------------------------------------------------------------------------------- */

/* A condition: a comparison of two operands, or (op 0) a value to be tested; negated or not. */
struct wm_condition { struct wm_fast_operands o; uint32_t slot; uint16_t op; bool is_negated; };
/* A step is reached that is a head: everything is in its slot there. */
void wm_reach_head(struct wm_lowering *l);
void wm_fast_lower_jump(struct wm_lowering *l, const struct wm_step *step);
void wm_fast_lower_null_branch(struct wm_lowering *l, const struct wm_step *step);
/* br_if or if at `l->at`, on a condition. */
void wm_fast_lower_conditional(struct wm_lowering *l, struct wm_condition *c);
/* A comparison or i32.eqz that br_if or if follows; false: it does not. */
bool wm_fast_lower_test(struct wm_lowering *l);
void wm_fast_lower_br_table(struct wm_lowering *l, const struct wm_step *step);
/* The word of a call or escape that says where control goes on. */
void wm_fast_go_on(struct wm_lowering *l, union wm_word *word, uint32_t ordinal);
void wm_fast_lower_call(struct wm_lowering *l, const struct wm_step *step);
/* Results stand at slot `a`. */
void wm_fast_lower_return(struct wm_lowering *l, uint32_t a, bool is_branch);

#endif
