/* Branches, tests, calls and returns into the fast stream (lower_fast.h). A branch is charged by the difference of its target's cost and
 * what has been charged already (fast.h); jumps forward wait in a chain through their own words until their place is known. */
#include "interp/lower_fast.h"

/* ---- Branches -------------------------------------------------------------------------------------------------------- */

/* The word of a branch that goes to a step, with what that charges on top of `charged`. Jumps count from their own word. */
static void aim(struct wm_lowering *l, uint32_t word, uint32_t target, uint32_t charged)
{
  l->words[word].delta = (int32_t)(l->cost[target] - charged);
  if (target <= l->at) {
    l->words[word].jump = (int32_t)(l->place[target] - word);
    return;
  }
  l->words[word].jump = (int32_t)l->place[target]; /* a chain of those that wait for the place */
  l->place[target] = word + 2;
}

/* A step is reached that is a head: everything is in its slot there. */
void wm_reach_head(struct wm_lowering *l)
{
  wm_flush_pending(l);
  wm_forget_mirrors(l);
  l->newest = NONE;
  l->last = NONE;
  l->last_slot = NONE;
  for (uint32_t next = l->place[l->at]; next > WAITING;) {
    uint32_t word = next - 2;
    next = (uint32_t)l->words[word].jump;
    l->words[word].jump = (int32_t)(l->used - word);
  }
  l->place[l->at] = l->used;
}

/* Values that a branch takes along, from step->a to step->b. Those below stay pending no longer, those between are dropped. */
static void move_values(struct wm_lowering *l, const struct wm_step *step)
{
  if (step->d == 0) {
    wm_discard_pending(l, step->b);
    wm_flush_pending(l);
  } else if (step->d == 1) {
    struct wm_fast_value value = wm_take_pending(l, step->a);
    wm_discard_pending(l, step->b);
    wm_flush_pending(l);
    wm_set_slot(l, step->b, &value);
  } else {
    wm_flush_pending(l);
    if (step->a != step->b) {
      wm_emit(l, WM_OP_F_MOVE, step->b, step->a, step->d, 1);
      wm_forget_mirrors(l);
    }
  }
}

/* A test at the head of a loop, all of whose operands are in slots or constant, is made again where the loop goes back. */
static void note_head_test(struct wm_lowering *l, uint32_t entry, const struct wm_test *test)
{
  const struct wm_fast_place *head = &l->heads[l->head_count - 1];
  if (head->word != entry || (test->form != SS && test->form != SK))
    return;
  l->head_tests[l->head_test_count++ % HEAD_TESTS] = (struct wm_head_test){*test, head->ordinal, l->used - entry};
}

/* The entry that tests and branches. Returns the word of the branch, to be aimed. `x` is the test's first operand. */
static uint32_t emit_test(struct wm_lowering *l, const struct wm_test *test, const struct wm_fast_value *x, bool is_event)
{
  uint32_t fused = wm_fuse_test(l, test->op, test->form, x, test->b, (uint32_t)test->constant, is_event), entry = l->used;
  if (fused != NONE)
    return fused;
  bool has_constant = test->form == SK || test->form == AK, is_zero = has_constant && test->constant == 0;
  bool is_acc = test->form == AK;
  if (is_zero && test->op == WM_OP_I32_NE) {
    wm_emit(l, is_acc ? WM_OP_F_IF_A : WM_OP_F_IF_S, is_event, test->a, 0, 2);
  } else if (is_zero && test->op == WM_OP_I32_EQ) {
    wm_emit(l, is_acc ? WM_OP_F_UNLESS_A : WM_OP_F_UNLESS_S, is_event, test->a, 0, 2);
  } else {
    union wm_word *words = wm_emit(l, wm_shapes[test->op].branches[test->form], is_event, test->a, test->b, has_constant ? 3 : 2);
    if (has_constant)
      words[2].bits = test->constant;
  }
  return entry + 1;
}

/* The entry that branches to `target` if the condition holds, everything else being in its slot. */
static void emit_conditional(struct wm_lowering *l, struct wm_condition *c, bool is_event, uint32_t target, uint32_t charged)
{
  if (c->op == 0) { /* a value is compared with 0 */
    c->op = WM_OP_I32_NE;
    c->o.y = (struct wm_fast_value){.kind = CONSTANT};
  }
  struct wm_test test = {.op = c->is_negated ? wm_negated(c->op) : c->op};
  bool is_swapped;
  wm_choose_form(l, wm_shapes[test.op].branches, AK + 1, ACC_I, true, &is_swapped, c->slot, &c->o);
  if (is_swapped)
    test.op = wm_swapped(test.op);
  test.form = c->o.form;
  test.a = c->o.a;
  test.b = c->o.b;
  test.constant = c->o.constant;
  uint32_t entry = l->used, branch = emit_test(l, &test, &c->o.x, is_event);
  note_head_test(l, entry, &test);
  aim(l, branch, target, charged);
}

