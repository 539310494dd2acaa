/* The totals sink: what one run did, as exact numbers in a fixed order (docs/counting.md).
 *
 * Everything but instructions, memory size and output size is counted from events, the frames too, so the figures are a check
 * of the interpreter's own. The host's call of a function is not a call; its return is a return. */
#include "instrument/options.h"
#include "instrument/registry.h"
#include "instrument/report.h"

#define WM_PAGE_LOG2 16

struct counts {
  uint8_t format;
  uint64_t base_instructions; /* that ran before the last reset */
  uint64_t count[WM_EVENT_KINDS], bytes[WM_EVENT_KINDS]; /* of every kind; counting an access needs no branch */
  uint64_t host_calls, indirect_calls, loops;
  uint64_t frames, peak_frames;
};

static void *open_counts(const struct wm_view *view, const struct wm_option *options, uint32_t option_count, uint32_t *wants,
                         uint32_t *needs, char *message, size_t message_bytes)
{
  unsigned format = WM_FORMAT_CSV;
  for (uint32_t i = 0; i < option_count; i++) {
    if (!wm_text_is(options[i].key, "format"))
      return wm_option_refuse(options[i], NULL, message, message_bytes);
    if (!wm_option_choice(options[i].value, wm_format_names, &format))
      return wm_option_refuse(options[i], "csv, json or table", message, message_bytes);
  }
  struct counts *counts = view->reserve(view, sizeof *counts);
  if (counts == NULL)
    return wm_open_refuse("no memory", message, message_bytes);
  counts->format = (uint8_t)format;
  *wants = WM_WANT_ACCESSES | WM_WANT(WM_EVENT_CALL) | WM_WANT(WM_EVENT_RETURN) | WM_WANT(WM_EVENT_BRANCH);
  *needs = 0;
  return counts;
}

static void take_call(struct counts *counts, const struct wm_event *event)
{
  if ((event->flags & WM_FLAG_OUTERMOST) != 0) {
    counts->frames = 0;
    counts->host_calls++;
  }
  counts->indirect_calls += (event->flags & WM_FLAG_INDIRECT) != 0;
  counts->frames += (event->flags & WM_FLAG_IMPORT) == 0;
  if (counts->peak_frames < counts->frames)
    counts->peak_frames = counts->frames;
}

static void take_events(void *state, const struct wm_event *batch, uint32_t count)
{
  struct counts *counts = state;
  for (const struct wm_event *event = batch; event < batch + count; event++) {
    counts->count[event->kind]++;
    counts->bytes[event->kind] += event->length;
    if (event->kind == WM_EVENT_CALL)
      take_call(counts, event);
    else if (event->kind == WM_EVENT_RETURN)
      counts->frames--;
    else if (event->kind == WM_EVENT_BRANCH)
      counts->loops += (event->flags & WM_FLAG_BACK) != 0;
  }
}

static void take_mark(void *state, const struct wm_mark *mark)
{
  struct counts *counts = state;
  if (mark->kind == WM_MARK_RESET)
    *counts = (struct counts){.format = counts->format, .base_instructions = mark->instructions};
}

struct metric {
  const char *name;
  uint64_t value;
};
#define METRICS 13

/* A copy is one read and one write; whatever else is no load writes. */
static uint64_t sum_reads(const uint64_t by_kind[WM_EVENT_KINDS])
{
  return by_kind[WM_EVENT_LOAD] + by_kind[WM_EVENT_COPY];
}

static uint64_t sum_writes(const uint64_t by_kind[WM_EVENT_KINDS])
{
  return by_kind[WM_EVENT_STORE] + by_kind[WM_EVENT_COPY] + by_kind[WM_EVENT_FILL] + by_kind[WM_EVENT_INIT];
}

static void write_rows(struct wm_report *report, void *user)
{
  const struct metric *metrics = user;
  for (unsigned i = 0; i < METRICS; i++) {
    wm_report_text(report, wm_text_of(metrics[i].name));
    wm_report_u64(report, metrics[i].value);
  }
}

static void finish(void *state, const struct wm_view *view, const struct wm_outcome *outcome, struct wm_writer *writer)
{
  static const struct wm_column columns[] = {{"metric", WM_COLUMN_TEXT}, {"value", WM_COLUMN_COUNT}};
  const struct counts *counts = state;
  uint64_t pages = 0; /* of all memories */
  for (uint32_t i = 0; i < view->memory_count; i++)
    pages += view->memory(view, i).length >> WM_PAGE_LOG2;
  struct metric metrics[METRICS] = {
    {"instructions", outcome->instructions - counts->base_instructions},
    {"calls", counts->count[WM_EVENT_CALL] - counts->host_calls},
    {"indirect_calls", counts->indirect_calls},
    {"returns", counts->count[WM_EVENT_RETURN]},
    {"branches_taken", counts->count[WM_EVENT_BRANCH]},
    {"loop_iterations", counts->loops},
    {"memory_reads", sum_reads(counts->count)},
    {"memory_writes", sum_writes(counts->count)},
    {"bytes_read", sum_reads(counts->bytes)},
    {"bytes_written", sum_writes(counts->bytes)},
    {"peak_frames", counts->peak_frames},
    {"memory_pages", pages},
    {"output_bytes", outcome->output_bytes},
  };
  struct wm_report report;
  wm_report_open(&report, counts->format, "counts", outcome, columns, 2, writer);
  if (counts->format != WM_FORMAT_JSON)
    wm_report_rows(&report, write_rows, metrics);
  else /* one object: a member for each metric */
    for (unsigned i = 0; i < METRICS; i++)
      wm_report_note_u64(&report, metrics[i].name, metrics[i].value);
  wm_report_close(&report);
}

const struct wm_sink_class wm_sink_counts = {
  .abi = WM_SINK_ABI,
  .size = sizeof(struct wm_sink_class),
  .name = "counts",
  .summary = "exact totals of one run",
  .options = "format=csv, json or table\n",
  .open = open_counts,
  .events = take_events,
  .mark = take_mark,
  .finish = finish,
};
