/* The options of a sink: cutting `NAME:key=value,key=value` into slices, and reading values.
 *
 * Nothing is copied: every text points into what the caller gave. Reading functions return false and leave the output alone
 * when the value is not of the form; what is said about it then is wm_option_refuse's, in one place and one wording. */
#ifndef WM_INSTRUMENT_OPTIONS_H
#define WM_INSTRUMENT_OPTIONS_H

#include "instrument/sink.h"

#define WM_OPTIONS_MAX 64

/* Cuts `NAME[:item,item…]`, an item being `key=value` or a lone key (value.bytes NULL). A name that begins with `.` or `/` is a file and
 * ends at the first `:` after the last `/` that stands before any `=`. False: more than WM_OPTIONS_MAX items, or an empty name or key. */
bool wm_option_split(struct wm_text text, struct wm_text *name, struct wm_option options[WM_OPTIONS_MAX], uint32_t *count);

/* Decimal, or hexadecimal after 0x; no sign, no space. */
bool wm_option_u64(struct wm_text value, uint64_t *out);
/* Index of the value in a NULL-terminated list. */
bool wm_option_choice(struct wm_text value, const char *const *choices, unsigned *out);

/* A lone key stands for `on`; else on or off. */
bool wm_option_switch(struct wm_text value, bool *out);

/* Writes `unknown option "key"` or `option "key": want WANTED, not "value"` (NULL: unknown) to message, terminated. Returns NULL,
 * what a sink's open returns then. */
void *wm_option_refuse(struct wm_option option, const char *wanted, char *message, size_t message_bytes);
/* Any other one-line reason. */
void *wm_open_refuse(const char *reason, char *message, size_t message_bytes);

#endif
