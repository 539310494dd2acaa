/* The walk over one body: one step decodes and validates one instruction (Validation: Instructions; Appendix: Validation
 * Algorithm).
 *
 * The one-byte opcodes with a plain signature are checked by code that the compiler makes from the opcode table's own rows;
 * the families with typing of their own are in walk_*.c. Nothing is allocated per instruction. Whoever begins a walk owns
 * its scratch memory. */
#include "decoder/walk_internal.h"

/* For speed, each case gets code of its own; a build for size (the components) reads the rows as data. */
#ifdef __OPTIMIZE_SIZE__
#define ALWAYS_INLINE static
#else
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#endif

/* Scratch memory: a decoder's comes from the end of its arena, other users' from the front of theirs. */
static void *take_scratch(struct wm_walk *w, size_t count, size_t item_bytes)
{
  void *items = w->is_decoding ? wm_arena_take_end(w->scratch, count, item_bytes)
                               : wm_arena_take(w->scratch, count, item_bytes);
  if (items == NULL)
    wm_reader_stop(&w->reader, WM_NO_SPACE, w->insn.offset, "out of space for validation");
  return items;
}

bool wm_walk_reserve_slow(struct wm_walk *w, uint32_t count)
{
  if (count > UINT32_MAX / 4 - w->operand_capacity) {
    wm_reader_stop(&w->reader, WM_NO_SPACE, w->insn.offset, "out of space for validation");
    return false;
  }
  uint32_t capacity = w->operand_capacity * 2 + count + WM_WALK_HEADROOM;
  struct wm_operand *operands = take_scratch(w, capacity, sizeof *operands);
  if (operands == NULL)
    return false;
  for (uint32_t i = 0; i < w->operand_count; i++)
    operands[i] = w->operands[i];
  w->operands = operands;
  w->operand_capacity = capacity;
  return true;
}

static bool grow_labels(struct wm_walk *w)
{
  if (w->label_capacity > UINT32_MAX / 4) {
    wm_reader_stop(&w->reader, WM_NO_SPACE, w->insn.offset, "out of space for validation");
    return false;
  }
  uint32_t capacity = w->label_capacity * 2 + 1;
  struct wm_label *labels = take_scratch(w, capacity, sizeof *labels);
  if (labels == NULL)
    return false;
  for (uint32_t i = 0; i < w->label_count; i++) {
    labels[i] = w->labels[i];
    if (labels[i].results == &w->labels[i].single)
      labels[i].results = &labels[i].single;
  }
  w->labels = labels;
  w->label_capacity = capacity;
  return true;
}

bool wm_walk_push_label(struct wm_walk *w, uint16_t op, const struct wm_type *params, const struct wm_type *results)
{
  if (w->limits != NULL && w->label_count >= w->limits->nesting) {
    wm_reader_limit(&w->reader, w->insn.offset, w->limits->nesting, "too deep nesting");
    return false;
  }
  if (w->label_count == w->label_capacity && !grow_labels(w))
    return false;
  struct wm_label *label = &w->labels[w->label_count++];
  label->op = op;
  label->is_unreachable = false;
  label->was_unreachable = w->is_dead;
  label->height = w->operand_count;
  label->height_slots = w->operand_slots;
  label->param_count = label->result_count = label->param_slots = label->result_slots = 0;
  label->params = label->results = NULL;
  if (params != NULL) {
    label->param_count = params->param_count;
    label->param_slots = params->param_slots;
    label->params = params->params;
  }
  if (results != NULL) {
    label->result_count = results->result_count;
    label->result_slots = results->result_slots;
    label->results = results->results;
  }
  label->init_height = w->init_count;
  label->offset = w->insn.offset;
  label->tag = 0;
  label->checked = 0;
  w->floor = w->operand_count;
  if (w->label_count > w->max_labels)
    w->max_labels = w->label_count;
  return true;
}

bool wm_walk_push_result_label(struct wm_walk *w, uint16_t op, wm_valtype result)
{
  if (!wm_walk_push_label(w, op, NULL, NULL))
    return false;
  struct wm_label *label = wm_walk_top(w);
  label->single = result;
  label->results = &label->single;
  label->result_count = 1;
  label->result_slots = wm_type_slots(result);
  return true;
}

