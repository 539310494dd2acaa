/* The registry of types: subtyping, and recursive groups in canonical form (Validation: Types, Matching; GC).
 *
 * Ids are given in order, so inside a group entered at id `base` every reference to an id >= base is to a member of the
 * group itself, and every smaller one is canonical already. Two groups are equal exactly if they are equal after taking
 * the first kind relative to `base`; that form is hashed and compared, and the rows themselves need no rewriting. Groups
 * stand in a tree that is descended by the bits of the hash: at most 64 steps and no table to grow. Rows live in the
 * registry's arena. */
#include "decoder/types.h"

struct wm_rec_group {
  uint64_t hash;
  uint32_t first, count;
  struct wm_rec_group *child[2]; /* by the next bit of the hash */
  struct wm_rec_group *same;     /* another group of this very hash */
};

/* Value types hold a heap type in 23 bits. */
#define MAX_TYPES ((uint32_t)1 << 22)

bool wm_types_init(struct wm_types *types, struct wm_arena *arena, const struct wm_limits *limits)
{
  *types = (struct wm_types){.arena = arena, .limits = limits};
  return wm_types_reserve(types, 16);
}

bool wm_types_reserve(struct wm_types *types, uint32_t more)
{
  if (more <= types->capacity - types->count)
    return true;
  if (more > MAX_TYPES || types->count > MAX_TYPES - more)
    return false;
  uint32_t capacity = types->count + more;
  if (capacity < types->capacity * 2)
    capacity = types->capacity * 2;
  struct wm_type **rows = wm_arena_take(types->arena, capacity, sizeof *rows);
  if (rows == NULL)
    return false;
  for (uint32_t i = 0; i < types->count; i++)
    rows[i] = types->types[i];
  types->types = rows;
  types->capacity = capacity;
  return true;
}

/* Matching */

#define BIT(heap) (1u << WM_HEAP_##heap)

/* Abstract heap types that each one matches. */
static const uint16_t abstract_supers[] = {
  [WM_HEAP_FUNC] = BIT(FUNC),
  [WM_HEAP_NOFUNC] = BIT(NOFUNC) | BIT(FUNC),
  [WM_HEAP_EXTERN] = BIT(EXTERN),
  [WM_HEAP_NOEXTERN] = BIT(NOEXTERN) | BIT(EXTERN),
  [WM_HEAP_ANY] = BIT(ANY),
  [WM_HEAP_EQ] = BIT(EQ) | BIT(ANY),
  [WM_HEAP_I31] = BIT(I31) | BIT(EQ) | BIT(ANY),
  [WM_HEAP_STRUCT] = BIT(STRUCT) | BIT(EQ) | BIT(ANY),
  [WM_HEAP_ARRAY] = BIT(ARRAY) | BIT(EQ) | BIT(ANY),
  [WM_HEAP_NONE] = BIT(NONE) | BIT(I31) | BIT(STRUCT) | BIT(ARRAY) | BIT(EQ) | BIT(ANY),
  [WM_HEAP_EXN] = BIT(EXN),
  [WM_HEAP_NOEXN] = BIT(NOEXN) | BIT(EXN),
};

/* The abstract type just above a defined one. */
static uint32_t abstract_of(const struct wm_type *type)
{
  switch (type->composite) {
  case WM_COMPOSITE_FUNC:
    return WM_HEAP_FUNC;
  case WM_COMPOSITE_STRUCT:
    return WM_HEAP_STRUCT;
  default:
    return WM_HEAP_ARRAY;
  }
}

bool wm_heap_matches(const struct wm_types *types, uint32_t sub, uint32_t super)
{
  if (sub == super || sub == WM_HEAP_BOTTOM)
    return true;
  if (sub >= WM_HEAP_FIRST_ID) {
    if (super >= WM_HEAP_FIRST_ID)
      return wm_id_matches(types, sub - WM_HEAP_FIRST_ID, super - WM_HEAP_FIRST_ID);
    if (super >= WM_HEAP_BOTTOM)
      return false;
    return (abstract_supers[abstract_of(types->types[sub - WM_HEAP_FIRST_ID])] >> super & 1) != 0;
  }
  if (super >= WM_HEAP_FIRST_ID) {
    bool is_func = types->types[super - WM_HEAP_FIRST_ID]->composite == WM_COMPOSITE_FUNC;
    return sub == (is_func ? (uint32_t)WM_HEAP_NOFUNC : (uint32_t)WM_HEAP_NONE);
  }
  return super < WM_HEAP_BOTTOM && (abstract_supers[sub] >> super & 1) != 0;
}

bool wm_type_matches(const struct wm_types *types, wm_valtype sub, wm_valtype super)
{
  if (sub == super || sub == WM_TYPE_BOTTOM)
    return true;
  if (!wm_type_is_ref(sub) || !wm_type_is_ref(super))
    return false;
  if (wm_type_is_nullable(sub) && !wm_type_is_nullable(super))
    return false;
  return wm_heap_matches(types, wm_type_heap(sub), wm_type_heap(super));
}

