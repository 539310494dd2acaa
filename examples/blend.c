// blend: one image over another. The input is two images of the same size, RGBA with eight bits a channel and
// premultiplied alpha, the upper one first; the output is the upper over the lower (Porter and Duff's "over").
// An input that does not hold two equal halves of whole pixels is rejected.
// Four pixels at a time with 128-bit vectors, the last few one by one; both paths round the same way:
// out = upper + round(lower * (255 - upper alpha) / 255), exact for every pair of bytes.
#include <wasm_simd128.h>

#include "component.h"

enum { INPUT_CAP = 2 * 1024 * 1024, OUTPUT_CAP = INPUT_CAP / 2 };

static uint8_t input[INPUT_CAP] __attribute__((aligned(16)));
static uint8_t output[OUTPUT_CAP] __attribute__((aligned(16)));

GETTER(input_ptr, ADDRESS(input))
GETTER(input_bytes_cap, INPUT_CAP)
GETTER(output_bytes_cap, OUTPUT_CAP)
GETTER(failure_modes_per_input_offset, 0)

// round(x / 255) for x up to 255 * 255, in each of eight lanes.
static v128_t divide_by_255(v128_t x) {
    x = wasm_i16x8_add(x, wasm_i16x8_const_splat(128));
    return wasm_u16x8_shr(wasm_i16x8_add(x, wasm_u16x8_shr(x, 8)), 8);
}

static v128_t over_four(v128_t upper, v128_t lower) {
    v128_t alpha = wasm_i8x16_shuffle(upper, upper, 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15);
    v128_t keep = wasm_v128_not(alpha);
    v128_t low = divide_by_255(wasm_u16x8_extmul_low_u8x16(lower, keep));
    v128_t high = divide_by_255(wasm_u16x8_extmul_high_u8x16(lower, keep));
    return wasm_u8x16_add_sat(upper, wasm_u8x16_narrow_i16x8(low, high));
}

static void over_one(const uint8_t *upper, const uint8_t *lower, uint8_t *out) {
    uint32_t keep = 255u - upper[3];
    for (int i = 0; i < 4; i++) {
        uint32_t x = lower[i] * keep + 128;
        uint32_t sum = upper[i] + ((x + (x >> 8)) >> 8);
        out[i] = (uint8_t)(sum > 255 ? 255 : sum);
    }
}

EXPORT("render") uint64_t render(uint32_t size) {
    require(size <= INPUT_CAP);
    if (size % 8 != 0) return rejected(0);
    uint32_t half = size / 2;
    const uint8_t *lower = input + half;
    uint32_t i = 0;
    for (; i + 16 <= half; i += 16)
        wasm_v128_store(output + i, over_four(wasm_v128_load(input + i), wasm_v128_load(lower + i)));
    for (; i < half; i += 4) over_one(input + i, lower + i, output + i);
    return rendered(output, half);
}
