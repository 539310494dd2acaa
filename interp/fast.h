/* The fast stream: a second lowering of a body in which constants and locals are operands, the latest results stay in accumulators, comparisons
 * fuse with branches, and the budget is charged ahead.
 *
 * What a stream is made of (words, handlers, maps) stands here; lower_fast.c makes it, loop_fast.inc runs it. It is an
 * optimisation function by function: one that has no fast stream, or an instruction that has no handler here, runs in the step stream.
 *
 * Budget: at any place all instructions have been charged that run from there to the next terminator (call, return, backward
 * branch, br_table, unreachable, escape) when no conditional branch is taken; wm_fast_cost counts them. So a conditional branch charges
 * the difference when it is taken, and a join point nothing, however it is reached.
 * Places where a run can enter the stream ("heads"): a body's beginning, branch targets, the instruction behind a call or escape. There
 * every value stands in its own slot. Streams live in the instance's block for them and never change once made. */
#ifndef WM_INTERP_FAST_H
#define WM_INTERP_FAST_H

#include "interp/step.h"

/* A vector instruction that has no handler of its own: reads and writes the slots that its entry names (vector_functions.c). */
struct wm_run;
union wm_word;
typedef void wm_vector_function(uint64_t *slots, const union wm_word *entry);
extern wm_vector_function *const wm_vector_functions[WM_STEP_OP_COUNT];

/* The same of an instruction on references, tables and objects; it can trap (checked_functions.c). */
typedef enum wm_trap wm_checked_function(struct wm_run *run, uint64_t *slots, const union wm_word *entry);
extern wm_checked_function *const wm_checked_functions[WM_OP_COUNT];

/* Streams are made of these. An entry is its first word and, by handler, up to three more. */
union wm_word {
  struct { uint16_t op, d, a, b; }; /* d: slot written, or 1 for a branch that is an event; a, b: slots read */
  struct { int32_t jump, delta; };  /* of a branch: words from the entry's beginning; what taking it charges */
  struct { uint32_t ordinal, cost; }; /* where control goes on behind a call or escape, and what going on there charges */
  struct { uint32_t low, high; };
  uint64_t bits;
  uint64_t *slot;
  const void *pointer;
  struct wm_function *callee;
  wm_vector_function *compute;
  wm_checked_function *check;
  struct wm_table_instance *table;
  uint16_t parts[4];
};
_Static_assert(sizeof(union wm_word) == 8, "a word is 8 bytes");

/* Which forms numeric.def's instructions have. Letters are operands: S a slot, A the accumulator of the operand's class, K the constant in
 * the second word. P: a pair of handlers, one that leaves the result in the accumulator only, and its successor, _TO, that stores it
 * to slot d too. O: the latter only. B: a comparison fused with the branch that is taken when it holds. */
#define WM_FORMS_COMMUTING(P, O, B, ...) P(SS, __VA_ARGS__) P(SK, __VA_ARGS__) P(AS, __VA_ARGS__) P(AK, __VA_ARGS__)
#define WM_FORMS_FULL(P, O, B, ...) WM_FORMS_COMMUTING(P, O, B, __VA_ARGS__) P(SA, __VA_ARGS__)
#define WM_FORMS_DIFFERENCE(P, O, B, ...) P(SS, __VA_ARGS__) P(AS, __VA_ARGS__) P(SA, __VA_ARGS__)
#define WM_FORMS_SHIFT(P, O, B, ...) P(SK, __VA_ARGS__) P(AK, __VA_ARGS__) O(SS, __VA_ARGS__)
#define WM_FORMS_SLOTS(P, O, B, ...) O(SS, __VA_ARGS__)
#define WM_FORMS_SLOTS_CONST(P, O, B, ...) O(SS, __VA_ARGS__) O(SK, __VA_ARGS__)
#define WM_FORMS_TEST(P, O, B, ...) \
  O(SS, __VA_ARGS__) O(SK, __VA_ARGS__) B(SS, __VA_ARGS__) B(SK, __VA_ARGS__) B(AS, __VA_ARGS__) B(AK, __VA_ARGS__)
