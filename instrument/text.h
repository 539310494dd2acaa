/* Text without a C library: integers, columns and escapes, into a bounded buffer or through it into a writer.
 *
 * A print with a writer hands its buffer on whenever it is full (and at flush); one without a writer cuts what does not fit
 * and remembers that. It owns nothing: buffer and writer are the caller's. Floats are formatted elsewhere; what has decimals
 * here is a scaled integer. */
#ifndef WM_INSTRUMENT_TEXT_H
#define WM_INSTRUMENT_TEXT_H

#include "instrument/sink.h"

struct wm_print {
  char *bytes;
  size_t capacity, length;
  struct wm_writer *writer; /* or NULL */
  bool is_cut;              /* without a writer: something did not fit */
};

void wm_print_open(struct wm_print *print, char *bytes, size_t capacity, struct wm_writer *writer);
void wm_print_flush(struct wm_print *print);

void wm_print_bytes(struct wm_print *print, const char *bytes, size_t length);
void wm_print_string(struct wm_print *print, const char *string);
void wm_print_text(struct wm_print *print, struct wm_text text);
void wm_print_char(struct wm_print *print, char c);
void wm_print_repeat(struct wm_print *print, char c, size_t count);

void wm_print_u64(struct wm_print *print, uint64_t value);
/* With a comma between groups of three digits: 1,234,567. */
void wm_print_grouped(struct wm_print *print, uint64_t value);
/* value / 10^decimals, all decimals shown: (696, 2) is 6.96. */
void wm_print_scaled(struct wm_print *print, uint64_t value, unsigned decimals);
/* Lower-case hexadecimal, at least `digits` of them, no prefix. */
void wm_print_hex(struct wm_print *print, uint64_t value, unsigned digits);
/* Below 1024 `N B`, else one decimal, rounded half up, and KiB, MiB … */
void wm_print_size(struct wm_print *print, uint64_t bytes);
/* Below 1000 `N ns`, else two decimals, rounded half up, and µs, ms, s: the spelling of every report (options take us too). */
void wm_print_duration(struct wm_print *print, uint64_t ns);

/* A CSV field: quoted when it holds a comma, a quote, or a line end, or begins or ends with a space. */
void wm_print_csv(struct wm_print *print, struct wm_text text);
/* A JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD. */
void wm_print_json(struct wm_print *print, struct wm_text text);
/* For people: control characters and bytes that are not UTF-8 as \xNN, so that a name cannot drive the terminal. */
void wm_print_visible(struct wm_print *print, struct wm_text text);

/* Columns that `length` bytes take on a terminal: one for each code point. */
size_t wm_text_columns(const char *bytes, size_t length);
/* Length of the well-formed UTF-8 sequence at the start of the text, 0 when there is none. */
unsigned wm_text_utf8(const char *bytes, size_t length);

struct wm_text wm_text_of(const char *string);
bool wm_text_is_equal(struct wm_text a, struct wm_text b);
bool wm_text_is(struct wm_text text, const char *string);
/* value * multiplier / divisor rounded half up, without overflow as long as the result fits; divisor > 0. */
uint64_t wm_ratio_half_up(uint64_t value, uint32_t multiplier, uint64_t divisor);

#endif
