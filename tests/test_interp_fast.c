/* The fast stream is exact: a run cut at any budget stops at the instruction where the step stream stops, with the same memory, and goes on
 * to the same end; traps have the same place and count; tapped loops tell what the step stream tells. Sources in tests/interp/fast.wat and,
 * where there is an assembler for it (WITH_FAST3), fast3.wat. */
#include <criterion/criterion.h>

#include "interp_support.h"

#define WORK 12          /* rounds: some two thousand instructions */
#define LONG_WORK 400
#define EVERY_BUDGET 2000
#define SEEDED 1000

#if defined(WITH_FAST3)
static const char *const modules[] = {"fast", "fast3"};
#else
static const char *const modules[] = {"fast"};
#endif
#define MODULES (sizeof modules / sizeof *modules)
static const char *module; /* the one under test */

struct place { uint32_t function, depth; uint64_t offset; };

static uint64_t digest(const struct fixture *f)
{
  struct wm_memory_bytes memory = wm_instance_memory(f->instance, 0);
  uint64_t hash = 0xcbf29ce484222325u ^ memory.length;
  for (uint64_t i = 0; i < memory.length; i++)
    hash = (hash ^ memory.base[i]) * 0x100000001b3u;
  return hash;
}

static void open_fast(struct fixture *f, enum wm_stream stream)
{
  fixture_open(f);
  fixture_load(f, module, NULL);
  wm_run_set_stream(f->run, stream);
}

static struct place place_of(const struct wm_run *run)
{
  struct wm_run_status status = wm_run_look(run);
  return (struct place){status.function, status.depth, status.offset};
}

struct end { uint64_t instructions, result, memory; };
static struct end end_of(const struct fixture *f)
{
  return (struct end){wm_run_look(f->run).instructions, fixture_result(f), digest(f)};
}

static struct end run_whole(uint64_t rounds, enum wm_stream stream)
{
  struct fixture f;
  open_fast(&f, stream);
  CALL(&f, "work", rounds);
  struct end end = end_of(&f);
  fixture_close(&f);
  return end;
}

static void expect_end(struct end got, struct end expected, unsigned long long budget)
{
  cr_assert_eq(got.instructions, expected.instructions, "budget %llu: %llu instructions", budget, (unsigned long long)got.instructions);
  cr_assert_eq(got.result, expected.result, "budget %llu: result", budget);
  cr_assert_eq(got.memory, expected.memory, "budget %llu: memory", budget);
}

/* Runs in the fast stream with this budget, looks where it stopped, and runs on to the end. */
static void cut(uint64_t rounds, uint64_t budget, const struct place *expected, uint64_t memory, struct end end)
{
  struct fixture f;
  open_fast(&f, WM_STREAM_FAST);
  wm_run_set_budget(f.run, budget);
  CALL(&f, "work", rounds);
  struct wm_run_status status = wm_run_look(f.run);
  cr_assert_eq(status.state, WM_RUN_PAUSED);
  cr_assert_eq(status.instructions, budget, "budget %llu: %llu instructions", (unsigned long long)budget, (unsigned long long)status.instructions);
  cr_assert_eq(status.budget, 0);
  if (expected != NULL) {
    struct place place = place_of(f.run);
    cr_assert_eq(place.function, expected->function, "budget %llu: function %u", (unsigned long long)budget, place.function);
    cr_assert_eq(place.offset, expected->offset, "budget %llu: offset %llu", (unsigned long long)budget, (unsigned long long)place.offset);
    cr_assert_eq(place.depth, expected->depth, "budget %llu: depth %u", (unsigned long long)budget, place.depth);
    cr_assert_eq(digest(&f), memory, "budget %llu: memory", (unsigned long long)budget);
  }
  wm_run_set_budget(f.run, 1000000000);
  wm_run_resume(f.run);
  expect_end(end_of(&f), end, budget);
  fixture_close(&f);
}

/* Every budget: against the step stream, one instruction after the other. */
static void cut_everywhere(void)
{
  struct end end = run_whole(WORK, WM_STREAM_STEP);
  cr_assert_gt(end.instructions, EVERY_BUDGET, "%llu instructions", (unsigned long long)end.instructions);
  expect_end(run_whole(WORK, WM_STREAM_FAST), end, 0);
  struct fixture f;
  open_fast(&f, WM_STREAM_STEP);
  START(&f, "work", WORK);
  for (uint64_t budget = 1; budget <= EVERY_BUDGET; budget++) {
    cr_assert_eq(wm_run_step(f.run, 1), WM_RUN_PAUSED);
    struct place place = place_of(f.run);
    cut(WORK, budget, &place, digest(&f), end);
  }
  fixture_close(&f);
}

Test(interp_fast, every_budget, .timeout = 300)
{
  for (size_t i = 0; i < MODULES; i++) {
    module = modules[i];
    cut_everywhere();
  }
}

