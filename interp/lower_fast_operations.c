/* Arithmetic, loads, stores, select and globals into the fast stream (lower_fast.h): one entry each, in the form that reads the operands
 * where they are. */
#include "interp/lower_fast.h"

/* Which of the forms there are reads these operands with the fewest moves; they are in place for it afterwards. */
void wm_choose_form(struct wm_lowering *l, const uint16_t *forms, uint32_t form_count, enum wm_class in, bool can_swap,
                    bool *is_swapped, uint32_t slot, struct wm_fast_operands *o)
{
  *is_swapped = false;
  uint32_t x_slot = slot, y_slot = slot + 1;
#define HAS(form) ((form) < form_count && forms[form] != 0)
  if (can_swap && (o->x.kind == CONSTANT || (wm_is_in_acc(l, &o->y, in) && !wm_is_in_acc(l, &o->x, in) && o->y.kind != CONSTANT))) {
    struct wm_fast_value value = o->x;
    o->x = o->y;
    o->y = value;
    x_slot = slot + 1;
    y_slot = slot;
    *is_swapped = true;
  }
  bool x_acc = wm_is_in_acc(l, &o->x, in), y_acc = wm_is_in_acc(l, &o->y, in);
  if (o->y.kind == CONSTANT && x_acc && HAS(AK))
    o->form = AK;
  else if (o->y.kind == CONSTANT && HAS(SK))
    o->form = SK;
  else if (x_acc && HAS(AS))
    o->form = AS;
  else if (y_acc && HAS(SA))
    o->form = SA;
  else
    o->form = SS;
#undef HAS
  o->constant = o->y.bits;
  if (o->form == SS || o->form == SK || o->form == SA)
    o->a = wm_to_slot(l, &o->x, x_slot);
  if (o->form == SS || o->form == AS)
    o->b = wm_to_slot(l, &o->y, y_slot);
}

/* ---- Addresses ------------------------------------------------------------------------------------------------------- */

#define LOOK_AHEAD 24 /* steps */

static bool is_near_access(const struct wm_lowering *l, const struct wm_step *step)
{
  if (step->op >= WM_OP_COUNT || wm_fast_is_escape(l->function, step))
    return false;
  return wm_opcodes[step->op].access == WM_ACCESS_LOAD || wm_opcodes[step->op].access == WM_ACCESS_STORE;
}

/* The access that takes the result of the i32.add under way as its address, at most added to other things before; NULL: there is none. */
static const struct wm_step *find_access(const struct wm_lowering *l)
{
  uint32_t slot = l->steps[l->at].a;
  for (uint32_t i = l->at + 1; i < l->count && i <= l->at + LOOK_AHEAD && l->place[i] == 0; i++) {
    const struct wm_step *step = &l->steps[i];
    if (step->a > slot)
      continue;
    if (step->op == WM_OP_I32_ADD && step->a + 1 >= slot)
      slot = step->a;
    else
      return step->a == slot && is_near_access(l, step) ? step : NULL;
  }
  return NULL;
}

/* Adds one summand; false: not possible. Stack slots other than the sum's own, and the accumulator, stay what they are only up to the next step:
 * is_next says that the access is that. */
static bool add_summand(const struct wm_lowering *l, struct wm_fast_value *sum, uint32_t *count, uint32_t slot, bool is_next)
{
  bool is_lasting = slot < l->function->local_slots || slot == l->steps[l->at].a;
  if (*count == 2 || !(is_next || is_lasting) || (slot == NONE && *count != 0))
    return false;
  *(*count == 0 ? &sum->slot : &sum->second) = slot;
  ++*count;
  return true;
}

static bool add_summands(const struct wm_lowering *l, struct wm_fast_value *sum, uint32_t *count, const struct wm_fast_value *value, bool is_next)
{
  sum->bits += value->kind == CONSTANT || value->kind == SUM ? value->bits : 0;
  if (value->kind == CONSTANT)
    return true;
  if (!add_summand(l, sum, count, value->kind == IN_ACC ? NONE : value->slot, is_next))
    return false;
  return value->kind != SUM || value->second == NONE || add_summand(l, sum, count, value->second, is_next);
}

