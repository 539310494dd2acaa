/* Every kind of event with its addresses, lengths and flags, one by one; delivery at once, batches, stops; and that no tap changes a
 * run. Sources in tests/interp/events.wat. */
#include <criterion/criterion.h>

#include "interp_record.h"

static enum wm_trap note(void *user, struct wm_store *store, const struct wm_value *args, struct wm_value *results)
{
  (void)user;
  (void)store;
  results[0] = (struct wm_value){WM_TYPE_I32, {args[0].bits[0] + 100, 0}};
  return WM_TRAP_NONE;
}

static void open_events(struct fixture *f, struct record *r, uint32_t wants, uint32_t needs)
{
  fixture_open(f);
  fixture_store(f);
  const wm_valtype i32 = WM_TYPE_I32;
  uint32_t type;
  struct wm_extern import;
  cr_assert(wm_types_func(&f->types, &i32, 1, &i32, 1, &type));
  cr_assert(wm_store_add_function(f->store, type, note, NULL, &import));
  fixture_load(f, "events", &import);
  record_open(r, f, wants, needs);
}

/* Indices of the functions in events.wat: the import first. */
enum { NOTE, SAME, LOADS, STORES, BULK, GROW, CALLS, BRANCHES, GLOBALS, TAIL, TAIL_IMPORT, TAIL_IN_CALL };

/* With what the needs ask for, and without: the stream that runs differs. */
static void run_loads_and_stores(uint32_t needs)
{
  struct fixture f;
  static struct record r;
  open_events(&f, &r, WM_WANT_ACCESSES, needs);
  CALL(&f, "loads", 3);
  EXPECT(&r, {WM_EVENT_LOAD, 0, 3, 1, 0, LOADS}, {WM_EVENT_LOAD, 0, 4, 2, 0, LOADS}, {WM_EVENT_LOAD, 0, 65537, 4, 0, LOADS},
         {WM_EVENT_LOAD, 0, 3, 4, 0, LOADS}, {WM_EVENT_LOAD, 0, 3, 8, 0, LOADS}, {WM_EVENT_LOAD, 0, 7, 4, 0, LOADS},
         {WM_EVENT_LOAD, 0, 3, 8, 0, LOADS});
  r.count = 0;
  CALL(&f, "stores", 0);
  EXPECT(&r, {WM_EVENT_STORE, 0, 0, 1, 0xff, STORES}, {WM_EVENT_STORE, 0, 65535, 2, 0xfffe, STORES},
         {WM_EVENT_STORE, 0, 0, 4, 0x01020304, STORES}, {WM_EVENT_STORE, 0, 0, 8, UINT64_MAX, STORES},
         {WM_EVENT_STORE, 0, 0, 4, 0x55667788, STORES}, {WM_EVENT_STORE, 0, 0, 4, 0x3f800000, STORES},
         {WM_EVENT_STORE, 0, 0, 8, 0x3ff0000000000000, STORES});
  fixture_close(&f);
}

Test(interp_events, loads_and_stores)
{
  run_loads_and_stores(0);
  run_loads_and_stores(WM_NEED_VALUE);
  run_loads_and_stores(WM_NEED_SITE | WM_NEED_VALUE);
}

Test(interp_events, bulk)
{
  struct fixture f;
  static struct record r;
  open_events(&f, &r, WM_WANT_ACCESSES, 0);
  CALL(&f, "bulk", 10);
  EXPECT(&r, {WM_EVENT_FILL, 0, 65530, 10, 7, BULK}, {WM_EVENT_COPY, 0, 65532, 10, 65530, BULK}, {WM_EVENT_INIT, 0, 100, 10, 0, BULK});
  cr_expect_eq(wm_run_look(f.run).bulk_bytes, 30);
  r.count = 0;
  CALL(&f, "bulk", 0);
  cr_expect_eq(r.count, 0);
  cr_expect_eq(memcmp(wm_instance_memory(f.instance, 0).base + 100, "llo, world", 10), 0);
  fixture_close(&f);
}

Test(interp_events, grow)
{
  struct fixture f;
  static struct record r;
  open_events(&f, &r, WM_WANT(WM_EVENT_GROW), 0);
  CALL(&f, "grow");
  EXPECT(&r, {WM_EVENT_GROW, 0, 2, 1, 1, GROW}, {WM_EVENT_GROW, 0, 3, 9, 0, GROW}, {WM_EVENT_GROW, 0, 3, 0, 1, GROW});
  fixture_close(&f);
}

