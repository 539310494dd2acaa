// What every workload shares: its one entry point, a pseudo-random source and the mixing step of the checksums.
//
// A workload exports bench_run(n): it repeats one fixed unit of work n times, feeds each unit with the last one's
// result so that no unit can be left out, and returns a checksum. Time is linear in n; bench_run(0) does only the
// preparation. A file compiles as C11 without a C library for wasm32 (clang) and for the host (gcc or clang), and gives
// the same checksum everywhere: no pointer value, no padding and no undefined behaviour enters it.
#ifndef BENCH_H
#define BENCH_H

#include <stddef.h>
#include <stdint.h>

#if defined(__wasm__)
#define BENCH_EXPORT __attribute__((export_name("bench_run")))
#else
#define BENCH_EXPORT
#endif
#define BENCH_NOINLINE __attribute__((noinline))

BENCH_EXPORT uint32_t bench_run(uint32_t n);

// xorshift32: state must not be zero.
static inline uint32_t bench_random(uint32_t *state) {
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    *state = x;
    return x;
}

static inline uint32_t bench_mix(uint32_t sum, uint32_t value) {
    sum ^= value;
    sum *= 0x01000193u;
    return sum ^ (sum >> 15);
}

#endif
