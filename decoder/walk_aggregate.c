/* Structures and arrays of the walk (Validation: Aggregate Instructions). */
#include "decoder/walk_internal.h"

static wm_valtype ref_to(uint32_t id, bool is_nullable) { return WM_REF(WM_HEAP_FIRST_ID + id, is_nullable); }

static bool is_packed(wm_valtype storage) { return storage != wm_type_unpacked(storage); }

/* The structure or array type with that canonical id, or NULL and a mismatch. */
static const struct wm_type *aggregate(struct wm_walk *w, uint32_t id, enum wm_composite composite)
{
  const struct wm_type *type = wm_types_get(w->module->types, id);
  if (type->composite == composite)
    return type;
  wm_walk_invalid(w, WM_MISMATCH);
  return NULL;
}

static void struct_new(struct wm_walk *w, const struct wm_type *type, bool is_default)
{
  for (uint32_t i = type->field_count; i > 0; i--) {
    wm_valtype field = wm_type_unpacked(type->fields[i - 1].storage);
    if (!is_default)
      wm_walk_pop_type(w, field);
    else if (!wm_type_is_defaultable(field))
      wm_walk_invalid(w, WM_MISMATCH);
  }
  if (wm_walk_reserve(w, 1))
    wm_walk_push(w, ref_to(w->insn.index, false));
}

/* Reads of packed fields say how to extend, others do not. */
static void check_extension(struct wm_walk *w, wm_valtype storage, bool is_extending)
{
  if (is_packed(storage) != is_extending)
    wm_walk_invalid(w, WM_MISMATCH);
}

static void struct_field(struct wm_walk *w, const struct wm_type *type)
{
  if (w->insn.index2 >= type->field_count) {
    wm_walk_invalid(w, "unknown field");
    return;
  }
  const struct wm_field *field = &type->fields[w->insn.index2];
  bool is_set = w->insn.op == WM_OP_STRUCT_SET;
  if (is_set) {
    if (!field->is_mutable)
      wm_walk_invalid(w, "immutable field");
    wm_walk_pop_type(w, wm_type_unpacked(field->storage));
  }
  wm_walk_pop_type(w, ref_to(w->insn.index, true));
  if (!is_set) {
    check_extension(w, field->storage, w->insn.op != WM_OP_STRUCT_GET);
    wm_walk_push(w, wm_type_unpacked(field->storage));
  }
}

static void structure(struct wm_walk *w)
{
  const struct wm_type *type = aggregate(w, w->insn.index, WM_COMPOSITE_STRUCT);
  if (type == NULL)
    return;
  if (w->insn.op == WM_OP_STRUCT_NEW || w->insn.op == WM_OP_STRUCT_NEW_DEFAULT)
    struct_new(w, type, w->insn.op == WM_OP_STRUCT_NEW_DEFAULT);
  else
    struct_field(w, type);
}

/* Data segments hold bytes, so elements made of them are numbers, vectors or packed. */
static bool check_data(struct wm_walk *w, wm_valtype storage)
{
  if (wm_type_is_ref(storage))
    wm_walk_invalid(w, "array type is not numeric or vector");
  return wm_walk_has_data(w, w->insn.index2);
}

static bool check_elem(struct wm_walk *w, wm_valtype storage)
{
  if (!wm_walk_has_elem(w, w->insn.index2))
    return false;
  if (!wm_storage_matches(w->module->types, w->module->elements[w->insn.index2].type, storage))
    wm_walk_invalid(w, WM_MISMATCH);
  return true;
}

static void array_new(struct wm_walk *w, wm_valtype storage)
{
  wm_valtype element = wm_type_unpacked(storage);
  switch (w->insn.op) {
  case WM_OP_ARRAY_NEW:
    wm_walk_pop_type(w, WM_TYPE_I32);
    wm_walk_pop_type(w, element);
    break;
  case WM_OP_ARRAY_NEW_DEFAULT:
    if (!wm_type_is_defaultable(element))
      wm_walk_invalid(w, WM_MISMATCH);
    wm_walk_pop_type(w, WM_TYPE_I32);
    break;
  case WM_OP_ARRAY_NEW_FIXED:
    /* In unreachable code the count alone would bound this loop. */
    for (uint32_t i = 0; i < w->insn.index2 && wm_reader_is_good(&w->reader); i++) {
      if (w->operand_count == w->floor && wm_walk_top(w)->is_unreachable)
        break;
      wm_walk_pop_type(w, element);
    }
    break;
  default: /* array.new_data, array.new_elem */
    if (!(w->insn.op == WM_OP_ARRAY_NEW_DATA ? check_data(w, storage) : check_elem(w, storage)))
      return;
    wm_walk_pop_type(w, WM_TYPE_I32);
    wm_walk_pop_type(w, WM_TYPE_I32);
    break;
  }
  wm_walk_push(w, ref_to(w->insn.index, false));
}

