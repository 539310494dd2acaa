/* Streams of a build that has the fast one: which loop a run takes, and what the step stream does where the fast one cannot. */
#include "interp/fast.h"
#include "interp/stream.h"

#define FALLBACK 1024 /* instructions of a function without a fast stream before the fast stream is tried again */

/* How many instructions the step stream shall run now that the fast stream has not got any further. */
uint64_t wm_stream_fallback(const struct wm_run *run)
{
  const struct wm_frame *frame = &run->frames[run->frame_count - 1];
  const struct wm_function *function = frame->function;
  if (function->fast == NULL)
    return FALLBACK;
  if (wm_fast_enter(function, frame->position) == NULL)
    return 1;
  uint64_t cost = wm_fast_cost(function, frame->position);
  return run->budget < cost ? run->budget : cost;
}

/* The fast loop that tells what the tap wants; NULL: only the step stream can. */
wm_loop *wm_stream_loop(const struct wm_run *run)
{
  if (run->stream == WM_STREAM_STEP || (run->needs & (WM_NEED_SITE | WM_NEED_IMMEDIATE | WM_NEED_EVERY_INSTRUCTION)) != 0)
    return NULL;
  if (run->wants == 0)
    return wm_loop_bare;
  bool wants_pages = run->tap.pages != NULL && (run->wants & ~(WM_WANT_ACCESSES | WM_WANT(WM_EVENT_SET_GLOBAL0))) == 0;
  return wants_pages ? wm_loop_pages : wm_loop_tap;
}

uint64_t wm_stream_space(const struct wm_func *func, uint64_t *most)
{
  uint64_t own = wm_fast_most(func);
  if (own > *most)
    *most = own;
  return wm_fast_space(func);
}
