/* Accesses of WebAssembly 3.0 with their memories, addresses and widths; the counting rules of its control instructions: exceptions,
 * branches on references, calls of references. Sources in tests/interp/events3.wat. */
#include <criterion/criterion.h>

#include "interp_record.h"

static void open_events(struct fixture *f, struct record *r, uint32_t wants, uint32_t needs)
{
  fixture_open(f);
  fixture_load(f, "events3", NULL);
  record_open(r, f, wants, needs);
}

enum {
  INC, VECTOR_LOADS, VECTOR_STORES, MEMORIES, FAULT_SECOND, FAULT_LONG, THROWS, PASSES, CATCH, CATCH_HERE, NO_THROW, UNCAUGHT, BR_ON_NULL,
  BR_ON_CAST, CALL_REF, RETURN_CALL_REF
};
enum { SMALL, SECOND, LONG };

static void run_vectors(uint32_t needs)
{
  static const uint64_t lengths[] = {16, 8, 8, 8, 1, 2, 4, 8, 4, 8, 1, 2, 4, 8};
  struct fixture f;
  static struct record r;
  open_events(&f, &r, WM_WANT_ACCESSES, needs);
  CALL(&f, "vector_loads", 65520);
  cr_assert_eq(r.count, 14);
  for (uint32_t i = 0; i < 14; i++) {
    cr_expect_eq(r.events[i].kind, WM_EVENT_LOAD);
    cr_expect_eq(r.events[i].address, 65520);
    cr_expect_eq(r.events[i].length, lengths[i], "load %u: %u bytes", i, (unsigned)r.events[i].length);
  }
  r.count = 0;
  CALL(&f, "vector_stores", 7);
  EXPECT(&r, {WM_EVENT_STORE, 0, 7, 16, 0x1111, VECTOR_STORES, 0, 0}, {WM_EVENT_STORE, 0, 7, 1, 0x33, VECTOR_STORES, 0, 0},
         {WM_EVENT_STORE, 0, 7, 2, 0x2233, VECTOR_STORES, 0, 0}, {WM_EVENT_STORE, 0, 7, 4, 0x442233, VECTOR_STORES, 0, 0},
         {WM_EVENT_STORE, 0, 7, 8, 0x7700442233, VECTOR_STORES, 0, 0});
  if ((needs & WM_NEED_VALUE) != 0)
    cr_expect_eq(r.events[0].value[1], 0x2222);
  fixture_close(&f);
}

Test(interp_events3, vectors)
{
  run_vectors(0);
  run_vectors(WM_NEED_SITE | WM_NEED_VALUE);
}

static void run_memories(uint32_t needs)
{
  struct fixture f;
  static struct record r;
  open_events(&f, &r, WM_WANT_ACCESSES | WM_WANT(WM_EVENT_GROW), needs);
  CALL(&f, "memories");
  EXPECT(&r, {WM_EVENT_LOAD, 0, 12, 4, 0, MEMORIES, SECOND, 0}, {WM_EVENT_STORE, 0, 65535, 1, 1, MEMORIES, SECOND, 0},
         {WM_EVENT_LOAD, 0, 100, 2, 0, MEMORIES, LONG, 0}, {WM_EVENT_STORE, 0, 65528, 8, 0, MEMORIES, LONG, 0},
         {WM_EVENT_COPY, 0, 1, 3, 2, MEMORIES, SMALL, SECOND}, {WM_EVENT_COPY, 0, 5, 7, 6, MEMORIES, LONG, SMALL},
         {WM_EVENT_FILL, 0, 8, 10, 9, MEMORIES, LONG, 0}, {WM_EVENT_INIT, 0, 11, 4, 0, MEMORIES, SECOND, 0},
         {WM_EVENT_GROW, 0, 1, 2, 1, MEMORIES, SECOND, 0}, {WM_EVENT_GROW, 0, 1, 0, 1, MEMORIES, LONG, 0});
  cr_expect_eq(memcmp(wm_instance_memory(f.instance, SECOND).base + 11, "cdef", 4), 0);
  fixture_close(&f);
}

Test(interp_events3, memories)
{
  run_memories(0);
  run_memories(WM_NEED_SITE | WM_NEED_VALUE);
}

Test(interp_events3, faults)
{
  struct fixture f;
  static struct record r;
  open_events(&f, &r, WM_WANT_ACCESSES | WM_WANT(WM_EVENT_TRAP), 0);
  cr_expect_eq(CALL(&f, "fault_second"), WM_RUN_TRAPPED);
  EXPECT(&r, {WM_EVENT_TRAP, WM_FLAG_STORE, 65530, 8, WM_TRAP_OUT_OF_BOUNDS_MEMORY, FAULT_SECOND, SECOND, 0});
  r.count = 0;
  cr_expect_eq(CALL(&f, "fault_long"), WM_RUN_TRAPPED);
  EXPECT(&r, {WM_EVENT_TRAP, 0, 0, 1, WM_TRAP_OUT_OF_BOUNDS_MEMORY, FAULT_LONG, LONG, 0});
  fixture_close(&f);
}

