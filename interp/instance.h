/* What a store holds at run time: functions, tables, memories, globals, tags, segments and the instances that tie them together
 * (WebAssembly 3.0, Execution: Runtime Structure).
 *
 * Shared by every file of interp/, by no other folder. Structs live in the store's arena and never move, so pointers to them are
 * identities; bytes of memories and entries of tables live in blocks of the host, which may move when they grow. An instance
 * outlives a failed initialisation, because its functions may already stand in a shared table. The store releases all blocks.
 *
 * A value is one 64-bit slot, a v128 two (low half first); i32 and f32 leave the upper half zero. References, 0 always null:
 *   func hierarchy     address of the struct wm_function
 *   exn hierarchy      offset of the exception object in the heap (heap.h)
 *   any and extern     low two bits 00: offset of an object in the heap; 01: i31, its 31 bits from bit 2 on; 10: a host's number
 *                      from bit 2 on. any.convert_extern and extern.convert_any change nothing. */
#ifndef WM_INTERP_INSTANCE_H
#define WM_INTERP_INSTANCE_H

#include "interp/heap.h"
#include "interp/run.h"

#define WM_PAGE_BYTES 65536u

struct wm_step;        /* step.h */
struct wm_step_target;
struct wm_step_catch;
struct wm_fast_map; /* fast.h */
union wm_word;

#define WM_REF_TAG 3u
#define WM_REF_TAG_I31 1u
#define WM_REF_TAG_HOST 2u
static inline struct wm_function *wm_ref_function(uint64_t ref) { return (struct wm_function *)(uintptr_t)ref; }
static inline uint64_t wm_function_ref(const struct wm_function *function) { return (uint64_t)(uintptr_t)function; }
static inline uint64_t wm_ref_i31(uint32_t value) { return (uint64_t)(value & 0x7fffffffu) << 2 | WM_REF_TAG_I31; }

struct wm_function {
  uint32_t type;  /* canonical id */
  uint32_t index; /* in its own instance; of a host function: in the first that imported it, WM_NO_INDEX before */
  struct wm_instance *instance; /* NULL: host function */
  const struct wm_type *signature;
  uint32_t param_slots, result_slots;
  uint32_t local_slots; /* parameters and declared locals */
  uint32_t frame_slots; /* locals, then the operand stack, and room for the results */
  /* Step stream (step.h): NULL until the first call. One entry for each instruction of the body, by ordinal. */
  const struct wm_step *steps;
  const struct wm_step_target *targets; /* of br_table */
  const struct wm_step_catch *catches;
  uint32_t catch_count;
  /* Fast stream (fast.h): NULL before it is tried, and for a function that has none. */
  const union wm_word *fast;
  const struct wm_fast_map *fast_map;
  bool is_fast_tried;
  /* Host functions. */
  wm_host_function host;
  void *user;
};

struct wm_memory_instance {
  uint8_t *base; /* may be NULL while length is 0 */
  uint64_t length;       /* bytes */
  uint64_t limit_pages;  /* declared maximum, index type or configured limit: growth beyond it answers -1 */
  struct wm_memory_type type; /* as declared; its minimum is kept at the current size (import matching) */
  struct wm_block block;
  struct wm_memory_instance *next;
};

struct wm_table_instance {
  uint64_t *refs;
  uint64_t length, limit; /* entries */
  struct wm_table_type type; /* minimum: current size */
  struct wm_block block;
  struct wm_table_instance *next;
};

struct wm_global_instance {
  uint64_t bits[2];
  struct wm_global_type type;
  struct wm_global_instance *next;
};

struct wm_tag_instance { uint32_t type; };

/* A segment as it is now; dropped means count or length 0. */
struct wm_element_instance {
  uint64_t *refs;  /* evaluated once, at initialisation */
  uint32_t count;
  wm_valtype type;
};
struct wm_data_instance {
  const uint8_t *bytes; /* in the module file */
  uint64_t length;
};

