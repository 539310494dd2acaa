/* Lowering of one body into the step stream (step.h): decoder/walk.h knows heights, types and labels, this file knows which slots
 * and ordinals that means. One pass, and a second over the entries that resolves branches, whose targets are at first the ordinal
 * of the construct's opening instruction. Cannot fail: space was reserved when the instance was linked. */
#include "interp/step.h"

#include "decoder/walk.h"

#define FUNCTION_LABEL UINT32_MAX /* tag of the label that is the function itself */

struct lowering {
  struct wm_walk walk;
  const struct wm_instance *instance;
  const struct wm_module *module;
  const struct wm_types *types;
  struct wm_step *steps;
  struct wm_step_target *targets;
  uint32_t target_count;
  struct wm_step_catch *catches; /* filled from the end, so that inner try_tables come first */
  uint32_t catch_first;
  uint32_t locals; /* frame slot where the operand stack begins */
  uint32_t top;    /* first free slot before the instruction */
};

uint64_t wm_step_space(const struct wm_func *func)
{
  return (uint64_t)func->instruction_count * sizeof(struct wm_step) + (uint64_t)func->branch_target_count * sizeof(struct wm_step_target) +
         (uint64_t)func->handler_count * sizeof(struct wm_step_catch) + 3 * 16;
}

/* ---- Branches -------------------------------------------------------------------------------------------------- */

static uint32_t label_slots(const struct wm_label *label)
{
  return label->op == WM_OP_LOOP ? label->param_slots : label->result_slots;
}

static uint16_t label_flags(const struct wm_label *label)
{
  return label->op == WM_OP_LOOP ? WM_STEP_BACK : 0;
}

static void lower_branch(struct lowering *l, struct wm_step *step, const struct wm_label *label, uint32_t values_end)
{
  step->d = label_slots(label);
  step->a = values_end - step->d;
  step->b = l->locals + label->height_slots;
  step->c = label->tag;
  step->flags |= label_flags(label);
}

static void add_target(struct lowering *l, const struct wm_label *label)
{
  l->targets[l->target_count++] = (struct wm_step_target){label->tag, l->locals + label->height_slots, label_flags(label)};
}

static void lower_br_table(struct lowering *l, struct wm_step *step)
{
  const struct wm_insn *insn = &l->walk.insn;
  uint64_t position = insn->vector_offset;
  step->a = l->top - 1;
  step->b = insn->vector_count;
  step->c = l->target_count;
  for (uint32_t i = 0; i < insn->vector_count; i++)
    add_target(l, wm_walk_label(&l->walk, wm_walk_read_label(l->module, &position)));
  const struct wm_label *last = wm_walk_label(&l->walk, insn->index);
  add_target(l, last);
  step->d = label_slots(last);
}

/* The labels of the clauses are counted from outside the try_table, whose own label is the innermost now. */
static void lower_try_table(struct lowering *l, uint32_t ordinal)
{
  const struct wm_insn *insn = &l->walk.insn;
  uint64_t position = insn->vector_offset;
  l->catch_first -= insn->vector_count;
  for (uint32_t i = 0; i < insn->vector_count; i++) {
    struct wm_catch clause = wm_walk_read_catch(l->module, &position);
    const struct wm_label *label = wm_walk_label(&l->walk, clause.label + 1);
    struct wm_step_catch *made = &l->catches[l->catch_first + i];
    made->first = ordinal;
    made->target = label->tag;
    made->to = l->locals + label->height_slots;
    made->kind = clause.kind;
    made->flags = (uint8_t)label_flags(label);
    made->tag = clause.kind <= WM_CATCH_REF ? l->instance->tags[clause.tag] : NULL;
  }
}

