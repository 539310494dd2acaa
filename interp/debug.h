/* What a debugger needs beyond run.h: breakpoints in the step stream, stopping where frames return, and states that can be taken back.
 *
 * Everything here is for runs that use the step stream (wm_run_set_stream): breakpoints and depths are looked at nowhere else. A state is
 * a small record of the run (frames, slots, counters, globals, lengths), written by this file into the caller's bytes, and ranges of
 * bulk contents (memories, tables, objects), which the caller copies as it likes, page by page for instance. */
#ifndef WM_INTERP_DEBUG_H
#define WM_INTERP_DEBUG_H

#include "interp/run.h"

/* A place to stop before: an instruction of a body by its ordinal. Owned by the caller; `op` is what the stream had there. */
struct wm_breakpoint {
  struct wm_function *in;
  uint32_t ordinal;
  uint16_t op;
};
/* At most one a place; the run stops before the instruction with nothing of it done, and goes on only once the breakpoint is removed. */
void wm_breakpoint_insert(struct wm_breakpoint *breakpoint, struct wm_instance *instance, uint32_t function, uint32_t ordinal);
void wm_breakpoint_remove(struct wm_breakpoint *breakpoint);

/* Stop as soon as a return or an exception leaves no more than `depth` frames; 0: nowhere. */
void wm_run_stop_at_depth(struct wm_run *run, uint32_t depth);

/* The record of a run that is not under way, and of its store. */
uint64_t wm_run_state_bytes(struct wm_run *run);
void wm_run_save(struct wm_run *run, uint8_t *bytes);
/* Takes the run back (or forward again) to a record of its own. Lengths of memories and tables are as they were, bytes beyond the
 * present length zero; the contents of all ranges are the caller's to put back. False: the host cannot give the memory. */
bool wm_run_restore(struct wm_run *run, const uint8_t *bytes);

/* The bulk contents, by number from 0: false when there is no such number. Their count never changes once a store is linked; where they
 * stand and how long they are does. */
struct wm_state_range { uint8_t *base; uint64_t length; };
bool wm_store_range(const struct wm_store *store, uint32_t number, struct wm_state_range *range);

#endif
