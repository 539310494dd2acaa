/* What the tapped copies of the fast loop (loop_tap.c, loop_pages.c) have in common: stops that a tap asks for, and where a fault was.
 * Internal to these two files. */
#ifndef WM_INTERP_LOOP_TELL_H
#define WM_INTERP_LOOP_TELL_H

#include "interp/fast.h"
#include "interp/frame.h"

#define UNLIKELY(condition) __builtin_expect((condition), 0)
/* A stop that was asked for: what is left is given back, so that the run stops at the next head. */
#define HEED_STOP() \
  do { \
    if (run->is_stop_asked && left > 0) { \
      run->budget += (uint64_t)left; \
      given -= (uint64_t)left; \
      left = 0; \
    } \
  } while (0)
#define FAULT(at, width, stores) \
  do { \
    run->fault_memory = 0; \
    run->fault_address = (at); \
    run->fault_length = (width); \
    run->fault_is_store = (stores); \
    run->has_fault = true; \
    TRAP(WM_TRAP_OUT_OF_BOUNDS_MEMORY); \
  } while (0)

#endif
