/* Several sinks behind one tap.
 *
 * The tap wants and needs what any of them does; each sink receives exactly the kinds that it wants, in program order, in
 * batches. What goes through unchanged is not copied; what must be picked out gathers in the sink's own buffer until that is
 * full, a mark comes, or the host flushes. When some sink needs IMMEDIATE, the others get each access once, phase NONE, after its effect.
 * The struct is the caller's; buffers and states come from view->reserve and are the host's to drop. */
#ifndef WM_INSTRUMENT_FANOUT_H
#define WM_INSTRUMENT_FANOUT_H

#include "instrument/sink.h"

#define WM_FANOUT_SINKS 16

struct wm_fanout_entry {
  const struct wm_sink_class *class_;
  void *state;
  uint32_t wants, needs;
  uint32_t gathered;        /* events in buffer */
  struct wm_event *buffer;  /* WM_BATCH_EVENTS of them */
};

struct wm_fanout {
  const struct wm_view *view;
  uint32_t count;
  struct wm_tap tap;        /* give this to the run once every sink is added; its user is this struct, so do not move it */
  struct wm_fanout_entry entries[WM_FANOUT_SINKS];
};

/* `view` stays valid until the last finish. */
void wm_fanout_open(struct wm_fanout *fanout, const struct wm_view *view);
/* Opens a sink and adds it. False: message says why (its open's own words, or "too many sinks", "no memory"). */
bool wm_fanout_add(struct wm_fanout *fanout, const struct wm_sink_class *class_, const struct wm_option *options,
                   uint32_t option_count, char *message, size_t message_bytes);
/* Where sink `index` (in the order of adding) will write, before the run and its finish with the same writer. */
void wm_fanout_begin(struct wm_fanout *fanout, uint32_t index, struct wm_writer *writer);
/* The host's marks go through here: gathered events come first. */
void wm_fanout_mark(struct wm_fanout *fanout, const struct wm_mark *mark);
/* Hands on what is gathered: before anything of a sink is looked at. */
void wm_fanout_flush(struct wm_fanout *fanout);
/* Flushes, then lets sink `index` write its report. Once for each. */
void wm_fanout_finish(struct wm_fanout *fanout, uint32_t index, const struct wm_outcome *outcome, struct wm_writer *writer);

#endif
