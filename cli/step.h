/* The stepping debugger: what its parts share.
 *
 *   step_target   what is stepped        step_history  taking it back         step_code     instructions and places as text
 *   step_points   where to stop          step_run      running on and back    step_expr     values by expression
 *   step_show     views                  step_who      who wrote a byte       step_json     a stop as one object
 *   step_command  the table of commands  step_line     the line editor        cmd_step      options, scripts, prompt
 * Text of the command under way gathers in `out`; a refused command adds its one line to `problem` and changes nothing. */
#ifndef WM_CLI_STEP_H
#define WM_CLI_STEP_H

#include "cli/step_code.h"
#include "cli/step_history.h"
#include "cli/step_points.h"

enum wm_stop_reason {
  WM_STOP_START,       /* before the first instruction of render or the export */
  WM_STOP_STEP,        /* as far as the command said */
  WM_STOP_BREAKPOINT,
  WM_STOP_WATCHPOINT,
  WM_STOP_BUDGET,      /* of the command, or of the whole run */
  WM_STOP_INTERRUPT,   /* Ctrl-C */
  WM_STOP_BEGIN,       /* there is nothing before */
  WM_STOP_DONE,        /* returned, accepted */
  WM_STOP_REJECTED, WM_STOP_TRAP, WM_STOP_FAILED,
  WM_STOP_REASONS
};

struct wm_stop {
  uint8_t reason;             /* enum wm_stop_reason */
  uint32_t point;             /* number of the breakpoint or watchpoint */
  struct wm_watch_hit hit;    /* of a watchpoint */
};

struct wm_debugger {
  struct wm_target target;
  struct wm_history history;
  struct wm_code code;
  struct wm_points points;
  struct wm_stop stop;
  uint32_t frame;             /* selected: 0 is the innermost */
  uint64_t budget;            /* of one command */
  bool is_json, is_interactive, wants_color;
  bool has_quit, has_quit_status;
  int quit_status;
  bool is_refused;            /* some command was */
  bool has_output;            /* where the output is going to be, once asked for */
  uint64_t output_address, output_length;
  uint64_t view_next;         /* where `x` goes on */
  uint32_t view_memory;
  struct wm_place list_next;  /* where `list` goes on */
  bool has_list;
  struct wm_buffer out, problem;
};

/* The frame at `depth` and a walk that stands before its position; false when there are no frames. The walk holds until the next one. */
bool wm_debug_frame(struct wm_debugger *d, uint32_t depth, struct wm_frame_view *view, struct wm_walk *walk);
/* A value in a frame's slots. */
struct wm_value wm_debug_value(const struct wm_frame_view *view, wm_valtype type, uint32_t slot);
/* Live operands of that frame: how many of the walk's. */
uint32_t wm_debug_operands(const struct wm_frame_view *view, const struct wm_walk *walk);

/* Where the output of this run is or will be: runs ahead once to find it, and comes back. False: problem says why. */
bool wm_debug_find_output(struct wm_debugger *d);

/* ---- step_run.c: each leaves d->stop. */
void wm_run_begin(struct wm_debugger *d);                    /* to the first stop */
void wm_run_steps(struct wm_debugger *d, uint64_t count);
void wm_run_next(struct wm_debugger *d, uint64_t count);
void wm_run_finish(struct wm_debugger *d);
void wm_run_until(struct wm_debugger *d, const struct wm_place *place /* or NULL */);
void wm_run_on(struct wm_debugger *d);
void wm_run_goto(struct wm_debugger *d, uint64_t to);
void wm_run_back_steps(struct wm_debugger *d, uint64_t count);
void wm_run_back_next(struct wm_debugger *d, uint64_t count);
void wm_run_back_finish(struct wm_debugger *d);
void wm_run_back(struct wm_debugger *d);

/* ---- step_show.c, step_who.c, step_json.c: into d->out. */
void wm_show_stop(struct wm_debugger *d);
void wm_show_stop_json(struct wm_debugger *d);
const char *wm_stop_reason_name(uint8_t reason);
void wm_show_locals(struct wm_debugger *d);
void wm_show_stack(struct wm_debugger *d);
void wm_show_globals(struct wm_debugger *d);
void wm_show_memory(struct wm_debugger *d);
void wm_show_digest(struct wm_debugger *d);
void wm_show_counters(struct wm_debugger *d);
void wm_show_regions(struct wm_debugger *d);
void wm_show_contract(struct wm_debugger *d);
void wm_show_history(struct wm_debugger *d);
void wm_show_edits(struct wm_debugger *d);
void wm_show_functions(struct wm_debugger *d, const char *part);
void wm_show_points(struct wm_debugger *d);
void wm_show_backtrace(struct wm_debugger *d, uint64_t most);
void wm_show_frame(struct wm_debugger *d, uint32_t depth);
/* Bytes with where they come from; `format` as x takes it. False: problem. */
bool wm_show_bytes(struct wm_debugger *d, const char *format, uint32_t memory, uint64_t address, bool has_address);
bool wm_show_writers(struct wm_debugger *d, uint32_t memory, uint64_t address, uint64_t length);

/* Who wrote each byte of a range last: step_who.c. */
struct wm_writer_of { uint64_t instruction; uint32_t function, offset; uint8_t kind; /* enum wm_origin */ struct wm_event event; };
enum wm_origin { WM_ORIGIN_UNTOUCHED, WM_ORIGIN_DATA, WM_ORIGIN_INPUT, WM_ORIGIN_WRITTEN, WM_ORIGIN_EDITED };
/* Fills `writers[0 … length)`; false when interrupted. The state is as before afterwards. */
bool wm_who_find(struct wm_debugger *d, uint32_t memory, uint64_t address, uint32_t length, struct wm_writer_of *writers);

#endif
