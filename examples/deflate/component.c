// deflate: any bytes to a gzip file, compressed with dynamic Huffman codes and matches.
// Contract V3, strict profile. What does not compress is stored, so the output is at most 1 KiB over the input.
#include "deflate.h"

enum { INPUT_CAP = 1024 * 1024, OUTPUT_CAP = INPUT_CAP + 1024 };

static uint8_t input[INPUT_CAP];
static uint8_t output[OUTPUT_CAP];

GETTER(input_ptr, ADDRESS(input))
GETTER(input_bytes_cap, INPUT_CAP)
GETTER(output_bytes_cap, OUTPUT_CAP)
CONTENT_TYPE(output, "application/gzip")

// The effect of four bits on the register of CRC-32.
static const uint32_t crc_of_four[16] = {
    0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
    0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
};

static uint32_t crc32(const uint8_t *at, uint32_t size) {
    uint32_t crc = 0xffffffff;
    for (; size; size--) {
        crc ^= *at++;
        crc = crc >> 4 ^ crc_of_four[crc & 15];
        crc = crc >> 4 ^ crc_of_four[crc & 15];
    }
    return ~crc;
}

EXPORT("render") uint64_t render(uint32_t size) {
    // Method 8, no flags, no time, no hints, unknown system.
    static const uint8_t header[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};
    require(size <= INPUT_CAP);
    __builtin_memcpy(output, header, sizeof header);
    struct bits bits = {output + sizeof header, 0, 0};
    compress(&bits, input, size);
    align_bits(&bits);
    put_bits(&bits, crc32(input, size), 32);
    put_bits(&bits, size, 32);
    return rendered(output, (uint32_t)(bits.at - output));
}
