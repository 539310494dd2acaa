/* The heap of structures, arrays and exceptions, and its collector (heap.h tells the layout and the promises).
 *
 * Non-moving mark and sweep. Free pieces hang in bins by exact size, larger ones in one list that is searched for the first that
 * fits; a sweep joins neighbours.
 * A collection happens when the bytes of objects would pass twice what the last one left alive (but at least 1 MiB, at most the
 * limit), or when no piece is big enough; all of it depends on the guest's allocations alone. Offsets are in units of 8 bytes where
 * they are 32-bit, which bounds a heap to 32 GiB. Marking recurses nowhere: grey objects are chained through their headers.
 *
 * Work: a nearly full heap may be collected for each object, and every collection looks at all roots. So a collection is charged for what it
 * looks at, about one for each nanosecond: each object and piece, each reference, each instruction that is walked over to find the live slots
 * of a frame. work_left begins as a share of the bulk limit and grows with the instructions that run. A program that collects whenever its
 * objects have doubled stays far below; what does not ends, after a small multiple of the time that its instructions take. */
#include "interp/instance.h"

#define UNIT 8u
#define FIRST_UNIT 2u /* nothing lives at offset 0, which is null */
#define HEADER_UNITS 2u
#define LEAST_COLLECTION ((uint64_t)1 << 20)
#define GROWTH ((uint64_t)1 << 16)
#define WORK_SHARE 16 /* of the bulk limit */
#define WORK_AN_INSTRUCTION 8

static struct wm_object *at_unit(const struct wm_object_heap *heap, uint64_t unit)
{
  return wm_heap_object(heap, unit * UNIT);
}

void wm_heap_open(struct wm_store *store)
{
  struct wm_object_heap *heap = &store->heap;
  uint64_t most = (uint64_t)UINT32_MAX * UNIT;
  heap->limit = store->limits->heap_units < most / UNIT ? store->limits->heap_units * UNIT : most;
  heap->used = FIRST_UNIT * UNIT;
  heap->next_collection = LEAST_COLLECTION;
  heap->work_left = store->limits->bulk_bytes / WORK_SHARE;
}

bool wm_heap_charge(struct wm_object_heap *heap, uint64_t work)
{
  bool is_there = work < heap->work_left;
  heap->work_left = is_there ? heap->work_left - work : 0;
  return is_there;
}

/* The share of what has run since the last time. Each run of a store counts from zero. */
static void credit(struct wm_object_heap *heap)
{
  uint64_t ran = heap->instructions < heap->credited ? heap->instructions : heap->instructions - heap->credited;
  uint64_t most = (UINT64_MAX - heap->work_left) / WORK_AN_INSTRUCTION;
  heap->work_left += (ran < most ? ran : most) * WORK_AN_INSTRUCTION;
  heap->credited = heap->instructions;
}

bool wm_type_is_traced(const struct wm_types *types, wm_valtype type)
{
  if (!wm_type_is_ref(type))
    return false;
  uint32_t heap = wm_type_heap(type);
  if (heap >= WM_HEAP_FIRST_ID)
    return wm_types_get(types, heap - WM_HEAP_FIRST_ID)->composite != WM_COMPOSITE_FUNC;
  return heap != WM_HEAP_FUNC && heap != WM_HEAP_NOFUNC;
}

/* ---- Marking ------------------------------------------------------------------------------------------------------- */

void wm_heap_mark(struct wm_object_heap *heap, uint64_t ref)
{
  if (ref == 0 || (ref & WM_REF_TAG) != 0)
    return;
  struct wm_object *object = wm_heap_object(heap, ref);
  if (object->is_marked)
    return;
  object->is_marked = 1;
  object->link = heap->grey;
  heap->grey = (uint32_t)(ref / UNIT);
}

static void scan_array(struct wm_store *store, const struct wm_type *type, uint64_t ref, uint32_t length)
{
  if (!wm_type_is_traced(store->types, type->fields[0].storage))
    return;
  wm_heap_charge(&store->heap, (uint64_t)length * WM_WORK_A_REFERENCE);
  const uint64_t *words = wm_heap_words(&store->heap, ref);
  for (uint32_t i = 0; i < length; i++)
    wm_heap_mark(&store->heap, words[i]);
}

static void scan_struct(struct wm_store *store, const struct wm_type *type, uint64_t ref)
{
  const uint64_t *words = wm_heap_words(&store->heap, ref);
  wm_heap_charge(&store->heap, (uint64_t)type->field_count * WM_WORK_A_REFERENCE);
  for (uint32_t i = 0; i < type->field_count; i++)
    if (wm_type_is_traced(store->types, type->fields[i].storage))
      wm_heap_mark(&store->heap, words[type->field_slots[i]]);
}

