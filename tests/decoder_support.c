/* Building and decoding modules for the decoder's tests; see decoder_support.h. */
#include "decoder_support.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bytes_add(struct bytes *bytes, const void *data, size_t size)
{
  if (bytes->size + size > bytes->capacity) {
    bytes->capacity = (bytes->size + size) * 2;
    bytes->data = realloc(bytes->data, bytes->capacity);
    cr_assert_not_null(bytes->data);
  }
  if (size > 0)
    memcpy(bytes->data + bytes->size, data, size);
  bytes->size += size;
}

void bytes_add_leb(struct bytes *bytes, uint64_t value)
{
  do {
    uint8_t byte = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
    bytes_add(bytes, &byte, 1);
    value >>= 7;
  } while (value != 0);
}

void bytes_free(struct bytes *bytes)
{
  free(bytes->data);
  *bytes = (struct bytes){NULL, 0, 0};
}

void bytes_add_header(struct bytes *bytes) { bytes_add(bytes, B("\0asm\x01\0\0\0")); }

void bytes_add_section(struct bytes *bytes, uint8_t id, const void *content, size_t size)
{
  bytes_add(bytes, &id, 1);
  bytes_add_leb(bytes, size);
  bytes_add(bytes, content, size);
}

void bytes_add_body(struct bytes *bytes, const void *locals, size_t locals_size, const void *code, size_t code_size)
{
  bytes_add_leb(bytes, locals_size + code_size + 1);
  bytes_add(bytes, locals, locals_size);
  bytes_add(bytes, code, code_size);
  bytes_add(bytes, "\x0b", 1);
}

struct bytes bytes_of_parts(const struct part *parts, size_t count)
{
  struct bytes bytes = {NULL, 0, 0};
  bytes_add_header(&bytes);
  for (size_t i = 0; i < count && parts[i].content != NULL; i++)
    bytes_add_section(&bytes, parts[i].id, parts[i].content, parts[i].size);
  return bytes;
}

void decoded_read(struct decoded *decoded, const uint8_t *bytes, size_t size, const struct wm_limits *limits, size_t arena_bytes)
{
  enum { TYPES_BYTES = 1 << 18 };
  memset(decoded, 0, sizeof *decoded);
  decoded->copy = malloc(size > 0 ? size : 1);
  decoded->arena = (struct wm_arena){malloc(arena_bytes > 0 ? arena_bytes : 1), 0, arena_bytes};
  decoded->types_arena = (struct wm_arena){malloc(TYPES_BYTES), 0, TYPES_BYTES};
  cr_assert(decoded->copy != NULL && decoded->arena.base != NULL && decoded->types_arena.base != NULL);
  if (size > 0)
    memcpy(decoded->copy, bytes, size);
  decoded->error = WM_ERROR_NONE;
  cr_assert(wm_types_init(&decoded->types, &decoded->types_arena, limits));
  decoded->is_good = wm_module_decode(&decoded->module, decoded->copy, size, limits, &decoded->types, &decoded->arena,
                                      &decoded->error);
  cr_assert(decoded->is_good == (decoded->error.status == WM_OK));
  cr_assert_eq(decoded->arena.size, arena_bytes, "scratch memory was not given back");
}

void decoded_make(struct decoded *decoded, const uint8_t *bytes, size_t size)
{
  decoded_read(decoded, bytes, size, &wm_limits_native, (size_t)1 << 20);
}

void decoded_free(struct decoded *decoded)
{
  free(decoded->copy);
  free(decoded->arena.base);
  free(decoded->types_arena.base);
}

struct bytes bytes_of_file(const char *path)
{
  struct bytes bytes = {NULL, 0, 0};
  char block[4096];
  size_t count;
  FILE *file = fopen(path, "rb");
  cr_assert_not_null(file, "%s", path);
  while ((count = fread(block, 1, sizeof block, file)) > 0)
    bytes_add(&bytes, block, count);
  fclose(file);
  return bytes;
}

/* Types 0 [] -> [], 1 [i32] -> [i32], 2 [i64 f64] -> [i32 i32], 3 open structure {mut i8, f64, mut (ref null 3)}, 4 final
 * sub type of 3 with a mut v128 more, 5 array of mut i16, 6 array of funcref, 7 array of mut (ref null 3), 8 [i32 f32] -> [],
 * 9 structure {(ref 3)}, 10 array of mut i32. */
