/* Walking a whole body fast (Validation: Instructions; Appendix: Validation Algorithm): the same as walk_all.c, for compilers
 * with labels as values.
 *
 * Only what is certainly good is done here: an instruction of the common ones whose immediates are short and whose operands
 * are all there and of exactly the types wanted. Everything else (rare instructions, unreachable operands, subtypes, vectors,
 * long numbers, the body's last instruction, whatever is wrong) is left to wm_walk_step with nothing of it done, so verdicts,
 * messages and offsets have one source. Operands pushed and popped here take one slot each, so the difference between slots
 * and operands is the same at all of them. Each instruction ends in a jump of its own, which is what processors predict well. */
#include "decoder/read_type.h"
#include "decoder/walk_internal.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "long_leb and put take bytes as numbers");

/* A long number is looked at only where more bytes than these are left. */
#define LONGEST 12
#define HIGH_BITS UINT64_C(0x8080808080808080)
#define FALLBACK_IF(condition)                                                                                          \
  do {                                                                                                                  \
    if (__builtin_expect((condition), 0))                                                                               \
      goto fallback;                                                                                                    \
  } while (0)

/* Bytes of the number at `at` (eight may be read), when they are among the first `most`; else 0. */
static inline uint32_t long_leb(const uint8_t *at, uint32_t most)
{
  uint64_t bytes;
  __builtin_memcpy(&bytes, at, sizeof bytes);
  uint64_t ends = ~bytes & (HIGH_BITS >> (64 - 8 * most));
  return ends == 0 ? 0 : (uint32_t)__builtin_ctzll(ends) / 8 + 1;
}

static inline bool is_number(wm_valtype type) { return type <= WM_TYPE_I32 && type >= WM_TYPE_F64; }

/* What plain instructions of one byte take and give: numbers only, whose types fit into bytes. `bytes` are those of an access. */
struct plain { uint8_t first, second, result, bytes; };

#define AT(text, place) ((text)[(place) < sizeof(text) ? (place) : 0])
#define LAST(text) AT(text, sizeof(text) - 2)
#define PARAMS(signature)                                                                                               \
  (AT(signature, 0) == '\0' || AT(signature, 0) == ':' ? 0 : AT(signature, 1) == ':' ? 1 : AT(signature, 2) == ':' ? 2 : 3)
#define TYPE(letter)                                                                                                    \
  ((letter) == 'i' || (letter) == 'a' ? WM_TYPE_I32 : (letter) == 'I' ? WM_TYPE_I64 : (letter) == 'f' ? WM_TYPE_F32 :   \
   (letter) == 'F' ? WM_TYPE_F64 : WM_TYPE_BOTTOM)
/* Entries of tables by the opcode's byte: an instruction behind a prefix has none. */
#define ENTRY_0x00(code, ...) [code] = __VA_ARGS__,
#define ENTRY_0xfb(...)
#define ENTRY_0xfc(...)
#define ENTRY_0xfd(...)

static const struct plain plain[256] = {
#define WM_OP(NAME, prefix, code, text, immediates, signature, access, bytes)                                           \
  ENTRY_##prefix(code, {TYPE(AT(signature, 0)), TYPE(AT(signature, 1)), TYPE(LAST(signature)), bytes})
#include "decoder/opcodes.def"
#undef WM_OP
};

/* Lengths of instructions: 0 when they are not for here, or reach the body's end. */
static inline uint32_t fixed_length(const uint8_t *at, const uint8_t *end, uint32_t length) { return end - at > length ? length : 0; }

/* With a number of up to `most` bytes; any fits its type then. */
static inline uint32_t number_length(const uint8_t *at, const uint8_t *end, uint32_t most)
{
  if (end - at > 2 && at[1] < 0x80)
    return 2;
  uint32_t length = end - at > LONGEST ? long_leb(at + 1, most) : 0;
  return length == 0 ? 0 : 1 + length;
}

/* An access to memory 0 whose immediates are good. */
static inline uint32_t access_length(const uint8_t *at, const uint8_t *end, uint32_t bytes)
{
  if (end - at <= 3 || at[1] > 3 || 1u << at[1] > bytes)
    return 0;
  if (at[2] < 0x80)
    return 3;
  uint32_t length = end - at > LONGEST ? long_leb(at + 2, 4) : 0;
  return length == 0 ? 0 : 2 + length;
}

/* With an index of one or two bytes. */
static inline uint32_t index_length(const uint8_t *at, const uint8_t *end, uint32_t *index)
{
  if (end - at <= 3)
    return 0;
  *index = at[1];
  if (at[1] < 0x80)
    return 2;
  *index = (uint32_t)(at[1] & 0x7f) | (uint32_t)at[2] << 7;
  return at[2] < 0x80 ? 3 : 0;
}

