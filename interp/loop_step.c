/* The step loop: runs the step stream (step.h), one instruction for one of the budget, and tells events where the tap wants them.
 *
 * The reference form of the engine. Handler bodies stand in handlers/ by family; what they may use is defined here: `i` the
 * entry, S(k) its operand slots, `instance`, memory 0 in `bytes` and `bound`, NEXT, GO(ordinal), TRAP(trap), TELL. State lives in
 * locals and goes back to the run at exits, calls and whatever can look at frames. Both dispatch forms: dispatch.h. */
#include "interp/aggregate.h"
#include "interp/dispatch.h"
#include "interp/frame.h"
#include "interp/numeric.h"
#include "interp/table.h"
#include "interp/vector.h"

#define S(k) slots[i->a + (k)]
#define ORDINAL() ((uint32_t)(i - steps))

/* Going on: to the next entry, to an ordinal, or out. Every entry charges one before it runs: with direct jumps each handler for itself, with
 * a switch in front of it, once for all, which is smaller. (A shared place for i++ too makes it slower by far under V8.) */
#define CHARGE() \
  do { \
    if (left == 0) \
      goto paused; \
    left--; \
  } while (0)
#if defined(WM_DISPATCH_GOTO)
#define ENTRANCE() CHARGE()
#define NEXT() \
  do { \
    i++; \
    CHARGE(); \
    WM_DISPATCH(i->op); \
  } while (0)
#define GO(ordinal) \
  do { \
    i = steps + (ordinal); \
    CHARGE(); \
    WM_DISPATCH(i->op); \
  } while (0)
#else
#define ENTRANCE() \
charge: \
  CHARGE()
#define NEXT() \
  do { \
    i++; \
    goto charge; \
  } while (0)
#define GO(ordinal) \
  do { \
    i = steps + (ordinal); \
    goto charge; \
  } while (0)
#endif
#define TRAP(code) \
  do { \
    trap = (code); \
    goto trapped; \
  } while (0)
#define TRAP_IF(condition, code) \
  do { \
    if (__builtin_expect((condition), 0)) \
      TRAP(code); \
  } while (0)
/* A helper's verdict. */
#define CHECK(call) \
  do { \
    trap = (call); \
    if (__builtin_expect(trap != WM_TRAP_NONE, 0)) \
      goto trapped; \
  } while (0)

/* Events. A tap may have asked to stop: what is left is given back, so that the next instruction does not run. */
#define WANTS(kind) __builtin_expect((wants & WM_WANT(WM_EVENT_##kind)) != 0, 0)
#define SITE() ((struct wm_site){frame->function->index, i->offset, run->instructions + (given - left)})
#define GIVE_BACK() \
  do { \
    run->budget += left; \
    given -= left; \
    left = 0; \
  } while (0)
#define TELL(...) \
  do { \
    wm_tell(run, SITE(), &(struct wm_event){__VA_ARGS__}); \
    if (run->is_stop_asked) \
      GIVE_BACK(); \
  } while (0)
/* A debugger waits for so few frames (debug.h). */
#define STOP_AT_DEPTH() \
  do { \
    if (run->frame_count <= run->stop_depth) { \
      run->is_stop_asked = true; \
      GIVE_BACK(); \
    } \
  } while (0)
