/* Page reports are the same however they are counted: in the loop that has the page sink's step inlined, by batches, or in the step stream,
 * where a run ends and where any budget cuts it. And sinks that are attached together report what each reports alone.
 * Sources in tests/interp/pages.wat and pages2.wat; the reports are those of instrument/, the runs those of interp/. */
#include "interp_support.h"
#include "test_instrument_host.h"

#define EVERY_BUDGET 6000 /* more than a round of "work" takes */
#define MOST_SINKS 8

/* One run of a module with sinks attached. */
struct watched {
  struct fixture f;
  struct host host;
  struct wm_fanout fanout;
  struct wm_tap tap;         /* the fanout's, with its deliveries counted */
  uint64_t accesses, others; /* loads and stores that came as events; control */
  struct wm_writer writers[MOST_SINKS];
  struct text { char *bytes; size_t length; } texts[MOST_SINKS];
};

static struct wm_memory_view memory_of(const struct wm_view *view, uint32_t index)
{
  struct watched *w = (struct watched *)(void *)((char *)host_of(view) - offsetof(struct watched, host));
  const struct wm_limits_type *limits = &w->f.module.memories[index].type.limits;
  struct wm_memory_bytes now = wm_instance_memory(w->f.instance, index);
  return (struct wm_memory_view){now.base, now.length, (limits->has_maximum ? limits->maximum : 16) << 16};
}

static void write_text(struct wm_writer *writer, const char *bytes, size_t length)
{
  struct text *text = writer->user;
  text->bytes = realloc(text->bytes, text->length + length + 1);
  memcpy(text->bytes + text->length, bytes, length);
  text->length += length;
  text->bytes[text->length] = '\0';
}

static void deliver(void *user, const struct wm_event *batch, uint32_t count)
{
  struct watched *w = user;
  for (uint32_t i = 0; i < count; i++)
    w->accesses += batch[i].kind == WM_EVENT_LOAD || batch[i].kind == WM_EVENT_STORE;
  for (uint32_t i = 0; i < count; i++)
    w->others += batch[i].kind == WM_EVENT_BRANCH || batch[i].kind == WM_EVENT_CALL || batch[i].kind == WM_EVENT_RETURN;
  w->fanout.tap.deliver(w->fanout.tap.user, batch, count);
}

static uint64_t clock_ns(void *user)
{
  (void)user;
  return 7; /* reports with times must not differ by how often it is read */
}

static void add_sink(struct watched *w, const char *spec)
{
  struct wm_text name;
  struct wm_option options[WM_OPTIONS_MAX];
  uint32_t count, i = w->fanout.count;
  cr_assert(wm_option_split((struct wm_text){spec, (uint32_t)strlen(spec)}, &name, options, &count));
  cr_assert(wm_fanout_add(&w->fanout, wm_sink_find(name), options, count, w->host.message, sizeof w->host.message), "%s: %s", spec, w->host.message);
  w->writers[i] = (struct wm_writer){write_text, &w->texts[i]};
  write_text(&w->writers[i], "", 0);
  wm_fanout_begin(&w->fanout, i, &w->writers[i]);
}