static void lower_end(struct lowering *l, struct wm_step *step, uint32_t ordinal)
{
  const struct wm_label *ended = &l->walk.ended;
  if (l->walk.label_count == 0) {
    step->op = WM_OP_END_FUNCTION;
    step->a = l->locals;
    return;
  }
  if (ended->was_unreachable)
    return;
  l->steps[ended->tag].d = ordinal;
  if (ended->op == WM_OP_IF)
    l->steps[ended->tag].c = ordinal;
}

static void lower_else(struct lowering *l, struct wm_step *step, uint32_t ordinal)
{
  struct wm_label *label = wm_walk_label(&l->walk, 0);
  label->tag = l->walk.ended.tag;
  if (l->walk.ended.was_unreachable) {
    step->op = WM_OP_UNREACHABLE;
    return;
  }
  step->c = label->tag;
  l->steps[label->tag].c = ordinal + 1;
}

/* ---- Families -------------------------------------------------------------------------------------------------- */

static void lower_call(struct lowering *l, struct wm_step *step)
{
  const struct wm_insn *insn = &l->walk.insn;
  step->c = insn->index;
  if (insn->op == WM_OP_CALL || insn->op == WM_OP_RETURN_CALL) {
    const struct wm_function *callee = l->instance->functions[insn->index];
    step->a = l->top - callee->param_slots;
    step->imm = wm_function_ref(callee);
    return;
  }
  step->b = l->top - 1;
  step->a = step->b - wm_types_get(l->types, insn->index)->param_slots;
  step->d = insn->index2;
}

static void lower_variable(struct lowering *l, struct wm_step *step)
{
  const struct wm_insn *insn = &l->walk.insn;
  bool is_local = insn->op == WM_OP_LOCAL_GET || insn->op == WM_OP_LOCAL_SET || insn->op == WM_OP_LOCAL_TEE;
  struct wm_global_instance *global = is_local ? NULL : l->instance->globals[insn->index];
  bool is_wide = (is_local ? wm_walk_local(&l->walk, insn->index) : global->type.type) == WM_TYPE_V128;
  bool is_get = insn->op == WM_OP_LOCAL_GET || insn->op == WM_OP_GLOBAL_GET;
  step->a = is_get ? l->top : l->top - (is_wide ? 2 : 1);
  if (is_local) {
    step->b = wm_walk_local_slot(&l->walk, insn->index);
  } else {
    step->c = insn->index;
    step->imm = (uint64_t)(uintptr_t)global;
    if (insn->index == 0 && (global->type.type == WM_TYPE_I32 || global->type.type == WM_TYPE_I64))
      step->flags |= WM_STEP_GLOBAL0;
  }
  if (is_wide)
    step->op = insn->op == WM_OP_LOCAL_GET   ? WM_OP_LOCAL_GET_V
               : insn->op == WM_OP_LOCAL_SET ? WM_OP_LOCAL_SET_V
               : insn->op == WM_OP_LOCAL_TEE ? WM_OP_LOCAL_TEE_V
               : is_get                      ? WM_OP_GLOBAL_GET_V
                                             : WM_OP_GLOBAL_SET_V;
}

static uint16_t storage_flags(wm_valtype storage)
{
  return storage == WM_TYPE_V128 ? WM_STEP_WIDE : storage == WM_TYPE_I8 ? WM_STEP_PACK8 : storage == WM_TYPE_I16 ? WM_STEP_PACK16 : 0;
}

static void lower_struct(struct lowering *l, struct wm_step *step)
{
  const struct wm_insn *insn = &l->walk.insn;
  const struct wm_type *type = wm_types_get(l->types, insn->index);
  step->c = insn->index;
  switch (insn->op) {
  case WM_OP_STRUCT_NEW: step->a = l->top - type->object_words; return;
  case WM_OP_STRUCT_NEW_DEFAULT: step->a = l->top; return;
  default: break;
  }
  wm_valtype storage = type->fields[insn->index2].storage;
  step->d = type->field_slots[insn->index2];
  step->flags = storage_flags(storage);
  step->a = insn->op == WM_OP_STRUCT_SET ? l->top - 1 - wm_type_slots(storage) : l->top - 1;
}

