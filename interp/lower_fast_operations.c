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

/* ---- Arithmetic, loads, stores --------------------------------------------------------------------------------------- */

void wm_fast_lower_binary(struct wm_lowering *l, const struct wm_step *original)
{
  struct wm_step changed = *original;
  const struct wm_step *step = &changed;
  struct wm_fast_operands o = {.y = wm_take_pending(l, step->a + 1)};
  o.x = wm_take_pending(l, step->a);
  if (o.y.kind == CONSTANT && (step->op == WM_OP_I32_SUB || step->op == WM_OP_I64_SUB)) { /* an addition, for which there are more forms */
    changed.op = step->op == WM_OP_I32_SUB ? WM_OP_I32_ADD : WM_OP_I64_ADD;
    o.y.bits = step->op == WM_OP_I32_ADD ? 0 - (uint32_t)o.y.bits : 0 - o.y.bits;
  }
  const struct wm_shape *shape = &wm_shapes[step->op];
  bool is_summing = step->op == WM_OP_I32_ADD || step->op == WM_OP_I32_SHL || step->op == WM_OP_I32_AND;
  if ((is_summing && wm_fast_lower_sum(l, step, &o)) || wm_fuse_load(l, step, &o))
    return;
  if (o.x.kind == SUM && o.y.kind != IN_ACC)
    o.x = wm_sum_to_acc(l, &o.x, step->a);
  else if (o.y.kind == SUM && o.x.kind != IN_ACC)
    o.y = wm_sum_to_acc(l, &o.y, step->a + 1);
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
  bool is_scaled = at.form == SX || at.form == AX;
  union wm_word *words = wm_emit(l, shape->forms[at.form], step->a, at.a, at.b, is_scaled ? 3 : 2);
  words[1].low = (uint32_t)step->imm;
  words[1].high = at.summand;
  if (is_scaled) {
    words[2].low = at.mask;
    words[2].high = at.shift;
  }
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
  if (at.form == A && form != AS) { /* there is no such form: the address comes from a slot */
    bool is_there = address.kind == SUM && address.slot != NONE;
    at.a = is_there ? address.slot : wm_to_slot(l, &address, step->a);
    at.summand = is_there ? at.summand : 0;
  }
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
