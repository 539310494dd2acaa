/* The page sink: which pages of linear memory a run reads and writes, how often, and how many bytes it rewrites.
 *
 * Counts whole batches, or shares its state with a loop that has pages_step.h inlined; the report is the same. One row for each
 * page that was initialised, read or written; semantics in docs/pages.md. An operation that touches several pages counts once on
 * each, its bytes where they fall. A copy is one read of its source and one write of its destination. */
#include "instrument/options.h"
#include "instrument/pages_step.h"
#include "instrument/registry.h"
#include "instrument/report.h"

struct pages {
  struct wm_pages_step step; /* first: wm_pages_step_of */
  bool has_step;
  uint8_t format;
};

struct wm_pages_step *wm_pages_step_of(void *sink_state)
{
  struct pages *pages = sink_state;
  return pages->has_step ? &pages->step : NULL;
}

static uint64_t page_count(const struct wm_pages_table *table)
{
  return (table->limit_bytes + WM_PAGE_BYTES - 1) >> WM_PAGE_LOG2;
}

/* ---- Opening ---------------------------------------------------------------------------------------------------- */

static bool open_tables(struct pages *pages, const struct wm_view *view)
{
  pages->step.table_count = view->memory_count;
  if (view->memory_count == 0)
    return true;
  pages->step.tables = view->reserve(view, view->memory_count * sizeof *pages->step.tables);
  if (pages->step.tables == NULL)
    return false;
  for (uint32_t i = 0; i < view->memory_count; i++) {
    struct wm_pages_table *table = &pages->step.tables[i];
    table->limit_bytes = view->memory(view, i).limit;
    if (table->limit_bytes == 0)
      continue;
    table->pages = view->reserve(view, page_count(table) * sizeof *table->pages);
    table->written = view->reserve(view, page_count(table) * (WM_PAGE_BYTES / 8));
    if (table->pages == NULL || table->written == NULL)
      return false;
  }
  return true;
}

static void *open_pages(const struct wm_view *view, const struct wm_option *options, uint32_t option_count, uint32_t *wants,
                        uint32_t *needs, char *message, size_t message_bytes)
{
  static const char *const counts[] = {"batch", "loop", NULL};
  unsigned format = WM_FORMAT_CSV, count = 1;
  for (uint32_t i = 0; i < option_count; i++) {
    if (wm_text_is(options[i].key, "format")) {
      if (!wm_option_choice(options[i].value, wm_format_names, &format))
        return wm_option_refuse(options[i], "csv, json or table", message, message_bytes);
    } else if (wm_text_is(options[i].key, "count")) {
      if (!wm_option_choice(options[i].value, counts, &count))
        return wm_option_refuse(options[i], "loop or batch", message, message_bytes);
    } else {
      return wm_option_refuse(options[i], NULL, message, message_bytes);
    }
  }
  struct pages *pages = view->reserve(view, sizeof *pages);
  if (pages == NULL || !open_tables(pages, view))
    return wm_open_refuse("no memory for the page tables", message, message_bytes);
  pages->format = (uint8_t)format;
  pages->has_step = count == 1;
  pages->step.lowest_global0 = view->has_global0 ? view->global0_initial : 0;
  *wants = WM_WANT_ACCESSES | (view->has_global0 ? WM_WANT(WM_EVENT_SET_GLOBAL0) : 0);
  *needs = 0;
  return pages;
}

/* ---- Counting --------------------------------------------------------------------------------------------------- */

/* Sets the bits of [address, address + length). */
static void mark_written(struct wm_pages_table *table, uint64_t address, uint64_t length)
{
  for (; length > 0 && (address & 7) != 0; address++, length--)
    table->written[address >> 3] |= (uint8_t)(1u << (address & 7));
  __builtin_memset(&table->written[address >> 3], 0xff, length >> 3);
  if ((length & 7) != 0)
    table->written[(address + length) >> 3] |= (uint8_t)((1u << (length & 7)) - 1);
}

static void count_range(struct wm_pages_table *table, uint64_t address, uint64_t length, bool is_write)
{
  if (table == NULL)
    return;
  if (is_write)
    mark_written(table, address, length);
  while (length > 0) {
    uint64_t room = WM_PAGE_BYTES - (address & (WM_PAGE_BYTES - 1));
    uint64_t bytes = length < room ? length : room;
    struct wm_page *page = &table->pages[address >> WM_PAGE_LOG2];
    if (is_write) {
      page->writes++;
      page->bytes_written += bytes;
    } else {
      page->reads++;
      page->bytes_read += bytes;
    }
    address += bytes;
    length -= bytes;
  }
}

/* The table of a range; NULL for one of another instance's memory, which is not this component's. */
static struct wm_pages_table *find_table(const struct wm_pages_step *step, uint16_t memory, uint64_t address, uint64_t length)
{
  if (memory >= step->table_count)
    return NULL;
  struct wm_pages_table *table = &step->tables[memory];
  return length <= table->limit_bytes && address <= table->limit_bytes - length ? table : NULL;
}

