/* Value types, composite types, recursive groups and subtyping (WebAssembly 3.0, Types; GC).
 *
 * A value type is one 32-bit word. Types of all modules that may be linked together live in one registry, where each
 * recursive group is entered once in canonical form: two types are equal exactly if their canonical ids are. A module maps
 * its own type indices to canonical ids (struct wm_module, type_ids); value types inside a decoded module already hold
 * canonical ids, never module indices. The registry lives in the caller's arena. */
#ifndef WM_DECODER_TYPES_H
#define WM_DECODER_TYPES_H

#include "decoder/arena.h"
#include "decoder/error.h"
#include "decoder/limits.h"

typedef uint32_t wm_valtype;

/* Low byte: the binary format's own code of number, vector and packed types, or WM_TYPE_REF. */
#define WM_TYPE_I32 0x7fu
#define WM_TYPE_I64 0x7eu
#define WM_TYPE_F32 0x7du
#define WM_TYPE_F64 0x7cu
#define WM_TYPE_V128 0x7bu
#define WM_TYPE_I8 0x78u     /* packed, storage types only */
#define WM_TYPE_I16 0x77u
#define WM_TYPE_REF 0x01u    /* a reference: WM_TYPE_NULLABLE and a heap type above */
#define WM_TYPE_BOTTOM 0x00u /* validation only: the type of an operand in unreachable code */
#define WM_TYPE_NULLABLE 0x100u
#define WM_HEAP_SHIFT 9      /* the heap type stands in the bits above */

/* Heap types: abstract ones first, then WM_HEAP_FIRST_ID + canonical id. */
enum wm_heap {
  WM_HEAP_FUNC = 0, WM_HEAP_NOFUNC, WM_HEAP_EXTERN, WM_HEAP_NOEXTERN, WM_HEAP_ANY, WM_HEAP_EQ, WM_HEAP_I31,
  WM_HEAP_STRUCT, WM_HEAP_ARRAY, WM_HEAP_NONE, WM_HEAP_EXN, WM_HEAP_NOEXN,
  WM_HEAP_BOTTOM, /* validation only: what a reference popped in unreachable code refers to; matches everything */
  WM_HEAP_FIRST_ID = 16,
};

#define WM_REF(heap, nullable) (WM_TYPE_REF | ((nullable) ? WM_TYPE_NULLABLE : 0u) | ((uint32_t)(heap) << WM_HEAP_SHIFT))
static inline bool wm_type_is_ref(wm_valtype t) { return (t & 0xff) == WM_TYPE_REF; }
static inline bool wm_type_is_nullable(wm_valtype t) { return (t & WM_TYPE_NULLABLE) != 0; }
static inline uint32_t wm_type_heap(wm_valtype t) { return t >> WM_HEAP_SHIFT; }
/* Frame slots (64 bits each) that a value takes: v128 two, all others one. */
static inline uint32_t wm_type_slots(wm_valtype t) { return t == WM_TYPE_V128 ? 2 : 1; }

enum wm_composite { WM_COMPOSITE_FUNC, WM_COMPOSITE_STRUCT, WM_COMPOSITE_ARRAY };

struct wm_field {
  wm_valtype storage; /* may be packed */
  bool is_mutable;
};

/* One canonical type. Immutable once entered. */
struct wm_type {
  uint8_t composite; /* enum wm_composite */
  bool is_final;
  uint16_t depth;                /* length of the chain of declared supertypes; 0 without one */
  uint32_t supertype;            /* canonical id of the declared one, or WM_NO_INDEX */
  const uint32_t *supertypes;    /* canonical ids, outermost ancestor first, `depth` of them: O(1) subtype test */
  uint32_t param_count, result_count;
  uint32_t param_slots, result_slots;
  const wm_valtype *params, *results;
  uint32_t field_count;          /* structures; 1 for arrays */
  const struct wm_field *fields;
  const uint32_t *field_slots;   /* structures: first 8-byte word of each field (v128 takes two) */
  uint32_t object_words;         /* structures: words of one object; arrays: words per element (1 or 2) */
};

struct wm_types {
  struct wm_arena *arena;
  const struct wm_limits *limits;
  struct wm_type **types; /* by canonical id */
  uint32_t count, capacity;
  struct wm_rec_group *groups; /* opaque: tree of the recursive groups by hash */
};

/* An empty registry; false when the arena cannot hold it. The arena must outlive it. */
bool wm_types_init(struct wm_types *types, struct wm_arena *arena, const struct wm_limits *limits);
static inline const struct wm_type *wm_types_get(const struct wm_types *types, uint32_t id) { return types->types[id]; }
/* Subtyping of value types, of heap types and of canonical ids. */
bool wm_type_matches(const struct wm_types *types, wm_valtype sub, wm_valtype super);
bool wm_heap_matches(const struct wm_types *types, uint32_t sub, uint32_t super);
static inline bool wm_id_matches(const struct wm_types *types, uint32_t sub, uint32_t super)
{
  if (sub == super)
    return true;
  const struct wm_type *s = types->types[sub], *p = types->types[super];
  return s->depth > p->depth && s->supertypes[p->depth] == super;
}
/* The canonical id of a function type made of these; enters it when new (used by host functions and the test driver). */
bool wm_types_func(struct wm_types *types, const wm_valtype *params, uint32_t param_count, const wm_valtype *results,
                   uint32_t result_count, uint32_t *id);

/* Storage types: packed ones match themselves only. */
bool wm_storage_matches(const struct wm_types *types, wm_valtype sub, wm_valtype super);
/* Numbers, vectors and nullable references have a default value; packed storage has one too. */
static inline bool wm_type_is_defaultable(wm_valtype t) { return !wm_type_is_ref(t) || wm_type_is_nullable(t); }
/* What reading a field of that storage type gives. */
static inline wm_valtype wm_type_unpacked(wm_valtype t)
{
  return t == WM_TYPE_I8 || t == WM_TYPE_I16 ? WM_TYPE_I32 : t;
}

/* For the decoder: the rows types->count .. + more may be written afterwards; false when out of space. */
bool wm_types_reserve(struct wm_types *types, uint32_t more);
/* Completes a row whose composite, parameters, results or fields are set: counts of slots and words. */
bool wm_type_lay_out(struct wm_types *types, struct wm_type *type);
/* Enters the recursive group in rows types->count .. + count, whose members name each other by those ids, and returns in
 * *first the canonical id of its first member: an equal older group's when there is one, and then everything that the arena
 * gave out since `mark` (its `used`) is given back. Refusals come back in *error, without an offset. */
bool wm_types_enter(struct wm_types *types, uint32_t count, size_t mark, uint32_t *first, struct wm_error *error);

#endif
