// One block: counts its symbols, finds what each of the three forms would cost, and writes the cheapest.
// RFC 1951, 3.2.4 (stored), 3.2.5 (lengths and distances), 3.2.6 (fixed codes), 3.2.7 (dynamic codes).
#include "deflate.h"

static const uint16_t length_bases[] = {
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
};
static const uint8_t length_extras[] = {
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
};
static const uint16_t distance_bases[] = {
    1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097,
    6145, 8193, 12289, 16385, 24577,
};
static const uint8_t length_code_order[LENGTH_CODES] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

enum { STORED_MAX = 65535 };

struct codes {
    uint8_t literal_lengths[LITERALS + 2], distance_lengths[DISTANCES]; // the fixed code has two literals more
    uint16_t literals[LITERALS + 2], distances[DISTANCES];
};

// The dynamic form's preamble: code lengths, run-length encoded. 16 repeats, 17 and 18 are runs of zeros.
struct preamble {
    uint32_t literal_count, distance_count, item_count, order_count;
    uint8_t items[LITERALS + DISTANCES], extras[LITERALS + DISTANCES];
    uint8_t lengths[LENGTH_CODES];
    uint16_t codes[LENGTH_CODES];
};

void put_bits(struct bits *bits, uint32_t value, uint32_t count) {
    bits->held |= (uint64_t)value << bits->count;
    bits->count += count;
    while (bits->count >= 8) {
        *bits->at++ = (uint8_t)bits->held;
        bits->held >>= 8;
        bits->count -= 8;
    }
}

void align_bits(struct bits *bits) {
    if (bits->count) put_bits(bits, 0, 8 - bits->count);
}

static uint32_t length_symbol(uint32_t length) {
    uint32_t low = 0, high = sizeof length_extras - 1;
    while (low < high) {
        uint32_t middle = (low + high + 1) / 2;
        if (length_bases[middle] <= length) low = middle;
        else high = middle - 1;
    }
    return low;
}

// Two symbols for each power of two.
static uint32_t distance_symbol(uint32_t distance) {
    if (distance <= 4) return distance - 1;
    uint32_t top = 31 - (uint32_t)__builtin_clz(distance - 1);
    return 2 * top + ((distance - 1) >> (top - 1) & 1);
}

static uint32_t distance_extra(uint32_t symbol) {
    return symbol < 4 ? 0 : symbol / 2 - 1;
}

static uint64_t symbols_cost(const struct codes *codes, const uint32_t *literals, const uint32_t *distances) {
    uint64_t cost = 0;
    for (uint32_t i = 0; i < LITERALS; i++) {
        uint32_t extra = i > END_OF_BLOCK ? length_extras[i - END_OF_BLOCK - 1] : 0;
        cost += (uint64_t)literals[i] * (codes->literal_lengths[i] + extra);
    }
    for (uint32_t i = 0; i < DISTANCES; i++) cost += (uint64_t)distances[i] * (codes->distance_lengths[i] + distance_extra(i));
    return cost;
}

static void count_symbols(const struct block *block, uint32_t *literals, uint32_t *distances) {
    const uint8_t *at = block->start;
    for (uint32_t i = 0; i < block->count; i++) {
        struct token token = block->tokens[i];
        if (token.distance) {
            literals[END_OF_BLOCK + 1 + length_symbol(token.length)]++;
            distances[distance_symbol(token.distance)]++;
            at += token.length;
        } else {
            literals[*at++]++;
        }
    }
    literals[END_OF_BLOCK] = 1;
}

static void set_fixed(struct codes *codes) {
    for (uint32_t i = 0; i < LITERALS + 2; i++) codes->literal_lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    for (uint32_t i = 0; i < DISTANCES; i++) codes->distance_lengths[i] = 5;
    make_codes(codes->literal_lengths, LITERALS + 2, codes->literals);
    make_codes(codes->distance_lengths, DISTANCES, codes->distances);
}

static void set_dynamic(struct codes *codes, const uint32_t *literals, const uint32_t *distances) {
    make_code_lengths(literals, LITERALS, CODE_BITS_MAX, codes->literal_lengths);
    make_code_lengths(distances, DISTANCES, CODE_BITS_MAX, codes->distance_lengths);
    make_codes(codes->literal_lengths, LITERALS, codes->literals);
    make_codes(codes->distance_lengths, DISTANCES, codes->distances);
}

static void add_item(struct preamble *p, uint32_t symbol, uint32_t extra) {
    p->items[p->item_count] = (uint8_t)symbol;
    p->extras[p->item_count++] = (uint8_t)extra;
}

static void add_run(struct preamble *p, uint8_t length, uint32_t run) {
    while (length == 0 && run >= 3) {
        uint32_t taken = run < 138 ? run : 138;
        if (taken < 11) add_item(p, 17, taken - 3);
        else add_item(p, 18, taken - 11);
        run -= taken;
    }
    if (length && run) {
        add_item(p, length, 0);
        run--;
        while (run >= 3) {
            uint32_t taken = run < 6 ? run : 6;
            add_item(p, 16, taken - 3);
            run -= taken;
        }
    }
    for (; run; run--) add_item(p, length, 0);
}

