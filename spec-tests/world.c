/* The world of one script, as world.h says. The module `spectest` is the one that the suite's README and reference interpreter
 * define, to the last value. */
#include "spec-tests/world.h"

#include <stdlib.h>
#include <string.h>

#include "cli/host_memory.h"

#define ARENA_BYTES (UINT64_C(4) << 30)

static enum wm_trap print_nothing(void *user, struct wm_store *store, const struct wm_value *args, struct wm_value *results)
{
  (void)user, (void)store, (void)args, (void)results;
  return WM_TRAP_NONE;
}

/* The module spectest, in the order of world->spectest. */
static const struct { const char *name; uint8_t kind; wm_valtype params[2]; } spectest[WM_SPECTEST_ITEMS] = {
  {"print", WM_EXTERN_FUNC, {0, 0}},
  {"print_i32", WM_EXTERN_FUNC, {WM_TYPE_I32, 0}},
  {"print_i64", WM_EXTERN_FUNC, {WM_TYPE_I64, 0}},
  {"print_f32", WM_EXTERN_FUNC, {WM_TYPE_F32, 0}},
  {"print_f64", WM_EXTERN_FUNC, {WM_TYPE_F64, 0}},
  {"print_i32_f32", WM_EXTERN_FUNC, {WM_TYPE_I32, WM_TYPE_F32}},
  {"print_f64_f64", WM_EXTERN_FUNC, {WM_TYPE_F64, WM_TYPE_F64}},
  {"global_i32", WM_EXTERN_GLOBAL, {WM_TYPE_I32, 0}},
  {"global_i64", WM_EXTERN_GLOBAL, {WM_TYPE_I64, 0}},
  {"global_f32", WM_EXTERN_GLOBAL, {WM_TYPE_F32, 0}},
  {"global_f64", WM_EXTERN_GLOBAL, {WM_TYPE_F64, 0}},
  {"table", WM_EXTERN_TABLE, {0, 0}},
  {"table64", WM_EXTERN_TABLE, {1, 0}},
  {"memory", WM_EXTERN_MEMORY, {0, 0}},
};

static uint64_t spectest_global(wm_valtype type)
{
  switch (type) {
  case WM_TYPE_F32: return 0x4426a666u;           /* 666.6 */
  case WM_TYPE_F64: return 0x4084d4cccccccccdu;
  default: return 666;
  }
}

static bool add_spectest_item(struct wm_spec_world *world, size_t i)
{
  const wm_valtype *params = spectest[i].params;
  struct wm_extern *out = &world->spectest[i];
  switch (spectest[i].kind) {
  case WM_EXTERN_FUNC: {
    uint32_t id, count = (params[0] != 0) + (params[1] != 0);
    return wm_types_func(&world->types, params, count, NULL, 0, &id)
      && wm_store_add_function(world->store, id, print_nothing, NULL, out);
  }
  case WM_EXTERN_GLOBAL:
    return wm_store_add_global(world->store, (struct wm_global_type){params[0], false},
                               (struct wm_value){params[0], {spectest_global(params[0]), 0}}, out);
  case WM_EXTERN_TABLE:
    return wm_store_add_table(world->store, (struct wm_table_type){{10, 20, true, params[0] == 1}, WM_REF(WM_HEAP_FUNC, true)}, out);
  default:
    return wm_store_add_memory(world->store, (struct wm_memory_type){{1, 2, true, false}}, out);
  }
}

bool wm_spec_world_open(struct wm_spec_world *world, const struct wm_spec_options *options)
{
  memset(world, 0, sizeof *world);
  world->options = options;
  if (!wm_arena_reserve(&world->arena, ARENA_BYTES) || !wm_types_init(&world->types, &world->arena, options->limits))
    return false;
  world->store = wm_store_open(&world->arena, options->limits, &wm_host_memory, &world->types);
  world->run = world->store ? wm_run_open(world->store) : NULL;
  if (!world->run)
    return false;
  wm_store_set_stress(world->store, options->gc_stress);
  wm_run_set_stream(world->run, options->stream);
  for (size_t i = 0; i < WM_SPECTEST_ITEMS; i++)
    if (!add_spectest_item(world, i))
      return false;
  return true;
}

static void free_bindings(struct wm_spec_binding *list)
{
  for (struct wm_spec_binding *next; list; list = next) {
    next = list->next;
    free(list->name);
    free(list);
  }
}

void wm_spec_world_close(struct wm_spec_world *world)
{
  if (world->run)
    wm_run_close(world->run);
  if (world->store)
    wm_store_close(world->store);
  if (world->arena.base)
    wm_arena_release(&world->arena);
  free_bindings(world->definitions);
  free_bindings(world->instances);
  free_bindings(world->registered);
  for (size_t i = 0; i < world->file_count; i++)
    free(world->files[i]);
  free(world->files);
}

void wm_spec_bind(struct wm_spec_binding **list, const char *name, const struct wm_module *module, struct wm_instance *instance)
{
  struct wm_spec_binding *binding = wm_allocate(1, sizeof *binding);
  binding->name = wm_allocate(strlen(name) + 1, 1);
  strcpy(binding->name, name);
  binding->module = module;
  binding->instance = instance;
  binding->next = *list;
  *list = binding;
}

const struct wm_spec_binding *wm_spec_find(const struct wm_spec_binding *list, const char *name, size_t length)
{
  for (; list; list = list->next)
    if (strlen(list->name) == length && memcmp(list->name, name, length) == 0)
      return list;
  return NULL;
}

struct wm_extern wm_spec_world_resolve(const struct wm_spec_world *world, const struct wm_import *import)
{
  struct wm_extern none = {0, NULL};
  const struct wm_spec_binding *from = wm_spec_find(world->registered, (const char *)import->module.bytes, import->module.length);
  if (from) {
    if (!from->instance)
      return none;
    const struct wm_export *export_ = wm_module_find_export(wm_instance_module(from->instance), (const char *)import->name.bytes, import->name.length);
    return export_ ? wm_instance_export(from->instance, export_) : none;
  }
  if (import->module.length != 8 || memcmp(import->module.bytes, "spectest", 8) != 0)
    return none;
  for (size_t i = 0; i < WM_SPECTEST_ITEMS; i++)
    if (strlen(spectest[i].name) == import->name.length && memcmp(spectest[i].name, import->name.bytes, import->name.length) == 0)
      return world->spectest[i];
  return none;
}

struct wm_spec_end wm_spec_world_call(struct wm_spec_world *world, struct wm_extern function, const struct wm_value *args, uint32_t count,
                                      struct wm_error *error)
{
  struct wm_spec_end end = {WM_TRAP_NONE, false, false};
  uint64_t left = world->options->budget, slice = world->options->slice;
  *error = WM_ERROR_NONE;
  wm_run_set_budget(world->run, 0);
  if (!wm_run_start(world->run, function, args, count, error))
    return end;
  for (;;) {
    uint64_t now = slice && slice < left ? slice : left;
    wm_run_set_budget(world->run, now);
    enum wm_run_state state = wm_run_resume(world->run);
    left -= now;
    if (state == WM_RUN_PAUSED && left > 0)
      continue;
    end.out_of_budget = state == WM_RUN_PAUSED;
    end.no_host_memory = state == WM_RUN_NO_HOST_MEMORY;
    if (state == WM_RUN_TRAPPED)
      end.trap = (enum wm_trap)wm_run_look(world->run).trap;
    return end;
  }
}
