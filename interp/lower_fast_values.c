/* Entries and pending values of a body that is lowered into the fast stream (lower_fast.h): what is in which accumulator, what has to be
 * stored before it changes, and how a value gets to where it is needed with the fewest entries. */
#include "interp/lower_fast.h"

union wm_word *wm_emit(struct wm_lowering *l, uint32_t op, uint32_t d, uint32_t a, uint32_t b, uint32_t words)
{
  union wm_word *entry = &l->words[l->used];
  for (uint32_t i = 0; i < words; i++)
    entry[i].bits = 0;
  entry->op = (uint16_t)op;
  entry->d = (uint16_t)d;
  entry->a = (uint16_t)a;
  entry->b = (uint16_t)b;
  l->newest = l->used;
  l->used += words;
  l->last = NONE;
  l->last_slot = NONE;
  return entry;
}

void wm_note_trap(struct wm_lowering *l)
{
  l->traps[l->trap_count++] = (struct wm_fast_place){l->used, l->at};
}

void wm_forget_mirrors(struct wm_lowering *l)
{
  for (int i = 0; i < ACC_COUNT; i++)
    l->mirror[i] = NONE;
}

/* A slot is about to hold something else. */
void wm_note_write(struct wm_lowering *l, uint32_t slot)
{
  for (int i = 0; i < ACC_COUNT; i++)
    if (l->mirror[i] == slot)
      l->mirror[i] = NONE;
}

/* The entry that left a value in its accumulator shall store it to `slot` too. */
static void store_too(struct wm_lowering *l, const struct wm_fast_value *value, uint32_t slot)
{
  union wm_word *entry = &l->words[value->entry];
  entry->op++;
  entry->d = (uint16_t)slot;
}

/* Puts a value into its stack slot. Entries between its making and now do not know that slot. */
static void settle(struct wm_lowering *l, const struct wm_fast_value *value, uint32_t slot)
{
  if (value->is_wide) {
    wm_settle_vector(l, value, slot);
    return;
  }
  switch (value->kind) {
  case IN_SLOT: return;
  case IN_LOCAL: wm_emit_copy(l, slot, value->slot); break;
  case CONSTANT: wm_emit(l, WM_OP_F_CONST, slot, 0, 0, 2)[1].bits = value->bits; break;
  case IN_ACC: store_too(l, value, slot); break;
  case SUM: wm_emit_sum(l, value, slot); break;
  }
  wm_note_write(l, slot);
}

void wm_flush_pending(struct wm_lowering *l)
{
  for (uint32_t i = 0; i < l->pending_count; i++)
    settle(l, &l->pending[i].value, l->pending[i].slot);
  l->pending_count = 0;
}

/* Those at and above a stack slot are dropped. */
void wm_discard_pending(struct wm_lowering *l, uint32_t slot)
{
  while (l->pending_count != 0 && l->pending[l->pending_count - 1].slot + l->pending[l->pending_count - 1].value.is_wide >= slot)
    l->pending_count--;
}

void wm_push_pending(struct wm_lowering *l, uint32_t slot, struct wm_fast_value value)
{
  if (l->pending_count == MOST_PENDING)
    wm_flush_pending(l);
  l->pending[l->pending_count++] = (struct wm_pending){value, slot};
}

/* Pops the value that belongs to a stack slot, the uppermost. */
struct wm_fast_value wm_take_pending(struct wm_lowering *l, uint32_t slot)
{
  if (l->pending_count != 0 && l->pending[l->pending_count - 1].slot == slot)
    return l->pending[--l->pending_count].value;
  return (struct wm_fast_value){.kind = IN_SLOT, .slot = slot};
}

static void settle_pending(struct wm_lowering *l, struct wm_pending *pending)
{
  settle(l, &pending->value, pending->slot);
  pending->value = (struct wm_fast_value){.kind = IN_SLOT, .slot = pending->slot};
}

