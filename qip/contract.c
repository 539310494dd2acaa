/* Recognising a component and reading what it declares, export by export. Nothing runs here. */
#include "qip/contract.h"

#include "decoder/walk.h"
#include "instrument/text.h"
#include "qip/constant.h"
#include "qip/uniforms.h"

#define CONTENT_TYPE_BYTES 1024 /* longer ones are refused */
#define WASM_PAGE_BYTES 65536u

struct reader {
  struct wm_contract *contract;
  const struct wm_module *module;
  const struct wm_constant *globals;
  struct wm_arena *arena;
  struct wm_problem *problem;
};

const char *wm_encoding_name(enum wm_encoding encoding)
{
  static const char *const names[] = {"none", "bytes", "utf8", "i32"};
  return names[encoding];
}

/* ---- Problems --------------------------------------------------------------------------------------------------- */

/* `NAME AFTER`. */
static bool violation(struct reader *r, const char *name, const char *after)
{
  if (wm_problem_begin(r->problem, WM_CONTRACT)) {
    wm_problem_text(r->problem, name);
    wm_problem_text(r->problem, after);
  }
  return false;
}

/* `A MIDDLE B`. */
static bool violation_of_two(struct reader *r, const char *a, const char *middle, const char *b)
{
  violation(r, a, middle);
  wm_problem_text(r->problem, b);
  return false;
}

static bool no_space(struct reader *r)
{
  if (wm_problem_begin(r->problem, WM_NO_SPACE))
    wm_problem_text(r->problem, "no memory for the component's contract");
  return false;
}

static void add_range(struct wm_problem *problem, uint64_t address, uint64_t length)
{
  wm_problem_text(problem, "[");
  wm_problem_number(problem, address);
  wm_problem_text(problem, ", ");
  wm_problem_number(problem, address + length);
  wm_problem_text(problem, ")");
}

/* ---- Exports ---------------------------------------------------------------------------------------------------- */

static const struct wm_export *find_export(const struct wm_module *module, const char *name)
{
  struct wm_text text = wm_text_of(name);
  return wm_module_find_export(module, text.bytes, text.length);
}

static wm_valtype type_of_letter(char letter)
{
  return letter == 'i' ? WM_TYPE_I32 : WM_TYPE_I64;
}

/* Signature letters as in opcodes.def: "i:I" is (i32) -> (i64). */
static bool has_signature(const struct wm_type *type, const char *signature)
{
  uint32_t i = 0;
  for (; *signature != ':'; signature++, i++)
    if (i >= type->param_count || type->params[i] != type_of_letter(*signature))
      return false;
  if (i != type->param_count)
    return false;
  for (signature++, i = 0; *signature; signature++, i++)
    if (i >= type->result_count || type->results[i] != type_of_letter(*signature))
      return false;
  return i == type->result_count;
}

/* The function exported under that name if it has this signature, else WM_NO_INDEX. */
static uint32_t find_function(const struct wm_module *module, const char *name, const char *signature)
{
  const struct wm_export *export_ = find_export(module, name);
  if (export_ == NULL || export_->kind != WM_EXTERN_FUNC || !has_signature(wm_func_type(module, export_->index), signature))
    return WM_NO_INDEX;
  return export_->index;
}

/* ---- Generation ------------------------------------------------------------------------------------------------- */

static bool find_version(struct reader *r)
{
  const struct wm_module *module = r->module;
  struct wm_contract *contract = r->contract;
  if (find_export(module, "tile_rgba32float_64x64") != NULL)
    return violation(r, "tile_rgba32float_64x64", ": Tile components are not supported, this is one");
  uint32_t v1 = find_function(module, "run", "i:i"), v2 = find_function(module, "render", "i:i"), v3 = find_function(module, "render", "i:I");
  if (v1 != WM_NO_INDEX && (v2 != WM_NO_INDEX || v3 != WM_NO_INDEX))
    return violation(r, "run", " and render are both exported: contract V1 and a later one at once");
  contract->version = v3 != WM_NO_INDEX ? WM_CONTRACT_V3 : v2 != WM_NO_INDEX ? WM_CONTRACT_V2 : v1 != WM_NO_INDEX ? WM_CONTRACT_V1 : WM_CONTRACT_NONE;
  contract->entry = v3 != WM_NO_INDEX ? v3 : v2 != WM_NO_INDEX ? v2 : v1;
  if (contract->version != WM_CONTRACT_NONE)
    return true;
  if (find_export(module, "render") != NULL)
    return violation(r, "render", " must be a function that takes one i32 and returns one i64 (one i32 in contract V2)");
  if (find_export(module, "run") != NULL)
    return violation(r, "run", " must be a function that takes one i32 and returns one i32");
  return violation(r, "render", " is not exported, nor is run: this is no component");
}

