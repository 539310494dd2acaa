/* The decoder's own state while a module is read; shared by the section files only.
 *
 * Arrays of the module are kept here in writable form and grow in the caller's arena; the module under construction always
 * points to the latest. Scratch memory (the walk's stacks) is taken from the arena's end and given back when decoding ends. */
#ifndef WM_DECODER_DECODE_H
#define WM_DECODER_DECODE_H

#include "decoder/walk_internal.h"

struct wm_decode {
  struct wm_reader reader; /* ends with the current section */
  struct wm_module *module;
  const struct wm_limits *limits;
  struct wm_types *types;
  struct wm_arena *arena;
  struct wm_walk walk; /* its stacks serve one body after the other */
  uint32_t *type_ids;
  struct wm_func *funcs;
  struct wm_table *tables;
  struct wm_memory *memories;
  struct wm_global *globals;
  struct wm_tag *tags;
  struct wm_custom *customs;
  uint32_t type_capacity, func_capacity, table_capacity, memory_capacity, global_capacity, tag_capacity, custom_capacity;
  bool has_code_section, has_data_count, has_data_section;
  uint64_t local_type_total, branch_target_total;
};

/* Room for `more` items behind `count` ones: the array, moved when it had to grow, or NULL and stopped. */
void *wm_decode_grow(struct wm_decode *d, void *items, uint32_t count, uint32_t more, uint32_t *capacity, size_t item_bytes);
/* `count` items for good, or NULL and stopped. */
void *wm_decode_take(struct wm_decode *d, uint32_t count, size_t item_bytes);
/* Stops when `count` passes the limit. */
bool wm_decode_limit(struct wm_decode *d, uint64_t offset, uint64_t count, uint64_t limit, const char *message);
/* Nothing wrong so far: what has been read may be used. */
static inline bool wm_decode_is_good(const struct wm_decode *d) { return wm_reader_is_good(&d->reader); }
static inline bool wm_decode_stopped(const struct wm_decode *d) { return wm_reader_stopped(&d->reader); }

/* A constant expression of type `expected`, which is walked at once. */
struct wm_const_expr wm_decode_const_expr(struct wm_decode *d, wm_valtype expected);
/* Moves the reader behind the `end` of an expression without validating it: the module is known to be invalid. */
void wm_decode_skip_expr(struct wm_decode *d, bool is_body);
/* A function index that ref.func may name from now on. */
void wm_decode_declare(struct wm_decode *d, uint32_t func);

/* The sections. */
void wm_decode_types(struct wm_decode *d);
void wm_decode_imports(struct wm_decode *d);
void wm_decode_functions(struct wm_decode *d);
void wm_decode_tables(struct wm_decode *d);
void wm_decode_memories(struct wm_decode *d);
void wm_decode_tags(struct wm_decode *d);
void wm_decode_globals(struct wm_decode *d);
void wm_decode_exports(struct wm_decode *d);
void wm_decode_start(struct wm_decode *d);
void wm_decode_elements(struct wm_decode *d);
void wm_decode_data_count(struct wm_decode *d);
void wm_decode_code(struct wm_decode *d);
void wm_decode_datas(struct wm_decode *d);

/* Imports add to the index spaces that the sections continue. */
bool wm_decode_add_func(struct wm_decode *d, uint64_t offset, bool is_import);
bool wm_decode_add_table(struct wm_decode *d, uint64_t offset, bool is_import);
bool wm_decode_add_memory(struct wm_decode *d, uint64_t offset, bool is_import);
bool wm_decode_add_tag(struct wm_decode *d, uint64_t offset, bool is_import);
bool wm_decode_add_global(struct wm_decode *d, uint64_t offset, bool is_import);

#endif
