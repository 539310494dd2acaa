/* The code section and constant expressions: every body is walked, and thereby validated, once (Binary Format: Code
 * Section; Validation: Functions, Constant Expressions).
 *
 * The walk's stacks live in struct wm_decode and serve one body after the other. What the walk found out about a body
 * (highest stack, nesting, instruction count) is kept with the function, so that later walks know their sizes. */
#include "decoder/decode.h"
#include "decoder/read_type.h"

/* Beyond this a count of slots could wrap 32 bits, whatever the configured limit. */
#define MOST_LOCALS ((uint64_t)1 << 28)

/* Skipping what need not be validated any more */

/* Opens one more construct on the label stack, of which only the opcodes are used here. */
static void skip_open(struct wm_decode *d, uint16_t op)
{
  d->walk.reader = d->reader;
  wm_walk_push_label(&d->walk, op, NULL, NULL);
  if (wm_reader_stopped(&d->walk.reader))
    d->reader = d->walk.reader;
}

static void skip_insn(struct wm_decode *d, struct wm_insn *insn, bool is_body)
{
  struct wm_reader *r = &d->reader;
  struct wm_walk *w = &d->walk;
  switch (wm_opcodes[insn->op].immediates) {
  case WM_IMM_BLOCK:
  case WM_IMM_TRY_TABLE:
    skip_open(d, insn->op);
    break;
  case WM_IMM_DATA:
  case WM_IMM_DATA_MEMORY:
  case WM_IMM_TYPE_DATA:
    if (is_body && !d->has_data_count)
      wm_reader_malformed(r, insn->offset, "data count section required");
    break;
  default:
    if (insn->op == WM_OP_END)
      w->label_count--;
    else if (insn->op == WM_OP_ELSE && wm_walk_top(w)->op == WM_OP_IF)
      wm_walk_top(w)->op = WM_OP_ELSE;
    else if (insn->op == WM_OP_ELSE)
      wm_reader_malformed(r, insn->offset, "END opcode expected");
    break;
  }
}

void wm_decode_skip_expr(struct wm_decode *d, bool is_body)
{
  struct wm_insn insn = {.op = WM_OP_NOP};
  d->walk.label_count = 0;
  skip_open(d, WM_OP_BLOCK);
  while (!wm_decode_stopped(d) && d->walk.label_count > 0) {
    insn.offset = wm_reader_offset(&d->reader);
    insn.op = wm_read_opcode(&d->reader);
    if (wm_decode_stopped(d))
      return;
    wm_read_immediates(&d->reader, d->module, &insn);
    if (!wm_decode_stopped(d))
      skip_insn(d, &insn, is_body);
  }
}

/* Walking */

static void begin_walk(struct wm_decode *d, const struct wm_func *func)
{
  struct wm_walk *w = &d->walk;
  w->func = func;
  w->module = d->module;
  w->reader = d->reader;
  w->insn.offset = wm_reader_offset(&d->reader);
  w->operand_count = w->operand_slots = w->label_count = w->init_count = w->floor = w->next_number = 0;
  w->local_count = w->branch_target_count = w->handler_count = w->max_operand_slots = w->max_labels = 0;
  w->local_is_init = NULL;
  w->is_done = w->is_dead = false;
}

/* Takes over the walk's place and errors; after a breach of validation the expression is skipped from its beginning. */
static bool finish_walk(struct wm_decode *d, const uint8_t *start, bool is_body)
{
  const struct wm_walk *w = &d->walk;
  d->reader.stop = w->reader.stop;
  d->reader.invalid = w->reader.invalid;
  d->reader.at = wm_decode_stopped(d) ? d->reader.end : w->is_done ? w->reader.at : start;
  if (wm_decode_is_good(d))
    return true;
  if (!wm_decode_stopped(d)) {
    d->reader.at = start;
    wm_decode_skip_expr(d, is_body);
  }
  return false;
}

struct wm_const_expr wm_decode_const_expr(struct wm_decode *d, wm_valtype expected)
{
  struct wm_walk *w = &d->walk;
  struct wm_const_expr expr = {{wm_reader_offset(&d->reader), 0}, 0, 0};
  if (!wm_decode_is_good(d)) {
    if (!wm_decode_stopped(d))
      wm_decode_skip_expr(d, false);
    return expr;
  }
  const uint8_t *start = d->reader.at;
  begin_walk(d, NULL);
  if (wm_walk_push_result_label(w, WM_OP_BLOCK, expected))
    while (wm_walk_next(w))
      if (w->insn.op == WM_OP_REF_FUNC)
        wm_decode_declare(d, w->insn.index);
  w->error = WM_ERROR_NONE;
  if (!finish_walk(d, start, false))
    return expr;
  expr.code.length = (uint64_t)(d->reader.at - start);
  expr.instruction_count = w->next_number;
  expr.max_slots = w->max_operand_slots;
  return expr;
}

