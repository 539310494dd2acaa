/* The slow paths of the sticky reader: LEB128 of every length, byte ranges, UTF-8 (Binary Format: Values).
 *
 * Integers may be longer than needed but never longer than ceil(bits / 7) bytes, and the unused bits of the last possible
 * byte repeat the sign or are zero. UTF-8 is that of Unicode: no surrogates, no overlong forms, nothing above U+10FFFF. */
#include "decoder/reader.h"

static const char unexpected_end[] = "unexpected end of section or function";

void wm_reader_stop(struct wm_reader *r, enum wm_status status, uint64_t offset, const char *message)
{
  wm_error_set(&r->stop, status, offset, message);
  r->at = r->end;
}

void wm_reader_malformed(struct wm_reader *r, uint64_t offset, const char *message)
{
  wm_reader_stop(r, WM_MALFORMED, offset, message);
}

void wm_reader_limit(struct wm_reader *r, uint64_t offset, uint64_t limit, const char *message)
{
  if (!wm_reader_stopped(r)) {
    wm_reader_stop(r, WM_LIMIT, offset, message);
    r->stop.limit = limit;
  }
}

void wm_reader_invalid(struct wm_reader *r, uint64_t offset, const char *message)
{
  if (!wm_reader_stopped(r))
    wm_error_set(&r->invalid, WM_INVALID, offset, message);
}

uint64_t wm_read_leb_unsigned(struct wm_reader *r, unsigned bits)
{
  uint64_t start = wm_reader_offset(r), value = 0;
  for (unsigned shift = 0;; shift += 7) {
    if (r->at == r->end) {
      wm_reader_malformed(r, wm_reader_offset(r), unexpected_end);
      return 0;
    }
    uint8_t byte = *r->at++;
    unsigned room = bits - shift; /* bits of the number not read yet */
    if (room <= 7 && (byte & 0x80) != 0) {
      wm_reader_malformed(r, start, "integer representation too long");
      return 0;
    }
    if (room < 7 && (byte & 0x7f) >> room != 0) {
      wm_reader_malformed(r, start, "integer too large");
      return 0;
    }
    value |= (uint64_t)(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0)
      return value;
  }
}

int64_t wm_read_leb_signed(struct wm_reader *r, unsigned bits)
{
  uint64_t start = wm_reader_offset(r), value = 0;
  for (unsigned shift = 0;; shift += 7) {
    if (r->at == r->end) {
      wm_reader_malformed(r, wm_reader_offset(r), unexpected_end);
      return 0;
    }
    uint8_t byte = *r->at++;
    unsigned room = bits - shift;
    if (room <= 7 && (byte & 0x80) != 0) {
      wm_reader_malformed(r, start, "integer representation too long");
      return 0;
    }
    if (room < 7) {
      /* The sign bit and the unused bits above it are all equal. */
      uint8_t mask = (uint8_t)(0x7f & (0x7f << (room - 1)));
      if ((byte & mask) != 0 && (byte & mask) != mask) {
        wm_reader_malformed(r, start, "integer too large");
        return 0;
      }
    }
    value |= (uint64_t)(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) {
      if ((byte & 0x40) != 0 && shift + 7 < 64)
        value |= UINT64_MAX << (shift + 7);
      return (int64_t)value;
    }
  }
}

uint8_t wm_read_u8(struct wm_reader *r)
{
  if (r->at < r->end)
    return *r->at++;
  wm_reader_malformed(r, wm_reader_offset(r), unexpected_end);
  return 0;
}

const uint8_t *wm_read_bytes(struct wm_reader *r, uint64_t size)
{
  if (size > wm_reader_left(r)) {
    wm_reader_malformed(r, wm_reader_offset(r), "length out of bounds");
    return NULL;
  }
  const uint8_t *bytes = r->at;
  r->at += (size_t)size;
  return bytes;
}

uint32_t wm_read_count(struct wm_reader *r)
{
  uint64_t start = wm_reader_offset(r);
  uint32_t count = wm_read_u32(r);
  if (count > wm_reader_left(r)) {
    wm_reader_malformed(r, start, "length out of bounds");
    return 0;
  }
  return count;
}

uint64_t wm_read_little_endian(struct wm_reader *r, unsigned size)
{
  uint64_t value = 0;
  if (size > wm_reader_left(r)) {
    wm_reader_malformed(r, wm_reader_offset(r), unexpected_end);
    return 0;
  }
  for (unsigned i = 0; i < size; i++)
    value |= (uint64_t)r->at[i] << (8 * i);
  r->at += size;
  return value;
}

/* The length of the well-formed sequence at `bytes` (its first byte is not ASCII), or 0. */
static size_t sequence_length(const uint8_t *bytes, size_t left)
{
  uint8_t lead = bytes[0], low = 0x80, high = 0xbf; /* bounds of the second byte */
  size_t length;
  if (lead >= 0xc2 && lead <= 0xdf)
    length = 2;
  else if (lead >= 0xe0 && lead <= 0xef)
    length = 3;
  else if (lead >= 0xf0 && lead <= 0xf4)
    length = 4;
  else
    return 0;
  if (lead == 0xe0)
    low = 0xa0; /* below: overlong */
  else if (lead == 0xed)
    high = 0x9f; /* above: surrogates */
  else if (lead == 0xf0)
    low = 0x90; /* below: overlong */
  else if (lead == 0xf4)
    high = 0x8f; /* above: beyond U+10FFFF */
  if (left < length || bytes[1] < low || bytes[1] > high)
    return 0;
  for (size_t i = 2; i < length; i++)
    if ((bytes[i] & 0xc0) != 0x80)
      return 0;
  return length;
}

size_t wm_utf8_check(const uint8_t *bytes, size_t size)
{
  size_t at = 0;
  while (at < size) {
    if (bytes[at] < 0x80) {
      at++;
      continue;
    }
    size_t length = sequence_length(bytes + at, size - at);
    if (length == 0)
      return at;
    at += length;
  }
  return size;
}
