// Huffman codes with a bounded length: frequencies to lengths, lengths to canonical codes (RFC 1951, 3.2.2).
// A tree is built over the symbols in order of frequency; only the number of leaves at each depth is kept of it, and
// leaves that lie too deep are moved up until the code is complete again.
#include "deflate.h"

struct symbol {
    uint32_t frequency;
    uint16_t index;
};

// By frequency, ties by index: the result does not depend on the method.
static bool is_less(struct symbol a, struct symbol b) {
    return a.frequency != b.frequency ? a.frequency < b.frequency : a.index < b.index;
}

static void sort(struct symbol *symbols, uint32_t count) {
    for (uint32_t gap = 121; gap; gap /= 3)
        for (uint32_t i = gap; i < count; i++) {
            struct symbol moved = symbols[i];
            uint32_t at = i;
            for (; at >= gap && is_less(moved, symbols[at - gap]); at -= gap) symbols[at] = symbols[at - gap];
            symbols[at] = moved;
        }
}

// The depths of the leaves of a Huffman tree over sorted symbols. Inner nodes come out in order of weight too, so the
// two lightest of all are always at the front of one of two queues.
static void count_depths(const struct symbol *symbols, uint32_t count, uint32_t *leaves_at) {
    static uint32_t weights[LITERALS], parents[2 * LITERALS], depths[LITERALS];
    uint32_t leaf = 0, inner = 0;
    for (uint32_t made = 0; made + 1 < count; made++) {
        weights[made] = 0;
        for (int child = 0; child < 2; child++) {
            bool take_leaf = leaf < count && (inner == made || symbols[leaf].frequency <= weights[inner]);
            if (take_leaf) {
                weights[made] += symbols[leaf].frequency;
                parents[leaf++] = made;
            } else {
                weights[made] += weights[inner];
                parents[LITERALS + inner++] = made;
            }
        }
    }
    depths[count - 2] = 0;
    for (uint32_t i = count - 2; i-- > 0;) depths[i] = depths[parents[LITERALS + i]] + 1;
    for (uint32_t i = 0; i < count; i++) leaves_at[depths[parents[i]] + 1]++;
}

// Leaves below the limit go up to it, which asks for more code space than there is; a leaf from above goes down a
// level and takes one of them along until it fits.
static void limit_depths(uint32_t *leaves_at, uint32_t depth_max, uint32_t bits_max) {
    uint32_t space = 0;
    for (uint32_t depth = bits_max + 1; depth <= depth_max; depth++) leaves_at[bits_max] += leaves_at[depth];
    for (uint32_t depth = 1; depth <= bits_max; depth++) space += leaves_at[depth] << (bits_max - depth);
    for (; space > 1u << bits_max; space--) {
        uint32_t depth = bits_max - 1;
        while (!leaves_at[depth]) depth--;
        leaves_at[depth]--;
        leaves_at[depth + 1] += 2;
        leaves_at[bits_max]--;
    }
}

void make_code_lengths(const uint32_t *frequencies, uint32_t count, uint32_t bits_max, uint8_t *lengths) {
    static struct symbol symbols[LITERALS];
    uint32_t leaves_at[LITERALS + 1] = {0};
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        lengths[i] = 0;
        if (frequencies[i]) symbols[used++] = (struct symbol){frequencies[i], (uint16_t)i};
    }
    if (!used) return;
    if (used == 1) {
        lengths[symbols[0].index] = 1;
        return;
    }
    sort(symbols, used);
    count_depths(symbols, used, leaves_at);
    limit_depths(leaves_at, used - 1, bits_max);
    uint32_t at = used; // the most frequent symbols come last and get the shortest codes
    for (uint32_t length = 1; length <= bits_max; length++)
        for (uint32_t i = leaves_at[length]; i; i--) lengths[symbols[--at].index] = (uint8_t)length;
}

static uint16_t reverse(uint32_t code, uint32_t length) {
    uint32_t reversed = 0;
    for (uint32_t i = 0; i < length; i++) reversed |= (code >> i & 1) << (length - 1 - i);
    return (uint16_t)reversed;
}

void make_codes(const uint8_t *lengths, uint32_t count, uint16_t *codes) {
    uint32_t next[CODE_BITS_MAX + 2] = {0};
    for (uint32_t i = 0; i < count; i++)
        if (lengths[i]) next[lengths[i] + 1]++;
    for (uint32_t length = 1; length <= CODE_BITS_MAX; length++) next[length + 1] = (next[length + 1] + next[length]) << 1;
    for (uint32_t i = 0; i < count; i++)
        if (lengths[i]) codes[i] = reverse(next[lengths[i]]++, lengths[i]);
}
