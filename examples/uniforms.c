// uniforms: shows what its eight uniforms were when it rendered, bit for bit, then restores the defaults.
// Two uniforms of each number type: bits_* keep any value, the other four clamp, as the contract allows, and
// return what they applied. A generator component: it has no input.
// Output: one line a uniform, name, type and value in hexadecimal, in the order of the names.
#include "component.h"

enum { OUTPUT_CAP = 512 };

static char output[OUTPUT_CAP];

static const char hex_digits[] = "0123456789abcdef";

static uint32_t bits_f32 = 0, bits_i32 = 0, scale_bits = 0x3f800000;
static uint64_t bits_f64 = 0, bits_i64 = 0, angle_bits = 0;
static uint32_t count = 1;
static int64_t shift = 0;

GETTER(output_utf8_cap, OUTPUT_CAP)

static uint32_t f32_bits(float value) {
    uint32_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t f64_bits(double value) {
    uint64_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

EXPORT("uniform_set_bits_i32") uint32_t set_bits_i32(uint32_t value) {
    return bits_i32 = value;
}

EXPORT("uniform_set_bits_i64") uint64_t set_bits_i64(uint64_t value) {
    return bits_i64 = value;
}

EXPORT("uniform_set_bits_f32") float set_bits_f32(float value) {
    bits_f32 = f32_bits(value);
    return value;
}

EXPORT("uniform_set_bits_f64") double set_bits_f64(double value) {
    bits_f64 = f64_bits(value);
    return value;
}

// An unsigned count from 1 to 1000.
EXPORT("uniform_set_count") uint32_t set_count(uint32_t value) {
    if (value < 1) value = 1;
    if (value > 1000) value = 1000;
    return count = value;
}

// A signed shift of at most a million million either way.
EXPORT("uniform_set_shift") int64_t set_shift(int64_t value) {
    const int64_t limit = 1000000000000;
    if (value < -limit) value = -limit;
    if (value > limit) value = limit;
    return shift = value;
}

// A scale from 0 to 8; what is not a number becomes the default, 1.
EXPORT("uniform_set_scale") float set_scale(float value) {
    if (value != value) value = 1;
    if (value < 0) value = 0;
    if (value > 8) value = 8;
    scale_bits = f32_bits(value);
    return value;
}

// An angle from -180 to 180 degrees; what is not a number becomes the default, 0.
EXPORT("uniform_set_angle") double set_angle(double value) {
    if (value != value) value = 0;
    if (value < -180) value = -180;
    if (value > 180) value = 180;
    angle_bits = f64_bits(value);
    return value;
}

static char *put_text(char *at, const char *text) {
    while (*text) *at++ = *text++;
    return at;
}

static char *put_line(char *at, const char *label, uint64_t bits, int digits) {
    at = put_text(at, label);
    for (int i = digits - 1; i >= 0; i--) *at++ = hex_digits[bits >> (4 * i) & 15];
    *at++ = '\n';
    return at;
}

static void restore_defaults(void) {
    bits_f32 = bits_i32 = 0;
    bits_f64 = bits_i64 = angle_bits = 0;
    scale_bits = 0x3f800000;
    count = 1;
    shift = 0;
}

EXPORT("render") uint64_t render(uint32_t size) {
    require(size == 0);
    char *at = output;
    at = put_line(at, "angle f64 0x", angle_bits, 16);
    at = put_line(at, "bits_f32 f32 0x", bits_f32, 8);
    at = put_line(at, "bits_f64 f64 0x", bits_f64, 16);
    at = put_line(at, "bits_i32 i32 0x", bits_i32, 8);
    at = put_line(at, "bits_i64 i64 0x", bits_i64, 16);
    at = put_line(at, "count i32 0x", count, 8);
    at = put_line(at, "scale f32 0x", scale_bits, 8);
    at = put_line(at, "shift i64 0x", (uint64_t)shift, 16);
    restore_defaults();
    return rendered(output, (uint32_t)(at - output));
}
