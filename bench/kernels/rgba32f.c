// SIMD float blend: source-over in linear light, one f32x4 a pixel, as components that draw RGBA32-float frames do it:
// multiply, add, compare and select by lane, splats. Vector extensions, as in rgba8.c; for wasm32 it needs simd128.
// One unit: 2,048 pixels blended and clamped to 0..1.
#include "bench.h"

typedef float f32x4 __attribute__((vector_size(16)));
typedef int32_t i32x4 __attribute__((vector_size(16)));

enum { PIXELS = 2048 };
static f32x4 source[PIXELS], target[PIXELS];

static inline f32x4 select(i32x4 mask, f32x4 a, f32x4 b) {
    return (f32x4)((mask & (i32x4)a) | (~mask & (i32x4)b));
}

static BENCH_NOINLINE void blend(float gain) {
    f32x4 zero = {0, 0, 0, 0}, one = {1, 1, 1, 1};
    for (int i = 0; i < PIXELS; i++) {
        f32x4 from = source[i];
        f32x4 alpha = __builtin_shufflevector(from, from, 3, 3, 3, 3);
        f32x4 mixed = from * gain + target[i] * (one - alpha);
        mixed = select(mixed < zero, zero, mixed);
        target[i] = select(mixed > one, one, mixed);
    }
}

uint32_t bench_run(uint32_t n) {
    uint32_t sum = 1, state = 0xcc9e2d51u;
    for (int i = 0; i < PIXELS; i++) {
        for (int c = 0; c < 4; c++) {
            source[i][c] = (float)(bench_random(&state) >> 8) / 16777216.0f;
            target[i][c] = (float)(bench_random(&state) >> 8) / 16777216.0f;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        blend(0.5f + (float)(sum & 255) / 1024.0f);
        for (int k = (int)(i & 7); k < PIXELS; k += 67)
            sum = sum * 31 + (uint32_t)(int32_t)(target[k][k & 3] * 65536.0f);
    }
    return sum;
}
