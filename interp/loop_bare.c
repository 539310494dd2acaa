/* The fast loop for runs without a tap: loop_fast.inc with nothing to tell. */
#define WM_LOOP wm_loop_bare
#define TELL_LOAD(width)
#define TELL_STORE(width)
#define TELL_STORE_VECTOR(width, low, high)
#define TELL_BRANCH(word)
#define TELL_TAKEN(word)
#define TELL_CALL() (void)call_flags
#define TELL_RETURN()
#define TELL_TAIL_RETURN()
#define TELL_COPY()
#define TELL_FILL()
#define TELL_GLOBAL0(value)
#define TELL_TRAP()
#define FAULT(address, width, stores) TRAP(WM_TRAP_OUT_OF_BOUNDS_MEMORY)
#define TAP_LOCALS() (void)0
#define TAP_ENTER()
#define TAP_LEAVE()
#include "interp/loop_fast.inc"
