// v2-upper: ASCII text in capitals.
// Contract V2: render(size) returns the output's size, output_ptr says where it is, and commit, called once
// afterwards, tells whether the input was accepted: bytes consumed, or bit 63 (error) and bit 62 (the input is
// at fault) with the offset of the first byte above 0x7f.
#include "component.h"

enum { CAP = 64 * 1024 };

static uint8_t input[CAP];
static uint8_t output[CAP];
static uint64_t verdict;

GETTER(input_ptr, ADDRESS(input))
GETTER(input_bytes_cap, CAP)
GETTER(output_ptr, ADDRESS(output))
GETTER(output_utf8_cap, CAP)

EXPORT("render") uint32_t render(uint32_t size) {
    require(size <= CAP);
    for (uint32_t i = 0; i < size; i++) {
        uint8_t byte = input[i];
        if (byte > 0x7f) {
            verdict = (uint64_t)3 << 62 | i;
            return 0;
        }
        output[i] = byte >= 'a' && byte <= 'z' ? byte - 32 : byte;
    }
    verdict = size;
    return size;
}

EXPORT("commit") uint64_t commit(void) {
    return verdict;
}
