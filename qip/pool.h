/* A host's blocks (interp/run.h) from one fixed range of memory: what the components made of the core have instead of an operating system.
 *
 * Blocks stand one behind the other; freeing the last ones makes room again, a hole in the middle stays until then. A block may
 * grow in place within its reservation or as the last one, and moves to the end otherwise. New bytes are zero as promised, but
 * only bytes that were handed out before are cleared: a range of hundreds of megabytes costs what is used of it. */
#ifndef WM_QIP_POOL_H
#define WM_QIP_POOL_H

#include "interp/run.h"

#define WM_POOL_BLOCKS 64

struct wm_pool_piece {
  uint64_t offset, reserved, bytes; /* bytes: the usable part */
  bool is_free;
};

struct wm_pool {
  uint8_t *base;    /* aligned to 16; all zero when the pool is opened */
  uint64_t size;
  uint64_t reserve_below; /* a block's wish for capacity is granted while at least this much stays free */
  uint64_t used;    /* end of the last piece */
  uint64_t dirty;   /* bytes from here on were never handed out: still zero */
  uint32_t count;
  struct wm_pool_piece pieces[WM_POOL_BLOCKS];
};

/* `base` must be zero from `dirty` on; a pool that is opened anew on the same bytes keeps its `dirty`. */
void wm_pool_open(struct wm_pool *pool, uint8_t *base, uint64_t size, uint64_t reserve_below);
/* Forgets every block. */
void wm_pool_reset(struct wm_pool *pool);
/* `bytes` zeroed bytes that are given back by a reset only; NULL when they do not fit. */
void *wm_pool_take(struct wm_pool *pool, uint64_t bytes);
/* The three functions over it. */
struct wm_host wm_pool_host(struct wm_pool *pool);

#endif