/* Loads the module, attaches the sinks whose bits stand in `set`, and starts an export. */
static void watched_open(struct watched *w, const char *module, enum wm_stream stream, const char *const *specs, unsigned set, const char *name,
                         uint64_t arg)
{
  memset(w, 0, sizeof *w);
  fixture_open(&w->f);
  w->f.limits.frames = 50;
  fixture_load(&w->f, module, NULL);
  host_open(&w->host, 1, 1);
  const struct wm_module *m = &w->f.module;
  w->host.tick_ns = 0;
  w->host.view.memory = memory_of;
  w->host.view.memory_count = m->memory_count;
  w->host.view.function_count = m->func_count;
  w->host.view.frame_limit = w->f.limits.frames;
  w->host.view.has_global0 = m->globals[0].type.is_mutable;
  static const char *const names[] = {"f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12", "f13", "f14", "f15", "f16",
                                      "f17", "f18", "f19", "f20", "f21"};
  cr_assert_leq(m->func_count, sizeof names / sizeof *names);
  w->host.names = names;
  if (w->host.view.has_global0)
    w->host.view.global0_initial = wm_extern_global(wm_instance_item(w->f.instance, WM_EXTERN_GLOBAL, 0)).bits[0];
  wm_fanout_open(&w->fanout, &w->host.view);
  for (unsigned i = 0; set >> i != 0; i++)
    if ((set >> i & 1) != 0)
      add_sink(w, specs[i]);
  w->tap = w->fanout.tap;
  w->tap.deliver = deliver;
  w->tap.clock_ns = clock_ns;
  w->tap.user = w;
  wm_run_set_tap(w->f.run, &w->tap);
  wm_run_set_stream(w->f.run, stream);
  START(&w->f, name, arg);
}

static void watched_close(struct watched *w)
{
  for (unsigned i = 0; i < MOST_SINKS; i++)
    free(w->texts[i].bytes);
  host_close(&w->host);
  fixture_close(&w->f);
}

/* What sink `i` has written so far, and its report on top. The page report may be asked for again later in the run. */
static const char *report(struct watched *w, uint32_t i)
{
  struct wm_run_status status = wm_run_look(w->f.run);
  struct wm_outcome outcome = {status.state == WM_RUN_DONE, status.instructions, 0, 0};
  wm_fanout_finish(&w->fanout, i, &outcome, &w->writers[i]);
  return w->texts[i].bytes;
}

static const char *page_report(struct watched *w)
{
  w->texts[0].length = 0;
  return report(w, 0);
}

/* ---- Ways to count pages -------------------------------------------------------------------------------------------- */

enum way { IN_STEPS, IN_LOOP, IN_LOOP_AUTO, BY_BATCHES, BATCHES_IN_STEPS, WAYS };

static const struct {
  const char *name, *sink;
  enum wm_stream stream;
} ways[] = {
  [IN_STEPS] = {"step stream", "pages", WM_STREAM_STEP},
  [IN_LOOP] = {"page loop", "pages", WM_STREAM_FAST},
  [IN_LOOP_AUTO] = {"page loop, chosen", "pages", WM_STREAM_AUTO},
  [BY_BATCHES] = {"batches", "pages:count=batch", WM_STREAM_FAST},
  [BATCHES_IN_STEPS] = {"batches in the step stream", "pages:count=batch", WM_STREAM_STEP},
};

static const struct program { const char *module, *name; uint64_t arg; enum wm_run_state end; } programs[] = {
  {"pages", "work", 1, WM_RUN_DONE},
  {"pages", "work", 40, WM_RUN_DONE},
  {"pages", "trap_load", 0x7fff0000, WM_RUN_TRAPPED},
  {"pages", "trap_store", 196601, WM_RUN_TRAPPED},
  {"pages", "trap_last", 0, WM_RUN_TRAPPED},
  {"pages", "trap_fill", 100000, WM_RUN_TRAPPED},
  {"pages", "trap_copy", 100000, WM_RUN_TRAPPED},
  {"pages", "trap_vector", 65530, WM_RUN_TRAPPED},
  {"pages", "trap_deep", 0, WM_RUN_TRAPPED},
  {"pages", "trap_divide", 9, WM_RUN_TRAPPED},
  {"pages2", "work", 1, WM_RUN_DONE},
  {"pages2", "work", 30, WM_RUN_DONE},
  {"pages2", "trap_far", 0, WM_RUN_TRAPPED},
  {"pages2", "trap_near", 131070, WM_RUN_TRAPPED},
};
#define PROGRAMS (sizeof programs / sizeof *programs)

static void open_way(struct watched *w, const struct program *p, enum way way)
{
  watched_open(w, p->module, ways[way].stream, &ways[way].sink, 1, p->name, p->arg);
}

