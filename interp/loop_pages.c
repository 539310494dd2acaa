/* The fast loop for runs whose only tap is the page sink: its step is inlined where accesses happen, and only what the step refuses (an
 * access that crosses pages) becomes an event, as does everything that the sink wants besides. The one file of interp/ that knows a sink. */
#define WM_LOOP wm_loop_pages
#include "interp/loop_tell.h"

#undef WM_PAGE_BYTES /* the sink's own says the same */
#include "instrument/pages_step.h"

#define LOG2(width) ((width) == 1 ? 0u : (width) == 2 ? 1u : (width) == 4 ? 2u : (width) == 8 ? 3u : 4u)
#define TELL_LOAD(width) \
  do { \
    if (UNLIKELY(!wm_pages_load(&table, at, LOG2(width)))) { \
      TELL_ACCESS(WM_EVENT_LOAD, width); \
      TOLD(); \
    } \
  } while (0)
#define TELL_STORE(width) \
  do { \
    if (UNLIKELY(!wm_pages_store(&table, at, LOG2(width)))) { \
      TELL_ACCESS(WM_EVENT_STORE, width); \
      TOLD(); \
    } \
  } while (0)
#define TELL_STORE_VECTOR(width, low, high) TELL_STORE(width)
#define TELL_GLOBAL0(bits) \
  do { \
    if (pc->d != 0) \
      wm_pages_set_global0(step, (bits)); \
  } while (0)
#undef TAP_LOCALS
#define TAP_LOCALS() \
  const uint32_t wants = run->wants; \
  struct wm_event *event, *const batch_end = run->batch + WM_BATCH_EVENTS; \
  struct wm_pages_step *const step = run->tap.pages; \
  const struct wm_pages_table table = step->tables[0]
#include "interp/loop_fast.inc"
