/* The sink interface: a plugin that receives events and writes a report.
 *
 * A sink is one struct wm_sink_class of functions and constants. It sees the event header and this read-only view of the
 * run, never interpreter structs; it cannot change or re-enter the guest. Memory comes from the host's `reserve`; a sink frees
 * nothing (the host drops everything after finish). The same interface serves built-in sinks and shared objects: a plugin
 * exports one symbol, `wm_sink_plugin`, of type struct wm_sink_class; `abi` is checked before anything else of it is read. */
#ifndef WM_INSTRUMENT_SINK_H
#define WM_INSTRUMENT_SINK_H

#include <stdbool.h>
#include <stddef.h>

#include "instrument/event.h"

/* Raised whenever this header or event.h changes in a way an old plugin would misread. */
#define WM_SINK_ABI 1u

struct wm_text { const char *bytes; uint32_t length; }; /* not terminated */

enum wm_region_kind { WM_REGION_DATA, WM_REGION_INPUT, WM_REGION_STACK, WM_REGION_OUTPUT };
struct wm_region { /* half-open range of a linear memory */
  uint8_t kind;
  uint16_t memory;
  uint64_t address, length;
};

struct wm_memory_view {
  const uint8_t *base; /* now; it may move when the memory grows */
  uint64_t length;     /* bytes, now */
  uint64_t limit;      /* bytes it can never grow beyond: the declared maximum or the host's limit */
};

/* The run as sinks see it. Valid from open to finish; what grows during the run is asked through the functions. */
struct wm_view {
  uint32_t size; /* sizeof(struct wm_view), first, so that a later host can append */
  void *host;
  uint32_t memory_count;
  uint32_t function_count, imported_function_count;
  uint64_t frame_limit;        /* live frames never exceed it */
  bool has_global0;            /* global 0 is a mutable i32 (or i64) */
  uint64_t global0_initial;
  struct wm_memory_view (*memory)(const struct wm_view *view, uint32_t index);
  /* Bytes initialised before the run, active data segments and then the request's input, and the input buffer's full
   * capacity; the output range is known at finish only. Regions of kind STACK are left to the sink (global 0 events). */
  uint32_t region_count; const struct wm_region *regions;
  uint32_t initialized_count; const struct wm_region *initialized; /* one for each copy made before the run */
  struct wm_text (*function_name)(const struct wm_view *view, uint32_t function); /* never empty: wasm-function[N] at worst */
  /* Which load or store of its function stands at this byte of the module file: counted from 0, in code order, over loads and stores of
   * every width (bulk operations not). UINT32_MAX when none does. */
  uint32_t (*access_ordinal)(const struct wm_view *view, uint32_t function, uint64_t offset);
  struct wm_text (*trap_text)(const struct wm_view *view, uint64_t trap); /* detail of a TRAP event, in words */
  uint64_t (*clock_ns)(const struct wm_view *view);
  /* Zeroed memory, or NULL beyond the host's limit; pages of it cost nothing until touched. */
  void *(*reserve)(const struct wm_view *view, uint64_t bytes);
};

/* Where a report goes. Errors are sticky in the host; a sink just writes. */
struct wm_writer {
  void (*write)(struct wm_writer *writer, const char *bytes, size_t length);
  void *user;
};

/* key=value; a lone key has value.bytes NULL. */
struct wm_option { struct wm_text key, value; };

/* What the host tells between events: where frames begin and end, and that what ran so far was warm-up. */
enum wm_mark_kind {
  WM_MARK_RESET,       /* counting begins anew; what is known about memory (who wrote last, where the stack is) stays */
  WM_MARK_FRAME_BEGIN, /* number = frame, from 0 */
  WM_MARK_FRAME_END,
};
struct wm_mark {
  uint8_t kind;
  uint64_t number;
  uint64_t instructions; /* that have run so far, counted as struct wm_outcome does, resets disregarded */
  uint64_t time_ns;
};

/* How the run ended, for finish. */
struct wm_outcome {
  bool is_complete;          /* an accepted, finished run; false: a partial report was asked for */
  uint64_t instructions;     /* setters and render: all of the run that was tapped, resets disregarded */
  uint64_t output_bytes;
  uint64_t time_ns;          /* view->clock_ns when it stopped */
};

/* What a sink asks of the host beyond events. */
enum {
  WM_SINK_KNOWS_OUTPUT = 1, /* the host runs once before, unwatched: at open the regions already hold the output of the run to come */
  WM_SINK_TELLS_STOPS = 2,  /* its report is whole up to any stop: written for a run that failed, too */
};

struct wm_sink_class {
  uint32_t abi;              /* WM_SINK_ABI; first */
  uint32_t size;             /* sizeof(struct wm_sink_class) */
  const char *name;          /* [a-z0-9-]+ */
  const char *summary;       /* one line for --help */
  const char *options;       /* "key=what it does\n…", for --help; "" when there are none */
  uint32_t traits;           /* WM_SINK bits */
  /* Begins a run. Reads its options (unknown or bad: writes one line without newline to message, returns NULL), says what it
   * wants, and returns its state (from view->reserve). */
  void *(*open)(const struct wm_view *view, const struct wm_option *options, uint32_t option_count, uint32_t *wants,
                uint32_t *needs, char *message, size_t message_bytes);
  /* NULL when it writes at finish only. Else called once after open, before the first event: it may write to `writer`, which finish
   * gets too, while the run is under way. */
  void (*begin)(void *state, struct wm_writer *writer);
  /* A batch in program order, at most WM_BATCH_EVENTS. Holds kinds asked for only. */
  void (*events)(void *state, const struct wm_event *batch, uint32_t count);
  /* NULL when it does not care. Comes between batches, at its place in program order. */
  void (*mark)(void *state, const struct wm_mark *mark);
  /* After the run: regions now include the output. Writes the report. */
  void (*finish)(void *state, const struct wm_view *view, const struct wm_outcome *outcome, struct wm_writer *writer);
};

#endif