/* A branch back to a loop that begins with a test: the test is made here, and if the loop goes on, it goes on behind its own. Otherwise the
 * branch that follows goes to it. There is no place of its own behind the test: a run that has no budget left is at the loop's head. */
static void lower_rotated(struct wm_lowering *l, const struct wm_step *step)
{
  uint32_t count = l->head_test_count < HEAD_TESTS ? l->head_test_count : HEAD_TESTS;
  for (uint32_t i = 0; i < count; i++) {
    const struct wm_head_test *head = &l->head_tests[i];
    uint32_t behind = l->place[step->c] + head->words;
    if (head->ordinal != step->c)
      continue;
    for (uint32_t k = l->head_count; k-- > 0 && l->heads[k].word >= behind;)
      if (l->heads[k].word == behind)
        return;
    struct wm_test test = head->test;
    struct wm_fast_value x = {.kind = IN_SLOT, .slot = test.a};
    test.op = wm_negated(test.op);
    if (l->mirror[ACC_I] == test.a)
      test.form = test.form == SS ? AS : AK;
    uint32_t branch = emit_test(l, &test, &x, true);
    l->words[branch].delta = (int32_t)l->cost[step->c];
    l->words[branch].jump = (int32_t)(behind - branch);
    return;
  }
}

void wm_fast_lower_jump(struct wm_lowering *l, const struct wm_step *step)
{
  bool is_branch = step->op != WM_OP_ELSE;
  if (is_branch)
    move_values(l, step);
  else
    wm_flush_pending(l);
  bool is_charging = !wm_fast_is_jump(step);
  if (is_charging)
    lower_rotated(l, step);
  uint32_t entry = l->used;
  wm_emit(l, is_charging ? WM_OP_F_BRANCH : WM_OP_F_JUMP, is_branch, 0, 0, 2);
  aim(l, entry + 1, step->c, is_charging ? 0 : l->cost[step->c]);
}

/* br_if or if at `l->at`, on a condition. */
void wm_fast_lower_conditional(struct wm_lowering *l, struct wm_condition *c)
{
  const struct wm_step *step = &l->steps[l->at];
  uint32_t charged = l->cost[l->at + 1];
  wm_flush_pending(l);
  if (step->op == WM_OP_IF) {
    c->is_negated = !c->is_negated;
    emit_conditional(l, c, false, step->c, charged);
  } else if (step->d == 0 || step->a == step->b) {
    emit_conditional(l, c, true, step->c, charged);
  } else { /* around the moves, when it does not hold */
    c->is_negated = !c->is_negated;
    emit_conditional(l, c, false, l->at + 1, charged);
    wm_emit(l, WM_OP_F_MOVE, step->b, step->a, step->d, 1);
    uint32_t entry = l->used;
    wm_emit(l, WM_OP_F_BRANCH, true, 0, 0, 2);
    aim(l, entry + 1, step->c, charged);
  }
}

/* br_on_null, br_on_non_null: the reference stays where it is, whatever happens. */
void wm_fast_lower_null_branch(struct wm_lowering *l, const struct wm_step *step)
{
  bool is_null = step->op == WM_OP_BR_ON_NULL;
  struct wm_condition c = {.op = WM_OP_I64_EQ, .is_negated = !is_null, .slot = is_null ? step->a + step->d : step->a + step->d - 1};
  wm_flush_pending(l);
  c.o.x = (struct wm_fast_value){.kind = IN_SLOT, .slot = c.slot};
  c.o.y = (struct wm_fast_value){.kind = CONSTANT};
  wm_fast_lower_conditional(l, &c);
}

/* How many steps from here on are a test and then br_if or if: 0 if they are not. */
static uint32_t find_test(const struct wm_lowering *l, bool *is_negated)
{
  uint32_t i = l->at;
  *is_negated = false;
  while (l->steps[i].op == WM_OP_I32_EQZ || i == l->at) {
    *is_negated ^= l->steps[i].op == WM_OP_I32_EQZ;
    i++;
  }
  return l->steps[i].op == WM_OP_BR_IF || l->steps[i].op == WM_OP_IF ? i - l->at : 0;
}

