/* Declarations: imports, functions, tables, memories, tags, globals, exports, start (Binary Format and Validation: Modules).
 *
 * Imports come first in every index space and the sections continue them. Constant expressions see only the globals that
 * stand before them, because the module's count grows with the section. */
#include "decoder/decode.h"
#include "decoder/read_type.h"

#define LIMITS_HAS_MAXIMUM 1u
#define LIMITS_IS_64 4u
#define CODE_TABLE_WITH_INIT 0x40

/* Types of things */

static uint32_t read_func_type(struct wm_decode *d)
{
  uint64_t offset = wm_reader_offset(&d->reader);
  uint32_t id = wm_read_type_index(&d->reader, d->module, NULL);
  if (wm_decode_is_good(d) && wm_types_get(d->types, id)->composite != WM_COMPOSITE_FUNC)
    wm_reader_invalid(&d->reader, offset, "unknown type");
  return id;
}

/* `largest`s are the greatest sizes of 32-bit and 64-bit ones. */
static struct wm_limits_type read_limits(struct wm_decode *d, uint64_t largest_32, uint64_t largest_64, const char *message_32,
                                         const char *message_64)
{
  struct wm_reader *r = &d->reader;
  uint64_t offset = wm_reader_offset(r);
  struct wm_limits_type limits = {0, UINT64_MAX, false, false};
  uint8_t flags = wm_read_u8(r);
  if ((flags & ~(LIMITS_HAS_MAXIMUM | LIMITS_IS_64)) != 0)
    wm_reader_malformed(r, offset, "malformed limits flags");
  limits.is_64 = (flags & LIMITS_IS_64) != 0;
  limits.has_maximum = (flags & LIMITS_HAS_MAXIMUM) != 0;
  limits.minimum = wm_read_u64(r);
  if (limits.has_maximum)
    limits.maximum = wm_read_u64(r);
  uint64_t largest = limits.is_64 ? largest_64 : largest_32;
  if (limits.minimum > largest || (limits.has_maximum && limits.maximum > largest))
    wm_reader_invalid(r, offset, limits.is_64 ? message_64 : message_32);
  if (limits.minimum > limits.maximum)
    wm_reader_invalid(r, offset, "size minimum must not be greater than maximum");
  return limits;
}

static struct wm_table_type read_table_type(struct wm_decode *d)
{
  struct wm_table_type type;
  type.element = wm_read_reftype(&d->reader, d->module);
  type.limits = read_limits(d, UINT32_MAX, UINT64_MAX, "table size must be at most 2^32-1", "table size");
  return type;
}

static struct wm_memory_type read_memory_type(struct wm_decode *d)
{
  return (struct wm_memory_type){read_limits(d, (uint64_t)1 << 16, (uint64_t)1 << 48,
                                             "memory size must be at most 65536 pages (4GiB)",
                                             "memory size must be at most 2^48 pages (16EiB)")};
}

static struct wm_global_type read_global_type(struct wm_decode *d)
{
  struct wm_global_type type;
  type.type = wm_read_valtype(&d->reader, d->module);
  uint64_t offset = wm_reader_offset(&d->reader);
  uint8_t mutability = wm_read_u8(&d->reader);
  if (mutability > 1)
    wm_reader_malformed(&d->reader, offset, "malformed mutability");
  type.is_mutable = mutability == 1;
  return type;
}

static uint32_t read_tag_type(struct wm_decode *d)
{
  uint64_t offset = wm_reader_offset(&d->reader);
  if (wm_read_u8(&d->reader) != 0)
    wm_reader_malformed(&d->reader, offset, "malformed tag attribute");
  uint32_t id = read_func_type(d);
  if (wm_decode_is_good(d) && wm_types_get(d->types, id)->result_count != 0)
    wm_reader_invalid(&d->reader, offset, "non-empty tag result type");
  return id;
}

/* Index spaces: each adds one item, all zero, or stops. */

bool wm_decode_add_func(struct wm_decode *d, uint64_t offset, bool is_import)
{
  struct wm_module *m = d->module;
  struct wm_func *grown = wm_decode_grow(d, d->funcs, m->func_count, 1, &d->func_capacity, sizeof *d->funcs);
  if (grown == NULL || !wm_decode_limit(d, offset, (uint64_t)m->func_count + 1, d->limits->functions, "too many functions"))
    return false;
  m->funcs = d->funcs = grown;
  d->funcs[m->func_count++] = (struct wm_func){.is_import = is_import};
  m->imported_func_count += is_import;
  return true;
}