/* Typing */

wm_valtype wm_walk_pop_ref(struct wm_walk *w)
{
  wm_valtype type = wm_walk_pop(w);
  if (type == WM_TYPE_BOTTOM)
    return WM_REF(WM_HEAP_BOTTOM, false);
  if (!wm_type_is_ref(type))
    wm_walk_invalid(w, WM_MISMATCH);
  return type;
}

/* Whether the topmost operands, all of the innermost label's, are exactly these. A hostile module asks for thousands of them at
 * each instruction: the loop is one that compilers turn into vectors. */
static bool tops_are(const struct wm_walk *w, const wm_valtype *types, uint32_t count)
{
  if (w->operand_count - w->floor < count)
    return false;
  const struct wm_operand *first = w->operands + (w->operand_count - count);
  wm_valtype different = 0;
  for (uint32_t i = 0; i < count; i++)
    different |= first[i].type ^ types[i];
  return different == 0;
}

bool wm_walk_pop_types(struct wm_walk *w, const wm_valtype *types, uint32_t count)
{
  if (count == 0)
    return true;
  if (tops_are(w, types, count)) {
    w->operand_count -= count;
    w->operand_slots = w->operands[w->operand_count].slot;
    return true;
  }
  uint32_t present = w->operand_count - w->floor < count ? w->operand_count - w->floor : count;
  for (uint32_t i = 0; i < present; i++) {
    wm_valtype type = w->operands[w->operand_count - 1 - i].type, expected = types[count - 1 - i];
    if (type != expected && (type | WM_TYPE_NULLABLE) != expected && !wm_type_matches(w->module->types, type, expected))
      wm_walk_invalid(w, WM_MISMATCH);
  }
  w->operand_count -= present;
  if (present > 0)
    w->operand_slots = w->operands[w->operand_count].slot;
  if (present < count && !wm_walk_top(w)->is_unreachable)
    wm_walk_invalid(w, WM_MISMATCH);
  return false;
}

void wm_walk_push_types(struct wm_walk *w, const wm_valtype *types, uint32_t count)
{
  if (count == 0 || !wm_walk_reserve(w, count))
    return;
  struct wm_operand *first = w->operands + w->operand_count;
  uint32_t slots = w->operand_slots;
  for (uint32_t i = 0; i < count; i++) {
    first[i].type = types[i];
    first[i].slot = slots;
    slots += wm_type_slots(types[i]);
  }
  w->operand_count += count;
  w->operand_slots = slots;
  if (slots > w->max_operand_slots)
    w->max_operand_slots = slots;
}

void wm_walk_set_unreachable(struct wm_walk *w)
{
  struct wm_label *label = wm_walk_top(w);
  label->is_unreachable = true;
  w->is_dead = true;
  w->operand_count = label->height;
  w->operand_slots = label->height_slots;
}

/* The type that a letter of a signature stands for. */
ALWAYS_INLINE wm_valtype letter_type(char letter, wm_valtype address)
{
  switch (letter) {
  case 'i':
    return WM_TYPE_I32;
  case 'I':
    return WM_TYPE_I64;
  case 'f':
    return WM_TYPE_F32;
  case 'F':
    return WM_TYPE_F64;
  case 'v':
    return WM_TYPE_V128;
  default: /* 'a' */
    return address;
  }
}

void wm_walk_plain(struct wm_walk *w, const char *signature, wm_valtype address)
{
  unsigned params = 0;
  while (signature[params] != ':')
    params++;
  for (unsigned i = params; i > 0; i--)
    wm_walk_pop_type(w, letter_type(signature[i - 1], address));
  for (const char *result = signature + params + 1; *result != '\0'; result++)
    wm_walk_push(w, letter_type(*result, address));
}

