/* A run's frames and slots, and what every form of the loop shares: entering and leaving functions, calls of the host, events, throws.
 *
 * Frame layout: a function's locals (parameters first), then its operand stack, in 64-bit slots. Frames overlap: a callee's slots begin
 * at its first argument in the caller's operand stack, and its results are left there, so neither is ever copied between frames.
 * A frame's position is the ordinal of an instruction in the body, never a place in a stream: a callee may change stream. Of the
 * innermost frame it is the next instruction (or the one that trapped); of the others the instruction after their call.
 * At a position where frames are looked at from outside (call, allocation, pause, throw) all live values stand in their slots.
 * Internal to interp/. The run owns both blocks; slots never move. */
#ifndef WM_INTERP_FRAME_H
#define WM_INTERP_FRAME_H

#include "interp/step.h"

#include "decoder/walk.h"

struct wm_frame {
  struct wm_function *function;
  uint64_t *slots;
  uint32_t position;
  const union wm_word *resume; /* of a frame waiting for a call that the fast stream made: the place of its position there; else NULL */
};

struct wm_run {
  struct wm_store *store;
  struct wm_run *next;
  struct wm_block slot_block, frame_block;
  uint64_t *slots, *slots_end;
  struct wm_frame *frames;
  uint32_t frame_count, frame_limit, peak_frames;
  uint8_t state, trap, stream;
  volatile bool is_stop_asked;
  uint32_t stop_depth;   /* a return to so few frames asks for a stop (debug.h) */
  uint64_t budget;       /* left; while a loop runs: what it has not been given */
  uint64_t instructions; /* executed; while a loop runs: before it */
  uint64_t bulk_left, bulk_limit; /* bytes that bulk operations may still move */
  struct wm_function *started;    /* whose results slots[0…] hold when DONE */
  uint64_t exception;             /* reference of the one in flight or uncaught, else 0 */
  /* A memory access that trapped, for its event. */
  uint64_t fault_address, fault_length;
  uint32_t fault_memory;
  bool has_fault, fault_is_store;
  /* Events. `wants` is 0 without a tap. */
  uint32_t wants, needs;
  struct wm_tap tap;
  uint32_t batch_count;
  struct wm_event *batch; /* WM_BATCH_EVENTS of them */
};

/* Why a loop came back. */
enum wm_loop_exit {
  WM_LOOP_PAUSED,  /* it used up what it was given, or a stop was asked for */
  WM_LOOP_DONE,    /* the last frame has returned */
  WM_LOOP_TRAPPED, /* run->trap */
  WM_LOOP_NO_HOST_MEMORY,
};
/* Runs at most `count` instructions in the step stream and takes them from the budget. */
enum wm_loop_exit wm_loop_step(struct wm_run *run, uint64_t count);
/* The same in the fast stream (loop_fast.inc), which is left, PAUSED, wherever it cannot go on: less is left than is charged ahead there,
 * the function has no fast stream, or its position is no head. Bare: without a tap; tap: with one that is served by batches and needs no
 * sites of accesses; pages: with one that has the page sink's step. */
enum wm_loop_exit wm_loop_bare(struct wm_run *run, uint64_t count);
enum wm_loop_exit wm_loop_tap(struct wm_run *run, uint64_t count);
enum wm_loop_exit wm_loop_pages(struct wm_run *run, uint64_t count);

/* What one instruction does beyond this many bytes of work is bulk work, whatever the instruction: a budget counts instructions, and
 * would not bound a run in which each may zero a million locals. */
#define WM_FREE_WORK_BYTES 4096u
/* False: the bulk limit is reached. */
static inline bool wm_work_charge(struct wm_run *run, uint64_t bytes)
{
  if (bytes <= WM_FREE_WORK_BYTES)
    return true;
  if (bytes > run->bulk_left)
    return false;
  run->bulk_left -= bytes;
  return true;
}
/* In a loop, which has TRAP_IF: bytes that a bulk operation is about to move. */
#define CHARGE_BULK(moved) \
  do { \
    TRAP_IF((moved) > run->bulk_left, WM_TRAP_BULK_EXHAUSTED); \
    run->bulk_left -= (moved); \
  } while (0)
