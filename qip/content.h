/* One render, from request to result, as a machine that can be stopped at any instruction and continued.
 *
 *   open:   checks input and uniforms, links, initialises, runs V1/V2 getters, copies the input
 *   resume: setters in sorted order, then render, on one budget; both counted and tapped
 *   then:   the result word is judged, ranges and UTF-8 output are checked, V2's commit is asked: accepted, rejected, ...
 *
 * V1 and V2 getters and commit run on the budget but are neither counted nor tapped. The caller owns the store, the module, the contract, the
 * arena and the input; the session owns one instance and one run in that store until wm_content_close. */
#ifndef WM_QIP_CONTENT_H
#define WM_QIP_CONTENT_H

#include "interp/run.h"
#include "qip/contract.h"
#include "qip/uniforms.h"

struct wm_content_setup {
  struct wm_store *store;
  const struct wm_limits *limits;
  const struct wm_module *module;
  struct wm_contract *contract;     /* wm_contract_read's; V1/V2 values are resolved in it */
  const struct wm_extern *imports;  /* one for each import of the module, or NULL when it has none */
  const uint8_t *input;             /* NULL and 0: empty */
  uint64_t input_length;
  bool check_input_utf8;            /* first stage: validate a utf8 input; later stages trust the encoding */
  const struct wm_uniform *uniforms; /* sorted (wm_uniforms_sort) */
  uint32_t uniform_count;
  uint64_t budget;                  /* instructions over getters, setters, render and commit */
  struct wm_arena *arena;
};

enum wm_content_phase {
  WM_CONTENT_OPENING,  /* checks, linking, V1/V2 getters */
  WM_CONTENT_SETTER,   /* paused in, or before, the setter `uniform` */
  WM_CONTENT_RENDER,   /* paused in, or before, render (run) */
  WM_CONTENT_COMMIT,   /* V2 */
  WM_CONTENT_FINISHED, /* the outcome stands */
};

enum wm_content_result {
  WM_CONTENT_UNFINISHED,
  WM_CONTENT_ACCEPTED,  /* exit status 0 */
  WM_CONTENT_REJECTED,  /* 1: the component rejected its input */
  WM_CONTENT_TRAPPED,   /* 4 */
  WM_CONTENT_EXHAUSTED, /* 5: the budget */
  WM_CONTENT_VIOLATION, /* 6: the component broke its contract */
  WM_CONTENT_REFUSED,   /* 65: input or uniform not acceptable; nothing ran */
  WM_CONTENT_NO_MEMORY, /* 70: the host could not give memory, or the arena is used up */
};

struct wm_content_outcome {
  uint8_t result;          /* enum wm_content_result */
  uint8_t phase;           /* enum wm_content_phase: where it ended; meaningful once finished */
  uint8_t trap;            /* TRAPPED: enum wm_trap */
  struct wm_text export_name; /* TRAPPED, EXHAUSTED: which export was running: "render", "uniform_set_x", "commit", "input_ptr" ... */
  uint32_t function;       /* TRAPPED, EXHAUSTED: where; WM_NO_INDEX when nothing ran */
  uint64_t offset;         /* byte in the module file of the trapping instruction, or of the first not executed */
  uint64_t instructions;   /* setters and render */
  uint64_t budget_left;
  uint32_t peak_frames;    /* setters and render */
  uint64_t bulk_bytes;     /* setters and render */
  uint64_t word;           /* what render or run returned, zero-extended */
  uint64_t output_address, output_length; /* ACCEPTED: bytes of memory 0 */
  uint8_t output_encoding; /* enum wm_encoding; NONE: V1 without output (word is its number) */
  bool has_rejection_offset, has_rejection_mode;
  uint64_t rejection_offset, rejection_mode;
  struct wm_problem problem; /* REJECTED ("rejected input at input offset O with mode M"), VIOLATION, REFUSED, NO_MEMORY; else clear */
};

