/* A strict JSON reader (RFC 8259) for test scripts: one tree, made in one pass, freed as a whole.
 *
 * Strings are decoded (they may hold NUL bytes) and terminated; numbers are kept as their text. Nesting deeper than 64 is an
 * error: scripts need six levels. */
#ifndef WM_SPEC_JSON_H
#define WM_SPEC_JSON_H

#include <stdbool.h>
#include <stddef.h>

enum wm_json_kind { WM_JSON_NULL, WM_JSON_TRUE, WM_JSON_FALSE, WM_JSON_NUMBER, WM_JSON_STRING, WM_JSON_ARRAY, WM_JSON_OBJECT };

struct wm_json {
  unsigned char kind;         /* enum wm_json_kind */
  const char *key;            /* in an object */
  const char *text;           /* NUMBER, STRING; terminated */
  size_t length;              /* of text */
  const struct wm_json *child; /* first item of an ARRAY or OBJECT */
  const struct wm_json *next; /* the item behind this one */
};

/* The tree, or NULL with *error a literal and *offset the byte. wm_json_free takes what this returned. */
const struct wm_json *wm_json_parse(const char *bytes, size_t length, const char **error, size_t *offset);
void wm_json_free(const struct wm_json *root);

/* Member of an object; NULL when absent or `object` is none. */
const struct wm_json *wm_json_get(const struct wm_json *object, const char *key);
/* Its text when it is a string or a number, else NULL. */
const char *wm_json_text(const struct wm_json *object, const char *key);

#endif
