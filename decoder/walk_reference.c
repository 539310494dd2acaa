/* Reference instructions of the walk: ref.*, branches on references, casts, i31, conversions between hierarchies; and which
 * instructions are constant (Validation: Reference Instructions, Constant Expressions). */
#include "decoder/walk_internal.h"

/* The top of the hierarchy that a heap type belongs to. */
static uint32_t top_of(const struct wm_types *types, uint32_t heap)
{
  static const uint8_t tops[] = {WM_HEAP_FUNC, WM_HEAP_EXTERN, WM_HEAP_EXN};
  for (uint32_t i = 0; i < sizeof tops; i++)
    if (wm_heap_matches(types, heap, tops[i]))
      return tops[i];
  return WM_HEAP_ANY;
}

static wm_valtype with_null(wm_valtype type, bool is_nullable) { return WM_REF(wm_type_heap(type), is_nullable); }

static void ref_func(struct wm_walk *w)
{
  if (!wm_walk_has_func(w, w->insn.index))
    return;
  if (w->func != NULL && !w->module->funcs[w->insn.index].is_declared_ref)
    wm_walk_invalid(w, "undeclared function reference");
  wm_walk_push(w, WM_REF(WM_HEAP_FIRST_ID + w->module->funcs[w->insn.index].type, false));
}

/* Branches that take label types without their last one, which is checked against `taken`; `count` is what remains. */
static const wm_valtype *label_with_ref(struct wm_walk *w, wm_valtype taken, uint32_t *count)
{
  if (!wm_walk_has_label(w, w->insn.index))
    return NULL;
  const wm_valtype *types = wm_label_types(wm_walk_label(w, w->insn.index), count);
  if (*count == 0 || !wm_type_matches(w->module->types, taken, types[*count - 1])) {
    wm_walk_invalid(w, WM_MISMATCH);
    return NULL;
  }
  *count -= 1;
  return types;
}

static void br_on_null(struct wm_walk *w)
{
  uint32_t count;
  wm_valtype type = wm_walk_pop_ref(w);
  if (!wm_walk_has_label(w, w->insn.index))
    return;
  const wm_valtype *types = wm_label_types(wm_walk_label(w, w->insn.index), &count);
  wm_walk_pass_types(w, types, count);
  if (wm_walk_reserve(w, 1))
    wm_walk_push(w, with_null(type, false));
}

static void br_on_non_null(struct wm_walk *w)
{
  uint32_t count;
  wm_valtype type = wm_walk_pop_ref(w);
  const wm_valtype *types = label_with_ref(w, with_null(type, false), &count);
  if (types != NULL)
    wm_walk_pass_types(w, types, count);
}

/* br_on_cast carries the target type away and leaves the difference, br_on_cast_fail the other way round. */
static void br_on_cast(struct wm_walk *w, bool is_fail)
{
  wm_valtype source = w->insn.type2, target = w->insn.type;
  if (!wm_type_matches(w->module->types, target, source)) {
    wm_walk_invalid(w, WM_MISMATCH);
    return;
  }
  wm_valtype rest = wm_type_is_nullable(target) ? with_null(source, false) : source;
  uint32_t count;
  wm_walk_pop_type(w, source);
  const wm_valtype *types = label_with_ref(w, is_fail ? rest : target, &count);
  if (types == NULL)
    return;
  wm_walk_pass_types(w, types, count);
  if (wm_walk_reserve(w, 1))
    wm_walk_push(w, is_fail ? target : rest);
}

/* Conversion between the internal and the external hierarchy keeps nullability. */
static void convert(struct wm_walk *w, uint32_t from, uint32_t to)
{
  wm_valtype type = wm_walk_pop_ref(w);
  if (!wm_type_matches(w->module->types, type, WM_REF(from, true)))
    wm_walk_invalid(w, WM_MISMATCH);
  wm_walk_push(w, WM_REF(to, wm_type_is_nullable(type)));
}

