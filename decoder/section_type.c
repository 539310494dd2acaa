/* The type section: recursive groups of declared sub types (Binary Format: Types; Validation: Recursive Types).
 *
 * The members of a group get the ids they will have if the group is new; wm_types_enter then finds out whether an equal
 * group is known already and, when it is, gives its ids instead. Rows are written straight into the registry's arena. */
#include "decoder/decode.h"
#include "decoder/read_type.h"

#define CODE_REC 0x4e
#define CODE_SUB 0x50
#define CODE_SUB_FINAL 0x4f
#define CODE_FUNC 0x60
#define CODE_STRUCT 0x5f
#define CODE_ARRAY 0x5e

/* Rows belong to the registry, so that they outlive the module's arena where that is another. */
static void *take_row(struct wm_decode *d, uint32_t count, size_t item_bytes)
{
  if (wm_decode_stopped(d))
    return NULL;
  void *items = wm_arena_zero(d->types->arena, count, item_bytes);
  if (items == NULL)
    wm_reader_stop(&d->reader, WM_NO_SPACE, wm_reader_offset(&d->reader), "out of space for types");
  return items;
}

static wm_valtype *read_valtypes(struct wm_decode *d, uint32_t *count, uint64_t limit, const char *message)
{
  uint64_t offset = wm_reader_offset(&d->reader);
  *count = wm_read_count(&d->reader);
  if (!wm_decode_limit(d, offset, *count, limit, message))
    *count = 0;
  wm_valtype *types = take_row(d, *count, sizeof *types);
  if (types == NULL)
    *count = 0;
  for (uint32_t i = 0; i < *count; i++)
    types[i] = wm_read_valtype(&d->reader, d->module);
  return types;
}

static struct wm_field *read_fields(struct wm_decode *d, uint32_t count)
{
  struct wm_field *fields = take_row(d, count, sizeof *fields);
  for (uint32_t i = 0; fields != NULL && i < count; i++) {
    fields[i].storage = wm_read_storage_type(&d->reader, d->module);
    uint64_t offset = wm_reader_offset(&d->reader);
    uint8_t mutability = wm_read_u8(&d->reader);
    if (mutability > 1)
      wm_reader_malformed(&d->reader, offset, "malformed mutability");
    fields[i].is_mutable = mutability == 1;
  }
  return fields;
}

static void read_composite(struct wm_decode *d, struct wm_type *type, uint8_t code, uint64_t offset)
{
  switch (code) {
  case CODE_FUNC:
    type->composite = WM_COMPOSITE_FUNC;
    type->params = read_valtypes(d, &type->param_count, d->limits->parameters, "too many parameters");
    type->results = read_valtypes(d, &type->result_count, d->limits->results, "too many results");
    break;
  case CODE_STRUCT:
    type->composite = WM_COMPOSITE_STRUCT;
    type->field_count = wm_read_count(&d->reader);
    if (wm_decode_limit(d, offset, type->field_count, d->limits->fields, "too many fields"))
      type->fields = read_fields(d, type->field_count);
    break;
  case CODE_ARRAY:
    type->composite = WM_COMPOSITE_ARRAY;
    type->field_count = 1;
    type->fields = read_fields(d, 1);
    break;
  default:
    wm_reader_malformed(&d->reader, offset, "malformed type form");
    break;
  }
}

/* The declared supertypes: at most one, of a smaller index. */
static uint32_t read_supertype(struct wm_decode *d, uint32_t own_index)
{
  struct wm_reader *r = &d->reader;
  uint32_t count = wm_read_count(r), supertype = WM_NO_INDEX, index = 0;
  for (uint32_t i = 0; i < count && !wm_reader_stopped(r); i++) {
    uint64_t offset = wm_reader_offset(r);
    supertype = wm_read_type_index(r, d->module, &index);
    if (i > 0)
      wm_reader_invalid(r, offset, "sub type has more than one super type");
    else if (index >= own_index)
      wm_reader_invalid(r, offset, "unknown type");
  }
  return supertype;
}

/* Member `index` (a module type index) into its row. */
static void read_subtype(struct wm_decode *d, uint32_t index, struct wm_type **row)
{
  struct wm_reader *r = &d->reader;
  uint64_t offset = wm_reader_offset(r);
  struct wm_type *type = take_row(d, 1, sizeof *type);
  uint8_t code = wm_read_u8(r);
  if (type == NULL || wm_reader_stopped(r))
    return;
  *row = type;
  type->supertype = WM_NO_INDEX;
  type->is_final = code != CODE_SUB;
  if (code == CODE_SUB || code == CODE_SUB_FINAL) {
    type->supertype = read_supertype(d, index);
    offset = wm_reader_offset(r);
    code = wm_read_u8(r);
  }
  if (!wm_reader_stopped(r))
    read_composite(d, type, code, offset);
  if (!wm_reader_stopped(r) && !wm_type_lay_out(d->types, type))
    wm_reader_stop(r, WM_NO_SPACE, offset, "out of space for types");
}

static bool add_type_ids(struct wm_decode *d, uint64_t offset, uint32_t count)
{
  struct wm_module *module = d->module;
  if (!wm_decode_limit(d, offset, (uint64_t)module->type_count + count, d->limits->types, "too many types"))
    return false;
  uint32_t *grown = wm_decode_grow(d, d->type_ids, module->type_count, count, &d->type_capacity, sizeof *d->type_ids);
  if (grown == NULL)
    return false;
  if (!wm_types_reserve(d->types, count)) {
    wm_reader_stop(&d->reader, WM_NO_SPACE, offset, "out of space for types");
    return false;
  }
  d->type_ids = grown;
  module->type_ids = grown;
  for (uint32_t i = 0; i < count; i++)
    grown[module->type_count + i] = d->types->count + i;
  module->type_count += count;
  return true;
}

/* Enters the group in the registry; its members' own ids may then be those of an older group. */
static void enter_group(struct wm_decode *d, uint64_t offset, uint32_t first_index, uint32_t count, size_t mark)
{
  struct wm_error error = WM_ERROR_NONE;
  uint32_t first = 0;
  if (wm_types_enter(d->types, count, mark, &first, &error)) {
    for (uint32_t i = 0; i < count; i++)
      d->type_ids[first_index + i] = first + i;
  } else if (error.status == WM_INVALID) {
    wm_reader_invalid(&d->reader, offset, error.message);
  } else if (error.status == WM_LIMIT) {
    wm_reader_limit(&d->reader, offset, error.limit, error.message);
  } else {
    wm_reader_stop(&d->reader, error.status, offset, error.message);
  }
}

static void read_group(struct wm_decode *d)
{
  struct wm_reader *r = &d->reader;
  uint64_t offset = wm_reader_offset(r);
  uint32_t count = 1, first_index = d->module->type_count;
  if (wm_reader_left(r) > 0 && *r->at == CODE_REC) {
    r->at++;
    count = wm_read_count(r);
  }
  if (wm_reader_stopped(r) || !add_type_ids(d, offset, count))
    return;
  size_t mark = d->types->arena->used;
  for (uint32_t i = 0; i < count && !wm_reader_stopped(r); i++)
    read_subtype(d, first_index + i, &d->types->types[d->types->count + i]);
  if (wm_decode_is_good(d))
    enter_group(d, offset, first_index, count, mark);
  else
    d->types->arena->used = mark;
}

void wm_decode_types(struct wm_decode *d)
{
  uint32_t count = wm_read_count(&d->reader);
  for (uint32_t i = 0; i < count && !wm_decode_stopped(d); i++)
    read_group(d);
}
