/* Limits and refusals: frames, slots, bulk bytes, memory and tables, an arena or a host that has nothing left at any point; and frames
 * as a debugger sees them. Sources in tests/interp/limits.wat. */
#include <criterion/criterion.h>

#include "interp/debug.h"
#include "interp_support.h"

static void open_limits(struct fixture *f)
{
  fixture_open(f);
  fixture_load(f, "limits", NULL);
}

static void expect_trap(struct fixture *f, const char *name, uint64_t arg, enum wm_trap trap)
{
  cr_expect_eq(CALL(f, name, arg), WM_RUN_TRAPPED, "%s(%u)", name, (unsigned)arg);
  cr_expect_eq(wm_run_look(f->run).trap, trap, "%s(%u): %s", name, (unsigned)arg, wm_trap_text((enum wm_trap)wm_run_look(f->run).trap));
}

Test(interp_limits, frames)
{
  struct fixture f;
  fixture_open(&f);
  f.limits.frames = 50;
  fixture_load(&f, "limits", NULL);
  CALL(&f, "down", 49);
  cr_expect_eq(fixture_result(&f), 49);
  cr_expect_eq(wm_run_look(f.run).peak_frames, 50);
  expect_trap(&f, "down", 50, WM_TRAP_CALL_STACK_EXHAUSTED);
  cr_expect_eq(wm_run_look(f.run).depth, 50);
  fixture_close(&f);
}

/* A frame takes its locals and its deepest operand stack; a callee begins at its arguments in the caller's, here at slot 4. */
Test(interp_limits, slots)
{
  struct fixture f;
  fixture_open(&f);
  f.limits.slots = 4 * 20 + 6;
  fixture_load(&f, "limits", NULL);
  CALL(&f, "down", 20);
  cr_expect_eq(fixture_result(&f), 20);
  expect_trap(&f, "down", 21, WM_TRAP_CALL_STACK_EXHAUSTED);
  fixture_close(&f);
  fixture_open(&f);
  f.limits.slots = 5;
  fixture_load(&f, "limits", NULL);
  expect_trap(&f, "down", 0, WM_TRAP_CALL_STACK_EXHAUSTED);
  cr_expect_eq(wm_run_look(f.run).depth, 0);
  fixture_close(&f);
}

/* Bytes of all bulk operations of a run together; a bounds trap comes first. */
Test(interp_limits, bulk_bytes)
{
  struct fixture f;
  fixture_open(&f);
  f.limits.bulk_bytes = 1000;
  fixture_load(&f, "limits", NULL);
  cr_expect_eq(CALL(&f, "fill", 600), WM_RUN_DONE);
  cr_expect_eq(CALL(&f, "copy", 392), WM_RUN_DONE);
  cr_expect_eq(wm_run_look(f.run).bulk_bytes, 992);
  cr_expect_eq(CALL(&f, "table_fill", 1), WM_RUN_DONE);
  expect_trap(&f, "fill", 1, WM_TRAP_BULK_EXHAUSTED);
  expect_trap(&f, "fill", 65537, WM_TRAP_OUT_OF_BOUNDS_MEMORY);
  expect_trap(&f, "table_fill", 2, WM_TRAP_OUT_OF_BOUNDS_TABLE);
  cr_expect_eq(CALL(&f, "fill", 0), WM_RUN_DONE);
  cr_expect_eq(wm_run_look(f.run).bulk_bytes, 1000);
  fixture_close(&f);
}

/* -1 for what is configured, another state for what the host cannot give; the run can be looked at afterwards. */
Test(interp_limits, growth)
{
  struct fixture f;
  fixture_open(&f);
  f.limits.memory_bytes = 5 * 65536;
  f.limits.table_entries = 100;
  fixture_load(&f, "limits", NULL);
  CALL(&f, "grow", 5);
  cr_expect_eq(fixture_result(&f), UINT32_MAX);
  CALL(&f, "grow", 2);
  cr_expect_eq(fixture_result(&f), 1);
  CALL(&f, "table_grow", 100);
  cr_expect_eq(fixture_result(&f), UINT32_MAX);
  CALL(&f, "table_grow", 99);
  cr_expect_eq(fixture_result(&f), 1);
  f.refuse_above = 4 * 65536;
  cr_expect_eq(CALL(&f, "grow", 2), WM_RUN_NO_HOST_MEMORY);
  cr_expect_eq(wm_run_look(f.run).depth, 1);
  f.refuse_above = UINT64_MAX;
  CALL(&f, "grow", 2);
  cr_expect_eq(fixture_result(&f), 3);
  cr_expect_eq(wm_instance_memory(f.instance, 0).length, 5 * 65536);
  fixture_close(&f);
}

