// Sieve of Eratosthenes: short inner loops of byte stores with a varying stride, then one pass of byte loads.
// One unit: the primes below 32,768, then a checksum of the last one and of their number.
#include "bench.h"

enum { LIMIT = 32768 };
static uint8_t composite[LIMIT];

static uint32_t sieve(uint32_t first) {
    for (uint32_t i = 0; i < LIMIT; i++)
        composite[i] = 0;
    for (uint32_t p = 2; p * p < LIMIT; p++) {
        if (composite[p])
            continue;
        for (uint32_t m = p * p; m < LIMIT; m += p)
            composite[m] = 1;
    }
    uint32_t count = 0, last = 0;
    for (uint32_t i = first; i < LIMIT; i++) {
        if (!composite[i]) {
            count++;
            last = i;
        }
    }
    return count * LIMIT + last;
}

uint32_t bench_run(uint32_t n) {
    uint32_t sum = 1;
    for (uint32_t i = 0; i < n; i++)
        sum = bench_mix(sum, sieve(2 + (sum & 7)));
    return sum;
}
