/* Sums against counters; see sum_check.h. The reports are read as anybody would read them: as CSV. */
#include "cli/sum_check.h"

#include <inttypes.h>
#include <string.h>

#include "instrument/registry.h"
#include "instrument/text.h"

enum { HIDDEN_REPORT, HIDDEN_COUNTS, HIDDEN_PAGES, HIDDEN };

/* One line's fields, from the end backwards: names, which alone may hold commas, stand in front. */
#define FIELDS 16

static struct wm_text take_line(struct wm_text *rest)
{
  uint32_t length = 0;
  bool is_quoted = false;
  while (length < rest->length && (is_quoted || rest->bytes[length] != '\n'))
    is_quoted ^= rest->bytes[length++] == '"';
  struct wm_text line = {rest->bytes, length};
  uint32_t taken = length < rest->length ? length + 1 : length;
  *rest = (struct wm_text){rest->bytes + taken, rest->length - taken};
  return line;
}

static uint32_t split(struct wm_text line, struct wm_text fields[FIELDS])
{
  uint32_t count = 0, begin = 0;
  bool is_quoted = false;
  for (uint32_t at = 0; at <= line.length && count < FIELDS; at++) {
    if (at < line.length && line.bytes[at] == '"')
      is_quoted = !is_quoted;
    if (at < line.length && (is_quoted || line.bytes[at] != ','))
      continue;
    fields[count++] = (struct wm_text){line.bytes + begin, at - begin};
    begin = at + 1;
  }
  return count;
}

/* The sum of a column over all rows, but the one called `without`. */
static uint64_t sum_column(const struct wm_buffer *report, const char *column, const char *without)
{
  struct wm_text rest = {(const char *)report->bytes, (uint32_t)report->length}, fields[FIELDS];
  uint32_t count = split(take_line(&rest), fields), which = 0;
  uint64_t sum = 0, value;
  while (which < count && !wm_text_is(fields[which], column))
    which++;
  while (rest.length > 0) {
    count = split(take_line(&rest), fields);
    if (which < count && !wm_text_is(fields[0], without) && wm_option_u64(fields[which], &value))
      sum += value;
  }
  return sum;
}

static uint64_t find_metric(const struct wm_buffer *counts, const char *metric)
{
  struct wm_text rest = {(const char *)counts->bytes, (uint32_t)counts->length}, fields[FIELDS];
  uint64_t value = UINT64_MAX;
  while (rest.length > 0)
    if (split(take_line(&rest), fields) == 2 && wm_text_is(fields[0], metric))
      wm_option_u64(fields[1], &value);
  return value;
}

void wm_sum_check_add(struct wm_sum_check *check, struct wm_sinks *sinks, const struct wm_sink_class *class_, const struct wm_option *options,
                      uint32_t option_count)
{
  struct wm_option kept[WM_OPTIONS_MAX];
  uint32_t count = 0;
  for (uint32_t i = 0; i < option_count; i++)
    if (!wm_text_is(options[i].key, "format") && !wm_text_is(options[i].key, "weight") && !wm_text_is(options[i].key, "clock"))
      kept[count++] = options[i];
  if (count < WM_OPTIONS_MAX)
    kept[count++] = (struct wm_option){wm_text_of("clock"), wm_text_of("off")};
  check->first_slot = sinks->count;
  check->has_layers = class_ == &wm_sink_layers;
  wm_sinks_add_result(sinks, class_, kept, count);
  wm_sinks_add_result(sinks, &wm_sink_counts, NULL, 0);
  wm_sinks_add_result(sinks, &wm_sink_pages, NULL, 0);
}

bool wm_sum_check_finish(const struct wm_sum_check *check, struct wm_sinks *sinks, struct wm_buffer *line)
{
  static const struct { const char *column, *metric; } pairs[] = {
    {"self_instructions", "instructions"}, {"loads", "memory_reads"}, {"stores", "memory_writes"}, {"bytes_read", "bytes_read"},
    {"bytes_written", "bytes_written"},
  };
  struct wm_sink_slot *slots = &sinks->slots[check->first_slot];
  for (uint32_t i = 0; i < HIDDEN; i++)
    slots[i].has_report = false;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    uint64_t rows = sum_column(&slots[HIDDEN_REPORT].report, pairs[i].column, check->has_layers ? "total" : "");
    uint64_t counted = find_metric(&slots[HIDDEN_COUNTS].report, pairs[i].metric);
    bool has_pages = i >= 3;
    uint64_t paged = has_pages ? sum_column(&slots[HIDDEN_PAGES].report, pairs[i].column, "") : counted;
    if (rows != counted || rows != paged) {
      wm_buffer_format(line, "the sums differ: %s add up to %" PRIu64 ", counts has %" PRIu64, pairs[i].column, rows, counted);
      if (has_pages)
        wm_buffer_format(line, ", the page report %" PRIu64, paged);
      return false;
    }
  }
  wm_buffer_format(line, "checked: %s add up to counts (instructions, loads, stores, bytes) and to the page report (bytes)",
                   check->has_layers ? "the layers and unattributed" : "the functions");
  return true;
}
