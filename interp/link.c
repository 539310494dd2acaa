/* Linking and initialising instances (WebAssembly 3.0, Execution: Modules, Instantiation; Validation: Import Matching).
 *
 * wm_instance_link checks every import and makes everything an instance needs, streams' space included, and has no effect on anything
 * that exists. wm_instance_init has effects, in the specification's order, and keeps those that came before a trap. Structs come
 * from the store's arena; the instance lives as long as the store, also after a failed initialisation. */
#include "interp/stream.h"
#include "interp/table.h"

#include "decoder/walk.h"

/* ---- Import matching -------------------------------------------------------------------------------------------- */

static bool limits_match(const struct wm_limits_type *have, const struct wm_limits_type *want)
{
  if (have->is_64 != want->is_64 || have->minimum < want->minimum)
    return false;
  return !want->has_maximum || (have->has_maximum && have->maximum <= want->maximum);
}

static bool global_matches(const struct wm_types *types, const struct wm_global_type *have, const struct wm_global_type *want)
{
  if (have->is_mutable != want->is_mutable)
    return false;
  return want->is_mutable ? have->type == want->type : wm_type_matches(types, have->type, want->type);
}

static bool import_matches(const struct wm_module *module, const struct wm_import *import, struct wm_extern have)
{
  if (have.kind != import->kind)
    return false;
  switch (import->kind) {
  case WM_EXTERN_FUNC:
    return wm_id_matches(module->types, ((const struct wm_function *)have.item)->type, module->funcs[import->index].type);
  case WM_EXTERN_TABLE: {
    const struct wm_table_type *got = &((const struct wm_table_instance *)have.item)->type, *want = &module->tables[import->index].type;
    return got->element == want->element && limits_match(&got->limits, &want->limits);
  }
  case WM_EXTERN_MEMORY:
    return limits_match(&((const struct wm_memory_instance *)have.item)->type.limits, &module->memories[import->index].type.limits);
  case WM_EXTERN_GLOBAL:
    return global_matches(module->types, &((const struct wm_global_instance *)have.item)->type, &module->globals[import->index].type);
  default:
    return ((const struct wm_tag_instance *)have.item)->type == module->tags[import->index].type;
  }
}

static bool check_imports(const struct wm_module *module, const struct wm_extern *imports, struct wm_error *error)
{
  for (uint32_t i = 0; i < module->import_count; i++) {
    if (imports[i].item == NULL) {
      wm_error_set(error, WM_UNLINKABLE, module->imports[i].offset, "unknown import");
      return false;
    }
    if (!import_matches(module, &module->imports[i], imports[i])) {
      wm_error_set(error, WM_UNLINKABLE, module->imports[i].offset, "incompatible import type");
      return false;
    }
  }
  return true;
}

/* ---- Making ------------------------------------------------------------------------------------------------------ */

static bool no_space(struct wm_error *error)
{
  wm_error_set(error, WM_NO_SPACE, WM_NO_OFFSET, "no space for an instance");
  return false;
}

/* Index spaces, empty. */
static bool make_spaces(struct wm_instance *instance)
{
  const struct wm_module *module = instance->module;
  struct wm_arena *arena = instance->store->arena;
  instance->functions = wm_arena_take(arena, module->func_count, sizeof(void *));
  instance->tables = wm_arena_take(arena, module->table_count, sizeof(void *));
  instance->memories = wm_arena_take(arena, module->memory_count, sizeof(void *));
  instance->globals = wm_arena_take(arena, module->global_count, sizeof(void *));
  instance->tags = wm_arena_take(arena, module->tag_count, sizeof(void *));
  instance->elements = wm_arena_zero(arena, module->element_count, sizeof *instance->elements);
  instance->datas = wm_arena_zero(arena, module->data_count, sizeof *instance->datas);
  return instance->functions != NULL && instance->tables != NULL && instance->memories != NULL && instance->globals != NULL &&
         instance->tags != NULL && instance->elements != NULL && instance->datas != NULL;
}

