/* The page sink's step: what one load, store or write to global 0 costs when it is counted in the interpreter's loop.
 *
 * A leaf header: it includes only event.h and calls nothing, so a loop that includes it links without the sink. An access
 * that crosses a page is refused (false): the loop emits the event, and the sink splits it. The order of steps and
 * events does not matter to the report: sums, a union of bits, and a minimum.
 *
 * Accesses are counted by width class in one counter each; operations and bytes are had from those when the report is
 * made. One bit for each byte of memory says that the run wrote it. Both tables are zeroed memory of the host that stays
 * untouched where the guest does. */
#ifndef WM_INSTRUMENT_PAGES_STEP_H
#define WM_INSTRUMENT_PAGES_STEP_H

#include <stdbool.h>

#include "instrument/event.h"

#define WM_PAGE_LOG2 16
#define WM_PAGE_BYTES (UINT64_C(1) << WM_PAGE_LOG2)
#define WM_WIDTH_CLASSES 5 /* 1, 2, 4, 8 and 16 bytes */

/* The kinds of event that the step takes out of the stream. */
#define WM_PAGES_STEP_TAKES (WM_WANT(WM_EVENT_LOAD) | WM_WANT(WM_EVENT_STORE) | WM_WANT(WM_EVENT_SET_GLOBAL0))

struct wm_page { /* 128 bytes */
  uint64_t loads[WM_WIDTH_CLASSES], stores[WM_WIDTH_CLASSES]; /* inside the page, by log2 of the width */
  uint64_t reads, bytes_read, writes, bytes_written;          /* everything else: crossing, copied, filled */
  uint64_t initialized_bytes;                                 /* this and labels: for the report */
  uint64_t labels;
};

/* One linear memory. */
struct wm_pages_table {
  struct wm_page *pages;  /* limit_bytes / WM_PAGE_BYTES, rounded up */
  uint64_t *written;      /* bit b of word w: byte 64 * w + b */
  uint64_t limit_bytes;
};

struct wm_pages_step {
  uint64_t lowest_global0; /* unsigned; begins as the initial value */
  uint32_t table_count;
  struct wm_pages_table *tables; /* by memory index */
};

/* The step of an open page sink, NULL when its options ask for counting by batches. */
struct wm_pages_step *wm_pages_step_of(void *sink_state);

/* A load of 1 << width_log2 bytes that is within the memory. False: not counted, it crosses pages. */
static inline bool wm_pages_load(const struct wm_pages_table *table, uint64_t address, unsigned width_log2)
{
  if (width_log2 != 0 && (address & (WM_PAGE_BYTES - 1)) > WM_PAGE_BYTES - (UINT64_C(1) << width_log2))
    return false;
  table->pages[address >> WM_PAGE_LOG2].loads[width_log2]++;
  return true;
}

static inline bool wm_pages_store(const struct wm_pages_table *table, uint64_t address, unsigned width_log2)
{
  unsigned width = 1u << width_log2;
  if (width_log2 != 0 && (address & (WM_PAGE_BYTES - 1)) > WM_PAGE_BYTES - width)
    return false;
  table->pages[address >> WM_PAGE_LOG2].stores[width_log2]++;
  uint64_t *word = &table->written[address >> 6];
  uint64_t bits = (UINT64_C(1) << width) - 1;
  unsigned shift = (unsigned)(address & 63);
  word[0] |= bits << shift;
  if (width_log2 != 0 && shift + width > 64)
    word[1] |= bits >> (64 - shift);
  return true;
}

static inline void wm_pages_set_global0(struct wm_pages_step *step, uint64_t value)
{
  if (value < step->lowest_global0)
    step->lowest_global0 = value;
}

#endif
