/* A twin: another build of the same code that still has its names (--symbols).
 *
 * It matches when types, imports and decoded instructions are the same; padding of numbers and custom sections do not matter. The
 * twin keeps its own bytes and arena until wm_twin_free; its types enter the registry of the module that it is compared with. */
#ifndef WM_CLI_TWIN_H
#define WM_CLI_TWIN_H

#include "cli/files.h"
#include "decoder/module.h"

struct wm_twin {
  struct wm_file file;
  struct wm_arena arena;
  struct wm_module module;
};

/* Reads, decodes and compares. Tells failures; returns an exit status. The twin wants freeing in any case. */
int wm_twin_load(struct wm_twin *twin, const char *path, const struct wm_module *module, const struct wm_limits *limits);
void wm_twin_free(struct wm_twin *twin);

#endif
