/* Loading a twin and comparing it; see twin.h. Both modules share one registry of types, so types are equal when their canonical ids
 * are, inside value types and instructions too. */
#include "cli/twin.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/host_memory.h"
#include "cli/message.h"
#include "decoder/walk.h"

static bool same_types(const struct wm_module *ours, const struct wm_module *twins)
{
  return ours->type_count == twins->type_count && (ours->type_count == 0 ||
         memcmp(ours->type_ids, twins->type_ids, ours->type_count * sizeof *ours->type_ids) == 0);
}

/* ---- Imports ---------------------------------------------------------------------------------------------------- */

static bool same_name(struct wm_name a, struct wm_name b)
{
  return a.length == b.length && (a.length == 0 || memcmp(a.bytes, b.bytes, a.length) == 0);
}

static bool same_imports(const struct wm_module *ours, const struct wm_module *twins)
{
  if (ours->import_count != twins->import_count)
    return false;
  for (uint32_t i = 0; i < ours->import_count; i++) {
    const struct wm_import *a = &ours->imports[i], *b = &twins->imports[i];
    if (a->kind != b->kind || a->index != b->index || !same_name(a->module, b->module) || !same_name(a->name, b->name))
      return false;
  }
  return true;
}

/* ---- Bodies ----------------------------------------------------------------------------------------------------- */

static bool same_vector(const struct wm_module *ours, const struct wm_module *twins, const struct wm_insn *a, const struct wm_insn *b)
{
  if (a->vector_count != b->vector_count)
    return false;
  uint64_t at_a = a->vector_offset, at_b = b->vector_offset;
  for (uint32_t i = 0; i < a->vector_count; i++) {
    if (a->op == WM_OP_BR_TABLE) {
      if (wm_walk_read_label(ours, &at_a) != wm_walk_read_label(twins, &at_b))
        return false;
    } else if (a->op == WM_OP_TRY_TABLE) {
      struct wm_catch one = wm_walk_read_catch(ours, &at_a), other = wm_walk_read_catch(twins, &at_b);
      if (one.kind != other.kind || one.tag != other.tag || one.label != other.label)
        return false;
    }
  }
  return true;
}

/* Which members of an instruction mean something is told by its immediates. */
static bool same_instruction(const struct wm_module *ours, const struct wm_module *twins, const struct wm_insn *a, const struct wm_insn *b)
{
  if (a->op != b->op)
    return false;
  switch (wm_opcodes[a->op].immediates) {
  case WM_IMM_NONE:
    return true;
  case WM_IMM_BLOCK:
  case WM_IMM_TRY_TABLE:
    return a->module_type == b->module_type && a->type == b->type && same_vector(ours, twins, a, b);
  case WM_IMM_BR_TABLE:
    return a->index == b->index && same_vector(ours, twins, a, b);
  case WM_IMM_CALL_INDIRECT:
  case WM_IMM_FIELD:
  case WM_IMM_TYPE_COUNT:
  case WM_IMM_TYPE_DATA:
  case WM_IMM_TYPE_ELEM:
  case WM_IMM_TYPE_TYPE:
    return a->index == b->index && a->index2 == b->index2;
  case WM_IMM_SELECT_T:
  case WM_IMM_HEAP:
    return a->type == b->type;
  case WM_IMM_BR_CAST:
    return a->index == b->index && a->cast_flags == b->cast_flags && a->type == b->type && a->type2 == b->type2;
  case WM_IMM_TABLE_TABLE:
  case WM_IMM_ELEM_TABLE:
  case WM_IMM_MEMORY_MEMORY:
  case WM_IMM_DATA_MEMORY:
    return a->index == b->index && a->index2 == b->index2;
  case WM_IMM_MEMARG:
    return a->index == b->index && a->align_log2 == b->align_log2 && a->imm.address_offset == b->imm.address_offset;
  case WM_IMM_MEMARG_LANE:
    return a->index == b->index && a->align_log2 == b->align_log2 && a->imm.address_offset == b->imm.address_offset && a->lane == b->lane;
  case WM_IMM_LANE:
    return a->lane == b->lane;
  case WM_IMM_I32:
  case WM_IMM_I64:
    return a->imm.integer == b->imm.integer;
  case WM_IMM_F32:
  case WM_IMM_F64:
    return a->imm.bits == b->imm.bits;
  case WM_IMM_V128:
  case WM_IMM_SHUFFLE:
    return a->imm.v128[0] == b->imm.v128[0] && a->imm.v128[1] == b->imm.v128[1];
  default: /* one index */
    return a->index == b->index;
  }
}

