/* States of a run as records (debug.h): one traversal measures, saves and restores, so that the three cannot differ.
 *
 * References into the heap are offsets and structs of the store never move, so a record may hold them as they are. Blocks never
 * shrink: a memory taken back to a smaller length has its tail cleared, which is what growing promises to the guest. */
#include "interp/debug.h"

#include "interp/frame.h"

enum way { MEASURE, SAVE, RESTORE };

struct pass {
  uint8_t *at; /* NULL while measuring */
  uint64_t bytes;
  enum way way;
  bool is_short; /* of host memory */
};

static void take(struct pass *pass, void *item, uint64_t bytes)
{
  if (pass->way == SAVE)
    __builtin_memcpy(pass->at + pass->bytes, item, (size_t)bytes);
  else if (pass->way == RESTORE)
    __builtin_memcpy(item, pass->at + pass->bytes, (size_t)bytes);
  pass->bytes += bytes;
}
#define TAKE(pass, member) take((pass), &(member), sizeof(member))

/* Slots that mean something: those of all frames, or the results of what has returned. */
static uint64_t live_slots(const struct wm_run *run)
{
  if (run->frame_count != 0) {
    const struct wm_frame *frame = &run->frames[run->frame_count - 1];
    return (uint64_t)(frame->slots - run->slots) + frame->function->frame_slots;
  }
  return run->started != NULL ? run->started->result_slots : 0;
}

static void take_run(struct pass *pass, struct wm_run *run)
{
  uint64_t slots = pass->way == RESTORE ? 0 : live_slots(run);
  TAKE(pass, slots);
  TAKE(pass, run->frame_count);
  TAKE(pass, run->peak_frames);
  TAKE(pass, run->state);
  TAKE(pass, run->trap);
  TAKE(pass, run->budget);
  TAKE(pass, run->instructions);
  TAKE(pass, run->bulk_left);
  TAKE(pass, run->started);
  TAKE(pass, run->exception);
  TAKE(pass, run->fault_address);
  TAKE(pass, run->fault_length);
  TAKE(pass, run->fault_memory);
  TAKE(pass, run->has_fault);
  TAKE(pass, run->fault_is_store);
  take(pass, run->frames, run->frame_count * sizeof *run->frames);
  take(pass, run->slots, slots * sizeof *run->slots);
}

static void take_memory(struct pass *pass, struct wm_store *store, struct wm_memory_instance *memory)
{
  uint64_t length = memory->length;
  TAKE(pass, length);
  if (pass->way != RESTORE || length == memory->length)
    return;
  if (length > memory->block.bytes && !store->host->grow(store->host->user, &memory->block, length)) {
    pass->is_short = true;
    return;
  }
  memory->base = memory->block.base;
  if (length < memory->length)
    __builtin_memset(memory->base + length, 0, (size_t)(memory->length - length));
  store->memory_pages += length / WM_PAGE_BYTES - memory->length / WM_PAGE_BYTES;
  memory->length = length;
  memory->type.limits.minimum = length / WM_PAGE_BYTES;
}

static void take_table(struct pass *pass, struct wm_store *store, struct wm_table_instance *table)
{
  uint64_t length = table->length;
  TAKE(pass, length);
  if (pass->way != RESTORE || length == table->length)
    return;
  if (length * 8 > table->block.bytes && !store->host->grow(store->host->user, &table->block, length * 8)) {
    pass->is_short = true;
    return;
  }
  table->refs = (uint64_t *)(void *)table->block.base;
  store->table_entries += length - table->length;
  table->length = length;
  table->type.limits.minimum = length;
}

/* The block stays where it is and as large as it has become. */
static void take_heap(struct pass *pass, struct wm_object_heap *heap)
{
  struct wm_block block = heap->block;
  TAKE(pass, *heap);
  heap->block = block;
}

static void take_store(struct pass *pass, struct wm_store *store)
{
  for (struct wm_global_instance *global = store->globals; global != NULL; global = global->next)
    TAKE(pass, global->bits);
  for (struct wm_memory_instance *memory = store->memories; memory != NULL; memory = memory->next)
    take_memory(pass, store, memory);
  for (struct wm_table_instance *table = store->tables; table != NULL; table = table->next)
    take_table(pass, store, table);
  take_heap(pass, &store->heap);
  for (struct wm_instance *instance = store->instances; instance != NULL; instance = instance->next) {
    for (uint32_t i = 0; i < instance->module->element_count; i++)
      TAKE(pass, instance->elements[i].count);
    for (uint32_t i = 0; i < instance->module->data_count; i++)
      TAKE(pass, instance->datas[i].length);
  }
}

static struct pass traverse(struct wm_run *run, uint8_t *bytes, enum way way)
{
  struct pass pass = {bytes, 0, way, false};
  take_run(&pass, run);
  take_store(&pass, run->store);
  return pass;
}

uint64_t wm_run_state_bytes(struct wm_run *run)
{
  return traverse(run, NULL, MEASURE).bytes;
}

void wm_run_save(struct wm_run *run, uint8_t *bytes)
{
  traverse(run, bytes, SAVE);
}

bool wm_run_restore(struct wm_run *run, const uint8_t *bytes)
{
  return !traverse(run, (uint8_t *)(uintptr_t)bytes, RESTORE).is_short; /* restoring only reads them */
}

bool wm_store_range(const struct wm_store *store, uint32_t number, struct wm_state_range *range)
{
  for (const struct wm_memory_instance *memory = store->memories; memory != NULL; memory = memory->next)
    if (number-- == 0) {
      *range = (struct wm_state_range){memory->base, memory->length};
      return true;
    }
  for (const struct wm_table_instance *table = store->tables; table != NULL; table = table->next)
    if (number-- == 0) {
      *range = (struct wm_state_range){(uint8_t *)table->refs, table->length * 8};
      return true;
    }
  bool has_objects = store->heap.block.base != NULL;
  *range = (struct wm_state_range){store->heap.block.base, has_objects ? store->heap.used : 0};
  return number == 0;
}
