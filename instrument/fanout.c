/* Several sinks behind one tap (fanout.h). */
#include "instrument/fanout.h"

#include "instrument/options.h"
#include "instrument/pages_step.h"
#include "instrument/registry.h"

static void flush_entry(struct wm_fanout_entry *entry)
{
  if (entry->gathered > 0) {
    uint32_t count = entry->gathered;
    entry->gathered = 0;
    entry->class_->events(entry->state, entry->buffer, count);
  }
}

static void gather(struct wm_fanout_entry *entry, const struct wm_event *batch, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++) {
    if ((entry->wants & WM_WANT(batch[i].kind)) == 0 || batch[i].phase == WM_PHASE_BEFORE)
      continue;
    struct wm_event *event = &entry->buffer[entry->gathered++];
    *event = batch[i];
    event->phase = WM_PHASE_NONE;
    if (entry->gathered == WM_BATCH_EVENTS)
      flush_entry(entry);
  }
}

/* For a sink that needs IMMEDIATE: runs of wanted events, at once and in place. */
static void pass_runs(struct wm_fanout_entry *entry, const struct wm_event *batch, uint32_t count)
{
  uint32_t begin = 0;
  for (uint32_t i = 0; i <= count; i++) {
    if (i < count && (entry->wants & WM_WANT(batch[i].kind)) != 0)
      continue;
    if (i > begin)
      entry->class_->events(entry->state, batch + begin, i - begin);
    begin = i + 1;
  }
}

static void deliver(void *user, const struct wm_event *batch, uint32_t count)
{
  struct wm_fanout *fanout = user;
  bool has_phases = (fanout->tap.needs & WM_NEED_IMMEDIATE) != 0;
  for (uint32_t i = 0; i < fanout->count; i++) {
    struct wm_fanout_entry *entry = &fanout->entries[i];
    if ((entry->needs & WM_NEED_IMMEDIATE) != 0)
      pass_runs(entry, batch, count);
    else if (entry->wants == fanout->tap.wants && !has_phases)
      entry->class_->events(entry->state, batch, count);
    else
      gather(entry, batch, count);
  }
}

static uint64_t clock_ns(void *user)
{
  const struct wm_fanout *fanout = user;
  return fanout->view->clock_ns(fanout->view);
}

void wm_fanout_open(struct wm_fanout *fanout, const struct wm_view *view)
{
  *fanout = (struct wm_fanout){.view = view};
  fanout->tap = (struct wm_tap){.deliver = deliver, .clock_ns = clock_ns, .user = fanout};
}

/* The page sink's step may count in the loop when nobody else wants what it takes out of the stream. */
static struct wm_pages_step *find_step(const struct wm_fanout *fanout)
{
  struct wm_pages_step *step = NULL;
  for (uint32_t i = 0; i < fanout->count; i++) {
    const struct wm_fanout_entry *entry = &fanout->entries[i];
    if ((entry->wants & WM_PAGES_STEP_TAKES) == 0)
      continue;
    if (step != NULL || entry->class_ != &wm_sink_pages)
      return NULL;
    step = wm_pages_step_of(entry->state);
    if (step == NULL)
      return NULL;
  }
  return step;
}

bool wm_fanout_add(struct wm_fanout *fanout, const struct wm_sink_class *class_, const struct wm_option *options,
                   uint32_t option_count, char *message, size_t message_bytes)
{
  if (fanout->count == WM_FANOUT_SINKS)
    return wm_open_refuse("too many sinks", message, message_bytes) != NULL;
  struct wm_fanout_entry *entry = &fanout->entries[fanout->count];
  *entry = (struct wm_fanout_entry){.class_ = class_};
  entry->state = class_->open(fanout->view, options, option_count, &entry->wants, &entry->needs, message, message_bytes);
  if (entry->state == NULL)
    return false;
  entry->buffer = fanout->view->reserve(fanout->view, WM_BATCH_EVENTS * sizeof *entry->buffer);
  if (entry->buffer == NULL)
    return wm_open_refuse("no memory", message, message_bytes) != NULL;
  fanout->count++;
  fanout->tap.wants |= entry->wants;
  fanout->tap.needs |= entry->needs;
  fanout->tap.pages = find_step(fanout);
  return true;
}

void wm_fanout_begin(struct wm_fanout *fanout, uint32_t index, struct wm_writer *writer)
{
  struct wm_fanout_entry *entry = &fanout->entries[index];
  if (entry->class_->begin != NULL)
    entry->class_->begin(entry->state, writer);
}

void wm_fanout_flush(struct wm_fanout *fanout)
{
  for (uint32_t i = 0; i < fanout->count; i++)
    flush_entry(&fanout->entries[i]);
}

void wm_fanout_mark(struct wm_fanout *fanout, const struct wm_mark *mark)
{
  wm_fanout_flush(fanout);
  for (uint32_t i = 0; i < fanout->count; i++)
    if (fanout->entries[i].class_->mark != NULL)
      fanout->entries[i].class_->mark(fanout->entries[i].state, mark);
}

void wm_fanout_finish(struct wm_fanout *fanout, uint32_t index, const struct wm_outcome *outcome, struct wm_writer *writer)
{
  struct wm_fanout_entry *entry = &fanout->entries[index];
  flush_entry(entry);
  entry->class_->finish(entry->state, fanout->view, outcome, writer);
}
