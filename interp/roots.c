/* Where the collector's roots are, and what is live in a frame.
 *
 * Nothing is kept at run time for it: the types of a frame's operands at a position are had by walking the body up to there
 * (decoder/walk.h). The answers are remembered for the length of one collection, because frames of one recursion stand at the same few
 * positions: in a small table for frames of moderate size, for larger ones the latest. All that is looked at is charged to the collector's
 * work (heap.h), and depends on the guest alone: no answer outlives a collection, none is found by an address of the host. Scratch was
 * reserved when the instances were linked. */
#include "interp/frame.h"

/* How many values the instruction just walked has pushed as results of a call. */
static uint32_t call_results(const struct wm_walk *walk)
{
  uint32_t type = walk->insn.op == WM_OP_CALL ? walk->module->funcs[walk->insn.index].type : walk->insn.index;
  return wm_types_get(walk->module->types, type)->result_count;
}

uint32_t wm_frame_walk(struct wm_store *store, struct wm_walk *walk, const struct wm_function *function, uint32_t position, bool is_innermost)
{
  wm_walk_begin(walk, function->instance->module, function->index, &store->scratch);
  for (uint32_t i = 0; i < position; i++)
    wm_walk_next(walk);
  return is_innermost ? walk->operand_count : walk->operand_count - call_results(walk);
}

static void note_slot(uint64_t *map, uint32_t slot)
{
  map[slot / 64] |= (uint64_t)1 << slot % 64;
}

static void note_locals(const struct wm_store *store, const struct wm_function *function, uint64_t *map)
{
  const struct wm_func *func = &function->instance->module->funcs[function->index];
  uint32_t slot = 0;
  for (uint32_t i = 0; i < function->signature->param_count; slot += wm_type_slots(function->signature->params[i]), i++)
    if (wm_type_is_traced(store->types, function->signature->params[i]))
      note_slot(map, slot);
  for (uint32_t g = 0; g < func->local_group_count; g++) {
    const struct wm_local_group *group = &func->local_groups[g];
    if (wm_type_is_traced(store->types, group->type))
      for (uint32_t i = 0; i < group->count; i++)
        note_slot(map, slot + i);
    slot += group->count * wm_type_slots(group->type);
  }
}

/* Sets the bits of the slots that hold references into the heap. */
static void note_frame(struct wm_store *store, const struct wm_function *function, uint32_t position, bool is_innermost, uint64_t *map)
{
  size_t mark = store->scratch.used;
  struct wm_walk walk;
  note_locals(store, function, map);
  uint32_t live = wm_frame_walk(store, &walk, function, position, is_innermost);
  for (uint32_t i = 0; i < live; i++)
    if (wm_type_is_traced(store->types, walk.operands[i].type))
      note_slot(map, function->local_slots + walk.operands[i].slot);
  store->scratch.used = mark;
}

/* Work of one walk that fills a map. */
static bool charge_walk(struct wm_store *store, const struct wm_function *function, uint32_t position)
{
  return wm_heap_charge(&store->heap, ((uint64_t)position + 1) * WM_WORK_A_STEP + function->frame_slots);
}

/* The map of a frame of at most WM_STACK_MAP_SLOTS slots. NULL: too little work left. */
static const uint64_t *small_map(struct wm_store *store, const struct wm_function *function, uint32_t position, bool is_innermost)
{
  uint32_t key = position * 2 + is_innermost;
  uint64_t hash = (((uint64_t)function->index << 32) + key) * 0x9e3779b97f4a7c15u;
  struct wm_stack_map *map = &store->stack_maps[hash >> 58];
  if (map->function != function || map->key != key) {
    if (!charge_walk(store, function, position))
      return NULL;
    *map = (struct wm_stack_map){.function = function, .key = key};
    note_frame(store, function, position, is_innermost, map->bits);
  }
  return map->bits;
}

/* The map of a larger frame, in scratch. */
struct large_map {
  const struct wm_function *function;
  uint32_t key;
  size_t scratch_used; /* without it */
  uint64_t *bits;
};

static uint64_t map_words(const struct wm_function *function)
{
  return (uint64_t)function->frame_slots / 64 + 1;
}