/* What runs before or beside the component. */
static bool check_surroundings(struct reader *r, uint32_t flags)
{
  const struct wm_module *module = r->module;
  if (module->has_start && !(flags & WM_CONTRACT_ALLOW_START)) {
    violation(r, "a component may not have a start function", "");
    r->problem->function = module->start;
    return false;
  }
  for (uint32_t i = 0; i < module->import_count; i++) {
    const struct wm_import *import = &module->imports[i];
    if (flags & WM_CONTRACT_ALLOW_IMPORTS && import->kind == WM_EXTERN_FUNC)
      continue;
    violation(r, "a component may not import, this one imports ", "");
    wm_problem_bytes(r->problem, (const char *)import->module.bytes, import->module.length);
    wm_problem_text(r->problem, ".");
    wm_problem_bytes(r->problem, (const char *)import->name.bytes, import->name.length);
    r->problem->offset = import->offset;
    return false;
  }
  return true;
}

static bool read_memory(struct reader *r)
{
  const struct wm_export *export_ = find_export(r->module, "memory");
  if (export_ == NULL)
    return violation(r, "memory", " is not exported");
  if (export_->kind != WM_EXTERN_MEMORY || export_->index != 0)
    return violation(r, "memory", " must be the module's memory 0");
  const struct wm_limits_type *limits = &r->module->memories[0].type.limits;
  if (limits->is_64)
    return violation(r, "memory", " must have 32-bit addresses");
  r->contract->has_memory = true;
  r->contract->memory_bytes = limits->minimum * WASM_PAGE_BYTES;
  return true;
}

/* ---- Getters ---------------------------------------------------------------------------------------------------- */

/* Reads a body of the static form: one constant and `end`. False: it has another form, or the arena is used up. */
static bool read_static_body(struct reader *r, uint32_t index, uint32_t *value)
{
  const struct wm_func *func = &r->module->funcs[index];
  if (func->is_import || func->instruction_count != 2)
    return false;
  struct wm_walk walk;
  size_t used = r->arena->used;
  bool is_static = false;
  if (wm_walk_begin(&walk, r->module, index, r->arena) && wm_walk_next(&walk)) {
    const struct wm_insn *insn = &walk.insn;
    if (insn->op == WM_OP_I32_CONST) {
      *value = (uint32_t)insn->imm.integer;
      is_static = true;
    } else if (insn->op == WM_OP_GLOBAL_GET) {
      is_static = !r->module->globals[insn->index].type.is_mutable && r->globals[insn->index].is_known;
      *value = (uint32_t)r->globals[insn->index].value;
    }
  } else {
    no_space(r); /* a decoded body has no other reason to stop */
  }
  r->arena->used = used;
  return is_static;
}

static bool read_global_getter(struct reader *r, const char *name, uint32_t index, struct wm_getter *getter)
{
  const struct wm_global *global = &r->module->globals[index];
  if (r->contract->version != WM_CONTRACT_V1)
    return violation(r, name, " is exported as a global, it must be a function");
  if (global->type.type != WM_TYPE_I32)
    return violation(r, name, " must be an i32 global, or a function that takes nothing and returns one i32");
  getter->is_global = true;
  getter->is_static = getter->is_known = !global->type.is_mutable && r->globals[index].is_known;
  getter->value = (uint32_t)r->globals[index].value;
  return true;
}

/* A getter that may be there. V3: it must be static. */
static bool read_getter(struct reader *r, const char *name, struct wm_getter *getter)
{
  const struct wm_export *export_ = find_export(r->module, name);
  if (export_ == NULL)
    return true;
  getter->is_present = true;
  getter->index = export_->index;
  if (export_->kind == WM_EXTERN_GLOBAL)
    return read_global_getter(r, name, export_->index, getter);
  if (export_->kind != WM_EXTERN_FUNC || !has_signature(wm_func_type(r->module, export_->index), ":i"))
    return violation(r, name, " must be a function that takes nothing and returns one i32");
  getter->is_static = getter->is_known = read_static_body(r, export_->index, &getter->value);
  if (r->problem->status != WM_OK)
    return false;
  if (!getter->is_static && r->contract->version == WM_CONTRACT_V3)
    return violation(r, name, " must be static: one i32.const, or one global.get of an immutable i32 global, then end");
  return true;
}

/* Reads capacities: at most one of the names (ends with NULL) may be exported. */
struct capacity { const char *name; uint8_t encoding; };

