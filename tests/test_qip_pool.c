/* The components' block allocator: zeroed bytes, growth in place and by moving, room given back, and nothing left of a request. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "qip/pool.h"

#define SIZE 4096

static struct wm_pool pool;
static struct wm_host host;

static void open_pool(uint64_t reserve_below)
{
  wm_pool_open(&pool, aligned_alloc(16, SIZE), SIZE, reserve_below);
  memset(pool.base, 0, SIZE);
  host = wm_pool_host(&pool);
}

static bool is_zero(const uint8_t *bytes, uint64_t length)
{
  for (uint64_t i = 0; i < length; i++)
    if (bytes[i] != 0)
      return false;
  return true;
}

Test(qip_pool, blocks_are_zero_again_after_a_reset)
{
  struct wm_block a, b;
  open_pool(0);
  for (int round = 0; round < 3; round++) {
    cr_assert(host.take(host.user, &a, 100, 200) && host.take(host.user, &b, 300, 300));
    cr_assert(is_zero(a.base, 100) && is_zero(b.base, 300));
    cr_assert(a.capacity >= 200 && b.base >= a.base + 200 && ((uintptr_t)b.base & 15) == 0);
    memset(a.base, 1, 100);
    cr_assert(host.grow(host.user, &a, 200), "within what was reserved");
    cr_assert(a.base[99] == 1 && is_zero(a.base + 100, 100));
    memset(a.base, 2, 200);
    memset(b.base, 3, 300);
    wm_pool_reset(&pool);
    uint8_t *all = wm_pool_take(&pool, SIZE);
    cr_assert(all != NULL && is_zero(all, SIZE) && wm_pool_take(&pool, 1) == NULL);
    memset(all, 0xff, SIZE);
    wm_pool_reset(&pool);
  }
  free(pool.base);
}

Test(qip_pool, the_last_block_grows_in_place_others_move)
{
  struct wm_block a, b;
  open_pool(0);
  cr_assert(host.take(host.user, &a, 64, 64) && host.take(host.user, &b, 64, 64));
  uint8_t *was_a = a.base, *was_b = b.base;
  memset(a.base, 7, 64);
  memset(b.base, 8, 64);
  cr_assert(host.grow(host.user, &b, 128) && b.base == was_b && b.base[63] == 8 && is_zero(b.base + 64, 64));
  memset(b.base + 64, 9, 64);
  cr_assert(host.grow(host.user, &a, 1000) && a.base != was_a && a.base[63] == 7 && is_zero(a.base + 64, 936));
  cr_assert(b.base[127] == 9, "the other stays");
  cr_assert_not(host.grow(host.user, &b, SIZE));
  cr_assert(b.base == was_b && b.bytes == 128, "unchanged when there is no room");
  cr_assert_not(host.grow(host.user, &a, SIZE));
  cr_assert(host.grow(host.user, &a, SIZE - 64 - 128), "all the rest");
  free(pool.base);
}

Test(qip_pool, room_at_the_end_is_given_back)
{
  struct wm_block a, b, c, d;
  open_pool(0);
  cr_assert(host.take(host.user, &a, 1000, 1000) && host.take(host.user, &b, 1000, 1000) && host.take(host.user, &c, 2000, 2000));
  memset(c.base, 1, 2000);
  cr_assert_not(host.take(host.user, &d, 200, 200));
  host.release(host.user, &b);
  cr_assert_not(wm_pool_take(&pool, 200), "a hole waits for what is behind it");
  host.release(host.user, &c);
  uint8_t *bytes = wm_pool_take(&pool, 3000);
  cr_assert(bytes == a.base + 1008 && is_zero(bytes, 3000));
  free(pool.base);
}

Test(qip_pool, wishes_are_granted_while_enough_stays_free)
{
  struct wm_block a, b;
  open_pool(1024);
  cr_assert(host.take(host.user, &a, 16, 3072) && a.capacity == 3072);
  cr_assert(host.take(host.user, &b, 16, 32) && b.capacity == 16, "nothing is left to reserve from");
  cr_assert(host.take(host.user, &a, 1008, 1008) && !host.take(host.user, &a, 1, 1));
  free(pool.base);
}

Test(qip_pool, empty_blocks_and_many)
{
  struct wm_block block;
  open_pool(0);
  for (int i = 0; i < WM_POOL_BLOCKS; i++)
    cr_assert(host.take(host.user, &block, 0, 0) && block.capacity > 0, "a block's capacity says that it is one");
  cr_assert_not(host.take(host.user, &block, 0, 0), "the list is full");
  wm_pool_reset(&pool);
  cr_assert(host.take(host.user, &block, 0, 0) && host.grow(host.user, &block, SIZE) && is_zero(block.base, SIZE));
  free(pool.base);
}
