/* Events on their way to the tap (instrument/event.h): completing, batching, delivering.
 *
 * Called by the loops only where the tap wants the kind; everything here is cold for them. Order is program order; a batch is delivered
 * when it is full, before an event that must go alone, and by every function of run.h before it returns. */
#include "interp/frame.h"

void wm_tell_flush(struct wm_run *run)
{
  if (run->batch_count == 0)
    return;
  uint32_t count = run->batch_count;
  run->batch_count = 0;
  run->tap.deliver(run->tap.user, run->batch, count);
}

static bool has_clock(uint8_t kind)
{
  return kind == WM_EVENT_CALL || kind == WM_EVENT_RETURN || kind == WM_EVENT_TRAP;
}

void wm_tell(struct wm_run *run, struct wm_site site, const struct wm_event *event)
{
  if (event->phase != WM_PHASE_NONE)
    wm_tell_flush(run);
  struct wm_event *told = &run->batch[run->batch_count++];
  *told = *event;
  told->function = site.function;
  told->offset = site.offset;
  told->instruction = site.instruction;
  if ((run->needs & WM_NEED_CLOCK) != 0 && has_clock(event->kind))
    told->time_ns = run->tap.clock_ns(run->tap.user);
  if (event->phase != WM_PHASE_NONE || run->batch_count == WM_BATCH_EVENTS)
    wm_tell_flush(run);
}

void wm_tell_trap(struct wm_run *run, struct wm_site site)
{
  struct wm_event event = {.kind = WM_EVENT_TRAP, .detail = run->trap};
  if (run->has_fault) {
    event.memory = (uint16_t)run->fault_memory;
    event.address = run->fault_address;
    event.length = run->fault_length;
    event.flags = run->fault_is_store ? WM_FLAG_STORE : 0;
  }
  wm_tell(run, site, &event);
}

uint32_t wm_function_index_in(const struct wm_instance *instance, const struct wm_function *function)
{
  if (function->instance == instance)
    return function->index;
  for (uint32_t i = 0; i < instance->module->imported_func_count; i++)
    if (instance->functions[i] == function)
      return i;
  return WM_NO_INDEX;
}