static void place_imports(struct wm_instance *instance, const struct wm_extern *imports)
{
  const struct wm_module *module = instance->module;
  for (uint32_t i = 0; i < module->import_count; i++) {
    uint32_t index = module->imports[i].index;
    switch (imports[i].kind) {
    case WM_EXTERN_FUNC: {
      struct wm_function *function = imports[i].item;
      if (function->index == WM_NO_INDEX)
        function->index = index;
      instance->functions[index] = function;
      break;
    }
    case WM_EXTERN_TABLE: instance->tables[index] = imports[i].item; break;
    case WM_EXTERN_MEMORY: instance->memories[index] = imports[i].item; break;
    case WM_EXTERN_GLOBAL: instance->globals[index] = imports[i].item; break;
    default: instance->tags[index] = imports[i].item; break;
    }
  }
}

static bool make_functions(struct wm_instance *instance)
{
  const struct wm_module *module = instance->module;
  uint32_t first = module->imported_func_count;
  struct wm_function *made = wm_arena_zero(instance->store->arena, module->func_count - first, sizeof *made);
  if (made == NULL)
    return false;
  for (uint32_t i = first; i < module->func_count; i++, made++) {
    const struct wm_func *func = &module->funcs[i];
    made->type = func->type;
    made->index = i;
    made->instance = instance;
    made->signature = wm_types_get(module->types, func->type);
    made->param_slots = made->signature->param_slots;
    made->result_slots = made->signature->result_slots;
    made->local_slots = func->local_slots;
    made->frame_slots = func->local_slots + func->max_operand_slots;
    if (made->frame_slots < made->result_slots)
      made->frame_slots = made->result_slots;
    instance->functions[i] = made;
  }
  return true;
}

static bool make_tables_and_memories(struct wm_instance *instance, struct wm_error *error)
{
  const struct wm_module *module = instance->module;
  for (uint32_t i = module->imported_table_count; i < module->table_count; i++)
    if ((instance->tables[i] = wm_table_make(instance->store, module->tables[i].type, error)) == NULL)
      return false;
  for (uint32_t i = module->imported_memory_count; i < module->memory_count; i++)
    if ((instance->memories[i] = wm_memory_make(instance->store, module->memories[i].type, error)) == NULL)
      return false;
  return true;
}

static bool make_globals_and_tags(struct wm_instance *instance)
{
  const struct wm_module *module = instance->module;
  for (uint32_t i = module->imported_global_count; i < module->global_count; i++)
    if ((instance->globals[i] = wm_global_make(instance->store, module->globals[i].type)) == NULL)
      return false;
  for (uint32_t i = module->imported_tag_count; i < module->tag_count; i++) {
    instance->tags[i] = wm_arena_zero(instance->store->arena, 1, sizeof **instance->tags);
    if (instance->tags[i] == NULL)
      return false;
    instance->tags[i]->type = module->tags[i].type;
  }
  return true;
}

static bool make_segments(struct wm_instance *instance)
{
  const struct wm_module *module = instance->module;
  for (uint32_t i = 0; i < module->element_count; i++) {
    struct wm_element_instance *element = &instance->elements[i];
    element->type = module->elements[i].type;
    element->refs = wm_arena_zero(instance->store->arena, module->elements[i].count, sizeof *element->refs);
    if (element->refs == NULL)
      return false;
    element->count = module->elements[i].count;
  }
  for (uint32_t i = 0; i < module->data_count; i++)
    instance->datas[i] = (struct wm_data_instance){module->bytes + module->datas[i].bytes.offset, module->datas[i].bytes.length};
  return true;
}

/* ---- What the instance will need later: streams, and scratch to walk bodies and constant expressions -------------- */

static uint64_t larger(uint64_t a, uint64_t b)
{
  return a > b ? a : b;
}

static uint64_t const_scratch(const struct wm_const_expr *expr)
{
  return wm_walk_scratch_const(expr) + (uint64_t)(expr->max_slots + 2) * 9 + 32;
}

static uint64_t widest_const(const struct wm_module *module)
{
  uint64_t most = 0;
  for (uint32_t i = module->imported_global_count; i < module->global_count; i++)
    most = larger(most, const_scratch(&module->globals[i].init));
  for (uint32_t i = module->imported_table_count; i < module->table_count; i++)
    if (module->tables[i].has_init)
      most = larger(most, const_scratch(&module->tables[i].init));
  for (uint32_t i = 0; i < module->element_count; i++) {
    const struct wm_element *element = &module->elements[i];
    if (element->mode == WM_SEGMENT_ACTIVE)
      most = larger(most, const_scratch(&element->table_offset));
    for (uint32_t k = 0; element->functions == NULL && k < element->count; k++)
      most = larger(most, const_scratch(&element->exprs[k]));
  }
  for (uint32_t i = 0; i < module->data_count; i++)
    if (module->datas[i].mode == WM_SEGMENT_ACTIVE)
      most = larger(most, const_scratch(&module->datas[i].memory_offset));
  return most;
}