static void array_copy(struct wm_walk *w, wm_valtype storage)
{
  const struct wm_type *source = aggregate(w, w->insn.index2, WM_COMPOSITE_ARRAY);
  if (source == NULL)
    return;
  if (!wm_storage_matches(w->module->types, source->fields[0].storage, storage))
    wm_walk_invalid(w, "array types do not match");
  wm_walk_pop_type(w, WM_TYPE_I32);
  wm_walk_pop_type(w, WM_TYPE_I32);
  wm_walk_pop_type(w, ref_to(w->insn.index2, true));
  wm_walk_pop_type(w, WM_TYPE_I32);
  wm_walk_pop_type(w, ref_to(w->insn.index, true));
}

/* array.init_data, array.init_elem */
static void array_init(struct wm_walk *w, wm_valtype storage)
{
  if (!(w->insn.op == WM_OP_ARRAY_INIT_DATA ? check_data(w, storage) : check_elem(w, storage)))
    return;
  wm_walk_pop_type(w, WM_TYPE_I32);
  wm_walk_pop_type(w, WM_TYPE_I32);
  wm_walk_pop_type(w, WM_TYPE_I32);
  wm_walk_pop_type(w, ref_to(w->insn.index, true));
}

static void array_get(struct wm_walk *w, wm_valtype storage)
{
  check_extension(w, storage, w->insn.op != WM_OP_ARRAY_GET);
  wm_walk_pop_type(w, WM_TYPE_I32);
  wm_walk_pop_type(w, ref_to(w->insn.index, true));
  wm_walk_push(w, wm_type_unpacked(storage));
}

/* Instructions that write into an array. */
static void array_write(struct wm_walk *w, const struct wm_field *field)
{
  if (!field->is_mutable)
    wm_walk_invalid(w, "immutable array");
  switch (w->insn.op) {
  case WM_OP_ARRAY_SET:
    wm_walk_pop_type(w, wm_type_unpacked(field->storage));
    wm_walk_pop_type(w, WM_TYPE_I32);
    wm_walk_pop_type(w, ref_to(w->insn.index, true));
    break;
  case WM_OP_ARRAY_FILL:
    wm_walk_pop_type(w, WM_TYPE_I32);
    wm_walk_pop_type(w, wm_type_unpacked(field->storage));
    wm_walk_pop_type(w, WM_TYPE_I32);
    wm_walk_pop_type(w, ref_to(w->insn.index, true));
    break;
  case WM_OP_ARRAY_COPY:
    array_copy(w, field->storage);
    break;
  default:
    array_init(w, field->storage);
    break;
  }
}

static void array(struct wm_walk *w)
{
  const struct wm_type *type = aggregate(w, w->insn.index, WM_COMPOSITE_ARRAY);
  if (type == NULL)
    return;
  switch (w->insn.op) {
  case WM_OP_ARRAY_GET:
  case WM_OP_ARRAY_GET_S:
  case WM_OP_ARRAY_GET_U:
    array_get(w, type->fields[0].storage);
    break;
  case WM_OP_ARRAY_SET:
  case WM_OP_ARRAY_FILL:
  case WM_OP_ARRAY_COPY:
  case WM_OP_ARRAY_INIT_DATA:
  case WM_OP_ARRAY_INIT_ELEM:
    array_write(w, &type->fields[0]);
    break;
  default:
    array_new(w, type->fields[0].storage);
    break;
  }
}

void wm_walk_aggregate(struct wm_walk *w)
{
  switch (w->insn.op) {
  case WM_OP_STRUCT_NEW:
  case WM_OP_STRUCT_NEW_DEFAULT:
  case WM_OP_STRUCT_GET:
  case WM_OP_STRUCT_GET_S:
  case WM_OP_STRUCT_GET_U:
  case WM_OP_STRUCT_SET:
    structure(w);
    break;
  case WM_OP_ARRAY_LEN:
    wm_walk_pop_type(w, WM_REF(WM_HEAP_ARRAY, true));
    wm_walk_push(w, WM_TYPE_I32);
    break;
  default:
    array(w);
    break;
  }
}
