// SHA-256: rotations, shifts and additions over many live 32-bit values, so locals and long expressions rather than
// memory. One unit: the compression of 64 blocks (4 KiB); the digest so far is written into the data of the next unit.
#include "bench.h"

enum { BLOCKS = 64 };
static uint8_t data[BLOCKS * 64];
static uint32_t constants[64];

static uint32_t rotate(uint32_t v, int by) {
    return v >> by | v << (32 - by);
}

// The round constants are the first 32 bits of the fractional parts of the cube roots of the first 64 primes. The root
// is found with 32 fractional bits in integers: the largest r with r * r * r <= prime << 96, a bit at a time.
static uint32_t cube_root_fraction(uint32_t prime) {
    uint64_t root = 0;
    for (int bit = 35; bit >= 0; bit--) {
        uint64_t r = root | UINT64_C(1) << bit;
        // r < 2^36; r * r * r is compared with prime << 96 in three 32-bit limbs and a top one.
        uint64_t low = r & 0xffffffffu, high = r >> 32;
        uint64_t ll = low * low, lh = 2 * low * high;
        uint64_t s0 = ll & 0xffffffffu, s1 = (ll >> 32) + (lh & 0xffffffffu), s2 = (lh >> 32) + high * high;
        s2 += s1 >> 32;
        s1 &= 0xffffffffu;
        uint64_t c0 = s0 * low, c1 = s1 * low + (c0 >> 32), c2 = s2 * low + (c1 >> 32);
        uint64_t d1 = (c1 & 0xffffffffu) + s0 * high, d2 = (c2 & 0xffffffffu) + s1 * high + (d1 >> 32);
        uint64_t d3 = (c2 >> 32) + s2 * high + (d2 >> 32);
        uint64_t rest = (d2 & 0xffffffffu) | (d1 & 0xffffffffu) | (c0 & 0xffffffffu);
        if (d3 < prime || (d3 == prime && rest == 0))
            root = r;
    }
    return (uint32_t)root;
}

static void prepare(void) {
    uint32_t state = 0x3c6ef372u, found = 0;
    for (uint32_t candidate = 2; found < 64; candidate++) {
        uint32_t divisor = 2;
        while (divisor * divisor <= candidate && candidate % divisor)
            divisor++;
        if (divisor * divisor > candidate)
            constants[found++] = cube_root_fraction(candidate);
    }
    for (uint32_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(bench_random(&state) >> 11);
}

static BENCH_NOINLINE void compress(uint32_t hash[8], const uint8_t *block) {
    uint32_t w[64];
    for (int i = 0; i < 16; i++, block += 4)
        w[i] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 | (uint32_t)block[2] << 8 | block[3];
    for (int i = 16; i < 64; i++) {
        uint32_t x = w[i - 15], y = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (rotate(x, 7) ^ rotate(x, 18) ^ x >> 3) + (rotate(y, 17) ^ rotate(y, 19) ^ y >> 10);
    }
    uint32_t a = hash[0], b = hash[1], c = hash[2], d = hash[3], e = hash[4], f = hash[5], g = hash[6], h = hash[7];
    for (int i = 0; i < 64; i++) {
        uint32_t t1 = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + constants[i] + w[i];
        uint32_t t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    hash[0] += a;
    hash[1] += b;
    hash[2] += c;
    hash[3] += d;
    hash[4] += e;
    hash[5] += f;
    hash[6] += g;
    hash[7] += h;
}

uint32_t bench_run(uint32_t n) {
    uint32_t hash[8] = {0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au, 0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u};
    prepare();
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t block = 0; block < BLOCKS; block++)
            compress(hash, data + block * 64);
        data[i % sizeof data] ^= (uint8_t)hash[i & 7];
    }
    return hash[0] ^ hash[7];
}