static void lower_array(struct lowering *l, struct wm_step *step)
{
  const struct wm_insn *insn = &l->walk.insn;
  uint32_t width = insn->op == WM_OP_ARRAY_LEN ? 1 : wm_types_get(l->types, insn->index)->object_words;
  step->c = insn->index;
  step->d = insn->index2;
  step->b = l->top - 1;
  if (insn->op != WM_OP_ARRAY_LEN)
    step->flags = storage_flags(wm_types_get(l->types, insn->index)->fields[0].storage);
  switch (insn->op) {
  case WM_OP_ARRAY_NEW: step->a = l->top - 1 - width; break;
  case WM_OP_ARRAY_NEW_FIXED: step->a = l->top - insn->index2 * width; break;
  case WM_OP_ARRAY_NEW_DEFAULT: case WM_OP_ARRAY_LEN: step->a = l->top - 1; break;
  case WM_OP_ARRAY_NEW_DATA: case WM_OP_ARRAY_NEW_ELEM: step->a = l->top - 2; break;
  case WM_OP_ARRAY_GET: case WM_OP_ARRAY_GET_S: case WM_OP_ARRAY_GET_U: step->a = l->top - 2; break;
  case WM_OP_ARRAY_SET: step->a = l->top - 2 - width; break;
  case WM_OP_ARRAY_FILL: step->a = l->top - 3 - width; break;
  case WM_OP_ARRAY_COPY: step->a = l->top - 5; break;
  default: step->a = l->top - 4; break; /* init_data, init_elem */
  }
}

/* Constants; slots `c` and `d` hold the upper half of 128 bits. */
static void lower_constant(struct lowering *l, struct wm_step *step)
{
  const struct wm_insn *insn = &l->walk.insn;
  step->a = l->top;
  switch (insn->op) {
  case WM_OP_F32_CONST: case WM_OP_F64_CONST: step->imm = insn->imm.bits; break;
  case WM_OP_REF_NULL: step->imm = 0; break;
  case WM_OP_REF_FUNC: step->imm = wm_function_ref(l->instance->functions[insn->index]); break;
  case WM_OP_I8X16_SHUFFLE: step->a = l->top - 4; /* fall through */
  case WM_OP_V128_CONST:
    step->imm = insn->imm.v128[0];
    step->c = (uint32_t)insn->imm.v128[1];
    step->d = (uint32_t)(insn->imm.v128[1] >> 32);
    break;
  default: step->imm = insn->imm.integer; break;
  }
}

static void lower_select(struct lowering *l, struct wm_step *step)
{
  const struct wm_operand *result = &l->walk.operands[l->walk.operand_count - 1];
  step->a = l->locals + result->slot;
  if (result->type == WM_TYPE_V128)
    step->op = WM_OP_SELECT_V;
}

/* Everything whose operands the opcode table's signature tells. */
static void lower_plain(struct lowering *l, struct wm_step *step)
{
  const struct wm_insn *insn = &l->walk.insn;
  uint32_t popped = 0;
  for (const char *s = wm_opcodes[insn->op].signature; *s != ':' && *s != 0; s++)
    popped += *s == 'v' ? 2 : 1;
  step->a = l->top - popped;
  step->b = insn->lane;
  step->c = insn->index;
  step->d = insn->index2;
  if (wm_opcodes[insn->op].access != WM_ACCESS_NONE)
    step->imm = insn->imm.address_offset;
}

/* Slots popped by an instruction of fixed operands that has no signature in the table. */
static void lower_popping(struct lowering *l, struct wm_step *step, uint32_t popped)
{
  step->a = l->top - popped;
  step->c = l->walk.insn.index;
  step->d = l->walk.insn.index2;
}

