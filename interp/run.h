/* The interpreter's public face: stores, instances, and runs that can be stopped at any instruction and continued.
 *
 * bytes -> module (decoder/) -> instance -> run. Everything lives in memory of the caller: a store's bookkeeping in its arena,
 * linear memories, tables, frames and objects in regions that the host hands out. No host stack is used for guest calls.
 * Nothing here is thread-safe; one store, one thread. */
#ifndef WM_INTERP_RUN_H
#define WM_INTERP_RUN_H

#include "decoder/module.h"
#include "instrument/event.h"

/* ---- What the host gives -------------------------------------------------------------------------------------- */

/* A growable range of zeroed memory at a fixed address, or not (see grow). */
struct wm_block {
  uint8_t *base;     /* aligned to 16 bytes */
  uint64_t bytes;    /* usable now, all of it zero until written */
  uint64_t capacity; /* could become usable without moving */
  void *host;        /* the host's own */
};

struct wm_host {
  void *user;
  /* A block of `bytes` usable, zeroed, that may grow to `capacity` (a wish: the host may reserve less). False: no memory. */
  bool (*take)(void *user, struct wm_block *block, uint64_t bytes, uint64_t capacity);
  /* Grows the usable part; the base may move. New bytes are zero. False: no memory, block unchanged. */
  bool (*grow)(void *user, struct wm_block *block, uint64_t bytes);
  void (*release)(void *user, struct wm_block *block);
};

/* ---- Values --------------------------------------------------------------------------------------------------- */

/* A value as the host passes it. References: opaque bits of the store; 0 is null. */
struct wm_value {
  wm_valtype type;
  uint64_t bits[2]; /* i32 and f32 zero-extended; v128 takes both, little-endian */
};

/* ---- Traps ---------------------------------------------------------------------------------------------------- */

/* X(name, text): the texts are the official suite's. */
#define WM_TRAPS(X) \
  X(NONE, "") \
  X(UNREACHABLE, "unreachable") \
  X(OUT_OF_BOUNDS_MEMORY, "out of bounds memory access") \
  X(OUT_OF_BOUNDS_TABLE, "out of bounds table access") \
  X(OUT_OF_BOUNDS_ARRAY, "out of bounds array access") \
  X(UNDEFINED_ELEMENT, "undefined element") \
  X(UNINITIALIZED_ELEMENT, "uninitialized element") \
  X(INDIRECT_TYPE_MISMATCH, "indirect call type mismatch") \
  X(INTEGER_DIVIDE_BY_ZERO, "integer divide by zero") \
  X(INTEGER_OVERFLOW, "integer overflow") \
  X(INVALID_CONVERSION, "invalid conversion to integer") \
  X(CAST_FAILURE, "cast failure") \
  X(NULL_REFERENCE, "null reference") \
  X(NULL_FUNCTION, "null function reference") \
  X(NULL_STRUCTURE, "null structure reference") \
  X(NULL_ARRAY, "null array reference") \
  X(NULL_I31, "null i31 reference") \
  X(NULL_EXCEPTION, "null exception reference") \
  X(CALL_STACK_EXHAUSTED, "call stack exhausted") \
  X(HEAP_EXHAUSTED, "heap limit reached") \
  X(BULK_EXHAUSTED, "bulk byte limit reached") \
  X(UNCAUGHT_EXCEPTION, "uncaught exception") \
  X(HOST, "host function failed") \
  X(NO_HOST_MEMORY, "the host has no memory") /* no trap of the guest: a run ends as WM_RUN_NO_HOST_MEMORY with it */
enum wm_trap {
#define X(name, text) WM_TRAP_##name,
  WM_TRAPS(X)
#undef X
  WM_TRAP_COUNT
};
const char *wm_trap_text(enum wm_trap trap);

/* ---- Store, host functions, instances -------------------------------------------------------------------------- */

struct wm_store;
struct wm_instance;
struct wm_run;