/* Functions */

static void read_local_groups(struct wm_decode *d, struct wm_func *func)
{
  struct wm_reader *r = &d->reader;
  uint64_t start = wm_reader_offset(r), sum = 0;
  uint32_t group_count = wm_read_count(r);
  struct wm_local_group *groups = wm_decode_take(d, group_count, sizeof *groups);
  for (uint32_t i = 0; i < group_count && !wm_decode_stopped(d); i++) {
    groups[i].count = wm_read_u32(r);
    groups[i].type = wm_read_valtype(r, d->module);
    sum += groups[i].count;
  }
  if (wm_decode_stopped(d))
    return;
  if (sum > UINT32_MAX) {
    wm_reader_malformed(r, start, "too many locals");
    return;
  }
  func->local_groups = groups;
  func->local_group_count = group_count;
  if (!wm_decode_is_good(d))
    return;
  const struct wm_type *type = wm_types_get(d->types, func->type);
  uint64_t most = d->limits->function_locals < MOST_LOCALS ? d->limits->function_locals : MOST_LOCALS;
  d->local_type_total += sum;
  if (!wm_decode_limit(d, start, sum + type->param_count, most, "too many locals in a function") ||
      !wm_decode_limit(d, start, d->local_type_total, d->limits->local_types, "too many locals"))
    return;
  func->local_count = type->param_count + (uint32_t)sum;
  func->local_slots = type->param_slots;
  for (uint32_t i = 0; i < group_count; i++)
    func->local_slots += groups[i].count * wm_type_slots(groups[i].type);
}

static void walk_body(struct wm_decode *d, struct wm_func *func)
{
  struct wm_walk *w = &d->walk;
  const struct wm_type *type = wm_types_get(d->types, func->type);
  const uint8_t *start = d->reader.at;
  begin_walk(d, func);
  if (wm_walk_set_locals(w, type, func->local_groups, func->local_group_count) &&
      wm_walk_push_label(w, WM_OP_BLOCK, NULL, type))
    wm_walk_all(w);
  if (!finish_walk(d, start, true))
    return;
  func->max_operand_slots = w->max_operand_slots;
  func->max_nesting = w->max_labels;
  func->instruction_count = w->next_number;
  func->branch_target_count = w->branch_target_count;
  func->handler_count = w->handler_count;
  d->module->instruction_count += func->instruction_count;
  d->branch_target_total += func->branch_target_count;
  if (wm_decode_limit(d, func->code_offset, d->module->instruction_count, d->limits->instructions,
                      "too many instructions"))
    wm_decode_limit(d, func->code_offset, d->branch_target_total, d->limits->branch_targets, "too many branch targets");
}

/* Errors inside a body name its function. */
static void name_function(struct wm_decode *d, uint32_t index)
{
  if (d->reader.stop.status != WM_OK)
    d->reader.stop.function = index;
  else if (d->reader.invalid.status != WM_OK)
    d->reader.invalid.function = index;
}

static void read_body(struct wm_decode *d, uint32_t index)
{
  struct wm_reader *r = &d->reader;
  struct wm_func *func = &d->funcs[index];
  bool was_good = wm_decode_is_good(d);
  uint32_t size = wm_read_u32(r);
  const uint8_t *section_end = r->end, *body = wm_read_bytes(r, size);
  if (body == NULL)
    return;
  r->at = body;
  r->end = body + size;
  func->body = (struct wm_span){wm_reader_offset(r), size};
  read_local_groups(d, func);
  func->code_offset = wm_reader_offset(r);
  if (wm_decode_is_good(d))
    walk_body(d, func);
  else if (!wm_decode_stopped(d))
    wm_decode_skip_expr(d, true);
  if (!wm_decode_stopped(d) && r->at != r->end)
    wm_reader_malformed(r, wm_reader_offset(r), "section size mismatch");
  if (was_good || wm_decode_stopped(d))
    name_function(d, index);
  r->end = section_end;
  if (wm_decode_stopped(d))
    r->at = r->end;
}

void wm_decode_code(struct wm_decode *d)
{
  const struct wm_module *module = d->module;
  struct wm_reader *r = &d->reader;
  uint64_t offset = wm_reader_offset(r);
  uint32_t count = wm_read_count(r);
  d->has_code_section = true;
  if (!wm_decode_stopped(d) && count != module->func_count - module->imported_func_count)
    wm_reader_malformed(r, offset, "function and code section have inconsistent lengths");
  for (uint32_t i = 0; i < count && !wm_decode_stopped(d); i++)
    read_body(d, module->imported_func_count + i);
}