/* Each frame that is unwound returns; the catch is a taken branch to the label's end. */
Test(interp_events3, exceptions)
{
  struct fixture f;
  static struct record r;
  open_events(&f, &r, WM_WANT(WM_EVENT_CALL) | WM_WANT(WM_EVENT_RETURN) | WM_WANT(WM_EVENT_BRANCH), WM_NEED_SITE);
  CALL(&f, "catch", 77);
  cr_expect_eq(fixture_result(&f), 77);
  EXPECT(&r, {WM_EVENT_CALL, WM_FLAG_OUTERMOST, 0, 0, CATCH, WM_NO_INDEX, 0, 0}, {WM_EVENT_CALL, 0, 0, 0, PASSES, CATCH, 0, 0},
         {WM_EVENT_CALL, 0, 0, 0, THROWS, PASSES, 0, 0}, {WM_EVENT_RETURN, WM_FLAG_UNWIND, 0, 0, 0, THROWS, 0, 0},
         {WM_EVENT_RETURN, WM_FLAG_UNWIND, 0, 0, 0, PASSES, 0, 0}, {WM_EVENT_BRANCH, 0, 0, 0, 0, CATCH, 0, 0},
         {WM_EVENT_RETURN, WM_FLAG_OUTERMOST, 0, 0, 0, CATCH, 0, 0});
  r.count = 0;
  cr_expect_eq(CALL(&f, "uncaught"), WM_RUN_TRAPPED);
  EXPECT(&r, {WM_EVENT_CALL, WM_FLAG_OUTERMOST, 0, 0, UNCAUGHT, WM_NO_INDEX, 0, 0}, {WM_EVENT_CALL, 0, 0, 0, PASSES, UNCAUGHT, 0, 0},
         {WM_EVENT_CALL, 0, 0, 0, THROWS, PASSES, 0, 0});
  cr_expect_eq(wm_run_look(f.run).depth, 3);
  fixture_close(&f);
}

Test(interp_events3, references)
{
  struct fixture f;
  static struct record r;
  open_events(&f, &r, WM_WANT(WM_EVENT_CALL) | WM_WANT(WM_EVENT_RETURN) | WM_WANT(WM_EVENT_BRANCH), 0);
  CALL(&f, "br_on_null", 1);
  cr_expect_eq(fixture_result(&f), 9);
  cr_expect_eq(r.count, 3);
  r.count = 0;
  CALL(&f, "call_ref");
  EXPECT(&r, {WM_EVENT_CALL, WM_FLAG_OUTERMOST, 0, 0, CALL_REF, WM_NO_INDEX, 0, 0}, {WM_EVENT_CALL, WM_FLAG_INDIRECT, 0, 0, INC, CALL_REF, 0, 0},
         {WM_EVENT_RETURN, 0, 0, 0, 0, INC, 0, 0}, {WM_EVENT_RETURN, WM_FLAG_OUTERMOST, 0, 0, 0, CALL_REF, 0, 0});
  r.count = 0;
  CALL(&f, "return_call_ref");
  cr_expect_eq(fixture_result(&f), 5);
  EXPECT(&r, {WM_EVENT_CALL, WM_FLAG_OUTERMOST, 0, 0, RETURN_CALL_REF, WM_NO_INDEX, 0, 0},
         {WM_EVENT_RETURN, WM_FLAG_TAIL, 0, 0, 0, RETURN_CALL_REF, 0, 0},
         {WM_EVENT_CALL, WM_FLAG_TAIL | WM_FLAG_INDIRECT, 0, 0, INC, RETURN_CALL_REF, 0, 0},
         {WM_EVENT_RETURN, WM_FLAG_OUTERMOST, 0, 0, 0, INC, 0, 0});
  fixture_close(&f);
}

/* Instructions executed, by hand; in one run and in pieces of one. */
Test(interp_events3, counts)
{
  static const struct { const char *name; uint32_t arg_count; uint64_t arg, instructions; enum wm_trap trap; } rows[] = {
    {"catch", 1, 1, 11, WM_TRAP_NONE},      /* block block try_table get call, get call, get throw, the outer block's end, end */
    {"catch_here", 1, 1, 6, WM_TRAP_NONE},  /* block try_table get throw, the block's end, end */
    {"no_throw", 0, 0, 6, WM_TRAP_NONE},    /* block try_table const end end end */
    {"uncaught", 0, 0, 6, WM_TRAP_UNCAUGHT_EXCEPTION}, /* const call, get call, get throw */
    {"br_on_null", 1, 1, 10, WM_TRAP_NONE}, /* get eqz if end, block get br_on_null, its end, const end */
    {"br_on_null", 1, 0, 13, WM_TRAP_NONE}, /* get eqz if const new set end, block get br_on_null get return, end */
    {"br_on_cast", 1, 1, 9, WM_TRAP_NONE},  /* const i31 set, block get br_on_cast, its end, get_u, end */
    {"call_ref", 0, 0, 8, WM_TRAP_NONE},    /* const ref.func call_ref, get const add end, end */
    {"return_call_ref", 0, 0, 7, WM_TRAP_NONE}, /* const ref.func return_call_ref, get const add end */
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (uint64_t piece = 1; piece <= 1000; piece += 999) {
      struct fixture f;
      fixture_open(&f);
      fixture_load(&f, "events3", NULL);
      fixture_start(&f, rows[i].name, rows[i].arg_count, &rows[i].arg);
      while (wm_run_step(f.run, piece) == WM_RUN_PAUSED)
        continue;
      struct wm_run_status status = wm_run_look(f.run);
      cr_expect_eq(status.instructions, rows[i].instructions, "%s(%u): %u instructions", rows[i].name, (unsigned)rows[i].arg,
                   (unsigned)status.instructions);
      cr_expect_eq(status.trap, rows[i].trap, "%s: %s", rows[i].name, wm_trap_text((enum wm_trap)status.trap));
      fixture_close(&f);
    }
}