static bool reserve(struct wm_instance *instance)
{
  const struct wm_module *module = instance->module;
  struct wm_store *store = instance->store;
  uint64_t stream = 0, fast = 0, most = 0, scratch = 0, map = 0;
  for (uint32_t i = module->imported_func_count; i < module->func_count; i++) {
    stream += wm_step_space(&module->funcs[i]);
    fast += wm_stream_space(&module->funcs[i], &most);
    scratch = larger(scratch, wm_walk_scratch(&module->funcs[i]));
    map = larger(map, wm_roots_scratch(instance->functions[i]->frame_slots));
  }
  if (!wm_store_want_scratch(store, scratch + widest_const(module) + map))
    return false;
  if (stream == 0)
    return true;
  if (!store->host->take(store->host->user, &instance->code_block, stream, stream))
    return false;
  instance->code = (struct wm_arena){instance->code_block.base, 0, (size_t)instance->code_block.bytes};
  if (fast != 0 && store->host->take(store->host->user, &instance->fast_block, fast + most, fast + most)) /* else: step streams only */
    instance->fast_code = (struct wm_arena){instance->fast_block.base, 0, (size_t)instance->fast_block.bytes};
  return true;
}

struct wm_instance *wm_instance_link(struct wm_store *store, const struct wm_module *module, const struct wm_extern *imports, struct wm_error *error)
{
  if (!check_imports(module, imports, error))
    return NULL;
  struct wm_instance *instance = wm_arena_zero(store->arena, 1, sizeof *instance);
  if (instance == NULL) {
    no_space(error);
    return NULL;
  }
  instance->store = store;
  instance->module = module;
  if (!make_spaces(instance) || !make_functions(instance) || !make_tables_and_memories(instance, error) ||
      !make_globals_and_tags(instance) || !make_segments(instance) || !reserve(instance)) {
    no_space(error); /* unless the error is set already */
    return NULL;
  }
  place_imports(instance, imports);
  instance->next = store->instances;
  store->instances = instance;
  return instance;
}

/* ---- Initialising ------------------------------------------------------------------------------------------------ */

static enum wm_trap init_globals(struct wm_instance *instance, uint64_t *offset)
{
  const struct wm_module *module = instance->module;
  for (uint32_t i = module->imported_global_count; i < module->global_count; i++) {
    *offset = module->globals[i].init.code.offset;
    enum wm_trap trap = wm_const_evaluate(instance, &module->globals[i].init, module->globals[i].type.type, instance->globals[i]->bits);
    if (trap != WM_TRAP_NONE)
      return trap;
  }
  return WM_TRAP_NONE;
}

static enum wm_trap init_tables(struct wm_instance *instance, uint64_t *offset)
{
  const struct wm_module *module = instance->module;
  for (uint32_t i = module->imported_table_count; i < module->table_count; i++) {
    if (!module->tables[i].has_init)
      continue;
    *offset = module->tables[i].init.code.offset;
    uint64_t bits[2];
    enum wm_trap trap = wm_const_evaluate(instance, &module->tables[i].init, module->tables[i].type.element, bits);
    if (trap == WM_TRAP_NONE)
      trap = wm_table_fill(instance->tables[i], 0, bits[0], instance->tables[i]->length);
    if (trap != WM_TRAP_NONE)
      return trap;
  }
  return WM_TRAP_NONE;
}

/* The references of every segment, once; declarative ones are dropped at once. */
static enum wm_trap init_elements(struct wm_instance *instance, uint64_t *offset)
{
  const struct wm_module *module = instance->module;
  for (uint32_t i = 0; i < module->element_count; i++) {
    const struct wm_element *element = &module->elements[i];
    uint64_t *refs = instance->elements[i].refs;
    for (uint32_t k = 0; k < element->count; k++) {
      if (element->functions != NULL) {
        refs[k] = wm_function_ref(instance->functions[element->functions[k]]);
        continue;
      }
      uint64_t bits[2];
      *offset = element->exprs[k].code.offset;
      enum wm_trap trap = wm_const_evaluate(instance, &element->exprs[k], element->type, bits);
      if (trap != WM_TRAP_NONE)
        return trap;
      refs[k] = bits[0];
    }
    if (element->mode == WM_SEGMENT_DECLARATIVE)
      instance->elements[i].count = 0;
  }
  return WM_TRAP_NONE;
}

