/* The sinks of one run; see sinks.h. */
#include "cli/sinks.h"

#include <stdlib.h>
#include <string.h>

#include "cli/files.h"
#include "cli/message.h"
#include "instrument/registry.h"
#include "instrument/text.h"

static struct wm_sink_slot *new_slot(struct wm_sinks *sinks)
{
  sinks->slots = wm_reallocate(sinks->slots, sinks->count + 1, sizeof *sinks->slots);
  struct wm_sink_slot *slot = &sinks->slots[sinks->count++];
  memset(slot, 0, sizeof *slot);
  return slot;
}

static char *copy_text(struct wm_text text)
{
  char *copy = wm_allocate((size_t)text.length + 1, 1);
  if (text.length > 0)
    memcpy(copy, text.bytes, text.length);
  copy[text.length] = '\0';
  return copy;
}

/* Takes out=FILE off the slot's options. */
static int take_out(struct wm_sink_slot *slot)
{
  uint32_t kept = 0;
  for (uint32_t i = 0; i < slot->option_count; i++) {
    if (!wm_text_is(slot->options[i].key, "out")) {
      slot->options[kept++] = slot->options[i];
      continue;
    }
    if (slot->options[i].value.length == 0)
      return wm_fail(WM_EXIT_USAGE, NULL, "--sink %s: out= needs a file", slot->spec);
    free(slot->out);
    slot->out = copy_text(slot->options[i].value);
  }
  slot->option_count = kept;
  return WM_EXIT_OK;
}

static int tell_unknown(const char *spec)
{
  struct wm_buffer names = WM_BUFFER_EMPTY;
  for (const struct wm_sink_class *const *sink = wm_sinks; *sink != NULL; sink++)
    wm_buffer_format(&names, "%s, ", (*sink)->name);
  wm_buffer_char(&names, '\0');
  int status = wm_fail(WM_EXIT_USAGE, NULL, "--sink %s: no such sink; there are %sor the path of a shared object", spec, (char *)names.bytes);
  wm_buffer_free(&names);
  return status;
}

int wm_sinks_add(struct wm_sinks *sinks, const char *spec)
{
  struct wm_sink_slot *slot = new_slot(sinks);
  slot->spec = spec;
  struct wm_text name;
  size_t length = strlen(spec);
  if (length > UINT32_MAX || !wm_option_split((struct wm_text){spec, (uint32_t)length}, &name, slot->options, &slot->option_count))
    return wm_fail(WM_EXIT_USAGE, NULL, "--sink %s: want NAME[:key=value,...]", spec);
  int status = take_out(slot);
  if (status != WM_EXIT_OK)
    return status;
  if (memchr(name.bytes, '/', name.length) == NULL) {
    slot->class_ = wm_sink_find(name);
    return slot->class_ != NULL ? WM_EXIT_OK : tell_unknown(spec);
  }
  char *path = copy_text(name);
  status = wm_plugin_load(&slot->plugin, path);
  free(path);
  slot->class_ = slot->plugin.class_;
  return status;
}

void wm_sinks_add_result(struct wm_sinks *sinks, const struct wm_sink_class *class_, const struct wm_option *options, uint32_t option_count)
{
  struct wm_sink_slot *slot = new_slot(sinks);
  slot->class_ = class_;
  slot->is_result = true;
  if (option_count > 0)
    memcpy(slot->options, options, option_count * sizeof *options);
  slot->option_count = option_count;
}

void wm_sinks_set_lines(struct wm_sinks *sinks, uint32_t first, const char *file, const uint32_t *lines)
{
  struct wm_sink_slot *slot = &sinks->slots[sinks->count - 1];
  slot->option_file = file;
  slot->option_lines = lines;
  slot->first_line_option = first;
}

bool wm_sinks_has_trait(const struct wm_sinks *sinks, uint32_t trait)
{
  for (uint32_t i = 0; i < sinks->count; i++)
    if ((sinks->slots[i].class_->traits & trait) != 0)
      return true;
  return false;
}

static bool tells_stops(const struct wm_sink_slot *slot)
{
  return (slot->class_->traits & WM_SINK_TELLS_STOPS) != 0;
}

/* ---- Reports on their way --------------------------------------------------------------------------------------- */

#define STREAM_BYTES 65536

/* Sends on what has gathered. */
static int send_report(struct wm_sink_slot *slot)
{
  if (!slot->is_result && slot->out == NULL)
    return wm_write_all(2, slot->report.bytes, slot->report.length) == 0 ? WM_EXIT_OK : WM_EXIT_IO;
  if (!slot->is_streaming) {
    int status = wm_output_open(&slot->output, slot->is_result ? slot->sinks->result_path : slot->out);
    if (status != WM_EXIT_OK)
      return status;
    slot->is_streaming = true;
  }
  return wm_output_append(&slot->output, slot->report.bytes, slot->report.length);
}

