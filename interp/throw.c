/* Exceptions: making them and finding their handler (WebAssembly 3.0, Execution: Exception Handling).
 *
 * Two phases, no host recursion: first the frames are searched from the innermost outwards with nothing changed, so that an uncaught
 * exception leaves them for looking at; then they are unwound. Handlers are a static table for each function (step.h): entering a
 * try_table costs nothing. An exception object holds the tag's address and the arguments. */
#include "interp/frame.h"

enum wm_trap wm_exception_make(struct wm_run *run, const struct wm_tag_instance *tag, const uint64_t *args)
{
  struct wm_store *store = run->store;
  uint32_t slots = wm_types_get(store->types, tag->type)->param_slots;
  uint64_t ref;
  enum wm_trap trap = wm_heap_allocate(store, WM_OBJECT_EXCEPTION, tag->type, 0, (uint64_t)slots + 1, &ref);
  if (trap != WM_TRAP_NONE)
    return trap;
  uint64_t *words = wm_heap_words(&store->heap, ref);
  words[0] = (uint64_t)(uintptr_t)tag;
  for (uint32_t i = 0; i < slots; i++)
    words[i + 1] = args[i];
  run->exception = ref;
  return WM_TRAP_NONE;
}

/* The clause of this frame that catches an exception of `tag`, thrown or passed on by the instruction before its position. */
static const struct wm_step_catch *find_clause(const struct wm_frame *frame, const struct wm_tag_instance *tag)
{
  const struct wm_function *function = frame->function;
  uint32_t at = frame->position - 1;
  for (uint32_t i = 0; i < function->catch_count; i++) {
    const struct wm_step_catch *clause = &function->catches[i];
    bool is_inside = clause->first < at && at < clause->last;
    if (is_inside && (clause->kind >= WM_CATCH_ALL || clause->tag == tag))
      return clause;
  }
  return NULL;
}

/* Where a frame stands that is waiting for a call or has thrown. */
static struct wm_site frame_site(const struct wm_frame *frame, uint64_t instruction)
{
  return (struct wm_site){frame->function->index, frame->function->steps[frame->position - 1].offset, instruction};
}

/* The caught arguments and, for the _REF kinds, the exception itself, to where the clause's label has its values. */
static void place_values(struct wm_run *run, struct wm_frame *frame, const struct wm_step_catch *clause)
{
  uint64_t *to = frame->slots + clause->to;
  const struct wm_object *object = wm_heap_object(&run->store->heap, run->exception);
  const uint64_t *args = wm_heap_words(&run->store->heap, run->exception) + 1;
  uint32_t slots = clause->kind <= WM_CATCH_REF ? wm_types_get(run->store->types, object->type)->param_slots : 0;
  for (uint32_t i = 0; i < slots; i++)
    to[i] = args[i];
  if (clause->kind == WM_CATCH_REF || clause->kind == WM_CATCH_ALL_REF)
    to[slots] = run->exception;
}

enum wm_trap wm_throw_unwind(struct wm_run *run, uint64_t instruction)
{
  const struct wm_tag_instance *tag =
    (const struct wm_tag_instance *)(uintptr_t)wm_heap_words(&run->store->heap, run->exception)[0];
  const struct wm_step_catch *clause = NULL;
  uint32_t depth = run->frame_count; /* frames that stay */
  for (; depth > 0; depth--) {
    struct wm_frame *frame = &run->frames[depth - 1];
    if (frame->function->steps == NULL)
      wm_step_lower(frame->function);
    if (!wm_work_charge(run, frame->function->catch_count * (uint64_t)sizeof *clause))
      return WM_TRAP_BULK_EXHAUSTED;
    clause = find_clause(frame, tag);
    if (clause != NULL)
      break;
  }
  if (clause == NULL)
    return WM_TRAP_UNCAUGHT_EXCEPTION;
  for (; run->frame_count > depth; run->frame_count--)
    if ((run->wants & WM_WANT(WM_EVENT_RETURN)) != 0)
      wm_tell(run, frame_site(&run->frames[run->frame_count - 1], instruction),
              &(struct wm_event){.kind = WM_EVENT_RETURN, .flags = WM_FLAG_UNWIND});
  struct wm_frame *frame = &run->frames[depth - 1];
  place_values(run, frame, clause);
  if ((run->wants & WM_WANT(WM_EVENT_BRANCH)) != 0)
    wm_tell(run, frame_site(frame, instruction),
            &(struct wm_event){.kind = WM_EVENT_BRANCH, .flags = (clause->flags & WM_STEP_BACK) != 0 ? WM_FLAG_BACK : 0});
  frame->position = clause->target;
  run->exception = 0;
  return WM_TRAP_NONE;
}
