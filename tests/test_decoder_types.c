/* Types: subtyping of all abstract ones, canonical form of recursive groups, declared super types. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "decoder_support.h"

/* Decodes a module with only a type section into a registry that lasts. */
struct registry {
  struct wm_arena arena;
  struct wm_types types;
};

static void registry_open(struct registry *registry, const struct wm_limits *limits)
{
  registry->arena = (struct wm_arena){malloc(1 << 16), 0, 1 << 16};
  cr_assert_not_null(registry->arena.base);
  cr_assert(wm_types_init(&registry->types, &registry->arena, limits));
}

static struct wm_error registry_add(struct registry *registry, const char *content, size_t size, uint32_t *ids)
{
  struct bytes bytes = {NULL, 0, 0};
  struct wm_module module;
  struct wm_error error = WM_ERROR_NONE;
  struct wm_arena arena = {malloc(1 << 14), 0, 1 << 14};
  bytes_add_header(&bytes);
  bytes_add_section(&bytes, 1, content, size);
  wm_module_decode(&module, bytes.data, bytes.size, registry->types.limits, &registry->types, &arena, &error);
  for (uint32_t i = 0; error.status == WM_OK && i < module.type_count; i++)
    ids[i] = module.type_ids[i];
  free(arena.base);
  bytes_free(&bytes);
  return error;
}

Test(decoder_types, abstract_types)
{
  /* A row for each type: 1 where it matches the column's. */
  static const char *const matrix[] = {
    /*              fn nf ex ne an eq i3 st ar no xn nx */
    [WM_HEAP_FUNC] = "100000000000",
    [WM_HEAP_NOFUNC] = "110000000000",
    [WM_HEAP_EXTERN] = "001000000000",
    [WM_HEAP_NOEXTERN] = "001100000000",
    [WM_HEAP_ANY] = "000010000000",
    [WM_HEAP_EQ] = "000011000000",
    [WM_HEAP_I31] = "000011100000",
    [WM_HEAP_STRUCT] = "000011010000",
    [WM_HEAP_ARRAY] = "000011001000",
    [WM_HEAP_NONE] = "000011111100",
    [WM_HEAP_EXN] = "000000000010",
    [WM_HEAP_NOEXN] = "000000000011",
  };
  struct registry registry;
  registry_open(&registry, &wm_limits_native);
  for (uint32_t sub = 0; sub <= WM_HEAP_NOEXN; sub++)
    for (uint32_t super = 0; super <= WM_HEAP_NOEXN; super++) {
      bool is_match = matrix[sub][super] == '1';
      cr_assert_eq(wm_heap_matches(&registry.types, sub, super), is_match, "%u %u", sub, super);
      cr_assert_eq(wm_type_matches(&registry.types, WM_REF(sub, false), WM_REF(super, true)), is_match);
      cr_assert_eq(wm_type_matches(&registry.types, WM_REF(sub, true), WM_REF(super, true)), is_match);
      cr_assert_eq(wm_type_matches(&registry.types, WM_REF(sub, false), WM_REF(super, false)), is_match);
      cr_assert(!wm_type_matches(&registry.types, WM_REF(sub, true), WM_REF(super, false)));
    }
  cr_assert(!wm_type_matches(&registry.types, WM_TYPE_I32, WM_REF(WM_HEAP_ANY, true)));
  cr_assert(!wm_type_matches(&registry.types, WM_REF(WM_HEAP_ANY, true), WM_TYPE_I32));
  cr_assert(!wm_type_matches(&registry.types, WM_TYPE_I32, WM_TYPE_I64));
  cr_assert(wm_type_matches(&registry.types, WM_TYPE_BOTTOM, WM_TYPE_I64));
  cr_assert(wm_type_matches(&registry.types, WM_REF(WM_HEAP_BOTTOM, false), WM_REF(WM_HEAP_EXN, false)));
  cr_assert(!wm_type_matches(&registry.types, WM_REF(WM_HEAP_BOTTOM, false), WM_TYPE_I64));
  free(registry.arena.base);
}

