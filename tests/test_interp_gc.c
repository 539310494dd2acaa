/* The collector: roots of every kind, in ordinary and stressed runs; garbage far beyond the limit; limits reached at the exact
 * instruction; exceptions that nobody catches. Sources in tests/interp/gc.wat. */
#include <criterion/criterion.h>

#include "interp_support.h"

static enum wm_trap keep(void *user, struct wm_store *store, const struct wm_value *args, struct wm_value *results)
{
  (void)user;
  (void)store;
  results[0] = args[0];
  return WM_TRAP_NONE;
}

/* With limits of a fixture that is open. */
static void link_gc(struct fixture *f, uint64_t heap_units, bool is_stressed)
{
  f->limits.heap_units = heap_units;
  fixture_store(f);
  wm_store_set_stress(f->store, is_stressed);
  const wm_valtype externref = WM_REF(WM_HEAP_EXTERN, true);
  uint32_t type;
  struct wm_extern import;
  cr_assert(wm_types_func(&f->types, &externref, 1, &externref, 1, &type));
  cr_assert(wm_store_add_function(f->store, type, keep, NULL, &import));
  fixture_load(f, "gc", &import);
}

static void open_gc(struct fixture *f, uint64_t heap_units, bool is_stressed)
{
  fixture_open(f);
  link_gc(f, heap_units, is_stressed);
}

Test(interp_gc, roots)
{
  static const struct { const char *name; uint32_t result; } rows[] = {
    {"local", 42}, {"operand", 43}, {"operands_between_numbers", 44}, {"argument", 45}, {"below_argument", 46}, {"indirect", 47},
    {"tail", 48}, {"block", 49}, {"field", 50}, {"element", 51}, {"operands_of_maker", 52}, {"global", 53}, {"table", 54},
    {"segment", 34}, {"grown_table", 56}, {"exception", 57}, {"exception_kept", 57}, {"converted", 59}, {"host_and_back", 60},
    {"initialiser", 62}, {"stale_result", 63}, {"i31", (uint32_t)-5},
  };
  static const struct { uint64_t heap_units; bool is_stressed; uint64_t piece; } ways[] = {
    {1 << 20, true, 1000000}, {300, false, 1000000}, {300, true, 1}, {200, false, 7},
  };
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
      struct fixture f;
      open_gc(&f, ways[w].heap_units, ways[w].is_stressed);
      START(&f, rows[i].name);
      while (wm_run_step(f.run, ways[w].piece) == WM_RUN_PAUSED)
        continue;
      cr_expect_eq(wm_run_look(f.run).state, WM_RUN_DONE, "%s, way %u: %s", rows[i].name, (unsigned)w,
                   wm_trap_text((enum wm_trap)wm_run_look(f.run).trap));
      if (wm_run_look(f.run).state == WM_RUN_DONE)
        cr_expect_eq(fixture_result(&f), rows[i].result, "%s, way %u: %u", rows[i].name, (unsigned)w, (unsigned)fixture_result(&f));
      fixture_close(&f);
    }
}

/* What the host holds lives while it is pinned. */
Test(interp_gc, pinned_results)
{
  struct fixture f;
  open_gc(&f, 300, true);
  struct wm_value kept;
  CALL(&f, "make", 61);
  cr_assert_eq(wm_run_results(f.run, &kept, 1), 1);
  wm_store_pin(f.store, &kept, 1);
  CALL(&f, "churn");
  cr_assert(wm_run_start(f.run, fixture_export(&f, f.instance, "look"), &kept, 1, &f.error));
  wm_run_resume(f.run);
  cr_expect_eq(fixture_result(&f), 61);
  cr_expect_eq(wm_ref_look(f.store, kept).kind, WM_REF_STRUCT);
  fixture_close(&f);
}

