/* Numbers in text to bit patterns, exactly: integers, and decimal or hexadecimal floats rounded to nearest, ties to even.
 *
 * The one parser for uniforms and for the arguments of --invoke. Digits may be as many as they like; overflow of a float is
 * infinity, underflow zero with its sign. No underscores, no spaces, the whole text is used. */
#ifndef WM_QIP_NUMBER_H
#define WM_QIP_NUMBER_H

#include "instrument/sink.h"

/* [+-]? then: decimal digits with optional fraction and exponent (`1`, `1.`, `.5`, `1e-3`), hexadecimal (`0x1.8p3`, the exponent
 * is optional), `inf`, `infinity`, `nan` in either case. `nan` is the positive canonical NaN, `-nan` the negative one.
 * With `with_payload` also `nan:0x...` (payload not zero, fits the significand) and `nan:canonical`, `nan:arithmetic` are not
 * accepted: they are patterns, not values. False: not a number of this form. */
bool wm_number_f32(struct wm_text text, bool with_payload, uint32_t *bits);
bool wm_number_f64(struct wm_text text, bool with_payload, uint64_t *bits);

/* Unsigned decimal or 0x/0X hexadecimal of at most `width` bits (1..64); no sign. */
bool wm_number_unsigned(struct wm_text text, uint32_t width, uint64_t *bits);
/* [+-]? decimal in the signed range of `width` bits, or 0x/0X hexadecimal as a bit pattern without sign. Result: `width` bits. */
bool wm_number_signed(struct wm_text text, uint32_t width, uint64_t *bits);
/* For --invoke: anything either of the above takes, and signed hexadecimal (`-0x10`). */
bool wm_number_integer(struct wm_text text, uint32_t width, uint64_t *bits);

#endif
