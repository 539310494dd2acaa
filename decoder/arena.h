/* Memory handed in by the caller, given out from the front and never given back one by one.
 *
 * The core allocates nowhere else. Running out is an ordinary result (NULL). The caller owns the bytes; to free everything
 * it resets `used` to an earlier value. Bytes given out are not cleared unless wm_arena_zero is asked: a host may map
 * gigabytes of address space and only what is touched costs memory. */
#ifndef WM_DECODER_ARENA_H
#define WM_DECODER_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wm_arena {
  uint8_t *base; /* aligned to 16 bytes by the caller */
  size_t used, size; /* bytes */
};

/* `count` items of `item_bytes`, aligned to 16; NULL when the arena cannot hold them. Contents are undefined. */
void *wm_arena_take(struct wm_arena *arena, size_t count, size_t item_bytes);
/* The same, all bytes zero. */
void *wm_arena_zero(struct wm_arena *arena, size_t count, size_t item_bytes);
/* The same as wm_arena_take from the other end: scratch. The caller gives it back by restoring `size`. */
void *wm_arena_take_end(struct wm_arena *arena, size_t count, size_t item_bytes);

#endif
