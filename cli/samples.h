/* Times of repeated runs: their statistics, durations as text, and the clock.
 *
 * Nanoseconds: the mean and the population's standard deviation are rounded to whole ones; percentiles are by nearest
 * rank (the sample at ceil(p*n) of the sorted ones). */
#ifndef WM_CLI_SAMPLES_H
#define WM_CLI_SAMPLES_H

#include "cli/buffer.h"

struct wm_samples { /* starts zeroed */
  uint64_t *ns;
  size_t count, capacity;
  uint64_t total_ns;
};

struct wm_summary {
  uint64_t mean, deviation, minimum, median, p95, maximum;
};

uint64_t wm_clock_ns(void);
void wm_samples_add(struct wm_samples *samples, uint64_t ns);
/* Sorts the samples. At least one. */
struct wm_summary wm_samples_summary(struct wm_samples *samples);
void wm_samples_free(struct wm_samples *samples);

/* `54.118µs`, `1.234567ms`, `3s`, `1m2.5s`: all digits, no zeros at the end. */
void wm_duration_print(struct wm_buffer *buffer, uint64_t ns);
/* A decimal number and one of ns, us (µs), ms, s, m. False when it is none, or zero, or beyond 64 bits. */
bool wm_duration_parse(const char *text, uint64_t *ns);

#endif
