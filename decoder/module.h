/* A decoded and validated module (WebAssembly 3.0, Binary Format: Modules; Validation: Modules).
 *
 * wm_module_decode is the only maker of a struct wm_module, and what it returns has passed full validation, function bodies
 * included: the interpreter relies on that. The module points into the caller's bytes (names, segments, code) and into
 * the caller's arena; both must outlive it. Nothing in it changes after decoding. */
#ifndef WM_DECODER_MODULE_H
#define WM_DECODER_MODULE_H

#include "decoder/types.h"

struct wm_name { /* UTF-8, not terminated; may hold NUL bytes */
  const uint8_t *bytes;
  uint32_t length;
};

/* A range of the module file. */
struct wm_span {
  uint64_t offset;
  uint64_t length;
};

enum wm_extern_kind { WM_EXTERN_FUNC = 0, WM_EXTERN_TABLE, WM_EXTERN_MEMORY, WM_EXTERN_GLOBAL, WM_EXTERN_TAG };

struct wm_limits_type { /* of memories (pages) and tables (entries) */
  uint64_t minimum, maximum; /* maximum is UINT64_MAX where has_maximum is false */
  bool has_maximum;
  bool is_64; /* index type i64 */
};

struct wm_memory_type { struct wm_limits_type limits; };
struct wm_table_type { struct wm_limits_type limits; wm_valtype element; };
struct wm_global_type { wm_valtype type; bool is_mutable; };

/* A constant expression: its bytes, `end` included. */
struct wm_const_expr {
  struct wm_span code;
  uint32_t instruction_count, max_slots; /* `end` included; highest operand stack in slots */
};

struct wm_import {
  struct wm_name module, name;
  uint8_t kind;   /* enum wm_extern_kind */
  uint32_t index; /* in the index space of its kind */
  uint64_t offset;
};

struct wm_func {
  uint32_t type;        /* canonical id */
  bool is_import;
  bool is_declared_ref; /* occurs in an element segment, export, global … so that ref.func may name it */
  struct wm_span body;  /* from the local declarations to `end`; empty for imports */
  uint64_t code_offset; /* first instruction byte in the module file */
  uint32_t local_group_count;              /* runs of equal locals, parameters not included */
  const struct wm_local_group *local_groups;
  uint32_t local_count;       /* parameters included */
  uint32_t local_slots;       /* frame slots of all locals: a v128 takes two */
  uint32_t max_operand_slots; /* highest operand stack */
  uint32_t instruction_count; /* opcodes in the body, the last `end` included */
  uint32_t branch_target_count; /* br_table entries, defaults included */
  uint32_t max_nesting;       /* labels at the deepest point, the function's own included */
  uint32_t handler_count;     /* catch clauses of all try_tables */
};

struct wm_local_group { uint32_t count; wm_valtype type; };

struct wm_table { struct wm_table_type type; bool is_import; bool has_init; struct wm_const_expr init; };
struct wm_memory { struct wm_memory_type type; bool is_import; };
struct wm_global { struct wm_global_type type; bool is_import; struct wm_const_expr init; };
struct wm_tag { uint32_t type; bool is_import; };

struct wm_export {
  struct wm_name name;
  uint8_t kind;
  uint32_t index;
};

enum wm_segment_mode { WM_SEGMENT_ACTIVE, WM_SEGMENT_PASSIVE, WM_SEGMENT_DECLARATIVE };

struct wm_element {
  uint8_t mode;
  wm_valtype type;
  uint32_t table;
  struct wm_const_expr table_offset; /* active */
  uint32_t count;
  const uint32_t *functions;         /* function indices, or NULL: then exprs */
  const struct wm_const_expr *exprs;
};

struct wm_data {
  uint8_t mode;
  uint32_t memory;
  struct wm_const_expr memory_offset; /* active */
  struct wm_span bytes;
};

struct wm_custom { struct wm_name name; struct wm_span bytes; };

/* The index of the name section; names.h reads it. */
struct wm_name_entry { uint32_t index, at; };
struct wm_name_map { uint32_t count; const struct wm_name_entry *entries; };
#define WM_NAME_KINDS 12
struct wm_names { struct wm_span section; struct wm_name_map maps[WM_NAME_KINDS]; };

struct wm_module {
  const uint8_t *bytes;
  uint64_t size;
  struct wm_types *types;        /* shared registry */
  uint32_t type_count;
  const uint32_t *type_ids;      /* module type index -> canonical id */

  uint32_t import_count; const struct wm_import *imports;
  uint32_t func_count, imported_func_count; const struct wm_func *funcs;
  uint32_t table_count, imported_table_count; const struct wm_table *tables;
  uint32_t memory_count, imported_memory_count; const struct wm_memory *memories;
  uint32_t global_count, imported_global_count; const struct wm_global *globals;
  uint32_t tag_count, imported_tag_count; const struct wm_tag *tags;
  uint32_t export_count; const struct wm_export *exports;
  const uint32_t *export_order;  /* export numbers sorted by name */
  uint32_t element_count; const struct wm_element *elements;
  uint32_t data_count; const struct wm_data *datas;
  uint32_t custom_count; const struct wm_custom *customs;
  struct wm_names names;
  bool has_start; uint32_t start;
  uint64_t instruction_count; /* whole module */
};

/* Decodes and validates. On failure returns false, *error says what and where, and the arena may have been used up to any
 * point (the caller resets it). `bytes` is kept by reference. Types enter `types`, whose arena may differ; types of a refused
 * module stay in it, so a caller that resets an arena which both share begins a new registry too. */
bool wm_module_decode(struct wm_module *module, const uint8_t *bytes, uint64_t size, const struct wm_limits *limits,
                      struct wm_types *types, struct wm_arena *arena, struct wm_error *error);

/* The export of that name, or NULL. */
const struct wm_export *wm_module_find_export(const struct wm_module *module, const char *name, size_t length);

/* Bytewise order: negative, zero or positive. */
int wm_bytes_compare(const uint8_t *a, size_t a_length, const uint8_t *b, size_t b_length);

static inline const struct wm_type *wm_func_type(const struct wm_module *module, uint32_t func)
{
  return wm_types_get(module->types, module->funcs[func].type);
}

#endif