static bool read_capacity(struct reader *r, const struct capacity *choices, struct wm_getter *getter, uint8_t *encoding, const char **name)
{
  *name = NULL;
  for (; choices->name != NULL; choices++) {
    struct wm_getter found = {.is_present = false};
    if (!read_getter(r, choices->name, &found))
      return false;
    if (!found.is_present)
      continue;
    if (*name != NULL)
      return violation_of_two(r, *name, " is exported beside ", choices->name);
    *name = choices->name;
    *encoding = choices->encoding;
    *getter = found;
  }
  return true;
}

/* ---- Content types ---------------------------------------------------------------------------------------------- */

bool wm_contract_read_type(struct wm_contract *contract, const char *name, const uint8_t *memory, uint64_t memory_bytes,
                           struct wm_content_type *type, struct wm_problem *problem)
{
  struct reader r = {contract, contract->module, NULL, contract->arena, problem};
  uint64_t address = type->pointer.value, length = type->size.value;
  if (length == 0)
    return violation(&r, name, "_size is 0: a declared content type may not be empty");
  if (length > CONTENT_TYPE_BYTES)
    return violation(&r, name, "_size is more than 1024");
  if (address + length > memory_bytes) {
    violation(&r, name, "_ptr: ");
    add_range(problem, address, length);
    wm_problem_text(problem, " is not within memory");
    return false;
  }
  char *bytes = wm_arena_zero(contract->arena, (size_t)length, 1);
  if (bytes == NULL)
    return no_space(&r);
  type->text = (struct wm_text){bytes, (uint32_t)length};
  if (memory != NULL) {
    __builtin_memcpy(bytes, memory + address, (size_t)length);
    return true;
  }
  /* What initialisation will leave there: zeros, and the segments in order. */
  for (uint32_t i = 0; i < contract->data_count; i++) {
    const struct wm_contract_data *data = &contract->datas[i];
    uint64_t from = data->address > address ? data->address : address;
    uint64_t to = data->address + data->length < address + length ? data->address + data->length : address + length;
    if (data->memory != 0 || from >= to)
      continue;
    const uint8_t *source = contract->module->bytes + contract->module->datas[data->segment].bytes.offset;
    __builtin_memcpy(bytes + (from - address), source + (from - data->address), (size_t)(to - from));
  }
  return true;
}

static bool read_content_type(struct reader *r, const char *pointer_name, const char *size_name, const char *name, struct wm_content_type *type)
{
  if (!read_getter(r, pointer_name, &type->pointer) || !read_getter(r, size_name, &type->size))
    return false;
  if (type->pointer.is_present != type->size.is_present)
    return type->pointer.is_present ? violation_of_two(r, pointer_name, " is exported without ", size_name)
                                    : violation_of_two(r, size_name, " is exported without ", pointer_name);
  if (!type->pointer.is_known || !type->size.is_known)
    return true;
  return wm_contract_read_type(r->contract, name, NULL, r->contract->memory_bytes, type, r->problem);
}

/* ---- Data segments and the input region -------------------------------------------------------------------------- */

static bool read_datas(struct reader *r)
{
  const struct wm_module *module = r->module;
  struct wm_contract_data *datas = wm_arena_take(r->arena, module->data_count + (size_t)1, sizeof *datas);
  if (datas == NULL)
    return no_space(r);
  r->contract->datas = datas;
  for (uint32_t i = 0; i < module->data_count; i++) {
    const struct wm_data *data = &module->datas[i];
    if (data->mode != WM_SEGMENT_ACTIVE)
      continue;
    wm_valtype type = module->memories[data->memory].type.limits.is_64 ? WM_TYPE_I64 : WM_TYPE_I32;
    struct wm_constant address;
    if (!wm_constant_evaluate(module, r->globals, &data->memory_offset, type, r->arena, &address))
      return no_space(r);
    if (!address.is_known) {
      violation(r, "a data segment's address is not known before the run", "");
      r->problem->offset = data->memory_offset.code.offset;
      return false;
    }
    datas[r->contract->data_count++] = (struct wm_contract_data){i, data->memory, address.value, data->bytes.length};
  }
  return true;
}

bool wm_contract_check_input_region(const struct wm_contract *contract, uint64_t memory_bytes, struct wm_problem *problem)
{
  uint64_t address = contract->input_ptr.value, length = contract->input_cap.value;
  if (address + length <= memory_bytes)
    return true;
  if (wm_problem_begin(problem, WM_CONTRACT)) {
    wm_problem_text(problem, "input_ptr: the input buffer ");
    add_range(problem, address, length);
    wm_problem_text(problem, " is not within the initial memory of ");
    wm_problem_number(problem, memory_bytes);
    wm_problem_text(problem, " bytes");
  }
  return false;
}

