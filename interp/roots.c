/* Where the collector's roots are, and what is live in a frame.
 *
 * Nothing is kept at run time for it: the types of a frame's operands at a position are had by walking the body up to there
 * (decoder/walk.h), and the answers for frames of moderate size are remembered in a small table, because frames of one recursion stand
 * at the same few positions. Scratch was reserved when the instances were linked; nothing here can fail. */
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

/* What to do with each slot that holds a reference into the heap: note it in a map, or mark what it refers to. */
struct visit {
  uint64_t *map;
  struct wm_object_heap *heap;
  const uint64_t *slots;
};

static void visit_slot(const struct visit *visit, uint32_t slot)
{
  if (visit->map != NULL)
    visit->map[slot / 64] |= (uint64_t)1 << slot % 64;
  else
    wm_heap_mark(visit->heap, visit->slots[slot]);
}

static void visit_locals(const struct wm_store *store, const struct wm_function *function, const struct visit *visit)
{
  const struct wm_func *func = &function->instance->module->funcs[function->index];
  uint32_t slot = 0;
  for (uint32_t i = 0; i < function->signature->param_count; slot += wm_type_slots(function->signature->params[i]), i++)
    if (wm_type_is_traced(store->types, function->signature->params[i]))
      visit_slot(visit, slot);
  for (uint32_t g = 0; g < func->local_group_count; g++) {
    const struct wm_local_group *group = &func->local_groups[g];
    if (wm_type_is_traced(store->types, group->type))
      for (uint32_t i = 0; i < group->count; i++)
        visit_slot(visit, slot + i);
    slot += group->count * wm_type_slots(group->type);
  }
}

static void visit_frame(struct wm_store *store, const struct wm_function *function, uint32_t position, bool is_innermost, const struct visit *visit)
{
  size_t mark = store->scratch.used;
  struct wm_walk walk;
  visit_locals(store, function, visit);
  uint32_t live = wm_frame_walk(store, &walk, function, position, is_innermost);
  for (uint32_t i = 0; i < live; i++)
    if (wm_type_is_traced(store->types, walk.operands[i].type))
      visit_slot(visit, function->local_slots + walk.operands[i].slot);
  store->scratch.used = mark;
}

/* The map of a frame of at most WM_STACK_MAP_SLOTS slots, remembered. */
static const uint64_t *frame_map(struct wm_store *store, const struct wm_function *function, uint32_t position, bool is_innermost)
{
  uint32_t key = position * 2 + is_innermost;
  uint64_t hash = ((uint64_t)(uintptr_t)function / 16 + key) * 0x9e3779b97f4a7c15u;
  struct wm_stack_map *map = &store->stack_maps[hash >> 58];
  if (map->function != function || map->key != key) {
    *map = (struct wm_stack_map){.function = function, .key = key};
    visit_frame(store, function, position, is_innermost, &(struct visit){.map = map->bits});
  }
  return map->bits;
}

static void mark_frame(struct wm_store *store, const struct wm_frame *frame, bool is_innermost)
{
  const struct wm_function *function = frame->function;
  if (function->frame_slots > WM_STACK_MAP_SLOTS) {
    visit_frame(store, function, frame->position, is_innermost, &(struct visit){.heap = &store->heap, .slots = frame->slots});
    return;
  }
  const uint64_t *map = frame_map(store, function, frame->position, is_innermost);
  for (uint32_t word = 0; word < WM_STACK_MAP_SLOTS / 64; word++)
    for (uint64_t bits = map[word]; bits != 0; bits &= bits - 1)
      wm_heap_mark(&store->heap, frame->slots[word * 64 + (uint32_t)__builtin_ctzll(bits)]);
}

static void mark_instance(struct wm_store *store, const struct wm_instance *instance)
{
  for (uint32_t i = 0; i < instance->module->element_count; i++) {
    const struct wm_element_instance *element = &instance->elements[i];
    if (wm_type_is_traced(store->types, element->type))
      for (uint32_t k = 0; k < element->count; k++)
        wm_heap_mark(&store->heap, element->refs[k]);
  }
}

static void mark_store(struct wm_store *store)
{
  struct wm_object_heap *heap = &store->heap;
  for (const struct wm_global_instance *global = store->globals; global != NULL; global = global->next)
    if (wm_type_is_traced(store->types, global->type.type))
      wm_heap_mark(heap, global->bits[0]);
  for (const struct wm_table_instance *table = store->tables; table != NULL; table = table->next)
    if (wm_type_is_traced(store->types, table->type.element))
      for (uint64_t i = 0; i < table->length; i++)
        wm_heap_mark(heap, table->refs[i]);
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

void wm_roots_mark(struct wm_store *store)
{
  mark_store(store);
  for (const struct wm_run *run = store->runs; run != NULL; run = run->next) {
    if (run->exception != 0)
      wm_heap_mark(&store->heap, run->exception);
    for (uint32_t i = 0; i < run->frame_count; i++)
      mark_frame(store, &run->frames[i], i + 1 == run->frame_count);
  }
}