/* An accumulator is about to hold something else. */
void wm_free_acc(struct wm_lowering *l, enum wm_class class)
{
  for (uint32_t i = 0; i < l->pending_count; i++) {
    const struct wm_fast_value *value = &l->pending[i].value;
    bool is_there = value->kind == IN_ACC ? value->class == class : value->kind == SUM && value->slot == NONE && class == ACC_I;
    if (is_there)
      settle_pending(l, &l->pending[i]);
  }
  l->mirror[class] = NONE;
}

/* A local is about to change: values that are made of it are settled. */
void wm_free_local(struct wm_lowering *l, uint32_t local)
{
  for (uint32_t i = 0; i < l->pending_count; i++) {
    const struct wm_fast_value *value = &l->pending[i].value;
    bool is_made_of_it = value->kind == IN_LOCAL ? value->slot == local : value->kind == SUM && (value->slot == local || value->second == local);
    if (is_made_of_it)
      settle_pending(l, &l->pending[i]);
  }
}

bool wm_is_in_acc(const struct wm_lowering *l, const struct wm_fast_value *value, enum wm_class class)
{
  if (value->kind == IN_ACC)
    return value->class == class;
  return (value->kind == IN_SLOT || value->kind == IN_LOCAL) && l->mirror[class] == value->slot;
}

/* The slot to read a value from: its stack slot `slot` if it is in none. */
uint32_t wm_to_slot(struct wm_lowering *l, const struct wm_fast_value *value, uint32_t slot)
{
  if (value->kind == IN_SLOT || value->kind == IN_LOCAL)
    return value->slot;
  settle(l, value, slot);
  if (value->kind == IN_ACC)
    l->mirror[value->class] = slot;
  return slot;
}

/* After an entry whose result is in an accumulator, and in its stack slot if the form is a STORED one. */
void wm_note_made(struct wm_lowering *l, uint32_t entry, bool is_stored, enum wm_class class, uint32_t slot)
{
  l->last = entry;
  l->last_class = class;
  if (is_stored) {
    wm_note_write(l, slot);
    l->mirror[class] = slot;
    l->last_slot = slot;
  } else { /* which may emit, so that the entry is the last no longer */
    wm_push_pending(l, slot, (struct wm_fast_value){.kind = IN_ACC, .slot = slot, .entry = entry, .class = class});
  }
}

/* Writes a value to a local, or to a stack slot that it does not belong to. */
void wm_set_slot(struct wm_lowering *l, uint32_t to, const struct wm_fast_value *value)
{
  enum wm_class class = value->kind == IN_ACC ? value->class : l->last_class;
  uint32_t last = l->last, last_slot = l->last_slot;
  wm_free_local(l, to);
  bool is_last = last != NONE && l->last == last;
  if (value->kind == IN_ACC && is_last && value->entry == last) {
    store_too(l, value, to);
  } else if (value->kind == IN_SLOT && is_last && last_slot == value->slot) {
    l->words[last].d = (uint16_t)to;
  } else if (value->kind == IN_ACC || wm_is_in_acc(l, value, ACC_I)) {
    if (value->kind != IN_ACC)
      class = ACC_I;
    if (value->kind != IN_ACC && value->slot == to)
      return;
    wm_emit(l, class == ACC_I ? WM_OP_F_SET_I : class == ACC_F32 ? WM_OP_F_SET_F32 : WM_OP_F_SET_F64, to, 0, 0, 1);
  } else {
    if (value->kind == CONSTANT)
      wm_emit(l, WM_OP_F_CONST, to, 0, 0, 2)[1].bits = value->bits;
    else if (value->kind == SUM)
      wm_emit_sum(l, value, to);
    else if (value->slot != to)
      wm_emit_copy(l, to, value->slot);
    else
      return;
    wm_note_write(l, to);
    return;
  }
  wm_note_write(l, to);
  l->mirror[class] = to;
  l->last = NONE;
  l->last_slot = NONE;
}