struct wm_instance {
  struct wm_store *store;
  const struct wm_module *module;
  struct wm_function **functions; /* by index, imports first */
  struct wm_table_instance **tables;
  struct wm_memory_instance **memories;
  struct wm_global_instance **globals;
  struct wm_tag_instance **tags;
  struct wm_element_instance *elements;
  struct wm_data_instance *datas;
  struct wm_block code_block; /* streams of all functions: its size is bounded at link time */
  struct wm_arena code;
  struct wm_block fast_block; /* fast streams, as far as they find room */
  struct wm_arena fast_code;
  struct wm_instance *next;
};

/* The operands of a constant expression under evaluation: roots of the collector. */
struct wm_const_frame {
  const uint64_t *slots;
  const uint8_t *is_traced;
  const uint32_t *height;
};

/* What a collection needs of the scratch for a frame's map besides what a walk needs (roots.c). */
uint64_t wm_roots_scratch(uint32_t frame_slots);

/* Which slots of a frame hold references into the heap at one position (roots.c). */
#define WM_STACK_MAP_SLOTS 256
#define WM_STACK_MAPS 64
struct wm_stack_map {
  const struct wm_function *function;
  uint32_t key;
  uint64_t bits[WM_STACK_MAP_SLOTS / 64];
};

struct wm_store {
  struct wm_arena *arena;
  const struct wm_limits *limits;
  const struct wm_host *host;
  struct wm_types *types;
  struct wm_object_heap heap;
  /* Everything ever made, newest first: roots of the collector, blocks to release. */
  struct wm_instance *instances;
  struct wm_memory_instance *memories;
  struct wm_table_instance *tables;
  struct wm_global_instance *globals;
  struct wm_run *runs;
  uint64_t memory_pages, table_entries; /* of all memories and tables together: what the limits bound */
  /* Arguments and results of the host call under way: room for the widest host function. */
  struct wm_value *host_values;
  uint32_t host_value_capacity;
  /* Scratch for walking one body again (lowering, stack maps, constant expressions): big enough for any function linked. */
  struct wm_block scratch_block;
  struct wm_arena scratch;
  const struct wm_value *pins;
  uint32_t pin_count;
  const struct wm_const_frame *const_frame; /* operands of a constant expression under evaluation, else NULL */
  bool is_stressed;
  struct wm_stack_map stack_maps[WM_STACK_MAPS];
};

/* Memories and tables (memory.c, table.c). `make` answers NULL when arena or host have no space or a limit is passed. */
enum wm_grow { WM_GROW_DONE, WM_GROW_REFUSED, WM_GROW_NO_HOST_MEMORY };
struct wm_memory_instance *wm_memory_make(struct wm_store *store, struct wm_memory_type type, struct wm_error *error);
enum wm_grow wm_memory_grow(struct wm_store *store, struct wm_memory_instance *memory, uint64_t pages);
struct wm_table_instance *wm_table_make(struct wm_store *store, struct wm_table_type type, struct wm_error *error);
enum wm_grow wm_table_grow(struct wm_store *store, struct wm_table_instance *table, uint64_t entries, uint64_t ref);
struct wm_global_instance *wm_global_make(struct wm_store *store, struct wm_global_type type);

/* All of [at, at + count) within [0, length)? Written so that nothing wraps. */
static inline bool wm_range_fits(uint64_t at, uint64_t count, uint64_t length) { return at <= length && count <= length - at; }

/* Evaluates a constant expression (const_expr.c). WM_TRAP_NONE and the value, or why not. */
enum wm_trap wm_const_evaluate(struct wm_instance *instance, const struct wm_const_expr *expr, wm_valtype type, uint64_t bits[2]);

/* Makes sure the scratch block holds `bytes`; false when the host has no memory. */
bool wm_store_want_scratch(struct wm_store *store, uint64_t bytes);

#endif
