/* What the contract's tests share: a host that gives memory from malloc, and modules decoded from the table of cases. */
#ifndef TESTS_QIP_SUPPORT_H
#define TESTS_QIP_SUPPORT_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interp/run.h"
#include "qip/contract.h"

static inline struct wm_text text_of(const char *string)
{
  return (struct wm_text){string, (uint32_t)strlen(string)};
}

/* Blocks do not move: a memory's whole capacity is taken at once, but not more than a test needs. */
static inline bool take_block(void *user, struct wm_block *block, uint64_t bytes, uint64_t capacity)
{
  const uint64_t most = (uint64_t)16 << 20;
  (void)user;
  if (capacity > most)
    capacity = bytes > most ? bytes : most;
  *block = (struct wm_block){calloc(1, capacity > 0 ? (size_t)capacity : 1), bytes, capacity, NULL};
  return block->base != NULL;
}

static inline bool grow_block(void *user, struct wm_block *block, uint64_t bytes)
{
  (void)user;
  if (bytes > block->capacity)
    return false;
  block->bytes = bytes;
  return true;
}

static inline void release_block(void *user, struct wm_block *block)
{
  (void)user;
  free(block->base);
  block->base = NULL;
}

/* One module with everything around it. */
struct bench {
  struct wm_host host;
  struct wm_limits limits;
  struct wm_arena arena;
  struct wm_types types;
  struct wm_module module;
  struct wm_store *store;
  uint8_t *bytes; /* a copy of exact size, so that a sanitizer sees a byte read too many */
};

#define BENCH_ARENA_BYTES ((size_t)8 << 20)

static inline void bench_open(struct bench *bench, const uint8_t *bytes, size_t length, const char *name)
{
  struct wm_error error = WM_ERROR_NONE;
  bench->host = (struct wm_host){NULL, take_block, grow_block, release_block};
  bench->limits = wm_limits_native;
  bench->limits.frames = 1000;
  bench->limits.slots = 100000;
  bench->arena = (struct wm_arena){aligned_alloc(16, BENCH_ARENA_BYTES), 0, BENCH_ARENA_BYTES};
  bench->bytes = malloc(length);
  memcpy(bench->bytes, bytes, length);
  cr_assert(wm_types_init(&bench->types, &bench->arena, &bench->limits));
  cr_assert(wm_module_decode(&bench->module, bench->bytes, length, &bench->limits, &bench->types, &bench->arena, &error),
            "%s: %s at %llu", name, error.message, (unsigned long long)error.offset);
  bench->store = wm_store_open(&bench->arena, &bench->limits, &bench->host, &bench->types);
  cr_assert(bench->store != NULL);
}

static inline void bench_close(struct bench *bench)
{
  wm_store_close(bench->store);
  free(bench->bytes);
  free(bench->arena.base);
}

#endif
