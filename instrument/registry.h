/* The sinks that are built in: one list, in the order in which help shows them. Plugins are not here; the host loads those. */
#ifndef WM_INSTRUMENT_REGISTRY_H
#define WM_INSTRUMENT_REGISTRY_H

#include "instrument/sink.h"

/* Ends with NULL. */
extern const struct wm_sink_class *const wm_sinks[];
/* NULL: no such sink. */
const struct wm_sink_class *wm_sink_find(struct wm_text name);

extern const struct wm_sink_class wm_sink_pages;
extern const struct wm_sink_class wm_sink_counts;
extern const struct wm_sink_class wm_sink_time;
extern const struct wm_sink_class wm_sink_layers;
extern const struct wm_sink_class wm_sink_trace;

#endif
