// A DEFLATE compressor in three parts: matches.c turns bytes into tokens, huffman.c turns frequencies into code lengths,
// block.c writes a block of tokens in the cheapest of the three forms. component.c puts a gzip file around them.
// RFC 1951 and RFC 1952 are the formats.
#ifndef DEFLATE_DEFLATE_H
#define DEFLATE_DEFLATE_H

#include "component.h"

enum {
    LITERALS = 286, DISTANCES = 30, LENGTH_CODES = 19, END_OF_BLOCK = 256,
    CODE_BITS_MAX = 15, LENGTH_CODE_BITS_MAX = 7,
    MATCH_MIN = 3, MATCH_MAX = 258, WINDOW = 32768, BLOCK_TOKENS = 32768,
};

// Bits leave from the low end of `held`.
struct bits {
    uint8_t *at;
    uint64_t held;
    uint32_t count;
};

void put_bits(struct bits *bits, uint32_t value, uint32_t count);
// Fills the last byte with zero bits.
void align_bits(struct bits *bits);

// A literal when distance is 0, else `length` bytes from `distance` bytes back.
struct token {
    uint16_t length, distance;
};

struct block {
    const uint8_t *start; // the bytes that the tokens stand for
    uint32_t size, count;
    struct token tokens[BLOCK_TOKENS];
};

// Code lengths of at most `bits_max` for `count` symbols (at most LITERALS); a symbol that never occurs gets 0.
void make_code_lengths(const uint32_t *frequencies, uint32_t count, uint32_t bits_max, uint8_t *lengths);
// The codes that go with the lengths, bit-reversed for writing.
void make_codes(const uint8_t *lengths, uint32_t count, uint16_t *codes);

void write_block(struct bits *bits, const struct block *block, bool final);

// Calls write_block for the whole input, which ends with the final block.
void compress(struct bits *bits, const uint8_t *input, uint32_t size);

#endif
