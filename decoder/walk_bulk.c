/* Tables, and the copies whose types depend on two memories or tables (Validation: Table and Memory Instructions). */
#include "decoder/walk_internal.h"

/* The length of a copy between two index types has the smaller one. */
static wm_valtype smaller(wm_valtype a, wm_valtype b)
{
  return a == WM_TYPE_I64 && b == WM_TYPE_I64 ? WM_TYPE_I64 : WM_TYPE_I32;
}

static void copy_operands(struct wm_walk *w, wm_valtype destination, wm_valtype source)
{
  wm_walk_pop_type(w, smaller(destination, source));
  wm_walk_pop_type(w, source);
  wm_walk_pop_type(w, destination);
}

static void memory_copy(struct wm_walk *w)
{
  if (!wm_walk_has_memory(w, w->insn.index) || !wm_walk_has_memory(w, w->insn.index2))
    return;
  const struct wm_memory *memories = w->module->memories;
  copy_operands(w, wm_address_type(&memories[w->insn.index].type.limits),
                wm_address_type(&memories[w->insn.index2].type.limits));
}

static void table_copy(struct wm_walk *w)
{
  if (!wm_walk_has_table(w, w->insn.index) || !wm_walk_has_table(w, w->insn.index2))
    return;
  const struct wm_table_type *destination = &w->module->tables[w->insn.index].type;
  const struct wm_table_type *source = &w->module->tables[w->insn.index2].type;
  if (!wm_type_matches(w->module->types, source->element, destination->element))
    wm_walk_invalid(w, WM_MISMATCH);
  copy_operands(w, wm_address_type(&destination->limits), wm_address_type(&source->limits));
}

static void table_init(struct wm_walk *w)
{
  if (!wm_walk_has_table(w, w->insn.index2) || !wm_walk_has_elem(w, w->insn.index))
    return;
  const struct wm_table_type *table = &w->module->tables[w->insn.index2].type;
  if (!wm_type_matches(w->module->types, w->module->elements[w->insn.index].type, table->element))
    wm_walk_invalid(w, WM_MISMATCH);
  wm_walk_pop_type(w, WM_TYPE_I32);
  wm_walk_pop_type(w, WM_TYPE_I32);
  wm_walk_pop_type(w, wm_address_type(&table->limits));
}

void wm_walk_bulk(struct wm_walk *w)
{
  switch (w->insn.op) {
  case WM_OP_MEMORY_COPY:
    memory_copy(w);
    return;
  case WM_OP_TABLE_COPY:
    table_copy(w);
    return;
  case WM_OP_TABLE_INIT:
    table_init(w);
    return;
  default:
    break;
  }
  if (!wm_walk_has_table(w, w->insn.index))
    return;
  const struct wm_table_type *table = &w->module->tables[w->insn.index].type;
  wm_valtype address = wm_address_type(&table->limits);
  switch (w->insn.op) {
  case WM_OP_TABLE_GET:
    wm_walk_pop_type(w, address);
    wm_walk_push(w, table->element);
    break;
  case WM_OP_TABLE_SET:
    wm_walk_pop_type(w, table->element);
    wm_walk_pop_type(w, address);
    break;
  case WM_OP_TABLE_SIZE:
    wm_walk_push(w, address);
    break;
  case WM_OP_TABLE_GROW:
    wm_walk_pop_type(w, address);
    wm_walk_pop_type(w, table->element);
    wm_walk_push(w, address);
    break;
  default: /* table.fill */
    wm_walk_pop_type(w, address);
    wm_walk_pop_type(w, table->element);
    wm_walk_pop_type(w, address);
    break;
  }
}
