/* What is told of frames beside a sink's report; see frames.h: their statistics and digests, the figures that the component keeps
 * itself, and a comparison. The same facts in three forms: members of the JSON report, lines under the table, notes for the rest. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/files.h"
#include "cli/frames.h"
#include "cli/message.h"
#include "cli/samples.h"
#include "cli/values.h"

static const char *const kind_names[] = {"first", "warmup", "measured"};

static void add_double(struct wm_buffer *buffer, double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  wm_f64_print(buffer, bits);
}

/* ---- Lines ------------------------------------------------------------------------------------------------------ */

/* A line of its own: under the table, or as a note. */
static void end_line(const struct wm_player *player, bool is_table, struct wm_buffer *line, struct wm_buffer *report)
{
  if (is_table) {
    wm_buffer_escaped(report, line->bytes, line->length);
    wm_buffer_char(report, '\n');
  } else {
    wm_buffer_char(line, '\0');
    wm_note(player->session->label, "%s", (const char *)line->bytes);
  }
  line->length = 0;
}

static void line_statistics(const struct wm_player *player, bool has_clock, struct wm_buffer *line)
{
  struct wm_frame_statistics stat;
  if (!wm_player_statistics(player, false, &stat))
    return;
  wm_buffer_format(line, "frames: %" PRIu64 ", instructions each: minimum %" PRIu64 ", median %" PRIu64 ", p95 %" PRIu64 ", maximum %" PRIu64,
                   stat.count, stat.minimum, stat.median, stat.p95, stat.maximum);
  if (!has_clock || !wm_player_statistics(player, true, &stat))
    return;
  const uint64_t times[] = {stat.minimum, stat.median, stat.p95, stat.maximum};
  static const char *const names[] = {"minimum", "median", "p95", "maximum"};
  wm_buffer_text(line, "; interpreter time: ");
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    wm_buffer_format(line, "%s%s ", i == 0 ? "" : ", ", names[i]);
    wm_duration_print(line, times[i]);
  }
}

static void line_layers(const struct wm_player *player, struct wm_buffer *line)
{
  wm_buffer_format(line, "the component's own layer times (ms, %s clock):", player->clock.is_real ? "real" : "virtual");
  for (uint32_t i = 0; i < player->layer_count; i++) {
    wm_buffer_format(line, " %" PRIu32 "=", i);
    add_double(line, player->layer_ms[i]);
  }
}

static void line_counter(const struct wm_frame_counter *counter, bool has_warmup, struct wm_buffer *line)
{
  wm_buffer_format(line, "the component's own %s: %" PRIu32, counter->name, counter->value);
  if (has_warmup)
    wm_buffer_format(line, ", %" PRIu32 " of it since the warm-up", counter->value - counter->before);
}

