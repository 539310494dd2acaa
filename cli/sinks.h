/* The sinks of one run: from --sink texts to reports on their way out.
 *
 * Names are looked up among the built-in sinks; a name with a slash is a shared object. `out=FILE` is the host's own option, taken
 * off before the sink sees its options. Reports gather in buffers and leave only when the command says so; those that tell stops (traces)
 * may be larger than memory and leave while the run is under way. */
#ifndef WM_CLI_SINKS_H
#define WM_CLI_SINKS_H

#include "cli/buffer.h"
#include "cli/files.h"
#include "cli/plugin.h"
#include "instrument/fanout.h"
#include "instrument/options.h"
#include "interp/run.h"

struct wm_sink_slot {
  const struct wm_sink_class *class_;
  struct wm_plugin plugin;
  const char *spec;        /* for messages */
  struct wm_option options[WM_OPTIONS_MAX];
  uint32_t option_count;
  const char *option_file; /* where the options from first_line_option on come from, or NULL: a line each */
  const uint32_t *option_lines;
  uint32_t first_line_option;
  bool is_result;          /* the command's own report: goes where the result goes */
  char *out;               /* FILE of out=FILE, or NULL: standard error */
  bool has_report;
  struct wm_buffer report;
  struct wm_writer writer; /* into report; of a sink that tells stops, through it to output */
  struct wm_sinks *sinks;
  bool is_streaming;       /* output is open: part of the report has left */
  struct wm_output output;
  int status;              /* of streaming */
};

struct wm_sinks {
  struct wm_sink_slot *slots;
  uint32_t count;
  bool takes_partial;      /* --partial: every report of a run that stopped is wanted */
  const char *result_path; /* where results go: -o, or NULL */
  struct wm_run *const *run; /* asked to stop when nobody takes a report any more */
  struct wm_fanout fanout;
};

/* Adds what a --sink text names. Tells failures; returns an exit status. */
int wm_sinks_add(struct wm_sinks *sinks, const char *spec);
/* Adds the sink of a command: its report is the result. Options point to memory of the caller's. */
void wm_sinks_add_result(struct wm_sinks *sinks, const struct wm_sink_class *class_, const struct wm_option *options, uint32_t option_count);
/* The last sink added has its options from `first` on from lines of a file: a refusal of one of them names file and line. Both stay the caller's. */
void wm_sinks_set_lines(struct wm_sinks *sinks, uint32_t first, const char *file, const uint32_t *lines);
/* Any sink with that WM_SINK trait? */
bool wm_sinks_has_trait(const struct wm_sinks *sinks, uint32_t trait);
/* Opens all for a run that `view` shows; the tap is &sinks->fanout.tap afterwards. `run`: see struct wm_sinks. */
int wm_sinks_open(struct wm_sinks *sinks, const struct wm_view *view, struct wm_run *const *run);
/* WM_EXIT_OK, or what became of a report that was leaving. */
int wm_sinks_status(const struct wm_sinks *sinks);
/* Lets each sink write its report into its buffer; view->regions hold the output by now. Of an incomplete run only sinks that
 * tell stops do, unless takes_partial. */
void wm_sinks_finish(struct wm_sinks *sinks, const struct wm_outcome *outcome);
/* Reports out: the result to result_path or standard output, the others to their files or standard error. Returns an exit status. */
int wm_sinks_write(struct wm_sinks *sinks);
void wm_sinks_free(struct wm_sinks *sinks);

#endif
