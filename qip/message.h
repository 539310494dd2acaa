/* A problem told in one line: status, place in the module file, and a text built in a bounded buffer.
 *
 * struct wm_error carries literals only; the component contract's messages name exports, keys and numbers, so they are
 * put together here, without a C library. Texts longer than the buffer end in "...". Control characters and bytes that are not
 * UTF-8 are written as \xNN, so a message is always one clean line. Nothing is owned: a problem is a value. */
#ifndef WM_QIP_MESSAGE_H
#define WM_QIP_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/error.h"
#include "instrument/sink.h"

#define WM_PROBLEM_TEXT_BYTES 256

struct wm_problem {
  enum wm_status status; /* WM_OK: none. WM_CONTRACT ends with exit status 6, WM_REQUEST with 65 */
  uint64_t offset;       /* byte in the module file, or WM_NO_OFFSET */
  uint32_t function;     /* function index, or WM_NO_INDEX */
  uint32_t length;       /* of text */
  char text[WM_PROBLEM_TEXT_BYTES]; /* terminated by NUL; no newline */
};

/* No problem. */
void wm_problem_clear(struct wm_problem *problem);
/* Starts a new text (the first problem wins: false, and nothing changes, when one is there already). */
bool wm_problem_begin(struct wm_problem *problem, enum wm_status status);
/* Takes over the decoder's or linker's error: status, place and literal. */
void wm_problem_from_error(struct wm_problem *problem, const struct wm_error *error);

/* Append to the text. */
void wm_problem_text(struct wm_problem *problem, const char *literal);
void wm_problem_bytes(struct wm_problem *problem, const char *bytes, size_t length);
void wm_problem_number(struct wm_problem *problem, uint64_t number);

/* A literal as a text. */
#define WM_TEXT(literal) ((struct wm_text){(literal), sizeof(literal) - 1})
bool wm_text_equal(struct wm_text a, struct wm_text b);
bool wm_bytes_equal(const void *a, const void *b, size_t length);
/* Bytewise order: negative, zero or positive. */
int wm_text_compare(struct wm_text a, struct wm_text b);

#endif