bool wm_decode_add_table(struct wm_decode *d, uint64_t offset, bool is_import)
{
  struct wm_module *m = d->module;
  struct wm_table *grown = wm_decode_grow(d, d->tables, m->table_count, 1, &d->table_capacity, sizeof *d->tables);
  if (grown == NULL || !wm_decode_limit(d, offset, (uint64_t)m->table_count + 1, d->limits->tables, "too many tables"))
    return false;
  m->tables = d->tables = grown;
  d->tables[m->table_count++] = (struct wm_table){.is_import = is_import};
  m->imported_table_count += is_import;
  return true;
}

bool wm_decode_add_memory(struct wm_decode *d, uint64_t offset, bool is_import)
{
  struct wm_module *m = d->module;
  struct wm_memory *grown = wm_decode_grow(d, d->memories, m->memory_count, 1, &d->memory_capacity, sizeof *d->memories);
  if (grown == NULL || !wm_decode_limit(d, offset, (uint64_t)m->memory_count + 1, d->limits->memories, "too many memories"))
    return false;
  m->memories = d->memories = grown;
  d->memories[m->memory_count++] = (struct wm_memory){.is_import = is_import};
  m->imported_memory_count += is_import;
  return true;
}

bool wm_decode_add_tag(struct wm_decode *d, uint64_t offset, bool is_import)
{
  struct wm_module *m = d->module;
  struct wm_tag *grown = wm_decode_grow(d, d->tags, m->tag_count, 1, &d->tag_capacity, sizeof *d->tags);
  if (grown == NULL || !wm_decode_limit(d, offset, (uint64_t)m->tag_count + 1, d->limits->tags, "too many tags"))
    return false;
  m->tags = d->tags = grown;
  d->tags[m->tag_count++] = (struct wm_tag){.is_import = is_import};
  m->imported_tag_count += is_import;
  return true;
}

bool wm_decode_add_global(struct wm_decode *d, uint64_t offset, bool is_import)
{
  struct wm_module *m = d->module;
  struct wm_global *grown = wm_decode_grow(d, d->globals, m->global_count, 1, &d->global_capacity, sizeof *d->globals);
  if (grown == NULL || !wm_decode_limit(d, offset, (uint64_t)m->global_count + 1, d->limits->globals, "too many globals"))
    return false;
  m->globals = d->globals = grown;
  d->globals[m->global_count++] = (struct wm_global){.is_import = is_import};
  m->imported_global_count += is_import;
  return true;
}

/* Imports */

static void read_import_type(struct wm_decode *d, struct wm_import *import, uint64_t kind_offset)
{
  struct wm_module *m = d->module;
  switch (import->kind) {
  case WM_EXTERN_FUNC:
    import->index = m->func_count;
    if (wm_decode_add_func(d, kind_offset, true))
      d->funcs[import->index].type = read_func_type(d);
    break;
  case WM_EXTERN_TABLE:
    import->index = m->table_count;
    if (wm_decode_add_table(d, kind_offset, true))
      d->tables[import->index].type = read_table_type(d);
    break;
  case WM_EXTERN_MEMORY:
    import->index = m->memory_count;
    if (wm_decode_add_memory(d, kind_offset, true))
      d->memories[import->index].type = read_memory_type(d);
    break;
  case WM_EXTERN_GLOBAL:
    import->index = m->global_count;
    if (wm_decode_add_global(d, kind_offset, true))
      d->globals[import->index].type = read_global_type(d);
    break;
  case WM_EXTERN_TAG:
    import->index = m->tag_count;
    if (wm_decode_add_tag(d, kind_offset, true))
      d->tags[import->index].type = read_tag_type(d);
    break;
  default:
    wm_reader_malformed(&d->reader, kind_offset, "malformed import kind");
    break;
  }
}

