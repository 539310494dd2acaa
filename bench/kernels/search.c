// String search: Horspool's algorithm with a skip table: byte loads at both ends of a window, table look-ups, short
// backward compares. One unit: five patterns of different length counted in a generated text of 16 KiB,
// one byte of which is another one in every unit.
#include "bench.h"

enum { SIZE = 16384 };
static const char words[] = "the render memory page reads writes of a component in and frame to layer bytes ";
static const char *const patterns[] = {"memory page", "component in", "frame to layer bytes", "s of a", "absent word"};
static char text[SIZE];
static uint32_t skips[256];

static void generate(void) {
    uint32_t state = 0x6b8b4567u, at = 0, from = 0;
    while (at < SIZE) {
        if (words[from] == ' ' && (bench_random(&state) & 7) < 3)
            from = bench_random(&state) % (sizeof words - 1);
        text[at++] = words[from];
        from = (from + 1) % (sizeof words - 1);
    }
}

static BENCH_NOINLINE uint32_t count(const char *pattern) {
    uint32_t length = 0, found = 0;
    while (pattern[length])
        length++;
    for (uint32_t i = 0; i < 256; i++)
        skips[i] = length;
    for (uint32_t i = 0; i + 1 < length; i++)
        skips[(uint8_t)pattern[i]] = length - 1 - i;
    for (uint32_t at = 0; at + length <= SIZE;) {
        uint32_t k = length;
        while (k && text[at + k - 1] == pattern[k - 1])
            k--;
        if (k == 0)
            found = found * 5 + at;
        at += skips[(uint8_t)text[at + length - 1]];
    }
    return found;
}

uint32_t bench_run(uint32_t n) {
    uint32_t sum = 1, at = 0;
    char old;
    generate();
    old = text[at];
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t p = 0; p < sizeof patterns / sizeof patterns[0]; p++)
            sum = bench_mix(sum, count(patterns[p]));
        text[at] = old;
        at = sum % SIZE;
        old = text[at];
        text[at] = (char)('a' + sum % 26);
    }
    return sum;
}