static void scan_exception(struct wm_store *store, const struct wm_type *type, uint64_t ref)
{
  const uint64_t *word = wm_heap_words(&store->heap, ref) + 1; /* behind the tag */
  wm_heap_charge(&store->heap, (uint64_t)type->param_count * WM_WORK_A_REFERENCE);
  for (uint32_t i = 0; i < type->param_count; word += wm_type_slots(type->params[i]), i++)
    if (wm_type_is_traced(store->types, type->params[i]))
      wm_heap_mark(&store->heap, *word);
}

static void scan_grey(struct wm_store *store)
{
  struct wm_object_heap *heap = &store->heap;
  while (heap->grey != 0) {
    uint64_t ref = (uint64_t)heap->grey * UNIT;
    const struct wm_object *object = wm_heap_object(heap, ref);
    const struct wm_type *type = wm_types_get(store->types, object->type);
    heap->grey = object->link;
    if (object->kind == WM_OBJECT_ARRAY)
      scan_array(store, type, ref, object->length);
    else if (object->kind == WM_OBJECT_STRUCT)
      scan_struct(store, type, ref);
    else
      scan_exception(store, type, ref);
  }
}

/* ---- Sweeping and free pieces --------------------------------------------------------------------------------------- */

/* Units of an object or, of a free piece, its `length`. */
static uint64_t object_units(const struct wm_types *types, const struct wm_object *object)
{
  switch (object->kind) {
  case WM_OBJECT_STRUCT: return HEADER_UNITS + wm_types_get(types, object->type)->object_words;
  case WM_OBJECT_ARRAY: return HEADER_UNITS + (uint64_t)object->length * wm_types_get(types, object->type)->object_words;
  case WM_OBJECT_EXCEPTION: return HEADER_UNITS + 1 + wm_types_get(types, object->type)->param_slots;
  default: return object->length;
  }
}

static uint32_t bin_of(uint64_t units)
{
  return units < WM_HEAP_BINS - 1 ? (uint32_t)units : WM_HEAP_BINS - 1;
}

/* A piece holds a header, so it has at least HEADER_UNITS: objects do, and a split leaves none or that many. */
static void give_back(struct wm_object_heap *heap, uint64_t unit, uint64_t units)
{
  struct wm_object *piece = at_unit(heap, unit);
  uint32_t bin = bin_of(units);
  piece->kind = WM_OBJECT_FREE;
  piece->is_marked = 0;
  piece->length = (uint32_t)units;
  piece->link = heap->bins[bin];
  heap->bins[bin] = (uint32_t)unit;
  heap->filled_bins |= (uint64_t)1 << bin;
}

/* Unmarked objects and old pieces become new pieces, neighbours joined; the bins are made anew. */
static void sweep(struct wm_store *store)
{
  struct wm_object_heap *heap = &store->heap;
  uint64_t end = heap->used / UNIT, free_from = 0, passed = 0;
  __builtin_memset(heap->bins, 0, sizeof heap->bins);
  heap->filled_bins = 0;
  heap->live = 0;
  for (uint64_t unit = FIRST_UNIT; unit < end;) {
    struct wm_object *object = at_unit(heap, unit);
    uint64_t units = object_units(store->types, object);
    if (object->is_marked) {
      object->is_marked = 0;
      heap->live += units * UNIT;
      if (free_from != 0)
        give_back(heap, free_from, unit - free_from);
      free_from = 0;
    } else if (free_from == 0) {
      free_from = unit;
    }
    unit += units;
    passed++;
  }
  wm_heap_charge(heap, passed * WM_WORK_AN_OBJECT);
  if (free_from != 0)
    heap->used = free_from * UNIT; /* the tail is untouched again */
}

/* A collection that is given up leaves every object as it was. */
static void unmark(struct wm_store *store)
{
  struct wm_object_heap *heap = &store->heap;
  heap->grey = 0;
  for (uint64_t unit = FIRST_UNIT; unit < heap->used / UNIT; unit += object_units(store->types, at_unit(heap, unit)))
    at_unit(heap, unit)->is_marked = 0;
}

/* False: there was too little work left for it. Only the search for roots may be so long that it is given up half-way. Under stress, which is
 * for tests, it is free. */
static bool collect(struct wm_store *store)
{
  struct wm_object_heap *heap = &store->heap;
  credit(heap);
  uint64_t left = heap->work_left;
  if (store->is_stressed)
    heap->work_left = UINT64_MAX;
  if (!wm_roots_mark(store)) {
    unmark(store);
    return false;
  }
  scan_grey(store);
  sweep(store);
  uint64_t next = heap->live * 2;
  heap->next_collection = next < LEAST_COLLECTION ? LEAST_COLLECTION : next;
  if (store->is_stressed)
    heap->work_left = left;
  return heap->work_left != 0;
}

/* ---- Allocating ------------------------------------------------------------------------------------------------------ */

