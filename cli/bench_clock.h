/* The one import of a timed copy: qip_bench.now_ms () -> f64, milliseconds (contract, part G).
 *
 * By default the clock is virtual: instructions executed so far / 1,000,000, so that what the copy adds up for its layers is the same
 * in every run. A real clock is the host's monotonic one. */
#ifndef WM_CLI_BENCH_CLOCK_H
#define WM_CLI_BENCH_CLOCK_H

#include "cli/session.h"

#define WM_BENCH_INSTRUCTIONS_PER_MS 1000000

struct wm_bench_clock {
  struct wm_session *session;
  bool is_real;
  uint64_t begin_ns; /* real: of the first reading */
};

/* Does the module import this clock and nothing else? */
bool wm_bench_clock_is_wanted(const struct wm_module *module);
/* Makes the function in the session's store: one for each import, in the session's arena. NULL after telling that there is no memory. */
const struct wm_extern *wm_bench_clock_bind(struct wm_bench_clock *clock, struct wm_session *session);

#endif
