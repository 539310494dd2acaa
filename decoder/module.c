/* Modules: header, sections and their order, custom sections, and the look-up of exports (Binary Format: Modules).
 *
 * Malformed bytes stop decoding at once. A breach of validation is noted and decoding reads on without validating, since
 * the rest may still show that the bytes are no module; only then is the module called invalid. */
#include "decoder/decode.h"
#include "decoder/names.h"
#include "decoder/read_type.h"

#define MAGIC 0x6d736100u
#define VERSION 1u

enum section {
  SECTION_CUSTOM, SECTION_TYPE, SECTION_IMPORT, SECTION_FUNCTION, SECTION_TABLE, SECTION_MEMORY, SECTION_GLOBAL,
  SECTION_EXPORT, SECTION_START, SECTION_ELEMENT, SECTION_CODE, SECTION_DATA, SECTION_DATA_COUNT, SECTION_TAG,
  SECTION_COUNT,
};

/* The place of each section in the order that all follow; custom sections stand anywhere. */
static const struct { uint8_t order; void (*decode)(struct wm_decode *d); } sections[SECTION_COUNT] = {
  [SECTION_TYPE] = {1, wm_decode_types},
  [SECTION_IMPORT] = {2, wm_decode_imports},
  [SECTION_FUNCTION] = {3, wm_decode_functions},
  [SECTION_TABLE] = {4, wm_decode_tables},
  [SECTION_MEMORY] = {5, wm_decode_memories},
  [SECTION_TAG] = {6, wm_decode_tags},
  [SECTION_GLOBAL] = {7, wm_decode_globals},
  [SECTION_EXPORT] = {8, wm_decode_exports},
  [SECTION_START] = {9, wm_decode_start},
  [SECTION_ELEMENT] = {10, wm_decode_elements},
  [SECTION_DATA_COUNT] = {11, wm_decode_data_count},
  [SECTION_CODE] = {12, wm_decode_code},
  [SECTION_DATA] = {13, wm_decode_datas},
};

/* Memory and limits */

void *wm_decode_take(struct wm_decode *d, uint32_t count, size_t item_bytes)
{
  if (wm_decode_stopped(d))
    return NULL;
  void *items = wm_arena_take(d->arena, count, item_bytes);
  if (items == NULL)
    wm_reader_stop(&d->reader, WM_NO_SPACE, wm_reader_offset(&d->reader), "out of space for the module");
  return items;
}

void *wm_decode_grow(struct wm_decode *d, void *items, uint32_t count, uint32_t more, uint32_t *capacity, size_t item_bytes)
{
  if (wm_decode_stopped(d))
    return NULL;
  if (more <= *capacity - count)
    return items;
  if (more > UINT32_MAX / 2 - count) {
    wm_reader_stop(&d->reader, WM_NO_SPACE, wm_reader_offset(&d->reader), "out of space for the module");
    return NULL;
  }
  uint32_t wanted = count + more > *capacity * 2 ? count + more : *capacity * 2;
  void *grown = wm_decode_take(d, wanted, item_bytes);
  if (grown == NULL)
    return NULL;
  if (count > 0)
    __builtin_memcpy(grown, items, count * item_bytes);
  *capacity = wanted;
  return grown;
}

bool wm_decode_limit(struct wm_decode *d, uint64_t offset, uint64_t count, uint64_t limit, const char *message)
{
  if (count > limit)
    wm_reader_limit(&d->reader, offset, limit, message);
  return count <= limit;
}

/* Sections */

static void decode_custom(struct wm_decode *d)
{
  struct wm_module *module = d->module;
  struct wm_name name = wm_read_name(&d->reader);
  struct wm_custom *grown =
    wm_decode_grow(d, d->customs, module->custom_count, 1, &d->custom_capacity, sizeof *d->customs);
  if (grown == NULL)
    return;
  d->customs = grown;
  module->customs = grown;
  d->customs[module->custom_count++] =
    (struct wm_custom){name, {wm_reader_offset(&d->reader), wm_reader_left(&d->reader)}};
  d->reader.at = d->reader.end;
}