/* A function of the host. Returns WM_TRAP_NONE and fills results, or a trap. It must not re-enter the store's runs; it may look at the
 * one that calls it (wm_run_look): `instructions` is exact, the call included. */
typedef enum wm_trap (*wm_host_function)(void *user, struct wm_store *store, const struct wm_value *args, struct wm_value *results);

/* What an import is bound to, and what an export is: an item of the store. */
struct wm_extern {
  uint8_t kind;   /* enum wm_extern_kind */
  void *item;     /* opaque: the store's function, table, memory, global or tag */
};

/* Everything that is linked together shares one store: types registry, functions, heap. Lives in `arena`; NULL when it does
 * not fit. `limits`, `host` and `types` are kept by reference. wm_store_close releases every block taken from the host. */
struct wm_store *wm_store_open(struct wm_arena *arena, const struct wm_limits *limits, const struct wm_host *host, struct wm_types *types);
void wm_store_close(struct wm_store *store);
/* Garbage collector in stress mode: collect at every allocation. */
void wm_store_set_stress(struct wm_store *store, bool is_on);

bool wm_store_add_function(struct wm_store *store, uint32_t type_id, wm_host_function function, void *user, struct wm_extern *out);
bool wm_store_add_table(struct wm_store *store, struct wm_table_type type, struct wm_extern *out);
bool wm_store_add_memory(struct wm_store *store, struct wm_memory_type type, struct wm_extern *out);
bool wm_store_add_global(struct wm_store *store, struct wm_global_type type, struct wm_value value, struct wm_extern *out);
bool wm_store_add_tag(struct wm_store *store, uint32_t type_id, struct wm_extern *out);

/* Links: checks each import against `imports[i]` (item NULL: unknown), in order, and makes the instance
 * without running or writing anything. WM_UNLINKABLE "unknown import" or "incompatible import type"; WM_NO_SPACE. */
struct wm_instance *wm_instance_link(struct wm_store *store, const struct wm_module *module, const struct wm_extern *imports, struct wm_error *error);
/* Evaluates initialisers and copies active segments in order: the first that is out of bounds traps and leaves what came before.
 * Not the start function: run it as module->start afterwards. Nothing here counts or is tapped. A trap's offset goes to *offset. */
enum wm_trap wm_instance_init(struct wm_instance *instance, uint64_t *offset);
/* Lowers every function now instead of at its first call (tests and benchmarks). False: no space. */
bool wm_instance_lower_all(struct wm_instance *instance);

const struct wm_module *wm_instance_module(const struct wm_instance *instance);
struct wm_extern wm_instance_export(const struct wm_instance *instance, const struct wm_export *export_);
struct wm_extern wm_instance_item(const struct wm_instance *instance, uint8_t kind, uint32_t index);
/* The bytes of a memory now; they may move when it grows. NULL base and 0 for an empty one. */
struct wm_memory_bytes { uint8_t *base; uint64_t length; };
struct wm_memory_bytes wm_instance_memory(const struct wm_instance *instance, uint32_t index);
struct wm_value wm_extern_global(struct wm_extern global);
void wm_extern_set_global(struct wm_extern global, struct wm_value value);
uint32_t wm_extern_func_type(struct wm_extern function);

/* References seen from outside. */
enum wm_ref_kind { WM_REF_NULL, WM_REF_FUNC, WM_REF_HOST, WM_REF_I31, WM_REF_STRUCT, WM_REF_ARRAY, WM_REF_EXCEPTION };
struct wm_ref_view { uint8_t kind; uint64_t host; /* HOST: the number; I31: its bits; FUNC: function index */ };
struct wm_ref_view wm_ref_look(struct wm_store *store, struct wm_value value);
/* ref.extern N / ref.host N of the test scripts. */
struct wm_value wm_ref_host(uint64_t number, wm_valtype type);
/* References held by the host (results of earlier runs) stay alive only while pinned: the last `count` values given here. */
void wm_store_pin(struct wm_store *store, const struct wm_value *values, uint32_t count);

/* ---- Runs ------------------------------------------------------------------------------------------------------ */