/* The type of a call, if its operands (below `top`) are exactly the parameters, it has at most one result, and none takes two slots. */
static inline const struct wm_type *simple_call(const struct wm_module *module, uint32_t index, const struct wm_operand *top,
                                                size_t present)
{
  if (index >= module->func_count)
    return NULL;
  const struct wm_type *type = wm_func_type(module, index);
  uint32_t params = type->param_count;
  if (present < params || type->param_slots != params || type->result_count > 1 || type->result_slots > 1)
    return NULL;
  for (uint32_t i = 0; i < params; i++)
    if ((top - params)[i].type != type->params[i])
      return NULL;
  return type;
}

static inline bool has_top(const struct wm_operand *top, const struct wm_operand *floor, wm_valtype type)
{
  return top > floor && top[-1].type == type;
}

/* Whether exactly what a branch to the label takes is on top, and that is nothing or one value. */
static inline bool simple_branch(const struct wm_label *label, const struct wm_operand *top, size_t present)
{
  uint32_t count;
  const wm_valtype *types = wm_label_types(label, &count);
  return count == 0 || (count == 1 && present > 0 && top[-1].type == types[0]);
}

/* Whether the construct ends with exactly its results, nothing or one value, on top (which nothing need be behind a branch). */
static inline bool simple_end(const struct wm_walk *w, const struct wm_label *label, const struct wm_operand *top, size_t present)
{
  if (w->init_count != label->init_height)
    return false;
  if (label->result_count == 0)
    return present == 0 && (label->op != WM_OP_IF || label->param_count == 0);
  if (label->result_count != 1 || label->result_slots != 1 || label->op == WM_OP_IF)
    return false;
  return present == 1 ? top[-1].type == label->results[0] : present == 0 && label->is_unreachable;
}

/* As one word: compilers make vectors of two, which takes longer. */
static inline void put(struct wm_operand *operand, wm_valtype type, uint32_t slot)
{
  uint64_t both = (uint64_t)slot << 32 | type;
  __builtin_memcpy(operand, &both, sizeof both);
}

/* The state that the loop keeps in variables of its own, back into the walk. */
static void leave(struct wm_walk *w, const uint8_t *at, uint32_t number, uint32_t count, uint32_t bias, uint32_t highest)
{
  w->reader.at = at;
  w->next_number = number;
  w->operand_count = count;
  w->operand_slots = count + bias;
  if (w->max_operand_slots < highest + bias)
    w->max_operand_slots = highest + bias;
}

/* The instruction's length, or 0 to leave it. Where the next one is done is looked up at once: the sooner a jump's target is known,
 * the less it costs to have foreseen another. */
#define LENGTH(bytes)                                                                                                   \
  do {                                                                                                                  \
    length = (bytes);                                                                                                   \
    FALLBACK_IF(length == 0);                                                                                           \
    next = jumps[at[length]];                                                                                           \
  } while (0)
#define NEXT                                                                                                            \
  do {                                                                                                                  \
    at += length;                                                                                                       \
    number++;                                                                                                           \
    goto *next;                                                                                                         \
  } while (0)
/* Behind a push: there was room for it, there must be for the next. */
#define NEXT_GROWN                                                                                                      \
  do {                                                                                                                  \
    if (__builtin_expect(top > highest, 0)) {                                                                           \
      highest = top;                                                                                                    \
      if (top > most)                                                                                                   \
        next = &&fallback;                                                                                              \
    }                                                                                                                   \
    NEXT;                                                                                                               \
  } while (0)
#define PUSH(pushed)                                                                                                    \
  do {                                                                                                                  \
    put(top, (pushed), (uint32_t)(top - operands) + bias);                                                              \
    top++;                                                                                                              \
  } while (0)

