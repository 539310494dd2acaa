/* The sticky reader (Binary Format: Values): after the first error it stands at its end and every read returns zero, so
 * that decoding reads like the grammar.
 *
 * Two errors are kept apart. `stop` is a malformed byte, a limit or lack of space: reading is over. `invalid` is the first
 * breach of a validation rule: reading goes on, because bytes further on may still show that this is no module at all, and
 * that verdict takes precedence. Offsets in errors are bytes of the module file. The bytes belong to the caller. */
#ifndef WM_DECODER_READER_H
#define WM_DECODER_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "decoder/error.h"

struct wm_reader {
  const uint8_t *at, *end; /* what is left to read */
  const uint8_t *base;     /* byte 0 of the module file */
  struct wm_error stop, invalid;
};

static inline struct wm_reader wm_reader_make(const uint8_t *bytes, size_t size)
{
  return (struct wm_reader){bytes, bytes + size, bytes, WM_ERROR_NONE, WM_ERROR_NONE};
}

static inline size_t wm_reader_left(const struct wm_reader *r) { return (size_t)(r->end - r->at); }
static inline uint64_t wm_reader_offset(const struct wm_reader *r) { return (uint64_t)(r->at - r->base); }
static inline bool wm_reader_stopped(const struct wm_reader *r) { return r->stop.status != WM_OK; }
/* Neither stopped nor found invalid. */
static inline bool wm_reader_is_good(const struct wm_reader *r)
{
  return r->stop.status == WM_OK && r->invalid.status == WM_OK;
}

/* Stops reading. The first call's error stays. */
void wm_reader_stop(struct wm_reader *r, enum wm_status status, uint64_t offset, const char *message);
void wm_reader_malformed(struct wm_reader *r, uint64_t offset, const char *message);
/* Stops because `limit`, a field of struct wm_limits, is passed. */
void wm_reader_limit(struct wm_reader *r, uint64_t offset, uint64_t limit, const char *message);
/* Notes a breach of validation and reads on. */
void wm_reader_invalid(struct wm_reader *r, uint64_t offset, const char *message);

/* LEB128 of `bits` bits, any length: the general case behind the fast ones below. */
uint64_t wm_read_leb_unsigned(struct wm_reader *r, unsigned bits);
int64_t wm_read_leb_signed(struct wm_reader *r, unsigned bits);

uint8_t wm_read_u8(struct wm_reader *r);
/* The next `size` bytes, or NULL (and stopped) when fewer are left. */
const uint8_t *wm_read_bytes(struct wm_reader *r, uint64_t size);
/* The count of a vector whose items take at least one byte each: more items than bytes left stop the reader. */
uint32_t wm_read_count(struct wm_reader *r);

static inline uint32_t wm_read_u32(struct wm_reader *r)
{
  if (r->at < r->end && *r->at < 0x80)
    return *r->at++;
  return (uint32_t)wm_read_leb_unsigned(r, 32);
}

static inline uint64_t wm_read_u64(struct wm_reader *r)
{
  if (r->at < r->end && *r->at < 0x80)
    return *r->at++;
  return wm_read_leb_unsigned(r, 64);
}

static inline int32_t wm_read_s32(struct wm_reader *r)
{
  if (r->at < r->end && *r->at < 0x80) {
    int32_t byte = *r->at++;
    return (byte ^ 0x40) - 0x40;
  }
  return (int32_t)wm_read_leb_signed(r, 32);
}

static inline int64_t wm_read_s64(struct wm_reader *r)
{
  if (r->at < r->end && *r->at < 0x80) {
    int32_t byte = *r->at++;
    return (byte ^ 0x40) - 0x40;
  }
  return wm_read_leb_signed(r, 64);
}

/* Little-endian numbers of `size` bytes (up to 8). */
uint64_t wm_read_little_endian(struct wm_reader *r, unsigned size);

/* The offset of the first byte that does not belong to well-formed UTF-8, or `size`. */
size_t wm_utf8_check(const uint8_t *bytes, size_t size);

#endif