bool wm_storage_matches(const struct wm_types *types, wm_valtype sub, wm_valtype super)
{
  return wm_type_matches(types, sub, super); /* packed types are no references: equal or not at all */
}

static bool field_matches(const struct wm_types *types, const struct wm_field *sub, const struct wm_field *super)
{
  if (sub->is_mutable != super->is_mutable)
    return false;
  if (sub->is_mutable)
    return sub->storage == super->storage;
  return wm_storage_matches(types, sub->storage, super->storage);
}

static bool composite_matches(const struct wm_types *types, const struct wm_type *sub, const struct wm_type *super)
{
  if (sub->composite != super->composite)
    return false;
  if (sub->composite == WM_COMPOSITE_FUNC) {
    if (sub->param_count != super->param_count || sub->result_count != super->result_count)
      return false;
    for (uint32_t i = 0; i < sub->param_count; i++)
      if (!wm_type_matches(types, super->params[i], sub->params[i]))
        return false;
    for (uint32_t i = 0; i < sub->result_count; i++)
      if (!wm_type_matches(types, sub->results[i], super->results[i]))
        return false;
    return true;
  }
  if (sub->field_count < super->field_count)
    return false;
  for (uint32_t i = 0; i < super->field_count; i++)
    if (!field_matches(types, &sub->fields[i], &super->fields[i]))
      return false;
  return true;
}

/* Canonical form */

/* A value type with references into its own group (entered at `base`) made relative. */
static uint64_t relative(wm_valtype type, uint32_t base)
{
  if (!wm_type_is_ref(type) || wm_type_heap(type) < WM_HEAP_FIRST_ID + base)
    return type;
  return type - ((uint64_t)(WM_HEAP_FIRST_ID + base) << WM_HEAP_SHIFT) + ((uint64_t)1 << 32);
}

