// Hash map: open addressing with linear probing over 64-bit keys: i64 arithmetic, i64 loads and stores, probing loops
// of unpredictable length. One unit: 600 insertions, then 1,200 look-ups, half of them of absent keys.
#include "bench.h"

enum { SLOTS = 1024, KEYS = 600 };
static uint64_t keys[SLOTS];
static uint32_t values[SLOTS];

static uint64_t scramble(uint64_t x) {
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

// Returns the slot that holds the key, or the empty one where it belongs; the map is never full.
static BENCH_NOINLINE uint32_t find_slot(uint64_t key) {
    uint32_t at = (uint32_t)scramble(key) & (SLOTS - 1);
    while (keys[at] != 0 && keys[at] != key)
        at = (at + 1) & (SLOTS - 1);
    return at;
}

uint32_t bench_run(uint32_t n) {
    uint32_t sum = 1;
    uint64_t base = UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < SLOTS; k++)
            keys[k] = 0;
        for (uint32_t k = 1; k <= KEYS; k++) {
            uint64_t key = base * k | 1;
            uint32_t at = find_slot(key);
            keys[at] = key;
            values[at] = k;
        }
        for (uint32_t k = 1; k <= 2 * KEYS; k++) {
            uint32_t at = find_slot(base * k | 1);
            sum = sum * 31 + (keys[at] != 0 ? values[at] : at);
        }
        base += (uint64_t)sum << 1;
    }
    return sum;
}
