/* Fused sequences into the fast stream (lower_fast.h): the newest entry becomes one that does what comes next too (fused.def).
 *
 * Only the newest entry can: it stands right before what is to be emitted, and no head is between. */
#include "interp/lower_fast.h"

static const struct { uint16_t op, slot, constant; } steps[] = {
#define WM_FUSED_STEP(OP, ...) {WM_OP_I32_##OP, WM_OP_F_STEP_##OP##_AS, WM_OP_F_STEP_##OP##_AK},
#define WM_FUSED_LOAD(...)
#define WM_FUSED_TEST(...)
#include "interp/fused.def"
};
#define OP_u32(OP) WM_OP_I32_##OP
#define OP_f64(OP) WM_OP_F64_##OP
static const struct { uint16_t load, op, fused; } loads[] = {
#define WM_FUSED_STEP(...)
#define WM_FUSED_LOAD(LOAD, FORM, type, OP, T, ...) {WM_OP_F_##LOAD##_##FORM, OP_##T(OP), WM_OP_F_##LOAD##_##FORM##_##OP},
#define WM_FUSED_TEST(...)
#include "interp/fused.def"
};
static const struct { uint16_t load, op, fused; } tests[] = {
#define WM_FUSED_STEP(...)
#define WM_FUSED_LOAD(...)
#define WM_FUSED_TEST(LOAD, FORM, type, OP, ...) {WM_OP_F_##LOAD##_##FORM, WM_OP_I32_##OP, WM_OP_F_##LOAD##_##FORM##_##OP##_BRANCH},
#include "interp/fused.def"
};
#define COUNT(table) (sizeof(table) / sizeof *(table))

static bool is_newest(const struct wm_lowering *l, const struct wm_fast_value *value)
{
  return value->kind == IN_ACC && value->entry == l->newest;
}

/* The newest entry has been made another one that ends here. */
static void end_entry(struct wm_lowering *l)
{
  l->newest = NONE;
  l->last = NONE;
  l->last_slot = NONE;
}

/* A binary operation: with a load just before it that made one operand, the other one being in a slot. All of fused.def commute. */
bool wm_fuse_load(struct wm_lowering *l, const struct wm_step *step, const struct wm_fast_operands *o)
{
  const struct wm_fast_value *load = is_newest(l, &o->x) ? &o->x : &o->y, *other = load == &o->x ? &o->y : &o->x;
  if (!is_newest(l, load) || (other->kind != IN_SLOT && other->kind != IN_LOCAL))
    return false;
  uint32_t entry = l->newest;
  for (size_t i = 0; i < COUNT(loads); i++) {
    if (loads[i].load == l->words[entry].op && loads[i].op == step->op) {
      l->words[entry].op = loads[i].fused;
      l->words[l->used++].bits = other->slot;
      end_entry(l);
      wm_note_made(l, entry, false, (enum wm_class)wm_shapes[step->op].out, step->a);
      return true;
    }
  }
  return false;
}

/* The i32 comparison `op` of the integer accumulator, whose value is `x`, with slot `b` (form AS) or a constant (AK), and the branch: with
 * what made the accumulator's value. Returns the word of the branch to be aimed, NONE if there is nothing to fuse. */
uint32_t wm_fuse_test(struct wm_lowering *l, uint16_t op, enum wm_form form, const struct wm_fast_value *x, uint32_t b, uint32_t constant,
                      bool is_event)
{
  uint32_t entry = l->newest;
  if (entry == NONE || (form != AS && form != AK))
    return NONE;
  union wm_word *words = &l->words[entry];
  bool is_step = words->op == WM_OP_F_I32_ADD_SK_TO && l->mirror[ACC_I] == words->d && is_event;
  for (size_t i = 0; is_step && i < COUNT(steps); i++) {
    if (steps[i].op == op) {
      words->op = form == AS ? steps[i].slot : steps[i].constant;
      words->b = form == AS ? (uint16_t)b : 0;
      words[2].low = words[1].low;
      words[2].high = constant;
      l->used = entry + 3;
      end_entry(l);
      return entry + 1;
    }
  }
  for (size_t i = 0; is_newest(l, x) && form == AK && i < COUNT(tests); i++) {
    if (tests[i].load == words->op && tests[i].op == op) {
      uint32_t branch = l->used;
      words->op = tests[i].fused;
      words->d = is_event;
      l->words[branch + 1].bits = constant;
      l->used = branch + 2;
      end_entry(l);
      return branch;
    }
  }
  return NONE;
}

/* Moves one slot to another; two moves in a row are one entry. */
void wm_emit_copy(struct wm_lowering *l, uint32_t to, uint32_t from)
{
  if (l->newest == NONE || l->words[l->newest].op != WM_OP_F_COPY) {
    wm_emit(l, WM_OP_F_COPY, to, from, 0, 1);
    return;
  }
  l->words[l->newest].op = WM_OP_F_COPY_2;
  union wm_word *second = &l->words[l->used++];
  second->bits = 0;
  second->d = (uint16_t)to;
  second->a = (uint16_t)from;
  end_entry(l);
}

/* The index of br_table: a constant added to it just before is left to br_table. Returns its handler, slot and summand. */
struct wm_fused_index wm_fuse_index(struct wm_lowering *l, const struct wm_fast_value *index, uint32_t slot)
{
  if (is_newest(l, index)) {
    const union wm_word *words = &l->words[l->newest];
    bool is_local = words->op == WM_OP_F_I32_ADD_SK;
    if (is_local || words->op == WM_OP_F_I32_ADD_AK) {
      l->used = l->newest;
      return (struct wm_fused_index){is_local ? WM_OP_F_BR_TABLE_S : WM_OP_F_BR_TABLE_A, is_local ? words->a : 0, words[1].low};
    }
  }
  if (wm_is_in_acc(l, index, ACC_I))
    return (struct wm_fused_index){.op = WM_OP_F_BR_TABLE_A};
  return (struct wm_fused_index){.op = WM_OP_F_BR_TABLE_S, .slot = wm_to_slot(l, index, slot)};
}
