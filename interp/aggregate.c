/* Structures and arrays: making, filling, copying, and asking what a reference is (WebAssembly 3.0, Execution: Aggregate Instructions,
 * Reference Instructions). Objects come from heap.c, which owns them; layouts come from decoder/types.h. */
#include "interp/aggregate.h"

static const struct wm_type *type_of(const struct wm_store *store, uint64_t ref)
{
  return wm_types_get(store->types, wm_heap_object(&store->heap, ref)->type);
}

static void copy_words(uint64_t *to, const uint64_t *from, uint64_t count)
{
  for (uint64_t i = 0; i < count; i++)
    to[i] = from[i];
}

static void zero_words(uint64_t *to, uint64_t count)
{
  for (uint64_t i = 0; i < count; i++)
    to[i] = 0;
}

enum wm_trap wm_struct_make(struct wm_store *store, uint32_t type, const uint64_t *operands, uint64_t *ref)
{
  uint32_t words = wm_types_get(store->types, type)->object_words;
  enum wm_trap trap = wm_heap_allocate(store, WM_OBJECT_STRUCT, type, 0, words, ref);
  if (trap != WM_TRAP_NONE)
    return trap;
  if (operands != NULL)
    copy_words(wm_heap_words(&store->heap, *ref), operands, words);
  else
    zero_words(wm_heap_words(&store->heap, *ref), words);
  return WM_TRAP_NONE;
}

/* ---- Arrays ------------------------------------------------------------------------------------------------------ */

static uint64_t *element_words(const struct wm_store *store, uint64_t ref, uint64_t index)
{
  return wm_heap_words(&store->heap, ref) + index * type_of(store, ref)->object_words;
}

static enum wm_trap allocate_array(struct wm_store *store, uint32_t type, uint64_t length, uint64_t *ref)
{
  uint64_t words = length * wm_types_get(store->types, type)->object_words;
  return wm_heap_allocate(store, WM_OBJECT_ARRAY, type, (uint32_t)length, words, ref);
}

uint64_t wm_array_bytes(const struct wm_store *store, uint32_t type, uint64_t count)
{
  return count * wm_types_get(store->types, type)->object_words * 8;
}

enum wm_trap wm_array_make(struct wm_store *store, uint32_t type, uint64_t length, const uint64_t *element, uint64_t *ref)
{
  enum wm_trap trap = allocate_array(store, type, length, ref);
  if (trap != WM_TRAP_NONE)
    return trap;
  if (element != NULL)
    wm_array_fill(store, *ref, 0, element, length);
  else
    zero_words(wm_heap_words(&store->heap, *ref), wm_array_bytes(store, type, length) / 8);
  return WM_TRAP_NONE;
}

enum wm_trap wm_array_make_fixed(struct wm_store *store, uint32_t type, uint64_t length, const uint64_t *operands, uint64_t *ref)
{
  enum wm_trap trap = allocate_array(store, type, length, ref);
  if (trap == WM_TRAP_NONE)
    copy_words(wm_heap_words(&store->heap, *ref), operands, wm_array_bytes(store, type, length) / 8);
  return trap;
}

enum wm_trap wm_array_make_data(struct wm_store *store, uint32_t type, uint64_t length, const struct wm_data_instance *segment, uint64_t source,
                                uint64_t *ref)
{
  enum wm_trap trap = wm_array_check_data(store, type, segment, source, length);
  if (trap == WM_TRAP_NONE)
    trap = allocate_array(store, type, length, ref);
  if (trap == WM_TRAP_NONE)
    wm_array_init_data(store, *ref, 0, segment, source, length);
  return trap;
}

enum wm_trap wm_array_make_elem(struct wm_store *store, uint32_t type, uint64_t length, const struct wm_element_instance *segment,
                                uint64_t source, uint64_t *ref)
{
  if (!wm_range_fits(source, length, segment->count))
    return WM_TRAP_OUT_OF_BOUNDS_TABLE;
  enum wm_trap trap = allocate_array(store, type, length, ref);
  if (trap == WM_TRAP_NONE)
    wm_array_init_elem(store, *ref, 0, segment, source, length);
  return trap;
}

