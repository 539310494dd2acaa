/* `time --check`: the report's own columns against two other reports of the same run.
 *
 * Hidden sinks go along: the report once more as CSV, counts, and pages. The sums of the rows must be the counters, and the bytes those of
 * the page report. The buffers belong to the sinks. */
#ifndef WM_CLI_SUM_CHECK_H
#define WM_CLI_SUM_CHECK_H

#include "cli/sinks.h"

struct wm_sum_check {
  uint32_t first_slot; /* of three */
  bool has_layers;
};

/* Before the run: adds the sinks. `options` are those of the report. */
void wm_sum_check_add(struct wm_sum_check *check, struct wm_sinks *sinks, const struct wm_sink_class *class_, const struct wm_option *options,
                      uint32_t option_count);
/* After it: takes the hidden reports off what is written. Appends what was found to `line`; false when some sum differs. */
bool wm_sum_check_finish(const struct wm_sum_check *check, struct wm_sinks *sinks, struct wm_buffer *line);

#endif
