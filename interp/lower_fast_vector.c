/* Vectors into the fast stream (lower_fast.h). A vector is in two slots, of a local or of the operand stack, or a constant that waits for
 * being needed there; no accumulator holds one. Results that are scalar are in the integer accumulator, as bits, and in their slot.
 *
 * Instructions come from simd.def: a handler of its own, or a function that one handler calls. Memory forms that are more than sixteen bytes
 * moved become two entries, a scalar access and what is done with its value. */
#include "interp/lower_fast.h"

enum shape { NO_VECTOR, V_V, V_VV, V_VVV, V_VS, V_S, V_VLS, S_V, S_VL, V_VVI, V_M };

static const struct { uint16_t handler; uint8_t shape; } rows[WM_STEP_OP_COUNT] = {
#define INLINE(NAME, shape) [WM_OP_##NAME] = {WM_OP_F_##NAME, shape},
#define CALLED(NAME, shape) [WM_OP_##NAME] = {0, shape},
#define INLINE_K(NAME) [WM_OP_##NAME] = {WM_OP_F_##NAME##_K, V_VS},
#define CALLED_K(NAME) CALLED(NAME, V_VS)
#define WM_V_V(NAME, where, ...) where(NAME, V_V)
#define WM_V_VV(NAME, where, ...) where(NAME, V_VV)
#define WM_V_VVV(NAME, where, ...) where(NAME, V_VVV)
#define WM_V_VS(NAME, where, ...) where##_K(NAME)
#define WM_V_S(NAME, where, ...) where(NAME, V_S)
#define WM_V_VLS(NAME, where, ...) where(NAME, V_VLS)
#define WM_S_V(NAME, where, ...) where(NAME, S_V)
#define WM_S_VL(NAME, where, ...) where(NAME, S_VL)
#define WM_V_VVI(NAME, where, ...) where(NAME, V_VVI)
#define WM_V_M(NAME, ...) CALLED(NAME, V_M)
#include "interp/simd.def"
};

/* Instructions that are a scalar access and then a row. */
static uint16_t row_of_load(uint16_t op)
{
  switch (op) {
  case WM_OP_V128_LOAD8_SPLAT: return WM_OP_I8X16_SPLAT;
  case WM_OP_V128_LOAD16_SPLAT: return WM_OP_I16X8_SPLAT;
  case WM_OP_V128_LOAD32_SPLAT: return WM_OP_I32X4_SPLAT;
  case WM_OP_V128_LOAD64_SPLAT: return WM_OP_I64X2_SPLAT;
  case WM_OP_V128_LOAD8_LANE: return WM_OP_I8X16_REPLACE_LANE;
  case WM_OP_V128_LOAD16_LANE: return WM_OP_I16X8_REPLACE_LANE;
  case WM_OP_V128_LOAD32_LANE: return WM_OP_I32X4_REPLACE_LANE;
  case WM_OP_V128_LOAD64_LANE: return WM_OP_I64X2_REPLACE_LANE;
  default: return op;
  }
}
static uint16_t row_of_store(uint16_t op)
{
  switch (op) {
  case WM_OP_V128_STORE8_LANE: return WM_OP_I8X16_EXTRACT_LANE_U;
  case WM_OP_V128_STORE16_LANE: return WM_OP_I16X8_EXTRACT_LANE_U;
  case WM_OP_V128_STORE32_LANE: return WM_OP_I32X4_EXTRACT_LANE;
  default: return WM_OP_I64X2_EXTRACT_LANE;
  }
}
static uint16_t scalar_load(uint32_t bytes)
{
  return bytes == 1 ? WM_OP_I32_LOAD8_U : bytes == 2 ? WM_OP_I32_LOAD16_U : bytes == 4 ? WM_OP_I32_LOAD : WM_OP_I64_LOAD;
}
static uint16_t scalar_store(uint32_t bytes)
{
  return bytes == 1 ? WM_OP_I32_STORE8 : bytes == 2 ? WM_OP_I32_STORE16 : bytes == 4 ? WM_OP_I32_STORE : WM_OP_I64_STORE;
}

