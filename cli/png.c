/* Writing PNG; see png.h. One IDAT chunk: rows with filter type 0 behind each other, in stored blocks of at most 65535 bytes. */
#include "cli/png.h"

#include <string.h>

#define BLOCK_BYTES 65535u
#define ADLER_MODULUS 65521u

static void add_u32(struct wm_buffer *buffer, uint32_t value)
{
  uint8_t bytes[4] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value};
  wm_buffer_add(buffer, bytes, sizeof bytes);
}

static uint32_t crc_of(const uint8_t *bytes, size_t length)
{
  uint32_t table[256], crc = UINT32_MAX;
  for (uint32_t i = 0; i < 256; i++) {
    table[i] = i;
    for (int bit = 0; bit < 8; bit++)
      table[i] = table[i] & 1 ? table[i] >> 1 ^ 0xedb88320u : table[i] >> 1;
  }
  for (size_t i = 0; i < length; i++)
    crc = table[(crc ^ bytes[i]) & 255] ^ crc >> 8;
  return ~crc;
}

static uint32_t adler_of(const uint8_t *bytes, size_t length)
{
  uint32_t a = 1, b = 0;
  for (size_t i = 0; i < length; i++) {
    a = (a + bytes[i]) % ADLER_MODULUS;
    b = (b + a) % ADLER_MODULUS;
  }
  return b << 16 | a;
}

/* Length, type and contents so far are in place from `begin`; sets the length and appends the checksum. */
static void close_chunk(struct wm_buffer *buffer, size_t begin)
{
  size_t contents = buffer->length - begin - 8;
  for (int i = 0; i < 4; i++)
    buffer->bytes[begin + (size_t)i] = (uint8_t)(contents >> (24 - 8 * i));
  add_u32(buffer, crc_of(buffer->bytes + begin + 4, contents + 4));
}

static size_t open_chunk(struct wm_buffer *buffer, const char *type)
{
  size_t begin = buffer->length;
  add_u32(buffer, 0);
  wm_buffer_add(buffer, type, 4);
  return begin;
}

static void add_stored(struct wm_buffer *buffer, const uint8_t *bytes, size_t length)
{
  static const uint8_t zlib_header[2] = {0x78, 0x01};
  wm_buffer_add(buffer, zlib_header, sizeof zlib_header);
  for (size_t at = 0; at < length; at += BLOCK_BYTES) {
    size_t rest = length - at, block = rest < BLOCK_BYTES ? rest : BLOCK_BYTES;
    uint8_t header[5] = {rest <= BLOCK_BYTES, (uint8_t)block, (uint8_t)(block >> 8), (uint8_t)~block, (uint8_t)(~block >> 8)};
    wm_buffer_add(buffer, header, sizeof header);
    wm_buffer_add(buffer, bytes + at, block);
  }
  add_u32(buffer, adler_of(bytes, length));
}

void wm_png_write(struct wm_buffer *buffer, const uint8_t *rgba, uint32_t width, uint32_t height)
{
  static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  static const uint8_t form[5] = {8, 6, 0, 0, 0}; /* 8 bits, RGBA, deflate, filters, not interlaced */
  size_t row = (size_t)width * 4;
  struct wm_buffer rows = WM_BUFFER_EMPTY;
  for (uint32_t y = 0; y < height; y++) {
    wm_buffer_char(&rows, '\0');
    wm_buffer_add(&rows, rgba + row * y, row);
  }
  wm_buffer_add(buffer, signature, sizeof signature);
  size_t chunk = open_chunk(buffer, "IHDR");
  add_u32(buffer, width);
  add_u32(buffer, height);
  wm_buffer_add(buffer, form, sizeof form);
  close_chunk(buffer, chunk);
  chunk = open_chunk(buffer, "sRGB");
  wm_buffer_char(buffer, '\0'); /* perceptual */
  close_chunk(buffer, chunk);
  chunk = open_chunk(buffer, "IDAT");
  add_stored(buffer, rows.bytes, rows.length);
  close_chunk(buffer, chunk);
  close_chunk(buffer, open_chunk(buffer, "IEND"));
  wm_buffer_free(&rows);
}
