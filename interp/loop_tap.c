/* The fast loop for runs with a tap that is served by batches: every access, branch and write to global 0 that it wants is an event, written
 * into the run's batch where it happens, and handed on by a function of its own when that is full.
 *
 * Calls, returns and traps go through wm_tell, which knows sites and clocks. Taps that want accesses with sites, at once, or with the
 * instruction's number are served by the step stream. */
#define WM_LOOP wm_loop_tap
#include "interp/loop_tell.h"

/* The batch is full: delivers it and answers where the next event goes. */
static __attribute__((noinline)) struct wm_event *deliver(struct wm_run *run)
{
  run->batch_count = WM_BATCH_EVENTS;
  wm_tell_flush(run);
  return run->batch;
}

/* An event at an instruction of the innermost frame's function. */
static __attribute__((noinline)) struct wm_event *tell_at(struct wm_run *run, struct wm_event *event, const struct wm_function *function,
                                                          uint32_t ordinal, uint64_t instructions, const struct wm_event *told)
{
  run->batch_count = (uint32_t)(event - run->batch);
  wm_tell(run, (struct wm_site){function->index, function->steps[ordinal].offset, instructions}, told);
  return run->batch + run->batch_count;
}

static __attribute__((noinline)) struct wm_event *tell_call(struct wm_run *run, struct wm_event *event, const struct wm_function *function,
                                                            uint32_t ordinal, uint64_t instructions, const struct wm_function *callee, uint16_t flags)
{
  uint32_t index = wm_function_index_in(function->instance, callee);
  return tell_at(run, event, function, ordinal, instructions, &(struct wm_event){.kind = WM_EVENT_CALL, .flags = flags, .detail = index});
}

static __attribute__((noinline)) struct wm_event *tell_return(struct wm_run *run, struct wm_event *event, const struct wm_frame *frame,
                                                              uint64_t instructions)
{
  const struct wm_function *function = frame->function;
  uint32_t last = function->instance->module->funcs[function->index].instruction_count - 1;
  return tell_at(run, event, function, last, instructions,
                 &(struct wm_event){.kind = WM_EVENT_RETURN, .flags = frame == run->frames ? WM_FLAG_OUTERMOST : 0});
}

#define WANTS(kind) ((wants & WM_WANT(WM_EVENT_##kind)) != 0)
#define INSTRUCTIONS() (run->instructions + (given - (uint64_t)left))
/* The event written to *event is complete. */
#define TOLD() \
  do { \
    event++; \
    if (UNLIKELY(event == batch_end)) { \
      event = deliver(run); \
      HEED_STOP(); \
    } \
  } while (0)
#define BEGIN(event_kind, event_flags) \
  (event->kind = (event_kind), event->phase = 0, event->flags = (uint16_t)(event_flags), event->memory = 0, event->source_memory = 0)
#define BEGIN_BARE(event_kind, event_flags) (BEGIN(event_kind, event_flags), event->address = 0, event->length = 0)
#define TELL_ACCESS(event_kind, width) (BEGIN(event_kind, 0), event->address = at, event->length = (width))

#define TAP_LOCALS() \
  const uint32_t wants = run->wants; \
  struct wm_event *event, *const batch_end = run->batch + WM_BATCH_EVENTS
#define TAP_ENTER() (event = run->batch + run->batch_count)
#define TAP_LEAVE() (run->batch_count = (uint32_t)(event - run->batch))
#define TELL_BRANCH(word) \
  do { \
    if (pc->d != 0) \
      TELL_TAKEN(word); \
  } while (0)
#define TELL_TAKEN(word) \
  do { \
    if (WANTS(BRANCH)) { \
      BEGIN_BARE(WM_EVENT_BRANCH, pc[word].jump < 0 ? WM_FLAG_BACK : 0); \
      TOLD(); \
    } \
  } while (0)
#define TELL_CALL() \
  do { \
    if (WANTS(CALL)) { \
      event = tell_call(run, event, frame->function, pc[2].ordinal - 1, INSTRUCTIONS(), callee, call_flags); \
      HEED_STOP(); \
    } \
  } while (0)
#define TELL_RETURN() \
  do { \
    if (pc->d != 0 && WANTS(BRANCH)) { \
      BEGIN_BARE(WM_EVENT_BRANCH, 0); \
      TOLD(); \
    } \
    if (WANTS(RETURN)) { \
      event = tell_return(run, event, frame, INSTRUCTIONS()); \
      HEED_STOP(); \
    } \
  } while (0)
#define TELL_TAIL_RETURN() \
  do { \
    if (WANTS(RETURN)) { \
      event = tell_at(run, event, frame->function, pc[2].ordinal - 1, INSTRUCTIONS(), \
                      &(struct wm_event){.kind = WM_EVENT_RETURN, .flags = WM_FLAG_TAIL}); \
      HEED_STOP(); \
    } \
  } while (0)
/* Bulk operations: `count` bytes at `at`, from `source` or of the value `byte`. */
#define TELL_COPY() \
  do { \
    if (WANTS(COPY)) { \
      TELL_ACCESS(WM_EVENT_COPY, count); \
      event->source = source; \
      TOLD(); \
    } \
  } while (0)
#define TELL_FILL() \
  do { \
    if (WANTS(FILL)) { \
      TELL_ACCESS(WM_EVENT_FILL, count); \
      event->value[0] = byte; \
      event->value[1] = 0; \
      TOLD(); \
    } \
  } while (0)
#define TELL_TRAP() \
  do { \
    if (WANTS(TRAP)) { \
      const struct wm_function *function = frame->function; \
      TAP_LEAVE(); \
      wm_tell_trap(run, (struct wm_site){function->index, function->steps[frame->position].offset, INSTRUCTIONS()}); \
      TAP_ENTER(); \
    } \
  } while (0)
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