Test(interp_events, calls_and_returns)
{
  struct fixture f;
  static struct record r;
  open_events(&f, &r, WM_WANT(WM_EVENT_CALL) | WM_WANT(WM_EVENT_RETURN), WM_NEED_CLOCK | WM_NEED_INSTRUCTION);
  CALL(&f, "calls");
  cr_expect_eq(fixture_result(&f), 201);
  EXPECT(&r, {WM_EVENT_CALL, WM_FLAG_OUTERMOST, 0, 0, CALLS, WM_NO_INDEX}, {WM_EVENT_CALL, 0, 0, 0, SAME, CALLS},
         {WM_EVENT_RETURN, 0, 0, 0, 0, SAME}, {WM_EVENT_CALL, WM_FLAG_INDIRECT, 0, 0, SAME, CALLS}, {WM_EVENT_RETURN, 0, 0, 0, 0, SAME},
         {WM_EVENT_CALL, WM_FLAG_IMPORT, 0, 0, NOTE, CALLS}, {WM_EVENT_CALL, WM_FLAG_IMPORT | WM_FLAG_INDIRECT, 0, 0, NOTE, CALLS},
         {WM_EVENT_RETURN, WM_FLAG_OUTERMOST, 0, 0, 0, CALLS});
  static const uint64_t instructions[] = {0, 2, 4, 6, 8, 9, 11, 12};
  for (uint32_t i = 0; i < r.count; i++) {
    cr_expect_eq(r.events[i].time_ns, i + 1);
    cr_expect_eq(r.events[i].instruction, instructions[i], "event %u: instruction %u", i, (unsigned)r.events[i].instruction);
  }
  fixture_close(&f);
}

Test(interp_events, tail_calls)
{
  struct fixture f;
  static struct record r;
  open_events(&f, &r, WM_WANT(WM_EVENT_CALL) | WM_WANT(WM_EVENT_RETURN), 0);
  CALL(&f, "tail_in_call", 5);
  cr_expect_eq(fixture_result(&f), 5);
  EXPECT(&r, {WM_EVENT_CALL, WM_FLAG_OUTERMOST, 0, 0, TAIL_IN_CALL, WM_NO_INDEX}, {WM_EVENT_CALL, 0, 0, 0, TAIL, TAIL_IN_CALL},
         {WM_EVENT_RETURN, WM_FLAG_TAIL, 0, 0, 0, TAIL}, {WM_EVENT_CALL, WM_FLAG_TAIL, 0, 0, SAME, TAIL},
         {WM_EVENT_RETURN, 0, 0, 0, 0, SAME}, {WM_EVENT_RETURN, WM_FLAG_OUTERMOST, 0, 0, 0, TAIL_IN_CALL});
  cr_expect_eq(wm_run_look(f.run).peak_frames, 2);
  r.count = 0;
  CALL(&f, "tail", 6);
  EXPECT(&r, {WM_EVENT_CALL, WM_FLAG_OUTERMOST, 0, 0, TAIL, WM_NO_INDEX}, {WM_EVENT_RETURN, WM_FLAG_TAIL, 0, 0, 0, TAIL},
         {WM_EVENT_CALL, WM_FLAG_TAIL, 0, 0, SAME, TAIL}, {WM_EVENT_RETURN, WM_FLAG_OUTERMOST, 0, 0, 0, SAME});
  r.count = 0;
  CALL(&f, "tail_import", 7);
  cr_expect_eq(fixture_result(&f), 107);
  EXPECT(&r, {WM_EVENT_CALL, WM_FLAG_OUTERMOST, 0, 0, TAIL_IMPORT, WM_NO_INDEX},
         {WM_EVENT_RETURN, WM_FLAG_TAIL | WM_FLAG_OUTERMOST, 0, 0, 0, TAIL_IMPORT},
         {WM_EVENT_CALL, WM_FLAG_TAIL | WM_FLAG_IMPORT, 0, 0, NOTE, TAIL_IMPORT});
  fixture_close(&f);
}

