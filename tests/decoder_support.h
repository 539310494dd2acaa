/* What the decoder's tests share: modules written as sections, and decoding in memory of the exact size, so that a sanitizer
 * sees every byte too many. Callers own nothing: a struct decoded is given back with decoded_free. */
#ifndef DECODER_SUPPORT_H
#define DECODER_SUPPORT_H

#include "decoder/module.h"

/* A growing string of bytes. */
struct bytes {
  uint8_t *data;
  size_t size, capacity;
};

void bytes_add(struct bytes *bytes, const void *data, size_t size);
void bytes_add_leb(struct bytes *bytes, uint64_t value);
void bytes_free(struct bytes *bytes);
/* Magic and version. */
void bytes_add_header(struct bytes *bytes);
/* Section id, size, content. */
void bytes_add_section(struct bytes *bytes, uint8_t id, const void *content, size_t size);
/* Size and body of one function: its local declarations, its code, `end`. */
void bytes_add_body(struct bytes *bytes, const void *locals, size_t locals_size, const void *code, size_t code_size);

/* Literals as bytes: pointer and length. */
#define B(literal) (literal), sizeof(literal) - 1

/* Sections of a module in a table of cases; the list ends with the first without content. */
struct part {
  uint8_t id;
  const char *content;
  size_t size;
};
#define PART(id, literal) {(id), (literal), sizeof(literal) - 1}
struct bytes bytes_of_parts(const struct part *parts, size_t count);

struct decoded {
  struct wm_module module;
  struct wm_types types;
  struct wm_error error;
  struct wm_arena arena, types_arena;
  uint8_t *copy; /* the module's bytes */
  bool is_good;
};

/* Decodes a copy of exactly `size` bytes in an arena of exactly `arena_bytes`, types in one of their own. */
void decoded_read(struct decoded *decoded, const uint8_t *bytes, size_t size, const struct wm_limits *limits, size_t arena_bytes);
/* The same with native limits and enough memory. */
void decoded_make(struct decoded *decoded, const uint8_t *bytes, size_t size);
void decoded_free(struct decoded *decoded);

/* A file as bytes; the test fails when it cannot be read. */
struct bytes bytes_of_file(const char *path);

/* A module with something of every kind, written out in decoder_support.c. `code` is the body of its last function, whose
 * type is [] -> [] and whose locals are i32, i64, f32, f64, v128, a structure reference that may be null and one that may
 * not. Without `has_data_count` it has no data count section. */
struct bytes bytes_of_environment(const void *code, size_t code_size, bool has_data_count);
/* Offset of that code in the module. */
size_t environment_code_offset(const struct bytes *module, size_t code_size);
#define ENVIRONMENT_FUNCTION 4u /* its index */

#endif