static void lower_one(struct lowering *l, struct wm_step *step, uint32_t ordinal)
{
  const struct wm_insn *insn = &l->walk.insn;
  switch (insn->op) {
  case WM_OP_BLOCK: case WM_OP_LOOP: break;
  case WM_OP_IF: step->a = l->top - 1; break;
  case WM_OP_TRY_TABLE: lower_try_table(l, ordinal); break;
  case WM_OP_BR: case WM_OP_BR_ON_NON_NULL: case WM_OP_BR_ON_CAST: case WM_OP_BR_ON_CAST_FAIL:
    lower_branch(l, step, wm_walk_label(&l->walk, insn->index), l->top);
    step->imm = insn->type;
    break;
  case WM_OP_BR_IF: case WM_OP_BR_ON_NULL:
    lower_branch(l, step, wm_walk_label(&l->walk, insn->index), l->top - 1);
    break;
  case WM_OP_BR_TABLE: lower_br_table(l, step); break;
  case WM_OP_RETURN: lower_branch(l, step, &l->walk.labels[0], l->top); break;
  case WM_OP_CALL: case WM_OP_RETURN_CALL: case WM_OP_CALL_INDIRECT: case WM_OP_RETURN_CALL_INDIRECT:
  case WM_OP_CALL_REF: case WM_OP_RETURN_CALL_REF:
    lower_call(l, step);
    break;
  case WM_OP_THROW:
    lower_popping(l, step, wm_types_get(l->types, l->instance->tags[insn->index]->type)->param_slots);
    step->imm = (uint64_t)(uintptr_t)l->instance->tags[insn->index];
    break;
  case WM_OP_SELECT: case WM_OP_SELECT_T: lower_select(l, step); break;
  case WM_OP_LOCAL_GET: case WM_OP_LOCAL_SET: case WM_OP_LOCAL_TEE: case WM_OP_GLOBAL_GET: case WM_OP_GLOBAL_SET:
    lower_variable(l, step);
    break;
  case WM_OP_I32_CONST: case WM_OP_I64_CONST: case WM_OP_F32_CONST: case WM_OP_F64_CONST: case WM_OP_V128_CONST:
  case WM_OP_I8X16_SHUFFLE: case WM_OP_REF_NULL: case WM_OP_REF_FUNC:
    lower_constant(l, step);
    break;
  case WM_OP_STRUCT_NEW: case WM_OP_STRUCT_NEW_DEFAULT: case WM_OP_STRUCT_GET: case WM_OP_STRUCT_GET_S: case WM_OP_STRUCT_GET_U:
  case WM_OP_STRUCT_SET:
    lower_struct(l, step);
    break;
  case WM_OP_ARRAY_NEW: case WM_OP_ARRAY_NEW_DEFAULT: case WM_OP_ARRAY_NEW_FIXED: case WM_OP_ARRAY_NEW_DATA: case WM_OP_ARRAY_NEW_ELEM:
  case WM_OP_ARRAY_GET: case WM_OP_ARRAY_GET_S: case WM_OP_ARRAY_GET_U: case WM_OP_ARRAY_SET: case WM_OP_ARRAY_LEN:
  case WM_OP_ARRAY_FILL: case WM_OP_ARRAY_COPY: case WM_OP_ARRAY_INIT_DATA: case WM_OP_ARRAY_INIT_ELEM:
    lower_array(l, step);
    break;
  case WM_OP_TABLE_SIZE: lower_popping(l, step, 0); break;
  case WM_OP_REF_TEST: case WM_OP_REF_TEST_NULL: case WM_OP_REF_CAST: case WM_OP_REF_CAST_NULL:
    step->imm = insn->type; /* fall through */
  case WM_OP_REF_IS_NULL: case WM_OP_REF_AS_NON_NULL: case WM_OP_THROW_REF: case WM_OP_TABLE_GET: case WM_OP_REF_I31:
  case WM_OP_I31_GET_S: case WM_OP_I31_GET_U:
    lower_popping(l, step, 1);
    break;
  case WM_OP_REF_EQ: case WM_OP_TABLE_SET: case WM_OP_TABLE_GROW: lower_popping(l, step, 2); break;
  case WM_OP_MEMORY_COPY: case WM_OP_TABLE_INIT: case WM_OP_TABLE_COPY: case WM_OP_TABLE_FILL: lower_popping(l, step, 3); break;
  default: lower_plain(l, step); break;
  }
}

