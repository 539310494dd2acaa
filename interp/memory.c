/* Linear memories: making and growing (WebAssembly 3.0, Execution: Memory Instances).
 *
 * Bytes are a block of the host that is never cleared here: the host gives zeroes. Growth answers -1 only for a declared or configured
 * maximum, of this memory or of all of the store together; a host without memory is a different matter that ends the run. The store owns the memory and releases its block. */
#include "interp/instance.h"

struct wm_memory_instance *wm_memory_make(struct wm_store *store, struct wm_memory_type type, struct wm_error *error)
{
  uint64_t limit = type.limits.is_64 ? (uint64_t)1 << 48 : 65536;
  uint64_t configured = store->limits->memory_bytes / WM_PAGE_BYTES;
  if (type.limits.has_maximum && type.limits.maximum < limit)
    limit = type.limits.maximum;
  if (configured < limit)
    limit = configured;
  if (type.limits.minimum > limit || type.limits.minimum > configured - store->memory_pages) {
    wm_error_set(error, WM_LIMIT, WM_NO_OFFSET, "memory size");
    error->limit = store->limits->memory_bytes;
    return NULL;
  }
  struct wm_memory_instance *memory = wm_arena_zero(store->arena, 1, sizeof *memory);
  if (memory == NULL) {
    wm_error_set(error, WM_NO_SPACE, WM_NO_OFFSET, "no space for a memory");
    return NULL;
  }
  memory->type = type;
  memory->limit_pages = limit;
  memory->length = type.limits.minimum * WM_PAGE_BYTES;
  if (limit != 0 && !store->host->take(store->host->user, &memory->block, memory->length, limit * WM_PAGE_BYTES)) {
    wm_error_set(error, WM_NO_SPACE, WM_NO_OFFSET, "the host has no memory for a linear memory");
    return NULL;
  }
  memory->base = memory->block.base;
  store->memory_pages += type.limits.minimum;
  memory->next = store->memories;
  store->memories = memory;
  return memory;
}

enum wm_grow wm_memory_grow(struct wm_store *store, struct wm_memory_instance *memory, uint64_t pages)
{
  uint64_t now = memory->length / WM_PAGE_BYTES;
  if (pages > memory->limit_pages - now || pages > store->limits->memory_bytes / WM_PAGE_BYTES - store->memory_pages)
    return WM_GROW_REFUSED;
  if (pages == 0)
    return WM_GROW_DONE;
  if (!store->host->grow(store->host->user, &memory->block, (now + pages) * WM_PAGE_BYTES))
    return WM_GROW_NO_HOST_MEMORY;
  memory->base = memory->block.base;
  store->memory_pages += pages;
  memory->length = (now + pages) * WM_PAGE_BYTES;
  memory->type.limits.minimum = now + pages;
  return WM_GROW_DONE;
}
