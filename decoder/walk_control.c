/* Control instructions of the walk: blocks, branches, calls, exceptions (Validation: Control Instructions). */
#include "decoder/walk_internal.h"

/* Locals set inside a construct that is left count as not set again, if they have no default value. */
static void reset_inits(struct wm_walk *w, const struct wm_label *label)
{
  while (w->init_count > label->init_height)
    w->local_is_init[w->init_stack[--w->init_count]] = 0;
}

/* The operands above the label's height must be exactly its results; afterwards there are none. Returns what wm_walk_pop_types does. */
static bool close_arm(struct wm_walk *w)
{
  struct wm_label *label = wm_walk_top(w);
  bool were_exact = wm_walk_pop_types(w, label->results, label->result_count);
  if (w->operand_count != label->height)
    wm_walk_invalid(w, WM_MISMATCH);
  w->operand_count = label->height;
  w->operand_slots = label->height_slots;
  reset_inits(w, label);
  w->ended = *label;
  if (label->results == &label->single)
    w->ended.results = &w->ended.single;
  return were_exact;
}

void wm_walk_else(struct wm_walk *w)
{
  struct wm_label *label = wm_walk_top(w);
  if (label->op != WM_OP_IF) {
    wm_reader_malformed(&w->reader, w->insn.offset, "END opcode expected");
    return;
  }
  close_arm(w);
  label->op = WM_OP_ELSE;
  label->is_unreachable = false;
  w->is_dead = label->was_unreachable;
  wm_walk_push_types(w, label->params, label->param_count);
}

/* Without an else, the parameters themselves are the other arm's results. */
static void check_missing_else(struct wm_walk *w, const struct wm_label *label)
{
  bool is_good = label->param_count == label->result_count;
  for (uint32_t i = 0; is_good && i < label->param_count; i++)
    is_good = label->params[i] == label->results[i] || wm_type_matches(w->module->types, label->params[i], label->results[i]);
  if (!is_good)
    wm_walk_invalid(w, WM_MISMATCH);
}

void wm_walk_end(struct wm_walk *w)
{
  const struct wm_label *label = wm_walk_top(w);
  if (label->op == WM_OP_IF)
    check_missing_else(w, label);
  uint32_t slots = w->operand_slots;
  bool were_exact = close_arm(w);
  w->label_count--;
  if (w->label_count == 0) {
    w->is_done = true;
    w->floor = 0;
  } else {
    const struct wm_label *outer = wm_walk_top(w);
    w->floor = outer->height;
    w->is_dead = outer->is_unreachable || outer->was_unreachable;
  }
  wm_walk_push_popped(w, w->ended.results, w->ended.result_count, were_exact, slots);
}

static void check_catch(struct wm_walk *w, const struct wm_catch *clause)
{
  static const wm_valtype exn = WM_REF(WM_HEAP_EXN, false);
  const struct wm_type *tag = NULL;
  if (clause->kind == WM_CATCH || clause->kind == WM_CATCH_REF) {
    if (clause->tag >= w->module->tag_count) {
      wm_walk_invalid(w, "unknown tag");
      return;
    }
    tag = wm_types_get(w->module->types, w->module->tags[clause->tag].type);
  }
  if (!wm_walk_has_label(w, clause->label))
    return;
  uint32_t wanted, values = tag == NULL ? 0 : tag->param_count;
  bool has_ref = clause->kind == WM_CATCH_REF || clause->kind == WM_CATCH_ALL_REF;
  const wm_valtype *types = wm_label_types(wm_walk_label(w, clause->label), &wanted);
  bool is_good = wanted == values + has_ref;
  for (uint32_t i = 0; is_good && i < values; i++)
    is_good = wm_type_matches(w->module->types, tag->params[i], types[i]);
  if (is_good && has_ref)
    is_good = wm_type_matches(w->module->types, exn, types[values]);
  if (!is_good)
    wm_walk_invalid(w, WM_MISMATCH);
}

