/* Memory for the core from mmap; see host_memory.h. Reservations are private anonymous mappings without a claim on swap
 * (MAP_NORESERVE); the part of a block that is not usable yet has no access rights, so the kernel accounts only for what is. */
#define _GNU_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE, mremap */
#include "cli/host_memory.h"

#include <stddef.h>
#include <sys/mman.h>

#define HOST_PAGE_BYTES 4096u /* rounding only; a kernel with larger pages rounds up itself */
#define LEAST_ARENA_BYTES (1u << 20)

static uint64_t round_up(uint64_t bytes)
{
  uint64_t rounded = (bytes + HOST_PAGE_BYTES - 1) & ~(uint64_t)(HOST_PAGE_BYTES - 1);
  return rounded < bytes ? UINT64_MAX - HOST_PAGE_BYTES + 1 : rounded == 0 ? HOST_PAGE_BYTES : rounded;
}

static void *map(uint64_t bytes, int rights)
{
  if (bytes > SIZE_MAX)
    return NULL;
  void *base = mmap(NULL, (size_t)bytes, rights, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return base == MAP_FAILED ? NULL : base;
}

static bool take(void *user, struct wm_block *block, uint64_t bytes, uint64_t capacity)
{
  (void)user;
  uint64_t usable = round_up(bytes);
  uint64_t reserved = round_up(capacity < bytes ? bytes : capacity);
  void *base = NULL;
  for (;;) {
    base = map(reserved, reserved == usable ? PROT_READ | PROT_WRITE : PROT_NONE);
    if (base != NULL || reserved == usable)
      break;
    reserved = reserved / 2 > usable ? round_up(reserved / 2) : usable; /* growing later may move it instead */
  }
  if (base == NULL)
    return false;
  if (reserved != usable && bytes > 0 && mprotect(base, (size_t)usable, PROT_READ | PROT_WRITE) != 0) {
    munmap(base, (size_t)reserved);
    return false;
  }
  *block = (struct wm_block){base, bytes, reserved, (void *)(uintptr_t)reserved};
  return true;
}

static bool grow(void *user, struct wm_block *block, uint64_t bytes)
{
  (void)user;
  uint64_t usable = round_up(bytes);
  uint64_t reserved = (uint64_t)(uintptr_t)block->host;
  if (usable > SIZE_MAX)
    return false;
  if (usable > reserved) {
    /* All of it must have one set of rights before it can be moved as one mapping. */
    if (mprotect(block->base, (size_t)reserved, PROT_READ | PROT_WRITE) != 0)
      return false;
    void *base = mremap(block->base, (size_t)reserved, (size_t)usable, MREMAP_MAYMOVE);
    if (base == MAP_FAILED)
      return false;
    block->base = base;
    block->host = (void *)(uintptr_t)usable;
    block->capacity = usable;
  } else if (mprotect(block->base, (size_t)usable, PROT_READ | PROT_WRITE) != 0) {
    return false;
  }
  block->bytes = bytes;
  return true;
}

static void release(void *user, struct wm_block *block)
{
  (void)user;
  if (block->base != NULL)
    munmap(block->base, (size_t)(uintptr_t)block->host);
  *block = (struct wm_block){0};
}

const struct wm_host wm_host_memory = {NULL, take, grow, release};

bool wm_arena_reserve(struct wm_arena *arena, uint64_t bytes)
{
  uint64_t size = round_up(bytes < LEAST_ARENA_BYTES ? LEAST_ARENA_BYTES : bytes);
  void *base;
  /* Where address space is short, others need some of it too: what is left is not taken by halves. */
  while ((base = map(size, PROT_READ | PROT_WRITE)) == NULL && size / 8 >= LEAST_ARENA_BYTES)
    size = round_up(size / 8);
  *arena = (struct wm_arena){base, 0, base == NULL ? 0 : (size_t)size};
  return base != NULL;
}

bool wm_arena_reserve_for(struct wm_arena *arena, uint64_t module_bytes)
{
  const uint64_t most = UINT64_C(64) << 30;
  return wm_arena_reserve(arena, module_bytes > most / 512 ? most : 512 * module_bytes + (UINT64_C(64) << 20));
}

void wm_arena_release(struct wm_arena *arena)
{
  if (arena->base != NULL)
    munmap(arena->base, arena->size);
  *arena = (struct wm_arena){0};
}

void *wm_pages_reserve(uint64_t bytes)
{
  return map(round_up(bytes), PROT_READ | PROT_WRITE);
}

void wm_pages_release(void *pages, uint64_t bytes)
{
  if (pages != NULL)
    munmap(pages, (size_t)round_up(bytes));
}
