/* Features of a module; see feature.h. Opcodes are sorted by their encoding, as the proposals assigned it. */
#include "cli/feature.h"

#include "decoder/walk.h"

const char *const wm_feature_names[WM_FEATURE_COUNT] = {
#define X(name, text) text,
  WM_FEATURES(X)
#undef X
};

#define BIT(name) (UINT32_C(1) << WM_FEATURE_##name)

/* One-byte opcodes, in ascending ranges. */
static uint32_t plain_feature(uint32_t code)
{
  static const struct { uint8_t first, last; uint32_t feature; } ranges[] = {
    {0x08, 0x0a, BIT(EXCEPTIONS)}, {0x12, 0x13, BIT(TAIL_CALL)}, {0x14, 0x14, BIT(FUNCTION_REFERENCES)},
    {0x15, 0x15, BIT(TAIL_CALL) | BIT(FUNCTION_REFERENCES)}, {0x1c, 0x1c, BIT(REFERENCE_TYPES)}, {0x1f, 0x1f, BIT(EXCEPTIONS)},
    {0x25, 0x26, BIT(REFERENCE_TYPES)}, {0xc0, 0xc4, BIT(SIGN_EXTENSION)}, {0xd0, 0xd2, BIT(REFERENCE_TYPES)}, {0xd3, 0xd3, BIT(GC)},
    {0xd4, 0xd6, BIT(FUNCTION_REFERENCES)},
  };
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
    if (code >= ranges[i].first && code <= ranges[i].last)
      return ranges[i].feature;
  return 0;
}

static uint32_t opcode_feature(const struct wm_opcode *opcode)
{
  switch (opcode->prefix) {
  case 0:
    return plain_feature(opcode->code);
  case 0xfb:
    return BIT(GC);
  case 0xfc:
    return opcode->code < 8 ? BIT(SATURATING) : opcode->code < 15 ? BIT(BULK_MEMORY) : BIT(REFERENCE_TYPES);
  default:
    return opcode->code >= 0x100 ? BIT(RELAXED_SIMD) | BIT(SIMD) : BIT(SIMD);
  }
}

static uint32_t type_feature(wm_valtype type)
{
  if (type == WM_TYPE_V128)
    return BIT(SIMD);
  if (!wm_type_is_ref(type))
    return 0;
  switch (wm_type_heap(type)) {
  case WM_HEAP_FUNC:
  case WM_HEAP_EXTERN:
    return BIT(REFERENCE_TYPES) | (wm_type_is_nullable(type) ? 0 : BIT(FUNCTION_REFERENCES));
  case WM_HEAP_EXN:
  case WM_HEAP_NOEXN:
    return BIT(EXCEPTIONS);
  default:
    return wm_type_heap(type) >= WM_HEAP_FIRST_ID ? BIT(FUNCTION_REFERENCES) : BIT(GC);
  }
}

static uint32_t types_features(const struct wm_module *module)
{
  uint32_t found = 0;
  for (uint32_t i = 0; i < module->type_count; i++) {
    const struct wm_type *type = wm_types_get(module->types, module->type_ids[i]);
    if (type->composite != WM_COMPOSITE_FUNC)
      found |= BIT(GC);
    if (type->result_count > 1)
      found |= BIT(MULTI_VALUE);
    for (uint32_t p = 0; p < type->param_count; p++)
      found |= type_feature(type->params[p]);
    for (uint32_t r = 0; r < type->result_count; r++)
      found |= type_feature(type->results[r]);
  }
  return found;
}

/* Constant expressions longer than one instruction and `end` came with extended-const (or gc, which has its own opcodes). */
static uint32_t global_features(const struct wm_module *module)
{
  uint32_t found = 0;
  for (uint32_t i = 0; i < module->global_count; i++) {
    const struct wm_global *global = &module->globals[i];
    found |= type_feature(global->type.type);
    if (global->is_import && global->type.is_mutable)
      found |= BIT(MUTABLE_GLOBALS);
    if (!global->is_import && global->init.instruction_count > 2)
      found |= BIT(EXTENDED_CONST);
  }
  for (uint32_t i = 0; i < module->export_count; i++)
    if (module->exports[i].kind == WM_EXTERN_GLOBAL && module->globals[module->exports[i].index].type.is_mutable)
      found |= BIT(MUTABLE_GLOBALS);
  return found;
}

static uint32_t section_features(const struct wm_module *module)
{
  uint32_t found = global_features(module);
  if (module->memory_count > 1)
    found |= BIT(MULTI_MEMORY);
  for (uint32_t i = 0; i < module->memory_count; i++)
    found |= module->memories[i].type.limits.is_64 ? BIT(MEMORY64) : 0;
  if (module->table_count > 1)
    found |= BIT(REFERENCE_TYPES);
  for (uint32_t i = 0; i < module->table_count; i++)
    found |= module->tables[i].type.limits.is_64 ? BIT(TABLE64) : 0;
  if (module->tag_count > 0)
    found |= BIT(EXCEPTIONS);
  for (uint32_t i = 0; i < module->data_count; i++)
    found |= module->datas[i].mode != WM_SEGMENT_ACTIVE ? BIT(BULK_MEMORY) : 0;
  for (uint32_t i = 0; i < module->element_count; i++)
    found |= module->elements[i].mode == WM_SEGMENT_PASSIVE ? BIT(BULK_MEMORY) : 0;
  return found;
}

static bool find_in_body(const struct wm_module *module, uint32_t func, struct wm_arena *scratch, uint32_t *found)
{
  for (uint32_t i = 0; i < module->funcs[func].local_group_count; i++)
    *found |= type_feature(module->funcs[func].local_groups[i].type);
  struct wm_walk walk;
  if (!wm_walk_begin(&walk, module, func, scratch))
    return false;
  while (wm_walk_next(&walk)) {
    const struct wm_opcode *opcode = &wm_opcodes[walk.insn.op];
    *found |= opcode_feature(opcode);
    if ((opcode->immediates == WM_IMM_BLOCK || opcode->immediates == WM_IMM_TRY_TABLE) && walk.label_count > 0 &&
        (wm_walk_label(&walk, 0)->param_count > 0 || wm_walk_label(&walk, 0)->result_count > 1))
      *found |= BIT(MULTI_VALUE);
  }
  return walk.error.status == WM_OK;
}

bool wm_features_find(const struct wm_module *module, struct wm_arena *scratch, uint32_t *features)
{
  uint32_t found = types_features(module) | section_features(module);
  size_t mark = scratch->used;
  bool has_space = true;
  for (uint32_t i = module->imported_func_count; i < module->func_count && has_space; i++) {
    has_space = find_in_body(module, i, scratch, &found);
    scratch->used = mark;
  }
  *features = found;
  return has_space;
}
