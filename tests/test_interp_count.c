/* The counting rules of QIP-CONTRACT C4, by hand: how many instructions each small function executes, and that budgets and steps are
 * exact to one instruction. Sources in tests/interp/count.wat. */
#include <criterion/criterion.h>

#include "interp_support.h"

/* How a case ends. */
enum end { RETURNS, TRAPS };

static const struct {
  const char *name;
  uint32_t arg_count;
  uint64_t args[2];
  uint64_t instructions;
  enum end end;
  uint64_t result; /* or the trap */
} cases[] = {
  {"empty", 0, {0}, 1, RETURNS, 0},                      /* end */
  {"nops", 0, {0}, 4, RETURNS, 0},
  {"block", 0, {0}, 4, RETURNS, 0},                      /* block nop end, end */
  {"nested", 0, {0}, 7, RETURNS, 0},
  {"loop_once", 0, {0}, 4, RETURNS, 0},                  /* loop nop end, end: the loop is entered, not iterated */
  {"loop_n", 1, {1}, 8, RETURNS, 0},                     /* loop, 5, end, end */
  {"loop_n", 1, {3}, 18, RETURNS, 0},                    /* loop, 3 × 5, end, end: the loop opcode is not counted again */
  {"br_block", 0, {0}, 4, RETURNS, 0},                   /* block br, its end, end */
  {"br_outer", 0, {0}, 5, RETURNS, 0},                   /* block block br, the outer end, end; the inner end never runs */
  {"br_function", 0, {0}, 3, RETURNS, 0},                /* block br, the function's end */
  {"br_if", 1, {1}, 5, RETURNS, 0},                      /* block get br_if end end */
  {"br_if", 1, {0}, 7, RETURNS, 0},
  {"br_value", 0, {0}, 6, RETURNS, 5},
  {"if_no_else", 1, {0}, 4, RETURNS, 0},                 /* get if, its end, end */
  {"if_no_else", 1, {1}, 5, RETURNS, 0},                 /* get if nop end end */
  {"if_else", 1, {1}, 7, RETURNS, 0},                    /* get if nop nop else end end: else counts, then control goes to the end */
  {"if_else", 1, {0}, 5, RETURNS, 0},                    /* get if nop end end: goes on behind the else */
  {"if_empty_arms", 1, {1}, 5, RETURNS, 0},              /* get if else end end */
  {"if_empty_arms", 1, {0}, 5, RETURNS, 0},              /* get if nop end end */
  {"br_from_if", 1, {1}, 5, RETURNS, 0},                 /* get if br end end */
  {"br_from_if", 1, {0}, 6, RETURNS, 0},                 /* get if nop br end end */
  {"br_table", 1, {0}, 11, RETURNS, 0},                  /* 3 blocks, get, br_table, end nop end nop end, end */
  {"br_table", 1, {1}, 9, RETURNS, 0},
  {"br_table", 1, {2}, 7, RETURNS, 0},
  {"br_table", 1, {0xffffffff}, 7, RETURNS, 0},
  {"return", 0, {0}, 3, RETURNS, 0},                     /* block return, the function's end */
  {"return_value", 0, {0}, 4, RETURNS, 2},
  {"call", 0, {0}, 5, RETURNS, 0},                       /* call end call end end */
  {"call_indirect", 0, {0}, 4, RETURNS, 0},              /* const call_indirect, the callee's end, end */
  {"call_null", 0, {0}, 2, TRAPS, WM_TRAP_UNINITIALIZED_ELEMENT},
  {"call_outside", 0, {0}, 2, TRAPS, WM_TRAP_UNDEFINED_ELEMENT},
  {"unreachable", 0, {0}, 2, TRAPS, WM_TRAP_UNREACHABLE}, /* the trapping instruction counts */
  {"divide", 2, {7, 2}, 4, RETURNS, 3},
  {"divide", 2, {7, 0}, 3, TRAPS, WM_TRAP_INTEGER_DIVIDE_BY_ZERO},
  {"divide", 2, {0x80000000, 0xffffffff}, 3, TRAPS, WM_TRAP_INTEGER_OVERFLOW},
  {"load", 1, {65532}, 3, RETURNS, 0},
  {"load", 1, {65533}, 2, TRAPS, WM_TRAP_OUT_OF_BOUNDS_MEMORY},
  {"store", 1, {65533}, 3, TRAPS, WM_TRAP_OUT_OF_BOUNDS_MEMORY},
  {"grow", 1, {1}, 3, RETURNS, 1},
  {"grow", 1, {5}, 3, RETURNS, 0xffffffff},
  {"fill", 2, {65536, 0}, 5, RETURNS, 0},
  {"fill", 2, {65536, 1}, 4, TRAPS, WM_TRAP_OUT_OF_BOUNDS_MEMORY},
  {"select", 1, {0}, 5, RETURNS, 2},
  {"select", 1, {9}, 5, RETURNS, 1},
  {"globals", 0, {0}, 6, RETURNS, 8},
  {"fib", 1, {1}, 8, RETURNS, 1},                        /* get const lt if get else end end */
  {"fib", 1, {2}, 31, RETURNS, 1},                       /* get const lt if, twice get const sub call + 8, add end end */
  {"drop", 0, {0}, 3, RETURNS, 0},
};
#define CASES (sizeof cases / sizeof *cases)