/* Whether the topmost operands, all of the innermost label's, are exactly those of a signature known to the compiler. */
ALWAYS_INLINE bool operands_are(const struct wm_walk *w, const char *signature, uint32_t params, wm_valtype address)
{
  if (w->operand_count - w->floor < params)
    return false;
  const struct wm_operand *first = w->operands + (w->operand_count - params);
  return (params < 1 || first[0].type == letter_type(signature[0], address)) &&
         (params < 2 || first[1].type == letter_type(signature[1], address)) &&
         (params < 3 || first[2].type == letter_type(signature[2], address));
}

/* The same as wm_walk_plain for a signature known to the compiler, which leaves a handful of comparisons. No plain one has
 * more than three operands or more than one result. */
ALWAYS_INLINE void plain(struct wm_walk *w, const char *signature, wm_valtype address)
{
  uint32_t params = signature[0] == ':' ? 0 : signature[1] == ':' ? 1 : signature[2] == ':' ? 2 : 3;
  if (!operands_are(w, signature, params, address)) {
    wm_walk_plain(w, signature, address);
    return;
  }
  struct wm_operand *first = w->operands + (w->operand_count - params);
  uint32_t slots = params > 0 ? first->slot : w->operand_slots;
  char result = signature[params + 1];
  if (result != '\0') {
    wm_valtype type = letter_type(result, address);
    first->type = type;
    first->slot = slots;
    slots += wm_type_slots(type);
    if ((params == 0 || (params == 1 && result == 'v')) && slots > w->max_operand_slots)
      w->max_operand_slots = slots;
  }
  w->operand_slots = slots;
  w->operand_count = w->operand_count - params + (result != '\0');
}

/* Index checks */

static bool has(struct wm_walk *w, uint32_t index, uint32_t count, const char *message)
{
  if (index < count)
    return true;
  wm_walk_invalid(w, message);
  return false;
}

bool wm_walk_has_func(struct wm_walk *w, uint32_t index)
{
  return has(w, index, w->module->func_count, "unknown function");
}

bool wm_walk_has_table(struct wm_walk *w, uint32_t index)
{
  return has(w, index, w->module->table_count, "unknown table");
}

bool wm_walk_has_memory(struct wm_walk *w, uint32_t index)
{
  return has(w, index, w->module->memory_count, "unknown memory");
}

bool wm_walk_has_label(struct wm_walk *w, uint32_t depth)
{
  return has(w, depth, w->label_count, "unknown label");
}

bool wm_walk_has_elem(struct wm_walk *w, uint32_t index)
{
  return has(w, index, w->module->element_count, "unknown elem segment");
}

bool wm_walk_has_data(struct wm_walk *w, uint32_t index)
{
  if (w->data_count == WM_NO_INDEX) {
    wm_reader_malformed(&w->reader, w->insn.offset, "data count section required");
    return false;
  }
  return has(w, index, w->data_count, "unknown data segment");
}

/* Checks what a memory access says besides its operands; the address type, or WM_TYPE_BOTTOM when refused. */
static wm_valtype check_memarg(struct wm_walk *w, uint32_t access_bytes)
{
  if (!wm_walk_has_memory(w, w->insn.index))
    return WM_TYPE_BOTTOM;
  const struct wm_limits_type *limits = &w->module->memories[w->insn.index].type.limits;
  if (w->insn.align_log2 > 4 || 1u << w->insn.align_log2 > access_bytes)
    wm_walk_invalid(w, "alignment must not be larger than natural");
  if (!limits->is_64 && w->insn.imm.address_offset > UINT32_MAX)
    wm_walk_invalid(w, "offset out of range");
  return wm_address_type(limits);
}

