/* The fast loop for runs without a tap: loop_fast.inc with nothing to tell. */
#define WM_LOOP wm_loop_bare
#define TELL_LOAD(width)
#define TELL_STORE(width)
#define TELL_BRANCH(word)
#define TELL_CALL() (void)call_flags
#define TELL_RETURN()
#define TELL_GLOBAL0(value)
#define FAULT(address, width) TRAP(WM_TRAP_OUT_OF_BOUNDS_MEMORY)
#include "interp/loop_fast.inc"
