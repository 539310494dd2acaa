/* Addresses on their way to loads and stores, into the fast stream (lower_fast.h): i32.add, and i32.shl and i32.and by constants, are not
 * computed where they stand when their result is going to be an address, but by the access: a SUM. Whoever needs a SUM in a slot or in
 * the accumulator after all gets it here. */
#include "interp/lower_fast.h"

#define LOOK_AHEAD 24 /* steps */

/* ---- What becomes of a result ----------------------------------------------------------------------------------------- */

static bool is_near_access(const struct wm_lowering *l, const struct wm_step *step)
{
  if (step->op >= WM_OP_COUNT || wm_fast_is_escape(l->function, step))
    return false;
  return wm_opcodes[step->op].access == WM_ACCESS_LOAD || wm_opcodes[step->op].access == WM_ACCESS_STORE;
}

/* Where the result of the step under way is used. is_quiet: nothing is emitted up to there, so accumulator and stack slots stay. */
struct use { const struct wm_step *access; bool is_quiet, is_scaled; };

/* The access that takes the result as its address, masked, shifted and added to other things before at most. */
static struct use find_access(const struct wm_lowering *l)
{
  struct use use = {.is_quiet = true};
  uint16_t last = l->steps[l->at].op;
  uint32_t slot = l->steps[l->at].a;
  for (uint32_t i = l->at + 1; i < l->count && i <= l->at + LOOK_AHEAD && l->place[i] == 0; i++) {
    const struct wm_step *step = &l->steps[i];
    if (step->a > slot) {
      use.is_quiet &= step->op == WM_OP_LOCAL_GET || step->op == WM_OP_I32_CONST;
      continue;
    }
    bool is_shift = step->op == WM_OP_I32_SHL && last == WM_OP_I32_AND && step->a == slot && step[-1].op == WM_OP_I32_CONST;
    if (!is_shift && !(step->op == WM_OP_I32_ADD && last != WM_OP_I32_AND && step->a + 1 >= slot)) {
      if (step->a == slot && last != WM_OP_I32_AND && is_near_access(l, step))
        use.access = step;
      return use;
    }
    last = step->op;
    slot = step->a;
  }
  return use;
}

/* ---- Making a sum ------------------------------------------------------------------------------------------------------ */

static bool is_scaled(const struct wm_fast_value *sum)
{
  return sum->shift != 0 || sum->mask != UINT32_MAX;
}

/* Adds one slot (NONE: the accumulator); false: not possible. Stack slots other than the sum's own, and the accumulator, last only if the way
 * to the access is quiet. */
static bool add_slot(const struct wm_lowering *l, struct wm_fast_value *sum, uint32_t *count, uint32_t slot, bool is_quiet)
{
  bool is_lasting = slot < l->function->local_slots || slot == l->steps[l->at].a;
  if (*count == 2 || !(is_quiet || is_lasting) || (slot == NONE && *count != 0))
    return false;
  *(*count == 0 ? &sum->slot : &sum->second) = slot;
  ++*count;
  return true;
}

static bool add_value(const struct wm_lowering *l, struct wm_fast_value *sum, uint32_t *count, const struct wm_fast_value *value, bool is_quiet)
{
  if (value->kind == CONSTANT || value->kind == SUM)
    sum->bits += value->bits;
  if (value->kind == CONSTANT)
    return true;
  if (!add_slot(l, sum, count, value->kind == IN_ACC ? NONE : value->slot, is_quiet))
    return false;
  if (value->kind != SUM)
    return true;
  sum->mask &= value->mask;
  sum->shift += value->shift;
  return value->second == NONE || add_slot(l, sum, count, value->second, is_quiet);
}

static bool is_accumulated(const struct wm_fast_value *value)
{
  return value->kind == IN_ACC || (value->kind == SUM && value->slot == NONE);
}

/* An i32.add, or an i32.shl or i32.and by a constant: leaves a SUM pending if that is what it is good for; else false, and nothing is changed. */
bool wm_fast_lower_sum(struct wm_lowering *l, const struct wm_step *step, const struct wm_fast_operands *o)
{
  const struct wm_fast_value *x = &o->x, *y = &o->y;
  bool is_swapped = step->op != WM_OP_I32_SHL && (x->kind == CONSTANT || is_accumulated(y));
  if (is_swapped) {
    x = &o->y;
    y = &o->x;
  }
  bool is_add = step->op == WM_OP_I32_ADD;
  if (x->kind == CONSTANT || (!is_add && (y->kind != CONSTANT || (x->kind == SUM && (x->second != NONE || x->bits != 0 || x->shift != 0)))))
    return false;
  struct use use = find_access(l);
  if (use.access == NULL)
    return false;
  struct wm_fast_value sum = {.kind = SUM, .slot = NONE, .second = NONE, .mask = UINT32_MAX};
  uint32_t count = 0;
  if (!add_value(l, &sum, &count, x, use.is_quiet) || (is_add && !add_value(l, &sum, &count, y, use.is_quiet)))
    return false;
  if (step->op == WM_OP_I32_SHL)
    sum.shift = y->bits & 31;
  else if (step->op == WM_OP_I32_AND)
    sum.mask &= (uint32_t)y->bits;
  bool is_load = wm_opcodes[use.access->op].access == WM_ACCESS_LOAD;
  const uint16_t *forms = wm_shapes[use.access->op].forms;
  bool needs_scaled = is_scaled(&sum) || !is_add;
  if (needs_scaled && (sum.second != NONE || !is_load || forms[SX] == 0))
    return false;
  if (sum.second != NONE && !(is_load && forms[SP] != 0))
    return false;
  wm_push_pending(l, step->a, sum);
  return true;
}

