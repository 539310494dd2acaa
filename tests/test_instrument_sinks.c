/* The counts sink, the fanout, and the plugins' interface. */
#include "test_instrument_host.h"

/* ---- counts --------------------------------------------------------------------------------------------------------- */

static const struct wm_event run_events[] = {
  {.kind = WM_EVENT_CALL, .flags = WM_FLAG_OUTERMOST, .detail = 1}, /* the host calls f1: not a call */
  {.kind = WM_EVENT_LOAD, .length = 4},
  {.kind = WM_EVENT_CALL, .detail = 2},
  {.kind = WM_EVENT_STORE, .length = 16},
  {.kind = WM_EVENT_CALL, .flags = WM_FLAG_INDIRECT, .detail = 3},
  {.kind = WM_EVENT_CALL, .flags = WM_FLAG_IMPORT, .detail = 0}, /* no frame, no return */
  {.kind = WM_EVENT_CALL, .flags = WM_FLAG_IMPORT | WM_FLAG_INDIRECT, .detail = 0},
  {.kind = WM_EVENT_COPY, .length = 100},
  {.kind = WM_EVENT_FILL, .length = 7},
  {.kind = WM_EVENT_INIT, .length = 3},
  {.kind = WM_EVENT_BRANCH},
  {.kind = WM_EVENT_BRANCH, .flags = WM_FLAG_BACK},
  {.kind = WM_EVENT_BRANCH, .flags = WM_FLAG_BACK},
  {.kind = WM_EVENT_RETURN, .flags = WM_FLAG_TAIL, .function = 3},
  {.kind = WM_EVENT_CALL, .flags = WM_FLAG_TAIL, .detail = 2},
  {.kind = WM_EVENT_RETURN, .flags = WM_FLAG_UNWIND, .function = 2},
  {.kind = WM_EVENT_RETURN, .function = 2},
  {.kind = WM_EVENT_RETURN, .flags = WM_FLAG_OUTERMOST, .function = 1},
};
#define RUN_EVENTS (sizeof run_events / sizeof *run_events)

Test(instrument_counts, every_metric)
{
  static const char *const specs[] = {"counts", "counts:format=json", "counts:format=table"};
  static const char *const want[] = {
    "metric,value\ninstructions,1234\ncalls,5\nindirect_calls,2\nreturns,4\nbranches_taken,3\nloop_iterations,2\nmemory_reads,2\n"
    "memory_writes,4\nbytes_read,104\nbytes_written,126\npeak_frames,3\nmemory_pages,7\noutput_bytes,88\n",
    "{\"report\":\"counts\",\"complete\":true,\"instructions\":1234,\"calls\":5,\"indirect_calls\":2,\"returns\":4,\"branches_taken\":3,"
    "\"loop_iterations\":2,\"memory_reads\":2,\"memory_writes\":4,\"bytes_read\":104,\"bytes_written\":126,\"peak_frames\":3,"
    "\"memory_pages\":7,\"output_bytes\":88}\n",
    "metric           value\ninstructions     1,234\ncalls                5\nindirect_calls       2\nreturns              4\n"
    "branches_taken       3\nloop_iterations      2\nmemory_reads         2\nmemory_writes        4\nbytes_read         104\n"
    "bytes_written      126\npeak_frames          3\nmemory_pages         7\noutput_bytes        88\n",
  };
  for (size_t i = 0; i < 3; i++) {
    struct host host;
    struct wm_fanout fanout;
    host_open(&host, 5, 9);
    host.view.memory_count = 2;
    host.memories[1].length = 2 << 16;
    wm_fanout_open(&fanout, &host.view);
    host_add(&host, &fanout, specs[i]);
    fanout.tap.deliver(fanout.tap.user, run_events, RUN_EVENTS);
    const char *got = host_report(&host, &fanout, 0, (struct wm_outcome){true, 1234, 88, 0});
    cr_expect_str_eq(got, want[i], "%s", got);
    host_close(&host);
  }
}

/* Setters and render are runs of their own on one count; a reset in between begins anew; a trap leaves frames behind. */
Test(instrument_counts, several_runs_and_a_reset)
{
  struct host host;
  struct wm_fanout fanout;
  host_open(&host, 1, 1);
  wm_fanout_open(&fanout, &host.view);
  host_add(&host, &fanout, "counts");
  for (int i = 0; i < 3; i++) {
    fanout.tap.deliver(fanout.tap.user, run_events, RUN_EVENTS - 5); /* stops with three frames live */
    if (i == 0)
      wm_fanout_mark(&fanout, &(struct wm_mark){.kind = WM_MARK_RESET, .instructions = 1000});
    wm_fanout_mark(&fanout, &(struct wm_mark){.kind = WM_MARK_FRAME_END, .instructions = 1100});
  }
  cr_expect_str_eq(host_report(&host, &fanout, 0, (struct wm_outcome){false, 1234, 0, 0}),
                   "metric,value\ninstructions,234\ncalls,8\nindirect_calls,4\nreturns,0\nbranches_taken,6\nloop_iterations,4\n"
                   "memory_reads,4\nmemory_writes,8\nbytes_read,208\nbytes_written,252\npeak_frames,3\nmemory_pages,1\noutput_bytes,0\n");
  host_close(&host);
}

