/* See interp_support.h. */
#include "interp_support.h"

#include <stdio.h>

#include <criterion/criterion.h>

static bool host_take(void *user, struct wm_block *block, uint64_t bytes, uint64_t capacity)
{
  struct fixture *f = user;
  if (bytes > f->refuse_above)
    return false;
  *block = (struct wm_block){calloc(1, bytes != 0 ? (size_t)bytes : 1), bytes, capacity, NULL};
  f->blocks++;
  return true;
}

static bool host_grow(void *user, struct wm_block *block, uint64_t bytes)
{
  struct fixture *f = user;
  if (bytes > f->refuse_above)
    return false;
  uint8_t *moved = calloc(1, (size_t)bytes);
  memcpy(moved, block->base, (size_t)block->bytes);
  free(block->base);
  block->base = moved;
  block->bytes = bytes;
  return true;
}

static void host_release(void *user, struct wm_block *block)
{
  ((struct fixture *)user)->blocks--;
  free(block->base);
}

void fixture_open(struct fixture *f)
{
  memset(f, 0, sizeof *f);
  f->limits = wm_limits_native;
  f->limits.slots = 1 << 18;
  f->limits.frames = 10000;
  f->refuse_above = (uint64_t)1 << 30;
  f->host = (struct wm_host){f, host_take, host_grow, host_release};
  f->arena.size = 1 << 19;
  f->arena.base = aligned_alloc(16, f->arena.size);
  f->error = WM_ERROR_NONE;
}

void fixture_store(struct fixture *f)
{
  cr_assert(wm_types_init(&f->types, &f->arena, &f->limits));
  f->store = wm_store_open(&f->arena, &f->limits, &f->host, &f->types);
  cr_assert_not_null(f->store);
}

void fixture_close(struct fixture *f)
{
  wm_store_close(f->store);
  cr_assert_eq(f->blocks, 0, "%u blocks of the host were not released", f->blocks);
  for (uint32_t i = 0; i < f->file_count; i++)
    free(f->files[i]);
  free(f->arena.base);
}

void fixture_decode(struct fixture *f, const char *name, struct wm_module *module)
{
  char path[512];
  snprintf(path, sizeof path, "%s/%s.wasm", INTERP_WASM_DIR, name);
  FILE *file = fopen(path, "rb");
  cr_assert_not_null(file, "cannot open %s", path);
  uint8_t *bytes = malloc(1 << 16);
  size_t length = fread(bytes, 1, 1 << 16, file);
  fclose(file);
  f->files[f->file_count++] = bytes;
  bool is_good = wm_module_decode(module, bytes, length, &f->limits, &f->types, &f->arena, &f->error);
  cr_assert(is_good, "%s: %s at %llu", name, f->error.message, (unsigned long long)f->error.offset);
}

void fixture_load(struct fixture *f, const char *name, const struct wm_extern *imports)
{
  if (f->store == NULL)
    fixture_store(f);
  fixture_decode(f, name, &f->module);
  f->instance = wm_instance_link(f->store, &f->module, imports, &f->error);
  cr_assert_not_null(f->instance, "%s: %s", name, f->error.message);
  uint64_t offset;
  enum wm_trap trap = wm_instance_init(f->instance, &offset);
  cr_assert_eq(trap, WM_TRAP_NONE, "%s: %s", name, wm_trap_text(trap));
  if (f->run == NULL)
    f->run = wm_run_open(f->store);
  cr_assert_not_null(f->run);
  wm_run_set_budget(f->run, 1000000000);
}

struct wm_extern fixture_export(const struct fixture *f, const struct wm_instance *instance, const char *name)
{
  (void)f;
  const struct wm_export *found = wm_module_find_export(wm_instance_module(instance), name, strlen(name));
  cr_assert_not_null(found, "no export %s", name);
  return wm_instance_export(instance, found);
}

void fixture_start(struct fixture *f, const char *name, uint32_t count, const uint64_t *args)
{
  struct wm_extern function = fixture_export(f, f->instance, name);
  const struct wm_type *type = wm_types_get(&f->types, wm_extern_func_type(function));
  struct wm_value values[16];
  cr_assert_eq(count, type->param_count, "%s takes %u arguments", name, type->param_count);
  for (uint32_t i = 0; i < count; i++)
    values[i] = (struct wm_value){type->params[i], {args[i], 0}};
  cr_assert(wm_run_start(f->run, function, values, count, &f->error));
}

enum wm_run_state fixture_call(struct fixture *f, const char *name, uint32_t count, const uint64_t *args)
{
  fixture_start(f, name, count, args);
  return wm_run_resume(f->run);
}

uint64_t fixture_result(const struct fixture *f)
{
  struct wm_value value;
  cr_assert_eq(wm_run_look(f->run).state, WM_RUN_DONE, "%s", wm_trap_text((enum wm_trap)wm_run_look(f->run).trap));
  cr_assert_geq(wm_run_results(f->run, &value, 1), 1);
  return value.bits[0];
}
