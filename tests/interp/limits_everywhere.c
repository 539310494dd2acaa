/* Runs gc.wat's functions under small limits, as freestanding code: built for this host and for wasm32, and both must stop at the same
 * instruction in the same way (limits_everywhere.mjs compares; limits_everywhere_main.c is the hosted front end).
 *
 * The host's blocks come from one array that each row gives back; nothing else is allocated. */
#include "limits_everywhere.h"

#include "interp/run.h"

#define POOL_BYTES ((size_t)24 << 20)
#define ARENA_BYTES ((size_t)1 << 19)

static const struct {
  const char *name;
  uint64_t arg, heap_units, frames, slots;
  bool is_stressed;
} rows[] = {
  {"chain", 1000, 100, 100, 4096, false},   {"chain", 1000, 103, 100, 4096, false},    {"chain", 3000, 1 << 16, 100, 4096, false},
  {"chain", 3000, 10000, 100, 4096, false}, {"garbage", 20000, 200, 100, 4096, false}, {"garbage", 300, 100, 100, 4096, true},
  {"mixed", 3000, 800, 100, 4096, false},   {"mixed", 3000, 700, 100, 4096, false},    {"mixed", 3000, 600, 100, 4096, false},
  {"mixed", 3000, 500, 100, 4096, false},   {"mixed", 3000, 400, 100, 4096, false},    {"mixed", 3000, 300, 100, 4096, false},
  {"mixed", 300, 400, 100, 4096, true},     {"array", 5000, 4000, 100, 4096, false},   {"array", 3000, 4000, 100, 4096, false},
  {"deep", 500, 1 << 16, 100, 4096, false}, {"deep", 500, 1 << 16, 1000, 900, false}, {"deep", 500, 1000, 1000, 4096, false},
  {"deep", 80, 1 << 16, 100, 4096, true},   {"exception_kept", 0, 60, 100, 4096, false}, {"uncaught", 0, 1000, 100, 4096, false},
  {"bomb", 1200, 5000, 100, 4096, false},   {"bomb_of_entries", 50, 300, 100, 4096, false}, {"bomb_of_frames", 90, 300, 100, 4096, false},
  {"bomb_of_bodies", 60, 1000, 100, 1 << 16, false},
};

static uint8_t module_bytes[1 << 16];
static uint8_t pool[POOL_BYTES] __attribute__((aligned(16)));
static uint8_t arena_bytes[ARENA_BYTES] __attribute__((aligned(16)));
static size_t pool_used;

static bool take(void *user, struct wm_block *block, uint64_t bytes, uint64_t capacity)
{
  (void)user;
  uint64_t room = (bytes < capacity ? capacity : bytes) + 15;
  if (room > POOL_BYTES - pool_used)
    return false;
  *block = (struct wm_block){pool + pool_used, bytes, capacity, NULL};
  __builtin_memset(block->base, 0, (size_t)room);
  pool_used += (size_t)room & ~(size_t)15;
  return true;
}

static bool grow(void *user, struct wm_block *block, uint64_t bytes)
{
  (void)user;
  if (bytes > block->capacity)
    return false;
  block->bytes = bytes;
  return true;
}

static void release(void *user, struct wm_block *block)
{
  (void)user;
  (void)block;
}

static enum wm_trap keep(void *user, struct wm_store *store, const struct wm_value *args, struct wm_value *results)
{
  (void)user;
  (void)store;
  results[0] = args[0];
  return WM_TRAP_NONE;
}

uint8_t *limits_module(void)
{
  return module_bytes;
}

uint32_t limits_row_count(void)
{
  return sizeof rows / sizeof *rows;
}

static size_t text_length(const char *text)
{
  size_t length = 0;
  while (text[length] != 0)
    length++;
  return length;
}

static uint64_t run_row(uint32_t row, struct wm_store *store, struct wm_module *module, struct wm_extern import)
{
  struct wm_error error = WM_ERROR_NONE;
  struct wm_instance *instance = wm_instance_link(store, module, &import, &error);
  uint64_t offset;
  if (instance == NULL || wm_instance_init(instance, &offset) != WM_TRAP_NONE)
    return LIMITS_FAILED;
  struct wm_run *run = wm_run_open(store);
  const struct wm_export *found = wm_module_find_export(module, rows[row].name, text_length(rows[row].name));
  if (run == NULL || found == NULL)
    return LIMITS_FAILED;
  struct wm_value arg = {WM_TYPE_I32, {rows[row].arg, 0}};
  struct wm_extern function = wm_instance_export(instance, found);
  wm_run_set_budget(run, 10000000);
  if (!wm_run_start(run, function, &arg, wm_types_get(module->types, wm_extern_func_type(function))->param_count, &error))
    return LIMITS_FAILED;
  wm_run_resume(run);
  struct wm_run_status status = wm_run_look(run);
  return status.instructions << 16 | (uint64_t)status.state << 8 | status.trap;
}

uint64_t limits_run(uint32_t row, uint32_t module_length)
{
  struct wm_limits limits = wm_limits_native;
  limits.heap_units = rows[row].heap_units;
  limits.frames = rows[row].frames;
  limits.slots = rows[row].slots;
  limits.table_entries = 64;
  limits.bulk_bytes = (uint64_t)16 << 20;
  const struct wm_host host = {NULL, take, grow, release};
  struct wm_arena arena = {arena_bytes, 0, ARENA_BYTES};
  struct wm_types types;
  struct wm_module module;
  struct wm_error error = WM_ERROR_NONE;
  struct wm_extern import;
  const wm_valtype externref = WM_REF(WM_HEAP_EXTERN, true);
  uint32_t keep_type;
  pool_used = 0;
  if (!wm_types_init(&types, &arena, &limits) || !wm_types_func(&types, &externref, 1, &externref, 1, &keep_type))
    return LIMITS_FAILED;
  struct wm_store *store = wm_store_open(&arena, &limits, &host, &types);
  if (store == NULL || !wm_store_add_function(store, keep_type, keep, NULL, &import) ||
      !wm_module_decode(&module, module_bytes, module_length, &limits, &types, &arena, &error))
    return LIMITS_FAILED;
  wm_store_set_stress(store, rows[row].is_stressed);
  return run_row(row, store, &module, import);
}