void wm_walk_reference(struct wm_walk *w)
{
  const struct wm_insn *insn = &w->insn;
  switch (insn->op) {
  case WM_OP_REF_NULL:
    wm_walk_push(w, insn->type);
    break;
  case WM_OP_REF_IS_NULL:
    wm_walk_pop_ref(w);
    wm_walk_push(w, WM_TYPE_I32);
    break;
  case WM_OP_REF_FUNC:
    ref_func(w);
    break;
  case WM_OP_REF_EQ:
    wm_walk_pop_type(w, WM_REF(WM_HEAP_EQ, true));
    wm_walk_pop_type(w, WM_REF(WM_HEAP_EQ, true));
    wm_walk_push(w, WM_TYPE_I32);
    break;
  case WM_OP_REF_AS_NON_NULL: {
    wm_valtype type = wm_walk_pop_ref(w);
    wm_walk_push(w, with_null(type, false));
    break;
  }
  case WM_OP_BR_ON_NULL:
    br_on_null(w);
    break;
  case WM_OP_BR_ON_NON_NULL:
    br_on_non_null(w);
    break;
  case WM_OP_REF_TEST:
  case WM_OP_REF_TEST_NULL:
    wm_walk_pop_type(w, WM_REF(top_of(w->module->types, wm_type_heap(insn->type)), true));
    wm_walk_push(w, WM_TYPE_I32);
    break;
  case WM_OP_REF_CAST:
  case WM_OP_REF_CAST_NULL:
    wm_walk_pop_type(w, WM_REF(top_of(w->module->types, wm_type_heap(insn->type)), true));
    wm_walk_push(w, insn->type);
    break;
  case WM_OP_BR_ON_CAST:
  case WM_OP_BR_ON_CAST_FAIL:
    br_on_cast(w, insn->op == WM_OP_BR_ON_CAST_FAIL);
    break;
  case WM_OP_ANY_CONVERT_EXTERN:
    convert(w, WM_HEAP_EXTERN, WM_HEAP_ANY);
    break;
  case WM_OP_EXTERN_CONVERT_ANY:
    convert(w, WM_HEAP_ANY, WM_HEAP_EXTERN);
    break;
  case WM_OP_REF_I31:
    wm_walk_pop_type(w, WM_TYPE_I32);
    wm_walk_push(w, WM_REF(WM_HEAP_I31, false));
    break;
  default: /* i31.get_s, i31.get_u */
    wm_walk_pop_type(w, WM_REF(WM_HEAP_I31, true));
    wm_walk_push(w, WM_TYPE_I32);
    break;
  }
}

static bool is_constant(uint16_t op)
{
  switch (op) {
  case WM_OP_I32_CONST:
  case WM_OP_I64_CONST:
  case WM_OP_F32_CONST:
  case WM_OP_F64_CONST:
  case WM_OP_V128_CONST:
  case WM_OP_I32_ADD:
  case WM_OP_I32_SUB:
  case WM_OP_I32_MUL:
  case WM_OP_I64_ADD:
  case WM_OP_I64_SUB:
  case WM_OP_I64_MUL:
  case WM_OP_REF_NULL:
  case WM_OP_REF_FUNC:
  case WM_OP_REF_I31:
  case WM_OP_STRUCT_NEW:
  case WM_OP_STRUCT_NEW_DEFAULT:
  case WM_OP_ARRAY_NEW:
  case WM_OP_ARRAY_NEW_DEFAULT:
  case WM_OP_ARRAY_NEW_FIXED:
  case WM_OP_ANY_CONVERT_EXTERN:
  case WM_OP_EXTERN_CONVERT_ANY:
  case WM_OP_GLOBAL_GET:
  case WM_OP_END:
    return true;
  default:
    return false;
  }
}

bool wm_walk_check_constant(struct wm_walk *w)
{
  struct wm_reader r = w->reader;
  w->insn.offset = wm_reader_offset(&r);
  uint16_t op = wm_read_opcode(&r);
  if (wm_reader_stopped(&r)) {
    w->reader = r;
    return false;
  }
  bool is_good = is_constant(op);
  if (is_good && op == WM_OP_GLOBAL_GET) {
    uint32_t index = wm_read_u32(&r);
    is_good = index >= w->module->global_count || !w->module->globals[index].type.is_mutable;
  }
  if (!is_good)
    wm_walk_invalid(w, "constant expression required");
  return is_good;
}