/* An i32.add that is on its way to be an address is not computed where it stands, but by the access. */
static bool lower_sum(struct wm_lowering *l, const struct wm_step *step, const struct wm_fast_operands *o)
{
  const struct wm_step *access = find_access(l);
  if (access == NULL)
    return false;
  struct wm_fast_value sum = {.kind = SUM, .slot = NONE, .second = NONE};
  bool is_next = access == step + 1, is_swapped = o->y.kind == IN_ACC || (o->y.kind == SUM && o->y.slot == NONE);
  const struct wm_fast_value *x = is_swapped ? &o->y : &o->x, *y = is_swapped ? &o->x : &o->y;
  uint32_t count = 0;
  if (!add_summands(l, &sum, &count, x, is_next) || !add_summands(l, &sum, &count, y, is_next) || count == 0)
    return false;
  bool takes_two = wm_opcodes[access->op].access == WM_ACCESS_LOAD && wm_shapes[access->op].forms[SP] != 0;
  if (sum.second != NONE && !takes_two)
    return false;
  wm_push_pending(l, step->a, sum);
  return true;
}

struct wm_fast_address wm_find_address(struct wm_lowering *l, const struct wm_fast_value *value, uint32_t slot)
{
  struct wm_fast_address at = {.form = A};
  if (value->kind != SUM) {
    if (!wm_is_in_acc(l, value, ACC_I)) {
      at.form = S;
      at.a = wm_to_slot(l, value, slot);
    }
    return at;
  }
  at.summand = (uint32_t)value->bits;
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
  at.form = is_acc ? (is_double ? AP : A) : is_double ? SP : S;
  return at;
}

/* ---- Arithmetic, loads, stores --------------------------------------------------------------------------------------- */

void wm_fast_lower_binary(struct wm_lowering *l, const struct wm_step *step)
{
  const struct wm_shape *shape = &wm_shapes[step->op];
  struct wm_fast_operands o = {.y = wm_take_pending(l, step->a + 1)};
  o.x = wm_take_pending(l, step->a);
  if (step->op == WM_OP_I32_ADD && lower_sum(l, step, &o))
    return;
  bool is_swapped, is_test = shape->branches[SS] != 0;
  wm_choose_form(l, shape->forms, FORMS, (enum wm_class)shape->in, shape->commutes || is_test, &is_swapped, step->a, &o);
  uint32_t form = wm_shapes[is_swapped && is_test ? wm_swapped(step->op) : step->op].forms[o.form];
  wm_free_acc(l, (enum wm_class)shape->out);
  if (shape->can_trap)
    wm_note_trap(l);
  uint32_t entry = l->used;
  bool has_constant = o.form == SK || o.form == AK;
  union wm_word *words = wm_emit(l, form & ~STORED, step->a, o.a, o.b, has_constant ? 2 : 1);
  if (has_constant)
    words[1].bits = o.constant;
  wm_note_made(l, entry, (form & STORED) != 0, (enum wm_class)shape->out, step->a);
}

void wm_fast_lower_unary(struct wm_lowering *l, const struct wm_step *step)
{
  const struct wm_shape *shape = &wm_shapes[step->op];
  struct wm_fast_value value = wm_take_pending(l, step->a);
  if (shape->forms[S] == 0) { /* the same bits: of another class, so through the slot */
    if (value.kind == IN_ACC && shape->in != shape->out) {
      wm_to_slot(l, &value, step->a);
      value = (struct wm_fast_value){.kind = IN_SLOT, .slot = step->a};
    }
    if (value.kind != IN_SLOT)
      wm_push_pending(l, step->a, value);
    return;
  }
  enum wm_form form = wm_is_in_acc(l, &value, (enum wm_class)shape->in) && shape->forms[A] != 0 ? A : S;
  uint32_t slot = form == S ? wm_to_slot(l, &value, step->a) : 0;
  wm_free_acc(l, (enum wm_class)shape->out);
  if (shape->can_trap)
    wm_note_trap(l);
  uint32_t entry = l->used;
  wm_emit(l, shape->forms[form] & ~STORED, step->a, slot, 0, 1);
  wm_note_made(l, entry, (shape->forms[form] & STORED) != 0, (enum wm_class)shape->out, step->a);
}