/* ---- fanout --------------------------------------------------------------------------------------------------------- */

/* A sink that writes down what it gets: kind, address and phase of each event, and where batches end. Options choose what it wants:
 * w=bits, n=bits. */
struct recorder {
  uint64_t events, batches, largest;
  struct { uint8_t kind, phase; uint64_t address, length; } log[20000];
};

static void *open_recorder(const struct wm_view *view, const struct wm_option *options, uint32_t option_count, uint32_t *wants,
                           uint32_t *needs, char *message, size_t message_bytes)
{
  (void)message, (void)message_bytes;
  uint64_t bits[2] = {0, 0};
  for (uint32_t i = 0; i < option_count; i++)
    wm_option_u64(options[i].value, &bits[options[i].key.bytes[0] == 'n']);
  *wants = (uint32_t)bits[0];
  *needs = (uint32_t)bits[1];
  return view->reserve(view, sizeof(struct recorder));
}

static void record_events(void *state, const struct wm_event *batch, uint32_t count)
{
  struct recorder *recorder = state;
  cr_assert(count > 0 && count <= WM_BATCH_EVENTS);
  recorder->batches++;
  recorder->largest = recorder->largest < count ? count : recorder->largest;
  for (uint32_t i = 0; i < count; i++, recorder->events++) {
    recorder->log[recorder->events].kind = batch[i].kind;
    recorder->log[recorder->events].phase = batch[i].phase;
    recorder->log[recorder->events].address = batch[i].address;
    recorder->log[recorder->events].length = batch[i].length;
  }
}

static void record_mark(void *state, const struct wm_mark *mark)
{
  struct recorder *recorder = state;
  recorder->log[recorder->events].kind = 100;
  recorder->log[recorder->events++].address = mark->number;
}

static void finish_recorder(void *state, const struct wm_view *view, const struct wm_outcome *outcome, struct wm_writer *writer)
{
  (void)state, (void)view, (void)outcome;
  writer->write(writer, "done", 4);
}

static const struct wm_sink_class recorder_class = {
  .abi = WM_SINK_ABI, .size = sizeof recorder_class, .name = "recorder", .summary = "", .options = "",
  .open = open_recorder, .events = record_events, .mark = record_mark, .finish = finish_recorder};

static void add_recorder(struct host *host, struct wm_fanout *fanout, uint32_t wants, uint32_t needs)
{
  char digits[2][12];
  struct wm_option options[2] = {{{"w", 1}, {digits[0], (uint32_t)sprintf(digits[0], "%u", (unsigned)wants)}},
                                 {{"n", 1}, {digits[1], (uint32_t)sprintf(digits[1], "%u", (unsigned)needs)}}};
  cr_assert(wm_fanout_add(fanout, &recorder_class, options, 2, host->message, sizeof host->message));
}

#define ALL ((1u << WM_EVENT_KINDS) - 1)