/* A load or store of `size` bytes at `at`: there are many, so their events are put together in one place. */
#define TELL_MOVE(KIND, when, size, low, high) \
  do { \
    if (tell_move(run, frame, i, given - left, WM_EVENT_##KIND, (when), at, (size), (low), (high))) \
      GIVE_BACK(); \
  } while (0)
#define TELL_BEFORE_MOVE(KIND, size, low, high) \
  do { \
    if (WANTS(KIND)) \
      TELL_MOVE(KIND, before, size, low, high); \
  } while (0)
#define TELL_AFTER_MOVE(KIND, size, low, high) \
  do { \
    if (WANTS(KIND) && before != WM_PHASE_NONE) \
      TELL_MOVE(KIND, WM_PHASE_AFTER, size, low, high); \
  } while (0)
/* Any other access, before its effect and, for taps that want it at once, after it. */
#define TELL_ACCESS(KIND, ...) \
  do { \
    if (WANTS(KIND)) \
      TELL(.kind = WM_EVENT_##KIND, .phase = before, __VA_ARGS__); \
  } while (0)
#define TELL_AFTER(KIND, ...) \
  do { \
    if (WANTS(KIND) && before != WM_PHASE_NONE) \
      TELL(.kind = WM_EVENT_##KIND, .phase = WM_PHASE_AFTER, __VA_ARGS__); \
  } while (0)

/* What instructions look at from outside must be in the frame: its position is the instruction under way. */
#define SYNC() (frame->position = ORDINAL())
/* A host function may ask how many instructions have run, its call included. */
#define SYNC_COUNT() \
  do { \
    run->instructions += given - left; \
    given = left; \
  } while (0)
/* Before an object is made: the collector looks at frames, and has a right to work by the instructions that have run. */
#define SYNC_MAKER() \
  do { \
    SYNC(); \
    SYNC_COUNT(); \
    run->store->heap.instructions = run->instructions; \
  } while (0)
#define RELOAD_MEMORY() \
  do { \
    if (instance->module->memory_count != 0) { \
      bytes = instance->memories[0]->base; \
      bound = instance->memories[0]->length; \
    } \
  } while (0)

/* True when the tap has asked to stop. */
static __attribute__((noinline)) bool tell_move(struct wm_run *run, const struct wm_frame *frame, const struct wm_step *i, uint64_t ran,
                                                uint8_t kind, uint8_t phase, uint64_t at, uint64_t length, uint64_t low, uint64_t high)
{
  struct wm_site site = {frame->function->index, i->offset, run->instructions + ran};
  wm_tell(run, site, &(struct wm_event){.kind = kind, .phase = phase, .memory = (uint16_t)i->c, .address = at, .length = length,
                                        .value = {low, high}});
  return run->is_stop_asked;
}

enum wm_loop_exit wm_loop_step(struct wm_run *run, uint64_t count)
{
#if defined(WM_DISPATCH_GOTO)
#define WM_OP(NAME, ...) WM_LABEL(NAME)
  static const void *const labels[] = {
#include "decoder/opcodes.def"
    WM_STEP_OPS(WM_LABEL)
  };
#undef WM_OP
#endif
  const uint32_t wants = run->wants;
  const uint8_t before = (run->needs & WM_NEED_IMMEDIATE) != 0 ? WM_PHASE_BEFORE : WM_PHASE_NONE;
  uint64_t given = count < run->budget ? count : run->budget;
  uint64_t left = given;
  run->budget -= given;
  enum wm_loop_exit exit;
  enum wm_trap trap;
  struct wm_function *callee;
  uint16_t call_flags;
  struct wm_frame *frame;
  struct wm_instance *instance;
  uint64_t *slots;
  const struct wm_step *steps, *i;
  uint8_t *bytes = NULL;
  uint64_t bound = 0;

enter: /* go on in the innermost frame at its position */
  frame = &run->frames[run->frame_count - 1];
  if (frame->function->steps == NULL)
    wm_step_lower(frame->function);
  slots = frame->slots;
  instance = frame->function->instance;
  steps = frame->function->steps;
  i = steps + frame->position;
  RELOAD_MEMORY();
  ENTRANCE();
  WM_DISPATCH_OPEN(i->op)
#include "interp/handlers/control.inc"
#include "interp/handlers/call.inc"
#include "interp/handlers/variable.inc"
#include "interp/handlers/memory.inc"
#include "interp/handlers/numeric.inc"
#include "interp/handlers/table.inc"
#include "interp/handlers/reference.inc"
#include "interp/handlers/aggregate.inc"
#include "interp/handlers/vector.inc"
  WM_DISPATCH_CLOSE

call: /* of `callee`, arguments at S(0) */
  if (callee->instance == NULL) {
    if (WANTS(CALL))
      TELL(.kind = WM_EVENT_CALL, .flags = call_flags | WM_FLAG_IMPORT, .detail = wm_function_index_in(instance, callee));
    SYNC();
    SYNC_COUNT();
    CHECK(wm_host_call(run, callee, &S(0)));
    RELOAD_MEMORY();
    NEXT();
  }
  TRAP_IF(!wm_work_charge(run, wm_frame_zeroed(callee)), WM_TRAP_BULK_EXHAUSTED);
  frame->position = ORDINAL() + 1;
  frame->resume = NULL;
  if (!wm_frame_push(run, callee, &S(0)))
    TRAP(WM_TRAP_CALL_STACK_EXHAUSTED);
  if (WANTS(CALL))
    TELL(.kind = WM_EVENT_CALL, .flags = call_flags, .detail = wm_function_index_in(instance, callee));
  goto enter;

tail_call: /* of `callee`, arguments at S(0), in place of this frame */
  if (callee->instance != NULL) {
    TRAP_IF(!wm_frame_fits(run, callee, slots), WM_TRAP_CALL_STACK_EXHAUSTED);
    TRAP_IF(!wm_work_charge(run, wm_frame_zeroed(callee)), WM_TRAP_BULK_EXHAUSTED);
  }
  if (WANTS(RETURN))
    TELL(.kind = WM_EVENT_RETURN,
         .flags = WM_FLAG_TAIL | (callee->instance == NULL && run->frame_count == 1 ? WM_FLAG_OUTERMOST : 0));
  if (WANTS(CALL))
    TELL(.kind = WM_EVENT_CALL, .flags = call_flags | WM_FLAG_TAIL | (callee->instance == NULL ? WM_FLAG_IMPORT : 0),
         .detail = wm_function_index_in(instance, callee));
  if (callee->instance == NULL) {
    SYNC();
    SYNC_COUNT();
    CHECK(wm_host_call(run, callee, &S(0)));
    __builtin_memmove(slots, &S(0), (size_t)callee->result_slots * 8);
    goto leave;
  }
  __builtin_memmove(slots, &S(0), (size_t)callee->param_slots * 8);
  wm_frame_replace(run, callee);
  goto enter;

leave: /* results stand at slots[0…] */
  if (--run->frame_count != 0) {
    STOP_AT_DEPTH();
    goto enter;
  }
  exit = WM_LOOP_DONE;
  goto out;

throw: /* run->exception */
  frame->position = ORDINAL() + 1;
  trap = wm_throw_unwind(run, run->instructions + (given - left));
  if (trap != WM_TRAP_NONE)
    goto trapped;
  STOP_AT_DEPTH();
  goto enter;

fault: /* an access of run->fault… is out of bounds */
  run->has_fault = true;
  trap = WM_TRAP_OUT_OF_BOUNDS_MEMORY;
trapped:
  SYNC();
  run->trap = (uint8_t)trap;
  exit = trap == WM_TRAP_NO_HOST_MEMORY ? WM_LOOP_NO_HOST_MEMORY : WM_LOOP_TRAPPED;
  if (exit == WM_LOOP_TRAPPED && WANTS(TRAP))
    wm_tell_trap(run, SITE());
  goto out;

paused:
  SYNC();
  exit = WM_LOOP_PAUSED;
out:
  run->budget += left;
  run->instructions += given - left;
  return exit;
}
