/* Statistics of samples and durations as text; see samples.h. */
#define _POSIX_C_SOURCE 200809L
#include "cli/samples.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint64_t wm_clock_ns(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

void wm_samples_add(struct wm_samples *samples, uint64_t ns)
{
  if (samples->count == samples->capacity) {
    samples->capacity = samples->capacity == 0 ? 64 : samples->capacity * 2;
    samples->ns = wm_reallocate(samples->ns, samples->capacity, sizeof *samples->ns);
  }
  samples->ns[samples->count++] = ns;
  samples->total_ns += ns;
}

static int compare(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Newton's method; the mathematical library would be one more thing to load at every start. */
static double root(double square)
{
  double guess = square > 1 ? square : 1;
  for (int i = 0; i < 200; i++) {
    double next = (guess + square / guess) / 2;
    if (next >= guess)
      break;
    guess = next;
  }
  return guess;
}

struct wm_summary wm_samples_summary(struct wm_samples *samples)
{
  size_t n = samples->count;
  qsort(samples->ns, n, sizeof *samples->ns, compare);
  uint64_t mean = (samples->total_ns + n / 2) / n;
  double squares = 0;
  for (size_t i = 0; i < n; i++) {
    double distance = (double)samples->ns[i] - (double)samples->total_ns / (double)n;
    squares += distance * distance;
  }
  uint64_t deviation = squares == 0 ? 0 : (uint64_t)(root(squares / (double)n) + 0.5);
  return (struct wm_summary){mean, deviation, samples->ns[0], samples->ns[(n + 1) / 2 - 1], samples->ns[(n * 95 + 99) / 100 - 1],
                             samples->ns[n - 1]};
}

void wm_samples_free(struct wm_samples *samples)
{
  free(samples->ns);
  *samples = (struct wm_samples){0};
}

/* `value` / 10^decimals without zeros at the end. */
static void print_scaled(struct wm_buffer *buffer, uint64_t value, unsigned decimals, const char *unit)
{
  uint64_t scale = 1;
  for (unsigned i = 0; i < decimals; i++)
    scale *= 10;
  wm_buffer_format(buffer, "%" PRIu64, value / scale);
  uint64_t rest = value % scale;
  if (rest != 0) {
    while (rest % 10 == 0) {
      rest /= 10;
      decimals--;
    }
    wm_buffer_format(buffer, ".%0*" PRIu64, (int)decimals, rest);
  }
  wm_buffer_text(buffer, unit);
}

void wm_duration_print(struct wm_buffer *buffer, uint64_t ns)
{
  const uint64_t minute = UINT64_C(60000000000);
  if (ns < 1000) {
    wm_buffer_format(buffer, "%" PRIu64 "ns", ns);
  } else if (ns < 1000000) {
    print_scaled(buffer, ns, 3, "µs");
  } else if (ns < 1000000000) {
    print_scaled(buffer, ns, 6, "ms");
  } else {
    if (ns >= minute)
      wm_buffer_format(buffer, "%" PRIu64 "m", ns / minute);
    print_scaled(buffer, ns % minute, 9, "s");
  }
}

bool wm_duration_parse(const char *text, uint64_t *ns)
{
  static const struct { const char *name; uint64_t ns; } units[] = {
    {"ns", 1}, {"us", 1000}, {"µs", 1000}, {"ms", 1000000}, {"s", 1000000000}, {"m", UINT64_C(60000000000)},
  };
  uint64_t number = 0, scale = 1;
  const char *at = text;
  bool has_digit = false, has_point = false;
  for (; (*at >= '0' && *at <= '9') || (*at == '.' && !has_point); at++) {
    if (*at == '.') {
      has_point = true;
      continue;
    }
    if (number > UINT64_MAX / 10 - 1 || scale > UINT64_MAX / 100)
      return false;
    has_digit = true;
    number = number * 10 + (unsigned)(*at - '0');
    scale *= has_point ? 10 : 1; /* never more than number's own bound */
  }
  for (size_t i = 0; has_digit && i < sizeof units / sizeof *units; i++) {
    if (strcmp(at, units[i].name) != 0)
      continue;
    /* Whole units first, then the fraction, so that nothing is lost or overflows. */
    uint64_t whole = number / scale, unit = units[i].ns, rest = number % scale;
    if (whole > UINT64_MAX / unit - 1)
      return false;
    while (rest > UINT64_MAX / unit) {
      rest /= 10;
      scale /= 10;
    }
    *ns = whole * unit + rest * unit / scale;
    return *ns > 0;
  }
  return false;
}
