/* UTF-8 validity by lead byte: how many continuation bytes follow, and the range of the first of them, which is what rules out
 * overlong forms, surrogates and everything above U+10FFFF. Runs of ASCII go eight bytes at a time. */
#include "qip/utf8.h"

#include <stddef.h>

/* Length of the well-formed sequence at `bytes`, 0 when there is none. `left` > 0. */
static uint32_t sequence(const uint8_t *bytes, uint64_t left)
{
  uint8_t lead = bytes[0], low = 0x80, high = 0xbf;
  uint32_t length;
  if (lead < 0x80)
    return 1;
  if (lead < 0xc2)
    return 0;
  if (lead < 0xe0) {
    length = 2;
  } else if (lead < 0xf0) {
    length = 3;
    if (lead == 0xe0)
      low = 0xa0;
    if (lead == 0xed)
      high = 0x9f;
  } else if (lead < 0xf5) {
    length = 4;
    if (lead == 0xf0)
      low = 0x90;
    if (lead == 0xf4)
      high = 0x8f;
  } else {
    return 0;
  }
  if (left < length || bytes[1] < low || bytes[1] > high)
    return 0;
  for (uint32_t i = 2; i < length; i++)
    if ((bytes[i] & 0xc0) != 0x80)
      return 0;
  return length;
}

bool wm_utf8_check(const uint8_t *bytes, uint64_t length, uint64_t *bad_offset)
{
  uint64_t at = 0;
  while (at < length) {
    uint64_t word;
    if (length - at >= sizeof word) {
      __builtin_memcpy(&word, bytes + at, sizeof word);
      if ((word & 0x8080808080808080u) == 0) {
        at += sizeof word;
        continue;
      }
    }
    uint32_t step = sequence(bytes + at, length - at);
    if (step == 0) {
      *bad_offset = at;
      return false;
    }
    at += step;
  }
  return true;
}