/* Reads and checks the immediates of a plain one-byte instruction. */
ALWAYS_INLINE wm_valtype plain_immediates(struct wm_walk *w, enum wm_imm kind, uint32_t access_bytes)
{
  struct wm_reader *r = &w->reader;
  wm_valtype address = WM_TYPE_BOTTOM;
  switch (kind) {
  case WM_IMM_MEMARG:
    if (wm_reader_left(r) >= 2 && r->at[0] <= 4 && r->at[1] < 0x80) {
      w->insn.index = 0;
      w->insn.align_log2 = r->at[0];
      w->insn.imm.address_offset = r->at[1];
      r->at += 2;
    } else {
      wm_read_memarg(r, &w->insn);
    }
    address = check_memarg(w, access_bytes);
    break;
  case WM_IMM_MEMORY:
    w->insn.index = wm_read_u32(r);
    if (wm_walk_has_memory(w, w->insn.index))
      address = wm_address_type(&w->module->memories[w->insn.index].type.limits);
    break;
  case WM_IMM_I32:
    w->insn.imm.integer = (uint32_t)wm_read_s32(r);
    break;
  case WM_IMM_I64:
    w->insn.imm.integer = (uint64_t)wm_read_s64(r);
    break;
  case WM_IMM_F32:
    w->insn.imm.bits = wm_read_little_endian(r, 4);
    break;
  case WM_IMM_F64:
    w->insn.imm.bits = wm_read_little_endian(r, 8);
    break;
  default:
    break;
  }
  return address;
}

/* Lane numbers against the lane width of the opcode table. */
static void check_lanes(struct wm_walk *w, const struct wm_opcode *opcode)
{
  bool is_good = true;
  if (opcode->immediates == WM_IMM_SHUFFLE)
    is_good = ((w->insn.imm.v128[0] | w->insn.imm.v128[1]) & UINT64_C(0xe0e0e0e0e0e0e0e0)) == 0;
  else if (opcode->immediates == WM_IMM_LANE || opcode->immediates == WM_IMM_MEMARG_LANE)
    is_good = w->insn.lane < 16 / opcode->access_bytes;
  if (!is_good)
    wm_walk_invalid(w, "invalid lane index");
}

/* An instruction behind a prefix that has a plain signature. */
static void prefixed_plain(struct wm_walk *w, const struct wm_opcode *opcode)
{
  wm_valtype address = WM_TYPE_BOTTOM;
  switch (opcode->immediates) {
  case WM_IMM_MEMARG:
  case WM_IMM_MEMARG_LANE:
    address = check_memarg(w, opcode->access_bytes);
    break;
  case WM_IMM_MEMORY:
    if (!wm_walk_has_memory(w, w->insn.index))
      return;
    address = wm_address_type(&w->module->memories[w->insn.index].type.limits);
    break;
  case WM_IMM_DATA_MEMORY:
    if (!wm_walk_has_memory(w, w->insn.index2) || !wm_walk_has_data(w, w->insn.index))
      return;
    address = wm_address_type(&w->module->memories[w->insn.index2].type.limits);
    break;
  case WM_IMM_DATA:
    wm_walk_has_data(w, w->insn.index);
    break;
  case WM_IMM_ELEM:
    wm_walk_has_elem(w, w->insn.index);
    break;
  default:
    break;
  }
  check_lanes(w, opcode);
  wm_walk_plain(w, opcode->signature, address);
}

/* Variables and parametric instructions */

ALWAYS_INLINE bool local_index(struct wm_walk *w)
{
  w->insn.index = wm_read_u32(&w->reader);
  if (w->insn.index < w->local_count)
    return true;
  wm_walk_invalid(w, "unknown local");
  return false;
}

static void mark_init(struct wm_walk *w, uint32_t index)
{
  if (w->local_is_init[index])
    return;
  w->local_is_init[index] = 1;
  w->init_stack[w->init_count++] = index;
}

ALWAYS_INLINE void local_get(struct wm_walk *w)
{
  if (!local_index(w))
    return;
  if (w->local_is_init != NULL && !w->local_is_init[w->insn.index])
    wm_walk_invalid(w, "uninitialized local");
  wm_walk_push(w, w->local_types[w->insn.index]);
}

ALWAYS_INLINE void local_set(struct wm_walk *w, bool is_tee)
{
  if (!local_index(w))
    return;
  wm_valtype type = w->local_types[w->insn.index];
  wm_walk_pop_type(w, type);
  if (w->local_is_init != NULL)
    mark_init(w, w->insn.index);
  if (is_tee)
    wm_walk_push(w, type);
}

static bool global_index(struct wm_walk *w)
{
  w->insn.index = wm_read_u32(&w->reader);
  return has(w, w->insn.index, w->module->global_count, "unknown global");
}

