/* Breakpoints and depth stops (debug.h). A breakpoint is an operation of its own in the step stream, so that a run pays nothing for
 * those that it does not meet; what stood there is kept by the caller's struct until the breakpoint is taken out. */
#include "interp/debug.h"

#include "interp/frame.h"

/* Streams are writable memory of the code block; this is the one place that changes one after it was made. */
static struct wm_step *entry(const struct wm_breakpoint *breakpoint)
{
  return (struct wm_step *)(uintptr_t)&breakpoint->in->steps[breakpoint->ordinal];
}

void wm_breakpoint_insert(struct wm_breakpoint *breakpoint, struct wm_instance *instance, uint32_t function, uint32_t ordinal)
{
  *breakpoint = (struct wm_breakpoint){instance->functions[function], ordinal, 0};
  if (breakpoint->in->steps == NULL)
    wm_step_lower(breakpoint->in);
  breakpoint->op = entry(breakpoint)->op;
  entry(breakpoint)->op = WM_OP_BREAK;
}

void wm_breakpoint_remove(struct wm_breakpoint *breakpoint)
{
  entry(breakpoint)->op = breakpoint->op;
}

void wm_run_stop_at_depth(struct wm_run *run, uint32_t depth)
{
  run->stop_depth = depth;
}
