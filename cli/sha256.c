/* SHA-256 over one piece of memory; see sha256.h. The constants are the fractional bits of square and cube roots of primes. */
#include "cli/sha256.h"

#include <string.h>

#define BLOCK_BYTES 64

static const uint32_t rounds[64] = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
  0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
  0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
  0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
  0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
  0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t word, unsigned count)
{
  return word >> count | word << (32 - count);
}

static void add_block(uint32_t state[8], const uint8_t *block)
{
  uint32_t w[64], s[8];
  for (unsigned i = 0; i < 16; i++)
    w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
  for (unsigned i = 16; i < 64; i++) {
    uint32_t low = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
    uint32_t high = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + low + w[i - 7] + high;
  }
  memcpy(s, state, sizeof s);
  for (unsigned i = 0; i < 64; i++) {
    uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
    uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    uint32_t one = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) + choice + rounds[i] + w[i];
    uint32_t two = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) + majority;
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += one;
    s[0] = one + two;
  }
  for (unsigned i = 0; i < 8; i++)
    state[i] += s[i];
}

void wm_sha256(uint8_t digest[WM_SHA256_BYTES], const void *bytes, size_t length)
{
  uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const uint8_t *next = bytes;
  size_t left = length;
  for (; left >= BLOCK_BYTES; left -= BLOCK_BYTES, next += BLOCK_BYTES)
    add_block(state, next);
  uint8_t tail[2 * BLOCK_BYTES] = {0};
  if (left > 0)
    memcpy(tail, next, left);
  tail[left] = 0x80;
  size_t tail_bytes = left + 9 <= BLOCK_BYTES ? BLOCK_BYTES : 2 * BLOCK_BYTES;
  for (unsigned i = 0; i < 8; i++)
    tail[tail_bytes - 1 - i] = (uint8_t)((uint64_t)length * 8 >> 8 * i);
  for (size_t at = 0; at < tail_bytes; at += BLOCK_BYTES)
    add_block(state, tail + at);
  for (unsigned i = 0; i < WM_SHA256_BYTES; i++)
    digest[i] = (uint8_t)(state[i / 4] >> (24 - i % 4 * 8));
}

void wm_sha256_text(char text[WM_SHA256_CHARS], const void *bytes, size_t length)
{
  static const char digits[] = "0123456789abcdef";
  uint8_t digest[WM_SHA256_BYTES];
  wm_sha256(digest, bytes, length);
  for (unsigned i = 0; i < WM_SHA256_BYTES; i++) {
    text[2 * i] = digits[digest[i] >> 4];
    text[2 * i + 1] = digits[digest[i] & 15];
  }
  text[WM_SHA256_CHARS - 1] = '\0';
}