/* The catch clauses name labels outside their try_table. */
static void check_catches(struct wm_walk *w)
{
  struct wm_reader r = w->reader;
  r.at = r.base + (size_t)w->insn.vector_offset;
  for (uint32_t i = 0; i < w->insn.vector_count && wm_reader_is_good(&w->reader); i++) {
    struct wm_catch clause = wm_read_catch(&r);
    check_catch(w, &clause);
  }
  w->handler_count += w->insn.vector_count;
}

void wm_walk_block(struct wm_walk *w)
{
  const struct wm_insn *insn = &w->insn;
  if (insn->op == WM_OP_IF)
    wm_walk_pop_type(w, WM_TYPE_I32);
  if (insn->op == WM_OP_TRY_TABLE)
    check_catches(w);
  if (!wm_reader_is_good(&w->reader))
    return;
  if (insn->index != WM_NO_INDEX) {
    const struct wm_type *type = wm_types_get(w->module->types, insn->index);
    uint32_t slots = w->operand_slots;
    bool were_exact = wm_walk_pop_types(w, type->params, type->param_count);
    if (wm_walk_push_label(w, insn->op, type, type))
      wm_walk_push_popped(w, type->params, type->param_count, were_exact, slots);
  } else if (insn->type != WM_TYPE_BOTTOM) {
    wm_walk_push_result_label(w, insn->op, insn->type);
  } else {
    wm_walk_push_label(w, insn->op, NULL, NULL);
  }
}

/* Branches */

static void branch(struct wm_walk *w, bool is_conditional)
{
  uint32_t count;
  if (is_conditional)
    wm_walk_pop_type(w, WM_TYPE_I32);
  if (!wm_walk_has_label(w, w->insn.index))
    return;
  const wm_valtype *types = wm_label_types(wm_walk_label(w, w->insn.index), &count);
  if (is_conditional) {
    wm_walk_pass_types(w, types, count);
  } else {
    wm_walk_pop_types(w, types, count);
    wm_walk_set_unreachable(w);
  }
}

/* One target of a br_table: as many values as the default's, each of them matching, and none taken. */
static void check_target(struct wm_walk *w, uint32_t depth, uint32_t arity)
{
  uint32_t count;
  if (!wm_walk_has_label(w, depth))
    return;
  struct wm_label *label = wm_walk_label(w, depth);
  if (label->checked == w->next_number) /* by this very br_table: a table may have millions of entries */
    return;
  label->checked = w->next_number;
  const wm_valtype *types = wm_label_types(label, &count);
  if (count != arity) {
    wm_walk_invalid(w, WM_MISMATCH);
    return;
  }
  uint32_t present = w->operand_count - w->floor;
  if (present < count && !wm_walk_top(w)->is_unreachable)
    wm_walk_invalid(w, WM_MISMATCH);
  for (uint32_t i = 0; i < count && i < present; i++) {
    wm_valtype type = w->operands[w->operand_count - 1 - i].type;
    if (type != types[count - 1 - i] && !wm_type_matches(w->module->types, type, types[count - 1 - i]))
      wm_walk_invalid(w, WM_MISMATCH);
  }
}

static void br_table(struct wm_walk *w)
{
  uint32_t arity;
  wm_walk_pop_type(w, WM_TYPE_I32);
  if (!wm_walk_has_label(w, w->insn.index))
    return;
  wm_label_types(wm_walk_label(w, w->insn.index), &arity);
  struct wm_reader r = w->reader;
  r.at = r.base + (size_t)w->insn.vector_offset;
  for (uint32_t i = 0; i < w->insn.vector_count && wm_reader_is_good(&w->reader); i++)
    check_target(w, wm_read_u32(&r), arity);
  check_target(w, w->insn.index, arity);
  if (w->insn.vector_count > UINT32_MAX - 1 - w->branch_target_count)
    w->branch_target_count = UINT32_MAX - 1;
  else
    w->branch_target_count += w->insn.vector_count + 1;
  wm_walk_set_unreachable(w);
}

