/* The fast loop for runs with a tap that is served by batches: every access, branch and write to global 0 that it wants is an event. */
#define WM_LOOP wm_loop_tap
#include "interp/loop_tell.h"

#define TELL_LOAD(width) \
  do { \
    if (WANTS(LOAD)) { \
      TELL_ACCESS(WM_EVENT_LOAD, width); \
      TOLD(); \
    } \
  } while (0)
#define TELL_STORE_VECTOR(width, low, high) \
  do { \
    if (WANTS(STORE)) { \
      TELL_ACCESS(WM_EVENT_STORE, width); \
      event->value[0] = (low); \
      event->value[1] = (high); \
      TOLD(); \
    } \
  } while (0)
#define TELL_STORE(width) TELL_STORE_VECTOR(width, value, 0)
#define TELL_GLOBAL0(bits) \
  do { \
    if (pc->d != 0 && WANTS(SET_GLOBAL0)) { \
      BEGIN_BARE(WM_EVENT_SET_GLOBAL0, 0); \
      event->address = (bits); \
      TOLD(); \
    } \
  } while (0)
#include "interp/loop_fast.inc"
