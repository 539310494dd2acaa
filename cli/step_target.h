/* What is being stepped: a component's render with its setters, or one export (--invoke), run up to any instruction and taken back.
 *
 * Instructions are counted as the report of counts does: uniform setters (with --invoke: the start function) and what follows them, so
 * the number of instructions that have run names a state. The target never runs past `limit`, the budget of the whole run. It owns
 * session, run and job until wm_target_close. */
#ifndef WM_CLI_STEP_TARGET_H
#define WM_CLI_STEP_TARGET_H

#include "cli/job.h"
#include "cli/session.h"
#include "interp/debug.h"

/* What is not in the run itself. */
struct wm_target_state {
  struct wm_content content;  /* a component's */
  uint32_t call;              /* --invoke: which of the calls */
  bool is_started, is_ended;
  uint64_t begun;             /* instructions that had run when the export under way began */
};

struct wm_target {
  const struct wm_args *args;
  struct wm_job job;
  struct wm_session session;
  struct wm_instance *instance;
  struct wm_run *run;
  struct wm_target_state now; /* content: unused here, the session's own counts */
  uint64_t limit;
  bool is_invoke;
  struct wm_extern calls[2];
  uint32_t functions[2];      /* their indices */
  uint32_t call_count;
  struct wm_value *arguments, *results;
  uint32_t argument_count, result_count;
};

/* Loads and links; nothing has run. Tells failures; returns an exit status. */
int wm_target_open(struct wm_target *target, const struct wm_args *args);
void wm_target_close(struct wm_target *target);

/* Runs until `to` instructions have run (or the limit), a stop that was asked for, or the end; with `stops_at_calls` also before the
 * first instruction of each function that is called from outside. False: it has ended. */
bool wm_target_resume(struct wm_target *target, uint64_t to, bool stops_at_calls);
uint64_t wm_target_instructions(const struct wm_target *target);
static inline bool wm_target_has_ended(const struct wm_target *target) { return target->now.is_ended; }
/* In (or before) render or the export itself. */
bool wm_target_is_at_entry_call(const struct wm_target *target);
/* Of an ended run: is it a trap with frames left in place? */
bool wm_target_is_trapped(const struct wm_target *target);
/* The exit status that an ended run means. */
int wm_target_status(const struct wm_target *target);
/* How it ended, in a few words: `render returned 0x…: 12 bytes of output at 0x…`. */
void wm_target_describe(struct wm_target *target, struct wm_buffer *text);
/* The export under way: `render`, `uniform_set_x`. */
struct wm_text wm_target_export_name(const struct wm_target *target);
/* The output of an accepted run in memory 0; false when there is none (yet). */
bool wm_target_output(const struct wm_target *target, uint64_t *address, uint64_t *length);

void wm_target_set_tap(struct wm_target *target, const struct wm_tap *tap);
void wm_target_set_stream(struct wm_target *target, enum wm_stream stream);

/* The state apart from the bulk contents (interp/debug.h): bytes, saving, taking back. */
void wm_target_save(const struct wm_target *target, struct wm_target_state *state);
void wm_target_restore(struct wm_target *target, const struct wm_target_state *state);

#endif