bool wm_fast_is_vector(uint16_t op)
{
  switch (op) {
  case WM_OP_V128_CONST: case WM_OP_LOCAL_GET_V: case WM_OP_LOCAL_SET_V: case WM_OP_LOCAL_TEE_V: case WM_OP_SELECT_V: case WM_OP_GLOBAL_GET_V:
  case WM_OP_GLOBAL_SET_V:
    return true;
  default: return rows[op].shape != NO_VECTOR && rows[op].shape != V_M;
  }
}

bool wm_fast_is_vector_access(uint16_t op)
{
  switch (op) {
  case WM_OP_V128_LOAD: case WM_OP_V128_STORE:
  case WM_OP_V128_STORE8_LANE: case WM_OP_V128_STORE16_LANE: case WM_OP_V128_STORE32_LANE: case WM_OP_V128_STORE64_LANE:
    return true;
  default: return rows[op].shape == V_M || row_of_load(op) != op;
  }
}

/* ---- Values ---------------------------------------------------------------------------------------------------------- */

static void note_write(struct wm_lowering *l, uint32_t slot)
{
  wm_note_write(l, slot);
  wm_note_write(l, slot + 1);
}

void wm_settle_vector(struct wm_lowering *l, const struct wm_fast_value *value, uint32_t slot)
{
  if (value->kind == IN_SLOT)
    return;
  if (value->kind == IN_LOCAL) {
    wm_emit(l, WM_OP_F_COPY_V, slot, value->slot, 0, 1);
  } else {
    union wm_word *words = wm_emit(l, WM_OP_F_CONST_V, slot, 0, 0, 3);
    words[1].bits = value->bits;
    words[2].bits = value->high;
  }
  note_write(l, slot);
}

uint32_t wm_take_slot(struct wm_lowering *l, uint32_t slot)
{
  struct wm_fast_value value = wm_take_pending(l, slot);
  return wm_to_slot(l, &value, slot);
}

void wm_note_made_vector(struct wm_lowering *l, uint32_t entry, uint32_t slot)
{
  note_write(l, slot);
  l->last = entry;
  l->last_slot = slot;
}

static void set_local(struct wm_lowering *l, const struct wm_step *step)
{
  struct wm_fast_value value = wm_take_pending(l, step->a);
  uint32_t last = l->last, last_slot = l->last_slot;
  wm_free_local(l, step->b);
  if (value.kind == IN_SLOT && last != NONE && l->last == last && last_slot == value.slot) {
    l->words[last].d = (uint16_t)step->b;
    l->last = NONE;
    l->last_slot = NONE;
    note_write(l, step->b);
  } else if (value.kind == IN_SLOT) {
    wm_emit(l, WM_OP_F_COPY_V, step->b, value.slot, 0, 1);
    note_write(l, step->b);
  } else if (value.kind == CONSTANT || value.slot != step->b) {
    wm_settle_vector(l, &value, step->b);
  }
  if (step->op == WM_OP_LOCAL_TEE_V)
    wm_push_pending(l, step->a, (struct wm_fast_value){.kind = IN_LOCAL, .slot = step->b, .is_wide = true});
}

/* ---- Rows ------------------------------------------------------------------------------------------------------------ */

/* An entry that calls a function; `extra` is its third word. */
static void emit_call(struct wm_lowering *l, uint32_t handler, uint16_t op, uint32_t d, uint32_t a, uint32_t b, uint64_t extra)
{
  union wm_word *words = wm_emit(l, handler, d, a, b, 3);
  words[1].compute = wm_vector_functions[op];
  words[2].bits = extra;
}

/* Shuffles of whole 32-bit lanes read them from where they are. */
static bool lower_word_shuffle(struct wm_lowering *l, const uint8_t lanes[16], uint32_t d, uint32_t a, uint32_t b)
{
  union wm_word parts = {.bits = 0};
  for (int i = 0; i < 4; i++) {
    const uint8_t *lane = &lanes[4 * i];
    uint32_t half = (lane[0] < 16 ? a : b) * 2 + (lane[0] & 15u) / 4;
    if (lane[0] % 4 != 0 || lane[1] != lane[0] + 1 || lane[2] != lane[0] + 2 || lane[3] != lane[0] + 3 || half > UINT16_MAX)
      return false;
    parts.parts[i] = (uint16_t)half;
  }
  wm_emit(l, WM_OP_F_SHUFFLE_WORDS, d, a, b, 2)[1] = parts;
  return true;
}