static void cut_far(void)
{
  struct end end = run_whole(LONG_WORK, WM_STREAM_STEP);
  expect_end(run_whole(LONG_WORK, WM_STREAM_FAST), end, 0);
  uint64_t seed = 1;
  for (int i = 0; i < SEEDED; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    cut(LONG_WORK, EVERY_BUDGET + (seed >> 33) % (end.instructions - EVERY_BUDGET), NULL, 0, end);
  }
}

Test(interp_fast, seeded_budgets, .timeout = 300)
{
  for (size_t i = 0; i < MODULES; i++) {
    module = modules[i];
    cut_far();
  }
}

/* Many small pieces: every resume may begin in the middle of what the fast stream charges at once. */
static void run_in_pieces(void)
{
  struct end end = run_whole(LONG_WORK, WM_STREAM_STEP);
  for (uint64_t piece = 1; piece < 200; piece += piece < 20 ? 1 : 13) {
    struct fixture f;
    open_fast(&f, WM_STREAM_AUTO);
    START(&f, "work", LONG_WORK);
    do
      wm_run_set_budget(f.run, piece);
    while (wm_run_resume(f.run) == WM_RUN_PAUSED);
    expect_end(end_of(&f), end, piece);
    fixture_close(&f);
  }
}

Test(interp_fast, pieces, .timeout = 300)
{
  for (size_t i = 0; i < MODULES; i++) {
    module = modules[i];
    run_in_pieces();
  }
}

static const struct trap_row { const char *module, *name; uint64_t arg; enum wm_trap trap; } trap_rows[] = {
  {"fast", "trap_load", 1, WM_TRAP_OUT_OF_BOUNDS_MEMORY},
  {"fast", "trap_sum", 1, WM_TRAP_OUT_OF_BOUNDS_MEMORY},
  {"fast", "trap_scaled", 1, WM_TRAP_OUT_OF_BOUNDS_MEMORY},
  {"fast", "trap_wrapped", 1, WM_TRAP_OUT_OF_BOUNDS_MEMORY},
  {"fast", "trap_test", 1, WM_TRAP_OUT_OF_BOUNDS_MEMORY},
  {"fast", "trap_table", 1, WM_TRAP_OUT_OF_BOUNDS_MEMORY},
  {"fast", "trap_divide", 7, WM_TRAP_INTEGER_DIVIDE_BY_ZERO},
  {"fast", "trap_deep", 0, WM_TRAP_CALL_STACK_EXHAUSTED},
  {"fast", "trap_callee", 8, WM_TRAP_INTEGER_DIVIDE_BY_ZERO},
  {"fast", "trap_vector_load", 1, WM_TRAP_OUT_OF_BOUNDS_MEMORY},
  {"fast", "trap_lane_load", 1, WM_TRAP_OUT_OF_BOUNDS_MEMORY},
  {"fast", "trap_lane_store", 1, WM_TRAP_OUT_OF_BOUNDS_MEMORY},
  {"fast", "trap_vector_store", 1, WM_TRAP_OUT_OF_BOUNDS_MEMORY},
#if defined(WITH_FAST3)
  {"fast3", "trap_copy", 1, WM_TRAP_OUT_OF_BOUNDS_MEMORY},
  {"fast3", "trap_copy_from", 1, WM_TRAP_OUT_OF_BOUNDS_MEMORY},
  {"fast3", "trap_fill", 1, WM_TRAP_OUT_OF_BOUNDS_MEMORY},
  {"fast3", "trap_call_ref", 1, WM_TRAP_NULL_FUNCTION},
  {"fast3", "trap_tail_ref", 1, WM_TRAP_NULL_FUNCTION},
  {"fast3", "trap_table", 1, WM_TRAP_OUT_OF_BOUNDS_TABLE},
  {"fast3", "trap_table_set", 1, WM_TRAP_OUT_OF_BOUNDS_TABLE},
  {"fast3", "trap_null", 1, WM_TRAP_NULL_STRUCTURE},
  {"fast3", "trap_element", 1, WM_TRAP_OUT_OF_BOUNDS_ARRAY},
  {"fast3", "trap_after_tails", 1, WM_TRAP_UNREACHABLE},
#endif
};

Test(interp_fast, traps)
{
  const struct trap_row *rows = trap_rows;
  for (size_t i = 0; i < sizeof trap_rows / sizeof *trap_rows; i++) {
    struct wm_run_status status[2];
    module = rows[i].module;
    for (int k = 0; k < 2; k++) {
      struct fixture f;
      open_fast(&f, k == 0 ? WM_STREAM_STEP : WM_STREAM_FAST);
      cr_assert_eq(CALL(&f, rows[i].name, rows[i].arg), WM_RUN_TRAPPED);
      status[k] = wm_run_look(f.run);
      fixture_close(&f);
    }
    cr_expect_eq(status[0].trap, rows[i].trap, "%s", rows[i].name);
    cr_expect_eq(status[1].trap, rows[i].trap, "%s", rows[i].name);
    cr_expect_eq(status[1].instructions, status[0].instructions, "%s: %llu instructions", rows[i].name, (unsigned long long)status[1].instructions);
    cr_expect_eq(status[1].budget, status[0].budget, "%s: budget", rows[i].name);
    cr_expect_eq(status[1].offset, status[0].offset, "%s: offset", rows[i].name);
    cr_expect_eq(status[1].depth, status[0].depth, "%s: depth", rows[i].name);
    cr_expect_eq(status[1].peak_frames, status[0].peak_frames, "%s: peak frames", rows[i].name);
  }
}