static void expect_report(struct watched *got, const char *want, const struct program *p, enum way way, uint64_t budget)
{
  const char *text = page_report(got);
  cr_assert(strcmp(text, want) == 0, "%s.%s %llu, %s, budget %llu:\n%s\nand in the step stream:\n%s", p->module, p->name, (unsigned long long)p->arg,
            ways[way].name, (unsigned long long)budget, text, want);
}

Test(interp_pages, whole_runs)
{
  for (size_t i = 0; i < PROGRAMS; i++) {
    const struct program *p = &programs[i];
    struct watched step;
    open_way(&step, p, IN_STEPS);
    cr_assert_eq(wm_run_resume(step.f.run), p->end, "%s.%s", p->module, p->name);
    const char *want = page_report(&step);
    cr_assert_geq(strlen(want), 100, "%s", want);
    for (enum way way = IN_LOOP; way < WAYS; way++) {
      struct watched w;
      open_way(&w, p, way);
      cr_assert_eq(wm_run_resume(w.f.run), p->end, "%s.%s", p->module, p->name);
      expect_report(&w, want, p, way, 0);
      cr_assert_eq(wm_run_look(w.f.run).instructions, wm_run_look(step.f.run).instructions);
      watched_close(&w);
    }
    watched_close(&step);
  }
}

/* The ways are different ones: the page loop passes on no access but what the step stream runs, batches everything. */
Test(interp_pages, the_page_loop_counts_in_the_loop)
{
  struct watched w[WAYS];
  for (enum way way = IN_STEPS; way < WAYS; way++) {
    open_way(&w[way], &programs[1], way);
    cr_assert_eq(w[way].tap.pages != NULL, way <= IN_LOOP_AUTO);
    wm_run_resume(w[way].f.run);
    wm_fanout_flush(&w[way].fanout);
  }
  cr_expect_gt(w[BY_BATCHES].accesses, 10000);
  cr_expect_eq(w[BATCHES_IN_STEPS].accesses, w[BY_BATCHES].accesses);
  cr_expect_eq(w[IN_STEPS].accesses, w[BY_BATCHES].accesses);
  cr_expect_lt(w[IN_LOOP].accesses, w[BY_BATCHES].accesses / 2, "%llu of %llu", (unsigned long long)w[IN_LOOP].accesses,
               (unsigned long long)w[BY_BATCHES].accesses);
  cr_expect_eq(w[IN_LOOP_AUTO].accesses, w[IN_LOOP].accesses);
  for (enum way way = IN_STEPS; way < WAYS; way++)
    watched_close(&w[way]);
}

/* A tap that wants control too, beside the page sink, gets all of it: the page loop would tell nothing. */
Test(interp_pages, control_is_told_beside_the_page_sink)
{
  struct watched w[BY_BATCHES];
  for (enum way way = IN_STEPS; way < BY_BATCHES; way++) {
    open_way(&w[way], &programs[1], way);
    w[way].tap.wants |= WM_WANT(WM_EVENT_BRANCH) | WM_WANT(WM_EVENT_CALL) | WM_WANT(WM_EVENT_RETURN);
    wm_run_set_tap(w[way].f.run, &w[way].tap);
    wm_run_resume(w[way].f.run);
    wm_fanout_flush(&w[way].fanout);
  }
  cr_expect_gt(w[IN_STEPS].others, 1000);
  for (enum way way = IN_LOOP; way < BY_BATCHES; way++) {
    cr_expect_eq(w[way].others, w[IN_STEPS].others, "%llu of %llu", (unsigned long long)w[way].others, (unsigned long long)w[IN_STEPS].others);
    cr_expect_str_eq(page_report(&w[way]), page_report(&w[IN_STEPS]));
  }
  for (enum way way = IN_STEPS; way < BY_BATCHES; way++)
    watched_close(&w[way]);
}

