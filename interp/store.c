/* Stores: what is linked together, and what the host puts into it (WebAssembly 3.0, Execution: Store).
 *
 * Bookkeeping comes from the caller's arena and is never given back; blocks of the host are released by wm_store_close. Items that the
 * host adds are checked by nobody: the types it states are believed. */
#include "interp/frame.h"

struct wm_store *wm_store_open(struct wm_arena *arena, const struct wm_limits *limits, const struct wm_host *host, struct wm_types *types)
{
  struct wm_store *store = wm_arena_zero(arena, 1, sizeof *store);
  if (store == NULL)
    return NULL;
  store->arena = arena;
  store->limits = limits;
  store->host = host;
  store->types = types;
  wm_heap_open(store);
  return store;
}

static void release(const struct wm_store *store, struct wm_block *block)
{
  if (block->capacity != 0 || block->base != NULL)
    store->host->release(store->host->user, block);
  *block = (struct wm_block){NULL, 0, 0, NULL};
}

void wm_store_close(struct wm_store *store)
{
  for (struct wm_memory_instance *memory = store->memories; memory != NULL; memory = memory->next)
    release(store, &memory->block);
  for (struct wm_table_instance *table = store->tables; table != NULL; table = table->next)
    release(store, &table->block);
  for (struct wm_instance *instance = store->instances; instance != NULL; instance = instance->next) {
    release(store, &instance->code_block);
    release(store, &instance->fast_block);
  }
  while (store->runs != NULL)
    wm_run_close(store->runs);
  release(store, &store->heap.block);
  release(store, &store->scratch_block);
}

void wm_store_set_stress(struct wm_store *store, bool is_on)
{
  store->is_stressed = is_on;
}

bool wm_store_want_scratch(struct wm_store *store, uint64_t bytes)
{
  struct wm_block *block = &store->scratch_block;
  if (bytes <= block->bytes)
    return true;
  bool is_there = block->capacity == 0 ? store->host->take(store->host->user, block, bytes, bytes)
                                       : store->host->grow(store->host->user, block, bytes);
  if (!is_there)
    return false;
  store->scratch = (struct wm_arena){block->base, 0, (size_t)block->bytes};
  return true;
}

bool wm_store_add_function(struct wm_store *store, uint32_t type_id, wm_host_function function, void *user, struct wm_extern *out)
{
  struct wm_function *made = wm_arena_zero(store->arena, 1, sizeof *made);
  if (made == NULL)
    return false;
  const struct wm_type *signature = wm_types_get(store->types, type_id);
  uint32_t values = signature->param_count + signature->result_count;
  if (values > store->host_value_capacity) {
    struct wm_value *room = wm_arena_take(store->arena, values, sizeof *room);
    if (room == NULL)
      return false;
    store->host_values = room;
    store->host_value_capacity = values;
  }
  made->type = type_id;
  made->index = WM_NO_INDEX;
  made->signature = signature;
  made->param_slots = signature->param_slots;
  made->result_slots = signature->result_slots;
  made->frame_slots = signature->param_slots > signature->result_slots ? signature->param_slots : signature->result_slots;
  made->host = function;
  made->user = user;
  *out = (struct wm_extern){WM_EXTERN_FUNC, made};
  return true;
}

bool wm_store_add_table(struct wm_store *store, struct wm_table_type type, struct wm_extern *out)
{
  struct wm_error error = WM_ERROR_NONE;
  *out = (struct wm_extern){WM_EXTERN_TABLE, wm_table_make(store, type, &error)};
  return out->item != NULL;
}

bool wm_store_add_memory(struct wm_store *store, struct wm_memory_type type, struct wm_extern *out)
{
  struct wm_error error = WM_ERROR_NONE;
  *out = (struct wm_extern){WM_EXTERN_MEMORY, wm_memory_make(store, type, &error)};
  return out->item != NULL;
}

struct wm_global_instance *wm_global_make(struct wm_store *store, struct wm_global_type type)
{
  struct wm_global_instance *global = wm_arena_zero(store->arena, 1, sizeof *global);
  if (global == NULL)
    return NULL;
  global->type = type;
  global->next = store->globals;
  store->globals = global;
  return global;
}

bool wm_store_add_global(struct wm_store *store, struct wm_global_type type, struct wm_value value, struct wm_extern *out)
{
  struct wm_global_instance *global = wm_global_make(store, type);
  *out = (struct wm_extern){WM_EXTERN_GLOBAL, global};
  if (global == NULL)
    return false;
  wm_extern_set_global(*out, value);
  return true;
}

bool wm_store_add_tag(struct wm_store *store, uint32_t type_id, struct wm_extern *out)
{
  struct wm_tag_instance *tag = wm_arena_zero(store->arena, 1, sizeof *tag);
  *out = (struct wm_extern){WM_EXTERN_TAG, tag};
  if (tag == NULL)
    return false;
  tag->type = type_id;
  return true;
}

struct wm_value wm_extern_global(struct wm_extern global)
{
  const struct wm_global_instance *item = global.item;
  return (struct wm_value){item->type.type, {item->bits[0], item->bits[1]}};
}

void wm_extern_set_global(struct wm_extern global, struct wm_value value)
{
  struct wm_global_instance *item = global.item;
  item->bits[0] = value.bits[0];
  item->bits[1] = value.bits[1];
}

uint32_t wm_extern_func_type(struct wm_extern function)
{
  return ((const struct wm_function *)function.item)->type;
}

/* ---- References seen from outside ------------------------------------------------------------------------------- */

struct wm_ref_view wm_ref_look(struct wm_store *store, struct wm_value value)
{
  uint64_t ref = value.bits[0];
  if (ref == 0)
    return (struct wm_ref_view){WM_REF_NULL, 0};
  if (!wm_type_is_traced(store->types, value.type))
    return (struct wm_ref_view){WM_REF_FUNC, wm_ref_function(ref)->index};
  if ((ref & WM_REF_TAG) == WM_REF_TAG_I31)
    return (struct wm_ref_view){WM_REF_I31, ref >> 2};
  if ((ref & WM_REF_TAG) == WM_REF_TAG_HOST)
    return (struct wm_ref_view){WM_REF_HOST, ref >> 2};
  switch (wm_heap_object(&store->heap, ref)->kind) {
  case WM_OBJECT_STRUCT: return (struct wm_ref_view){WM_REF_STRUCT, 0};
  case WM_OBJECT_ARRAY: return (struct wm_ref_view){WM_REF_ARRAY, 0};
  default: return (struct wm_ref_view){WM_REF_EXCEPTION, 0};
  }
}

struct wm_value wm_ref_host(uint64_t number, wm_valtype type)
{
  return (struct wm_value){type, {number << 2 | WM_REF_TAG_HOST, 0}};
}

void wm_store_pin(struct wm_store *store, const struct wm_value *values, uint32_t count)
{
  store->pins = values;
  store->pin_count = count;
}

const char *wm_trap_text(enum wm_trap trap)
{
  static const char *const texts[] = {
#define X(name, text) text,
    WM_TRAPS(X)
#undef X
  };
  return trap < WM_TRAP_COUNT ? texts[trap] : "";
}
