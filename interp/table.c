/* Tables: making, growing, copying, and finding the callee of an indirect call (WebAssembly 3.0, Execution: Table Instances).
 *
 * An entry is one reference of 8 bytes in a block of the host. Bounds are checked for the whole range before anything is written; a
 * range of no entries does nothing. What the copied bytes cost of the bulk limit is the caller's business. */
#include "interp/table.h"

struct wm_table_instance *wm_table_make(struct wm_store *store, struct wm_table_type type, struct wm_error *error)
{
  uint64_t limit = type.limits.is_64 ? UINT64_MAX : UINT32_MAX;
  if (type.limits.has_maximum && type.limits.maximum < limit)
    limit = type.limits.maximum;
  if (store->limits->table_entries < limit)
    limit = store->limits->table_entries;
  if (type.limits.minimum > limit || type.limits.minimum > store->limits->table_entries - store->table_entries) {
    wm_error_set(error, WM_LIMIT, WM_NO_OFFSET, "table size");
    error->limit = store->limits->table_entries;
    return NULL;
  }
  struct wm_table_instance *table = wm_arena_zero(store->arena, 1, sizeof *table);
  if (table == NULL) {
    wm_error_set(error, WM_NO_SPACE, WM_NO_OFFSET, "no space for a table");
    return NULL;
  }
  table->type = type;
  table->limit = limit;
  table->length = type.limits.minimum;
  if (limit != 0 && !store->host->take(store->host->user, &table->block, table->length * 8, limit * 8)) {
    wm_error_set(error, WM_NO_SPACE, WM_NO_OFFSET, "the host has no memory for a table");
    return NULL;
  }
  table->refs = (uint64_t *)(void *)table->block.base;
  store->table_entries += table->length;
  table->next = store->tables;
  store->tables = table;
  return table;
}

enum wm_grow wm_table_grow(struct wm_store *store, struct wm_table_instance *table, uint64_t entries, uint64_t ref)
{
  uint64_t before = table->length;
  if (entries > table->limit - before || entries > store->limits->table_entries - store->table_entries)
    return WM_GROW_REFUSED;
  if (entries == 0)
    return WM_GROW_DONE;
  if (!store->host->grow(store->host->user, &table->block, (before + entries) * 8))
    return WM_GROW_NO_HOST_MEMORY;
  table->refs = (uint64_t *)(void *)table->block.base;
  store->table_entries += entries;
  table->length = before + entries;
  table->type.limits.minimum = table->length;
  return wm_table_fill(table, before, ref, entries) == WM_TRAP_NONE ? WM_GROW_DONE : WM_GROW_REFUSED;
}

enum wm_trap wm_table_fill(struct wm_table_instance *table, uint64_t at, uint64_t ref, uint64_t count)
{
  if (!wm_range_fits(at, count, table->length))
    return WM_TRAP_OUT_OF_BOUNDS_TABLE;
  for (uint64_t i = 0; i < count; i++)
    table->refs[at + i] = ref;
  return WM_TRAP_NONE;
}

enum wm_trap wm_table_copy(struct wm_table_instance *to, uint64_t at, const struct wm_table_instance *from, uint64_t source, uint64_t count)
{
  if (!wm_range_fits(at, count, to->length) || !wm_range_fits(source, count, from->length))
    return WM_TRAP_OUT_OF_BOUNDS_TABLE;
  if (count != 0)
    __builtin_memmove(to->refs + at, from->refs + source, (size_t)count * 8);
  return WM_TRAP_NONE;
}

enum wm_trap wm_table_init(struct wm_table_instance *table, uint64_t at, const struct wm_element_instance *segment, uint64_t source,
                           uint64_t count)
{
  if (!wm_range_fits(at, count, table->length) || !wm_range_fits(source, count, segment->count))
    return WM_TRAP_OUT_OF_BOUNDS_TABLE;
  if (count != 0)
    __builtin_memcpy(table->refs + at, segment->refs + source, (size_t)count * 8);
  return WM_TRAP_NONE;
}

enum wm_trap wm_table_callee(const struct wm_instance *instance, uint32_t index, uint64_t at, uint32_t type, struct wm_function **callee)
{
  const struct wm_table_instance *table = instance->tables[index];
  if (at >= table->length)
    return WM_TRAP_UNDEFINED_ELEMENT;
  struct wm_function *function = wm_ref_function(table->refs[at]);
  if (function == NULL)
    return WM_TRAP_UNINITIALIZED_ELEMENT;
  if (!wm_id_matches(instance->store->types, function->type, type))
    return WM_TRAP_INDIRECT_TYPE_MISMATCH;
  *callee = function;
  return WM_TRAP_NONE;
}