void wm_fast_lower_load(struct wm_lowering *l, const struct wm_step *step)
{
  const struct wm_shape *shape = &wm_shapes[step->op];
  struct wm_fast_value value = wm_take_pending(l, step->a);
  struct wm_fast_address at = wm_find_address(l, &value, step->a);
  wm_free_acc(l, (enum wm_class)shape->out);
  wm_note_trap(l);
  uint32_t entry = l->used;
  union wm_word *words = wm_emit(l, shape->forms[at.form], step->a, at.a, at.b, 2);
  words[1].low = (uint32_t)step->imm;
  words[1].high = at.summand;
  wm_note_made(l, entry, false, (enum wm_class)shape->out, step->a);
}

void wm_fast_lower_store(struct wm_lowering *l, const struct wm_step *step)
{
  const struct wm_shape *shape = &wm_shapes[step->op];
  struct wm_fast_value value = wm_take_pending(l, step->a + 1), address = wm_take_pending(l, step->a);
  struct wm_fast_address at = wm_find_address(l, &address, step->a);
  enum wm_form form = SS;
  if (value.kind == CONSTANT)
    form = SK;
  else if (wm_is_in_acc(l, &value, (enum wm_class)shape->in))
    form = SA;
  else if (at.form == A)
    form = AS;
  if (at.form == A && form != AS) /* the accumulator has the address too, but is not read */
    at.a = address.kind == SUM ? address.slot : wm_to_slot(l, &address, step->a);
  uint32_t b = form == SS || form == AS ? wm_to_slot(l, &value, step->a + 1) : 0;
  wm_note_trap(l);
  union wm_word *words = wm_emit(l, shape->forms[form], 0, at.a, b, form == SK ? 3 : 2);
  words[1].low = (uint32_t)step->imm;
  words[1].high = at.summand;
  if (form == SK)
    words[2].bits = value.bits;
}

void wm_fast_lower_select(struct wm_lowering *l, const struct wm_step *step)
{
  struct wm_fast_value c = wm_take_pending(l, step->a + 2), y = wm_take_pending(l, step->a + 1), x = wm_take_pending(l, step->a);
  bool is_acc = wm_is_in_acc(l, &c, ACC_I);
  uint32_t a = wm_to_slot(l, &x, step->a), b = wm_to_slot(l, &y, step->a + 1), slot = is_acc ? 0 : wm_to_slot(l, &c, step->a + 2);
  wm_free_acc(l, ACC_I);
  uint32_t entry = l->used;
  wm_emit(l, is_acc ? WM_OP_F_SELECT_A : WM_OP_F_SELECT_S, step->a, a, b, 2)[1].bits = slot;
  wm_note_made(l, entry, true, ACC_I, step->a);
}

void wm_fast_lower_global(struct wm_lowering *l, const struct wm_step *step)
{
  struct wm_global_instance *global = (struct wm_global_instance *)(uintptr_t)step->imm;
  uint32_t entry;
  if (step->op == WM_OP_GLOBAL_GET) {
    wm_free_acc(l, ACC_I);
    entry = l->used;
    wm_emit(l, WM_OP_F_GLOBAL_GET, step->a, 0, 0, 2)[1].slot = global->bits;
    wm_note_made(l, entry, true, ACC_I, step->a);
    return;
  }
  struct wm_fast_value value = wm_take_pending(l, step->a);
  bool is_acc = wm_is_in_acc(l, &value, ACC_I);
  uint32_t slot = is_acc ? 0 : wm_to_slot(l, &value, step->a);
  wm_emit(l, is_acc ? WM_OP_F_GLOBAL_SET_A : WM_OP_F_GLOBAL_SET_S, (step->flags & WM_STEP_GLOBAL0) != 0, slot, 0, 2)[1].slot = global->bits;
}
