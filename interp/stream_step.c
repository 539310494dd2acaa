/* Streams of a build without the fast one: the wasm32 components, for their size. Every run takes the step stream. */
#include "interp/stream.h"

wm_loop *wm_stream_loop(const struct wm_run *run)
{
  (void)run;
  return NULL;
}

uint64_t wm_stream_fallback(const struct wm_run *run)
{
  return run->budget;
}

uint64_t wm_stream_space(const struct wm_func *func, uint64_t *most)
{
  (void)func, (void)most;
  return 0;
}