static bool check_input_placement(struct reader *r)
{
  const struct wm_contract *contract = r->contract;
  if (!wm_contract_check_input_region(contract, contract->memory_bytes, r->problem))
    return false;
  uint64_t start = contract->input_ptr.value, end = start + contract->input_cap.value;
  for (uint32_t i = 0; i < contract->data_count; i++) {
    const struct wm_contract_data *data = &contract->datas[i];
    if (data->memory != 0 || data->length == 0 || start == end)
      continue;
    if (data->address >= end || start >= data->address + data->length)
      continue;
    violation(r, "input_ptr", ": the input buffer ");
    add_range(r->problem, start, end - start);
    wm_problem_text(r->problem, " overlaps data segment ");
    wm_problem_number(r->problem, data->segment);
    wm_problem_text(r->problem, " at ");
    add_range(r->problem, data->address, data->length);
    return false;
  }
  return true;
}

/* ---- The three generations ---------------------------------------------------------------------------------------- */

static const struct capacity input_capacities[] = {{"input_utf8_cap", WM_ENCODING_UTF8}, {"input_bytes_cap", WM_ENCODING_BYTES}, {NULL, 0}};
static const struct capacity output_capacities[] = {{"output_utf8_cap", WM_ENCODING_UTF8}, {"output_bytes_cap", WM_ENCODING_BYTES}, {NULL, 0}};
static const struct capacity output_capacities_v1[] = {
  {"output_utf8_cap", WM_ENCODING_UTF8}, {"output_bytes_cap", WM_ENCODING_BYTES}, {"output_i32_cap", WM_ENCODING_I32}, {NULL, 0}};

static bool read_input(struct reader *r)
{
  struct wm_contract *contract = r->contract;
  const char *cap;
  if (!read_getter(r, "input_ptr", &contract->input_ptr) ||
      !read_capacity(r, input_capacities, &contract->input_cap, &contract->input_encoding, &cap))
    return false;
  if (contract->input_ptr.is_present && cap == NULL)
    return violation(r, "input_ptr", " is exported without input_utf8_cap or input_bytes_cap");
  if (!contract->input_ptr.is_present && cap != NULL)
    return violation(r, cap, " is exported without input_ptr");
  contract->is_generator = !contract->input_ptr.is_present;
  if (contract->is_generator && contract->version != WM_CONTRACT_V3)
    return violation(r, "input_ptr", " is not exported: before contract V3 every component takes input");
  return true;
}

static bool read_output(struct reader *r)
{
  struct wm_contract *contract = r->contract;
  bool is_v1 = contract->version == WM_CONTRACT_V1;
  const char *cap;
  if (!read_capacity(r, is_v1 ? output_capacities_v1 : output_capacities, &contract->output_cap, &contract->output_encoding, &cap))
    return false;
  if (cap == NULL && !is_v1)
    return violation(r, "output_utf8_cap", " is not exported, nor is output_bytes_cap: one of them must be");
  if (contract->version == WM_CONTRACT_V3)
    return true;
  if (!read_getter(r, "output_ptr", &contract->output_ptr))
    return false;
  if (cap != NULL && !contract->output_ptr.is_present)
    return violation(r, "output_ptr", " is not exported");
  return true;
}

static bool read_types(struct reader *r)
{
  struct wm_contract *contract = r->contract;
  if (contract->version == WM_CONTRACT_V1)
    return true;
  if (!read_content_type(r, "input_content_type_ptr", "input_content_type_size", "input_content_type", &contract->input_type) ||
      !read_content_type(r, "output_content_type_ptr", "output_content_type_size", "output_content_type", &contract->output_type))
    return false;
  if (contract->is_generator && contract->input_type.pointer.is_present)
    return violation(r, "input_content_type_ptr", " is exported by a component that takes no input");
  return true;
}

static bool read_verdicts(struct reader *r)
{
  struct wm_contract *contract = r->contract;
  if (contract->version == WM_CONTRACT_V3)
    return read_getter(r, "failure_modes_per_input_offset", &contract->failure_modes);
  if (contract->version == WM_CONTRACT_V2 && find_export(r->module, "commit") != NULL) {
    contract->commit = find_function(r->module, "commit", ":I");
    if (contract->commit == WM_NO_INDEX)
      return violation(r, "commit", " must be a function that takes nothing and returns one i64");
  }
  return true;
}

/* ---- Uniforms and the lifecycle ------------------------------------------------------------------------------------ */

