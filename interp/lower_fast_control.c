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

void wm_fast_lower_jump(struct wm_lowering *l, const struct wm_step *step)
{
  bool is_branch = step->op != WM_OP_ELSE;
  if (is_branch)
    move_values(l, step);
  else
    wm_flush_pending(l);
  bool is_charging = !wm_fast_is_jump(step);
  uint32_t entry = l->used;
  wm_emit(l, is_charging ? WM_OP_F_BRANCH : WM_OP_F_JUMP, is_branch, 0, 0, 2);
  aim(l, entry + 1, step->c, is_charging ? 0 : l->cost[step->c]);
}

/* The entry that branches to `target` if the condition holds, everything else being in its slot. */
static void emit_conditional(struct wm_lowering *l, struct wm_condition *c, bool is_event, uint32_t target, uint32_t charged)
{
  uint32_t entry;
  if (c->op != 0) {
    uint16_t op = c->is_negated ? wm_negated(c->op) : c->op;
    const struct wm_shape *shape = &wm_shapes[op];
    bool is_swapped;
    wm_choose_form(l, shape->branches, AK + 1, ACC_I, true, &is_swapped, c->slot, &c->o);
    if (is_swapped)
      shape = &wm_shapes[wm_swapped(op)];
    bool has_constant = c->o.form == SK || c->o.form == AK;
    entry = l->used;
    union wm_word *words = wm_emit(l, shape->branches[c->o.form], is_event, c->o.a, c->o.b, has_constant ? 3 : 2);
    if (has_constant)
      words[2].bits = c->o.constant;
  } else {
    bool is_acc = wm_is_in_acc(l, &c->o.x, ACC_I);
    uint32_t slot = is_acc ? 0 : wm_to_slot(l, &c->o.x, c->slot);
    entry = l->used;
    wm_emit(l, c->is_negated ? (is_acc ? WM_OP_F_UNLESS_A : WM_OP_F_UNLESS_S) : (is_acc ? WM_OP_F_IF_A : WM_OP_F_IF_S), is_event, slot, 0, 2);
  }
  aim(l, entry + 1, target, charged);
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
  uint32_t slot = wm_to_slot(l, &index, step->a), entry = l->used;
  wm_emit(l, WM_OP_F_BR_TABLE, true, slot, 0, 2 + step->b + 1)[1].low = step->b;
  for (uint32_t i = 0; i <= step->b; i++)
    aim(l, entry + 2 + i, targets[i].target, 0);
}


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