static void make_preamble(struct preamble *p, const struct codes *codes) {
    static uint8_t lengths[LITERALS + DISTANCES];
    uint32_t frequencies[LENGTH_CODES] = {0};
    p->literal_count = LITERALS;
    while (p->literal_count > 257 && !codes->literal_lengths[p->literal_count - 1]) p->literal_count--;
    p->distance_count = DISTANCES;
    while (p->distance_count > 1 && !codes->distance_lengths[p->distance_count - 1]) p->distance_count--;
    __builtin_memcpy(lengths, codes->literal_lengths, p->literal_count);
    __builtin_memcpy(lengths + p->literal_count, codes->distance_lengths, p->distance_count);
    uint32_t count = p->literal_count + p->distance_count;
    p->item_count = 0;
    for (uint32_t i = 0, run; i < count; i += run) {
        for (run = 1; i + run < count && lengths[i + run] == lengths[i];) run++;
        add_run(p, lengths[i], run);
    }
    for (uint32_t i = 0; i < p->item_count; i++) frequencies[p->items[i]]++;
    make_code_lengths(frequencies, LENGTH_CODES, LENGTH_CODE_BITS_MAX, p->lengths);
    make_codes(p->lengths, LENGTH_CODES, p->codes);
    p->order_count = LENGTH_CODES;
    while (p->order_count > 4 && !p->lengths[length_code_order[p->order_count - 1]]) p->order_count--;
}

static uint32_t item_extra_bits(uint32_t symbol) {
    return symbol == 16 ? 2 : symbol == 17 ? 3 : symbol == 18 ? 7 : 0;
}

static uint64_t preamble_cost(const struct preamble *p) {
    uint64_t cost = 5 + 5 + 4 + 3 * p->order_count;
    for (uint32_t i = 0; i < p->item_count; i++) cost += p->lengths[p->items[i]] + item_extra_bits(p->items[i]);
    return cost;
}

static void write_preamble(struct bits *bits, const struct preamble *p) {
    put_bits(bits, p->literal_count - 257, 5);
    put_bits(bits, p->distance_count - 1, 5);
    put_bits(bits, p->order_count - 4, 4);
    for (uint32_t i = 0; i < p->order_count; i++) put_bits(bits, p->lengths[length_code_order[i]], 3);
    for (uint32_t i = 0; i < p->item_count; i++) {
        put_bits(bits, p->codes[p->items[i]], p->lengths[p->items[i]]);
        put_bits(bits, p->extras[i], item_extra_bits(p->items[i]));
    }
}

static void write_tokens(struct bits *bits, const struct block *block, const struct codes *codes) {
    const uint8_t *at = block->start;
    for (uint32_t i = 0; i < block->count; i++) {
        struct token token = block->tokens[i];
        if (!token.distance) {
            put_bits(bits, codes->literals[*at], codes->literal_lengths[*at]);
            at++;
            continue;
        }
        uint32_t length = length_symbol(token.length), distance = distance_symbol(token.distance);
        put_bits(bits, codes->literals[END_OF_BLOCK + 1 + length], codes->literal_lengths[END_OF_BLOCK + 1 + length]);
        put_bits(bits, token.length - (uint32_t)length_bases[length], length_extras[length]);
        put_bits(bits, codes->distances[distance], codes->distance_lengths[distance]);
        put_bits(bits, token.distance - (uint32_t)distance_bases[distance], distance_extra(distance));
        at += token.length;
    }
    put_bits(bits, codes->literals[END_OF_BLOCK], codes->literal_lengths[END_OF_BLOCK]);
}

static void write_stored(struct bits *bits, const struct block *block, bool final) {
    const uint8_t *at = block->start;
    uint32_t left = block->size;
    do {
        uint32_t size = left < STORED_MAX ? left : STORED_MAX;
        left -= size;
        put_bits(bits, final && !left, 3);
        align_bits(bits);
        put_bits(bits, size, 16);
        put_bits(bits, size ^ 0xffff, 16);
        __builtin_memcpy(bits->at, at, size);
        bits->at += size;
        at += size;
    } while (left);
}

void write_block(struct bits *bits, const struct block *block, bool final) {
    static struct codes fixed, dynamic;
    static struct preamble preamble;
    uint32_t literals[LITERALS] = {0}, distances[DISTANCES] = {0};
    count_symbols(block, literals, distances);
    set_fixed(&fixed);
    set_dynamic(&dynamic, literals, distances);
    make_preamble(&preamble, &dynamic);
    // In bits, the three of the block header apart. Stored bytes begin at a whole byte: at most seven bits are lost.
    uint64_t stored_cost = 8 * (uint64_t)block->size + 39 * (uint64_t)(block->size / STORED_MAX + 1);
    uint64_t fixed_cost = symbols_cost(&fixed, literals, distances);
    uint64_t dynamic_cost = preamble_cost(&preamble) + symbols_cost(&dynamic, literals, distances);
    if (stored_cost < fixed_cost && stored_cost < dynamic_cost) {
        write_stored(bits, block, final);
    } else if (fixed_cost <= dynamic_cost) {
        put_bits(bits, final | 1 << 1, 3);
        write_tokens(bits, block, &fixed);
    } else {
        put_bits(bits, final | 2 << 1, 3);
        write_preamble(bits, &preamble);
        write_tokens(bits, block, &dynamic);
    }
}