static void tell_lines(const struct wm_player *player, const struct wm_player *compared, const char *checked, bool is_table, bool has_clock,
                       struct wm_buffer *report)
{
  struct wm_buffer line = WM_BUFFER_EMPTY;
  if (checked != NULL) {
    wm_buffer_text(&line, checked);
    end_line(player, is_table, &line, report);
  }
  line_statistics(player, has_clock, &line);
  if (line.length > 0)
    end_line(player, is_table, &line, report);
  if (player->layer_count > 0) {
    line_layers(player, &line);
    end_line(player, is_table, &line, report);
  }
  for (uint32_t i = 0; i < player->counter_count; i++) {
    line_counter(&player->counters[i], player->measured_from > 0, &line);
    end_line(player, is_table, &line, report);
  }
  if (compared != NULL) {
    wm_buffer_format(&line, "compared with %s: all %" PRIu64 " frames are the same; there, ", compared->session->label, compared->frame_count);
    line_statistics(compared, has_clock, &line);
    end_line(player, is_table, &line, report);
  }
  wm_buffer_free(&line);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

static void add_statistics(const struct wm_player *player, bool is_ns, struct wm_buffer *json)
{
  struct wm_frame_statistics stat;
  if (wm_player_statistics(player, is_ns, &stat))
    wm_buffer_format(json, ",\"%s\":{\"minimum\":%" PRIu64 ",\"median\":%" PRIu64 ",\"p95\":%" PRIu64 ",\"maximum\":%" PRIu64 "}",
                     is_ns ? "interpreter_ns" : "instructions", stat.minimum, stat.median, stat.p95, stat.maximum);
}

static void add_frame(const struct wm_frame *frame, uint64_t number, bool has_clock, struct wm_buffer *json)
{
  wm_buffer_format(json, "%s\n{\"frame\":%" PRIu64 ",\"kind\":\"%s\",\"time_ms\":%" PRId64 ",\"instructions\":%" PRIu64, number == 0 ? "" : ",",
                   number, kind_names[frame->kind], frame->time_ms, frame->instructions);
  if (has_clock && frame->kind != WM_FRAME_FIRST)
    wm_buffer_format(json, ",\"interpreter_ns\":%" PRIu64, frame->ns);
  wm_buffer_format(json, ",\"output_bytes\":%" PRIu64 ",\"digest\":\"%s\"}", frame->output_bytes, frame->digest);
}

static void add_frames(const struct wm_player *player, bool has_clock, struct wm_buffer *json)
{
  struct wm_frame_statistics stat = {0};
  wm_player_statistics(player, false, &stat);
  wm_buffer_format(json, "{\"measured\":%" PRIu64, stat.count);
  add_statistics(player, false, json);
  if (has_clock)
    add_statistics(player, true, json);
  wm_buffer_text(json, ",\"list\":[");
  for (uint64_t i = 0; i < player->frame_count; i++)
    add_frame(&player->frames[i], i, has_clock, json);
  wm_buffer_text(json, "]}");
}

static void tell_json(const struct wm_player *player, const struct wm_player *compared, bool has_clock, struct wm_buffer *json)
{
  if (player->script->count > 0) {
    wm_buffer_text(json, ",\"frame_report\":");
    add_frames(player, has_clock, json);
  }
  if (player->layer_count > 0) {
    wm_buffer_format(json, ",\"layer_times_clock\":\"%s\",\"layer_times_ms\":[", player->clock.is_real ? "real" : "virtual");
    for (uint32_t i = 0; i < player->layer_count; i++) {
      wm_buffer_text(json, i == 0 ? "" : ",");
      if (isfinite(player->layer_ms[i]))
        add_double(json, player->layer_ms[i]);
      else
        wm_buffer_text(json, "null");
    }
    wm_buffer_char(json, ']');
  }
  for (uint32_t i = 0; i < player->counter_count; i++) {
    const struct wm_frame_counter *counter = &player->counters[i];
    wm_buffer_text(json, i == 0 ? ",\"exported_counters\":{" : ",");
    wm_buffer_json(json, counter->name, strlen(counter->name));
    wm_buffer_format(json, ":{\"value\":%" PRIu32 ",\"since_warmup\":%" PRIu32 "}%s", counter->value, counter->value - counter->before,
                     i + 1 == player->counter_count ? "}" : "");
  }
  if (compared != NULL) {
    wm_buffer_text(json, ",\"compared\":{\"component\":");
    wm_buffer_json(json, compared->session->label, strlen(compared->session->label));
    wm_buffer_text(json, ",\"equal\":true,\"frame_report\":");
    add_frames(compared, has_clock, json);
    wm_buffer_char(json, '}');
  }
}

void wm_player_tell(const struct wm_player *player, const struct wm_player *compared, const char *checked, const char *format, bool has_clock,
                    struct wm_buffer *report)
{
  static const char json_end[] = "}\n";
  if (strcmp(format, "json") != 0) {
    tell_lines(player, compared, checked, strcmp(format, "table") == 0, has_clock, report);
    return;
  }
  report->length -= sizeof json_end - 1; /* what closes the sink's object */
  tell_json(player, compared, has_clock, report);
  if (checked != NULL) {
    wm_buffer_text(report, ",\"checked\":");
    wm_buffer_json(report, checked, strlen(checked));
  }
  wm_buffer_text(report, json_end);
}

int wm_player_write_list(const struct wm_player *player, const char *path, bool has_clock)
{
  struct wm_buffer csv = WM_BUFFER_EMPTY;
  wm_buffer_text(&csv, "frame,kind,time_ms,instructions,output_bytes,digest,interpreter_ns\n");
  for (uint64_t i = 0; i < player->frame_count; i++) {
    const struct wm_frame *frame = &player->frames[i];
    wm_buffer_format(&csv, "%" PRIu64 ",%s,%" PRId64 ",%" PRIu64 ",%" PRIu64 ",%s,", i, kind_names[frame->kind], frame->time_ms, frame->instructions,
                     frame->output_bytes, frame->digest);
    if (has_clock && frame->kind != WM_FRAME_FIRST)
      wm_buffer_format(&csv, "%" PRIu64, frame->ns);
    wm_buffer_char(&csv, '\n');
  }
  int status = wm_output_write(path, csv.bytes, csv.length);
  wm_buffer_free(&csv);
  return status;
}
