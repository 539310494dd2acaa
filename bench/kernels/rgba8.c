// SIMD pixel blend: source-over of premultiplied RGBA bytes, sixteen at a time, with 16-bit intermediates. Written with
// the vector extensions of gcc and clang, so the host build is vector code as well; for wasm32 it needs simd128.
// One unit: 4,096 pixels blended, then four bytes of the source replaced by the checksum.
#include "bench.h"

typedef uint8_t u8x16 __attribute__((vector_size(16)));
typedef uint8_t u8x8 __attribute__((vector_size(8)));
typedef uint16_t u16x8 __attribute__((vector_size(16)));

enum { SIZE = 4096 * 4 };
static uint8_t source[SIZE] __attribute__((aligned(16)));
static uint8_t target[SIZE] __attribute__((aligned(16)));

// Rounded division by 255 of products of two bytes.
static inline u16x8 divide_255(u16x8 v) {
    v += 128;
    return (v + (v >> 8)) >> 8;
}

static inline u16x8 widen_low(u8x16 v) {
    return __builtin_convertvector(__builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7), u16x8);
}

static inline u16x8 widen_high(u8x16 v) {
    return __builtin_convertvector(__builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15), u16x8);
}

static inline u8x16 narrow(u16x8 low, u16x8 high) {
    u8x8 a = __builtin_convertvector(low, u8x8), b = __builtin_convertvector(high, u8x8);
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

static BENCH_NOINLINE void blend(void) {
    for (uint32_t i = 0; i < SIZE; i += 16) {
        u8x16 from, to;
        __builtin_memcpy(&from, source + i, 16);
        __builtin_memcpy(&to, target + i, 16);
        u8x16 alpha = __builtin_shufflevector(from, from, 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15);
        u8x16 rest = 255 - alpha;
        u16x8 low = widen_low(from) + divide_255(widen_low(to) * widen_low(rest));
        u16x8 high = widen_high(from) + divide_255(widen_high(to) * widen_high(rest));
        u8x16 result = narrow(low, high);
        __builtin_memcpy(target + i, &result, 16);
    }
}

uint32_t bench_run(uint32_t n) {
    uint32_t sum = 1, state = 0x1b873593u;
    for (uint32_t i = 0; i < SIZE; i += 4) {
        uint32_t alpha = bench_random(&state) >> 24;
        for (uint32_t c = 0; c < 3; c++) {
            source[i + c] = (uint8_t)(alpha ? bench_random(&state) % (alpha + 1) : 0);
            target[i + c] = (uint8_t)(bench_random(&state) >> 24);
        }
        source[i + 3] = (uint8_t)alpha;
        target[i + 3] = 255;
    }
    for (uint32_t i = 0; i < n; i++) {
        blend();
        for (uint32_t k = i & 15; k < SIZE; k += 257)
            sum = sum * 31 + target[k];
        uint32_t at = sum % (SIZE / 4) * 4;
        for (uint32_t c = 0; c < 3; c++)
            target[at + c] = (uint8_t)(sum >> (8 * c));
    }
    return sum;
}
