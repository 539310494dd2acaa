/* Running totals and laps (meter.h). */
#include "instrument/meter.h"

void wm_cost_add(struct wm_cost *to, const struct wm_cost *cost)
{
  to->instructions += cost->instructions;
  to->loads += cost->loads;
  to->stores += cost->stores;
  to->bytes_read += cost->bytes_read;
  to->bytes_written += cost->bytes_written;
  to->ns += cost->ns;
}

void wm_meter_charge(struct wm_meter *meter, struct wm_cost *to)
{
  struct wm_cost cost = {
    .instructions = meter->now.instructions - meter->lap.instructions,
    .loads = meter->now.loads - meter->lap.loads,
    .stores = meter->now.stores - meter->lap.stores,
    .bytes_read = meter->now.bytes_read - meter->lap.bytes_read,
    .bytes_written = meter->now.bytes_written - meter->lap.bytes_written,
    .ns = meter->now.ns - meter->lap.ns,
  };
  wm_cost_add(to, &cost);
  wm_cost_add(&meter->charged, &cost);
  meter->lap = meter->now;
}

void wm_meter_skip(struct wm_meter *meter)
{
  meter->lap = meter->now;
}

void wm_meter_stop(struct wm_meter *meter, const struct wm_outcome *outcome)
{
  uint64_t told = meter->base_instructions + meter->charged.instructions;
  meter->now.instructions = meter->lap.instructions + (outcome->instructions - told);
  if (outcome->time_ns > meter->now.ns)
    meter->now.ns = outcome->time_ns;
}

void wm_meter_reset(struct wm_meter *meter, const struct wm_mark *mark)
{
  meter->base_instructions = mark->instructions;
  meter->charged = (struct wm_cost){0};
  meter->probes = 0;
  meter->now = (struct wm_cost){.instructions = meter->now.instructions, .ns = meter->now.ns};
  meter->lap = meter->now;
}

void wm_meter_write_notes(const struct wm_meter *meter, struct wm_report *report, const struct wm_outcome *outcome, bool has_clock,
                          uint64_t probe_ns)
{
  const struct wm_cost *sum = &meter->charged;
  bool adds_up = sum->instructions == outcome->instructions - meter->base_instructions && sum->loads == meter->now.loads &&
                 sum->stores == meter->now.stores && sum->bytes_read == meter->now.bytes_read && sum->bytes_written == meter->now.bytes_written;
  wm_report_note_u64(report, "instructions", sum->instructions);
  wm_report_note_u64(report, "loads", sum->loads);
  wm_report_note_u64(report, "stores", sum->stores);
  wm_report_note_u64(report, "bytes_read", sum->bytes_read);
  wm_report_note_u64(report, "bytes_written", sum->bytes_written);
  wm_report_note_text(report, "sums", wm_text_of(adds_up ? "the rows' own columns add up to these, which are the run's totals"
                                                         : "the rows do not add up to the run's totals: report this as a fault"));
  if (!has_clock)
    return;
  wm_report_note_ns(report, "interpreter_time", sum->ns);
  wm_report_note_u64(report, "probes", meter->probes);
  wm_report_note_ns(report, "probe_cost", probe_ns);
  wm_report_note_ns(report, "probing_time", meter->probes * probe_ns);
}

uint64_t wm_probe_cost_ns(const struct wm_view *view, void (*events)(void *state, const struct wm_event *batch, uint32_t count), void *state)
{
  enum { ROUNDS = 5, PAIRS = 512 };
  uint64_t best = UINT64_MAX;
  for (unsigned round = 0; round < ROUNDS; round++) {
    struct wm_event pair[2] = {{.kind = WM_EVENT_CALL, .flags = WM_FLAG_OUTERMOST}, {.kind = WM_EVENT_RETURN, .flags = WM_FLAG_OUTERMOST}};
    uint64_t begin = view->clock_ns(view);
    for (unsigned i = 0; i < PAIRS; i++) {
      pair[0].time_ns = view->clock_ns(view);
      pair[1].time_ns = view->clock_ns(view);
      events(state, pair, 2);
    }
    uint64_t ns = view->clock_ns(view) - begin;
    best = ns < best ? ns : best;
  }
  return (best + PAIRS) / (2 * PAIRS);
}
