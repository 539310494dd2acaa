// RGBA blur: a 3 by 3 box blur over bytes, nine byte loads and one store for each channel, with address arithmetic of
// the kind that picture code has. One unit: a 64 by 64 picture blurred into a second one, which becomes the source
// after one of its pixels has been replaced.
#include "bench.h"

enum { WIDTH = 64, HEIGHT = 64, STRIDE = WIDTH * 4 };
static uint8_t pictures[2][HEIGHT * STRIDE];

static BENCH_NOINLINE void blur(const uint8_t *from, uint8_t *to) {
    for (int y = 1; y < HEIGHT - 1; y++) {
        for (int x = 4; x < STRIDE - 4; x++) {
            uint32_t total = 0;
            for (int row = y - 1; row <= y + 1; row++) {
                const uint8_t *at = from + row * STRIDE + x;
                total += (uint32_t)at[-4] + at[0] + at[4];
            }
            to[y * STRIDE + x] = (uint8_t)(total * 7282u >> 16);
        }
    }
}

static uint32_t sample(const uint8_t *picture) {
    uint32_t sum = 0;
    for (int i = 0; i < HEIGHT * STRIDE; i += 61)
        sum = sum * 31 + picture[i];
    return sum;
}

uint32_t bench_run(uint32_t n) {
    uint32_t sum = 1, state = 0x9e3779b9u;
    for (int i = 0; i < HEIGHT * STRIDE; i++)
        pictures[0][i] = pictures[1][i] = (uint8_t)(bench_random(&state) >> 16);
    for (uint32_t i = 0; i < n; i++) {
        uint8_t *to = pictures[~i & 1];
        blur(pictures[i & 1], to);
        sum = bench_mix(sum, sample(to));
        to[sum % (HEIGHT * STRIDE)] = (uint8_t)(sum >> 24);
    }
    return sum;
}
