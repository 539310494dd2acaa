/* Whether a build has the fast stream: meson.build takes stream_fast.c and the fast stream's own files, or stream_step.c alone. All
 * else is the same, and so is every result. Internal to interp/. */
#ifndef WM_INTERP_STREAM_H
#define WM_INTERP_STREAM_H

#include "interp/frame.h"

/* A fast loop: runs at most `count` instructions, fewer when it comes to a place that only the step stream can pass. */
typedef enum wm_loop_exit wm_loop(struct wm_run *run, uint64_t count);

/* The loop that tells what the run's tap wants; NULL: only the step stream can. */
wm_loop *wm_stream_loop(const struct wm_run *run);
/* How many instructions the step stream shall run now that the fast loop has not got any further. */
uint64_t wm_stream_fallback(const struct wm_run *run);
/* Bytes that the fast stream of one body takes at most; *most is raised to what lowering any one body takes beside that. */
uint64_t wm_stream_space(const struct wm_func *func, uint64_t *most);

#endif
