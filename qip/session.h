/* What the files of the session share: ending it, quiet calls, and judging what render returned. Internal to qip/. */
#ifndef WM_QIP_SESSION_H
#define WM_QIP_SESSION_H

#include "qip/content.h"

/* No result yet. */
void wm_outcome_clear(struct wm_content_outcome *outcome);
/* Ends with a problem of that status; the caller appends to outcome->problem. Always false. */
bool wm_outcome_fail(struct wm_content_outcome *outcome, enum wm_content_result result, enum wm_status status, const char *text);
/* Ends with the linker's or interpreter's error, by its status. Always false. */
bool wm_outcome_fail_error(struct wm_content_outcome *outcome, const struct wm_error *error);
/* Ends as the run did: TRAPPED, NO_MEMORY, or EXHAUSTED. Always false. */
bool wm_outcome_fail_run(struct wm_content_outcome *outcome, const struct wm_run *run, struct wm_text export_name);

/* Runs a function to its end, neither counted nor tapped, on *budget. False: *outcome tells. */
bool wm_call_quietly(struct wm_store *store, struct wm_extern function, struct wm_text export_name, uint64_t *budget,
                     struct wm_value *result, struct wm_content_outcome *outcome);

/* The setter of a uniform, and its value parsed. WM_REQUEST or WM_CONTRACT problem. */
bool wm_content_find_setter(const struct wm_contract *contract, const struct wm_uniform *uniform, struct wm_content_setter *setter,
                            struct wm_problem *problem);
/* `uniform_set_KEY`. */
struct wm_text wm_content_setter_name(const struct wm_content_setter *setter);

/* Judges the word that render (run) returned: fills the outcome. `input_length` is what render was told. */
void wm_content_judge(struct wm_content *content, uint64_t word, uint64_t input_length);

#endif
