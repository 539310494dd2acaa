/* Choosing functions by name: globs of `*` (any bytes) and `?` (one byte), or the spelling wasm-function[N], or a bare index.
 *
 * wasm-function[N] names a function whether or not it has another name, so a pattern that was right for a stripped build stays right. */
#ifndef WM_INSTRUMENT_MATCH_H
#define WM_INSTRUMENT_MATCH_H

#include "instrument/sink.h"

bool wm_glob_match(struct wm_text pattern, struct wm_text text);
/* Function `function` of the run, by its name, by wasm-function[N], or by index when the pattern is all digits. */
bool wm_function_match(const struct wm_view *view, uint32_t function, struct wm_text pattern);

#endif
