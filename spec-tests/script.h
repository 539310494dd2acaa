/* One test script: its commands run in order in a store of their own, with a fresh `spectest` module.
 *
 * Assertions count as passed, failed or skipped; modules, registrations and bare actions only ever as failed. After a module
 * that failed, commands that need it fail too, and the script goes on. */
#ifndef WM_SPEC_SCRIPT_H
#define WM_SPEC_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/buffer.h"
#include "interp/run.h"

struct wm_spec_options {
  enum wm_stream stream;
  uint64_t slice;    /* instructions a resume may run before it is resumed again; 0: no slices */
  uint64_t budget;   /* instructions of one action */
  bool gc_stress;    /* collect at every allocation */
  const struct wm_limits *limits;
};

struct wm_spec_counts {
  uint64_t passed, failed, skipped;
  uint64_t malformed, invalid; /* modules refused as such where the script wants it; among passed */
};

/* Called at each failure, with the line in the script and a text such as "assert_return f: expected i32 1, got i32 2". */
typedef void (*wm_spec_report)(void *user, uint64_t line, const char *text, size_t length);

/* Runs `path` (JSON); module files stand beside it. False: the script itself cannot be read; *why gets one line without newline. */
bool wm_spec_run_script(const char *path, const struct wm_spec_options *options, struct wm_spec_counts *counts,
                        wm_spec_report report, void *user, struct wm_buffer *why);

#endif
