/* Memory for the core, straight from mmap: address space is reserved, nothing is cleared or touched, and what is never
 * touched costs no memory.
 *
 * Linear memories, tables, frames and objects come as struct wm_block (interp/run.h) and may grow in place; arenas are ranges that are
 * large enough by their size alone. Everything is given back with the matching release, or at the end of the process. */
#ifndef WM_CLI_HOST_MEMORY_H
#define WM_CLI_HOST_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "decoder/arena.h"
#include "interp/run.h"

/* The host of every store of this process. */
extern const struct wm_host wm_host_memory;

/* An arena of up to `bytes`; the host may give less address space, down to 1 MiB. False: not even that. */
bool wm_arena_reserve(struct wm_arena *arena, uint64_t bytes);
/* One that holds whatever decoding, linking and lowering make of a module of that size: no construct of the binary format becomes more
 * than 512 times its bytes. */
bool wm_arena_reserve_for(struct wm_arena *arena, uint64_t module_bytes);
void wm_arena_release(struct wm_arena *arena);

/* Zeroed memory by itself, for sinks; NULL when the host has none. Release needs the same number. */
void *wm_pages_reserve(uint64_t bytes);
void wm_pages_release(void *pages, uint64_t bytes);

#endif
