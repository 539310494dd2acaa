/* The timed and interactive lifecycle on a content session that has been accepted: updates, events, frames (contract, part E).
 *
 * render(input_size) at time zero is wm_content's own; what follows is here: one bootstrap update at the first positive time,
 * then begin_update_at, update uniforms, events, finish_update, and render(0) for each frame. Wrong order by the caller (an event
 * outside an update, a time that does not rise, ...) is a WM_CONTRACT problem and nothing runs; a wake before now is the
 * component's violation. Each call runs to its end on the session's budget, with the session's tap. */
#ifndef WM_QIP_LIFECYCLE_H
#define WM_QIP_LIFECYCLE_H

#include "qip/content.h"

struct wm_lifecycle {
  struct wm_content *content;
  int64_t now_ms;        /* of the last update; 0 before the first */
  bool is_updating;      /* between begin and finish */
  bool has_events;       /* of this update: setters are over */
  bool has_wake;
  int64_t wake_ms;       /* advisory, absolute; valid when has_wake */
  uint64_t updates, frames;
};

enum wm_keysym {
  WM_KEY_BACKSPACE = 0xff08, WM_KEY_TAB = 0xff09, WM_KEY_ENTER = 0xff0d, WM_KEY_ESCAPE = 0xff1b,
  WM_KEY_LEFT = 0xff51, WM_KEY_UP = 0xff52, WM_KEY_RIGHT = 0xff53, WM_KEY_DOWN = 0xff54, WM_KEY_F1 = 0xffbe,
};
enum { WM_KEY_FLAG_DOWN = 1, WM_KEY_FLAG_REPEAT = 2, WM_KEY_FLAG_SHIFT = 4, WM_KEY_FLAG_CTRL = 8, WM_KEY_FLAG_ALT = 16, WM_KEY_FLAG_META = 32 };

/* Takes over an accepted session of contract V3 (WM_CONTRACT problem: it is not). Frames need no more; updates need an interactive one. */
bool wm_lifecycle_begin(struct wm_lifecycle *lifecycle, struct wm_content *content, struct wm_problem *problem);

/* All of these: false with *problem set (and the session's outcome TRAPPED, EXHAUSTED or VIOLATION when the component is at fault). */
bool wm_lifecycle_begin_update(struct wm_lifecycle *lifecycle, int64_t now_ms, struct wm_problem *problem);
/* Before the first event of an update, or, outside one, presentation uniforms of the next render. */
bool wm_lifecycle_uniform(struct wm_lifecycle *lifecycle, const struct wm_uniform *uniform, struct wm_value *applied, struct wm_problem *problem);
bool wm_lifecycle_key(struct wm_lifecycle *lifecycle, uint32_t keysym, uint32_t flags, bool *is_changed, struct wm_problem *problem);
bool wm_lifecycle_pointer(struct wm_lifecycle *lifecycle, uint32_t buttons, int32_t x, int32_t y, bool *is_changed, struct wm_problem *problem);
bool wm_lifecycle_finish_update(struct wm_lifecycle *lifecycle, struct wm_problem *problem);
/* render(0): the frame is wm_content_output's afterwards. */
bool wm_lifecycle_render(struct wm_lifecycle *lifecycle, struct wm_problem *problem);
/* Any zero-argument i32 export, uncounted and untapped, on the budget (layer_times_ptr, exported counters). */
bool wm_lifecycle_read(struct wm_lifecycle *lifecycle, uint32_t function, uint32_t *value, struct wm_problem *problem);

#endif
