/* Loading of shared-object sinks; see plugin.h. Running a plugin is running native code: the user names it, we check its version. */
#define _POSIX_C_SOURCE 200809L
#include "cli/plugin.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"

static int refuse(struct wm_plugin *plugin, int status)
{
  wm_plugin_unload(plugin);
  return status;
}

/* dlerror's words begin with the path: it is told once. */
static const char *reason(const char *path)
{
  const char *text = dlerror();
  size_t length = strlen(path);
  if (text != NULL && strncmp(text, path, length) == 0 && text[length] == ':')
    text += length + 1 + strspn(text + length + 1, " ");
  return text == NULL ? "unknown reason" : text;
}

int wm_plugin_load(struct wm_plugin *plugin, const char *path)
{
  *plugin = (struct wm_plugin){0};
  plugin->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (plugin->handle == NULL)
    return wm_fail(access(path, R_OK) == 0 ? WM_EXIT_DATA : WM_EXIT_NO_INPUT, path, "cannot load the plugin: %s", reason(path));
  const struct wm_sink_class *class_ = dlsym(plugin->handle, "wm_sink_plugin");
  if (class_ == NULL)
    return refuse(plugin, wm_fail(WM_EXIT_DATA, path, "no plugin: it exports no wm_sink_plugin"));
  if (class_->abi != WM_SINK_ABI)
    return refuse(plugin, wm_fail(WM_EXIT_DATA, path, "plugin has interface version %" PRIu32 ", this wasmeter has version %u", class_->abi,
                                  WM_SINK_ABI));
  if (class_->size < sizeof *class_ || class_->name == NULL || class_->open == NULL || class_->events == NULL || class_->finish == NULL)
    return refuse(plugin, wm_fail(WM_EXIT_DATA, path, "plugin of interface version %u is incomplete", WM_SINK_ABI));
  plugin->class_ = class_;
  return WM_EXIT_OK;
}

void wm_plugin_unload(struct wm_plugin *plugin)
{
  if (plugin->handle != NULL)
    dlclose(plugin->handle);
  *plugin = (struct wm_plugin){0};
}
