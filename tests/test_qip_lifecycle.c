/* The timed and interactive lifecycle: frames, events, wakes, and every order that is refused. */
#include "tests/qip/support.h"

#include "qip/lifecycle.h"

#include "qip_lifecycle_cases.h"

struct play {
  struct bench bench;
  struct wm_contract contract;
  struct wm_content content;
  struct wm_lifecycle lifecycle;
  struct wm_problem problem;
};

/* Renders at time zero and takes the session over. */
static void begin(struct play *play, const char *name, const char *input, uint64_t budget)
{
  const struct module_case *module_case = NULL;
  for (size_t i = 0; i < sizeof module_cases / sizeof *module_cases; i++)
    if (strcmp(module_cases[i].name, name) == 0)
      module_case = &module_cases[i];
  cr_assert(module_case != NULL);
  memset(play, 0, sizeof *play);
  wm_problem_clear(&play->problem);
  bench_open(&play->bench, module_case->bytes, module_case->length, name);
  cr_assert(wm_contract_read(&play->contract, &play->bench.module, 0, &play->bench.arena, &play->problem), "%s", play->problem.text);
  struct wm_content_setup setup = {
    .store = play->bench.store, .limits = &play->bench.limits, .module = &play->bench.module, .contract = &play->contract,
    .input = (const uint8_t *)input, .input_length = strlen(input), .budget = budget, .arena = &play->bench.arena};
  cr_assert(wm_content_open(&play->content, &setup));
  wm_content_finish(&play->content);
  cr_assert(play->content.outcome.result == WM_CONTENT_ACCEPTED);
}

static void end(struct play *play)
{
  wm_content_close(&play->content);
  bench_close(&play->bench);
}

struct frame { uint64_t now; uint32_t last, size; };

static struct frame look(const struct play *play)
{
  struct frame frame;
  uint64_t length;
  const uint8_t *output = wm_content_output(&play->content, &length);
  cr_assert(length == sizeof frame);
  memcpy(&frame, output, sizeof frame);
  return frame;
}

#define GOOD(call) cr_assert(call, "%s", play.problem.text)
#define BAD(call, expected) \
  do { \
    wm_problem_clear(&play.problem); \
    cr_assert_not(call); \
    cr_assert_str_eq(play.problem.text, expected); \
    cr_assert(play.problem.status != WM_OK); \
    wm_problem_clear(&play.problem); \
  } while (0)

Test(qip_lifecycle, updates_events_and_frames)
{
  static struct play play;
  bool is_changed = false;
  begin(&play, "watch", "abc", 100000);
  cr_assert(look(&play).now == 0 && look(&play).size == 3, "the first render is told the input's size");
  struct wm_lifecycle *l = &play.lifecycle;
  GOOD(wm_lifecycle_begin(l, &play.content, &play.problem));
  GOOD(wm_lifecycle_begin_update(l, 1, &play.problem));
  GOOD(wm_lifecycle_finish_update(l, &play.problem));
  cr_assert_not(l->has_wake);
  GOOD(wm_lifecycle_begin_update(l, 17, &play.problem));
  struct wm_value applied;
  struct wm_uniform wake = {text_of("wake"), text_of("200")};
  GOOD(wm_lifecycle_uniform(l, &wake, &applied, &play.problem));
  cr_assert(applied.type == WM_TYPE_I64 && applied.bits[0] == 200);
  GOOD(wm_lifecycle_key(l, WM_KEY_LEFT, WM_KEY_FLAG_DOWN, &is_changed, &play.problem));
  cr_assert(is_changed);
  GOOD(wm_lifecycle_key(l, WM_KEY_RIGHT, 0, &is_changed, &play.problem));
  cr_assert_not(is_changed);
  GOOD(wm_lifecycle_pointer(l, 1, -1, -5, &is_changed, &play.problem));
  cr_assert(is_changed);
  GOOD(wm_lifecycle_finish_update(l, &play.problem));
  cr_assert(l->has_wake && l->wake_ms == 200 && l->updates == 2 && l->now_ms == 17);
  uint64_t before = play.content.outcome.instructions;
  GOOD(wm_lifecycle_render(l, &play.problem));
  uint64_t frame_instructions = play.content.outcome.instructions - before;
  cr_assert(look(&play).now == 17 && look(&play).last == 4 && look(&play).size == 0, "later frames are told 0");
  GOOD(wm_lifecycle_render(l, &play.problem));
  cr_assert(l->frames == 2 && play.content.outcome.instructions == before + 2 * frame_instructions);
  uint32_t counter;
  GOOD(wm_lifecycle_read(l, play.contract.pointer_event + 2, &counter, &play.problem));
  cr_assert(counter == 4 && play.content.outcome.instructions == before + 2 * frame_instructions, "reading does not count");
  end(&play);
}

