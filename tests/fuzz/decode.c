/* Fuzzes the decoder: any bytes are decoded or refused with a reason, and what is accepted can be walked, disassembled and
 * asked for names in exactly the memory that was announced.
 *
 * The first byte chooses between two sets of limits and two sizes of arena, so that limits and lack of space are reached too. */
#include <stdlib.h>
#include <string.h>

#include "decoder/disasm.h"
#include "decoder/names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
  if (!condition)
    abort();
}

static void check_span(const struct wm_module *module, struct wm_span span)
{
  require(span.offset <= module->size && span.length <= module->size - span.offset);
}

static void check_function(const struct wm_module *module, uint32_t index)
{
  const struct wm_func *func = &module->funcs[index];
  char text[40];
  check_span(module, func->body);
  size_t size = (size_t)wm_walk_scratch(func);
  if (size > 1 << 24)
    return;
  struct wm_arena scratch = {malloc(size), 0, size};
  struct wm_walk walk;
  uint32_t count = 0;
  require(scratch.base != NULL && wm_walk_begin(&walk, module, index, &scratch));
  for (; wm_walk_next(&walk); count++) {
    require(walk.insn.op < WM_OP_COUNT && walk.insn_number == count && walk.insn.length > 0);
    require(walk.operand_slots <= func->max_operand_slots && walk.label_count <= func->max_nesting);
    require(walk.operand_count == 0 || walk.operands[walk.operand_count - 1].slot < walk.operand_slots);
    require(wm_disasm(module, &walk.insn, NULL, text, sizeof text) > 0 && strlen(text) < sizeof text);
  }
  /* The decoder may have walked it in another way (walk_fast.c). */
  require(walk.is_done && walk.error.status == WM_OK && count == func->instruction_count);
  require(walk.max_operand_slots == func->max_operand_slots && walk.max_labels == func->max_nesting);
  require(walk.branch_target_count == func->branch_target_count && walk.handler_count == func->handler_count);
  require(walk.insn.offset + walk.insn.length == func->body.offset + func->body.length);
  for (uint32_t i = 0; i < func->local_count; i++)
    require(wm_walk_local_slot(&walk, i) < func->local_slots);
  free(scratch.base);
}

static void check_expr(const struct wm_module *module, const struct wm_const_expr *expr, wm_valtype type)
{
  check_span(module, expr->code);
  size_t size = (size_t)wm_walk_scratch_const(expr);
  struct wm_arena scratch = {malloc(size), 0, size};
  struct wm_walk walk;
  require(scratch.base != NULL && wm_walk_begin_const(&walk, module, expr, type, &scratch));
  while (wm_walk_next(&walk))
    require(walk.operand_slots <= expr->max_slots);
  require(walk.is_done && walk.insn_number + 1 == expr->instruction_count);
  free(scratch.base);
}

static void check_module(const struct wm_module *module)
{
  for (uint32_t i = module->imported_func_count; i < module->func_count; i++)
    check_function(module, i);
  for (uint32_t i = module->imported_global_count; i < module->global_count; i++)
    check_expr(module, &module->globals[i].init, module->globals[i].type.type);
  for (uint32_t i = 0; i < module->export_count; i++) {
    const struct wm_name *name = &module->exports[i].name;
    require(wm_module_find_export(module, (const char *)name->bytes, name->length) == &module->exports[i]);
  }
  for (uint32_t i = 0; i < module->data_count; i++)
    check_span(module, module->datas[i].bytes);
  for (uint32_t i = 0; i < module->element_count; i++)
    for (uint32_t j = 0; module->elements[i].exprs != NULL && j < module->elements[i].count; j++)
      check_expr(module, &module->elements[i].exprs[j], module->elements[i].type);
  for (uint32_t i = 0; i < 20; i++)
    for (int kind = 0; kind < WM_NAME_KINDS; kind++) {
      struct wm_name name = wm_names_find(module, (enum wm_name_kind)kind, i);
      bool has_two = kind == WM_NAME_LOCAL || kind == WM_NAME_LABEL || kind == WM_NAME_FIELD;
      if (has_two)
        name = wm_names_find_in(module, (enum wm_name_kind)kind, i, 1);
      require(name.bytes >= module->bytes && name.length <= module->size - (uint64_t)(name.bytes - module->bytes));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size == 0)
    return 0;
  const struct wm_limits *limits = (data[0] & 1) != 0 ? &wm_limits_component : &wm_limits_native;
  size_t arena_bytes = (data[0] & 2) != 0 ? (size_t)data[0] * 64 : (size_t)1 << 18;
  struct wm_arena arena = {malloc(arena_bytes > 0 ? arena_bytes : 1), 0, arena_bytes};
  struct wm_types types;
  struct wm_module module;
  struct wm_error error = WM_ERROR_NONE;
  require(arena.base != NULL);
  if (wm_types_init(&types, &arena, limits)) {
    bool is_good = wm_module_decode(&module, data + 1, size - 1, limits, &types, &arena, &error);
    require(is_good == (error.status == WM_OK) && arena.size == arena_bytes && arena.used <= arena.size);
    require(error.status != WM_UNLINKABLE && error.status <= WM_NO_SPACE && error.message != NULL);
    require(is_good || (error.offset <= size - 1 && error.message[0] != '\0'));
    if (is_good)
      check_module(&module);
  }
  free(arena.base);
  return 0;
}