/* A run cut at `budget`: its report there, and that of the whole after going on. */
static void cut(const struct program *p, enum way way, uint64_t budget, const char *there, const char *whole)
{
  struct watched w;
  open_way(&w, p, way);
  wm_run_set_budget(w.f.run, budget);
  wm_run_resume(w.f.run);
  cr_assert_eq(wm_run_look(w.f.run).instructions, budget);
  expect_report(&w, there, p, way, budget);
  wm_run_set_budget(w.f.run, 1000000000);
  wm_run_resume(w.f.run);
  expect_report(&w, whole, p, way, budget);
  watched_close(&w);
}

static void cut_everywhere(const struct program *p)
{
  struct watched whole, step;
  open_way(&whole, p, IN_STEPS);
  cr_assert_eq(wm_run_resume(whole.f.run), p->end);
  const char *end = page_report(&whole);
  uint64_t last = wm_run_look(whole.f.run).instructions - 1;
  open_way(&step, p, IN_STEPS);
  for (uint64_t budget = 1; budget <= last && budget <= EVERY_BUDGET; budget++) {
    cr_assert_eq(wm_run_step(step.f.run, 1), WM_RUN_PAUSED);
    const char *there = page_report(&step);
    cut(p, IN_LOOP, budget, there, end);
    cut(p, BY_BATCHES, budget, there, end);
  }
  watched_close(&step);
  watched_close(&whole);
}

Test(interp_pages, every_budget)
{
  cut_everywhere(&programs[0]);
}

Test(interp_pages, every_budget_of_short_runs)
{
  for (size_t i = 2; i < PROGRAMS; i++)
    cut_everywhere(&programs[i]);
}

/* ---- Sinks together ------------------------------------------------------------------------------------------------- */

/* A report of each kind, in forms that show everything the sink knows. */
static const char *const sinks[] = {
  "pages", "pages:count=batch,format=json", "counts", "time", "layers:layer=low=f0,layer=high=f1,surface=65500:300", "trace:kind=all,format=json",
  "trace:checksum", "time:clock=off,format=folded",
};
#define SINKS (sizeof sinks / sizeof *sinks)

/* Each sink of every set says what it says alone, whatever loop the set makes the run take. */
Test(interp_pages, each_sink_of_any_set_reports_what_it_reports_alone)
{
  static const struct program all[] = {{"pages", "work", 1, WM_RUN_DONE}, {"pages", "trap_deep", 0, WM_RUN_TRAPPED}, {"pages2", "work", 3, WM_RUN_DONE}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    struct watched alone[SINKS];
    for (unsigned k = 0; k < SINKS; k++) {
      watched_open(&alone[k], all[i].module, WM_STREAM_AUTO, sinks, 1u << k, all[i].name, all[i].arg);
      cr_assert_eq(wm_run_resume(alone[k].f.run), all[i].end);
      cr_assert_geq(strlen(report(&alone[k], 0)), 5, "%s", sinks[k]);
    }
    for (unsigned set = 1; set < 1u << SINKS; set++) {
      struct watched w;
      watched_open(&w, all[i].module, WM_STREAM_AUTO, sinks, set, all[i].name, all[i].arg);
      cr_assert_eq(wm_run_resume(w.f.run), all[i].end);
      cr_assert_eq(wm_run_look(w.f.run).instructions, wm_run_look(alone[0].f.run).instructions);
      for (unsigned k = 0, index = 0; k < SINKS; k++) {
        if ((set >> k & 1) == 0)
          continue;
        const char *text = report(&w, index++);
        cr_assert(strcmp(text, alone[k].texts[0].bytes) == 0, "%s in set %x:\n%s\nand alone:\n%s", sinks[k], set, text, alone[k].texts[0].bytes);
      }
      watched_close(&w);
    }
    for (unsigned k = 0; k < SINKS; k++)
      watched_close(&alone[k]);
  }
}
