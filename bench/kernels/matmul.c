// f64 matrix product: two loads, a multiplication and an addition in the innermost of three loops.
// One unit: c = a * b for 40 by 40 matrices; one element of a is then replaced by bits of the checksum of c.
#include "bench.h"

enum { SIZE = 40 };
static double a[SIZE][SIZE], b[SIZE][SIZE], c[SIZE][SIZE];

static void fill(void) {
    uint32_t state = 0x1234567u;
    for (int i = 0; i < SIZE; i++) {
        for (int j = 0; j < SIZE; j++) {
            a[i][j] = (double)(bench_random(&state) & 0xffff) / 65536.0 - 0.5;
            b[i][j] = (double)(bench_random(&state) & 0xffff) / 65536.0 - 0.5;
        }
    }
}

static BENCH_NOINLINE void multiply(void) {
    for (int i = 0; i < SIZE; i++) {
        for (int j = 0; j < SIZE; j++) {
            double dot = 0;
            for (int k = 0; k < SIZE; k++)
                dot += a[i][k] * b[k][j];
            c[i][j] = dot;
        }
    }
}

uint32_t bench_run(uint32_t n) {
    uint32_t sum = 1;
    fill();
    for (uint32_t i = 0; i < n; i++) {
        multiply();
        double element = c[sum % SIZE][i % SIZE];
        sum = bench_mix(sum, (uint32_t)(int32_t)(element * 65536.0));
        a[i % SIZE][sum % SIZE] = (double)(sum & 0xffff) / 65536.0 - 0.5;
    }
    return sum;
}