Test(decoder_types, defined_types_match_what_they_are)
{
  struct registry registry;
  uint32_t ids[8];
  registry_open(&registry, &wm_limits_native);
  /* [] -> [], structure, array of i8 */
  cr_assert(registry_add(&registry, B("\x03\x60\0\0\x5f\0\x5e\x78\0"), ids).status == WM_OK);
  static const struct { unsigned type; uint32_t heap; } tops[] = {
    {0, WM_HEAP_FUNC}, {1, WM_HEAP_STRUCT}, {1, WM_HEAP_EQ}, {1, WM_HEAP_ANY}, {2, WM_HEAP_ARRAY}, {2, WM_HEAP_EQ}, {2, WM_HEAP_ANY},
  };
  for (uint32_t type = 0; type < 3; type++)
    for (uint32_t heap = 0; heap <= WM_HEAP_NOEXN; heap++) {
      bool is_match = false;
      for (size_t i = 0; i < sizeof tops / sizeof *tops; i++)
        is_match = is_match || (tops[i].type == type && tops[i].heap == heap);
      cr_assert_eq(wm_heap_matches(&registry.types, WM_HEAP_FIRST_ID + ids[type], heap), is_match, "%u %u", type, heap);
      bool is_bottom = heap == (type == 0 ? WM_HEAP_NOFUNC : WM_HEAP_NONE);
      cr_assert_eq(wm_heap_matches(&registry.types, heap, WM_HEAP_FIRST_ID + ids[type]), is_bottom, "%u %u", type, heap);
    }
  free(registry.arena.base);
}

Test(decoder_types, equal_groups_have_equal_ids)
{
  struct registry registry;
  uint32_t ids[16], other[16];
  registry_open(&registry, &wm_limits_native);
  /* rec {struct (ref null 0)}, rec {struct (ref null 1)}: the same; rec {struct (ref null 0)} of index 0: another. */
  cr_assert(registry_add(&registry, B("\x03\x5f\x01\x63\0\0\x5f\x01\x63\x01\0\x5f\x01\x63\0\0"), ids).status == WM_OK);
  cr_assert(ids[0] == ids[1] && ids[0] != ids[2]);
  /* The same in another module, behind another type, and as an explicit group of one. */
  size_t used = registry.arena.used;
  cr_assert(registry_add(&registry, B("\x02\x5f\x01\x63\0\0\x4e\x01\x5f\x01\x63\x01\0"), other).status == WM_OK);
  cr_assert(other[0] == ids[0] && other[1] == ids[0]);
  cr_assert_eq(registry.arena.used, used, "a known type took space");
  cr_assert(registry_add(&registry, B("\x02\x60\0\0\x5f\x01\x63\x01\0"), other).status == WM_OK);
  cr_assert(other[1] == ids[0]);
  /* Mutability, finality and the group's shape tell types apart. */
  cr_assert(registry_add(&registry, B("\x04\x5f\x01\x63\0\x01\x50\0\x5f\x01\x63\x01\0\x4e\x02\x5f\x01\x63\x02\0\x60\0\0\x60\0\0"), other).status == WM_OK);
  cr_assert(other[0] != ids[0] && other[1] != ids[0] && other[2] != ids[0]);
  cr_assert(other[3] != other[4], "a member of a group is not the type that stands alone");
  free(registry.arena.base);
}

Test(decoder_types, groups_of_two)
{
  struct registry registry;
  uint32_t ids[16];
  registry_open(&registry, &wm_limits_native);
  /* Twice the pair {(ref null b)} {(ref null a)}, then once with the members exchanged in kind. */
  cr_assert(registry_add(&registry, B("\x03\x4e\x02\x5f\x01\x63\x01\0\x5e\x63\0\0"
                                      "\x4e\x02\x5f\x01\x63\x03\0\x5e\x63\x02\0"
                                      "\x4e\x02\x5e\x63\x05\0\x5f\x01\x63\x04\0"), ids).status == WM_OK);
  cr_assert(ids[0] == ids[2] && ids[1] == ids[3]);
  cr_assert(ids[4] != ids[0] && ids[4] != ids[1] && ids[5] != ids[0]);
  free(registry.arena.base);
}

