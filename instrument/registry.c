/* The list of built-in sinks (registry.h). A new sink is one file and one line here. */
#include "instrument/registry.h"

#include "instrument/text.h"

const struct wm_sink_class *const wm_sinks[] = {
  &wm_sink_pages,
  &wm_sink_counts,
  &wm_sink_time,
  &wm_sink_layers,
  &wm_sink_trace,
  NULL,
};

const struct wm_sink_class *wm_sink_find(struct wm_text name)
{
  for (const struct wm_sink_class *const *sink = wm_sinks; *sink != NULL; sink++)
    if (wm_text_is(name, (*sink)->name))
      return *sink;
  return NULL;
}
