// Slices, characters and the output buffer: what every part of the renderer uses.
// A slice borrows: it points into the input, the line store or a constant, and never owns.
#ifndef MARKDOWN_TEXT_H
#define MARKDOWN_TEXT_H

#include "component.h"

struct md_slice {
    const uint8_t *at;
    uint32_t size;
};

// The output; `full` is set, and nothing more is written, when the capacity would be exceeded.
struct md_out {
    uint8_t *start, *at, *limit;
    bool full;
};

struct md_fold_run {
    uint32_t first, last, step;
    int32_t difference;
};

// tables.c, written by gen_tables.py. Entities are sorted by name: length, name, length, UTF-8 value.
extern const uint32_t md_entity_count, md_punctuation_count, md_fold_run_count, md_fold_several_count;
extern const uint16_t md_entity_offsets[];
extern const uint8_t md_entities[];
extern const uint32_t md_punctuation[][2];
extern const struct md_fold_run md_fold_runs[];
extern const uint32_t md_fold_several[][4];

static inline bool is_blank_byte(uint8_t c) {
    return c == ' ' || c == '\t';
}

static inline bool is_space_byte(uint8_t c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline bool is_digit_byte(uint8_t c) {
    return (uint8_t)(c - '0') < 10;
}

static inline bool is_letter_byte(uint8_t c) {
    return (uint8_t)((c | 32) - 'a') < 26;
}

static inline bool is_alphanumeric_byte(uint8_t c) {
    return is_digit_byte(c) || is_letter_byte(c);
}

static inline bool is_punctuation_byte(uint8_t c) {
    return c > ' ' && c < 0x7f && !is_alphanumeric_byte(c);
}

static inline uint8_t lower_byte(uint8_t c) {
    return (uint8_t)(c - 'A') < 26 ? c | 32 : c;
}

// The code point at `at`, which is valid UTF-8; *length is its size. A NUL reads as U+FFFD, as everywhere here.
uint32_t md_read_code_point(const uint8_t *at, uint32_t *length);
// The code point that ends before `at`.
uint32_t md_read_code_point_before(const uint8_t *at);
bool md_is_unicode_space(uint32_t code);
bool md_is_unicode_punctuation(uint32_t code);
// Writes the UTF-8 form of a code point (at most 4 bytes); returns the size.
uint32_t md_write_code_point(uint8_t *at, uint32_t code);
// Writes the case folding of a code point (at most 12 bytes); returns the size.
uint32_t md_write_folded(uint8_t *at, uint32_t code);

// A character reference at `text.at` ("&...;"): its size in the source, or 0. The value, at most 8 bytes, goes to
// `value`, which may be NULL.
uint32_t md_read_entity(struct md_slice text, uint8_t *value, uint32_t *value_size);

bool md_equals_ignoring_case(struct md_slice text, const char *lower);
bool md_starts_with(struct md_slice text, const char *prefix);
struct md_slice md_trim(struct md_slice text);

void md_put(struct md_out *out, uint8_t byte);
void md_put_text(struct md_out *out, const char *text);
void md_put_raw(struct md_out *out, struct md_slice text);
// As it is, but for NUL.
void md_put_verbatim(struct md_out *out, struct md_slice text);
void md_put_decimal(struct md_out *out, uint32_t value);
// Begins a new line unless the output is at one.
void md_put_line_break(struct md_out *out);
// With & < > " as entities.
void md_put_escaped(struct md_out *out, struct md_slice text);
// With backslash escapes and character references resolved first.
void md_put_unescaped(struct md_out *out, struct md_slice text);
// A link destination: resolved as above unless `literal`, then percent-encoded, then escaped.
void md_put_url(struct md_out *out, struct md_slice url, bool literal);

#endif