Test(decoder_types, declared_super_types)
{
  static const struct { const char *name, *content; size_t size; enum wm_status status; } rows[] = {
    {"wider structure", B("\x02\x50\0\x5f\x01\x7f\0\x50\x01\0\x5f\x02\x7f\0\x7e\0"), WM_OK},
    {"narrower structure", B("\x02\x50\0\x5f\x02\x7f\0\x7e\0\x50\x01\0\x5f\x01\x7f\0"), WM_INVALID},
    {"final super type", B("\x02\x5f\x01\x7f\0\x50\x01\0\x5f\x01\x7f\0"), WM_INVALID},
    {"explicitly final", B("\x02\x4f\0\x5f\0\x4f\x01\0\x5f\0"), WM_INVALID},
    {"another kind", B("\x02\x50\0\x5f\0\x4f\x01\0\x60\0\0"), WM_INVALID},
    {"mutable field differs", B("\x02\x50\0\x5f\x01\x63\x6d\x01\x50\x01\0\x5f\x01\x63\x6c\x01"), WM_INVALID},
    {"constant field narrows", B("\x02\x50\0\x5f\x01\x63\x6d\0\x50\x01\0\x5f\x01\x63\x6c\0"), WM_OK},
    {"constant field becomes mutable", B("\x02\x50\0\x5f\x01\x7f\0\x50\x01\0\x5f\x01\x7f\x01"), WM_INVALID},
    {"packed field", B("\x02\x50\0\x5f\x01\x78\0\x50\x01\0\x5f\x01\x7f\0"), WM_INVALID},
    {"array narrows", B("\x02\x50\0\x5e\x63\x6e\0\x50\x01\0\x5e\x64\x6e\0"), WM_OK},
    {"array widens", B("\x02\x50\0\x5e\x64\x6e\0\x50\x01\0\x5e\x63\x6e\0"), WM_INVALID},
    {"result narrows", B("\x02\x50\0\x60\0\x01\x70\x50\x01\0\x60\0\x01\x64\x70"), WM_OK},
    {"result widens", B("\x02\x50\0\x60\0\x01\x64\x70\x50\x01\0\x60\0\x01\x70"), WM_INVALID},
    {"parameter widens", B("\x02\x50\0\x60\x01\x64\x70\0\x50\x01\0\x60\x01\x70\0"), WM_OK},
    {"parameter narrows", B("\x02\x50\0\x60\x01\x70\0\x50\x01\0\x60\x01\x64\x70\0"), WM_INVALID},
    {"two super types", B("\x03\x50\0\x5f\0\x50\0\x5f\0\x50\x02\0\x01\x5f\0"), WM_INVALID},
    {"itself", B("\x01\x50\x01\0\x5f\0"), WM_INVALID},
    {"a later one", B("\x01\x4e\x02\x50\x01\x01\x5f\0\x50\0\x5f\0"), WM_INVALID},
    {"an unknown one", B("\x01\x50\x01\x05\x5f\0"), WM_INVALID},
    {"an earlier one of the group", B("\x01\x4e\x02\x50\0\x5f\0\x50\x01\0\x5f\x01\x63\x01\0"), WM_OK},
    {"an empty group", B("\x02\x4e\0\x60\0\0"), WM_OK},
    {"a reference beyond the group", B("\x02\x5f\x01\x63\x01\0\x5f\0"), WM_INVALID},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct registry registry;
    uint32_t ids[8];
    registry_open(&registry, &wm_limits_native);
    uint32_t before = registry.types.count;
    struct wm_error error = registry_add(&registry, rows[i].content, rows[i].size, ids);
    cr_assert(error.status == rows[i].status, "%s: %d %s", rows[i].name, error.status, error.message);
    cr_assert(error.status == WM_OK || registry.types.count <= before + 2, "%s", rows[i].name);
    free(registry.arena.base);
  }
}

