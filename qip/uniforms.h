/* Uniforms: keys, their order, and typed values (contract: `uniform_set_<key>`, one parameter, one result of the same type).
 *
 * i32: unsigned decimal or 0x bit pattern. i64: signed decimal or 0x bit pattern. f32, f64: see number.h. Texts are kept by
 * reference. What the component exports is contract.h's. */
#ifndef WM_QIP_UNIFORMS_H
#define WM_QIP_UNIFORMS_H

#include "interp/run.h"
#include "qip/message.h"

#define WM_UNIFORM_KEY_BYTES 63
#define WM_UNIFORMS_MAX 64 /* parts of one multipart request; the command line has no such bound */

struct wm_uniform {
  struct wm_text key, value;
};

/* 1 to 63 bytes, first a-z, then a-z 0-9 _, no trailing _, no __. */
bool wm_uniform_key_is_valid(struct wm_text key);
/* Splits `key=value` at the first `=`; WM_REQUEST problem when there is none or the key is not valid. */
bool wm_uniform_split(struct wm_text argument, struct wm_uniform *uniform, struct wm_problem *problem);
/* Sorts bytewise by key, in place. WM_REQUEST problem on a key that is not valid or given twice. */
bool wm_uniforms_sort(struct wm_uniform *uniforms, uint32_t count, struct wm_problem *problem);
/* The value as the type's bits; false when the text is not one of that type. */
bool wm_uniform_parse(wm_valtype type, struct wm_text text, struct wm_value *value);

#endif