static bool same_locals(const struct wm_func *a, const struct wm_func *b)
{
  if (a->local_count != b->local_count || a->local_group_count != b->local_group_count)
    return false;
  for (uint32_t i = 0; i < a->local_group_count; i++)
    if (a->local_groups[i].count != b->local_groups[i].count || a->local_groups[i].type != b->local_groups[i].type)
      return false;
  return true;
}

static bool same_body(const struct wm_module *ours, const struct wm_module *twins, uint32_t function, struct wm_arena *scratch)
{
  const struct wm_func *a = &ours->funcs[function], *b = &twins->funcs[function];
  if (a->is_import != b->is_import || a->type != b->type)
    return false;
  if (a->is_import)
    return true;
  if (a->instruction_count != b->instruction_count || !same_locals(a, b))
    return false;
  struct wm_walk one, other;
  if (!wm_walk_begin(&one, ours, function, scratch) || !wm_walk_begin(&other, twins, function, scratch))
    return false;
  while (wm_walk_next(&one)) {
    if (!wm_walk_next(&other) || !same_instruction(ours, twins, &one.insn, &other.insn))
      return false;
  }
  return true;
}

/* ---- Loading ---------------------------------------------------------------------------------------------------- */

static int compare(struct wm_twin *twin, const char *path, const struct wm_module *module)
{
  if (!same_types(module, &twin->module))
    return wm_fail(WM_EXIT_DATA, path, "symbols are not of the same code: its types differ");
  if (!same_imports(module, &twin->module))
    return wm_fail(WM_EXIT_DATA, path, "symbols are not of the same code: its imports differ");
  if (module->func_count != twin->module.func_count)
    return wm_fail(WM_EXIT_DATA, path, "symbols are not of the same code: it has %" PRIu32 " functions, not %" PRIu32, twin->module.func_count,
                   module->func_count);
  size_t mark = twin->arena.used;
  for (uint32_t i = 0; i < module->func_count; i++) {
    if (!same_body(module, &twin->module, i, &twin->arena))
      return wm_fail(WM_EXIT_DATA, path, "symbols are not of the same code: function %" PRIu32 " differs", i);
    twin->arena.used = mark;
  }
  return WM_EXIT_OK;
}

int wm_twin_load(struct wm_twin *twin, const char *path, const struct wm_module *module, const struct wm_limits *limits)
{
  memset(twin, 0, sizeof *twin);
  int status = wm_file_read(path, limits->module_bytes, &twin->file);
  if (status != WM_EXIT_OK)
    return status;
  if (twin->file.is_too_large)
    return wm_fail(WM_EXIT_DATA, path, "module is larger than the limit of %" PRIu64 " bytes", limits->module_bytes);
  if (!wm_arena_reserve_for(&twin->arena, twin->file.length))
    return wm_fail(WM_EXIT_INTERNAL, path, "the host has no memory for it");
  struct wm_error error = WM_ERROR_NONE;
  if (!wm_module_decode(&twin->module, twin->file.bytes, twin->file.length, limits, module->types, &twin->arena, &error))
    return wm_fail_error(path, &error);
  return compare(twin, path, module);
}

void wm_twin_free(struct wm_twin *twin)
{
  wm_file_free(&twin->file);
  wm_arena_release(&twin->arena);
  memset(twin, 0, sizeof *twin);
}
