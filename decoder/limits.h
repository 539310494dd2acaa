/* Every bound of the engine in one struct; running into one is an ordinary error (WM_LIMIT), never undefined behaviour.
 *
 * The native defaults are generous and settable on the command line; the wasm32 component uses the bounds of the original
 * tool where they mean something here (docs/reliability.md lists both). Units are in the names. */
#ifndef WM_DECODER_LIMITS_H
#define WM_DECODER_LIMITS_H

#include <stdint.h>

struct wm_limits {
  uint64_t module_bytes;
  uint64_t memory_bytes;       /* all linear memories of a store together; declared maxima above it are fine, growth stops there */
  uint64_t types;
  uint64_t functions;          /* imports included */
  uint64_t globals;
  uint64_t tables;
  uint64_t memories;
  uint64_t tags;
  uint64_t imports;
  uint64_t exports;
  uint64_t table_entries;      /* all tables of a store together */
  uint64_t element_segments;
  uint64_t data_segments;
  uint64_t parameters;         /* of one function type */
  uint64_t results;            /* of one function or block type */
  uint64_t fields;             /* of one structure type */
  uint64_t local_types;        /* declared locals of all functions together */
  uint64_t function_locals;    /* locals of one function, parameters included */
  uint64_t instructions;       /* static, whole module */
  uint64_t branch_targets;     /* br_table targets incl. defaults, whole module */
  uint64_t nesting;            /* static control nesting of one body */
  uint64_t subtype_depth;      /* declared supertype chain */
  uint64_t frames;             /* dynamic call depth */
  uint64_t slots;              /* 64-bit frame slots of all live frames together */
  uint64_t heap_units;         /* garbage-collected objects: 16 bytes and 8 per field or element word */
  uint64_t bulk_bytes;         /* moved by copy, fill, init, table and array operations, large frames and searches in one run; a share of it
                                * is the collector's (interp/heap.c) */
};

/* The native defaults. */
extern const struct wm_limits wm_limits_native;
/* The bounds of the wasm32 components. */
extern const struct wm_limits wm_limits_component;

#endif