Test(qip_lifecycle, wrong_orders_are_told)
{
  static struct play play;
  bool is_changed;
  struct wm_value applied;
  struct wm_uniform wake = {text_of("wake"), text_of("5")}, unknown = {text_of("nothing"), text_of("5")};
  struct wm_lifecycle *l = &play.lifecycle;
  begin(&play, "watch", "", 100000);
  GOOD(wm_lifecycle_begin(l, &play.content, &play.problem));
  uint64_t before = play.content.outcome.instructions;
  BAD(wm_lifecycle_finish_update(l, &play.problem), "no update is open");
  BAD(wm_lifecycle_key(l, 1, 1, &is_changed, &play.problem), "an event needs an open update");
  BAD(wm_lifecycle_pointer(l, 1, 1, 1, &is_changed, &play.problem), "an event needs an open update");
  BAD(wm_lifecycle_begin_update(l, 0, &play.problem), "time must rise: 0 ms is not after 0 ms");
  BAD(wm_lifecycle_begin_update(l, -3, &play.problem), "time must rise: -3 ms is not after 0 ms");
  BAD(wm_lifecycle_uniform(l, &unknown, &applied, &play.problem), "unknown uniform \"nothing\"");
  cr_assert(play.content.outcome.instructions == before, "nothing ran");
  GOOD(wm_lifecycle_begin_update(l, 5, &play.problem));
  BAD(wm_lifecycle_begin_update(l, 6, &play.problem), "an update is open already");
  BAD(wm_lifecycle_render(l, &play.problem), "render may not be called while an update is open");
  GOOD(wm_lifecycle_key(l, 1, 1, &is_changed, &play.problem));
  BAD(wm_lifecycle_uniform(l, &wake, &applied, &play.problem), "a uniform may not be set after the update's first event");
  GOOD(wm_lifecycle_finish_update(l, &play.problem));
  GOOD(wm_lifecycle_uniform(l, &wake, &applied, &play.problem)); /* a presentation uniform */
  BAD(wm_lifecycle_begin_update(l, 5, &play.problem), "time must rise: 5 ms is not after 5 ms");
  GOOD(wm_lifecycle_begin_update(l, 6, &play.problem));
  end(&play);
}

Test(qip_lifecycle, the_component_is_at_fault)
{
  static const struct { const char *key, *value; int result; const char *problem; } cases[] = {
    {"wake", "6", WM_CONTENT_VIOLATION, "finish_update asked to wake at 6 ms, before now"},
    {"wake", "-1", WM_CONTENT_VIOLATION, "finish_update asked to wake at -1 ms, before now"},
    {"bad", "1", WM_CONTENT_TRAPPED, "render trapped: unreachable"},
    {"bad", "2", WM_CONTENT_VIOLATION, "render rejected a frame after it had accepted its input"},
    {"bad", "3", WM_CONTENT_EXHAUSTED, "render used up the instruction budget"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    static struct play play;
    struct wm_value applied;
    struct wm_uniform uniform = {text_of(cases[i].key), text_of(cases[i].value)};
    struct wm_lifecycle *l = &play.lifecycle;
    begin(&play, "watch", "", 1000);
    GOOD(wm_lifecycle_begin(l, &play.content, &play.problem));
    GOOD(wm_lifecycle_begin_update(l, 7, &play.problem));
    GOOD(wm_lifecycle_uniform(l, &uniform, &applied, &play.problem));
    bool is_finished = wm_lifecycle_finish_update(l, &play.problem);
    cr_assert_not(is_finished && wm_lifecycle_render(l, &play.problem), "case %zu", i);
    cr_assert_str_eq(play.problem.text, cases[i].problem);
    cr_assert(play.content.outcome.result == cases[i].result);
    BAD(wm_lifecycle_render(l, &play.problem), is_finished ? "the component has stopped: nothing can follow" : "render may not be called while an update is open");
    end(&play);
  }
}

Test(qip_lifecycle, event_handlers_return_0_or_1)
{
  static struct play play;
  bool is_changed;
  struct wm_lifecycle *l = &play.lifecycle;
  begin(&play, "watch", "", 1000);
  GOOD(wm_lifecycle_begin(l, &play.content, &play.problem));
  GOOD(wm_lifecycle_begin_update(l, 7, &play.problem));
  BAD(wm_lifecycle_pointer(l, 2, 0, 0, &is_changed, &play.problem), "an event handler must return 0 or 1, not 2");
  cr_assert(play.content.outcome.result == WM_CONTENT_VIOLATION);
  end(&play);
}

Test(qip_lifecycle, components_with_less)
{
  static struct play play;
  bool is_changed;
  struct wm_lifecycle *l = &play.lifecycle;
  begin(&play, "no events", "", 1000);
  GOOD(wm_lifecycle_begin(l, &play.content, &play.problem));
  GOOD(wm_lifecycle_begin_update(l, 1, &play.problem));
  BAD(wm_lifecycle_key(l, 1, 1, &is_changed, &play.problem), "key_event is not exported");
  BAD(wm_lifecycle_pointer(l, 1, 1, 1, &is_changed, &play.problem), "pointer_event is not exported");
  GOOD(wm_lifecycle_finish_update(l, &play.problem));
  end(&play);
  begin(&play, "still", "", 1000);
  GOOD(wm_lifecycle_begin(l, &play.content, &play.problem));
  GOOD(wm_lifecycle_render(l, &play.problem));
  BAD(wm_lifecycle_begin_update(l, 1, &play.problem), "begin_update_at and finish_update are not exported: the component has no updates");
  end(&play);
  begin(&play, "v2", "", 1000);
  BAD(wm_lifecycle_begin(l, &play.content, &play.problem), "only components of contract V3 can be rendered again");
  end(&play);
}
