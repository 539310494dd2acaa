/* Element and data segments (Binary Format and Validation: Modules). */
#include "decoder/decode.h"
#include "decoder/read_type.h"

/* Bits of an element segment's kind. */
#define ELEM_NOT_ACTIVE 1u
#define ELEM_EXPLICIT 2u /* active: a table index follows; else: declarative */
#define ELEM_EXPRESSIONS 4u

static wm_valtype table_address_type(struct wm_decode *d, uint32_t table, uint64_t offset)
{
  if (table < d->module->table_count)
    return wm_address_type(&d->module->tables[table].type.limits);
  wm_reader_invalid(&d->reader, offset, "unknown table");
  return WM_TYPE_I32;
}

static void read_element_type(struct wm_decode *d, struct wm_element *element, uint32_t kind)
{
  struct wm_reader *r = &d->reader;
  uint64_t offset = wm_reader_offset(r);
  bool is_explicit = (kind & (ELEM_NOT_ACTIVE | ELEM_EXPLICIT)) != 0;
  if ((kind & ELEM_EXPRESSIONS) != 0) {
    element->type = is_explicit ? wm_read_reftype(r, d->module) : WM_REF(WM_HEAP_FUNC, true);
    return;
  }
  element->type = WM_REF(WM_HEAP_FUNC, false);
  if (is_explicit && wm_read_u8(r) != 0)
    wm_reader_malformed(r, offset, "malformed element kind");
}

static void read_element_functions(struct wm_decode *d, struct wm_element *element)
{
  uint32_t *functions = wm_decode_take(d, element->count, sizeof *functions);
  for (uint32_t i = 0; i < element->count && !wm_decode_stopped(d); i++) {
    uint64_t offset = wm_reader_offset(&d->reader);
    functions[i] = wm_read_u32(&d->reader);
    if (functions[i] >= d->module->func_count)
      wm_reader_invalid(&d->reader, offset, "unknown function");
    wm_decode_declare(d, functions[i]);
  }
  element->functions = functions;
}

static void read_element_exprs(struct wm_decode *d, struct wm_element *element)
{
  struct wm_const_expr *exprs = wm_decode_take(d, element->count, sizeof *exprs);
  for (uint32_t i = 0; i < element->count && !wm_decode_stopped(d); i++)
    exprs[i] = wm_decode_const_expr(d, element->type);
  element->exprs = exprs;
}

static void read_element(struct wm_decode *d, struct wm_element *element)
{
  struct wm_reader *r = &d->reader;
  uint64_t start = wm_reader_offset(r);
  *element = (struct wm_element){.mode = WM_SEGMENT_ACTIVE};
  uint32_t kind = wm_read_u32(r);
  if (kind > (ELEM_NOT_ACTIVE | ELEM_EXPLICIT | ELEM_EXPRESSIONS)) {
    wm_reader_malformed(r, start, "malformed elements segment kind");
    return;
  }
  if ((kind & ELEM_NOT_ACTIVE) != 0) {
    element->mode = (kind & ELEM_EXPLICIT) != 0 ? WM_SEGMENT_DECLARATIVE : WM_SEGMENT_PASSIVE;
  } else {
    uint64_t offset = wm_reader_offset(r);
    if ((kind & ELEM_EXPLICIT) != 0)
      element->table = wm_read_u32(r);
    element->table_offset = wm_decode_const_expr(d, table_address_type(d, element->table, offset));
  }
  read_element_type(d, element, kind);
  element->count = wm_read_count(r);
  if ((kind & ELEM_EXPRESSIONS) != 0)
    read_element_exprs(d, element);
  else
    read_element_functions(d, element);
  if (wm_decode_is_good(d) && element->mode == WM_SEGMENT_ACTIVE &&
      !wm_type_matches(d->types, element->type, d->module->tables[element->table].type.element))
    wm_reader_invalid(r, start, WM_MISMATCH);
}

void wm_decode_elements(struct wm_decode *d)
{
  uint64_t offset = wm_reader_offset(&d->reader);
  uint32_t count = wm_read_count(&d->reader);
  if (!wm_decode_limit(d, offset, count, d->limits->element_segments, "too many element segments"))
    return;
  struct wm_element *elements = wm_decode_take(d, count, sizeof *elements);
  for (uint32_t i = 0; i < count && !wm_decode_stopped(d); i++)
    read_element(d, &elements[i]);
  d->module->elements = elements;
  d->module->element_count = wm_decode_stopped(d) ? 0 : count;
}

void wm_decode_data_count(struct wm_decode *d)
{
  d->walk.data_count = wm_read_u32(&d->reader);
  d->has_data_count = true;
}

static void read_data(struct wm_decode *d, struct wm_data *data)
{
  struct wm_reader *r = &d->reader;
  uint64_t start = wm_reader_offset(r);
  *data = (struct wm_data){.mode = WM_SEGMENT_ACTIVE};
  uint32_t kind = wm_read_u32(r);
  if (kind > 2) {
    wm_reader_malformed(r, start, "malformed data segment kind");
    return;
  }
  if (kind == 1) {
    data->mode = WM_SEGMENT_PASSIVE;
  } else {
    wm_valtype address = WM_TYPE_I32;
    if (kind == 2)
      data->memory = wm_read_u32(r);
    if (data->memory < d->module->memory_count)
      address = wm_address_type(&d->module->memories[data->memory].type.limits);
    else
      wm_reader_invalid(r, start, "unknown memory");
    data->memory_offset = wm_decode_const_expr(d, address);
  }
  uint32_t size = wm_read_u32(r);
  data->bytes.offset = wm_reader_offset(r);
  data->bytes.length = size;
  wm_read_bytes(r, size);
}

void wm_decode_datas(struct wm_decode *d)
{
  struct wm_reader *r = &d->reader;
  uint64_t offset = wm_reader_offset(r);
  uint32_t count = wm_read_count(r);
  d->has_data_section = true;
  if (!wm_decode_stopped(d) && d->has_data_count && count != d->walk.data_count)
    wm_reader_malformed(r, offset, "data count and data section have inconsistent lengths");
  if (!wm_decode_limit(d, offset, count, d->limits->data_segments, "too many data segments"))
    return;
  struct wm_data *datas = wm_decode_take(d, count, sizeof *datas);
  for (uint32_t i = 0; i < count && !wm_decode_stopped(d); i++)
    read_data(d, &datas[i]);
  d->module->datas = datas;
  d->module->data_count = wm_decode_stopped(d) ? 0 : count;
}
