/* Counts which entries of the fast stream run one after the other: for choosing what to fuse (interp/fused.def), in a build of its own
 * (-Dpairs=true), never part of a product. pairs.c writes the counts down when the process ends. */
#ifndef WM_BENCH_PAIRS_H
#define WM_BENCH_PAIRS_H

#include "interp/fast.h"

extern uint64_t wm_pairs[WM_FAST_OP_COUNT][WM_FAST_OP_COUNT];
extern uint16_t wm_pairs_last;

static inline uint16_t wm_pairs_note(uint16_t op)
{
  wm_pairs[wm_pairs_last][op]++;
  wm_pairs_last = op;
  return op;
}

#endif
