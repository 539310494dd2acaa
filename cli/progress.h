/* Progress of a long run: a line on standard error that is rewritten, only when that is a terminal and the work takes over a second.
 *
 * The run is cut into slices so that somebody looks at the clock; slices change nothing in a run. */
#ifndef WM_CLI_PROGRESS_H
#define WM_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct wm_progress { /* starts zeroed */
  uint64_t slices, begin_ns, shown_ns;
  bool is_shown;
};

/* How many instructions to run before looking up. */
uint64_t wm_progress_slice(struct wm_progress *progress);
void wm_progress_show(struct wm_progress *progress, const char *label, uint64_t instructions);
/* Takes the line away. */
void wm_progress_end(struct wm_progress *progress);

#endif
