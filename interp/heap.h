/* Garbage-collected objects: structures, arrays and exceptions in one bounded block (WebAssembly 3.0, Execution: Aggregates).
 *
 * An object costs 16 bytes and 8 for each word on every host, and the collector's decisions depend on nothing else, so a limit is
 * reached at the same instruction everywhere. A reference is the object's byte offset in the block (never 0), which lets the block
 * move when it grows. Precise mark and sweep; marking needs no stack: grey objects are chained through their headers. Where the
 * roots are is the business of roots.c; nothing but an allocation ever collects. */
#ifndef WM_INTERP_HEAP_H
#define WM_INTERP_HEAP_H

#include "interp/run.h"

enum wm_object_kind { WM_OBJECT_FREE, WM_OBJECT_STRUCT, WM_OBJECT_ARRAY, WM_OBJECT_EXCEPTION };

struct wm_object {
  uint32_t type;   /* canonical id; of an exception: the tag's function type */
  uint32_t length; /* array: elements */
  uint32_t link;   /* collector and free lists: header number of the next one */
  uint8_t kind;    /* enum wm_object_kind */
  uint8_t is_marked;
  uint16_t unused;
};
_Static_assert(sizeof(struct wm_object) == 16, "an object's header is two words");

#define WM_HEAP_BINS 64
struct wm_object_heap {
  struct wm_block block;
  uint64_t used;       /* bytes from the front that were ever handed out; the rest is untouched */
  uint64_t live;       /* bytes of objects not known to be dead */
  uint64_t limit;      /* bytes */
  uint64_t next_collection; /* collect when `live` would pass this */
  /* What collections and searches for a place may still do, in bytes looked at or their like: a share of the bulk limit, and more with each
   * instruction that runs. */
  uint64_t work_left;
  uint64_t instructions, credited; /* that had run at the allocation under way (set by the loop), and up to which work_left has its share */
  uint32_t grey;       /* first object marked but not scanned */
  uint32_t bins[WM_HEAP_BINS]; /* free pieces by size in units of 8 bytes; the last bin holds all larger ones */
  uint64_t filled_bins; /* bit n: bins[n] is not empty */
};

static inline struct wm_object *wm_heap_object(const struct wm_object_heap *heap, uint64_t ref)
{
  return (struct wm_object *)(void *)(heap->block.base + ref);
}
static inline uint64_t *wm_heap_words(const struct wm_object_heap *heap, uint64_t ref)
{
  return (uint64_t *)(void *)(heap->block.base + ref + sizeof(struct wm_object));
}

void wm_heap_open(struct wm_store *store);
/* A new object of `words` words (contents undefined). WM_TRAP_NONE, WM_TRAP_HEAP_EXHAUSTED, or WM_TRAP_NO_HOST_MEMORY when the host cannot
 * give what the limit allows, WM_TRAP_BULK_EXHAUSTED when collecting takes more work than the run has a right to. Collects when it is time; every
 * live reference must stand where roots.c finds it. */
enum wm_trap wm_heap_allocate(struct wm_store *store, uint8_t kind, uint32_t type, uint32_t length, uint64_t words, uint64_t *ref);
/* Called by the collector's root walk for each reference of the any, extern or exn hierarchies. */
void wm_heap_mark(struct wm_object_heap *heap, uint64_t ref);
/* Does a slot of this type hold something the collector must see? (All references but those of the func hierarchy.) */
bool wm_type_is_traced(const struct wm_types *types, wm_valtype type);
/* What looking at an object or free piece, at a reference, and walking over an instruction of a body cost of work_left. */
#define WM_WORK_AN_OBJECT 16u
#define WM_WORK_A_REFERENCE 8u
#define WM_WORK_A_STEP 8u
/* Takes work from work_left; false, and none left, when there is not enough. */
bool wm_heap_charge(struct wm_object_heap *heap, uint64_t work);
/* Marks everything that is reachable from outside the heap (roots.c). False: there is too little work left to look at it all. */
bool wm_roots_mark(struct wm_store *store);

#endif
