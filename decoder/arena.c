/* Arenas: bytes of the caller's, given out from the front (kept) or from the end (scratch).
 *
 * Every size is checked before it is added or multiplied, so that counts taken from a module cannot wrap a 32-bit size_t. */
#include "decoder/arena.h"

#define ALIGNMENT ((size_t)16)

/* Bytes of the whole array, rounded up to the alignment; false when that does not fit a size_t. */
static bool array_bytes(size_t count, size_t item_bytes, size_t *bytes)
{
  if (item_bytes != 0 && count > (SIZE_MAX - ALIGNMENT) / item_bytes)
    return false;
  *bytes = (count * item_bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
  return true;
}

void *wm_arena_take(struct wm_arena *arena, size_t count, size_t item_bytes)
{
  size_t bytes;
  size_t start = arena->used + (ALIGNMENT - arena->used % ALIGNMENT) % ALIGNMENT;
  if (!array_bytes(count, item_bytes, &bytes) || start > arena->size || bytes > arena->size - start)
    return NULL;
  arena->used = start + bytes;
  return arena->base + start;
}

void *wm_arena_zero(struct wm_arena *arena, size_t count, size_t item_bytes)
{
  void *items = wm_arena_take(arena, count, item_bytes);
  if (items != NULL)
    __builtin_memset(items, 0, count * item_bytes);
  return items;
}

void *wm_arena_take_end(struct wm_arena *arena, size_t count, size_t item_bytes)
{
  size_t bytes;
  size_t end = arena->size - arena->size % ALIGNMENT;
  if (!array_bytes(count, item_bytes, &bytes) || end < arena->used || bytes > end - arena->used)
    return NULL;
  arena->size = end - bytes;
  return arena->base + arena->size;
}