/* With what the needs ask for, and without: the stream that runs differs. */
static void run_branches(uint32_t needs)
{
  struct fixture f;
  static struct record r;
  open_events(&f, &r, WM_WANT(WM_EVENT_BRANCH), needs);
  CALL(&f, "branches", 2);
  EXPECT(&r, {WM_EVENT_BRANCH, WM_FLAG_BACK, 0, 0, 0, BRANCHES}, {WM_EVENT_BRANCH, WM_FLAG_BACK, 0, 0, 0, BRANCHES},
         {WM_EVENT_BRANCH, 0, 0, 0, 0, BRANCHES}, {WM_EVENT_BRANCH, 0, 0, 0, 0, BRANCHES}, {WM_EVENT_BRANCH, 0, 0, 0, 0, BRANCHES});
  if ((needs & WM_NEED_SITE) != 0) {
    cr_expect_gt(r.events[1].offset, 0);
    cr_expect_eq(r.events[0].offset, r.events[1].offset);
  }
  fixture_close(&f);
}

Test(interp_events, branches)
{
  run_branches(0);
  run_branches(WM_NEED_VALUE);
  run_branches(WM_NEED_SITE | WM_NEED_VALUE);
}

/* With what the needs ask for, and without: the stream that runs differs. */
static void run_global_0(uint32_t needs)
{
  struct fixture f;
  static struct record r;
  open_events(&f, &r, WM_WANT(WM_EVENT_SET_GLOBAL0), needs);
  CALL(&f, "globals");
  EXPECT(&r, {WM_EVENT_SET_GLOBAL0, 0, 4000, 0, 0, GLOBALS}, {WM_EVENT_SET_GLOBAL0, 0, 3984, 0, 0, GLOBALS});
  fixture_close(&f);
}

Test(interp_events, global_0)
{
  run_global_0(0);
  run_global_0(WM_NEED_VALUE);
  run_global_0(WM_NEED_SITE | WM_NEED_VALUE);
}

/* A faulting access is told by its trap only. */
Test(interp_events, traps)
{
  static const struct { const char *name; enum wm_trap trap; uint16_t flags; uint64_t address, length; } rows[] = {
    {"fault_load", WM_TRAP_OUT_OF_BOUNDS_MEMORY, 0, 131069, 8},
    {"fault_store", WM_TRAP_OUT_OF_BOUNDS_MEMORY, WM_FLAG_STORE, 0x100000000, 2},
    {"fault_fill", WM_TRAP_OUT_OF_BOUNDS_MEMORY, WM_FLAG_STORE, 131070, 3},
    {"fault_copy", WM_TRAP_OUT_OF_BOUNDS_MEMORY, 0, 131070, 3},
    {"divide", WM_TRAP_INTEGER_DIVIDE_BY_ZERO, 0, 0, 0},
  };
  struct fixture f;
  static struct record r;
  open_events(&f, &r, WM_WANT_ACCESSES | WM_WANT(WM_EVENT_TRAP), 0);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    r.count = 0;
    cr_expect_eq(CALL(&f, rows[i].name), WM_RUN_TRAPPED);
    cr_assert_eq(r.count, 1, "%s: %u events", rows[i].name, r.count);
    cr_expect_eq(r.events[0].kind, WM_EVENT_TRAP);
    cr_expect_eq(r.events[0].detail, rows[i].trap);
    cr_expect_eq(r.events[0].flags, rows[i].flags, "%s", rows[i].name);
    cr_expect_eq(r.events[0].address, rows[i].address, "%s: %llx", rows[i].name, (unsigned long long)r.events[0].address);
    cr_expect_eq(r.events[0].length, rows[i].length, "%s", rows[i].name);
    cr_expect_eq(r.events[0].offset, wm_run_look(f.run).offset);
  }
  fixture_close(&f);
}