/* ---- Branch targets ---------------------------------------------------------------------------------------------- */

/* Where control goes on that branches to the construct opened at `opener`: behind a loop's opcode, else to its end. */
static uint32_t resolve(const struct wm_step *steps, uint32_t count, uint32_t opener, uint32_t flags)
{
  if (opener == FUNCTION_LABEL)
    return count - 1;
  return (flags & WM_STEP_BACK) != 0 ? opener + 1 : steps[opener].d;
}

static void resolve_branches(struct lowering *l, uint32_t count, uint32_t catch_count)
{
  for (uint32_t i = 0; i < count; i++) {
    struct wm_step *step = &l->steps[i];
    switch (step->op) {
    case WM_OP_BR: case WM_OP_BR_IF: case WM_OP_RETURN: case WM_OP_BR_ON_NULL: case WM_OP_BR_ON_NON_NULL: case WM_OP_BR_ON_CAST:
    case WM_OP_BR_ON_CAST_FAIL: case WM_OP_ELSE:
      step->c = resolve(l->steps, count, step->c, step->flags);
      break;
    default: break;
    }
  }
  for (uint32_t i = 0; i < l->target_count; i++)
    l->targets[i].target = resolve(l->steps, count, l->targets[i].target, l->targets[i].flags);
  for (uint32_t i = l->catch_first; i < catch_count; i++) {
    struct wm_step_catch *clause = &l->catches[i];
    clause->last = l->steps[clause->first].d;
    clause->target = resolve(l->steps, count, clause->target, clause->flags);
  }
}

void wm_step_lower(struct wm_function *function)
{
  struct wm_instance *instance = function->instance;
  const struct wm_func *func = &instance->module->funcs[function->index];
  struct wm_arena *scratch = &instance->store->scratch;
  size_t mark = scratch->used;
  struct lowering l = {.instance = instance, .module = instance->module, .types = instance->store->types};
  l.steps = wm_arena_zero(&instance->code, func->instruction_count, sizeof *l.steps);
  l.targets = wm_arena_take(&instance->code, func->branch_target_count, sizeof *l.targets);
  l.catches = wm_arena_take(&instance->code, func->handler_count, sizeof *l.catches);
  l.catch_first = func->handler_count;
  l.locals = func->local_slots;
  wm_walk_begin(&l.walk, instance->module, function->index, scratch);
  l.walk.labels[0].tag = FUNCTION_LABEL;
  l.top = l.locals;
  for (uint32_t i = 0; wm_walk_next(&l.walk); i++) {
    struct wm_step *step = &l.steps[i];
    step->op = l.walk.insn.op;
    step->offset = (uint32_t)l.walk.insn.offset;
    if (wm_opcodes[step->op].immediates == WM_IMM_BLOCK || step->op == WM_OP_TRY_TABLE)
      wm_walk_label(&l.walk, 0)->tag = i;
    if (step->op == WM_OP_END)
      lower_end(&l, step, i);
    else if (step->op == WM_OP_ELSE)
      lower_else(&l, step, i);
    else if (l.walk.insn_unreachable)
      step->op = WM_OP_UNREACHABLE;
    else
      lower_one(&l, step, i);
    l.top = l.locals + l.walk.operand_slots;
  }
  resolve_branches(&l, func->instruction_count, func->handler_count);
  function->targets = l.targets;
  function->catches = l.catches + l.catch_first;
  function->catch_count = func->handler_count - l.catch_first;
  function->steps = l.steps;
  scratch->used = mark;
}