/* Opens sums.wat with limits of its own; NULL and the error when it does not link. */
static struct wm_instance *open_sums(struct fixture *f, uint64_t memory_bytes, uint64_t table_entries)
{
  fixture_open(f);
  f->limits.memory_bytes = memory_bytes;
  f->limits.table_entries = table_entries;
  fixture_store(f);
  fixture_decode(f, "sums", &f->module);
  f->instance = wm_instance_link(f->store, &f->module, NULL, &f->error);
  f->run = wm_run_open(f->store);
  wm_run_set_budget(f->run, 1000);
  return f->instance;
}

/* Memories share one bound, tables another: at the limit it links, beyond it not. */
Test(interp_limits, sums_of_an_instance)
{
  static const struct { uint64_t memory_bytes, table_entries; const char *message; uint64_t limit; } rows[] = {
    {3 * 65536, 15, NULL, 0},
    {4 * 65536 - 1, 15, NULL, 0},
    {3 * 65536 - 1, 15, "memory size", 3 * 65536 - 1},
    {2 * 65536, 15, "memory size", 2 * 65536},
    {65536, 15, "memory size", 65536},
    {0, 15, "memory size", 0},
    {3 * 65536, 14, "table size", 14},
    {3 * 65536, 10, "table size", 10},
    {3 * 65536, 0, "table size", 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct fixture f;
    bool is_linked = open_sums(&f, rows[i].memory_bytes, rows[i].table_entries) != NULL;
    cr_expect_eq(is_linked, rows[i].message == NULL, "row %u", (unsigned)i);
    if (!is_linked) {
      cr_expect_eq(f.error.status, WM_LIMIT);
      cr_expect_str_eq(f.error.message, rows[i].message, "row %u", (unsigned)i);
      cr_expect_eq(f.error.limit, rows[i].limit, "row %u", (unsigned)i);
    }
    fixture_close(&f);
  }
}

static void expect_growth(struct fixture *f, const char *name, uint64_t by, uint32_t answer, int line)
{
  CALL(f, name, by);
  cr_expect_eq((uint32_t)fixture_result(f), answer, "line %d: %s %u: %u", line, name, (unsigned)by, (unsigned)fixture_result(f));
}
#define GROW(name, by, answer) expect_growth(&f, name, by, answer, __LINE__)
#define REFUSED UINT32_MAX

/* Growth stops where the sum does, whichever of them grows, and a run taken back gives back what it took. */
Test(interp_limits, sums_with_growth)
{
  struct fixture f;
  cr_assert_not_null(open_sums(&f, 10 * 65536, 30));
  uint8_t *state = malloc((size_t)wm_run_state_bytes(f.run));
  wm_run_save(f.run, state);
  for (int again = 0; again < 2; again++) {
    GROW("grow_a", 8, REFUSED);
    GROW("grow_a", 4, 2);
    GROW("grow_b", 4, REFUSED);
    GROW("grow_b", 3, 1);
    GROW("grow_b", 0, 4);
    GROW("grow_a", 1, REFUSED);
    GROW("grow_b", 1, REFUSED);
    GROW("grow_a", UINT32_MAX, REFUSED);
    GROW("grow_s", 16, REFUSED);
    GROW("grow_s", 5, 10);
    GROW("grow_t", 11, REFUSED);
    GROW("grow_t", 10, 5);
    GROW("grow_s", 0, 15);
    GROW("grow_s", 1, REFUSED);
    GROW("grow_t", 1, REFUSED);
    GROW("grow_t", UINT32_MAX, REFUSED);
    cr_expect_eq(wm_instance_memory(f.instance, 0).length, 6 * 65536);
    cr_expect_eq(wm_instance_memory(f.instance, 1).length, 4 * 65536);
    cr_assert(wm_run_restore(f.run, state));
  }
  GROW("grow_b", 7, 1);
  GROW("grow_t", 15, 5);
  free(state);
  fixture_close(&f);
}

/* Instances of one store share it; one refused takes only what it had made. */
Test(interp_limits, sums_of_a_store)
{
  struct fixture f;
  cr_assert_not_null(open_sums(&f, 7 * 65536, 45));
  cr_expect_not_null(wm_instance_link(f.store, &f.module, NULL, &f.error));
  GROW("grow_a", 2, REFUSED);
  GROW("grow_a", 1, 2);
  GROW("grow_s", 16, REFUSED);
  GROW("grow_s", 15, 10);
  cr_expect_null(wm_instance_link(f.store, &f.module, NULL, &f.error));
  cr_expect_str_eq(f.error.message, "table size");
  fixture_close(&f);
}

/* Whatever the arena's size, the answer is a refusal or a working run. */
Test(interp_limits, every_arena_size)
{
  uint32_t works = 0;
  for (size_t size = 0; works < 20; size += 48) {
    struct fixture f;
    fixture_open(&f);
    f.limits.slots = 64;
    f.limits.frames = 8;
    fixture_store(&f);
    fixture_decode(&f, "limits", &f.module);
    cr_assert_lt(f.arena.used + size, f.arena.size, "a store, an instance and a run take less than this");
    f.arena.size = f.arena.used + size;
    f.instance = wm_instance_link(f.store, &f.module, NULL, &f.error);
    if (f.instance == NULL)
      cr_assert_eq(f.error.status, WM_NO_SPACE);
    f.run = f.instance == NULL ? NULL : wm_run_open(f.store);
    if (f.run != NULL) {
      works++;
      wm_run_set_budget(f.run, 100);
      CALL(&f, "down", 3);
      cr_assert_eq(fixture_result(&f), 3);
    }
    fixture_close(&f);
  }
}

/* Looking at frames at every instruction: operands and locals of the innermost and of the caller. */
Test(interp_limits, frames_at_every_instruction)
{
  static const struct { uint32_t depth, function, instruction, operand_slots; uint64_t top; } stops[] = {
    {1, 7, 0, 0, 0}, {1, 7, 1, 1, 7}, {1, 7, 2, 0, 0}, {1, 7, 3, 1, 70}, {1, 7, 4, 2, 9}, {1, 7, 5, 4, 4},
    {2, 6, 0, 0, 0}, {2, 6, 1, 1, 9}, {2, 6, 2, 2, 5}, {2, 6, 3, 1, 45},
    {1, 7, 6, 2, 45}, {1, 7, 7, 3, 1}, {1, 7, 8, 2, 46}, {1, 7, 9, 1, 70}, {1, 7, 10, 0, 0}, {1, 7, 11, 1, 46},
  };
  struct fixture f;
  open_limits(&f);
  START(&f, "look", 9);
  for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
    struct wm_frame_view view;
    cr_assert_eq(wm_run_look(f.run).state, WM_RUN_PAUSED);
    cr_assert_eq(wm_run_look(f.run).depth, stops[i].depth);
    cr_assert(wm_run_frame(f.run, 0, &view));
    cr_expect_eq(view.function, stops[i].function, "stop %u", (unsigned)i);
    cr_expect_eq(view.instruction, stops[i].instruction, "stop %u: instruction %u", (unsigned)i, view.instruction);
    cr_expect_eq(view.operand_slots, stops[i].operand_slots, "stop %u: %u operand slots", (unsigned)i, view.operand_slots);
    cr_expect_eq(view.offset, wm_run_look(f.run).offset);
    uint32_t local_slots = f.module.funcs[view.function].local_slots;
    if (view.operand_slots != 0)
      cr_expect_eq(view.slots[local_slots + view.operand_slots - 1], stops[i].top, "stop %u", (unsigned)i);
    if (stops[i].depth == 2) {
      cr_assert(wm_run_frame(f.run, 1, &view));
      cr_expect_eq(view.instruction, 6, "the instruction after the call");
      cr_expect_eq(view.operand_slots, 1, "the call's arguments are the callee's");
      cr_expect_eq(view.slots[1], 7);
    }
    cr_expect_not(wm_run_frame(f.run, stops[i].depth, &view));
    wm_run_step(f.run, 1);
  }
  cr_expect_eq(fixture_result(&f), 46);
  fixture_close(&f);
}

/* What a debugger writes into a frame is what the run goes on with. */
Test(interp_limits, frames_are_writable)
{
  struct fixture f;
  struct wm_frame_view view;
  open_limits(&f);
  START(&f, "look", 9);
  wm_run_step(f.run, 7);
  cr_assert(wm_run_frame(f.run, 0, &view));
  view.slots[0] = 100;
  wm_run_resume(f.run);
  cr_expect_eq(fixture_result(&f), 46, "the operand had been pushed already");
  START(&f, "look", 9);
  cr_assert(wm_run_frame(f.run, 0, &view));
  view.slots[0] = 100;
  wm_run_resume(f.run);
  cr_expect_eq(fixture_result(&f), 501);
  fixture_close(&f);
}

Test(interp_limits, arguments_must_match)
{
  struct fixture f;
  open_limits(&f);
  struct wm_value value = {WM_TYPE_I64, {1, 0}};
  struct wm_extern down = fixture_export(&f, f.instance, "down");
  cr_expect_not(wm_run_start(f.run, down, &value, 1, &f.error));
  cr_expect_eq(f.error.status, WM_CONTRACT);
  cr_expect_not(wm_run_start(f.run, down, &value, 0, &f.error));
  fixture_close(&f);
}