/* Bytes that a call of `function` zeroes. */
static inline uint64_t wm_frame_zeroed(const struct wm_function *function)
{
  return (uint64_t)(function->local_slots - function->param_slots) * 8;
}

/* Room for a frame of `function` whose slots begin at `slots`? */
static inline bool wm_frame_fits(const struct wm_run *run, const struct wm_function *function, const uint64_t *slots)
{
  return function->frame_slots <= (uint64_t)(run->slots_end - slots);
}

/* A new innermost frame for a function of an instance, its declared locals zeroed, arguments in place. False: call stack exhausted. */
static inline bool wm_frame_push(struct wm_run *run, struct wm_function *function, uint64_t *slots)
{
  if (run->frame_count >= run->frame_limit || !wm_frame_fits(run, function, slots))
    return false;
  struct wm_frame *frame = &run->frames[run->frame_count++];
  frame->function = function;
  frame->slots = slots;
  frame->position = 0;
  frame->resume = NULL;
  if (run->frame_count > run->peak_frames)
    run->peak_frames = run->frame_count;
  for (uint32_t i = function->param_slots; i < function->local_slots; i++)
    slots[i] = 0;
  return true;
}
/* A tail call: the same frame for another function, whose arguments stand at frame->slots already. */
static inline bool wm_frame_replace(struct wm_run *run, struct wm_function *function)
{
  struct wm_frame *frame = &run->frames[run->frame_count - 1];
  if (!wm_frame_fits(run, function, frame->slots))
    return false;
  frame->function = function;
  frame->position = 0;
  for (uint32_t i = function->param_slots; i < function->local_slots; i++)
    frame->slots[i] = 0;
  return true;
}

/* Begins to walk the body of a frame's function up to its position and answers how many operands are live there: of the innermost frame all
 * before the instruction, of others those below the results of their call. The walk's scratch ends with `store->scratch.used` being put back. */
uint32_t wm_frame_walk(struct wm_store *store, struct wm_walk *walk, const struct wm_function *function, uint32_t position, bool is_innermost);

/* Calls a host function with the arguments at `slots` and leaves its results there. */
enum wm_trap wm_host_call(struct wm_run *run, const struct wm_function *function, uint64_t *slots);

/* ---- Events (tell.c). Callers test run->wants first; all of these are cold. ---------------------------------------- */

/* Where an event happens: function and byte offset of the instruction, and how many have run, this one included. */
struct wm_site {
  uint32_t function, offset;
  uint64_t instruction;
};
/* An event with these members filled in, to which the site and what the tap needs is added. One with a phase is delivered alone, at once. */
void wm_tell(struct wm_run *run, struct wm_site site, const struct wm_event *event);
/* The event of the trap that run->trap and run->fault… tell. */
void wm_tell_trap(struct wm_run *run, struct wm_site site);
void wm_tell_flush(struct wm_run *run);
/* The index by which `instance` knows a function, WM_NO_INDEX when it does not. */
uint32_t wm_function_index_in(const struct wm_instance *instance, const struct wm_function *function);

/* ---- Exceptions (throw.c) ------------------------------------------------------------------------------------------ */

/* Makes the exception object of these arguments and puts it into run->exception. May collect: synchronise the frame first. */
enum wm_trap wm_exception_make(struct wm_run *run, const struct wm_tag_instance *tag, const uint64_t *args);
/* Unwinds to the innermost handler of the exception in flight: the innermost frame is then its function's, positioned where the handler
 * goes on, the caught values in place. Otherwise a trap (no handler, or the bulk limit reached): nothing has changed. The throwing frame's position must be the throwing
 * instruction's ordinal plus one, as after a call. */
enum wm_trap wm_throw_unwind(struct wm_run *run, uint64_t instruction);

#endif
