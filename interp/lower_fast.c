/* Lowering of one body into the fast stream (fast.h), from its step stream.
 *
 * One pass over the steps with a list of what is pending on the operand stack: values that are not in their slots yet, because they are
 * constants, equal to a local, or in an accumulator. An entry that made a value for the accumulator alone can be changed afterwards to
 * store it as well, into its stack slot or into the local that it is set to; so nothing is moved twice. At heads nothing is pending.
 * Cannot fail half-way: room for the worst case is there before it begins, else the function stays in the step stream. */
#include "interp/fast.h"
#include "interp/frame.h"

#define WORDS_PER_STEP 12 /* at most: its own entry with moves and an inverted branch, and one pending value stored */
#define MOST_PENDING 64
#define NONE UINT32_MAX

/* ---- What handlers there are --------------------------------------------------------------------------------------- */

enum form { SS, SK, AS, AK, SA, FORMS, S = SS, A = AS };
enum class { ACC_I, ACC_F32, ACC_F64, ACC_COUNT }; /* the accumulators */

#define STORED 0x8000 /* the form's only handler stores its result */
struct shape {
  uint16_t forms[FORMS]; /* enum wm_fast_op, 0: none */
  uint16_t branches[AK + 1];
  uint8_t arity, in, out; /* enum class */
  bool commutes, can_trap;
};