/* BEFORE the effect and AFTER it, each alone. */
Test(interp_events, immediate)
{
  struct fixture f;
  static struct record r;
  open_events(&f, &r, WM_WANT_ACCESSES | WM_WANT(WM_EVENT_CALL), WM_NEED_IMMEDIATE | WM_NEED_VALUE);
  r.watched = wm_instance_memory(f.instance, 0).base;
  CALL(&f, "stores", 0);
  cr_assert_eq(r.count, 15);
  cr_expect_eq(r.largest, 1);
  cr_expect_eq(r.events[0].phase, WM_PHASE_NONE); /* the host's call */
  static const uint8_t first_byte[] = {0, 0xff, 0xff, 0xff, 0xff, 0x04, 0x04, 0xff, 0xff, 0x88, 0x88, 0, 0, 0};
  for (uint32_t i = 1; i < 15; i++) {
    cr_expect_eq(r.events[i].phase, i % 2 == 1 ? WM_PHASE_BEFORE : WM_PHASE_AFTER);
    cr_expect_eq(r.seen[i], first_byte[i - 1], "event %u: %x", i, r.seen[i]);
  }
  fixture_close(&f);
}

/* More events than a batch holds arrive in order, whole batches at a time. */
Test(interp_events, batches)
{
  struct fixture f;
  static struct record r;
  open_events(&f, &r, WM_WANT(WM_EVENT_BRANCH), WM_NEED_EVERY_INSTRUCTION);
  CALL(&f, "branches", 1000);
  cr_expect_eq(r.count, 1003);
  cr_expect_eq(r.largest, WM_BATCH_EVENTS);
  cr_expect_eq(r.batches, 4);
  for (uint32_t i = 1; i < 1000; i++)
    cr_expect_eq(r.events[i].instruction, r.events[i - 1].instruction + 8);
  fixture_close(&f);
}

/* A stop asked for by the tap takes effect after the instruction under way, and the run goes on from there. */
Test(interp_events, stop)
{
  struct fixture f;
  static struct record r;
  open_events(&f, &r, WM_WANT_ACCESSES, WM_NEED_IMMEDIATE);
  uint64_t whole = (CALL(&f, "loads", 0), wm_run_look(f.run).instructions);
  r.stops = true;
  r.count = 0;
  START(&f, "loads", 0);
  for (uint32_t i = 1; i <= 7; i++) {
    cr_expect_eq(wm_run_resume(f.run), WM_RUN_PAUSED);
    cr_expect_eq(r.count, 2 * i);
    cr_expect_eq(wm_run_look(f.run).instructions, whole + 3 * i - 1);
  }
  r.stops = false;
  cr_expect_eq(wm_run_resume(f.run), WM_RUN_DONE);
  cr_expect_eq(wm_run_look(f.run).instructions, 2 * whole);
  fixture_close(&f);
}

/* Counts, results and memory are the same whatever is tapped. */
Test(interp_events, taps_change_nothing)
{
  static const struct { uint32_t wants, needs; } taps[] = {
    {0, 0}, {UINT32_MAX, 0}, {UINT32_MAX, UINT32_MAX}, {WM_WANT_ACCESSES, WM_NEED_IMMEDIATE}, {WM_WANT(WM_EVENT_BRANCH), WM_NEED_SITE},
  };
  static const struct { const char *name; uint32_t count; uint64_t arg; } calls[] = {
    {"loads", 1, 9}, {"stores", 1, 77}, {"bulk", 1, 12}, {"grow", 0, 0}, {"calls", 0, 0}, {"branches", 1, 30}, {"globals", 0, 0},
    {"tail_in_call", 1, 3}, {"tail_import", 1, 3}, {"fault_store", 0, 0},
  };
  uint64_t instructions = 0, sum = 0;
  for (size_t t = 0; t < sizeof taps / sizeof *taps; t++) {
    struct fixture f;
    static struct record r;
    open_events(&f, &r, taps[t].wants, taps[t].needs);
    uint64_t results = 0;
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
      struct wm_value value = {0, {0, 0}};
      fixture_call(&f, calls[c].name, calls[c].count, &calls[c].arg);
      wm_run_results(f.run, &value, 1);
      results = results * 31 + value.bits[0] + wm_run_look(f.run).state;
    }
    struct wm_memory_bytes memory = wm_instance_memory(f.instance, 0);
    for (uint64_t i = 0; i < memory.length; i++)
      results = results * 31 + memory.base[i];
    if (t == 0) {
      instructions = wm_run_look(f.run).instructions;
      sum = results;
    }
    cr_expect_eq(wm_run_look(f.run).instructions, instructions);
    cr_expect_eq(results, sum);
    fixture_close(&f);
  }
}