enum wm_trap wm_array_check(const struct wm_store *store, uint64_t ref, uint64_t at, uint64_t count)
{
  return wm_range_fits(at, count, wm_heap_object(&store->heap, ref)->length) ? WM_TRAP_NONE : WM_TRAP_OUT_OF_BOUNDS_ARRAY;
}

/* Bytes that one element takes in a data segment. */
static uint32_t storage_bytes(wm_valtype storage)
{
  switch (storage) {
  case WM_TYPE_I8: return 1;
  case WM_TYPE_I16: return 2;
  case WM_TYPE_I32: case WM_TYPE_F32: return 4;
  case WM_TYPE_V128: return 16;
  default: return 8;
  }
}

enum wm_trap wm_array_check_data(const struct wm_store *store, uint32_t type, const struct wm_data_instance *segment, uint64_t source,
                                 uint64_t count)
{
  uint32_t size = storage_bytes(wm_types_get(store->types, type)->fields[0].storage);
  return wm_range_fits(source, count * size, segment->length) ? WM_TRAP_NONE : WM_TRAP_OUT_OF_BOUNDS_MEMORY;
}

void wm_array_fill(struct wm_store *store, uint64_t ref, uint64_t at, const uint64_t *element, uint64_t count)
{
  uint32_t width = type_of(store, ref)->object_words;
  uint64_t *to = element_words(store, ref, at);
  for (uint64_t i = 0; i < count; i++)
    copy_words(to + i * width, element, width);
}

void wm_array_copy(struct wm_store *store, uint64_t to, uint64_t at, uint64_t from, uint64_t source, uint64_t count)
{
  if (count != 0)
    __builtin_memmove(element_words(store, to, at), element_words(store, from, source), (size_t)count * type_of(store, to)->object_words * 8);
}

void wm_array_init_data(struct wm_store *store, uint64_t ref, uint64_t at, const struct wm_data_instance *segment, uint64_t source,
                        uint64_t count)
{
  uint32_t size = storage_bytes(type_of(store, ref)->fields[0].storage);
  uint32_t width = type_of(store, ref)->object_words;
  uint64_t *to = element_words(store, ref, at);
  const uint8_t *from = segment->bytes + source;
  for (uint64_t i = 0; i < count; i++) {
    zero_words(to + i * width, width);
    __builtin_memcpy(to + i * width, from + i * size, size);
  }
}

void wm_array_init_elem(struct wm_store *store, uint64_t ref, uint64_t at, const struct wm_element_instance *segment, uint64_t source,
                        uint64_t count)
{
  copy_words(element_words(store, ref, at), segment->refs + source, count);
}

/* ---- Casts --------------------------------------------------------------------------------------------------------- */

/* The most precise heap type of a reference of the any hierarchy that is not null. */
static uint32_t heap_type_of(const struct wm_store *store, uint64_t ref)
{
  switch (ref & WM_REF_TAG) {
  case WM_REF_TAG_I31: return WM_HEAP_I31;
  case WM_REF_TAG_HOST: return WM_HEAP_ANY;
  default: return WM_HEAP_FIRST_ID + wm_heap_object(&store->heap, ref)->type;
  }
}

bool wm_ref_is(const struct wm_store *store, uint64_t ref, wm_valtype type)
{
  uint32_t heap = wm_type_heap(type);
  if (ref == 0)
    return wm_type_is_nullable(type);
  switch (heap) {
  case WM_HEAP_NOFUNC: case WM_HEAP_NOEXTERN: case WM_HEAP_NONE: case WM_HEAP_NOEXN: return false;
  case WM_HEAP_FUNC: case WM_HEAP_EXTERN: case WM_HEAP_ANY: case WM_HEAP_EXN: return true;
  default: break;
  }
  if (heap >= WM_HEAP_FIRST_ID && wm_types_get(store->types, heap - WM_HEAP_FIRST_ID)->composite == WM_COMPOSITE_FUNC)
    return wm_id_matches(store->types, wm_ref_function(ref)->type, heap - WM_HEAP_FIRST_ID);
  return wm_heap_matches(store->types, heap_type_of(store, ref), heap);
}
