/* A run's history: states by instruction number, taken back from snapshots and run again, since a run is deterministic.
 *
 * A snapshot shares every 4 KiB piece of memories, tables and objects that did not change with the one before; what they hold together
 * stays within a limit, at which every other one is dropped and their spacing doubles. Edits (`set`) are part of the history: each belongs
 * to an instruction number and is made again whenever the run comes to it. Totals of events are counted on the way where somebody
 * wants them, else found by running again. The history owns snapshots and edits; the target is the caller's. */
#ifndef WM_CLI_STEP_HISTORY_H
#define WM_CLI_STEP_HISTORY_H

#include "cli/step_target.h"

struct wm_tally { uint64_t calls, indirect_calls, returns, branches_taken, loop_iterations, memory_reads, memory_writes, bytes_read, bytes_written; };

enum wm_edit_kind { WM_EDIT_MEMORY, WM_EDIT_SLOT, WM_EDIT_GLOBAL };
struct wm_edit {
  uint64_t instruction;
  uint8_t kind;      /* enum wm_edit_kind */
  uint8_t length;    /* bytes */
  uint32_t index;    /* memory, frame depth, or global */
  uint64_t at;       /* address, or slot */
  uint8_t bytes[16]; /* little-endian */
};

struct wm_snapshot;

struct wm_history {
  struct wm_target *target;
  uint64_t limit_bytes, held_bytes; /* of snapshots */
  uint64_t spacing;                 /* instructions */
  struct wm_snapshot **snapshots;   /* by instruction */
  uint32_t count, capacity, range_count;
  struct wm_edit *edits;            /* by instruction, then as they were made */
  uint32_t edit_count, edit_next;   /* made so far */
  struct wm_tally tally;
  bool has_tally;                   /* of the present state */
  bool counts;                      /* count on the way */
  uint32_t wants, needs;            /* of who watches */
  void (*watch)(void *user, const struct wm_event *event);
  void *watch_user;
};

/* Takes the first snapshot: the target must not have run. `spacing`: instructions between snapshots at first, 0: as many as pay. */
void wm_history_open(struct wm_history *history, struct wm_target *target, uint64_t limit_bytes, uint64_t spacing);
void wm_history_close(struct wm_history *history);

/* Runs on, at most until `to` instructions have run, and comes back at least at each snapshot and edit: the caller goes round. False: ended. */
bool wm_history_advance(struct wm_history *history, uint64_t to, bool stops_at_calls);
/* To the state when `to` instructions had run, edits included (or the end, when that comes before). False: interrupted, somewhere. */
bool wm_history_goto(struct wm_history *history, uint64_t to);
/* To the last snapshot not after `to`; where it is. The first state is always there. */
uint64_t wm_history_restore(struct wm_history *history, uint64_t to);
/* The instruction number of the last snapshot before `at`; 0 when there is none. */
uint64_t wm_history_before(const struct wm_history *history, uint64_t at);

/* Makes an edit here; what was known of the future is forgotten. */
void wm_history_edit(struct wm_history *history, const struct wm_edit *edit);
/* Forgets all edits and goes back to the beginning. */
void wm_history_reset(struct wm_history *history);

/* Every event of those kinds goes to `watch` from now on; NULL: to nobody. */
void wm_history_watch(struct wm_history *history, uint32_t wants, uint32_t needs, void (*watch)(void *user, const struct wm_event *event), void *user);
/* The totals at the present state, running again where they are not known. False: interrupted. */
bool wm_history_tally(struct wm_history *history, struct wm_tally *tally);

/* Ctrl-C: stops what runs. Taken back by wm_history_clear_interrupt. */
void wm_history_catch_interrupt(const struct wm_target *target, bool is_interactive);
bool wm_history_is_interrupted(void);
void wm_history_clear_interrupt(void);

#endif
