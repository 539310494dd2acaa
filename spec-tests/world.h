/* What a script's modules live in: one store with registry, arena and run, the host module `spectest`, and names bound to
 * modules and instances. Made fresh for every script. */
#ifndef WM_SPEC_WORLD_H
#define WM_SPEC_WORLD_H

#include "decoder/module.h"
#include "interp/run.h"
#include "spec-tests/script.h"

struct wm_spec_binding { /* one name; the newest binding of a name counts */
  struct wm_spec_binding *next;
  char *name;
  const struct wm_module *module;
  struct wm_instance *instance; /* NULL for a definition, or when its module failed */
};

#define WM_SPECTEST_ITEMS 14

struct wm_spec_world {
  const struct wm_spec_options *options;
  struct wm_arena arena;
  struct wm_types types;
  struct wm_store *store;
  struct wm_run *run;
  struct wm_extern spectest[WM_SPECTEST_ITEMS];
  struct wm_spec_binding *definitions, *instances, *registered;
  struct wm_module *current_module;   /* the last `module` or `module_definition` */
  struct wm_instance *current;        /* the last instance; NULL after a module that failed */
  void **files;                       /* module bytes, kept until the world ends */
  size_t file_count, file_capacity;
};

/* False: the host has not enough memory for a world. wm_spec_world_close takes a world in any state. */
bool wm_spec_world_open(struct wm_spec_world *world, const struct wm_spec_options *options);
void wm_spec_world_close(struct wm_spec_world *world);

/* The import's item: an export of a registered instance or of spectest; item NULL when there is none. */
struct wm_extern wm_spec_world_resolve(const struct wm_spec_world *world, const struct wm_import *import);

/* Binds a name in one of the lists (the world keeps a copy of it). */
void wm_spec_bind(struct wm_spec_binding **list, const char *name, const struct wm_module *module, struct wm_instance *instance);
const struct wm_spec_binding *wm_spec_find(const struct wm_spec_binding *list, const char *name, size_t length);

/* How running something ended. */
struct wm_spec_end {
  enum wm_trap trap;    /* WM_TRAP_NONE: done */
  bool out_of_budget;
  bool no_host_memory;
};
/* Runs `function` to its end, in slices when the options say so. */
struct wm_spec_end wm_spec_world_call(struct wm_spec_world *world, struct wm_extern function, const struct wm_value *args, uint32_t count,
                                      struct wm_error *error);

#endif