/* ---- Using it ---------------------------------------------------------------------------------------------------------- */

void wm_emit_sum(struct wm_lowering *l, const struct wm_fast_value *sum, uint32_t to)
{
  bool is_acc = sum->slot == NONE, is_double = sum->second != NONE, is_x = is_scaled(sum);
  uint32_t op = is_double ? (is_acc ? WM_OP_F_SUM_AP : WM_OP_F_SUM_SP)
                : is_x    ? (is_acc ? WM_OP_F_SUM_AX : WM_OP_F_SUM_SX)
                          : (is_acc ? WM_OP_F_SUM_A : WM_OP_F_SUM_S);
  union wm_word *words = wm_emit(l, op, to, is_acc ? 0 : sum->slot, is_double ? sum->second : 0, is_x ? 3 : 2);
  words[1].high = (uint32_t)sum->bits;
  if (is_x) {
    words[2].low = sum->mask;
    words[2].high = sum->shift;
  }
}

/* An operand that is a SUM is computed into the accumulator, which no other operand in hand may be in. */
static struct wm_fast_value accumulate(struct wm_lowering *l, uint16_t op, bool is_acc, uint32_t a, bool is_constant, uint64_t b, uint32_t slot)
{
  uint32_t form = wm_shapes[op].forms[is_constant ? (is_acc ? AK : SK) : (is_acc ? AS : SS)];
  wm_free_acc(l, ACC_I);
  uint32_t entry = l->used;
  union wm_word *words = wm_emit(l, form, 0, is_acc ? 0 : a, is_constant ? 0 : (uint32_t)b, is_constant ? 2 : 1);
  if (is_constant)
    words[1].bits = b;
  return (struct wm_fast_value){.kind = IN_ACC, .slot = slot, .entry = entry, .class = ACC_I};
}

struct wm_fast_value wm_sum_to_acc(struct wm_lowering *l, const struct wm_fast_value *sum, uint32_t slot)
{
  struct wm_fast_value value;
  bool is_acc = sum->slot == NONE, is_begun = false;
  if (sum->mask != UINT32_MAX) {
    value = accumulate(l, WM_OP_I32_AND, is_acc, sum->slot, true, sum->mask, slot);
    is_acc = is_begun = true;
  }
  if (sum->shift != 0) {
    value = accumulate(l, WM_OP_I32_SHL, is_acc, sum->slot, true, sum->shift, slot);
    is_acc = is_begun = true;
  }
  if (sum->second != NONE) {
    value = accumulate(l, WM_OP_I32_ADD, is_acc, sum->slot, false, sum->second, slot);
    is_acc = is_begun = true;
  }
  if ((uint32_t)sum->bits != 0 || !is_begun)
    value = accumulate(l, WM_OP_I32_ADD, is_acc, sum->slot, true, (uint32_t)sum->bits, slot);
  return value;
}

struct wm_fast_address wm_find_address(struct wm_lowering *l, const struct wm_fast_value *value, uint32_t slot)
{
  struct wm_fast_address at = {.form = A, .mask = UINT32_MAX};
  if (value->kind != SUM) {
    if (!wm_is_in_acc(l, value, ACC_I)) {
      at.form = S;
      at.a = wm_to_slot(l, value, slot);
    }
    return at;
  }
  at.summand = (uint32_t)value->bits;
  at.mask = value->mask;
  at.shift = value->shift;
  bool is_double = value->second != NONE;
  at.a = value->slot;
  at.b = is_double ? value->second : 0;
  if (is_double && at.a != NONE && l->mirror[ACC_I] == at.b) {
    at.b = at.a;
    at.a = NONE;
  }
  bool is_acc = at.a == NONE || l->mirror[ACC_I] == at.a;
  if (is_acc)
    at.a = 0;
  at.form = is_double ? (is_acc ? AP : SP) : is_scaled(value) ? (is_acc ? AX : SX) : is_acc ? A : S;
  return at;
}