struct wm_content_setter {
  const struct wm_contract_uniform *uniform;
  struct wm_value value;   /* asked for */
  struct wm_value applied; /* what the setter returned, once it ran */
};

struct wm_content {
  struct wm_content_setup setup;
  struct wm_instance *instance;
  struct wm_run *run;               /* setters and render; NULL before and after */
  uint8_t phase;                    /* enum wm_content_phase */
  bool is_started;                  /* the phase's call has been started (its first instruction may still be to come) */
  uint32_t setter;                  /* next or current */
  uint32_t setter_count;
  struct wm_content_setter *setters;
  uint8_t stream;                   /* enum wm_stream */
  uint64_t budget_left;
  struct wm_content_outcome outcome;
  /* For struct wm_view: valid after open; the output region is appended on acceptance. */
  uint32_t region_count, initialized_count;
  uint32_t input_region_count;      /* regions without the output */
  struct wm_region *regions, *initialized;
  bool has_global0;                 /* global 0 is a mutable i32 or i64 */
  uint64_t global0_initial;
  void *user;                       /* the caller's own */
};

/* Everything before the first setter. False: it is finished, see wm_content_outcome (the session still wants closing). */
bool wm_content_open(struct wm_content *content, const struct wm_content_setup *setup);
/* Between open and the end; takes effect at the next resume. NULL: none. */
void wm_content_set_tap(struct wm_content *content, const struct wm_tap *tap);
void wm_content_set_stream(struct wm_content *content, enum wm_stream stream);
/* Instructions that may still run from here. */
void wm_content_set_budget(struct wm_content *content, uint64_t instructions);

/* Where else to stop, before anything of it has run. */
enum { WM_CONTENT_STOP_SETTER = 1, WM_CONTENT_STOP_RENDER = 2 };
/* Runs at most `instructions` (and the budget), up to the end or a stop point. True: paused (phase tells where; the run is
 * content->run, started at the phase's export). False: finished. A stop asked for by a tap pauses too. Pausing needs no budget: at a
 * stop point zero instructions are enough to get there. */
bool wm_content_resume(struct wm_content *content, uint64_t instructions, uint32_t stops);
/* To the end. */
static inline void wm_content_finish(struct wm_content *content)
{
  while (wm_content_resume(content, UINT64_MAX, 0)) {
  }
}
const struct wm_content_outcome *wm_content_outcome(const struct wm_content *content);
/* The accepted output, in linear memory: valid until the session is closed or runs again. */
const uint8_t *wm_content_output(const struct wm_content *content, uint64_t *length);
/* The export that the phase is about: a setter's name, "render" or "run". */
struct wm_text wm_content_export_name(const struct wm_content *content);
/* Fills what the session knows of a view: counts, memories, global 0, regions; host is the session. Left to the caller: function_name,
 * access_ordinal, clock_ns, reserve. Call again after the end: regions then include the output. */
void wm_content_view(struct wm_content *content, struct wm_view *view);
void wm_content_close(struct wm_content *content);

/* Plan time: would these uniforms (sorted) be taken? WM_REQUEST problem on an unknown key, a value that is not of the type; WM_CONTRACT on
 * a setter with another signature. */
bool wm_content_check_uniforms(const struct wm_contract *contract, const struct wm_uniform *uniforms, uint32_t count,
                               struct wm_problem *problem);
/* Plan time: capacity and UTF-8 of an input, as far as the contract is known. WM_REQUEST problem. */
bool wm_content_check_input(const struct wm_contract *contract, const uint8_t *input, uint64_t length, bool check_utf8,
                            struct wm_problem *problem);
/* Runs the getters of V1 and V2 in an initialised instance, on *budget, and fills in the contract; nothing for V3. output_ptr is left out:
 * it may be asked only after render. On failure *outcome tells. `inspect` and pipelines call it before the run proper. */
bool wm_contract_resolve(struct wm_contract *contract, struct wm_store *store, struct wm_instance *instance, uint64_t *budget,
                         struct wm_content_outcome *outcome);

#endif