enum wm_run_state {
  WM_RUN_IDLE,     /* nothing started, or the last start has finished and its results were taken */
  WM_RUN_PAUSED,   /* budget used up, or a stop was asked for: resume continues at exactly the next instruction */
  WM_RUN_DONE,     /* returned: results are there */
  WM_RUN_TRAPPED,  /* trap says why; frames are left in place for looking at */
  WM_RUN_NO_HOST_MEMORY, /* the host could not give memory the guest may have: status 70 */
};

/* Which stream a run uses. AUTO: fast where there is one and budget for a segment, else step. */
enum wm_stream { WM_STREAM_AUTO, WM_STREAM_STEP, WM_STREAM_FAST };

struct wm_run_status {
  uint8_t state;             /* enum wm_run_state */
  uint8_t trap;              /* enum wm_trap */
  uint64_t instructions;     /* executed since wm_run_open, the trapping one included */
  uint64_t budget;           /* left */
  uint32_t depth;            /* live frames */
  uint32_t function;         /* of the current frame, or where it trapped; WM_NO_INDEX when none */
  uint64_t offset;           /* byte of the next instruction (paused) or of the trapping one; WM_NO_OFFSET when none */
  uint32_t peak_frames;      /* since wm_run_open; the function the host called counts as 1 */
  uint64_t bulk_bytes;       /* moved since wm_run_open */
};

/* A run owns the frames and slots (blocks of the host). One run at a time has frames in a store. NULL: no space. */
struct wm_run *wm_run_open(struct wm_store *store);
void wm_run_close(struct wm_run *run);
/* No tap: NULL. Only between runs (state not PAUSED) or at a pause. Pending events are delivered before any function here returns. */
void wm_run_set_tap(struct wm_run *run, const struct wm_tap *tap);
void wm_run_set_stream(struct wm_run *run, enum wm_stream stream);
/* Instructions that may still run, over all starts until set again. */
void wm_run_set_budget(struct wm_run *run, uint64_t instructions);
/* Starts `function` of the store with these arguments (types must match: asserted by WM_CONTRACT error, false) and stops before its first
 * instruction: state PAUSED (a host function: done at once). Abandons what was paused or trapped before. */
bool wm_run_start(struct wm_run *run, struct wm_extern function, const struct wm_value *args, uint32_t arg_count, struct wm_error *error);
/* Runs until done, trap, or the budget is used up. Exactly `budget` instructions are permitted: one that ends on the last succeeds. */
enum wm_run_state wm_run_resume(struct wm_run *run);
/* Runs at most `count` instructions in the step stream (within the budget). */
enum wm_run_state wm_run_step(struct wm_run *run, uint64_t count);
/* From a tap or a signal handler: stop after the instruction under way. */
void wm_run_ask_stop(struct wm_run *run);
struct wm_run_status wm_run_look(const struct wm_run *run);
/* Results after DONE; types from the function's type. */
uint32_t wm_run_results(const struct wm_run *run, struct wm_value *results, uint32_t capacity);
/* The uncaught exception's tag and arguments after WM_TRAP_UNCAUGHT_EXCEPTION. */
uint32_t wm_run_exception(const struct wm_run *run, struct wm_extern *tag, struct wm_value *args, uint32_t capacity);

/* ---- Looking at frames (debugger) ------------------------------------------------------------------------------ */

struct wm_frame_view {
  struct wm_instance *instance;
  uint32_t function;
  uint64_t offset;         /* innermost: next (or trapping) instruction; others: the instruction after their call */
  uint32_t instruction;    /* its ordinal in the body */
  uint32_t local_count;
  uint32_t operand_slots;  /* live operand stack now */
  uint64_t *slots;         /* locals first, then operands: slot layout of decoder/walk.h; writable by the debugger */
};
/* `depth` 0 is the innermost. Only in states PAUSED and TRAPPED. */
bool wm_run_frame(const struct wm_run *run, uint32_t depth, struct wm_frame_view *view);

#endif