static void open_counting(struct fixture *f)
{
  fixture_open(f);
  fixture_load(f, "count", NULL);
}

/* Runs one case in a fresh instance with this budget, in runs of `piece` instructions. */
static struct wm_run_status run_case(size_t number, uint64_t budget, uint64_t piece, uint64_t *result)
{
  struct fixture f;
  open_counting(&f);
  wm_run_set_budget(f.run, budget);
  fixture_start(&f, cases[number].name, cases[number].arg_count, cases[number].args);
  uint64_t last = UINT64_MAX;
  while (wm_run_look(f.run).state == WM_RUN_PAUSED && wm_run_look(f.run).budget != last) {
    last = wm_run_look(f.run).budget;
    wm_run_step(f.run, piece);
  }
  struct wm_run_status status = wm_run_look(f.run);
  struct wm_value value = {0, {0, 0}};
  wm_run_results(f.run, &value, 1);
  *result = value.bits[0];
  fixture_close(&f);
  return status;
}

Test(interp_count, table)
{
  for (size_t i = 0; i < CASES; i++) {
    uint64_t result;
    struct wm_run_status status = run_case(i, 1000, 1000, &result);
    cr_expect_eq(status.instructions, cases[i].instructions, "%s(%u): %u instructions, expected %u", cases[i].name,
                 (unsigned)cases[i].args[0], (unsigned)status.instructions, (unsigned)cases[i].instructions);
    cr_expect_eq(status.budget, 1000 - cases[i].instructions);
    if (cases[i].end == TRAPS) {
      cr_expect_eq(status.state, WM_RUN_TRAPPED, "%s", cases[i].name);
      cr_expect_eq(status.trap, cases[i].result, "%s: %s", cases[i].name, wm_trap_text((enum wm_trap)status.trap));
    } else {
      cr_expect_eq(status.state, WM_RUN_DONE, "%s: %s", cases[i].name, wm_trap_text((enum wm_trap)status.trap));
      cr_expect_eq(result, cases[i].result, "%s: %llx", cases[i].name, (unsigned long long)result);
    }
  }
}

/* A budget of exactly the count succeeds, one less stops before the last instruction. */
Test(interp_count, budget_is_exact)
{
  for (size_t i = 0; i < CASES; i++) {
    uint64_t result, count = cases[i].instructions;
    struct wm_run_status status = run_case(i, count, 1000, &result);
    cr_expect_eq(status.state, cases[i].end == TRAPS ? WM_RUN_TRAPPED : WM_RUN_DONE, "%s", cases[i].name);
    cr_expect_eq(status.budget, 0);
    status = run_case(i, count - 1, 1000, &result);
    cr_expect_eq(status.state, WM_RUN_PAUSED, "%s", cases[i].name);
    cr_expect_eq(status.instructions, count - 1, "%s", cases[i].name);
    cr_expect_eq(status.budget, 0);
  }
}

/* Pieces of any size end where one long run does. */
Test(interp_count, pieces)
{
  for (size_t i = 0; i < CASES; i++)
    for (uint64_t piece = 1; piece <= 5; piece++) {
      uint64_t whole_result, result;
      struct wm_run_status whole = run_case(i, 1000, 1000, &whole_result);
      struct wm_run_status status = run_case(i, 1000, piece, &result);
      cr_expect_eq(status.state, whole.state);
      cr_expect_eq(status.instructions, whole.instructions, "%s in pieces of %u", cases[i].name, (unsigned)piece);
      cr_expect_eq(status.trap, whole.trap);
      cr_expect_eq(status.offset, whole.offset);
      cr_expect_eq(status.depth, whole.depth);
      cr_expect_eq(result, whole_result);
    }
}

Test(interp_count, endless_loop_stops)
{
  struct fixture f;
  open_counting(&f);
  wm_run_set_budget(f.run, 1234567);
  cr_assert_eq(CALL(&f, "forever"), WM_RUN_PAUSED);
  cr_assert_eq(wm_run_look(f.run).instructions, 1234567);
  wm_run_set_budget(f.run, 3);
  cr_assert_eq(wm_run_resume(f.run), WM_RUN_PAUSED);
  cr_assert_eq(wm_run_look(f.run).instructions, 1234570);
  fixture_close(&f);
}

Test(interp_count, deep_recursion_is_a_limit)
{
  struct fixture f;
  open_counting(&f);
  cr_assert_eq(CALL(&f, "deep"), WM_RUN_TRAPPED);
  struct wm_run_status status = wm_run_look(f.run);
  cr_assert_eq(status.trap, WM_TRAP_CALL_STACK_EXHAUSTED);
  cr_assert_eq(status.depth, f.limits.frames);
  cr_assert_eq(status.peak_frames, f.limits.frames);
  cr_assert_eq(status.instructions, f.limits.frames);
  fixture_close(&f);
}