static uint64_t relative_id(uint32_t id, uint32_t base)
{
  return id == WM_NO_INDEX || id < base ? id : ((uint64_t)1 << 32) + (id - base);
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
  hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

static uint64_t hash_type(uint64_t hash, const struct wm_type *type, uint32_t base)
{
  hash = mix(hash, (uint64_t)type->composite << 1 | type->is_final);
  hash = mix(hash, relative_id(type->supertype, base));
  hash = mix(hash, (uint64_t)type->param_count << 32 | type->result_count);
  for (uint32_t i = 0; i < type->param_count; i++)
    hash = mix(hash, relative(type->params[i], base));
  for (uint32_t i = 0; i < type->result_count; i++)
    hash = mix(hash, relative(type->results[i], base));
  hash = mix(hash, type->field_count);
  for (uint32_t i = 0; i < type->field_count; i++)
    hash = mix(hash, relative(type->fields[i].storage, base) << 1 | type->fields[i].is_mutable);
  return hash;
}

static bool valtypes_equal(const wm_valtype *a, uint32_t a_base, const wm_valtype *b, uint32_t b_base, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    if (relative(a[i], a_base) != relative(b[i], b_base))
      return false;
  return true;
}

static bool types_equal(const struct wm_type *a, uint32_t a_base, const struct wm_type *b, uint32_t b_base)
{
  if (a->composite != b->composite || a->is_final != b->is_final || a->param_count != b->param_count ||
      a->result_count != b->result_count || a->field_count != b->field_count ||
      relative_id(a->supertype, a_base) != relative_id(b->supertype, b_base) ||
      !valtypes_equal(a->params, a_base, b->params, b_base, a->param_count) ||
      !valtypes_equal(a->results, a_base, b->results, b_base, a->result_count))
    return false;
  for (uint32_t i = 0; i < a->field_count; i++)
    if (a->fields[i].is_mutable != b->fields[i].is_mutable ||
        relative(a->fields[i].storage, a_base) != relative(b->fields[i].storage, b_base))
      return false;
  return true;
}

/* The place in the tree where a group of that hash stands or belongs. */
static struct wm_rec_group **find_place(struct wm_types *types, uint64_t hash)
{
  struct wm_rec_group **place = &types->groups;
  for (uint64_t bits = hash; *place != NULL && (*place)->hash != hash; bits >>= 1)
    place = &(*place)->child[bits & 1];
  return place;
}

static bool groups_equal(const struct wm_types *types, const struct wm_rec_group *group, uint32_t count)
{
  if (group->count != count)
    return false;
  for (uint32_t i = 0; i < count; i++)
    if (!types_equal(types->types[group->first + i], group->first, types->types[types->count + i], types->count))
      return false;
  return true;
}

/* Sets depth and chain of ancestors; the declared supertype's own are set already, being of a smaller id. */
static bool link_supertypes(struct wm_types *types, struct wm_type *type, struct wm_error *error)
{
  type->depth = 0;
  type->supertypes = NULL;
  if (type->supertype == WM_NO_INDEX)
    return true;
  const struct wm_type *super = types->types[type->supertype];
  if (super->depth >= types->limits->subtype_depth || super->depth == UINT16_MAX) {
    wm_error_set(error, WM_LIMIT, WM_NO_OFFSET, "too deep chain of super types");
    error->limit = types->limits->subtype_depth;
    return false;
  }
  uint32_t *chain = wm_arena_take(types->arena, (size_t)super->depth + 1, sizeof *chain);
  if (chain == NULL) {
    wm_error_set(error, WM_NO_SPACE, WM_NO_OFFSET, "out of space for types");
    return false;
  }
  for (uint32_t i = 0; i < super->depth; i++)
    chain[i] = super->supertypes[i];
  chain[super->depth] = type->supertype;
  type->supertypes = chain;
  type->depth = (uint16_t)(super->depth + 1);
  return true;
}

static bool link_group(struct wm_types *types, uint32_t count, struct wm_error *error)
{
  for (uint32_t i = 0; i < count; i++)
    if (!link_supertypes(types, types->types[types->count + i], error))
      return false;
  for (uint32_t i = 0; i < count; i++) {
    const struct wm_type *type = types->types[types->count + i];
    if (type->supertype == WM_NO_INDEX)
      continue;
    const struct wm_type *super = types->types[type->supertype];
    if (super->is_final || !composite_matches(types, type, super)) {
      wm_error_set(error, WM_INVALID, WM_NO_OFFSET, "sub type does not match super type");
      return false;
    }
  }
  return true;
}

bool wm_types_enter(struct wm_types *types, uint32_t count, size_t mark, uint32_t *first, struct wm_error *error)
{
  uint64_t hash = mix(count, 0);
  for (uint32_t i = 0; i < count; i++)
    hash = hash_type(hash, types->types[types->count + i], types->count);
  struct wm_rec_group **place = find_place(types, hash);
  for (struct wm_rec_group *group = *place; group != NULL; group = group->same)
    if (groups_equal(types, group, count)) {
      types->arena->used = mark;
      *first = group->first;
      return true;
    }
  struct wm_rec_group *group = NULL;
  if (link_group(types, count, error)) {
    group = wm_arena_zero(types->arena, 1, sizeof *group);
    if (group == NULL)
      wm_error_set(error, WM_NO_SPACE, WM_NO_OFFSET, "out of space for types");
  }
  if (group == NULL) {
    types->arena->used = mark;
    return false;
  }
  group->hash = hash;
  group->first = types->count;
  group->count = count;
  if (*place == NULL) {
    *place = group;
  } else {
    group->same = (*place)->same;
    (*place)->same = group;
  }
  *first = types->count;
  types->count += count;
  return true;
}

static uint32_t slots_of(const wm_valtype *types, uint32_t count)
{
  uint32_t slots = 0;
  for (uint32_t i = 0; i < count; i++)
    slots += wm_type_slots(types[i]);
  return slots;
}

bool wm_type_lay_out(struct wm_types *types, struct wm_type *type)
{
  type->param_slots = slots_of(type->params, type->param_count);
  type->result_slots = slots_of(type->results, type->result_count);
  type->field_slots = NULL;
  type->object_words = 0;
  if (type->composite == WM_COMPOSITE_FUNC)
    return true;
  if (type->composite == WM_COMPOSITE_ARRAY) {
    type->object_words = wm_type_slots(type->fields[0].storage);
    return true;
  }
  uint32_t *slots = wm_arena_take(types->arena, type->field_count, sizeof *slots);
  if (slots == NULL)
    return false;
  for (uint32_t i = 0; i < type->field_count; i++) {
    slots[i] = type->object_words;
    type->object_words += wm_type_slots(type->fields[i].storage);
  }
  type->field_slots = slots;
  return true;
}

bool wm_types_func(struct wm_types *types, const wm_valtype *params, uint32_t param_count, const wm_valtype *results,
                   uint32_t result_count, uint32_t *id)
{
  if (result_count > UINT32_MAX - param_count || !wm_types_reserve(types, 1))
    return false;
  size_t mark = types->arena->used;
  struct wm_type *type = wm_arena_zero(types->arena, 1, sizeof *type);
  wm_valtype *values = wm_arena_take(types->arena, param_count + result_count, sizeof *values);
  if (type == NULL || values == NULL) {
    types->arena->used = mark;
    return false;
  }
  for (uint32_t i = 0; i < param_count; i++)
    values[i] = params[i];
  for (uint32_t i = 0; i < result_count; i++)
    values[param_count + i] = results[i];
  type->composite = WM_COMPOSITE_FUNC;
  type->is_final = true;
  type->supertype = WM_NO_INDEX;
  type->param_count = param_count;
  type->result_count = result_count;
  type->params = values;
  type->results = values + param_count;
  types->types[types->count] = type;
  struct wm_error error = WM_ERROR_NONE;
  return wm_type_lay_out(types, type) && wm_types_enter(types, 1, mark, id, &error);
}