/* A hundred times the limit passes through; fragments are joined again. */
Test(interp_gc, garbage)
{
  struct fixture f;
  open_gc(&f, 10000, false);
  CALL(&f, "garbage", 400000);
  cr_expect_eq(fixture_result(&f), 1);
  CALL(&f, "mixed", 20000);
  cr_expect_eq(fixture_result(&f), 2);
  CALL(&f, "chain", 2000);
  cr_expect_eq(fixture_result(&f), 2000 * 2001 / 2);
  CALL(&f, "mixed", 1000);
  CALL(&f, "array", 9000);
  cr_expect_eq(fixture_result(&f), 9000);
  fixture_close(&f);
}

/* A long chain is marked without recursion, deep frames are roots. */
Test(interp_gc, long_chain_and_deep_frames)
{
  struct fixture f;
  open_gc(&f, 1 << 22, false);
  CALL(&f, "chain", 500000);
  cr_expect_eq(fixture_result(&f), (uint32_t)(500000ull * 500001 / 2));
  CALL(&f, "deep", 5000);
  cr_expect_eq(fixture_result(&f), 5000 * 5001 / 2);
  fixture_close(&f);
  open_gc(&f, 1 << 16, true);
  CALL(&f, "deep", 300);
  cr_expect_eq(fixture_result(&f), 300 * 301 / 2);
  fixture_close(&f);
}

/* A node takes four units: what the module's own objects leave, divided by that; the next allocation is the one that traps. */
Test(interp_gc, limit_is_exact)
{
  struct fixture f;
  const uint64_t own = 6 * 3 + 4; /* boxes of the globals, the table's entries (one, shared) and the segment; the pair */
  for (uint64_t units = 100; units < 104; units++) {
    open_gc(&f, units, false);
    uint64_t nodes = (units - own) / 4;
    cr_assert_eq(CALL(&f, "chain", 1000), WM_RUN_TRAPPED);
    cr_expect_eq(wm_run_look(f.run).trap, WM_TRAP_HEAP_EXHAUSTED);
    cr_expect_eq(wm_run_look(f.run).instructions, 1 + nodes * 9 + 3, "%u units: %u instructions", (unsigned)units,
                 (unsigned)wm_run_look(f.run).instructions);
    fixture_close(&f);
  }
  open_gc(&f, 1000, false);
  cr_expect_eq(CALL(&f, "array", 1000), WM_RUN_TRAPPED);
  cr_expect_eq(wm_run_look(f.run).trap, WM_TRAP_HEAP_EXHAUSTED);
  cr_expect_eq(CALL(&f, "array", 0xffffffff), WM_RUN_TRAPPED);
  cr_expect_eq(wm_run_look(f.run).trap, WM_TRAP_HEAP_EXHAUSTED);
  cr_expect_eq(CALL(&f, "array", 900), WM_RUN_DONE);
  fixture_close(&f);
}

/* Collecting has a right to work by the bulk limit and the instructions that run: what collects for ever ends, at the same instruction in
 * every stream and in pieces. */
Test(interp_gc, bombs)
{
  static const struct { const char *name; uint64_t arg, heap_units; } rows[] = {
    {"bomb", 1200, 5000}, {"bomb_of_entries", 3000, 300}, {"bomb_of_frames", 900, 300}, {"bomb_of_bodies", 200, 1000},
  };
  static const struct { enum wm_stream stream; uint64_t piece; } ways[] = {
    {WM_STREAM_STEP, UINT64_MAX}, {WM_STREAM_FAST, UINT64_MAX}, {WM_STREAM_AUTO, 1}, {WM_STREAM_AUTO, 7}, {WM_STREAM_FAST, 1000},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    uint64_t instructions = 0;
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
      struct fixture f;
      fixture_open(&f);
      f.limits.bulk_bytes = 4 << 20;
      link_gc(&f, rows[i].heap_units, false);
      wm_run_set_stream(f.run, ways[w].stream);
      START(&f, rows[i].name, rows[i].arg);
      do
        wm_run_set_budget(f.run, ways[w].piece);
      while (wm_run_resume(f.run) == WM_RUN_PAUSED && wm_run_look(f.run).instructions < 10000000);
      struct wm_run_status status = wm_run_look(f.run);
      cr_assert_eq(status.state, WM_RUN_TRAPPED, "%s, way %u: after %llu instructions", rows[i].name, (unsigned)w, (unsigned long long)status.instructions);
      cr_expect_eq(status.trap, WM_TRAP_BULK_EXHAUSTED, "%s: %s", rows[i].name, wm_trap_text((enum wm_trap)status.trap));
      if (w == 0)
        instructions = status.instructions;
      cr_expect_eq(status.instructions, instructions, "%s, way %u: %llu instructions, not %llu", rows[i].name, (unsigned)w,
                   (unsigned long long)status.instructions, (unsigned long long)instructions);
      fixture_close(&f);
    }
    /* Far fewer than the same work without objects could take: the share of an instruction is small. */
    cr_expect_lt(instructions, 1000000, "%s: %llu instructions", rows[i].name, (unsigned long long)instructions);
  }
}