static void lower_shuffle(struct wm_lowering *l, const struct wm_step *step)
{
  uint64_t bits[2] = {step->imm, step->c | (uint64_t)step->d << 32};
  uint8_t lanes[16];
  for (int i = 0; i < 16; i++)
    lanes[i] = (uint8_t)(bits[i / 8] >> (8 * (i % 8)));
  uint32_t b = wm_take_slot(l, step->a + 2), a = wm_take_slot(l, step->a), entry = l->used;
  if (!lower_word_shuffle(l, lanes, step->a, a, b)) {
    union wm_word *words = wm_emit(l, WM_OP_F_VECTOR_K, step->a, a, b, 4);
    words[1].compute = wm_vector_functions[WM_OP_I8X16_SHUFFLE];
    words[2].bits = bits[0];
    words[3].bits = bits[1];
  }
  wm_note_made_vector(l, entry, step->a);
}

/* A shift: the handler has its count in the entry. */
static void lower_shift(struct wm_lowering *l, const struct wm_step *step)
{
  struct wm_fast_value count = wm_take_pending(l, step->a + 2);
  bool is_constant = count.kind == CONSTANT && rows[step->op].handler != 0;
  uint32_t b = is_constant ? count.bits & 63 : wm_to_slot(l, &count, step->a + 2), a = wm_take_slot(l, step->a), entry = l->used;
  if (is_constant)
    wm_emit(l, rows[step->op].handler, step->a, a, b, 1);
  else
    emit_call(l, WM_OP_F_VECTOR, step->op, step->a, a, b, 0);
  wm_note_made_vector(l, entry, step->a);
}

/* A row whose result is a scalar, at stack slot `d`; its operand is at slot `a`. */
static void lower_scalar_result(struct wm_lowering *l, uint16_t op, uint32_t d, uint32_t a, uint32_t lane)
{
  wm_free_acc(l, ACC_I);
  uint32_t entry = l->used;
  if (rows[op].handler != 0)
    wm_emit(l, rows[op].handler, d, a, lane, 1);
  else
    emit_call(l, WM_OP_F_VECTOR_BITS, op, d, a, lane, 0);
  wm_note_made(l, entry, true, ACC_I, d);
}

/* A row whose result is a vector, with operands at these slots; c: the third one or the lane. */
static void lower_vector_result(struct wm_lowering *l, uint16_t op, uint32_t d, uint32_t a, uint32_t b, uint32_t c)
{
  uint32_t entry = l->used;
  if (rows[op].handler == 0)
    emit_call(l, WM_OP_F_VECTOR, op, d, a, b, c);
  else if (rows[op].shape == V_VVV || rows[op].shape == V_VLS)
    wm_emit(l, rows[op].handler, d, a, b, 2)[1].low = c;
  else
    wm_emit(l, rows[op].handler, d, a, b, 1);
  wm_note_made_vector(l, entry, d);
}

static void lower_row(struct wm_lowering *l, const struct wm_step *step)
{
  uint32_t a, b = 0, c = 0;
  switch (rows[step->op].shape) {
  case V_VVI: lower_shuffle(l, step); return;
  case V_VS: lower_shift(l, step); return;
  case S_V: case S_VL:
    a = wm_take_slot(l, step->a);
    lower_scalar_result(l, step->op, step->a, a, step->b);
    return;
  case V_VVV: c = wm_take_slot(l, step->a + 4); /* fall through */
  case V_VV: b = wm_take_slot(l, step->a + 2); break;
  case V_VLS:
    b = wm_take_slot(l, step->a + 2);
    c = step->b;
    break;
  default: break;
  }
  a = wm_take_slot(l, step->a);
  lower_vector_result(l, step->op, step->a, a, b, c);
}

/* ---- Memory, moves --------------------------------------------------------------------------------------------------- */

static void lower_load(struct wm_lowering *l, const struct wm_step *step)
{
  struct wm_fast_value address = wm_take_pending(l, step->a);
  struct wm_fast_address at = wm_find_address(l, &address, step->a);
  uint32_t entry = l->used;
  wm_note_trap(l);
  union wm_word *words = wm_emit(l, at.form == A ? WM_OP_F_V128_LOAD_A : WM_OP_F_V128_LOAD_S, step->a, at.a, 0, 2);
  words[1].low = (uint32_t)step->imm;
  words[1].high = at.summand;
  wm_note_made_vector(l, entry, step->a);
}