static void count_access(const struct wm_pages_step *step, const struct wm_event *event, bool is_write)
{
  struct wm_pages_table *table = find_table(step, event->memory, event->address, event->length);
  if (table == NULL)
    return;
  /* Widths of the instruction set; any other length is counted as well, only slower. */
  bool has_class = event->length - 1 < 16 && (event->length & (event->length - 1)) == 0;
  unsigned class_ = has_class ? (unsigned)__builtin_ctz((unsigned)event->length) : 0;
  if (!has_class)
    count_range(table, event->address, event->length, is_write);
  else if (is_write)
    wm_pages_store(table, event->address, class_);
  else
    wm_pages_load(table, event->address, class_);
}

static void take_events(void *state, const struct wm_event *batch, uint32_t count)
{
  struct pages *pages = state;
  struct wm_pages_step *step = &pages->step;
  for (const struct wm_event *event = batch; event < batch + count; event++) {
    switch (event->kind) {
    case WM_EVENT_LOAD:
      count_access(step, event, false);
      break;
    case WM_EVENT_STORE:
      count_access(step, event, true);
      break;
    case WM_EVENT_COPY:
      count_range(find_table(step, event->source_memory, event->source, event->length), event->source, event->length, false);
      count_range(find_table(step, event->memory, event->address, event->length), event->address, event->length, true);
      break;
    case WM_EVENT_FILL:
    case WM_EVENT_INIT:
      count_range(find_table(step, event->memory, event->address, event->length), event->address, event->length, true);
      break;
    case WM_EVENT_SET_GLOBAL0:
      wm_pages_set_global0(step, event->address);
      break;
    }
  }
}

struct page_sums {
  uint64_t reads, bytes_read, writes, bytes_written;
};

static struct page_sums sum_page(const struct wm_page *page)
{
  struct page_sums sums = {page->reads, page->bytes_read, page->writes, page->bytes_written};
  for (unsigned i = 0; i < WM_WIDTH_CLASSES; i++) {
    sums.reads += page->loads[i];
    sums.bytes_read += page->loads[i] << i;
    sums.writes += page->stores[i];
    sums.bytes_written += page->stores[i] << i;
  }
  return sums;
}

/* A reset forgets counts and written bytes, not how low the stack has been. Untouched tables stay untouched. */
static void take_mark(void *state, const struct wm_mark *mark)
{
  struct pages *pages = state;
  for (uint32_t i = 0; mark->kind == WM_MARK_RESET && i < pages->step.table_count; i++) {
    struct wm_pages_table *table = &pages->step.tables[i];
    for (uint64_t p = 0; p < page_count(table); p++) {
      struct page_sums sums = sum_page(&table->pages[p]);
      if (sums.writes > 0)
        __builtin_memset(&table->written[p << (WM_PAGE_LOG2 - 3)], 0, WM_PAGE_BYTES / 8);
      if (sums.reads > 0 || sums.writes > 0)
        table->pages[p] = (struct wm_page){.reads = 0};
    }
  }
}

/* ---- The report ------------------------------------------------------------------------------------------------- */

/* Labels each page of [address, address + length) that the table has. */
static void label_range(struct wm_pages_table *table, uint64_t address, uint64_t length, uint64_t label)
{
  if (length == 0 || address >= table->limit_bytes)
    return;
  uint64_t last = length > table->limit_bytes - address ? table->limit_bytes - 1 : address + length - 1;
  for (uint64_t p = address >> WM_PAGE_LOG2; p <= last >> WM_PAGE_LOG2; p++)
    table->pages[p].labels |= label;
}

static void count_initialized(struct wm_pages_table *table, uint64_t address, uint64_t length)
{
  if (address >= table->limit_bytes)
    return;
  if (length > table->limit_bytes - address)
    length = table->limit_bytes - address;
  while (length > 0) {
    uint64_t room = WM_PAGE_BYTES - (address & (WM_PAGE_BYTES - 1));
    uint64_t bytes = length < room ? length : room;
    table->pages[address >> WM_PAGE_LOG2].initialized_bytes += bytes;
    address += bytes;
    length -= bytes;
  }
}

static uint64_t count_written(const struct wm_pages_table *table, uint64_t p)
{
  const uint8_t *written = &table->written[p << (WM_PAGE_LOG2 - 3)];
  uint64_t count = 0;
  for (unsigned i = 0; i < WM_PAGE_BYTES / 8; i += 8) {
    uint64_t bits;
    __builtin_memcpy(&bits, written + i, sizeof bits);
    count += (uint64_t)__builtin_popcountll(bits);
  }
  return count;
}

/* The labels of a page, joined, in the order data, input, stack, output. */
static void write_region(struct wm_report *report, uint64_t labels)
{
  static const char *const names[] = {
    [WM_REGION_DATA] = "data", [WM_REGION_INPUT] = "input", [WM_REGION_STACK] = "stack", [WM_REGION_OUTPUT] = "output"};
  char bytes[32];
  struct wm_print print;
  wm_print_open(&print, bytes, sizeof bytes, NULL);
  for (unsigned kind = WM_REGION_DATA; kind <= WM_REGION_OUTPUT; kind++) {
    if ((labels & UINT64_C(1) << kind) == 0)
      continue;
    wm_print_string(&print, print.length > 0 ? "+" : "");
    wm_print_string(&print, names[kind]);
  }
  if (labels == 0)
    wm_print_string(&print, "other");
  wm_report_text(report, (struct wm_text){bytes, (uint32_t)print.length});
}

