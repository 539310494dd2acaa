// Bytes to tokens: for each position the longest earlier occurrence within the window, found along a chain of the
// positions whose next three bytes have the same hash. A match waits one byte to see whether a longer one follows.
#include "deflate.h"

enum { HASH_BITS = 15, CHAIN_MAX = 96, GOOD_ENOUGH = 128 };

// Positions are kept plus one; 0 is none. `earlier` is indexed by position modulo the window.
static uint32_t latest[1 << HASH_BITS];
static uint32_t earlier[WINDOW];
static struct block block;

struct match {
    uint32_t length, distance;
};

static uint32_t hash(const uint8_t *at) {
    uint32_t three = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16;
    return three * 0x9e3779b1u >> (32 - HASH_BITS);
}

static uint32_t common_length(const uint8_t *a, const uint8_t *b, uint32_t max) {
    uint32_t length = 0;
    while (length < max && a[length] == b[length]) length++;
    return length;
}

// The longest match for the bytes at `at`, and enters the position.
static struct match find_match(const uint8_t *input, uint32_t at, uint32_t size) {
    struct match best = {0, 0};
    uint32_t max = size - at < MATCH_MAX ? size - at : MATCH_MAX;
    if (max < MATCH_MIN) return best;
    uint32_t *head = &latest[hash(input + at)];
    uint32_t candidate = *head;
    for (uint32_t tries = CHAIN_MAX; candidate && tries; tries--) {
        uint32_t position = candidate - 1;
        if (at - position > WINDOW) break;
        if (!best.length || input[position + best.length] == input[at + best.length]) {
            uint32_t length = common_length(input + position, input + at, max);
            if (length > best.length) best = (struct match){length, at - position};
            if (best.length == max) break;
        }
        uint32_t next = earlier[position % WINDOW];
        if (next >= candidate) break; // overwritten by a later position: the chain has left the window
        candidate = next;
    }
    earlier[at % WINDOW] = *head;
    *head = at + 1;
    if (best.length < MATCH_MIN) best.length = 0;
    return best;
}

static void enter(const uint8_t *input, uint32_t at, uint32_t size) {
    if (size - at < MATCH_MIN) return;
    uint32_t *head = &latest[hash(input + at)];
    earlier[at % WINDOW] = *head;
    *head = at + 1;
}

static void add_token(struct bits *bits, const uint8_t *input, uint32_t size, struct token token) {
    block.tokens[block.count++] = token;
    block.size += token.length;
    bool final = block.start + block.size == input + size;
    if (!final && block.count < BLOCK_TOKENS) return;
    write_block(bits, &block, final);
    block.start += block.size;
    block.size = block.count = 0;
}

void compress(struct bits *bits, const uint8_t *input, uint32_t size) {
    __builtin_memset(latest, 0, sizeof latest);
    block.start = input;
    block.size = block.count = 0;
    if (!size) write_block(bits, &block, true);
    struct match waiting = {0, 0};
    for (uint32_t at = 0; at < size;) {
        struct match here = waiting.length ? waiting : find_match(input, at, size);
        waiting.length = 0;
        uint32_t entered = at + 1;
        if (here.length && here.length < GOOD_ENOUGH) {
            waiting = find_match(input, entered++, size);
            if (waiting.length > here.length) here.length = 0;
            else waiting.length = 0;
        }
        if (!here.length) {
            add_token(bits, input, size, (struct token){1, 0});
            at++;
            continue;
        }
        add_token(bits, input, size, (struct token){(uint16_t)here.length, (uint16_t)here.distance});
        at += here.length;
        for (; entered < at; entered++) enter(input, entered, size);
    }
}
