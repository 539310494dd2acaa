/* Walking a whole body step by step: the portable form, and the small one (wasm32). walk_fast.c is the other. */
#include "decoder/walk_internal.h"

bool wm_walk_all(struct wm_walk *w)
{
  while (!w->is_done)
    if (!wm_walk_step(w))
      return false;
  return true;
}
