/* Progress of a long run; see progress.h. Short runs end within their first slice and cost no system call here. */
#define _POSIX_C_SOURCE 200809L
#include "cli/progress.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "cli/files.h"
#include "cli/message.h"
#include "cli/samples.h"

#define SLICE_INSTRUCTIONS UINT64_C(50000000)
#define SECOND_NS UINT64_C(1000000000)

uint64_t wm_progress_slice(struct wm_progress *progress)
{
  if (progress->slices++ == 0)
    progress->begin_ns = wm_clock_ns();
  else if (progress->slices == 2 && (wm_is_quiet() || !isatty(2)))
    progress->shown_ns = UINT64_MAX; /* never */
  return progress->shown_ns == UINT64_MAX ? UINT64_MAX : SLICE_INSTRUCTIONS;
}

void wm_progress_show(struct wm_progress *progress, const char *label, uint64_t instructions)
{
  if (progress->slices < 2 || progress->shown_ns == UINT64_MAX)
    return;
  uint64_t now = wm_clock_ns();
  if (now - progress->begin_ns < SECOND_NS || now - progress->shown_ns < SECOND_NS / 5)
    return;
  struct wm_buffer line = WM_BUFFER_EMPTY;
  wm_buffer_text(&line, "\r\033[K");
  wm_buffer_escaped(&line, label, strlen(label));
  wm_buffer_format(&line, ": %" PRIu64 " million instructions", instructions / 1000000);
  wm_write_all(2, line.bytes, line.length);
  wm_buffer_free(&line);
  progress->shown_ns = now;
  progress->is_shown = true;
}

void wm_progress_end(struct wm_progress *progress)
{
  static const char clear[] = "\r\033[K";
  if (progress->is_shown)
    wm_write_all(2, clear, sizeof clear - 1);
}
