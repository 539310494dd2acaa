/* The page sink's step: what one load, store or write to global 0 costs when it is counted in the interpreter's loop.
 *
 * A leaf header: it includes only event.h and calls nothing, so a loop that includes it links without the sink. The order
 * of steps and events does not matter to the report: sums, a union of bits, and a minimum.
 *
 * Accesses are counted by width class in one counter each; operations and bytes are had from those when the report is
 * made. One bit for each byte of memory says that the run wrote it; what an aligned store of up to 8 bytes writes stands in one byte of them. Both tables are zeroed memory of the host that stays
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
  uint8_t *written;       /* bit b of byte i: byte 8 * i + b of the memory */
  uint64_t limit_bytes;
};

struct wm_pages_step {
  uint64_t lowest_global0; /* unsigned; begins as the initial value */
  uint32_t table_count;
  struct wm_pages_table *tables; /* by memory index */
};

/* The step of an open page sink, NULL when its options ask for counting by batches. */
struct wm_pages_step *wm_pages_step_of(void *sink_state);

/* An access of 1 << width_log2 bytes, all within the memory. What crosses a page counts once on each of the two, its bytes where they fall. No
 * call, however rare: it would cost the loop that this is inlined in its registers. */
static inline void wm_pages_load(const struct wm_pages_table *table, uint64_t address, unsigned width_log2)
{
  struct wm_page *page = &table->pages[address >> WM_PAGE_LOG2];
  uint64_t width = UINT64_C(1) << width_log2, room = WM_PAGE_BYTES - (address & (WM_PAGE_BYTES - 1));
  if (__builtin_expect(width_log2 != 0 && room < width, 0)) {
    page[0].reads++;
    page[0].bytes_read += room;
    page[1].reads++;
    page[1].bytes_read += width - room;
  } else {
    page->loads[width_log2]++;
  }
}

static inline void wm_pages_store(const struct wm_pages_table *table, uint64_t address, unsigned width_log2)
{
  struct wm_page *page = &table->pages[address >> WM_PAGE_LOG2];
  uint8_t *written = &table->written[address >> 3];
  uint64_t width = UINT64_C(1) << width_log2;
  uint32_t bits = ((UINT32_C(1) << width) - 1) << (address & 7);
  if (__builtin_expect(width <= 8 && (address & (width - 1)) == 0, 1)) { /* so it is in one page, and its bits in one byte */
    page->stores[width_log2]++;
    *written = width == 8 ? 0xff : (uint8_t)(*written | bits);
    return;
  }
  uint64_t room = WM_PAGE_BYTES - (address & (WM_PAGE_BYTES - 1));
  if (__builtin_expect(room < width, 0)) {
    page[0].writes++;
    page[0].bytes_written += room;
    page[1].writes++;
    page[1].bytes_written += width - room;
  } else {
    page->stores[width_log2]++;
  }
  written[0] |= (uint8_t)bits;
  if (bits >> 8 != 0)
    written[1] |= (uint8_t)(bits >> 8);
  if (width == 16 && bits >> 16 != 0)
    written[2] |= (uint8_t)(bits >> 16);
}

static inline void wm_pages_set_global0(struct wm_pages_step *step, uint64_t value)
{
  if (value < step->lowest_global0)
    step->lowest_global0 = value;
}

#endif