void wm_decode_imports(struct wm_decode *d)
{
  struct wm_reader *r = &d->reader;
  uint64_t offset = wm_reader_offset(r);
  uint32_t count = wm_read_count(r);
  if (!wm_decode_limit(d, offset, count, d->limits->imports, "too many imports"))
    return;
  struct wm_import *imports = wm_decode_take(d, count, sizeof *imports);
  for (uint32_t i = 0; i < count && !wm_decode_stopped(d); i++) {
    imports[i].offset = wm_reader_offset(r);
    imports[i].module = wm_read_name(r);
    imports[i].name = wm_read_name(r);
    offset = wm_reader_offset(r);
    imports[i].kind = wm_read_u8(r);
    if (!wm_decode_stopped(d))
      read_import_type(d, &imports[i], offset);
  }
  d->module->imports = imports;
  d->module->import_count = wm_decode_stopped(d) ? 0 : count;
}

/* Sections of declarations */

void wm_decode_functions(struct wm_decode *d)
{
  struct wm_module *m = d->module;
  uint64_t offset = wm_reader_offset(&d->reader);
  uint32_t count = wm_read_count(&d->reader);
  if (!wm_decode_limit(d, offset, (uint64_t)m->func_count + count, d->limits->functions, "too many functions"))
    return;
  /* All at once: this array is the largest by far. */
  struct wm_func *grown = wm_decode_grow(d, d->funcs, m->func_count, count, &d->func_capacity, sizeof *d->funcs);
  if (grown == NULL)
    return;
  m->funcs = d->funcs = grown;
  for (uint32_t i = 0; i < count && !wm_decode_stopped(d); i++)
    if (wm_decode_add_func(d, wm_reader_offset(&d->reader), false))
      d->funcs[d->module->func_count - 1].type = read_func_type(d);
}

static void read_table(struct wm_decode *d)
{
  struct wm_reader *r = &d->reader;
  uint64_t offset = wm_reader_offset(r);
  struct wm_table table = {.has_init = false};
  if (wm_reader_left(r) > 0 && *r->at == CODE_TABLE_WITH_INIT) {
    r->at++;
    table.has_init = true;
    if (wm_read_u8(r) != 0)
      wm_reader_malformed(r, offset + 1, "malformed table");
  }
  table.type = read_table_type(d);
  if (table.has_init)
    table.init = wm_decode_const_expr(d, table.type.element);
  else if (!wm_type_is_nullable(table.type.element))
    wm_reader_invalid(r, offset, WM_MISMATCH);
  if (wm_decode_add_table(d, offset, false))
    d->tables[d->module->table_count - 1] = table;
}

void wm_decode_tables(struct wm_decode *d)
{
  uint32_t count = wm_read_count(&d->reader);
  for (uint32_t i = 0; i < count && !wm_decode_stopped(d); i++)
    read_table(d);
}

void wm_decode_memories(struct wm_decode *d)
{
  uint32_t count = wm_read_count(&d->reader);
  for (uint32_t i = 0; i < count && !wm_decode_stopped(d); i++)
    if (wm_decode_add_memory(d, wm_reader_offset(&d->reader), false))
      d->memories[d->module->memory_count - 1].type = read_memory_type(d);
}

void wm_decode_tags(struct wm_decode *d)
{
  uint32_t count = wm_read_count(&d->reader);
  for (uint32_t i = 0; i < count && !wm_decode_stopped(d); i++)
    if (wm_decode_add_tag(d, wm_reader_offset(&d->reader), false))
      d->tags[d->module->tag_count - 1].type = read_tag_type(d);
}

void wm_decode_globals(struct wm_decode *d)
{
  uint32_t count = wm_read_count(&d->reader);
  for (uint32_t i = 0; i < count && !wm_decode_stopped(d); i++) {
    uint64_t offset = wm_reader_offset(&d->reader);
    struct wm_global global = {.is_import = false};
    global.type = read_global_type(d);
    global.init = wm_decode_const_expr(d, global.type.type);
    if (wm_decode_add_global(d, offset, false))
      d->globals[d->module->global_count - 1] = global;
  }
}

void wm_decode_start(struct wm_decode *d)
{
  struct wm_module *m = d->module;
  uint64_t offset = wm_reader_offset(&d->reader);
  m->start = wm_read_u32(&d->reader);
  m->has_start = true;
  if (!wm_decode_is_good(d))
    return;
  if (m->start >= m->func_count)
    wm_reader_invalid(&d->reader, offset, "unknown function");
  else if (wm_func_type(m, m->start)->param_count != 0 || wm_func_type(m, m->start)->result_count != 0)
    wm_reader_invalid(&d->reader, offset, "start function");
}

/* Exports */