static void global_get(struct wm_walk *w)
{
  if (global_index(w))
    wm_walk_push(w, w->module->globals[w->insn.index].type.type);
}

static void global_set(struct wm_walk *w)
{
  if (!global_index(w))
    return;
  const struct wm_global_type *global = &w->module->globals[w->insn.index].type;
  if (!global->is_mutable)
    wm_walk_invalid(w, "immutable global");
  wm_walk_pop_type(w, global->type);
}

/* select without a type: two operands of one number or vector type. */
static void select_untyped(struct wm_walk *w)
{
  wm_walk_pop_type(w, WM_TYPE_I32);
  wm_valtype second = wm_walk_pop(w), first = wm_walk_pop(w);
  if (wm_type_is_ref(first) || wm_type_is_ref(second) ||
      (first != second && first != WM_TYPE_BOTTOM && second != WM_TYPE_BOTTOM))
    wm_walk_invalid(w, WM_MISMATCH);
  wm_walk_push(w, first == WM_TYPE_BOTTOM ? second : first);
}

static void select_typed(struct wm_walk *w)
{
  if (w->insn.vector_count != 1) {
    wm_walk_invalid(w, "invalid result arity");
    return;
  }
  wm_walk_pop_type(w, WM_TYPE_I32);
  wm_walk_pop_type(w, w->insn.type);
  wm_walk_pop_type(w, w->insn.type);
  wm_walk_push(w, w->insn.type);
}

/* Everything the step does not treat itself: immediates first, then the family. */
static void other(struct wm_walk *w)
{
  struct wm_insn *insn = &w->insn;
  if (insn->op >= WM_OP_COUNT) {
    w->reader.at = w->reader.base + (size_t)insn->offset;
    insn->op = wm_read_opcode(&w->reader);
    if (wm_reader_stopped(&w->reader))
      return;
  }
  wm_read_immediates(&w->reader, w->module, insn);
  if (!wm_reader_is_good(&w->reader))
    return;
  const struct wm_opcode *opcode = &wm_opcodes[insn->op];
  if (opcode->signature[0] != '\0') {
    prefixed_plain(w, opcode);
    return;
  }
  switch (insn->op) {
  case WM_OP_SELECT_T:
    select_typed(w);
    break;
  case WM_OP_BLOCK:
  case WM_OP_LOOP:
  case WM_OP_IF:
  case WM_OP_TRY_TABLE:
    wm_walk_block(w);
    break;
  default:
    if (opcode->prefix == 0 && opcode->code < 0x20)
      wm_walk_control(w);
    else if (opcode->prefix == 0xfb && opcode->code < wm_opcodes[WM_OP_REF_TEST].code)
      wm_walk_aggregate(w);
    else if (opcode->prefix == 0xfb || opcode->code >= wm_opcodes[WM_OP_REF_NULL].code)
      wm_walk_reference(w);
    else
      wm_walk_bulk(w);
  }
}

/* One instruction. The rows of the table with a one-byte opcode and a plain signature become cases of that byte; the others
 * get labels that no byte has, and no code. */
#define IS_CASE(prefix, signature) ((prefix) == 0 && sizeof(signature) > 1)
#define NO_CASE(NAME) (256u + (uint32_t)WM_OP_##NAME)

enum one_byte_code {
#define WM_OP(NAME, prefix, code, text, immediates, signature, access, bytes) CODE_##NAME = (prefix) == 0 ? (code) : 256,
#include "decoder/opcodes.def"
#undef WM_OP
};