/* Splits `units` off the front of a piece; callers choose pieces of which nothing or enough for a header is left. */
static uint64_t split(struct wm_object_heap *heap, uint64_t unit, uint64_t have, uint64_t units)
{
  if (have != units)
    give_back(heap, unit + units, have - units);
  return unit;
}

static uint64_t take_from_bin(struct wm_object_heap *heap, uint32_t bin, uint64_t units)
{
  uint64_t unit = heap->bins[bin];
  const struct wm_object *piece = at_unit(heap, unit);
  heap->bins[bin] = piece->link;
  if (piece->link == 0)
    heap->filled_bins &= ~((uint64_t)1 << bin);
  return split(heap, unit, piece->length, units);
}

/* The first piece of the list of large ones that fits. */
static uint64_t take_large(struct wm_object_heap *heap, uint64_t units)
{
  uint32_t *link = &heap->bins[WM_HEAP_BINS - 1];
  while (*link != 0) {
    struct wm_object *piece = at_unit(heap, *link);
    wm_heap_charge(heap, WM_WORK_AN_OBJECT);
    if (piece->length == units || piece->length >= units + HEADER_UNITS) {
      uint64_t unit = *link;
      *link = piece->link;
      if (heap->bins[WM_HEAP_BINS - 1] == 0)
        heap->filled_bins &= ~((uint64_t)1 << (WM_HEAP_BINS - 1));
      return split(heap, unit, piece->length, units);
    }
    link = &piece->link;
  }
  return 0;
}

/* A free piece of exactly `units`, cut from a larger one if need be; 0: none. */
static uint64_t take_piece(struct wm_object_heap *heap, uint64_t units)
{
  uint32_t bin = bin_of(units);
  if (bin != WM_HEAP_BINS - 1) {
    if (heap->bins[bin] != 0)
      return take_from_bin(heap, bin, units);
    uint32_t least = bin + HEADER_UNITS; /* what is left over needs a header of its own */
    uint64_t larger = least < WM_HEAP_BINS - 1 ? heap->filled_bins >> least << least & ~((uint64_t)1 << (WM_HEAP_BINS - 1)) : 0;
    if (larger != 0)
      return take_from_bin(heap, (uint32_t)__builtin_ctzll(larger), units);
  }
  return take_large(heap, units);
}

/* From the untouched end of the block, which grows by doubling up to the limit. 0: beyond the limit. */
static uint64_t take_end(struct wm_store *store, uint64_t units, bool *no_memory)
{
  struct wm_object_heap *heap = &store->heap;
  uint64_t end = heap->used + units * UNIT, whole = heap->limit + FIRST_UNIT * UNIT;
  if (end > whole)
    return 0;
  if (end > heap->block.bytes) {
    uint64_t bytes = heap->block.bytes * 2 > end ? heap->block.bytes * 2 : end;
    bytes = bytes < GROWTH ? GROWTH : bytes;
    bytes = bytes > whole ? whole : bytes;
    const struct wm_host *host = store->host;
    bool is_there = heap->block.capacity == 0 ? host->take(host->user, &heap->block, bytes, whole) : host->grow(host->user, &heap->block, bytes);
    if (!is_there) {
      *no_memory = true;
      return 0;
    }
  }
  uint64_t unit = heap->used / UNIT;
  heap->used = end;
  return unit;
}

static uint64_t find_place(struct wm_store *store, uint64_t units, bool *no_memory)
{
  if (store->heap.live + units * UNIT > store->heap.limit)
    return 0;
  uint64_t unit = take_piece(&store->heap, units);
  return unit != 0 ? unit : take_end(store, units, no_memory);
}

enum wm_trap wm_heap_allocate(struct wm_store *store, uint8_t kind, uint32_t type, uint32_t length, uint64_t words, uint64_t *ref)
{
  struct wm_object_heap *heap = &store->heap;
  uint64_t units = HEADER_UNITS + words;
  bool no_memory = false;
  if (words > heap->limit / UNIT)
    return WM_TRAP_HEAP_EXHAUSTED;
  if (heap->work_left == 0)
    credit(heap);
  if (heap->work_left == 0)
    return WM_TRAP_BULK_EXHAUSTED;
  if ((store->is_stressed || heap->live + units * UNIT > heap->next_collection) && !collect(store))
    return WM_TRAP_BULK_EXHAUSTED;
  uint64_t unit = find_place(store, units, &no_memory);
  if (unit == 0 && !no_memory) {
    if (!collect(store))
      return WM_TRAP_BULK_EXHAUSTED;
    unit = find_place(store, units, &no_memory);
  }
  if (unit == 0)
    return no_memory ? WM_TRAP_NO_HOST_MEMORY : WM_TRAP_HEAP_EXHAUSTED;
  struct wm_object *object = at_unit(heap, unit);
  *object = (struct wm_object){.type = type, .length = length, .kind = kind};
  heap->live += units * UNIT;
  *ref = unit * UNIT;
  return WM_TRAP_NONE;
}
