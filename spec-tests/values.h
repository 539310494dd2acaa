/* Values and result patterns of test scripts: JSON to struct wm_value, and results held against what a script expects.
 *
 * Both dialects are read: integers signed or unsigned, floats as bit patterns, `nan:canonical` (payload exactly the quiet bit, any
 * sign) and `nan:arithmetic` (quiet bit set) in results, vectors by lanes, references by kind and number, `either`. */
#ifndef WM_SPEC_VALUES_H
#define WM_SPEC_VALUES_H

#include "cli/buffer.h"
#include "interp/run.h"
#include "spec-tests/json.h"

/* An argument; false when the script's value is none we know. */
bool wm_spec_read_value(const struct wm_json *json, struct wm_value *value);
/* Whether a result is what the pattern asks for. False for patterns we do not know. */
bool wm_spec_matches(struct wm_store *store, const struct wm_types *types, const struct wm_json *pattern, struct wm_value value);
/* For messages. */
void wm_spec_print_value(struct wm_buffer *out, struct wm_store *store, struct wm_value value);
void wm_spec_print_pattern(struct wm_buffer *out, const struct wm_json *pattern);

#endif