/* Objects survive a collection that is given up; what collects as it should has work enough under a small limit. */
Test(interp_gc, work)
{
  struct fixture f;
  fixture_open(&f);
  f.limits.bulk_bytes = 4 << 20;
  link_gc(&f, 1000, false);
  cr_expect_eq(CALL(&f, "bomb_of_bodies", 200), WM_RUN_TRAPPED);
  cr_expect_eq(wm_run_look(f.run).trap, WM_TRAP_BULK_EXHAUSTED);
  CALL(&f, "initialiser");
  cr_expect_eq(fixture_result(&f), 62);
  fixture_close(&f);
  fixture_open(&f);
  f.limits.bulk_bytes = 1 << 16;
  link_gc(&f, 10000, false);
  CALL(&f, "garbage", 400000);
  cr_expect_eq(fixture_result(&f), 1);
  fixture_close(&f);
}

/* A host that cannot give what the limit allows ends the run in its own way. */
Test(interp_gc, host_without_memory)
{
  struct fixture f;
  open_gc(&f, 1 << 22, false);
  f.refuse_above = 1 << 16;
  cr_expect_eq(CALL(&f, "array", 20000), WM_RUN_NO_HOST_MEMORY);
  f.refuse_above = 1 << 20;
  cr_expect_eq(CALL(&f, "array", 20000), WM_RUN_DONE);
  fixture_close(&f);
}

Test(interp_gc, uncaught_exception)
{
  struct fixture f;
  open_gc(&f, 1 << 16, true);
  cr_assert_eq(CALL(&f, "uncaught"), WM_RUN_TRAPPED);
  struct wm_run_status status = wm_run_look(f.run);
  cr_expect_eq(status.trap, WM_TRAP_UNCAUGHT_EXCEPTION);
  cr_expect_eq(status.depth, 2, "frames are left in place");
  struct wm_instance *first = f.instance;
  fixture_load(&f, "gc", &(struct wm_extern){WM_EXTERN_FUNC, wm_instance_item(first, WM_EXTERN_FUNC, 0).item}); /* collects */
  struct wm_extern tag;
  struct wm_value args[2];
  cr_assert_eq(wm_run_exception(f.run, &tag, args, 2), 2);
  cr_expect_eq(tag.item, wm_instance_item(first, WM_EXTERN_TAG, 0).item);
  cr_expect_eq(args[0].bits[0], 40);
  cr_expect_eq(wm_ref_look(f.store, args[1]).kind, WM_REF_STRUCT);
  wm_store_pin(f.store, &args[1], 1);
  cr_assert(wm_run_start(f.run, fixture_export(&f, first, "look"), &args[1], 1, &f.error));
  wm_run_resume(f.run);
  cr_expect_eq(fixture_result(&f), 17);
  cr_expect_eq(CALL(&f, "local"), WM_RUN_DONE);
  fixture_close(&f);
}