#define WM_FORMS_UNARY(P, O, B, ...) O(S, __VA_ARGS__)
#define WM_FORMS_UNARY_ACC(P, O, B, ...) P(S, __VA_ARGS__) P(A, __VA_ARGS__)
#define WM_FORMS_SAME(P, O, B, ...) /* the slot's bits do not change */

/* Addresses: a slot or the accumulator, plus (P) another slot, or (X) masked and shifted by constants in the third word; the constant that
 * is added besides is part of every access. */
#define WM_FORMS_NEAR(P, O, B, ...) P(S, __VA_ARGS__) P(A, __VA_ARGS__)
#define WM_FORMS_SUM(P, O, B, ...) WM_FORMS_NEAR(P, O, B, __VA_ARGS__) P(SP, __VA_ARGS__) P(AP, __VA_ARGS__)
#define WM_FORMS_SCALED(P, O, B, ...) WM_FORMS_SUM(P, O, B, __VA_ARGS__) P(SX, __VA_ARGS__) P(AX, __VA_ARGS__)

/* Loads and stores of a 32-bit memory 0. X(NAME, [forms,] C type in memory, class of the result or value as in numeric.def) */
#define WM_FAST_LOADS(X) \
  X(I32_LOAD, SCALED, uint32_t, u32) X(I64_LOAD, SCALED, uint64_t, u64) X(F32_LOAD, NEAR, uint32_t, f32) X(F64_LOAD, SCALED, uint64_t, f64) \
  X(I32_LOAD8_S, NEAR, int8_t, u32) X(I32_LOAD8_U, SUM, uint8_t, u32) X(I32_LOAD16_S, NEAR, int16_t, u32) \
  X(I32_LOAD16_U, SCALED, uint16_t, u32) X(I64_LOAD8_S, NEAR, int8_t, u64) X(I64_LOAD8_U, NEAR, uint8_t, u64) \
  X(I64_LOAD16_S, NEAR, int16_t, u64) X(I64_LOAD16_U, NEAR, uint16_t, u64) X(I64_LOAD32_S, NEAR, int32_t, u64) \
  X(I64_LOAD32_U, NEAR, uint32_t, u64)
#define WM_FAST_STORES(X) \
  X(I32_STORE, uint32_t, u32) X(I64_STORE, uint64_t, u64) X(F32_STORE, uint32_t, f32) X(F64_STORE, uint64_t, f64) \
  X(I32_STORE8, uint8_t, u32) X(I32_STORE16, uint16_t, u32) \
  X(I64_STORE8, uint8_t, u64) X(I64_STORE16, uint16_t, u64) X(I64_STORE32, uint32_t, u64)

/* Everything else. */
#define WM_FAST_OTHERS(X) \
  X(ESCAPE) X(UNREACHABLE) \
  X(COPY) X(COPY_2) X(CONST) X(SUM_S) X(SUM_A) X(SUM_SP) X(SUM_AP) X(SUM_SX) X(SUM_AX) X(SET_I) X(SET_F32) X(SET_F64) X(MOVE) \
  X(JUMP) X(BRANCH) X(IF_S) X(IF_A) X(UNLESS_S) X(UNLESS_A) X(BR_TABLE_S) X(BR_TABLE_A) \
  X(SELECT_S) X(SELECT_A) X(GLOBAL_GET) X(GLOBAL_SET_S) X(GLOBAL_SET_A) X(MEMORY_SIZE) \
  X(CALL) X(CALL_INDIRECT) X(CALL_REF) X(RETURN_CALL) X(RETURN_CALL_INDIRECT) X(RETURN_CALL_REF) \
  X(MEMORY_COPY) X(MEMORY_FILL) X(CHECKED) \
  X(RETURN) X(RETURN_S) X(RETURN_K) X(RETURN_A)