/* A chain of forty declared super types: each is reached in one step, and the limit ends it. */
Test(decoder_types, chains)
{
  enum { DEPTH = 40 };
  struct bytes content = {NULL, 0, 0};
  struct registry registry;
  uint32_t ids[DEPTH];
  bytes_add_leb(&content, DEPTH);
  bytes_add(&content, B("\x50\0\x5f\0"));
  for (uint8_t i = 1; i < DEPTH; i++) {
    uint8_t subtype[] = {0x50, 1, (uint8_t)(i - 1), 0x5f, 0};
    bytes_add(&content, subtype, sizeof subtype);
  }
  registry_open(&registry, &wm_limits_native);
  cr_assert(registry_add(&registry, (const char *)content.data, content.size, ids).status == WM_OK);
  for (uint32_t i = 0; i < DEPTH; i++)
    for (uint32_t j = 0; j < DEPTH; j++)
      cr_assert_eq(wm_id_matches(&registry.types, ids[i], ids[j]), i >= j);
  free(registry.arena.base);
  struct wm_limits limits = wm_limits_native;
  for (limits.subtype_depth = DEPTH - 2; limits.subtype_depth < DEPTH; limits.subtype_depth++) {
    registry_open(&registry, &limits);
    struct wm_error error = registry_add(&registry, (const char *)content.data, content.size, ids);
    cr_assert_eq(error.status, limits.subtype_depth == DEPTH - 1 ? WM_OK : WM_LIMIT);
    cr_assert_eq(error.limit, error.status == WM_OK ? 0 : limits.subtype_depth);
    free(registry.arena.base);
  }
  bytes_free(&content);
}

Test(decoder_types, layout)
{
  struct registry registry;
  uint32_t ids[4];
  registry_open(&registry, &wm_limits_native);
  cr_assert(registry_add(&registry, B("\x03\x60\x03\x7f\x7b\x7d\x02\x7b\x7b\x5f\x04\x78\0\x7b\0\x7e\0\x7b\0\x5e\x7b\0"), ids).status == WM_OK);
  const struct wm_type *func = wm_types_get(&registry.types, ids[0]), *structure = wm_types_get(&registry.types, ids[1]);
  cr_assert(func->param_slots == 4 && func->result_slots == 4);
  cr_assert(structure->object_words == 6);
  cr_assert(structure->field_slots[0] == 0 && structure->field_slots[1] == 1 && structure->field_slots[2] == 3 && structure->field_slots[3] == 4);
  cr_assert_eq(wm_types_get(&registry.types, ids[2])->object_words, 2);
  free(registry.arena.base);
}

/* Host functions get the ids that modules have. */
Test(decoder_types, function_types_from_outside)
{
  struct registry registry;
  uint32_t ids[4], id;
  static const wm_valtype types[] = {WM_TYPE_I32, WM_TYPE_F64, WM_TYPE_I64};
  registry_open(&registry, &wm_limits_native);
  cr_assert(wm_types_func(&registry.types, types, 2, types + 2, 1, &id));
  cr_assert(registry_add(&registry, B("\x02\x60\x02\x7f\x7c\x01\x7e\x60\0\0"), ids).status == WM_OK);
  cr_assert_eq(ids[0], id);
  cr_assert(wm_types_func(&registry.types, NULL, 0, NULL, 0, &id));
  cr_assert_eq(ids[1], id);
  free(registry.arena.base);
}

/* Thousands of different types: the registry grows, finds each again, and says so when its arena is used up. */
Test(decoder_types, many)
{
  struct registry registry;
  registry_open(&registry, &wm_limits_native);
  free(registry.arena.base);
  registry.arena = (struct wm_arena){malloc(1 << 21), 0, 1 << 21};
  cr_assert(wm_types_init(&registry.types, &registry.arena, &wm_limits_native));
  wm_valtype params[12];
  uint32_t first[4096], id;
  for (int round = 0; round < 2; round++)
    for (uint32_t i = 0; i < 4096; i++) {
      for (unsigned bit = 0; bit < 12; bit++)
        params[bit] = (i >> bit & 1) != 0 ? WM_TYPE_I64 : WM_TYPE_I32;
      cr_assert(wm_types_func(&registry.types, params, 12, NULL, 0, &id));
      cr_assert_eq(id, round == 0 ? i : first[i]);
      first[i] = id;
    }
  registry.arena.size = registry.arena.used;
  uint32_t count = registry.types.count;
  cr_assert(!wm_types_func(&registry.types, params, 11, NULL, 0, &id));
  cr_assert_eq(registry.types.count, count);
  cr_assert_eq(registry.arena.used, registry.arena.size);
  free(registry.arena.base);
}