/* A comparison or i32.eqz that br_if or if follows. */
bool wm_fast_lower_test(struct wm_lowering *l)
{
  const struct wm_step *step = &l->steps[l->at];
  bool is_negated;
  uint32_t ahead = find_test(l, &is_negated);
  if (ahead == 0)
    return false;
  struct wm_condition c = {.slot = step->a, .is_negated = is_negated};
  if (step->op == WM_OP_I64_EQZ || step->op == WM_OP_REF_IS_NULL) {
    c.op = WM_OP_I64_EQ;
    c.o.y = (struct wm_fast_value){.kind = CONSTANT};
  } else if (step->op != WM_OP_I32_EQZ) {
    c.op = step->op == WM_OP_REF_EQ ? WM_OP_I64_EQ : step->op;
    c.o.y = wm_take_pending(l, step->a + 1);
  }
  c.o.x = wm_take_pending(l, step->a);
  l->at += ahead;
  wm_fast_lower_conditional(l, &c);
  return true;
}

void wm_fast_lower_br_table(struct wm_lowering *l, const struct wm_step *step)
{
  struct wm_fast_value index = wm_take_pending(l, step->a);
  const struct wm_step_target *targets = &l->function->targets[step->c];
  wm_flush_pending(l);
  struct wm_fused_index fused = wm_fuse_index(l, &index, step->a);
  uint32_t entry = l->used;
  union wm_word *words = wm_emit(l, fused.op, true, fused.slot, 0, 2 + step->b + 1);
  words[1].low = step->b;
  words[1].high = fused.summand;
  for (uint32_t i = 0; i <= step->b; i++)
    aim(l, entry + 2 + i, targets[i].target, 0);
}

/* ---- Calls, returns -------------------------------------------------------------------------------------------------- */

void wm_fast_go_on(struct wm_lowering *l, union wm_word *word, uint32_t ordinal)
{
  word->ordinal = ordinal;
  word->cost = l->cost[ordinal];
}

static uint32_t call_handler(uint16_t op)
{
  switch (op) {
  case WM_OP_CALL: return WM_OP_F_CALL;
  case WM_OP_CALL_INDIRECT: return WM_OP_F_CALL_INDIRECT;
  case WM_OP_CALL_REF: return WM_OP_F_CALL_REF;
  case WM_OP_RETURN_CALL: return WM_OP_F_RETURN_CALL;
  case WM_OP_RETURN_CALL_INDIRECT: return WM_OP_F_RETURN_CALL_INDIRECT;
  default: return WM_OP_F_RETURN_CALL_REF;
  }
}

void wm_fast_lower_call(struct wm_lowering *l, const struct wm_step *step)
{
  wm_flush_pending(l);
  wm_note_trap(l);
  bool is_direct = step->op == WM_OP_CALL || step->op == WM_OP_RETURN_CALL;
  union wm_word *words = wm_emit(l, call_handler(step->op), 0, step->a, is_direct ? 0 : step->b, 3);
  if (is_direct) {
    words[1].callee = wm_ref_function(step->imm);
  } else {
    words[1].low = step->c;
    words[1].high = step->d;
  }
  wm_fast_go_on(l, &words[2], l->at + 1);
}

/* Results stand at slot `a`. */
void wm_fast_lower_return(struct wm_lowering *l, uint32_t a, bool is_branch)
{
  uint32_t results = l->function->result_slots;
  if (results == 1) {
    struct wm_fast_value value = wm_take_pending(l, a);
    l->pending_count = 0;
    if (value.kind == CONSTANT)
      wm_emit(l, WM_OP_F_RETURN_K, is_branch, 0, 0, 2)[1].bits = value.bits;
    else if (wm_is_in_acc(l, &value, ACC_I))
      wm_emit(l, WM_OP_F_RETURN_A, is_branch, 0, 0, 1);
    else
      wm_emit(l, WM_OP_F_RETURN_S, is_branch, wm_to_slot(l, &value, a), 0, 1);
    return;
  }
  if (results != 0)
    wm_flush_pending(l);
  l->pending_count = 0;
  if (results != 0 && a != 0)
    wm_emit(l, WM_OP_F_MOVE, 0, a, results, 1);
  wm_emit(l, WM_OP_F_RETURN, is_branch, 0, 0, 1);
}