static const uint64_t *large_map(struct wm_store *store, struct large_map *map, const struct wm_function *function, uint32_t position,
                                 bool is_innermost)
{
  uint32_t key = position * 2 + is_innermost;
  if (map->function != function || map->key != key) {
    if (!charge_walk(store, function, position))
      return NULL;
    store->scratch.used = map->scratch_used;
    map->function = function;
    map->key = key;
    map->bits = wm_arena_zero(&store->scratch, (size_t)map_words(function), sizeof *map->bits);
    note_frame(store, function, position, is_innermost, map->bits);
  }
  return map->bits;
}

static bool mark_frame(struct wm_store *store, struct large_map *large, const struct wm_frame *frame, bool is_innermost)
{
  const struct wm_function *function = frame->function;
  const uint64_t *map = function->frame_slots > WM_STACK_MAP_SLOTS ? large_map(store, large, function, frame->position, is_innermost)
                                                                   : small_map(store, function, frame->position, is_innermost);
  if (map == NULL)
    return false;
  uint64_t count = 0, words = map_words(function);
  if (words > WM_STACK_MAP_SLOTS / 64 && function->frame_slots <= WM_STACK_MAP_SLOTS)
    words = WM_STACK_MAP_SLOTS / 64;
  for (uint64_t word = 0; word < words; word++)
    for (uint64_t bits = map[word]; bits != 0; bits &= bits - 1, count++)
      wm_heap_mark(&store->heap, frame->slots[word * 64 + (uint32_t)__builtin_ctzll(bits)]);
  return wm_heap_charge(&store->heap, WM_WORK_AN_OBJECT + words + count * WM_WORK_A_REFERENCE);
}

static void mark_references(struct wm_store *store, const uint64_t *refs, uint64_t count)
{
  wm_heap_charge(&store->heap, count * WM_WORK_A_REFERENCE);
  for (uint64_t i = 0; i < count; i++)
    wm_heap_mark(&store->heap, refs[i]);
}

static void mark_instance(struct wm_store *store, const struct wm_instance *instance)
{
  wm_heap_charge(&store->heap, instance->module->element_count);
  for (uint32_t i = 0; i < instance->module->element_count; i++)
    if (wm_type_is_traced(store->types, instance->elements[i].type))
      mark_references(store, instance->elements[i].refs, instance->elements[i].count);
}

static void mark_store(struct wm_store *store)
{
  struct wm_object_heap *heap = &store->heap;
  for (const struct wm_global_instance *global = store->globals; global != NULL; global = global->next)
    if (wm_type_is_traced(store->types, global->type.type))
      mark_references(store, global->bits, 1);
  for (const struct wm_table_instance *table = store->tables; table != NULL; table = table->next)
    if (wm_type_is_traced(store->types, table->type.element))
      mark_references(store, table->refs, table->length);
  for (const struct wm_instance *instance = store->instances; instance != NULL; instance = instance->next)
    mark_instance(store, instance);
  for (uint32_t i = 0; i < store->pin_count; i++)
    if (wm_type_is_traced(store->types, store->pins[i].type))
      wm_heap_mark(heap, store->pins[i].bits[0]);
  const struct wm_const_frame *frame = store->const_frame;
  for (uint32_t i = 0; frame != NULL && i < *frame->height; i++)
    if (frame->is_traced[i])
      wm_heap_mark(heap, frame->slots[i]);
}

bool wm_roots_mark(struct wm_store *store)
{
  struct large_map large = {.scratch_used = store->scratch.used};
  bool is_whole = true;
  __builtin_memset(store->stack_maps, 0, sizeof store->stack_maps);
  mark_store(store);
  for (const struct wm_run *run = store->runs; run != NULL && is_whole; run = run->next) {
    if (run->exception != 0)
      wm_heap_mark(&store->heap, run->exception);
    for (uint32_t i = 0; i < run->frame_count && is_whole; i++)
      is_whole = mark_frame(store, &large, &run->frames[i], i + 1 == run->frame_count);
  }
  store->scratch.used = large.scratch_used;
  return is_whole;
}

uint64_t wm_roots_scratch(uint32_t frame_slots)
{
  return frame_slots > WM_STACK_MAP_SLOTS ? ((uint64_t)frame_slots / 64 + 2) * 8 : 0;
}