bool wm_walk_step(struct wm_walk *w)
{
  struct wm_reader *r = &w->reader;
  w->insn.offset = wm_reader_offset(r);
  w->insn_number = w->next_number++;
  w->insn_unreachable = w->is_dead;
  w->popped_count = w->operand_count;
  w->popped_slots = w->operand_slots;
  if (w->operand_capacity - w->operand_count < WM_WALK_HEADROOM && !wm_walk_reserve_slow(w, WM_WALK_HEADROOM))
    return false;
  if (r->at == r->end) {
    wm_reader_malformed(r, w->insn.offset, "unexpected end of section or function");
    return false;
  }
  uint32_t byte = *r->at++;
  w->insn.op = (uint16_t)(wm_op_by_byte[byte] - 1);
  switch (byte) {
#define WM_OP(NAME, prefix, code, text, immediates, signature, access, bytes)                                           \
  case IS_CASE(prefix, signature) ? (uint32_t)(code) : NO_CASE(NAME):                                                   \
    if (IS_CASE(prefix, signature))                                                                                     \
      plain(w, signature, plain_immediates(w, WM_IMM_##immediates, bytes));                                             \
    break;
#include "decoder/opcodes.def"
#undef WM_OP
  case CODE_LOCAL_GET:
    local_get(w);
    break;
  case CODE_LOCAL_SET:
    local_set(w, false);
    break;
  case CODE_LOCAL_TEE:
    local_set(w, true);
    break;
  case CODE_GLOBAL_GET:
    global_get(w);
    break;
  case CODE_GLOBAL_SET:
    global_set(w);
    break;
  case CODE_DROP:
    wm_walk_pop(w);
    break;
  case CODE_SELECT:
    select_untyped(w);
    break;
  case CODE_ELSE:
    wm_walk_else(w);
    break;
  case CODE_END:
    wm_walk_end(w);
    break;
  case CODE_BR:
  case CODE_BR_IF:
  case CODE_CALL:
    w->insn.index = wm_read_u32(r);
    wm_walk_control(w);
    break;
  default:
    other(w);
    break;
  }
  w->insn.length = (uint32_t)(wm_reader_offset(r) - w->insn.offset);
  return wm_reader_is_good(r);
}

bool wm_walk_next(struct wm_walk *w)
{
  if (w->is_done || !wm_reader_is_good(&w->reader))
    return false;
  if ((w->func == NULL && !wm_walk_check_constant(w)) || !wm_walk_step(w)) {
    w->error = wm_reader_stopped(&w->reader) ? w->reader.stop : w->reader.invalid;
    return false;
  }
  return true;
}

/* Beginning a walk */

static bool begin(struct wm_walk *w, const struct wm_module *module, struct wm_arena *scratch, struct wm_span code,
                  uint32_t operands, uint32_t labels)
{
  *w = (struct wm_walk){.module = module, .error = WM_ERROR_NONE, .scratch = scratch};
  w->reader = wm_reader_make(module->bytes, 0);
  w->reader.at = module->bytes + (size_t)code.offset;
  w->reader.end = w->reader.at + (size_t)code.length;
  w->data_count = module->data_count;
  w->operands = wm_arena_take(scratch, (size_t)operands + WM_WALK_HEADROOM, sizeof *w->operands);
  w->labels = wm_arena_take(scratch, labels, sizeof *w->labels);
  w->operand_capacity = operands + WM_WALK_HEADROOM;
  w->label_capacity = labels;
  return w->operands != NULL && w->labels != NULL;
}

bool wm_walk_begin(struct wm_walk *w, const struct wm_module *module, uint32_t index, struct wm_arena *scratch)
{
  const struct wm_func *func = &module->funcs[index];
  struct wm_span code = {func->code_offset, func->body.offset + func->body.length - func->code_offset};
  if (!begin(w, module, scratch, code, func->max_operand_slots, func->max_nesting))
    return false;
  w->func = func;
  const struct wm_type *type = wm_types_get(module->types, func->type);
  return wm_walk_set_locals(w, type, func->local_groups, func->local_group_count) &&
         wm_walk_push_label(w, WM_OP_BLOCK, NULL, type);
}

bool wm_walk_begin_const(struct wm_walk *w, const struct wm_module *module, const struct wm_const_expr *expr,
                         wm_valtype expected, struct wm_arena *scratch)
{
  if (!begin(w, module, scratch, expr->code, expr->max_slots, 1))
    return false;
  return wm_walk_push_result_label(w, WM_OP_BLOCK, expected);
}

static uint64_t taken_bytes(uint64_t count, uint64_t item_bytes) { return (count * item_bytes + 15) / 16 * 16; }

uint64_t wm_walk_scratch(const struct wm_func *func)
{
  uint64_t locals = func->local_count;
  return 16 + taken_bytes((uint64_t)func->max_operand_slots + WM_WALK_HEADROOM, sizeof(struct wm_operand)) +
         taken_bytes(func->max_nesting, sizeof(struct wm_label)) + taken_bytes(locals, sizeof(wm_valtype)) +
         taken_bytes(locals, sizeof(uint8_t)) + 2 * taken_bytes(locals, sizeof(uint32_t));
}

uint64_t wm_walk_scratch_const(const struct wm_const_expr *expr)
{
  return 16 + taken_bytes((uint64_t)expr->max_slots + WM_WALK_HEADROOM, sizeof(struct wm_operand)) +
         taken_bytes(1, sizeof(struct wm_label));
}

bool wm_walk_set_locals(struct wm_walk *w, const struct wm_type *type, const struct wm_local_group *groups,
                        uint32_t group_count)
{
  uint32_t count = type->param_count, slots = type->param_slots;
  bool all_defaultable = true;
  for (uint32_t i = 0; i < group_count; i++) {
    count += groups[i].count; /* the decoder has checked the sum */
    slots += groups[i].count * wm_type_slots(groups[i].type);
    all_defaultable = all_defaultable && (groups[i].count == 0 || wm_type_is_defaultable(groups[i].type));
  }
  if (count > w->local_capacity) {
    w->local_capacity = w->local_capacity * 2 > count ? w->local_capacity * 2 : count;
    w->local_types = take_scratch(w, w->local_capacity, sizeof *w->local_types);
    if (w->local_types == NULL)
      return false;
  }
  w->local_count = 0;
  for (uint32_t i = 0; i < type->param_count; i++)
    w->local_types[w->local_count++] = type->params[i];
  for (uint32_t i = 0; i < group_count; i++)
    for (uint32_t j = 0; j < groups[i].count; j++)
      w->local_types[w->local_count++] = groups[i].type;
  w->init_count = 0;
  w->local_is_init = NULL;
  if (!all_defaultable) {
    if (count > w->init_capacity) {
      w->init_capacity = w->local_capacity;
      w->init_flags = take_scratch(w, w->init_capacity, sizeof *w->init_flags);
      w->init_stack = take_scratch(w, w->init_capacity, sizeof *w->init_stack);
      if (w->init_flags == NULL || w->init_stack == NULL)
        return false;
    }
    w->local_is_init = w->init_flags;
    for (uint32_t i = 0; i < count; i++)
      w->local_is_init[i] = i < type->param_count || wm_type_is_defaultable(w->local_types[i]);
  }
  if (w->is_decoding || slots == count)
    return true;
  w->local_slots = take_scratch(w, count, sizeof *w->local_slots);
  if (w->local_slots == NULL)
    return false;
  for (uint32_t i = 0, slot = 0; i < count; i++) {
    w->local_slots[i] = slot;
    slot += wm_type_slots(w->local_types[i]);
  }
  return true;
}

wm_valtype wm_walk_local(const struct wm_walk *w, uint32_t index) { return w->local_types[index]; }

uint32_t wm_walk_local_slot(const struct wm_walk *w, uint32_t index)
{
  return w->local_slots == NULL ? index : w->local_slots[index];
}

/* Vectors */

uint32_t wm_walk_read_label(const struct wm_module *module, uint64_t *position)
{
  struct wm_reader r = wm_reader_make(module->bytes, (size_t)module->size);
  r.at += (size_t)*position;
  uint32_t label = wm_read_u32(&r);
  *position = wm_reader_offset(&r);
  return label;
}

struct wm_catch wm_walk_read_catch(const struct wm_module *module, uint64_t *position)
{
  struct wm_reader r = wm_reader_make(module->bytes, (size_t)module->size);
  r.at += (size_t)*position;
  struct wm_catch clause = wm_read_catch(&r);
  *position = wm_reader_offset(&r);
  return clause;
}
