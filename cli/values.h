/* Guest values as text: arguments of --invoke in, results out, in the text format's own spelling (Text Format: Values).
 *
 * Integers print signed, floats with the fewest digits that read back, NaNs with their payload when it is not the canonical one,
 * v128 as `i32x4 a b c d`, references as `ref.null`, `ref.func N`, `ref.extern N`, and so on. */
#ifndef WM_CLI_VALUES_H
#define WM_CLI_VALUES_H

#include "cli/buffer.h"
#include "interp/run.h"

/* Reads one argument as a value of `type`: decimal or hexadecimal integers, floats (inf, nan, nan:0x…), vectors as a shape and its
 * lanes parted by blanks, commas or colons (`i8x16:1,2,…`, `f64x2 0.5 1`), references as `null` or a host number. False: it is none. */
bool wm_value_parse(struct wm_value *value, wm_valtype type, const char *text);
void wm_value_print(struct wm_buffer *buffer, struct wm_store *store, const struct wm_value *value);
/* `(i32 i64) -> (f32)`; references by their heap type. */
void wm_signature_print(struct wm_buffer *buffer, const struct wm_type *type);
void wm_valtype_print(struct wm_buffer *buffer, wm_valtype type);

/* Floats by their bits, shared with reports. */
void wm_f32_print(struct wm_buffer *buffer, uint32_t bits);
void wm_f64_print(struct wm_buffer *buffer, uint64_t bits);

#endif
