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

/* Of which loads (copies too) or stores (everything else too). */
static uint64_t sum_reads(const uint64_t by_kind[WM_EVENT_INIT + 1])
{
  return by_kind[WM_EVENT_LOAD] + by_kind[WM_EVENT_COPY];
}

static uint64_t sum_writes(const uint64_t by_kind[WM_EVENT_INIT + 1])
{
  return by_kind[WM_EVENT_STORE] + by_kind[WM_EVENT_COPY] + by_kind[WM_EVENT_FILL] + by_kind[WM_EVENT_INIT];
}

struct wm_cost wm_meter_since(const struct wm_meter *meter)
{
  const struct wm_meter_totals *now = &meter->now, *lap = &meter->lap;
  return (struct wm_cost){
    .instructions = now->instructions - lap->instructions,
    .loads = sum_reads(now->count) - sum_reads(lap->count),
    .stores = sum_writes(now->count) - sum_writes(lap->count),
    .bytes_read = sum_reads(now->bytes) - sum_reads(lap->bytes),
    .bytes_written = sum_writes(now->bytes) - sum_writes(lap->bytes),
    .ns = now->ns - lap->ns,
  };
}

void wm_meter_charge(struct wm_meter *meter, struct wm_cost *to)
{
  struct wm_cost cost = wm_meter_since(meter);
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
  meter->now = (struct wm_meter_totals){.instructions = meter->now.instructions, .ns = meter->now.ns};
  meter->lap = meter->now;
}

void wm_meter_write_notes(const struct wm_meter *meter, struct wm_report *report, const struct wm_outcome *outcome, bool has_clock,
                          uint64_t probe_ns)
{
  const struct wm_cost *sum = &meter->charged;
  bool adds_up = sum->instructions == outcome->instructions - meter->base_instructions && sum->loads == sum_reads(meter->now.count) &&
                 sum->stores == sum_writes(meter->now.count) && sum->bytes_read == sum_reads(meter->now.bytes) &&
                 sum->bytes_written == sum_writes(meter->now.bytes);
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
