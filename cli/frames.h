/* Plays frames on a session: the steps of a script after its first render, each frame measured, digested, compared, or saved.
 *
 * Owns the list of frames; script, sinks and session are the caller's. A player is the guide of its session's run (session.h): the
 * play repeats in the run ahead that some sinks ask for, and only the run proper is written down. Frame 0 is the first render's.
 * Wrong order ends with status 6 and the script's line; what the component does wrong ends as in any run. */
#ifndef WM_CLI_FRAMES_H
#define WM_CLI_FRAMES_H

#include "cli/bench_clock.h"
#include "cli/digest.h"
#include "cli/frame_script.h"
#include "cli/progress.h"
#include "cli/session.h"
#include "qip/lifecycle.h"

#define WM_FRAME_COUNTERS 32

enum wm_frame_kind { WM_FRAME_FIRST, WM_FRAME_WARMUP, WM_FRAME_MEASURED };

struct wm_frame {
  uint8_t kind;            /* enum wm_frame_kind */
  int64_t time_ms;         /* of the latest update; 0 before the first */
  uint64_t instructions;   /* of render alone; of the first frame also the setters before it */
  uint64_t ns;             /* interpreter time of render; 0 for the first frame */
  uint64_t output_bytes;
  char digest[WM_DIGEST_CHARS];
};

/* An export () -> i32 of the component, read after the frames. */
struct wm_frame_counter {
  const char *name;
  uint32_t function;
  uint32_t value, before;  /* before: at the end of the warm-up */
};

struct wm_player { /* starts zeroed; the caller sets the first group */
  const struct wm_frame_script *script;
  struct wm_sinks *sinks;          /* to be told of frames; NULL: none are attached */
  const char *save_path;           /* folder for PNG files, or NULL */
  const struct wm_player *other;   /* whose frames these must equal, or NULL */
  uint64_t budget;
  bool is_capturing;               /* keep the output of frame `captured` and stop there */
  uint64_t captured_frame;
  struct wm_frame_counter counters[WM_FRAME_COUNTERS];
  uint32_t counter_count;
  struct wm_bench_clock clock;

  struct wm_frame *frames;
  uint64_t frame_count;
  uint64_t measured_from;          /* frames from here on count: behind the last warm-up */
  double *layer_ms;                /* a timed copy's own accumulators, after the frames */
  uint32_t layer_count;
  bool has_mismatch;               /* the latest frame is not the other's; its output is in `captured` */
  struct wm_buffer captured;

  /* While playing. */
  struct wm_session *session;
  struct wm_lifecycle lifecycle;
  const struct wm_frame_step *step;
  bool is_rehearsal;
  uint32_t open_line;
  struct wm_progress progress;
  struct wm_session_guide guide;
};

/* Makes the player the session's guide, and finds its counters; the session has its contract. Tells failures. */
int wm_player_attach(struct wm_player *player, struct wm_session *session);
void wm_player_free(struct wm_player *player);

/* Which of the frames count: all behind the warm-up but the first. */
static inline bool wm_frame_is_measured(const struct wm_player *player, uint64_t frame)
{
  return frame >= player->measured_from && player->frames[frame].kind == WM_FRAME_MEASURED;
}

/* Of instructions and interpreter time over the measured frames; false when there are none. */
struct wm_frame_statistics { uint64_t count, minimum, median, p95, maximum; };
bool wm_player_statistics(const struct wm_player *player, bool is_ns, struct wm_frame_statistics *statistics);

/* frames_report.c: what is told beside a sink's report. `format`: json (members are added to the object in `report`), table (lines are
 * added), anything else: notes on standard error. `compared`: the second build's player, or NULL. `checked`: one more line, or NULL. */
void wm_player_tell(const struct wm_player *player, const struct wm_player *compared, const char *checked, const char *format, bool has_clock,
                    struct wm_buffer *report);
/* A CSV of all frames. Returns an exit status. */
int wm_player_write_list(const struct wm_player *player, const char *path, bool has_clock);

#endif