/* Each sink of any set sees what it would see alone: its kinds, in order, nothing lost over marks, in large batches. */
Test(instrument_fanout, each_sink_sees_what_it_would_see_alone)
{
  static const struct {
    uint32_t wants, needs;
  } sinks[] = {
    {ALL, 0}, {WM_WANT_ACCESSES, WM_NEED_SITE}, {WM_WANT(WM_EVENT_CALL) | WM_WANT(WM_EVENT_RETURN), WM_NEED_CLOCK},
    {WM_WANT(WM_EVENT_STORE), 0}, {0, 0}, {ALL, WM_NEED_IMMEDIATE}, {WM_WANT(WM_EVENT_LOAD) | WM_WANT(WM_EVENT_TRAP), WM_NEED_IMMEDIATE | WM_NEED_VALUE},
  };
  enum { SINKS = sizeof sinks / sizeof *sinks, COUNT = 5000 };
  static struct wm_event events[2 * COUNT];
  static struct recorder want;
  for (unsigned set = 1; set < 1u << SINKS; set++) {
    struct host host;
    struct wm_fanout fanout;
    uint64_t seed = set;
    uint32_t wants = 0, needs = 0, made = 0, sent = 0;
    host_open(&host, 1, 1);
    wm_fanout_open(&fanout, &host.view);
    for (unsigned i = 0; i < SINKS; i++) {
      if ((set >> i & 1) == 0)
        continue;
      add_recorder(&host, &fanout, sinks[i].wants, sinks[i].needs);
      wants |= sinks[i].wants;
      needs |= sinks[i].needs;
    }
    cr_assert_eq(fanout.tap.wants, wants);
    cr_assert_eq(fanout.tap.needs, needs);
    bool has_phases = (needs & WM_NEED_IMMEDIATE) != 0;
    /* What an engine would send: only wanted kinds; accesses twice and alone when asked for; a mark half-way. */
    for (uint64_t n = 0; n < COUNT; n++) {
      uint8_t kind = (uint8_t)(host_random(&seed) % WM_EVENT_KINDS);
      bool is_access = (WM_WANT_ACCESSES & WM_WANT(kind)) != 0;
      if ((wants & WM_WANT(kind)) != 0) {
        for (int phase = has_phases && is_access ? 1 : 0; phase <= (has_phases && is_access ? 2 : 0); phase++) {
          events[made++] = (struct wm_event){.kind = kind, .phase = (uint8_t)phase, .address = n, .length = (uint64_t)phase};
          if (phase != 0) {
            if (made - sent > 1)
              fanout.tap.deliver(fanout.tap.user, events + sent, made - sent - 1);
            fanout.tap.deliver(fanout.tap.user, events + made - 1, 1);
            sent = made;
          }
        }
      }
      if (made - sent >= WM_BATCH_EVENTS || n == COUNT / 2 || n == COUNT - 1) {
        if (made > sent)
          fanout.tap.deliver(fanout.tap.user, events + sent, made - sent);
        sent = made;
      }
      if (n == COUNT / 2)
        wm_fanout_mark(&fanout, &(struct wm_mark){.kind = WM_MARK_FRAME_BEGIN, .number = n});
    }
    wm_fanout_flush(&fanout);
    unsigned index = 0;
    for (unsigned i = 0; i < SINKS; i++) {
      if ((set >> i & 1) == 0)
        continue;
      memset(&want, 0, sizeof want);
      bool is_immediate = (sinks[i].needs & WM_NEED_IMMEDIATE) != 0, is_marked = false;
      for (uint32_t e = 0; e <= made; e++) {
        if (!is_marked && (e == made || events[e].address > COUNT / 2)) {
          record_mark(&want, &(struct wm_mark){.number = COUNT / 2});
          is_marked = true;
        }
        if (e == made || (sinks[i].wants & WM_WANT(events[e].kind)) == 0 || (!is_immediate && events[e].phase == WM_PHASE_BEFORE))
          continue;
        struct wm_event event = events[e];
        event.phase = is_immediate ? event.phase : WM_PHASE_NONE;
        record_events(&want, &event, 1);
      }
      const struct recorder *got = fanout.entries[index++].state;
      cr_assert_eq(got->events, want.events, "set %u sink %u", set, i);
      cr_assert_arr_eq(got->log, want.log, want.events * sizeof *want.log);
      if (!is_immediate && got->events > 0)
        cr_assert(got->batches <= got->events / WM_BATCH_EVENTS + 3 || !has_phases, "set %u sink %u: %u batches", set, i, (unsigned)got->batches);
    }
    host_close(&host);
  }
}

/* The step in the loop is offered only while no other sink wants what it takes out of the stream. */
Test(instrument_fanout, the_page_step_is_offered_when_it_hides_nothing)
{
  static const struct {
    const char *first;
    uint32_t other_wants;
    bool is_offered;
  } cases[] = {
    {"pages", 0, true}, {"pages", WM_WANT(WM_EVENT_CALL) | WM_WANT(WM_EVENT_COPY), true}, {"pages:count=batch", 0, false},
    {"pages", WM_WANT(WM_EVENT_LOAD), false}, {"pages", WM_WANT(WM_EVENT_SET_GLOBAL0), false}, {"counts", 0, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct host host;
    struct wm_fanout fanout;
    host_open(&host, 1, 1);
    wm_fanout_open(&fanout, &host.view);
    host_add(&host, &fanout, cases[i].first);
    add_recorder(&host, &fanout, cases[i].other_wants, 0);
    cr_expect_eq(fanout.tap.pages != NULL, cases[i].is_offered, "case %zu", i);
    host_close(&host);
  }
}

Test(instrument_fanout, limits_and_reports)
{
  struct host host;
  struct wm_fanout fanout;
  host_open(&host, 1, 1);
  wm_fanout_open(&fanout, &host.view);
  for (int i = 0; i < WM_FANOUT_SINKS; i++)
    add_recorder(&host, &fanout, 0, 0);
  cr_expect_not(wm_fanout_add(&fanout, &recorder_class, NULL, 0, host.message, sizeof host.message));
  cr_expect_str_eq(host.message, "too many sinks");
  cr_expect_str_eq(host_report(&host, &fanout, 15, (struct wm_outcome){true, 0, 0, 0}), "done");
  cr_expect_eq(fanout.tap.clock_ns(fanout.tap.user), 1);
  host_close(&host);
}

Test(instrument_registry, every_sink_is_found_by_its_name)
{
  for (const struct wm_sink_class *const *sink = wm_sinks; *sink != NULL; sink++) {
    cr_expect_eq(wm_sink_find((struct wm_text){(*sink)->name, (uint32_t)strlen((*sink)->name)}), *sink);
    cr_expect_eq((*sink)->abi, WM_SINK_ABI);
    cr_expect_eq((*sink)->size, sizeof **sink);
    cr_expect(strlen((*sink)->summary) > 0);
    for (const char *c = (*sink)->name; *c != '\0'; c++)
      cr_expect((*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') || *c == '-');
  }
  cr_expect_null(wm_sink_find((struct wm_text){"page", 4}));
  cr_expect_null(wm_sink_find((struct wm_text){"pagess", 6}));
}