struct page_report {
  struct pages *pages;
  const struct wm_view *view;
  struct page_sums total;
  uint64_t total_pages;
};

static void write_page(struct wm_report *report, struct page_report *user, uint32_t memory, uint64_t p)
{
  const struct wm_pages_table *table = &user->pages->step.tables[memory];
  const struct wm_page *page = &table->pages[p];
  struct page_sums sums = sum_page(page);
  if (page->initialized_bytes == 0 && sums.reads == 0 && sums.writes == 0)
    return;
  uint64_t distinct = sums.writes > 0 ? count_written(table, p) : 0;
  if (user->view->memory_count > 1)
    wm_report_u64(report, memory);
  wm_report_u64(report, p);
  write_region(report, page->labels);
  wm_report_u64(report, page->initialized_bytes);
  wm_report_u64(report, sums.reads);
  wm_report_u64(report, sums.bytes_read);
  wm_report_u64(report, sums.writes);
  wm_report_u64(report, sums.bytes_written);
  wm_report_u64(report, distinct);
  if (distinct > 0)
    wm_report_u64(report, wm_ratio_half_up(sums.bytes_written, 100, distinct));
  else
    wm_report_none(report);
  user->total_pages++;
  user->total.reads += sums.reads;
  user->total.bytes_read += sums.bytes_read;
  user->total.writes += sums.writes;
  user->total.bytes_written += sums.bytes_written;
}

static void write_rows(struct wm_report *report, void *user)
{
  struct page_report *page_report = user;
  page_report->total = (struct page_sums){0, 0, 0, 0};
  page_report->total_pages = 0;
  for (uint32_t i = 0; i < page_report->pages->step.table_count; i++) {
    /* A memory never shrinks: nothing was touched beyond its length now. */
    struct wm_memory_view memory = page_report->view->memory(page_report->view, i);
    for (uint64_t p = 0; p < (memory.length + WM_PAGE_BYTES - 1) >> WM_PAGE_LOG2; p++)
      write_page(report, page_report, i, p);
  }
}

static void finish(void *state, const struct wm_view *view, const struct wm_outcome *outcome, struct wm_writer *writer)
{
  static const struct wm_column columns[] = {
    {"memory", WM_COLUMN_NUMBER}, /* only when the module has several */
    {"page", WM_COLUMN_NUMBER},
    {"region", WM_COLUMN_TEXT},
    {"initialized_bytes", WM_COLUMN_BYTES},
    {"reads", WM_COLUMN_COUNT},
    {"bytes_read", WM_COLUMN_BYTES},
    {"writes", WM_COLUMN_COUNT},
    {"bytes_written", WM_COLUMN_BYTES},
    {"distinct_bytes_written", WM_COLUMN_BYTES},
    {"rewrite_ratio", WM_COLUMN_RATIO},
  };
  struct pages *pages = state;
  struct wm_pages_table *tables = pages->step.tables;
  for (uint32_t i = 0; i < view->initialized_count; i++)
    count_initialized(&tables[view->initialized[i].memory], view->initialized[i].address, view->initialized[i].length);
  for (uint32_t i = 0; i < view->region_count; i++)
    label_range(&tables[view->regions[i].memory], view->regions[i].address, view->regions[i].length,
                UINT64_C(1) << view->regions[i].kind);
  if (view->has_global0 && view->memory_count > 0 && pages->step.lowest_global0 < view->global0_initial)
    label_range(&tables[0], pages->step.lowest_global0, view->global0_initial - pages->step.lowest_global0,
                UINT64_C(1) << WM_REGION_STACK);
  uint32_t skip = view->memory_count > 1 ? 0 : 1;
  struct wm_report report;
  struct page_report user = {.pages = pages, .view = view};
  wm_report_open(&report, pages->format, "pages", outcome, columns + skip, sizeof columns / sizeof *columns - skip, writer);
  wm_report_rows(&report, write_rows, &user);
  wm_report_note_u64(&report, "pages", user.total_pages);
  wm_report_note_u64(&report, "bytes_read", user.total.bytes_read);
  wm_report_note_u64(&report, "bytes_written", user.total.bytes_written);
  wm_report_close(&report);
}

const struct wm_sink_class wm_sink_pages = {
  .abi = WM_SINK_ABI,
  .size = sizeof(struct wm_sink_class),
  .name = "pages",
  .summary = "reads and writes of each 64 KiB page of memory",
  .options = "format=csv, json or table\ncount=loop (the default: inside the interpreter's loop, where it can) or batch; the report is the same\n",
  .open = open_pages,
  .events = take_events,
  .mark = take_mark,
  .finish = finish,
};