void wm_decode_declare(struct wm_decode *d, uint32_t func)
{
  if (func < d->module->func_count)
    d->funcs[func].is_declared_ref = true;
}

static void check_export(struct wm_decode *d, const struct wm_export *export, uint64_t offset)
{
  const struct wm_module *m = d->module;
  struct wm_reader *r = &d->reader;
  switch (export->kind) {
  case WM_EXTERN_FUNC:
    if (export->index >= m->func_count)
      wm_reader_invalid(r, offset, "unknown function");
    wm_decode_declare(d, export->index);
    break;
  case WM_EXTERN_TABLE:
    if (export->index >= m->table_count)
      wm_reader_invalid(r, offset, "unknown table");
    break;
  case WM_EXTERN_MEMORY:
    if (export->index >= m->memory_count)
      wm_reader_invalid(r, offset, "unknown memory");
    break;
  case WM_EXTERN_GLOBAL:
    if (export->index >= m->global_count)
      wm_reader_invalid(r, offset, "unknown global");
    break;
  case WM_EXTERN_TAG:
    if (export->index >= m->tag_count)
      wm_reader_invalid(r, offset, "unknown tag");
    break;
  default:
    wm_reader_malformed(r, offset, "malformed export kind");
    break;
  }
}

int wm_bytes_compare(const uint8_t *a, size_t a_length, const uint8_t *b, size_t b_length)
{
  for (size_t i = 0; i < a_length && i < b_length; i++)
    if (a[i] != b[i])
      return a[i] < b[i] ? -1 : 1;
  return a_length == b_length ? 0 : a_length < b_length ? -1 : 1;
}

static int compare_exports(const struct wm_module *m, uint32_t a, uint32_t b)
{
  const struct wm_name *left = &m->exports[a].name, *right = &m->exports[b].name;
  return wm_bytes_compare(left->bytes, left->length, right->bytes, right->length);
}

/* Bottom-up merge sort of export numbers by name, stable; `spare` is as long as `order`. Returns where the result is. */
static uint32_t *sort_exports(const struct wm_module *m, uint32_t *order, uint32_t *spare, uint32_t count)
{
  for (uint32_t width = 1; width < count; width = width > count / 2 ? count : width * 2) {
    for (uint32_t start = 0; start < count;) {
      uint32_t middle = width < count - start ? start + width : count;
      uint32_t end = width < count - middle ? middle + width : count;
      uint32_t left = start, right = middle;
      for (uint32_t i = start; i < end; i++)
        if (right == end || (left < middle && compare_exports(m, order[left], order[right]) <= 0))
          spare[i] = order[left++];
        else
          spare[i] = order[right++];
      start = end;
    }
    uint32_t *swapped = order;
    order = spare;
    spare = swapped;
  }
  return order;
}

/* Sorts for the look-up by name; equal names are neighbours then. */
static void order_exports(struct wm_decode *d, uint64_t offset, uint32_t count)
{
  uint32_t *order = wm_decode_take(d, count, sizeof *order);
  uint32_t *spare = wm_decode_take(d, count, sizeof *spare);
  if (order == NULL || spare == NULL)
    return;
  for (uint32_t i = 0; i < count; i++)
    order[i] = i;
  order = sort_exports(d->module, order, spare, count);
  d->module->export_order = order;
  for (uint32_t i = 1; i < count; i++)
    if (compare_exports(d->module, order[i - 1], order[i]) == 0)
      wm_reader_invalid(&d->reader, offset, "duplicate export name");
}

void wm_decode_exports(struct wm_decode *d)
{
  struct wm_reader *r = &d->reader;
  uint64_t start = wm_reader_offset(r);
  uint32_t count = wm_read_count(r);
  if (!wm_decode_limit(d, start, count, d->limits->exports, "too many exports"))
    return;
  struct wm_export *exports = wm_decode_take(d, count, sizeof *exports);
  for (uint32_t i = 0; i < count && !wm_decode_stopped(d); i++) {
    exports[i].name = wm_read_name(r);
    uint64_t offset = wm_reader_offset(r);
    exports[i].kind = wm_read_u8(r);
    exports[i].index = wm_read_u32(r);
    if (!wm_decode_stopped(d))
      check_export(d, &exports[i], offset);
  }
  if (wm_decode_stopped(d))
    return;
  d->module->exports = exports;
  order_exports(d, start, count);
  d->module->export_count = count;
}