#define CLASS_u32 ACC_I
#define CLASS_s32 ACC_I
#define CLASS_u64 ACC_I
#define CLASS_s64 ACC_I
#define CLASS_f32 ACC_F32
#define CLASS_n32 ACC_F32
#define CLASS_f64 ACC_F64
#define CLASS_n64 ACC_F64
#define PAIR(FORM, NAME) .forms[FORM] = WM_OP_F_##NAME##_##FORM,
#define ONE(FORM, NAME) .forms[FORM] = WM_OP_F_##NAME##_##FORM##_TO | STORED,
#define TEST(FORM, NAME) .branches[FORM] = WM_OP_F_##NAME##_##FORM##_BRANCH,
#define SHAPE(NAME, n, traps, operand, result, ...) \
  [WM_OP_##NAME] = {.arity = n, .can_trap = traps, .in = CLASS_##operand, .out = CLASS_##result, __VA_ARGS__},
#define COMMUTES(set) (#set[0] == 'C')

static const struct shape shapes[WM_OP_COUNT] = {
#define WM_UN(NAME, FORMS, operand, result, ...) SHAPE(NAME, 1, false, operand, result, WM_FORMS_##FORMS(PAIR, ONE, TEST, NAME))
#define WM_UN_TRAP(NAME, FORMS, operand, result, ...) SHAPE(NAME, 1, true, operand, result, WM_FORMS_##FORMS(PAIR, ONE, TEST, NAME))
#define WM_BIN(NAME, FORMS, operand, result, ...) \
  SHAPE(NAME, 2, false, operand, result, .commutes = COMMUTES(FORMS), WM_FORMS_##FORMS(PAIR, ONE, TEST, NAME))
#define WM_BIN_TRAP(NAME, FORMS, operand, result, ...) SHAPE(NAME, 2, true, operand, result, WM_FORMS_##FORMS(PAIR, ONE, TEST, NAME))
#include "interp/numeric.def"
#define LOAD(NAME, type, result) SHAPE(NAME, 1, true, u32, result, PAIR(S, NAME) PAIR(A, NAME))
  WM_FAST_LOADS(LOAD)
#define STORE(NAME, type, value) \
  SHAPE(NAME, 2, true, value, value, .forms[SS] = WM_OP_F_##NAME##_SS, .forms[SA] = WM_OP_F_##NAME##_SA, \
        .forms[SK] = WM_OP_F_##NAME##_SK, .forms[AS] = WM_OP_F_##NAME##_AS)
  WM_FAST_STORES(STORE)
};

/* ---- State --------------------------------------------------------------------------------------------------------- */

/* An operand: where its value is. */
struct value {
  enum { IN_SLOT, IN_LOCAL, CONSTANT, IN_ACC } kind;
  uint32_t slot;  /* IN_SLOT, IN_LOCAL: where; else the stack slot that it belongs to */
  uint32_t entry; /* IN_ACC: the entry that made it */
  enum class class;
  uint64_t bits;
};

struct pending { struct value value; uint32_t slot; /* the stack slot that it belongs to */ };

struct lowering {
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
  struct pending pending[MOST_PENDING];
  uint32_t pending_count;
  uint32_t mirror[ACC_COUNT]; /* a slot that an accumulator is known to equal */
  uint32_t last;              /* entry that made the latest value, nothing having been emitted since, or NONE */
  uint32_t last_slot;         /* stack slot that it stored that to, or NONE */
  enum class last_class;
};
#define WAITING 1

static union wm_word *emit(struct lowering *l, uint32_t op, uint32_t d, uint32_t a, uint32_t b, uint32_t words)
{
  union wm_word *entry = &l->words[l->used];
  for (uint32_t i = 0; i < words; i++)
    entry[i].bits = 0;
  entry->op = (uint16_t)op;
  entry->d = (uint16_t)d;
  entry->a = (uint16_t)a;
  entry->b = (uint16_t)b;
  l->used += words;
  l->last = NONE;
  l->last_slot = NONE;
  return entry;
}

static void note_trap(struct lowering *l)
{
  l->traps[l->trap_count++] = (struct wm_fast_place){l->used, l->at};
}

static void forget_mirrors(struct lowering *l)
{
  for (int i = 0; i < ACC_COUNT; i++)
    l->mirror[i] = NONE;
}

/* A slot is about to hold something else. */
static void note_write(struct lowering *l, uint32_t slot)
{
  for (int i = 0; i < ACC_COUNT; i++)
    if (l->mirror[i] == slot)
      l->mirror[i] = NONE;
}

/* ---- Pending values ------------------------------------------------------------------------------------------------ */

/* The entry that left a value in its accumulator shall store it to `slot` too. */
static void store_too(struct lowering *l, const struct value *value, uint32_t slot)
{
  union wm_word *entry = &l->words[value->entry];
  entry->op++;
  entry->d = (uint16_t)slot;
}

/* Puts a value into its stack slot. Entries between its making and now do not know that slot. */
static void settle(struct lowering *l, const struct value *value, uint32_t slot)
{
  switch (value->kind) {
  case IN_SLOT: return;
  case IN_LOCAL: emit(l, WM_OP_F_COPY, slot, value->slot, 0, 1); break;
  case CONSTANT: emit(l, WM_OP_F_CONST, slot, 0, 0, 2)[1].bits = value->bits; break;
  case IN_ACC: store_too(l, value, slot); break;
  }
  note_write(l, slot);
}

static void flush(struct lowering *l)
{
  for (uint32_t i = 0; i < l->pending_count; i++)
    settle(l, &l->pending[i].value, l->pending[i].slot);
  l->pending_count = 0;
}

/* Those at and above a stack slot are dropped. */
static void discard(struct lowering *l, uint32_t slot)
{
  while (l->pending_count != 0 && l->pending[l->pending_count - 1].slot >= slot)
    l->pending_count--;
}

static void push(struct lowering *l, uint32_t slot, struct value value)
{
  if (l->pending_count == MOST_PENDING)
    flush(l);
  l->pending[l->pending_count++] = (struct pending){value, slot};
}

/* Pops the value that belongs to a stack slot, the uppermost. */
static struct value take(struct lowering *l, uint32_t slot)
{
  if (l->pending_count != 0 && l->pending[l->pending_count - 1].slot == slot)
    return l->pending[--l->pending_count].value;
  return (struct value){.kind = IN_SLOT, .slot = slot};
}

/* An accumulator is about to hold something else. */
static void free_acc(struct lowering *l, enum class class)
{
  for (uint32_t i = 0; i < l->pending_count; i++) {
    struct value *value = &l->pending[i].value;
    if (value->kind == IN_ACC && value->class == class) {
      settle(l, value, l->pending[i].slot);
      *value = (struct value){.kind = IN_SLOT, .slot = l->pending[i].slot};
    }
  }
  l->mirror[class] = NONE;
}

/* A local is about to change: values that equal it are settled. */
static void free_local(struct lowering *l, uint32_t local)
{
  for (uint32_t i = 0; i < l->pending_count; i++) {
    struct value *value = &l->pending[i].value;
    if (value->kind == IN_LOCAL && value->slot == local) {
      settle(l, value, l->pending[i].slot);
      *value = (struct value){.kind = IN_SLOT, .slot = l->pending[i].slot};
    }
  }
}

static bool is_in_acc(const struct lowering *l, const struct value *value, enum class class)
{
  if (value->kind == IN_ACC)
    return value->class == class;
  return value->kind != CONSTANT && l->mirror[class] == value->slot;
}

/* The slot to read a value from: its stack slot `slot` if it is in none. */
static uint32_t to_slot(struct lowering *l, const struct value *value, uint32_t slot)
{
  if (value->kind == IN_SLOT || value->kind == IN_LOCAL)
    return value->slot;
  settle(l, value, slot);
  if (value->kind == IN_ACC)
    l->mirror[value->class] = slot;
  return slot;
}

/* After an entry whose result is in an accumulator, and in its stack slot if the form is a STORED one. */
static void made(struct lowering *l, uint32_t entry, bool is_stored, enum class class, uint32_t slot)
{
  if (is_stored) {
    note_write(l, slot);
    l->mirror[class] = slot;
    l->last_slot = slot;
  } else {
    push(l, slot, (struct value){.kind = IN_ACC, .slot = slot, .entry = entry, .class = class});
  }
  l->last = entry;
  l->last_class = class;
}

/* Writes a value to a local, or to a stack slot that it does not belong to. */
static void set_slot(struct lowering *l, uint32_t to, const struct value *value)
{
  enum class class = value->kind == IN_ACC ? value->class : l->last_class;
  uint32_t last = l->last, last_slot = l->last_slot;
  free_local(l, to);
  bool is_last = last != NONE && l->last == last;
  if (value->kind == IN_ACC && is_last && value->entry == last) {
    store_too(l, value, to);
  } else if (value->kind == IN_SLOT && is_last && last_slot == value->slot) {
    l->words[last].d = (uint16_t)to;
  } else if (value->kind == IN_ACC || is_in_acc(l, value, ACC_I)) {
    if (value->kind != IN_ACC)
      class = ACC_I;
    if (value->kind != IN_ACC && value->slot == to)
      return;
    emit(l, class == ACC_I ? WM_OP_F_SET_I : class == ACC_F32 ? WM_OP_F_SET_F32 : WM_OP_F_SET_F64, to, 0, 0, 1);
  } else {
    if (value->kind == CONSTANT)
      emit(l, WM_OP_F_CONST, to, 0, 0, 2)[1].bits = value->bits;
    else if (value->slot != to)
      emit(l, WM_OP_F_COPY, to, value->slot, 0, 1);
    else
      return;
    note_write(l, to);
    return;
  }
  note_write(l, to);
  l->mirror[class] = to;
  l->last = NONE;
  l->last_slot = NONE;
}

/* ---- Arithmetic, loads, stores --------------------------------------------------------------------------------------- */

static uint16_t swapped(uint16_t op)
{
  switch (op) {
#define SWAP(TYPE, X, Y) case WM_OP_##TYPE##_##X: return WM_OP_##TYPE##_##Y; case WM_OP_##TYPE##_##Y: return WM_OP_##TYPE##_##X;
  SWAP(I32, LT_S, GT_S) SWAP(I32, LT_U, GT_U) SWAP(I32, LE_S, GE_S) SWAP(I32, LE_U, GE_U)
  SWAP(I64, LT_S, GT_S) SWAP(I64, LT_U, GT_U) SWAP(I64, LE_S, GE_S) SWAP(I64, LE_U, GE_U)
#undef SWAP
  default: return op;
  }
}

static uint16_t negated(uint16_t op)
{
  switch (op) {
#define NEGATE(TYPE, X, Y) case WM_OP_##TYPE##_##X: return WM_OP_##TYPE##_##Y; case WM_OP_##TYPE##_##Y: return WM_OP_##TYPE##_##X;
  NEGATE(I32, EQ, NE) NEGATE(I32, LT_S, GE_S) NEGATE(I32, LT_U, GE_U) NEGATE(I32, GT_S, LE_S) NEGATE(I32, GT_U, LE_U)
  NEGATE(I64, EQ, NE) NEGATE(I64, LT_S, GE_S) NEGATE(I64, LT_U, GE_U) NEGATE(I64, GT_S, LE_S) NEGATE(I64, GT_U, LE_U)
#undef NEGATE
  default: return op;
  }
}

/* Which of the forms there are reads these operands with the fewest moves; they are in place for it afterwards. */
struct operands { struct value x, y; uint32_t a, b; uint64_t constant; enum form form; };
static void choose(struct lowering *l, const uint16_t *forms, uint32_t form_count, enum class in, bool can_swap, bool *is_swapped, uint32_t slot,
                   struct operands *o)
{
  *is_swapped = false;
  uint32_t x_slot = slot, y_slot = slot + 1;
#define HAS(form) ((form) < form_count && forms[form] != 0)
  if (can_swap && (o->x.kind == CONSTANT || (is_in_acc(l, &o->y, in) && !is_in_acc(l, &o->x, in) && o->y.kind != CONSTANT))) {
    struct value value = o->x;
    o->x = o->y;
    o->y = value;
    x_slot = slot + 1;
    y_slot = slot;
    *is_swapped = true;
  }
  bool x_acc = is_in_acc(l, &o->x, in), y_acc = is_in_acc(l, &o->y, in);
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
    o->a = to_slot(l, &o->x, x_slot);
  if (o->form == SS || o->form == AS)
    o->b = to_slot(l, &o->y, y_slot);
}

static void lower_binary(struct lowering *l, const struct wm_step *step)
{
  const struct shape *shape = &shapes[step->op];
  struct operands o = {.y = take(l, step->a + 1)};
  o.x = take(l, step->a);
  bool is_swapped, is_test = shape->branches[SS] != 0;
  choose(l, shape->forms, FORMS, (enum class)shape->in, shape->commutes || is_test, &is_swapped, step->a, &o);
  uint32_t form = shapes[is_swapped && is_test ? swapped(step->op) : step->op].forms[o.form];
  free_acc(l, (enum class)shape->out);
  if (shape->can_trap)
    note_trap(l);
  uint32_t entry = l->used;
  bool has_constant = o.form == SK || o.form == AK;
  union wm_word *words = emit(l, form & ~STORED, step->a, o.a, o.b, has_constant ? 2 : 1);
  if (has_constant)
    words[1].bits = o.constant;
  made(l, entry, (form & STORED) != 0, (enum class)shape->out, step->a);
}

static void lower_unary(struct lowering *l, const struct wm_step *step)
{
  const struct shape *shape = &shapes[step->op];
  struct value value = take(l, step->a);
  if (shape->forms[S] == 0) { /* the same bits: of another class, so through the slot */
    if (value.kind == IN_ACC && shape->in != shape->out) {
      to_slot(l, &value, step->a);
      value = (struct value){.kind = IN_SLOT, .slot = step->a};
    }
    if (value.kind != IN_SLOT)
      push(l, step->a, value);
    return;
  }
  bool is_access = wm_opcodes[step->op].access == WM_ACCESS_LOAD;
  enum form form = is_in_acc(l, &value, (enum class)shape->in) && shape->forms[A] != 0 ? A : S;
  uint32_t slot = form == S ? to_slot(l, &value, step->a) : 0;
  free_acc(l, (enum class)shape->out);
  if (shape->can_trap)
    note_trap(l);
  uint32_t entry = l->used;
  union wm_word *words = emit(l, shape->forms[form] & ~STORED, step->a, slot, 0, is_access ? 2 : 1);
  if (is_access)
    words[1].bits = step->imm;
  made(l, entry, (shape->forms[form] & STORED) != 0, (enum class)shape->out, step->a);
}

static void lower_store(struct lowering *l, const struct wm_step *step)
{
  const struct shape *shape = &shapes[step->op];
  struct value value = take(l, step->a + 1), address = take(l, step->a);
  enum form form = value.kind == CONSTANT ? SK : is_in_acc(l, &value, (enum class)shape->in) ? SA : is_in_acc(l, &address, ACC_I) ? AS : SS;
  uint32_t a = form == AS ? 0 : to_slot(l, &address, step->a);
  uint32_t b = form == SS || form == AS ? to_slot(l, &value, step->a + 1) : 0;
  note_trap(l);
  union wm_word *words = emit(l, shape->forms[form], 0, a, b, form == SK ? 3 : 2);
  words[1].bits = step->imm;
  if (form == SK)
    words[2].bits = value.bits;
}

/* ---- Branches -------------------------------------------------------------------------------------------------------- */

/* The word of a branch that goes to a step, with what that charges on top of `charged`. Jumps count from their own word. */
static void aim(struct lowering *l, uint32_t word, uint32_t target, uint32_t charged)
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
static void reach(struct lowering *l)
{
  flush(l);
  forget_mirrors(l);
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
static void move_values(struct lowering *l, const struct wm_step *step)
{
  if (step->d == 0) {
    discard(l, step->b);
    flush(l);
  } else if (step->d == 1) {
    struct value value = take(l, step->a);
    discard(l, step->b);
    flush(l);
    set_slot(l, step->b, &value);
  } else {
    flush(l);
    if (step->a != step->b) {
      emit(l, WM_OP_F_MOVE, step->b, step->a, step->d, 1);
      forget_mirrors(l);
    }
  }
}

static void lower_jump(struct lowering *l, const struct wm_step *step)
{
  bool is_branch = step->op != WM_OP_ELSE;
  if (is_branch)
    move_values(l, step);
  else
    flush(l);
  bool is_charging = !wm_fast_is_jump(step);
  uint32_t entry = l->used;
  emit(l, is_charging ? WM_OP_F_BRANCH : WM_OP_F_JUMP, is_branch, 0, 0, 2);
  aim(l, entry + 1, step->c, is_charging ? 0 : l->cost[step->c]);
}

/* A condition: a comparison of two operands, or (op 0) a value to be tested; negated or not. */
struct condition { struct operands o; uint32_t slot; uint16_t op; bool is_negated; };

/* The entry that branches to `target` if the condition holds, everything else being in its slot. */
static void emit_conditional(struct lowering *l, struct condition *c, bool is_event, uint32_t target, uint32_t charged)
{
  uint32_t entry;
  if (c->op != 0) {
    uint16_t op = c->is_negated ? negated(c->op) : c->op;
    const struct shape *shape = &shapes[op];
    bool is_swapped;
    choose(l, shape->branches, AK + 1, ACC_I, true, &is_swapped, c->slot, &c->o);
    if (is_swapped)
      shape = &shapes[swapped(op)];
    bool has_constant = c->o.form == SK || c->o.form == AK;
    entry = l->used;
    union wm_word *words = emit(l, shape->branches[c->o.form], is_event, c->o.a, c->o.b, has_constant ? 3 : 2);
    if (has_constant)
      words[2].bits = c->o.constant;
  } else {
    bool is_acc = is_in_acc(l, &c->o.x, ACC_I);
    uint32_t slot = is_acc ? 0 : to_slot(l, &c->o.x, c->slot);
    entry = l->used;
    emit(l, c->is_negated ? (is_acc ? WM_OP_F_UNLESS_A : WM_OP_F_UNLESS_S) : (is_acc ? WM_OP_F_IF_A : WM_OP_F_IF_S), is_event, slot, 0, 2);
  }
  aim(l, entry + 1, target, charged);
}

/* br_if or if at `l->at`, on a condition. */
static void lower_conditional(struct lowering *l, struct condition *c)
{
  const struct wm_step *step = &l->steps[l->at];
  uint32_t charged = l->cost[l->at + 1];
  flush(l);
  if (step->op == WM_OP_IF) {
    c->is_negated = !c->is_negated;
    emit_conditional(l, c, false, step->c, charged);
  } else if (step->d == 0 || step->a == step->b) {
    emit_conditional(l, c, true, step->c, charged);
  } else { /* around the moves, when it does not hold */
    c->is_negated = !c->is_negated;
    emit_conditional(l, c, false, l->at + 1, charged);
    emit(l, WM_OP_F_MOVE, step->b, step->a, step->d, 1);
    uint32_t entry = l->used;
    emit(l, WM_OP_F_BRANCH, true, 0, 0, 2);
    aim(l, entry + 1, step->c, charged);
  }
}

/* How many steps from here on are a test and then br_if or if: 0 if they are not. */
static uint32_t find_test(const struct lowering *l, bool *is_negated)
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
static bool lower_test(struct lowering *l)
{
  const struct wm_step *step = &l->steps[l->at];
  bool is_negated;
  uint32_t ahead = find_test(l, &is_negated);
  if (ahead == 0)
    return false;
  struct condition c = {.slot = step->a, .is_negated = is_negated};
  if (step->op == WM_OP_I64_EQZ) {
    c.op = WM_OP_I64_EQ;
    c.o.y = (struct value){.kind = CONSTANT};
  } else if (step->op != WM_OP_I32_EQZ) {
    c.op = step->op;
    c.o.y = take(l, step->a + 1);
  }
  c.o.x = take(l, step->a);
  l->at += ahead;
  lower_conditional(l, &c);
  return true;
}

static void lower_br_table(struct lowering *l, const struct wm_step *step)
{
  struct value index = take(l, step->a);
  const struct wm_step_target *targets = &l->function->targets[step->c];
  flush(l);
  uint32_t slot = to_slot(l, &index, step->a), entry = l->used;
  emit(l, WM_OP_F_BR_TABLE, true, slot, 0, 2 + step->b + 1)[1].low = step->b;
  for (uint32_t i = 0; i <= step->b; i++)
    aim(l, entry + 2 + i, targets[i].target, 0);
}

/* ---- Calls, returns, the rest ----------------------------------------------------------------------------------------- */

static void go_on(struct lowering *l, union wm_word *word, uint32_t ordinal)
{
  word->ordinal = ordinal;
  word->cost = l->cost[ordinal];
}

static void lower_call(struct lowering *l, const struct wm_step *step)
{
  flush(l);
  note_trap(l);
  bool is_direct = step->op == WM_OP_CALL;
  union wm_word *words = emit(l, is_direct ? WM_OP_F_CALL : WM_OP_F_CALL_INDIRECT, 0, step->a, is_direct ? 0 : step->b, 3);
  if (is_direct) {
    words[1].callee = wm_ref_function(step->imm);
  } else {
    words[1].low = step->c;
    words[1].high = step->d;
  }
  go_on(l, &words[2], l->at + 1);
}

/* Results stand at slot `a`. */
static void lower_return(struct lowering *l, uint32_t a, bool is_branch)
{
  uint32_t results = l->function->result_slots;
  if (results == 1) {
    struct value value = take(l, a);
    l->pending_count = 0;
    if (value.kind == CONSTANT)
      emit(l, WM_OP_F_RETURN_K, is_branch, 0, 0, 2)[1].bits = value.bits;
    else if (is_in_acc(l, &value, ACC_I))
      emit(l, WM_OP_F_RETURN_A, is_branch, 0, 0, 1);
    else
      emit(l, WM_OP_F_RETURN_S, is_branch, to_slot(l, &value, a), 0, 1);
    return;
  }
  if (results != 0)
    flush(l);
  l->pending_count = 0;
  if (results != 0 && a != 0)
    emit(l, WM_OP_F_MOVE, 0, a, results, 1);
  emit(l, WM_OP_F_RETURN, is_branch, 0, 0, 1);
}

static void lower_select(struct lowering *l, const struct wm_step *step)
{
  struct value c = take(l, step->a + 2), y = take(l, step->a + 1), x = take(l, step->a);
  bool is_acc = is_in_acc(l, &c, ACC_I);
  uint32_t a = to_slot(l, &x, step->a), b = to_slot(l, &y, step->a + 1), slot = is_acc ? 0 : to_slot(l, &c, step->a + 2);
  free_acc(l, ACC_I);
  uint32_t entry = l->used;
  emit(l, is_acc ? WM_OP_F_SELECT_A : WM_OP_F_SELECT_S, step->a, a, b, 2)[1].bits = slot;
  made(l, entry, true, ACC_I, step->a);
}

static void lower_global(struct lowering *l, const struct wm_step *step)
{
  struct wm_global_instance *global = (struct wm_global_instance *)(uintptr_t)step->imm;
  uint32_t entry;
  if (step->op == WM_OP_GLOBAL_GET) {
    free_acc(l, ACC_I);
    entry = l->used;
    emit(l, WM_OP_F_GLOBAL_GET, step->a, 0, 0, 2)[1].slot = global->bits;
    made(l, entry, true, ACC_I, step->a);
    return;
  }
  struct value value = take(l, step->a);
  bool is_acc = is_in_acc(l, &value, ACC_I);
  uint32_t slot = is_acc ? 0 : to_slot(l, &value, step->a);
  emit(l, is_acc ? WM_OP_F_GLOBAL_SET_A : WM_OP_F_GLOBAL_SET_S, (step->flags & WM_STEP_GLOBAL0) != 0, slot, 0, 2)[1].slot = global->bits;
}

static bool is_control(const struct wm_step *step)
{
  switch (step->op) {
  case WM_OP_BR_TABLE: case WM_OP_BR_ON_NULL: case WM_OP_BR_ON_NON_NULL: case WM_OP_BR_ON_CAST: case WM_OP_BR_ON_CAST_FAIL:
  case WM_OP_CALL: case WM_OP_CALL_REF: case WM_OP_RETURN_CALL: case WM_OP_RETURN_CALL_INDIRECT: case WM_OP_RETURN_CALL_REF:
  case WM_OP_THROW: case WM_OP_THROW_REF:
    return true;
  default: return false;
  }
}

/* Instructions in a row that the step stream runs. */
static void lower_escape(struct lowering *l)
{
  uint32_t first = l->at;
  flush(l);
  while (!is_control(&l->steps[l->at]) && l->place[l->at + 1] == 0 && !is_control(&l->steps[l->at + 1]) &&
         wm_fast_is_escape(l->function, &l->steps[l->at + 1]))
    l->at++;
  union wm_word *words = emit(l, WM_OP_F_ESCAPE, 0, 0, 0, 3);
  words[1].low = first;
  words[1].high = l->at + 1 - first;
  go_on(l, &words[2], l->at + 1);
}

static void lower_one(struct lowering *l)
{
  const struct wm_step *step = &l->steps[l->at];
  switch (step->op) {
  case WM_OP_NOP: case WM_OP_BLOCK: case WM_OP_LOOP: case WM_OP_END: case WM_OP_TRY_TABLE: return;
  case WM_OP_UNREACHABLE:
    note_trap(l);
    emit(l, WM_OP_F_UNREACHABLE, 0, 0, 0, 1);
    return;
  case WM_OP_BR: case WM_OP_ELSE: lower_jump(l, step); return;
  case WM_OP_BR_IF: case WM_OP_IF: {
    struct condition c = {.slot = step->op == WM_OP_IF ? step->a : step->a + step->d};
    c.o.x = take(l, c.slot);
    lower_conditional(l, &c);
    return;
  }
  case WM_OP_BR_TABLE: lower_br_table(l, step); return;
  case WM_OP_RETURN: case WM_OP_END_FUNCTION: lower_return(l, step->a, step->op == WM_OP_RETURN); return;
  case WM_OP_CALL: case WM_OP_CALL_INDIRECT: lower_call(l, step); return;
  case WM_OP_DROP: discard(l, step->a - 1); return;
  case WM_OP_SELECT: case WM_OP_SELECT_T: lower_select(l, step); return;
  case WM_OP_LOCAL_GET: push(l, step->a, (struct value){.kind = IN_LOCAL, .slot = step->b}); return;
  case WM_OP_LOCAL_SET: case WM_OP_LOCAL_TEE: {
    struct value value = take(l, step->a);
    set_slot(l, step->b, &value);
    if (step->op == WM_OP_LOCAL_TEE)
      push(l, step->a, value.kind == CONSTANT ? value : (struct value){.kind = IN_LOCAL, .slot = step->b});
    return;
  }
  case WM_OP_GLOBAL_GET: case WM_OP_GLOBAL_SET: lower_global(l, step); return;
  case WM_OP_I32_CONST: case WM_OP_I64_CONST: case WM_OP_F32_CONST: case WM_OP_F64_CONST: case WM_OP_REF_NULL: case WM_OP_REF_FUNC:
    push(l, step->a, (struct value){.kind = CONSTANT, .bits = step->imm});
    return;
  case WM_OP_MEMORY_SIZE:
    free_acc(l, ACC_I);
    emit(l, WM_OP_F_MEMORY_SIZE, step->a, 0, 0, 1);
    made(l, l->used - 1, true, ACC_I, step->a);
    return;
  default: break;
  }
  bool is_test = shapes[step->op].branches[SS] != 0 || step->op == WM_OP_I32_EQZ || step->op == WM_OP_I64_EQZ;
  if (is_test && lower_test(l))
    return;
  if (wm_opcodes[step->op].access == WM_ACCESS_STORE)
    lower_store(l, step);
  else if (shapes[step->op].arity == 2)
    lower_binary(l, step);
  else
    lower_unary(l, step);
}

/* ---- The whole ------------------------------------------------------------------------------------------------------- */

/* Charges, from the end backwards, and which steps are branched to. */
static void survey(struct lowering *l)
{
  const struct wm_function *function = l->function;
  for (uint32_t i = l->count; i-- > 0;) {
    const struct wm_step *step = &l->steps[i];
    l->cost[i] = wm_fast_is_terminator(function, step) ? 1 : 1 + l->cost[wm_fast_is_jump(step) ? step->c : i + 1];
    switch (step->op) {
    case WM_OP_BR: case WM_OP_BR_IF: case WM_OP_IF: case WM_OP_ELSE: case WM_OP_BR_ON_NULL: case WM_OP_BR_ON_NON_NULL:
    case WM_OP_BR_ON_CAST: case WM_OP_BR_ON_CAST_FAIL:
      l->place[step->c] = WAITING;
      break;
    case WM_OP_BR_TABLE:
      for (uint32_t k = 0; k <= step->b; k++)
        l->place[function->targets[step->c + k].target] = WAITING;
      break;
    default: break;
    }
  }
  for (uint32_t i = 0; i < function->catch_count; i++)
    l->place[function->catches[i].target] = WAITING;
  l->place[0] = WAITING;
}

static void lower_all(struct lowering *l)
{
  bool is_dead = false;
  for (l->at = 0; l->at < l->count; l->at++) {
    if (l->place[l->at] != 0) {
      reach(l);
      l->heads[l->head_count++] = (struct wm_fast_place){l->used, l->at};
      is_dead = false;
    }
    if (is_dead)
      continue;
    const struct wm_step *step = &l->steps[l->at];
    if (wm_fast_is_escape(l->function, step))
      lower_escape(l);
    else
      lower_one(l);
    step = &l->steps[l->at];
    bool is_resumed = step->op == WM_OP_CALL || step->op == WM_OP_CALL_INDIRECT || wm_fast_is_escape(l->function, step);
    if (is_resumed && l->place[l->at + 1] == 0)
      l->place[l->at + 1] = WAITING;
    is_dead = !is_resumed && (wm_fast_is_jump(step) || wm_fast_is_terminator(l->function, step));
    if (is_dead)
      l->pending_count = 0;
  }
}

uint64_t wm_fast_space(const struct wm_func *func)
{
  return 24 * (uint64_t)func->instruction_count + 8 * (uint64_t)func->branch_target_count + 64;
}

uint64_t wm_fast_most(const struct wm_func *func)
{
  uint64_t words = WORDS_PER_STEP * (uint64_t)func->instruction_count + func->branch_target_count + 4;
  return words * sizeof(union wm_word) + (uint64_t)func->instruction_count * (2 * sizeof(uint32_t) + 4 * sizeof(struct wm_fast_place)) + 256;
}

/* Places for good, behind the words. */
static const struct wm_fast_place *keep(struct wm_arena *arena, const struct wm_fast_place *places, uint32_t count)
{
  struct wm_fast_place *kept = wm_arena_take(arena, count, sizeof *kept);
  for (uint32_t i = 0; i < count; i++)
    kept[i] = places[i];
  return kept;
}

void wm_fast_lower(struct wm_function *function)
{
  struct wm_instance *instance = function->instance;
  const struct wm_func *func = &instance->module->funcs[function->index];
  struct wm_arena *arena = &instance->fast_code;
  size_t size = arena->size;
  function->is_fast_tried = true;
  if (function->frame_slots > UINT16_MAX || wm_frame_zeroed(function) > WM_FREE_WORK_BYTES || func->instruction_count > (uint32_t)1 << 28 || size - arena->used < wm_fast_most(func))
    return;
  if (function->steps == NULL)
    wm_step_lower(function);
  struct lowering l = {.function = function, .steps = function->steps, .count = func->instruction_count, .last = NONE, .last_slot = NONE};
  l.cost = wm_arena_take_end(arena, l.count, sizeof *l.cost);
  l.place = wm_arena_take_end(arena, l.count, sizeof *l.place);
  l.heads = wm_arena_take_end(arena, l.count, sizeof *l.heads);
  l.traps = wm_arena_take_end(arena, l.count, sizeof *l.traps);
  for (uint32_t i = 0; i < l.count; i++)
    l.place[i] = 0;
  l.words = (union wm_word *)(void *)(arena->base + ((arena->used + 15) & ~(size_t)15)) + 1;
  survey(&l);
  lower_all(&l);
  go_on(&l, &l.words[-1], 0);
  wm_arena_take(arena, l.used + 1, sizeof *l.words);
  struct wm_fast_map *map = wm_arena_take(arena, 1, sizeof *map);
  map->heads = keep(arena, l.heads, l.head_count);
  map->head_count = l.head_count;
  map->traps = keep(arena, l.traps, l.trap_count);
  map->trap_count = l.trap_count;
  arena->size = size;
  function->fast_map = map;
  function->fast = l.words;
}
