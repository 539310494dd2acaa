/* A bump allocator with a short list of its blocks, so that the last ones can be taken back and one of them can grow. */
#include "qip/pool.h"

#define ALIGNMENT 16u

static uint64_t round_up(uint64_t bytes)
{
  return (bytes + (ALIGNMENT - 1)) & ~(uint64_t)(ALIGNMENT - 1);
}

void wm_pool_reset(struct wm_pool *pool)
{
  pool->used = 0;
  pool->count = 0;
}

void wm_pool_open(struct wm_pool *pool, uint8_t *base, uint64_t size, uint64_t reserve_below)
{
  pool->base = base;
  pool->size = size & ~(uint64_t)(ALIGNMENT - 1);
  pool->reserve_below = reserve_below;
  pool->dirty = 0;
  wm_pool_reset(pool);
}

/* [start, end) becomes usable: zero. */
static void clean(struct wm_pool *pool, uint64_t start, uint64_t end)
{
  uint64_t clear_to = end < pool->dirty ? end : pool->dirty;
  if (start < clear_to)
    __builtin_memset(pool->base + start, 0, (size_t)(clear_to - start));
  if (end > pool->dirty)
    pool->dirty = end;
}

/* A new last piece; NULL when it does not fit. */
static struct wm_pool_piece *add(struct wm_pool *pool, uint64_t bytes, uint64_t reserved)
{
  uint64_t left = pool->size - pool->used;
  if (pool->count == WM_POOL_BLOCKS || bytes > left)
    return NULL;
  if (reserved > left || left - reserved < pool->reserve_below || reserved < bytes)
    reserved = bytes;
  struct wm_pool_piece *piece = &pool->pieces[pool->count++];
  *piece = (struct wm_pool_piece){pool->used, round_up(reserved), bytes, false};
  pool->used += piece->reserved;
  clean(pool, piece->offset, piece->offset + bytes);
  return piece;
}

void *wm_pool_take(struct wm_pool *pool, uint64_t bytes)
{
  struct wm_pool_piece *piece = add(pool, bytes, bytes);
  return piece == NULL ? NULL : pool->base + piece->offset;
}

static void fill_block(struct wm_pool *pool, const struct wm_pool_piece *piece, struct wm_block *block)
{
  block->base = pool->base + piece->offset;
  block->bytes = piece->bytes;
  block->capacity = piece->reserved > 0 ? piece->reserved : ALIGNMENT; /* 0 would say that there is no block */
  block->host = (void *)(uintptr_t)(piece - pool->pieces);
}

static bool take_block(void *user, struct wm_block *block, uint64_t bytes, uint64_t capacity)
{
  struct wm_pool_piece *piece = add(user, bytes, capacity);
  if (piece == NULL)
    return false;
  fill_block(user, piece, block);
  return true;
}

/* Gives back what is free at the end. */
static void trim(struct wm_pool *pool)
{
  while (pool->count > 0 && pool->pieces[pool->count - 1].is_free)
    pool->used = pool->pieces[--pool->count].offset;
}

static bool grow_block(void *user, struct wm_block *block, uint64_t bytes)
{
  struct wm_pool *pool = user;
  struct wm_pool_piece *piece = &pool->pieces[(uintptr_t)block->host];
  bool is_last = piece == &pool->pieces[pool->count - 1];
  if (bytes > piece->reserved && is_last && bytes <= pool->size - piece->offset) {
    piece->reserved = round_up(bytes);
    pool->used = piece->offset + piece->reserved;
  }
  if (bytes <= piece->reserved) {
    clean(pool, piece->offset + piece->bytes, piece->offset + bytes);
    piece->bytes = bytes;
    fill_block(pool, piece, block);
    return true;
  }
  struct wm_pool_piece *moved = add(pool, bytes, bytes);
  if (moved == NULL)
    return false;
  __builtin_memcpy(pool->base + moved->offset, pool->base + piece->offset, (size_t)piece->bytes);
  piece->is_free = true;
  fill_block(pool, moved, block);
  return true;
}

static void release_block(void *user, struct wm_block *block)
{
  struct wm_pool *pool = user;
  pool->pieces[(uintptr_t)block->host].is_free = true;
  trim(pool);
  *block = (struct wm_block){NULL, 0, 0, NULL};
}

struct wm_host wm_pool_host(struct wm_pool *pool)
{
  return (struct wm_host){pool, take_block, grow_block, release_block};
}