enum wm_fast_op {
  WM_OP_F_NONE,
#define PAIR(FORM, NAME, ...) WM_OP_F_##NAME##_##FORM, WM_OP_F_##NAME##_##FORM##_TO,
#define ONE(FORM, NAME, ...) WM_OP_F_##NAME##_##FORM##_TO,
#define TEST(FORM, NAME, ...) WM_OP_F_##NAME##_##FORM##_BRANCH,
#define WM_UN(NAME, forms, ...) WM_FORMS_##forms(PAIR, ONE, TEST, NAME)
#define WM_BIN WM_UN
#define WM_UN_TRAP WM_UN
#define WM_BIN_TRAP WM_UN
#include "interp/numeric.def"
#undef WM_UN
#undef WM_BIN
#undef WM_UN_TRAP
#undef WM_BIN_TRAP
#define X(NAME, forms, ...) WM_FORMS_##forms(PAIR, ONE, TEST, NAME)
  WM_FAST_LOADS(X)
#undef X
#define X(NAME, ...) WM_OP_F_##NAME##_SS, WM_OP_F_##NAME##_SA, WM_OP_F_##NAME##_SK, WM_OP_F_##NAME##_AS,
  WM_FAST_STORES(X)
#undef X
#undef PAIR
#undef ONE
#undef TEST
#define WM_FUSED_STEP(OP, ...) WM_OP_F_STEP_##OP##_AS, WM_OP_F_STEP_##OP##_AK,
#define WM_FUSED_LOAD(LOAD, FORM, type, OP, ...) WM_OP_F_##LOAD##_##FORM##_##OP, WM_OP_F_##LOAD##_##FORM##_##OP##_TO,
#define WM_FUSED_TEST(LOAD, FORM, type, OP, ...) WM_OP_F_##LOAD##_##FORM##_##OP##_BRANCH,
#include "interp/fused.def"
#define X(NAME) WM_OP_F_##NAME,
  WM_FAST_OTHERS(X)
#include "interp/fast_vector.def"
#undef X
  WM_FAST_OP_COUNT
};

/* Where the words of one stream came from; both arrays ascend in both members. */
struct wm_fast_place { uint32_t word, ordinal; };
struct wm_fast_map {
  const struct wm_fast_place *heads; /* where a run can enter */
  const struct wm_fast_place *traps; /* entries that can trap */
  uint32_t head_count, trap_count;
};

/* Lowers a function of an instance once, if it can be; afterwards function->is_fast_tried. */
void wm_fast_lower(struct wm_function *function);
/* Bytes that streams of one body take typically, and at most while it is lowered. */
uint64_t wm_fast_space(const struct wm_func *func);
uint64_t wm_fast_most(const struct wm_func *func);
/* An unconditional branch forward, a terminator, an instruction that the fast stream leaves to the step stream (a terminator too). */
bool wm_fast_is_jump(const struct wm_step *step);
bool wm_fast_is_terminator(const struct wm_function *function, const struct wm_step *step);
bool wm_fast_is_escape(const struct wm_function *function, const struct wm_step *step);
/* A call that has a handler, and is a terminator. */
bool wm_fast_is_call(const struct wm_step *step);
/* An instruction that a checked function executes. */
bool wm_fast_is_checked(uint16_t op);
/* An instruction on vectors; one that is an access too. */
bool wm_fast_is_vector(uint16_t op);
bool wm_fast_is_vector_access(uint16_t op);
/* Instructions from `ordinal` to the next terminator, it included, when no conditional branch is taken. */
uint64_t wm_fast_cost(const struct wm_function *function, uint32_t ordinal);
/* The word of a head, NULL when a run cannot enter at `ordinal`. */
const union wm_word *wm_fast_enter(const struct wm_function *function, uint32_t ordinal);
/* Ordinals of the head at a word, and of the instruction of an entry that can trap. */
uint32_t wm_fast_head(const struct wm_function *function, const union wm_word *word);
uint32_t wm_fast_trap(const struct wm_function *function, const union wm_word *word);

#endif
