/* Do stages fit together? Encodings and content types between components, checked before anything runs.
 *
 * The first stage may take an input of unknown type. After it, an input that declares a type needs a known one that matches;
 * a declared output type replaces what is known; bytes read as UTF-8 are an error, and bytes written after text keep nothing. Types match
 * when the media types are equal bytes and every parameter that both declare is equal. Messages begin `step N PATH`. */
#ifndef WM_QIP_PIPELINE_H
#define WM_QIP_PIPELINE_H

#include "qip/contract.h"

struct wm_stage {
  struct wm_text path;               /* for messages */
  const struct wm_contract *contract; /* resolved as far as it can be */
};

/* A lower-case media type, with parameters in the form `;name=value` if any: no white space, no lists, no ranges. */
bool wm_content_type_is_valid(struct wm_text type);
/* May a consumer that declares `wanted` take what is known to be `given`? Both valid. */
bool wm_content_type_matches(struct wm_text given, struct wm_text wanted);

/* False: WM_CONTRACT problem, the first in order. `input_type` is the input's own type when the caller knows it (empty: untracked). */
bool wm_pipeline_check(const struct wm_stage *stages, uint32_t count, struct wm_text input_type, struct wm_problem *problem);
/* Says (as a problem of status WM_CONTRACT) that stage `index` may write more than its successor takes: a note, unless the user asked
 * that capacities must fit. False: nothing to say. */
bool wm_pipeline_capacity_note(const struct wm_stage *stages, uint32_t count, uint32_t index, struct wm_problem *note);

#endif