/* One section; `last` is the order of the latest that was no custom section. */
static void decode_section(struct wm_decode *d, uint8_t *last)
{
  struct wm_reader *r = &d->reader;
  uint64_t start = wm_reader_offset(r);
  uint8_t id = wm_read_u8(r);
  if (id >= SECTION_COUNT) {
    wm_reader_malformed(r, start, "malformed section id");
    return;
  }
  uint32_t size = wm_read_u32(r);
  const uint8_t *file_end = r->end, *content = wm_read_bytes(r, size);
  if (content == NULL)
    return;
  if (id != SECTION_CUSTOM) {
    if (sections[id].order <= *last) {
      wm_reader_malformed(r, start, "unexpected content after last section");
      return;
    }
    *last = sections[id].order;
  }
  r->at = content;
  r->end = content + size;
  if (id == SECTION_CUSTOM)
    decode_custom(d);
  else
    sections[id].decode(d);
  if (!wm_reader_stopped(r) && r->at != r->end)
    wm_reader_malformed(r, wm_reader_offset(r), "section size mismatch");
  r->end = file_end;
  if (wm_reader_stopped(r))
    r->at = r->end;
}

static void decode_header(struct wm_decode *d)
{
  struct wm_reader *r = &d->reader;
  if (wm_reader_left(r) < 4)
    wm_reader_malformed(r, wm_reader_offset(r), "unexpected end");
  else if (wm_read_little_endian(r, 4) != MAGIC)
    wm_reader_malformed(r, 0, "magic header not detected");
  else if (wm_reader_left(r) < 4)
    wm_reader_malformed(r, wm_reader_offset(r), "unexpected end");
  else if (wm_read_little_endian(r, 4) != VERSION)
    wm_reader_malformed(r, 4, "unknown binary version");
}

/* What only the whole tells: sections that belong together. */
static void check_counts(struct wm_decode *d)
{
  const struct wm_module *module = d->module;
  struct wm_reader *r = &d->reader;
  if (wm_reader_stopped(r))
    return;
  if (!d->has_code_section && module->func_count != module->imported_func_count)
    wm_reader_malformed(r, wm_reader_offset(r), "function and code section have inconsistent lengths");
  if (d->has_data_count && !d->has_data_section && d->walk.data_count != 0)
    wm_reader_malformed(r, wm_reader_offset(r), "data count and data section have inconsistent lengths");
}

/* The error that the caller sees: malformed bytes count more than a breach of validation, whichever came first. */
static bool conclude(const struct wm_decode *d, struct wm_error *error)
{
  const struct wm_error *stop = &d->reader.stop, *invalid = &d->reader.invalid;
  if (stop->status == WM_MALFORMED || (stop->status != WM_OK && invalid->status == WM_OK))
    *error = *stop;
  else
    *error = *invalid;
  return error->status == WM_OK;
}

bool wm_module_decode(struct wm_module *module, const uint8_t *bytes, uint64_t size, const struct wm_limits *limits,
                      struct wm_types *types, struct wm_arena *arena, struct wm_error *error)
{
  static const uint8_t nothing[1];
  *module = (struct wm_module){.bytes = size == 0 ? nothing : bytes, .size = size, .types = types};
  struct wm_decode d = {.module = module, .limits = limits, .types = types, .arena = arena};
  d.reader = wm_reader_make(module->bytes, (size_t)size);
  d.walk = (struct wm_walk){.module = module, .is_decoding = true, .scratch = arena, .limits = limits,
                            .data_count = WM_NO_INDEX, .error = WM_ERROR_NONE};
  size_t arena_size = arena->size;
  if (size > limits->module_bytes || size > SIZE_MAX / 2)
    wm_reader_limit(&d.reader, 0, limits->module_bytes, "module too large");
  decode_header(&d);
  uint8_t last = 0;
  while (d.reader.at != d.reader.end)
    decode_section(&d, &last);
  check_counts(&d);
  if (wm_decode_is_good(&d) && !wm_names_index(module, arena))
    wm_reader_stop(&d.reader, WM_NO_SPACE, wm_reader_offset(&d.reader), "out of space for names");
  arena->size = arena_size;
  return conclude(&d, error);
}

/* Exports stand in `export_order` sorted by name. */
const struct wm_export *wm_module_find_export(const struct wm_module *module, const char *name, size_t length)
{
  uint32_t low = 0, high = module->export_count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    const struct wm_export *candidate = &module->exports[module->export_order[middle]];
    int order = wm_bytes_compare(candidate->name.bytes, candidate->name.length, (const uint8_t *)name, length);
    if (order == 0)
      return candidate;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}
