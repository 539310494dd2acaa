// Recursion: the doubly recursive Fibonacci function, so calls, returns and small frames and little else.
// One unit: fib(18), 8,361 calls; the leaves add a seed, so that no compiler finds the calls to be the same.
#include "bench.h"

static BENCH_NOINLINE uint32_t fib(uint32_t n, uint32_t seed) {
    return n < 2 ? n + seed : fib(n - 1, seed) + fib(n - 2, seed);
}

uint32_t bench_run(uint32_t n) {
    uint32_t sum = 1;
    for (uint32_t i = 0; i < n; i++)
        sum = bench_mix(sum, fib(18, sum));
    return sum;
}