/* ---- Events: the tapped loop against the step stream --------------------------------------------------------------- */

#define MOST_EVENTS 100000
struct record { struct wm_event *events; uint32_t count; };

static void deliver(void *user, const struct wm_event *batch, uint32_t count)
{
  struct record *r = user;
  for (uint32_t i = 0; i < count && r->count < MOST_EVENTS; i++)
    r->events[r->count++] = batch[i];
}

/* Events of a run by a tap with these wants, in one stream. */
static void record_run(struct record *r, uint32_t wants, uint32_t needs, enum wm_stream stream, const char *name, uint64_t arg)
{
  struct fixture f;
  r->events = calloc(MOST_EVENTS, sizeof *r->events);
  r->count = 0;
  open_fast(&f, stream);
  struct wm_tap tap = {.wants = wants, .needs = needs, .deliver = deliver, .user = r};
  wm_run_set_tap(f.run, &tap);
  CALL(&f, name, arg);
  fixture_close(&f);
}

static void compare_event(const struct wm_event *a, const struct wm_event *b, uint32_t i, const char *name)
{
  cr_assert_eq(a->kind, b->kind, "%s, event %u: kind %u, %u", name, i, a->kind, b->kind);
  cr_assert_eq(a->flags, b->flags, "%s, event %u of kind %u: flags %x, %x", name, i, a->kind, a->flags, b->flags);
  cr_assert_eq(a->phase, b->phase);
  cr_assert_eq(a->memory, b->memory);
  cr_assert_eq(a->address, b->address, "%s, event %u: address", name, i);
  cr_assert_eq(a->length, b->length, "%s, event %u: length", name, i);
  if (a->kind == WM_EVENT_COPY)
    cr_assert_eq(a->source, b->source, "%s, event %u: source", name, i);
  if (a->kind == WM_EVENT_STORE || a->kind == WM_EVENT_FILL) {
    cr_assert_eq(a->value[0], b->value[0], "%s, event %u: value", name, i);
    cr_assert_eq(a->value[1], b->value[1], "%s, event %u: upper half of the value", name, i);
  }
  if (a->kind == WM_EVENT_CALL || a->kind == WM_EVENT_TRAP)
    cr_assert_eq(a->detail, b->detail, "%s, event %u of kind %u: detail", name, i, a->kind);
  if (a->kind == WM_EVENT_CALL || a->kind == WM_EVENT_RETURN || a->kind == WM_EVENT_TRAP) {
    cr_assert_eq(a->function, b->function, "%s, event %u: function", name, i);
    cr_assert_eq(a->offset, b->offset, "%s, event %u of kind %u: offset", name, i, a->kind);
    cr_assert_eq(a->instruction, b->instruction, "%s, event %u of kind %u: instruction %llu, %llu", name, i, a->kind,
                 (unsigned long long)a->instruction, (unsigned long long)b->instruction);
  }
}

static void compare_events(const char *name, uint64_t arg)
{
  static const uint32_t wants[] = {WM_WANT(WM_EVENT_KINDS) - 1, WM_WANT_ACCESSES, WM_WANT(WM_EVENT_STORE), WM_WANT(WM_EVENT_BRANCH),
                                   WM_WANT(WM_EVENT_CALL) | WM_WANT(WM_EVENT_RETURN), WM_WANT(WM_EVENT_SET_GLOBAL0)};
  for (size_t k = 0; k < sizeof wants / sizeof *wants; k++) {
    struct record step, fast;
    record_run(&step, wants[k], WM_NEED_INSTRUCTION | WM_NEED_VALUE, WM_STREAM_STEP, name, arg);
    record_run(&fast, wants[k], WM_NEED_INSTRUCTION | WM_NEED_VALUE, WM_STREAM_FAST, name, arg);
    cr_assert_eq(fast.count, step.count, "%s, wants %x: %u events, not %u", name, wants[k], fast.count, step.count);
    for (uint32_t n = 0; n < step.count; n++)
      compare_event(&step.events[n], &fast.events[n], n, name);
    free(step.events);
    free(fast.events);
  }
}

Test(interp_fast, events)
{
  for (size_t i = 0; i < MODULES; i++) {
    module = modules[i];
    compare_events("work", 60);
  }
  for (size_t i = 0; i < sizeof trap_rows / sizeof *trap_rows; i++) {
    module = trap_rows[i].module;
    compare_events(trap_rows[i].name, trap_rows[i].arg);
  }
}