static wm_valtype address_type(bool is_64)
{
  return is_64 ? WM_TYPE_I64 : WM_TYPE_I32;
}

static enum wm_trap copy_elements(struct wm_instance *instance, uint64_t *offset)
{
  const struct wm_module *module = instance->module;
  for (uint32_t i = 0; i < module->element_count; i++) {
    const struct wm_element *element = &module->elements[i];
    if (element->mode != WM_SEGMENT_ACTIVE)
      continue;
    struct wm_table_instance *table = instance->tables[element->table];
    uint64_t at[2];
    *offset = element->table_offset.code.offset;
    enum wm_trap trap = wm_const_evaluate(instance, &element->table_offset, address_type(table->type.limits.is_64), at);
    if (trap == WM_TRAP_NONE)
      trap = wm_table_init(table, at[0], &instance->elements[i], 0, element->count);
    if (trap != WM_TRAP_NONE)
      return trap;
    instance->elements[i].count = 0;
  }
  return WM_TRAP_NONE;
}

static enum wm_trap copy_datas(struct wm_instance *instance, uint64_t *offset)
{
  const struct wm_module *module = instance->module;
  for (uint32_t i = 0; i < module->data_count; i++) {
    const struct wm_data *data = &module->datas[i];
    if (data->mode != WM_SEGMENT_ACTIVE)
      continue;
    struct wm_memory_instance *memory = instance->memories[data->memory];
    uint64_t at[2];
    *offset = data->memory_offset.code.offset;
    enum wm_trap trap = wm_const_evaluate(instance, &data->memory_offset, address_type(memory->type.limits.is_64), at);
    if (trap == WM_TRAP_NONE && !wm_range_fits(at[0], data->bytes.length, memory->length))
      trap = WM_TRAP_OUT_OF_BOUNDS_MEMORY;
    if (trap != WM_TRAP_NONE)
      return trap;
    if (data->bytes.length != 0)
      __builtin_memcpy(memory->base + at[0], instance->datas[i].bytes, (size_t)data->bytes.length);
    instance->datas[i].length = 0;
  }
  return WM_TRAP_NONE;
}

enum wm_trap wm_instance_init(struct wm_instance *instance, uint64_t *offset)
{
  enum wm_trap trap = init_globals(instance, offset);
  if (trap == WM_TRAP_NONE)
    trap = init_tables(instance, offset);
  if (trap == WM_TRAP_NONE)
    trap = init_elements(instance, offset);
  if (trap == WM_TRAP_NONE)
    trap = copy_elements(instance, offset);
  if (trap == WM_TRAP_NONE)
    trap = copy_datas(instance, offset);
  return trap;
}

/* ---- Looking at instances ------------------------------------------------------------------------------------------ */

bool wm_instance_lower_all(struct wm_instance *instance)
{
  for (uint32_t i = instance->module->imported_func_count; i < instance->module->func_count; i++)
    if (instance->functions[i]->steps == NULL)
      wm_step_lower(instance->functions[i]);
  return true;
}

const struct wm_module *wm_instance_module(const struct wm_instance *instance)
{
  return instance->module;
}

struct wm_extern wm_instance_item(const struct wm_instance *instance, uint8_t kind, uint32_t index)
{
  switch (kind) {
  case WM_EXTERN_FUNC: return (struct wm_extern){kind, instance->functions[index]};
  case WM_EXTERN_TABLE: return (struct wm_extern){kind, instance->tables[index]};
  case WM_EXTERN_MEMORY: return (struct wm_extern){kind, instance->memories[index]};
  case WM_EXTERN_GLOBAL: return (struct wm_extern){kind, instance->globals[index]};
  default: return (struct wm_extern){kind, instance->tags[index]};
  }
}

struct wm_extern wm_instance_export(const struct wm_instance *instance, const struct wm_export *export_)
{
  return wm_instance_item(instance, export_->kind, export_->index);
}

struct wm_memory_bytes wm_instance_memory(const struct wm_instance *instance, uint32_t index)
{
  return (struct wm_memory_bytes){instance->memories[index]->base, instance->memories[index]->length};
}