#define TYPES                                                                                                           \
  "\x0b\x60\x00\x00\x60\x01\x7f\x01\x7f\x60\x02\x7e\x7c\x02\x7f\x7f"                                                    \
  "\x50\x00\x5f\x03\x78\x01\x7c\x00\x63\x03\x01"                                                                        \
  "\x4f\x01\x03\x5f\x04\x78\x01\x7c\x00\x63\x03\x01\x7b\x01"                                                            \
  "\x5e\x77\x01\x5e\x70\x00\x5e\x63\x03\x01\x60\x02\x7f\x7d\x00\x5f\x01\x64\x03\x00\x5e\x7f\x01"
/* Function 0 of type 1, table 0 funcref, memory 0, global 0 i32, tag 0 of type 8. */
#define IMPORTS                                                                                                         \
  "\x05\x01m\x01" "f\x00\x01\x01m\x01t\x01\x70\x00\x01\x01m\x01m\x02\x00\x01\x01m\x01g\x03\x7f\x00"                     \
  "\x01m\x01x\x04\x00\x08"
#define FUNCTIONS "\x04\x00\x02\x01\x00"
/* Table 1: 64-bit, externref; table 2: (ref null 3), with an initial value. */
#define TABLES "\x02\x6f\x04\x00\x40\x00\x63\x03\x00\x01\xd0\x03\x0b"
#define MEMORIES "\x01\x05\x01\x02" /* memory 1: 64-bit */
#define TAGS "\x01\x00\x00"         /* tag 1 of type 0 */
/* Global 1 mut i64, 2 i32 = global 0 + 1, 3 mut v128, 4 (ref 3). */
#define GLOBALS                                                                                                         \
  "\x04\x7e\x01\x42\x05\x0b\x7f\x00\x23\x00\x41\x01\x6a\x0b"                                                            \
  "\x7b\x01\xfd\x0c\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x0b\x64\x03\x00\xfb\x01\x03\x0b"
#define EXPORTS "\x05\x01" "f\x00\x02\x03mem\x02\x00\x03tab\x01\x01\x01g\x03\x01\x01t\x04\x01"
#define START "\x01"
/* 0 active in table 0: function 1; 1 passive funcref: function 3, null; 2 declarative: function 2; 3 passive (ref null 3). */
#define ELEMENTS                                                                                                        \
  "\x04\x00\x41\x00\x0b\x01\x01\x05\x70\x02\xd2\x03\x0b\xd0\x70\x0b\x03\x00\x01\x02\x05\x63\x03\x01\xd0\x03\x0b"
#define LOCALS "\x07\x01\x7f\x01\x7e\x01\x7d\x01\x7c\x01\x7b\x01\x63\x03\x01\x64\x03"
#define DATAS "\x02\x00\x41\x00\x0b\x02" "ab\x01\x03xyz"

struct bytes bytes_of_environment(const void *code, size_t code_size, bool has_data_count)
{
  struct bytes bytes = {NULL, 0, 0}, bodies = {NULL, 0, 0};
  bytes_add(&bodies, "\x04", 1);
  bytes_add_body(&bodies, B("\x00"), B(""));
  bytes_add_body(&bodies, B("\x00"), B("\x41\x01\x41\x02"));
  bytes_add_body(&bodies, B("\x00"), B("\x20\x00"));
  bytes_add_body(&bodies, B(LOCALS), code, code_size);
  bytes_add_header(&bytes);
  bytes_add_section(&bytes, 1, B(TYPES));
  bytes_add_section(&bytes, 2, B(IMPORTS));
  bytes_add_section(&bytes, 3, B(FUNCTIONS));
  bytes_add_section(&bytes, 4, B(TABLES));
  bytes_add_section(&bytes, 5, B(MEMORIES));
  bytes_add_section(&bytes, 13, B(TAGS));
  bytes_add_section(&bytes, 6, B(GLOBALS));
  bytes_add_section(&bytes, 7, B(EXPORTS));
  bytes_add_section(&bytes, 8, B(START));
  bytes_add_section(&bytes, 9, B(ELEMENTS));
  if (has_data_count)
    bytes_add_section(&bytes, 12, B("\x02"));
  bytes_add_section(&bytes, 10, bodies.data, bodies.size);
  bytes_add_section(&bytes, 11, B(DATAS));
  bytes_free(&bodies);
  return bytes;
}

size_t environment_code_offset(const struct bytes *module, size_t code_size)
{
  size_t data_section = sizeof DATAS - 1 + 2; /* its id and one byte of size */
  return module->size - data_section - 1 - code_size;
}