/* Where an instruction of one byte is done: plain ones by what they read, take and give; the others by name, if at all. */
#define PLACE(NAME, kind, signature)                                                                                    \
  (kind) == WM_IMM_NONE && PARAMS(signature) == 2 ? &&binary :                                                          \
  (kind) == WM_IMM_NONE && PARAMS(signature) == 1 ? &&unary :                                                           \
  (kind) == WM_IMM_MEMARG && PARAMS(signature) == 1 ? &&load :                                                          \
  (kind) == WM_IMM_MEMARG && PARAMS(signature) == 2 ? &&store :                                                         \
  (kind) == WM_IMM_I32 ? &&i32_const :                                                                                  \
  (kind) == WM_IMM_I64 ? &&i64_const :                                                                                  \
  (kind) == WM_IMM_F32 ? &&f32_const :                                                                                  \
  (kind) == WM_IMM_F64 ? &&f64_const :                                                                                  \
  WM_OP_##NAME == WM_OP_LOCAL_GET ? &&local_get :                                                                       \
  WM_OP_##NAME == WM_OP_LOCAL_SET ? &&local_set :                                                                       \
  WM_OP_##NAME == WM_OP_LOCAL_TEE ? &&local_tee :                                                                       \
  WM_OP_##NAME == WM_OP_GLOBAL_GET ? &&global_get :                                                                     \
  WM_OP_##NAME == WM_OP_GLOBAL_SET ? &&global_set :                                                                     \
  WM_OP_##NAME == WM_OP_DROP ? &&drop :                                                                                 \
  WM_OP_##NAME == WM_OP_SELECT ? &&select :                                                                             \
  WM_OP_##NAME == WM_OP_BLOCK ? &&block :                                                                               \
  WM_OP_##NAME == WM_OP_LOOP ? &&loop :                                                                                 \
  WM_OP_##NAME == WM_OP_IF ? &&if_ :                                                                                    \
  WM_OP_##NAME == WM_OP_END ? &&end_ :                                                                                  \
  WM_OP_##NAME == WM_OP_BR ? &&br :                                                                                     \
  WM_OP_##NAME == WM_OP_BR_IF ? &&br_if :                                                                               \
  WM_OP_##NAME == WM_OP_RETURN ? &&return_ :                                                                            \
  WM_OP_##NAME == WM_OP_UNREACHABLE ? &&unreachable :                                                                   \
  WM_OP_##NAME == WM_OP_CALL ? &&call : &&fallback

#pragma GCC diagnostic ignored "-Woverride-init" /* bytes that are no instruction keep the first value */