static bool read_setter_name(struct wm_name name, struct wm_text *key)
{
  static const char prefix[] = "uniform_set_";
  uint32_t length = sizeof prefix - 1;
  if (name.length < length || !wm_bytes_equal(name.bytes, prefix, length))
    return false;
  *key = (struct wm_text){(const char *)name.bytes + length, name.length - length};
  return wm_uniform_key_is_valid(*key);
}

/* Shell's sort: a module may export very many. */
static void sort_uniforms(struct wm_contract_uniform *uniforms, uint32_t count)
{
  uint32_t gap = 1;
  while (gap < count / 3)
    gap = 3 * gap + 1;
  for (; gap > 0; gap /= 3)
    for (uint32_t i = gap; i < count; i++) {
      struct wm_contract_uniform moving = uniforms[i];
      uint32_t to = i;
      for (; to >= gap && wm_text_compare(uniforms[to - gap].key, moving.key) > 0; to -= gap)
        uniforms[to] = uniforms[to - gap];
      uniforms[to] = moving;
    }
}

static bool read_uniforms(struct reader *r)
{
  const struct wm_module *module = r->module;
  struct wm_text key;
  uint32_t count = 0;
  for (uint32_t i = 0; i < module->export_count; i++)
    count += read_setter_name(module->exports[i].name, &key);
  struct wm_contract_uniform *uniforms = wm_arena_take(r->arena, count + (size_t)1, sizeof *uniforms);
  if (uniforms == NULL)
    return no_space(r);
  count = 0;
  for (uint32_t i = 0; i < module->export_count; i++) {
    const struct wm_export *export_ = &module->exports[i];
    if (!read_setter_name(export_->name, &key))
      continue;
    struct wm_contract_uniform *uniform = &uniforms[count++];
    *uniform = (struct wm_contract_uniform){key, 0, WM_NO_INDEX};
    if (export_->kind != WM_EXTERN_FUNC)
      continue;
    const struct wm_type *type = wm_func_type(module, export_->index);
    uniform->function = export_->index;
    if (type->param_count == 1 && type->result_count == 1 && type->params[0] == type->results[0] && type->params[0] >= WM_TYPE_F64 &&
        type->params[0] <= WM_TYPE_I32)
      uniform->type = type->params[0];
  }
  sort_uniforms(uniforms, count);
  r->contract->uniforms = uniforms;
  r->contract->uniform_count = count;
  return true;
}

static void read_lifecycle(struct reader *r)
{
  struct wm_contract *contract = r->contract;
  contract->begin_update_at = find_function(r->module, "begin_update_at", "I:");
  contract->finish_update = find_function(r->module, "finish_update", ":I");
  contract->key_event = find_function(r->module, "key_event", "ii:i");
  contract->pointer_event = find_function(r->module, "pointer_event", "iii:i");
  contract->is_interactive = contract->version == WM_CONTRACT_V3 && contract->begin_update_at != WM_NO_INDEX && contract->finish_update != WM_NO_INDEX;
  contract->layer_times_ptr = find_function(r->module, "layer_times_ptr", ":i");
  contract->layer_times_len = find_function(r->module, "layer_times_len", ":i");
}

bool wm_contract_read(struct wm_contract *contract, const struct wm_module *module, uint32_t flags, struct wm_arena *arena,
                      struct wm_problem *problem)
{
  *contract = (struct wm_contract){.module = module, .entry = WM_NO_INDEX, .commit = WM_NO_INDEX, .begin_update_at = WM_NO_INDEX,
    .finish_update = WM_NO_INDEX, .key_event = WM_NO_INDEX, .pointer_event = WM_NO_INDEX, .layer_times_ptr = WM_NO_INDEX,
    .layer_times_len = WM_NO_INDEX, .arena = arena};
  struct reader r = {contract, module, NULL, arena, problem};
  if (!find_version(&r) || !check_surroundings(&r, flags) || !read_memory(&r))
    return false;
  r.globals = wm_constants_of_globals(module, arena);
  if (r.globals == NULL)
    return no_space(&r);
  if (!read_datas(&r) || !read_input(&r) || !read_output(&r) || !read_types(&r) || !read_verdicts(&r) || !read_uniforms(&r))
    return false;
  read_lifecycle(&r);
  if (contract->version == WM_CONTRACT_V3 && !contract->is_generator)
    return check_input_placement(&r);
  return true;
}

const struct wm_contract_uniform *wm_contract_find_uniform(const struct wm_contract *contract, struct wm_text key)
{
  uint32_t low = 0, high = contract->uniform_count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    int order = wm_text_compare(contract->uniforms[middle].key, key);
    if (order == 0)
      return &contract->uniforms[middle];
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}
