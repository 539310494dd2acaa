/* The sticky reader: LEB128 of every width at its edges, fixed numbers, vectors, names. */
#include <criterion/criterion.h>
#include <string.h>

#include "decoder/read_type.h"
#include "decoder_support.h"

static const char *const too_long = "integer representation too long", *const too_large = "integer too large",
                         *const cut = "unexpected end of section or function";

struct leb {
  unsigned bits;
  bool is_signed;
  const char *bytes;
  size_t size;
  int64_t value;
  const char *message; /* NULL: good, and all bytes are read */
};

static const struct leb lebs[] = {
  {32, false, B("\x00"), 0, NULL},
  {32, false, B("\x7f"), 127, NULL},
  {32, false, B("\x80\x01"), 128, NULL},
  {32, false, B("\x80\x00"), 0, NULL},
  {32, false, B("\x83\x80\x80\x80\x00"), 3, NULL},
  {32, false, B("\xff\xff\xff\xff\x0f"), UINT32_MAX, NULL},
  {32, false, B("\xff\xff\xff\xff\x1f"), 0, too_large},
  {32, false, B("\x80\x80\x80\x80\x70"), 0, too_large},
  {32, false, B("\x80\x80\x80\x80\x80\x00"), 0, too_long},
  {32, false, B("\xff\xff\xff\xff\x8f"), 0, too_long},
  {32, false, B(""), 0, cut},
  {32, false, B("\x80"), 0, cut},
  {32, false, B("\x80\x80\x80\x80"), 0, cut},
  {64, false, B("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), -1, NULL},
  {64, false, B("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"), INT64_MIN, NULL},
  {64, false, B("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"), 0, NULL},
  {64, false, B("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02"), 0, too_large},
  {64, false, B("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"), 0, too_long},
  {64, false, B("\x80\x80\x80\x80\x80\x80\x80\x80\x80"), 0, cut},
  {32, true, B("\x3f"), 63, NULL},
  {32, true, B("\x40"), -64, NULL},
  {32, true, B("\x7f"), -1, NULL},
  {32, true, B("\xff\x7f"), -1, NULL},
  {32, true, B("\xff\x00"), 127, NULL},
  {32, true, B("\xff\xff\xff\xff\x07"), INT32_MAX, NULL},
  {32, true, B("\x80\x80\x80\x80\x78"), INT32_MIN, NULL},
  {32, true, B("\xff\xff\xff\xff\x7f"), -1, NULL},
  {32, true, B("\xff\xff\xff\xff\x0f"), 0, too_large},
  {32, true, B("\x80\x80\x80\x80\x70"), 0, too_large},
  {32, true, B("\x80\x80\x80\x80\x08"), 0, too_large},
  {32, true, B("\xff\xff\xff\xff\xff\x7f"), 0, too_long},
  {33, true, B("\xff\xff\xff\xff\x0f"), UINT32_MAX, NULL},
  {33, true, B("\x80\x80\x80\x80\x70"), -(INT64_C(1) << 32), NULL},
  {33, true, B("\x80\x80\x80\x80\x10"), 0, too_large},
  {33, true, B("\x80\x80\x80\x80\x60"), 0, too_large},
  {64, true, B("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00"), INT64_MAX, NULL},
  {64, true, B("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f"), INT64_MIN, NULL},
  {64, true, B("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), -1, NULL},
  {64, true, B("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), 0, too_large},
  {64, true, B("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7e"), 0, too_large},
  {64, true, B("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"), 0, too_long},
};

/* Through the general function, and where there is one through the inline one. */
static int64_t read_general(struct wm_reader *r, const struct leb *leb)
{
  return leb->is_signed ? wm_read_leb_signed(r, leb->bits) : (int64_t)wm_read_leb_unsigned(r, leb->bits);
}

static int64_t read_inline(struct wm_reader *r, const struct leb *leb)
{
  if (leb->bits == 32)
    return leb->is_signed ? wm_read_s32(r) : (int64_t)wm_read_u32(r);
  if (leb->bits == 64)
    return leb->is_signed ? wm_read_s64(r) : (int64_t)wm_read_u64(r);
  return read_general(r, leb);
}

static void check_leb(size_t i, int64_t (*read)(struct wm_reader *, const struct leb *))
{
  const struct leb *leb = &lebs[i];
  struct wm_reader r = wm_reader_make((const uint8_t *)leb->bytes, leb->size);
  int64_t value = read(&r, leb);
  cr_assert(value == leb->value, "row %zu: %lld", i, (long long)value);
  cr_assert(r.at == r.end, "row %zu", i);
  if (leb->message == NULL) {
    cr_assert(wm_reader_is_good(&r), "row %zu: %s", i, r.stop.message);
  } else {
    cr_assert(r.stop.status == WM_MALFORMED, "row %zu", i);
    cr_assert_str_eq(r.stop.message, leb->message, "row %zu: %s", i, r.stop.message);
  }
}

Test(decoder_reader, leb128)
{
  for (size_t i = 0; i < sizeof lebs / sizeof *lebs; i++) {
    check_leb(i, read_general);
    check_leb(i, read_inline);
  }
}

/* Every number survives being written in the shortest form, and being written in the longest. */
Test(decoder_reader, numbers_of_all_lengths)
{
  for (unsigned shift = 0; shift < 64; shift++)
    for (uint64_t delta = 0; delta < 3; delta++) {
      uint64_t value = (UINT64_C(1) << shift) + delta - 1;
      for (unsigned length = 1; length <= 10; length++) {
        uint8_t bytes[10];
        uint64_t rest = value;
        for (unsigned i = 0; i < length; i++, rest >>= 7)
          bytes[i] = (uint8_t)((rest & 0x7f) | (i + 1 < length ? 0x80 : 0));
        if (rest != 0)
          continue;
        struct wm_reader r = wm_reader_make(bytes, length);
        cr_assert(wm_read_u64(&r) == value && wm_reader_is_good(&r));
        if (value > UINT32_MAX)
          continue;
        r = wm_reader_make(bytes, length);
        uint32_t small = wm_read_u32(&r);
        cr_assert(length > 5 ? small == 0 && wm_reader_stopped(&r) : small == value && wm_reader_is_good(&r));
      }
    }
}

Test(decoder_reader, first_error_stays_and_reads_give_zero)
{
  struct wm_reader r = wm_reader_make((const uint8_t *)"\x80\x80\x80\x80\x80\x80\x05\x06", 8);
  cr_assert_eq(wm_read_u32(&r), 0);
  cr_assert_eq(wm_read_u8(&r), 0);
  cr_assert_eq(wm_read_little_endian(&r, 8), 0);
  cr_assert_null(wm_read_bytes(&r, 1));
  cr_assert_eq(wm_read_count(&r), 0);
  wm_reader_limit(&r, 7, 9, "no");
  wm_reader_invalid(&r, 7, "no");
  cr_assert_str_eq(r.stop.message, too_long);
  cr_assert(r.stop.offset == 0 && r.stop.limit == 0 && r.invalid.status == WM_OK);
}

Test(decoder_reader, lengths)
{
  struct wm_reader r = wm_reader_make((const uint8_t *)"\x03" "abc", 4);
  cr_assert_eq(wm_read_count(&r), 3);
  cr_assert_eq(wm_read_bytes(&r, 3)[2], 'c');
  r = wm_reader_make((const uint8_t *)"\x04" "abc", 4);
  cr_assert_eq(wm_read_count(&r), 0);
  cr_assert_str_eq(r.stop.message, "length out of bounds");
  r = wm_reader_make((const uint8_t *)"abc", 3);
  cr_assert_null(wm_read_bytes(&r, UINT64_MAX));
  r = wm_reader_make((const uint8_t *)"\x01\x02\x03\x04\x05\x06\x07\x88", 8);
  cr_assert(wm_read_little_endian(&r, 8) == UINT64_C(0x8807060504030201));
}

Test(decoder_reader, names)
{
  static const struct { const char *bytes; size_t size; uint32_t length; const char *message; uint64_t offset; } rows[] = {
    {B("\x00"), 0, NULL, 0},
    {B("\x03" "a\0b"), 3, NULL, 0},
    {B("\x04" "\xf0\x9f\x8c\x8d"), 4, NULL, 0},
    {B("\x03" "\xf0\x9f\x8c"), 0, "malformed UTF-8 encoding", 1},
    {B("\x03" "ab\x80"), 0, "malformed UTF-8 encoding", 3},
    {B("\x04" "ab\xc0\x80"), 0, "malformed UTF-8 encoding", 3},
    {B("\x04" "abc"), 0, "length out of bounds", 1},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct wm_reader r = wm_reader_make((const uint8_t *)rows[i].bytes, rows[i].size);
    struct wm_name name = wm_read_name(&r);
    cr_assert(name.length == rows[i].length && name.bytes != NULL, "row %zu", i);
    cr_assert(wm_reader_stopped(&r) == (rows[i].message != NULL), "row %zu", i);
    if (rows[i].message != NULL)
      cr_assert(r.stop.offset == rows[i].offset && strcmp(r.stop.message, rows[i].message) == 0, "row %zu: %s at %d", i, r.stop.message,
                (int)r.stop.offset);
  }
}

Test(decoder_reader, arena)
{
  uint8_t block[256] = {0};
  struct wm_arena arena = {block, 0, sizeof block};
  uint8_t *first = wm_arena_take(&arena, 3, 5), *second = wm_arena_take(&arena, 1, 1);
  cr_assert(first == block && second == block + 16);
  block[40] = 1;
  uint8_t *third = wm_arena_zero(&arena, 4, 4);
  cr_assert(third == block + 32 && third[8] == 0);
  uint8_t *last = wm_arena_take_end(&arena, 20, 1);
  cr_assert(last == block + 224 && arena.size == 224);
  cr_assert_null(wm_arena_take(&arena, 1, 177));
  cr_assert_null(wm_arena_take_end(&arena, 177, 1));
  cr_assert_not_null(wm_arena_take(&arena, 176, 1));
  cr_assert_not_null(wm_arena_take(&arena, 0, 8));
  cr_assert_null(wm_arena_take(&arena, 1, 1));
  cr_assert_null(wm_arena_take_end(&arena, 1, 1));
  cr_assert_null(wm_arena_take(&arena, SIZE_MAX, 2));
  cr_assert_null(wm_arena_take(&arena, SIZE_MAX / 2 + 1, 2));
  cr_assert_null(wm_arena_take(&arena, SIZE_MAX, 1));
  cr_assert_null(wm_arena_take_end(&arena, SIZE_MAX / 4, 8));
}
