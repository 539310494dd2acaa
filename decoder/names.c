/* The index of the name section; see names.h.
 *
 * Of each subsection the places of its entries are kept, in the order of their indices, which the format demands to ascend.
 * Entries of the kinds with two indices (locals, labels, fields) keep the place of the inner map, which is read again at each
 * look-up. Everything is checked once, when it is indexed. */
#include "decoder/names.h"

#include "decoder/read_type.h"

static bool has_two_indices(unsigned kind)
{
  return kind == WM_NAME_LOCAL || kind == WM_NAME_LABEL || kind == WM_NAME_FIELD;
}

/* Reads the index of a map's entry, which must be above the one before. */
static uint32_t read_index(struct wm_reader *r, bool is_first, uint32_t previous)
{
  uint64_t offset = wm_reader_offset(r);
  uint32_t index = wm_read_u32(r);
  if (!is_first && index <= previous)
    wm_reader_malformed(r, offset, "malformed name section");
  return index;
}

/* A map of indices to names; its entries are stored unless NULL. */
static void read_names(struct wm_reader *r, struct wm_name_entry *entries)
{
  uint32_t count = wm_read_count(r), index = 0;
  for (uint32_t i = 0; i < count && !wm_reader_stopped(r); i++) {
    index = read_index(r, i == 0, index);
    if (entries != NULL)
      entries[i] = (struct wm_name_entry){index, (uint32_t)wm_reader_offset(r)};
    wm_read_name(r);
  }
}

/* A map of indices to such maps. */
static void read_maps(struct wm_reader *r, struct wm_name_entry *entries)
{
  uint32_t count = wm_read_count(r), index = 0;
  for (uint32_t i = 0; i < count && !wm_reader_stopped(r); i++) {
    index = read_index(r, i == 0, index);
    entries[i] = (struct wm_name_entry){index, (uint32_t)wm_reader_offset(r)};
    read_names(r, NULL);
  }
}

/* A reader over part of the section; offsets count from the section's content. */
static struct wm_reader reader_at(const struct wm_module *module, uint32_t at)
{
  const uint8_t *section = module->bytes + (size_t)module->names.section.offset;
  struct wm_reader r = wm_reader_make(section, (size_t)module->names.section.length);
  r.at += at;
  return r;
}

/* Indexes one subsection, given by a reader over it. */
static bool index_subsection(struct wm_module *module, struct wm_reader r, uint8_t kind, struct wm_arena *arena)
{
  size_t mark = arena->used;
  uint32_t start = (uint32_t)wm_reader_offset(&r), count = 1;
  struct wm_name_entry *entries;
  if (kind == WM_NAME_MODULE) {
    wm_read_name(&r);
  } else {
    struct wm_reader peek = r;
    count = wm_read_count(&peek);
  }
  entries = wm_arena_take(arena, count, sizeof *entries);
  if (entries == NULL)
    return false;
  if (kind == WM_NAME_MODULE)
    entries[0] = (struct wm_name_entry){0, start};
  else if (has_two_indices(kind))
    read_maps(&r, entries);
  else
    read_names(&r, entries);
  if (wm_reader_stopped(&r) || r.at != r.end)
    arena->used = mark;
  else
    module->names.maps[kind] = (struct wm_name_map){count, entries};
  return true;
}

bool wm_names_index(struct wm_module *module, struct wm_arena *arena)
{
  static const uint8_t title[] = {'n', 'a', 'm', 'e'};
  uint32_t found = 0;
  while (found < module->custom_count && wm_bytes_compare(module->customs[found].name.bytes, module->customs[found].name.length,
                                                          title, sizeof title) != 0)
    found++;
  if (found == module->custom_count)
    return true;
  module->names.section = module->customs[found].bytes;
  struct wm_reader r = reader_at(module, 0);
  int previous = -1;
  while (wm_reader_left(&r) > 0) {
    uint8_t kind = wm_read_u8(&r);
    uint32_t size = wm_read_u32(&r);
    const uint8_t *content = wm_read_bytes(&r, size);
    if (content == NULL || kind <= previous)
      break;
    previous = kind;
    struct wm_reader part = r;
    part.at = content;
    part.end = content + size;
    if (kind < WM_NAME_KINDS && !index_subsection(module, part, kind, arena))
      return false;
  }
  return true;
}

static const struct wm_name_entry *find_entry(const struct wm_name_map *map, uint32_t index)
{
  if (index < map->count && map->entries[index].index == index)
    return &map->entries[index];
  uint32_t low = 0, high = map->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (map->entries[middle].index < index)
      low = middle + 1;
    else
      high = middle;
  }
  return low < map->count && map->entries[low].index == index ? &map->entries[low] : NULL;
}

static struct wm_name no_name(const struct wm_module *module) { return (struct wm_name){module->bytes, 0}; }

struct wm_name wm_names_find(const struct wm_module *module, enum wm_name_kind kind, uint32_t index)
{
  const struct wm_name_entry *entry = find_entry(&module->names.maps[kind], index);
  if (entry == NULL)
    return no_name(module);
  struct wm_reader r = reader_at(module, entry->at);
  uint32_t length = wm_read_u32(&r);
  return (struct wm_name){r.at, length};
}

struct wm_name wm_names_module(const struct wm_module *module) { return wm_names_find(module, WM_NAME_MODULE, 0); }

struct wm_name wm_names_function(const struct wm_module *module, uint32_t function)
{
  return wm_names_find(module, WM_NAME_FUNCTION, function);
}

struct wm_name wm_names_find_in(const struct wm_module *module, enum wm_name_kind kind, uint32_t outer, uint32_t index)
{
  const struct wm_name_entry *entry = find_entry(&module->names.maps[kind], outer);
  if (entry == NULL)
    return no_name(module);
  struct wm_reader r = reader_at(module, entry->at);
  for (uint32_t count = wm_read_u32(&r); count > 0; count--) {
    uint32_t found = wm_read_u32(&r), length = wm_read_u32(&r);
    if (found == index)
      return (struct wm_name){r.at, length};
    if (found > index)
      break;
    r.at += length;
  }
  return no_name(module);
}