static void lower_store(struct wm_lowering *l, const struct wm_step *step)
{
  uint32_t b = wm_take_slot(l, step->a + 1);
  struct wm_fast_value address = wm_take_pending(l, step->a);
  struct wm_fast_address at = wm_find_address(l, &address, step->a);
  wm_note_trap(l);
  union wm_word *words = wm_emit(l, at.form == A ? WM_OP_F_V128_STORE_AS : WM_OP_F_V128_STORE_SS, 0, at.a, b, 2);
  words[1].low = (uint32_t)step->imm;
  words[1].high = at.summand;
}

/* A scalar of memory, and the row that makes a vector of it: of it alone, or of it and the vector behind the address. */
static void lower_scalar_load(struct wm_lowering *l, const struct wm_step *step)
{
  uint16_t op = row_of_load(step->op);
  bool has_vector = rows[op].shape == V_VLS;
  struct wm_step scalar = *step;
  scalar.op = scalar_load(wm_opcodes[step->op].access_bytes);
  struct wm_fast_value vector = {.kind = IN_SLOT};
  if (has_vector)
    vector = wm_take_pending(l, step->a + 1);
  wm_fast_lower_load(l, &scalar);
  uint32_t value = wm_take_slot(l, step->a);
  if (has_vector)
    lower_vector_result(l, op, step->a, wm_to_slot(l, &vector, step->a + 1), value, step->b);
  else
    lower_vector_result(l, op, step->a, value, 0, 0);
}

/* The lane goes where the vector was, whence the scalar store takes it. */
static void lower_lane_store(struct wm_lowering *l, const struct wm_step *step)
{
  struct wm_step scalar = *step;
  scalar.op = scalar_store(wm_opcodes[step->op].access_bytes);
  uint32_t vector = wm_take_slot(l, step->a + 1);
  lower_scalar_result(l, row_of_store(step->op), step->a + 1, vector, step->b);
  wm_fast_lower_store(l, &scalar);
}

static void lower_select(struct wm_lowering *l, const struct wm_step *step)
{
  uint32_t condition = wm_take_slot(l, step->a + 4), b = wm_take_slot(l, step->a + 2), a = wm_take_slot(l, step->a), entry = l->used;
  emit_call(l, WM_OP_F_VECTOR, step->op, step->a, a, b, condition);
  wm_note_made_vector(l, entry, step->a);
}

static void lower_global(struct wm_lowering *l, const struct wm_step *step)
{
  bool is_get = step->op == WM_OP_GLOBAL_GET_V;
  uint32_t a = is_get ? 0 : wm_take_slot(l, step->a), entry = l->used;
  emit_call(l, WM_OP_F_VECTOR, step->op, step->a, a, 0, 0);
  l->words[entry + 2].slot = ((struct wm_global_instance *)(uintptr_t)step->imm)->bits;
  if (is_get)
    wm_note_made_vector(l, entry, step->a);
}

void wm_fast_lower_vector(struct wm_lowering *l, const struct wm_step *step)
{
  switch (step->op) {
  case WM_OP_V128_CONST:
    wm_push_pending(l, step->a, (struct wm_fast_value){.kind = CONSTANT, .bits = step->imm, .high = step->c | (uint64_t)step->d << 32,
                                                       .is_wide = true});
    return;
  case WM_OP_LOCAL_GET_V:
    wm_push_pending(l, step->a, (struct wm_fast_value){.kind = IN_LOCAL, .slot = step->b, .is_wide = true});
    return;
  case WM_OP_LOCAL_SET_V: case WM_OP_LOCAL_TEE_V: set_local(l, step); return;
  case WM_OP_SELECT_V: lower_select(l, step); return;
  case WM_OP_GLOBAL_GET_V: case WM_OP_GLOBAL_SET_V: lower_global(l, step); return;
  case WM_OP_V128_LOAD: lower_load(l, step); return;
  case WM_OP_V128_STORE: lower_store(l, step); return;
  case WM_OP_V128_STORE8_LANE: case WM_OP_V128_STORE16_LANE: case WM_OP_V128_STORE32_LANE: case WM_OP_V128_STORE64_LANE:
    lower_lane_store(l, step);
    return;
  default: break;
  }
  if (wm_fast_is_vector_access(step->op))
    lower_scalar_load(l, step);
  else
    lower_row(l, step);
}