static void write_report(struct wm_writer *writer, const char *bytes, size_t length)
{
  struct wm_sink_slot *slot = writer->user;
  if (slot->status != WM_EXIT_OK)
    return;
  wm_buffer_add(&slot->report, bytes, length);
  if (slot->report.length < STREAM_BYTES || !tells_stops(slot))
    return;
  slot->status = send_report(slot);
  slot->report.length = 0;
  if (slot->status != WM_EXIT_OK && *slot->sinks->run != NULL)
    wm_run_ask_stop(*slot->sinks->run);
}

static bool opens_with(const struct wm_sink_slot *slot, const struct wm_view *view, uint32_t option_count)
{
  uint32_t wants, needs;
  char message[256];
  return slot->class_->open(view, slot->options, option_count, &wants, &needs, message, sizeof message) != NULL;
}

/* The line of the option that is refused: the first without which the sink would open. 0: it is none of a file. */
static uint32_t find_line(const struct wm_sink_slot *slot, const struct wm_view *view)
{
  if (slot->option_file == NULL || !opens_with(slot, view, slot->first_line_option))
    return 0;
  for (uint32_t i = slot->first_line_option; i < slot->option_count; i++)
    if (!opens_with(slot, view, i + 1))
      return slot->option_lines[i - slot->first_line_option];
  return 0;
}

static int tell_refusal(const struct wm_sink_slot *slot, const struct wm_view *view, const char *message)
{
  uint32_t line = find_line(slot, view);
  if (line != 0)
    return wm_fail_line(slot->option_file, line, "%s", message);
  if (slot->spec != NULL)
    return wm_fail(WM_EXIT_USAGE, NULL, "--sink %s: %s", slot->spec, message);
  return wm_fail(WM_EXIT_USAGE, NULL, "%s: %s", slot->class_->name, message);
}

int wm_sinks_open(struct wm_sinks *sinks, const struct wm_view *view, struct wm_run *const *run)
{
  sinks->run = run;
  wm_fanout_open(&sinks->fanout, view);
  for (uint32_t i = 0; i < sinks->count; i++) {
    struct wm_sink_slot *slot = &sinks->slots[i];
    char message[256] = "";
    if (!wm_fanout_add(&sinks->fanout, slot->class_, slot->options, slot->option_count, message, sizeof message))
      return tell_refusal(slot, view, message);
    slot->sinks = sinks;
    slot->writer = (struct wm_writer){write_report, slot};
    wm_fanout_begin(&sinks->fanout, i, &slot->writer);
  }
  return WM_EXIT_OK;
}

int wm_sinks_status(const struct wm_sinks *sinks)
{
  for (uint32_t i = 0; i < sinks->count; i++)
    if (sinks->slots[i].status != WM_EXIT_OK)
      return sinks->slots[i].status;
  return WM_EXIT_OK;
}

void wm_sinks_finish(struct wm_sinks *sinks, const struct wm_outcome *outcome)
{
  for (uint32_t i = 0; i < sinks->count; i++) {
    struct wm_sink_slot *slot = &sinks->slots[i];
    if (!outcome->is_complete && !tells_stops(slot) && !sinks->takes_partial)
      continue;
    wm_fanout_finish(&sinks->fanout, i, outcome, &slot->writer);
    slot->has_report = true;
  }
}

int wm_sinks_write(struct wm_sinks *sinks)
{
  int status = WM_EXIT_OK;
  for (uint32_t i = 0; i < sinks->count && status == WM_EXIT_OK; i++) {
    struct wm_sink_slot *slot = &sinks->slots[i];
    if (!slot->has_report)
      continue;
    status = slot->status != WM_EXIT_OK ? slot->status : send_report(slot);
    if (slot->is_streaming) {
      int closed = wm_output_close(&slot->output, status == WM_EXIT_OK);
      status = status != WM_EXIT_OK ? status : closed;
      slot->is_streaming = false;
    }
  }
  return status;
}

void wm_sinks_free(struct wm_sinks *sinks)
{
  for (uint32_t i = 0; i < sinks->count; i++) {
    struct wm_sink_slot *slot = &sinks->slots[i];
    if (slot->is_streaming)
      wm_output_close(&slot->output, false);
    wm_buffer_free(&slot->report);
    wm_plugin_unload(&slot->plugin);
    free(slot->out);
  }
  free(sinks->slots);
  memset(sinks, 0, sizeof *sinks);
}
