/* The fast loop for runs of which only accesses and the stack pointer are told, to the page sink: its step is inlined where they happen, and
 * only bulk operations become events. The one file of interp/ that knows a sink. Nobody asks for a stop: the page sink does not, and
 * no other one is told anything here. */
#define WM_LOOP wm_loop_pages
#include "interp/loop_tell.h"

#undef WM_PAGE_BYTES /* the sink's own says the same */
#include "instrument/pages_step.h"

static __attribute__((noinline)) void tell(struct wm_run *run, uint8_t kind, uint64_t address, uint64_t length, uint64_t source)
{
  run->batch[run->batch_count++] = (struct wm_event){.kind = kind, .address = address, .length = length, .source = source};
  if (run->batch_count == WM_BATCH_EVENTS)
    wm_tell_flush(run);
}

#define LOG2(width) ((width) == 1 ? 0u : (width) == 2 ? 1u : (width) == 4 ? 2u : (width) == 8 ? 3u : 4u)
#define TELL_LOAD(width) wm_pages_load(&table, at, LOG2(width))
#define TELL_STORE(width) wm_pages_store(&table, at, LOG2(width))
#define TELL_STORE_VECTOR(width, low, high) TELL_STORE(width)
#define TELL_COPY() tell(run, WM_EVENT_COPY, at, count, source)
#define TELL_FILL() tell(run, WM_EVENT_FILL, at, count, 0)
#define TELL_GLOBAL0(bits) \
  do { \
    if (pc->d != 0) \
      wm_pages_set_global0(run->tap.pages, (bits)); \
  } while (0)
#define TELL_BRANCH(word)
#define TELL_TAKEN(word)
#define TELL_CALL() (void)call_flags
#define TELL_RETURN()
#define TELL_TAIL_RETURN()
#define TELL_TRAP()
#define TAP_LOCALS() const struct wm_pages_table table = run->tap.pages->tables[0]
#define TAP_ENTER()
#define TAP_LEAVE()
#include "interp/loop_fast.inc"
