// Table-driven checksum: CRC-32 (reflected, polynomial 0xedb88320) a byte at a time, one long chain of dependent table
// loads. One unit: the checksum of a 16 KiB buffer, whose first word is then replaced by the result.
#include "bench.h"

enum { SIZE = 16384 };
static uint32_t table[256];
static uint8_t buffer[SIZE];

static void fill(void) {
    uint32_t state = 0x2545f491u;
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int bit = 0; bit < 8; bit++)
            c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
        table[i] = c;
    }
    for (uint32_t i = 0; i < SIZE; i++)
        buffer[i] = (uint8_t)(bench_random(&state) >> 8);
}

static BENCH_NOINLINE uint32_t crc(const uint8_t *bytes, uint32_t length) {
    uint32_t c = 0xffffffffu;
    for (uint32_t i = 0; i < length; i++)
        c = table[(c ^ bytes[i]) & 255] ^ (c >> 8);
    return ~c;
}

uint32_t bench_run(uint32_t n) {
    uint32_t sum = 1;
    fill();
    for (uint32_t i = 0; i < n; i++) {
        sum = crc(buffer, SIZE);
        buffer[0] = (uint8_t)sum;
        buffer[1] = (uint8_t)(sum >> 8);
        buffer[2] = (uint8_t)(sum >> 16);
        buffer[3] = (uint8_t)(sum >> 24);
    }
    return sum;
}