/* Calls */

static void call(struct wm_walk *w, const struct wm_type *type, bool is_tail)
{
  wm_walk_pop_types(w, type->params, type->param_count);
  if (!is_tail) {
    wm_walk_push_types(w, type->results, type->result_count);
    return;
  }
  const struct wm_label *own = &w->labels[0];
  bool is_good = type->result_count == own->result_count;
  for (uint32_t i = 0; is_good && i < type->result_count; i++)
    is_good = wm_type_matches(w->module->types, type->results[i], own->results[i]);
  if (!is_good)
    wm_walk_invalid(w, WM_MISMATCH);
  wm_walk_set_unreachable(w);
}

/* The function type with that canonical id, or NULL and a mismatch. */
static const struct wm_type *func_type(struct wm_walk *w, uint32_t id)
{
  const struct wm_type *type = wm_types_get(w->module->types, id);
  if (type->composite == WM_COMPOSITE_FUNC)
    return type;
  wm_walk_invalid(w, WM_MISMATCH);
  return NULL;
}

static void call_indirect(struct wm_walk *w, bool is_tail)
{
  if (!wm_walk_has_table(w, w->insn.index2))
    return;
  const struct wm_table_type *table = &w->module->tables[w->insn.index2].type;
  if (!wm_type_matches(w->module->types, table->element, WM_REF(WM_HEAP_FUNC, true)))
    wm_walk_invalid(w, WM_MISMATCH);
  const struct wm_type *type = func_type(w, w->insn.index);
  if (type == NULL)
    return;
  wm_walk_pop_type(w, wm_address_type(&table->limits));
  call(w, type, is_tail);
}

static void call_ref(struct wm_walk *w, bool is_tail)
{
  const struct wm_type *type = func_type(w, w->insn.index);
  if (type == NULL)
    return;
  wm_walk_pop_type(w, WM_REF(WM_HEAP_FIRST_ID + w->insn.index, true));
  call(w, type, is_tail);
}

static void throw_tag(struct wm_walk *w)
{
  if (w->insn.index >= w->module->tag_count) {
    wm_walk_invalid(w, "unknown tag");
    return;
  }
  const struct wm_type *type = wm_types_get(w->module->types, w->module->tags[w->insn.index].type);
  wm_walk_pop_types(w, type->params, type->param_count);
  wm_walk_set_unreachable(w);
}

void wm_walk_control(struct wm_walk *w)
{
  switch (w->insn.op) {
  case WM_OP_UNREACHABLE:
    wm_walk_set_unreachable(w);
    break;
  case WM_OP_BR:
    branch(w, false);
    break;
  case WM_OP_BR_IF:
    branch(w, true);
    break;
  case WM_OP_BR_TABLE:
    br_table(w);
    break;
  case WM_OP_RETURN:
    wm_walk_pop_types(w, w->labels[0].results, w->labels[0].result_count);
    wm_walk_set_unreachable(w);
    break;
  case WM_OP_CALL:
  case WM_OP_RETURN_CALL:
    if (wm_walk_has_func(w, w->insn.index))
      call(w, wm_func_type(w->module, w->insn.index), w->insn.op == WM_OP_RETURN_CALL);
    break;
  case WM_OP_CALL_INDIRECT:
  case WM_OP_RETURN_CALL_INDIRECT:
    call_indirect(w, w->insn.op == WM_OP_RETURN_CALL_INDIRECT);
    break;
  case WM_OP_CALL_REF:
  case WM_OP_RETURN_CALL_REF:
    call_ref(w, w->insn.op == WM_OP_RETURN_CALL_REF);
    break;
  case WM_OP_THROW:
    throw_tag(w);
    break;
  default: /* throw_ref */
    wm_walk_pop_type(w, WM_REF(WM_HEAP_EXN, true));
    wm_walk_set_unreachable(w);
    break;
  }
}