bool wm_walk_all(struct wm_walk *w)
{
  static const void *const jumps[256] = {
    [0 ... 255] = &&fallback,
#define WM_OP(NAME, prefix, code, text, immediates, signature, access, bytes)                                           \
    ENTRY_##prefix(code, PLACE(NAME, WM_IMM_##immediates, signature))
#include "decoder/opcodes.def"
#undef WM_OP
  };
  const struct wm_module *module = w->module;
  const bool has_memory = module->memory_count > 0 && !module->memories[0].type.limits.is_64;
  const wm_valtype *locals = w->local_types;
  const uint32_t local_count = w->local_is_init == NULL ? w->local_count : 0;
  const uint8_t *at, *end = w->reader.end;
  struct wm_operand *operands, *top, *floor, *highest, *most;
  struct wm_label *label;
  const struct wm_type *type;
  const struct plain *row;
  const void *next;
  uint16_t op;
  uint32_t bias, number, index, length;

enter:
  at = w->reader.at;
  if (at == end || w->operand_capacity - w->operand_count < WM_WALK_HEADROOM)
    goto step;
  operands = w->operands;
  top = highest = operands + w->operand_count;
  bias = w->operand_slots - w->operand_count;
  most = operands + (w->operand_capacity - WM_WALK_HEADROOM);
  floor = operands + w->floor;
  number = w->next_number;
  goto *jumps[*at];

fallback:
  leave(w, at, number, (uint32_t)(top - operands), bias, (uint32_t)(highest - operands));
  w->floor = (uint32_t)(floor - operands);
step:
  if (!wm_walk_step(w))
    return false;
  if (w->is_done)
    return true;
  goto enter;

binary:
  LENGTH(fixed_length(at, end, 1));
  row = &plain[*at];
  FALLBACK_IF(top - floor < 2 || top[-2].type != row->first || top[-1].type != row->second);
  top--;
  top[-1].type = row->result; /* its slot is that of the first operand */
  NEXT;

unary:
  LENGTH(fixed_length(at, end, 1));
  row = &plain[*at];
  FALLBACK_IF(!has_top(top, floor, row->first));
  top[-1].type = row->result;
  NEXT;

load:
  row = &plain[*at];
  LENGTH(access_length(at, end, row->bytes));
  FALLBACK_IF(!has_memory || !has_top(top, floor, row->first));
  top[-1].type = row->result;
  NEXT;

store:
  row = &plain[*at];
  LENGTH(access_length(at, end, row->bytes));
  FALLBACK_IF(!has_memory || top - floor < 2 || top[-2].type != row->first || top[-1].type != row->second);
  top -= 2;
  NEXT;

i32_const:
  LENGTH(number_length(at, end, 4));
  PUSH(WM_TYPE_I32);
  NEXT_GROWN;

i64_const:
  LENGTH(number_length(at, end, 8));
  PUSH(WM_TYPE_I64);
  NEXT_GROWN;

f32_const:
  LENGTH(fixed_length(at, end, 5));
  PUSH(WM_TYPE_F32);
  NEXT_GROWN;

f64_const:
  LENGTH(fixed_length(at, end, 9));
  PUSH(WM_TYPE_F64);
  NEXT_GROWN;

local_get:
  LENGTH(index_length(at, end, &index));
  FALLBACK_IF(index >= local_count || locals[index] == WM_TYPE_V128);
  PUSH(locals[index]);
  NEXT_GROWN;

local_set:
  LENGTH(index_length(at, end, &index));
  FALLBACK_IF(index >= local_count || locals[index] == WM_TYPE_V128 || !has_top(top, floor, locals[index]));
  top--;
  NEXT;

local_tee:
  LENGTH(index_length(at, end, &index));
  FALLBACK_IF(index >= local_count || !has_top(top, floor, locals[index]));
  NEXT;

global_get:
  LENGTH(index_length(at, end, &index));
  FALLBACK_IF(index >= module->global_count || module->globals[index].type.type == WM_TYPE_V128);
  PUSH(module->globals[index].type.type);
  NEXT_GROWN;

global_set:
  LENGTH(index_length(at, end, &index));
  FALLBACK_IF(index >= module->global_count || !module->globals[index].type.is_mutable ||
              module->globals[index].type.type == WM_TYPE_V128 || !has_top(top, floor, module->globals[index].type.type));
  top--;
  NEXT;

drop:
  LENGTH(fixed_length(at, end, 1));
  FALLBACK_IF(top == floor || top[-1].type == WM_TYPE_V128);
  top--;
  NEXT;

select:
  LENGTH(fixed_length(at, end, 1));
  FALLBACK_IF(top - floor < 3 || top[-1].type != WM_TYPE_I32 || !is_number(top[-2].type) || top[-2].type != top[-3].type);
  top -= 2;
  NEXT;

block:
  op = WM_OP_BLOCK;
  goto open;
loop:
  op = WM_OP_LOOP;
  goto open;
if_:
  op = WM_OP_IF;
  FALLBACK_IF(!has_top(top, floor, WM_TYPE_I32));
open:
  LENGTH(fixed_length(at, end, 2));
  FALLBACK_IF((at[1] != WM_CODE_EMPTY_BLOCK && !is_number(at[1])) || w->label_count == w->label_capacity ||
              w->label_count >= w->limits->nesting);
  top -= op == WM_OP_IF;
  w->operand_count = (uint32_t)(top - operands);
  w->operand_slots = w->operand_count + bias;
  w->insn.offset = (uint64_t)(at - w->reader.base);
  if (at[1] == WM_CODE_EMPTY_BLOCK)
    wm_walk_push_label(w, op, NULL, NULL);
  else
    wm_walk_push_result_label(w, op, at[1]);
  floor = top;
  NEXT;

end_:
  LENGTH(fixed_length(at, end, 1));
  label = wm_walk_top(w);
  FALLBACK_IF(w->label_count < 2 || !simple_end(w, label, top, (size_t)(top - floor)));
  top = floor;
  if (label->result_count == 1)
    PUSH(label->results[0]);
  w->label_count--;
  label--;
  floor = operands + label->height;
  w->is_dead = label->is_unreachable || label->was_unreachable;
  NEXT_GROWN;

call:
  LENGTH(index_length(at, end, &index));
  type = simple_call(module, index, top, (size_t)(top - floor));
  FALLBACK_IF(type == NULL);
  top -= type->param_count;
  if (type->result_count == 0)
    NEXT;
  PUSH(type->results[0]);
  NEXT_GROWN;

br_if:
  LENGTH(index_length(at, end, &index));
  FALLBACK_IF(index >= w->label_count || !has_top(top, floor, WM_TYPE_I32) ||
              !simple_branch(wm_walk_label(w, index), top - 1, (size_t)(top - 1 - floor)));
  top--;
  NEXT;

br:
  LENGTH(index_length(at, end, &index));
  FALLBACK_IF(index >= w->label_count || !simple_branch(wm_walk_label(w, index), top, (size_t)(top - floor)));
  goto dead;
return_:
  LENGTH(fixed_length(at, end, 1));
  FALLBACK_IF(!simple_branch(&w->labels[0], top, (size_t)(top - floor)));
  goto dead;
unreachable:
  LENGTH(fixed_length(at, end, 1));
dead: /* what follows is */
  label = wm_walk_top(w);
  label->is_unreachable = true;
  w->is_dead = true;
  if (w->max_operand_slots < (uint32_t)(highest - operands) + bias)
    w->max_operand_slots = (uint32_t)(highest - operands) + bias;
  top = highest = floor;
  bias = label->height_slots - label->height;
  NEXT;
}
