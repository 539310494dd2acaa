/* Sinks from outside: shared objects that export struct wm_sink_class wm_sink_plugin (instrument/sink.h). */
#ifndef WM_CLI_PLUGIN_H
#define WM_CLI_PLUGIN_H

#include "instrument/sink.h"

struct wm_plugin {
  void *handle;
  const struct wm_sink_class *class_;
};

/* Loads `path`. Tells the failure and returns WM_EXIT_NO_INPUT (cannot be loaded) or WM_EXIT_DATA (no plugin, or of another interface
 * version: refused by name and version before anything else of it is read). */
int wm_plugin_load(struct wm_plugin *plugin, const char *path);
void wm_plugin_unload(struct wm_plugin *plugin);

#endif
