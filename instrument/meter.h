/* Running totals of a tapped run, and what was added to them since a lap: how the timing sinks charge work to whoever did it.
 *
 * Accesses add to the totals as they come; calls, returns and traps bring the instruction number and the clock. Work between two of those
 * belongs to one function or layer: wm_meter_charge gives it everything since the last lap, so nothing is counted twice or lost. */
#ifndef WM_INSTRUMENT_METER_H
#define WM_INSTRUMENT_METER_H

#include "instrument/report.h"

#define WM_METER_WANTS (WM_WANT_ACCESSES | WM_WANT(WM_EVENT_CALL) | WM_WANT(WM_EVENT_RETURN) | WM_WANT(WM_EVENT_TRAP))

struct wm_cost {
  uint64_t instructions, loads, stores, bytes_read, bytes_written, ns; /* loads and stores: bulk operations included */
};

/* Totals by kind of access: counting needs no branch. */
struct wm_meter_totals {
  uint64_t instructions, ns;
  uint64_t count[WM_EVENT_INIT + 1], bytes[WM_EVENT_INIT + 1];
};

struct wm_meter {
  struct wm_meter_totals now, lap;
  uint64_t base_instructions; /* of the host's count, at the last reset */
  struct wm_cost charged;     /* sum of all charges since then */
  uint64_t probes;            /* events that read the clock since then */
};

/* One access event. */
static inline void wm_meter_access(struct wm_meter *meter, const struct wm_event *event)
{
  meter->now.count[event->kind]++;
  meter->now.bytes[event->kind] += event->length;
}

/* Takes the instruction number and clock of a call, return or trap. */
static inline void wm_meter_clock(struct wm_meter *meter, const struct wm_event *event)
{
  meter->now.instructions = event->instruction;
  meter->now.ns = event->time_ns;
  meter->probes++;
}

/* What passed since the last lap. */
struct wm_cost wm_meter_since(const struct wm_meter *meter);
void wm_cost_add(struct wm_cost *to, const struct wm_cost *cost);
/* Gives `to` what came since the last lap; a lap. */
void wm_meter_charge(struct wm_meter *meter, struct wm_cost *to);
/* A lap that charges nobody: what passed outside the guest. */
void wm_meter_skip(struct wm_meter *meter);
/* Takes now what no event told: instructions up to the stop (a used-up budget), so that all charges sum up to the outcome's. */
void wm_meter_stop(struct wm_meter *meter, const struct wm_outcome *outcome);
void wm_meter_reset(struct wm_meter *meter, const struct wm_mark *mark);

/* The notes of a timing report: the sums of the rows' own columns, which are those of counts, and what the probes cost. */
void wm_meter_write_notes(const struct wm_meter *meter, struct wm_report *report, const struct wm_outcome *outcome, bool has_clock,
                          uint64_t probe_ns);

/* What reading the clock and handing on one event costs, in nanoseconds, by trying: `events` is the sink's function on a state
 * of its own that may be spoilt. */
uint64_t wm_probe_cost_ns(const struct wm_view *view, void (*events)(void *state, const struct wm_event *batch, uint32_t count), void *state);

#endif
