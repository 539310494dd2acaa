/* One render: every way it can end, exact instruction totals, budgets to the instruction, slices, stop points, taps and regions. */
#include "tests/qip/support.h"

#include "qip/content.h"

#include "qip_content_cases.h"

struct render {
  struct bench bench;
  struct wm_contract contract;
  struct wm_content content;
  struct wm_uniform uniforms[8];
  struct wm_content_setup setup;
};

static const struct module_case *find_case(const char *name)
{
  for (size_t i = 0; i < sizeof module_cases / sizeof *module_cases; i++)
    if (strcmp(module_cases[i].name, name) == 0)
      return &module_cases[i];
  cr_assert(false, "no case %s", name);
  return NULL;
}

/* Decodes and reads the contract. `uniforms` is "key=value key=value". */
static void prepare(struct render *render, const char *name, const void *input, size_t length, const char *uniforms, uint64_t budget)
{
  const struct module_case *module_case = find_case(name);
  struct wm_problem problem;
  uint32_t flags = WM_CONTRACT_ALLOW_START | WM_CONTRACT_ALLOW_IMPORTS;
  wm_problem_clear(&problem);
  memset(render, 0, sizeof *render);
  bench_open(&render->bench, module_case->bytes, module_case->length, name);
  cr_assert(wm_contract_read(&render->contract, &render->bench.module, flags, &render->bench.arena, &problem), "%s: %s", name, problem.text);
  uint32_t count = 0;
  while (uniforms != NULL && *uniforms) {
    size_t span = strcspn(uniforms, " ");
    cr_assert(wm_uniform_split((struct wm_text){uniforms, (uint32_t)span}, &render->uniforms[count++], &problem));
    uniforms += span + (uniforms[span] != 0);
  }
  cr_assert(wm_uniforms_sort(render->uniforms, count, &problem), "%s", problem.text);
  render->setup = (struct wm_content_setup){
    .store = render->bench.store, .limits = &render->bench.limits, .module = &render->bench.module, .contract = &render->contract,
    .input = input, .input_length = length, .check_input_utf8 = true, .uniforms = render->uniforms, .uniform_count = count,
    .budget = budget, .arena = &render->bench.arena};
}

static void end(struct render *render)
{
  wm_content_close(&render->content);
  bench_close(&render->bench);
}

/* "accepted OUTPUT", "rejected TEXT", "trapped EXPORT TRAP", "exhausted EXPORT", "violation TEXT", "refused TEXT". */
static const char *summary(const struct render *render)
{
  static char text[512];
  const struct wm_content_outcome *outcome = wm_content_outcome(&render->content);
  const char *problem = outcome->problem.text;
  int name_length = (int)outcome->export_name.length;
  const char *name = outcome->export_name.bytes;
  uint64_t length;
  const uint8_t *output = wm_content_output(&render->content, &length);
  switch (outcome->result) {
  case WM_CONTENT_ACCEPTED:
    snprintf(text, sizeof text, "accepted %.*s", (int)length, output ? (const char *)output : "");
    break;
  case WM_CONTENT_REJECTED:
    snprintf(text, sizeof text, "%s", problem);
    break;
  case WM_CONTENT_TRAPPED:
    snprintf(text, sizeof text, "trapped %.*s %s", name_length, name, wm_trap_text(outcome->trap));
    break;
  case WM_CONTENT_EXHAUSTED:
    snprintf(text, sizeof text, "exhausted %.*s", name_length, name);
    break;
  case WM_CONTENT_VIOLATION:
    snprintf(text, sizeof text, "violation %s", problem);
    break;
  case WM_CONTENT_REFUSED:
    snprintf(text, sizeof text, "refused %s", problem);
    break;
  default:
    snprintf(text, sizeof text, "result %d %s", outcome->result, problem);
  }
  return text;
}

static void run(struct render *render)
{
  if (wm_content_open(&render->content, &render->setup))
    wm_content_finish(&render->content);
  cr_assert(render->content.phase == WM_CONTENT_FINISHED);
}

/* ---- Outcomes --------------------------------------------------------------------------------------------------- */

Test(qip_content, every_way_to_end)
{
  static const struct { const char *name, *input, *uniforms; uint64_t budget; const char *expected; uint64_t instructions; } cases[] = {
    {"echo", "hello", "", 1000, "accepted hello", 5},
    {"echo", "", "", 1000, "accepted ", 5},
    {"echo", "0123456789abcdef", "", 1000, "accepted 0123456789abcdef", 5},
    {"echo", "0123456789abcdefg", "", 1000, "refused input is too large (17 bytes > 16 bytes input capacity)", 0},
    {"echo", "abc\xc3", "", 1000, "refused expected UTF-8 input, got invalid UTF-8 at input offset 3", 0},
    {"echo utf8", "abc\xc3", "", 1000, "violation render returned invalid UTF-8 at output offset 3", 5},
    {"echo", "a", "x=1", 1000, "refused unknown uniform \"x\"", 0},
    {"generator", "", "", 1000, "accepted made", 5},
    {"generator", "a", "", 1000, "refused the component takes no input (1 bytes given)", 0},
    {"copy", "hello", "", 1000, "accepted hello", 9},
    {"shout", "hello", "", 1000, "violation render returned output [1024, 1029) in the input buffer that is no unchanged piece of the input", 8},
    {"shout", "!ello", "", 1000, "accepted !ello", 8},
    {"traps", "", "", 1000, "trapped render unreachable", 2},
    {"traps", "", "", 2, "trapped render unreachable", 2},
    {"traps", "", "", 1, "exhausted render", 1},
    {"traps", "", "", 0, "exhausted render", 0},
    {"data out of bounds", "", "", 1000, "trapped instantiation out of bounds memory access", 0},
    {"uniforms", "", "limit=300 wide=-1", 1000, "accepted d\xff", 0},
    {"uniforms", "", "limit=-3", 1000, "refused uniform \"limit\": \"-3\" is no value of type i32", 0},
    {"uniforms", "", "half=", 1000, "refused uniform \"half\": \"\" is no value of type f32", 0},
    {"uniforms", "", "odd=1", 1000, "violation uniform_set_odd must take one i32, i64, f32 or f64 and return the same type", 0},
    {"uniforms", "", "limit=3 trap=3", 1000, "trapped uniform_set_trap unreachable", 11},
    {"uniforms", "", "limit=3 trap=3", 10, "exhausted uniform_set_trap", 10},
    {"uniforms", "", "limit=3", 10, "exhausted render", 10},
    {"loop", "abc", "rounds=2", 1000, "accepted abc", 0},
    {"v2 word", "\5", "", 1000, "accepted 01234", 3}, /* the rest of the word is zero */
    {"v2 endless getter", "", "", 1000, "exhausted input_ptr", 0},
    {"v2 traps in commit", "", "", 1000, "trapped commit unreachable", 3},
    {"v2 types", "", "", 1000, "accepted ", 3},
    {"v2 bad types", "", "", 1000, "violation output_content_type_ptr: [131072, 131075) is not within memory", 0},
    {"v2 input outside memory", "", "", 1000, "violation input_ptr: the input buffer [131070, 131086) is not within the initial memory of 131072 bytes", 0},
    {"v2 word", "01234567890123456", "", 1000, "refused input is too large (17 bytes > 16 bytes input capacity)", 0},
    {"v1 items", "abc", "", 1000, "accepted 0123456789ab", 2},
    {"v1 items", "abcd", "", 1000, "accepted 0123456789abcdef", 2},
    {"v1 items", "abcde", "", 1000, "violation run returned 5 items, more than output_i32_cap: 4", 2},
    {"v1 items", "", "", 1000, "accepted ", 2},
    {"v1 moving output", "text", "", 1000, "accepted text", 4},
    {"v1 number", "ab", "", 1000, "accepted ", 4},
    {"start", "", "", 1000, "accepted s", 2},
    {"start", "", "", 3, "exhausted start function", 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    static struct render render;
    size_t length = strlen(cases[i].input);
    prepare(&render, cases[i].name, cases[i].input, length, cases[i].uniforms, cases[i].budget);
    run(&render);
    cr_assert(strcmp(summary(&render), cases[i].expected) == 0 ||
              (cases[i].instructions == 0 && strncmp(summary(&render), cases[i].expected, strlen(cases[i].expected)) == 0),
              "case %zu %s:\n  %s\nnot\n  %s", i, cases[i].name, summary(&render), cases[i].expected);
    if (cases[i].instructions > 0)
      cr_assert(render.content.outcome.instructions == cases[i].instructions, "case %zu %s: %llu instructions", i, cases[i].name,
                (unsigned long long)render.content.outcome.instructions);
    end(&render);
  }
}

/* render's word comes from the input, so every kind of word can be judged. */
Test(qip_content, result_words)
{
  const uint64_t rejection = (uint64_t)1 << 63;
  static const char long_utf8[] = "word utf8";
  const struct { const char *name; uint64_t word; const char *expected; } cases[] = {
    {"word", 0, "accepted "},
    {"word", (uint64_t)1 << 62, "violation render returned output [1073741824, 1073741824) outside its memory of 131072 bytes"},
    {"word", (uint64_t)131072 << 32, "accepted "},
    {"word", (uint64_t)131073 << 32, "violation render returned output [131073, 131073) outside its memory of 131072 bytes"},
    {"word", (uint64_t)131062 << 32 | 10, "accepted "},
    {"word", (uint64_t)131063 << 32 | 10, "violation render returned output [131063, 131073) outside its memory of 131072 bytes"},
    {"word", (uint64_t)4096 << 32 | 17, "violation render returned 17 bytes, more than output_bytes_cap: 16"},
    {"word", UINT32_MAX, "violation render returned 4294967295 bytes, more than output_bytes_cap: 16"},
    {"word", (uint64_t)1008 << 32 | 16, "accepted "},
    {"word", (uint64_t)1009 << 32 | 16, "violation render returned output [1009, 1025) in the input buffer that is no unchanged piece of the input"},
    {"word", (uint64_t)1040 << 32 | 1, "accepted "},
    {"word", (uint64_t)1039 << 32 | 1, "violation render returned output [1039, 1040) in the input buffer that is no unchanged piece of the input"},
    {"word", (uint64_t)1032 << 32 | 1, "violation render returned output [1032, 1033) in the input buffer that is no unchanged piece of the input"},
    {"word", (uint64_t)1039 << 32, "accepted "},
    {long_utf8, (uint64_t)5000 << 32 | 5, "accepted ok \xc3\xa4"},
    {long_utf8, (uint64_t)5000 << 32 | 4, "violation render returned invalid UTF-8 at output offset 3"},
    {long_utf8, (uint64_t)5000 << 32 | 7, "violation render returned invalid UTF-8 at output offset 6"},
    {"word", rejection, "violation render rejected its input, but failure_modes_per_input_offset is not exported"},
    {"word with no modes", rejection, "rejected input"},
    {"word with no modes", rejection | 1, "violation render rejected its input with detail 1, but failure_modes_per_input_offset is 0"},
    {"word with no modes", rejection | (uint64_t)1 << 32, "violation render set reserved bits (62 to 32) in a rejection"},
    {"word with one mode", rejection | (uint64_t)1 << 62 | 1, "violation render set reserved bits (62 to 32) in a rejection"},
    {"word with one mode", rejection, "rejected input at input offset 0"},
    {"word with one mode", rejection | 8, "rejected input at input offset 8"},
    {"word with one mode", rejection | 9, "violation render rejected its input at offset 9, beyond its 8 bytes"},
    {"word with three modes", rejection | 7, "rejected input at input offset 2 with mode 1"},
    {"word with three modes", rejection | 24, "rejected input at input offset 8 with mode 0"},
    {"word with three modes", rejection | 26, "rejected input at input offset 8 with mode 2"},
    {"word with three modes", rejection | 27, "violation render rejected its input at offset 9, beyond its 8 bytes"},
    {"word with three modes", (uint64_t)4096 << 32, "accepted "},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    static struct render render;
    prepare(&render, cases[i].name, &cases[i].word, sizeof cases[i].word, "", 3);
    run(&render);
    const char *got = summary(&render);
    bool is_equal = strncmp(cases[i].expected, "accepted ", 10) == 0 ? strncmp(got, cases[i].expected, 9) == 0 : strcmp(got, cases[i].expected) == 0;
    cr_assert(is_equal, "case %zu:\n  %s\nnot\n  %s", i, got, cases[i].expected);
    cr_assert(render.content.outcome.word == cases[i].word && render.content.outcome.instructions == 3);
    end(&render);
  }
}

Test(qip_content, verdicts_of_commit)
{
  const uint64_t error = (uint64_t)1 << 63, input = (uint64_t)1 << 62;
  const struct { const char *name; uint64_t size, verdict; const char *expected; } cases[] = {
    {"v2 commit", 5, 0, "accepted 01234"},
    {"v2 commit", 5, input | 16, "accepted 01234"}, /* bytes consumed: no error */
    {"v2 commit", 5, error, "rejected input"},
    {"v2 commit", 5, error | 3, "rejected input"},
    {"v2 commit", 5, error | input | 3, "rejected input at input offset 3"},
    {"v2 commit", 5, error | input | 16, "rejected input at input offset 16"},
    {"v2 commit", 5, error | input | 17, "violation commit rejected the input at offset 17, beyond its 16 bytes"},
    {"v2 commit", 17, 0, "violation render returned 17 bytes, more than output_bytes_cap: 16"},
    {"v2 commit", UINT64_MAX, 0, "violation render returned 4294967295 bytes, more than output_bytes_cap: 16"},
    {"v2 commit", 17, error, "rejected input"},
    {"v2 word", 5, 0, "accepted 01234"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    static struct render render;
    uint64_t words[] = {cases[i].size, cases[i].verdict};
    prepare(&render, cases[i].name, words, sizeof words, "", 1000);
    run(&render);
    cr_assert(strcmp(summary(&render), cases[i].expected) == 0, "case %zu: %s not %s", i, summary(&render), cases[i].expected);
    cr_assert(render.content.outcome.instructions == 3, "commit does not count");
    end(&render);
  }
}

Test(qip_content, uniforms_are_set_in_order_and_told_back)
{
  static struct render render;
  prepare(&render, "uniforms", NULL, 0, "whole=-0.1 limit=300 half=1e39 wide=0xffffffffffffff41", 1000);
  run(&render);
  static const uint8_t expected[] = {100, 0x41, 0, 0, 0x80, 0x7f, 0x9a, 0x99, 0x99, 0x99, 0x99, 0x99, 0xb9, 0xbf};
  uint64_t length;
  const uint8_t *output = wm_content_output(&render.content, &length);
  cr_assert(length == sizeof expected && memcmp(output, expected, length) == 0);
  static const char *const keys[] = {"half", "limit", "whole", "wide"};
  cr_assert(render.content.setter_count == 4);
  /* Bytewise: "whole" before "wide". */
  cr_assert(wm_text_equal(render.content.setters[0].uniform->key, text_of(keys[0])));
  cr_assert(wm_text_equal(render.content.setters[1].uniform->key, text_of(keys[1])));
  cr_assert(wm_text_equal(render.content.setters[2].uniform->key, text_of(keys[2])));
  cr_assert(wm_text_equal(render.content.setters[3].uniform->key, text_of(keys[3])));
  cr_assert(render.content.setters[1].value.bits[0] == 300 && render.content.setters[1].applied.bits[0] == 100);
  end(&render);
}

/* ---- Budgets ---------------------------------------------------------------------------------------------------- */

Test(qip_content, budgets_are_exact)
{
  static const struct { const char *name, *input, *uniforms; uint64_t uncounted; } cases[] = {
    {"loop", "abcdefgh", "rounds=5", 0}, {"loop", "", "", 0}, {"uniforms", "", "half=1 limit=1000 whole=3", 0}, {"v2 computing", "", "", 17}, {"v1 items", "ab", "", 6},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    static struct render render;
    size_t length = strlen(cases[i].input);
    prepare(&render, cases[i].name, cases[i].input, length, cases[i].uniforms, 100000);
    run(&render);
    uint64_t counted = render.content.outcome.instructions, total = 100000 - render.content.outcome.budget_left;
    cr_assert(render.content.outcome.result == WM_CONTENT_ACCEPTED, "%s: %s", cases[i].name, summary(&render));
    cr_assert(total == counted + cases[i].uncounted, "%s: %llu of %llu", cases[i].name, (unsigned long long)counted, (unsigned long long)total);
    end(&render);
    for (uint64_t budget = 0; budget <= total; budget++) {
      prepare(&render, cases[i].name, cases[i].input, length, cases[i].uniforms, budget);
      run(&render);
      bool is_enough = budget == total;
      cr_assert(render.content.outcome.result == (is_enough ? WM_CONTENT_ACCEPTED : WM_CONTENT_EXHAUSTED), "%s with %llu: %s", cases[i].name,
                (unsigned long long)budget, summary(&render));
      cr_assert(render.content.outcome.budget_left == 0 && render.content.outcome.instructions <= budget);
      cr_assert(is_enough || cases[i].uncounted > 0 || render.content.outcome.instructions == budget);
      end(&render);
    }
  }
}

Test(qip_content, slices_of_every_size_end_alike)
{
  static struct render whole, sliced;
  prepare(&whole, "loop", "abcdefgh", 8, "rounds=7", 1000);
  run(&whole);
  for (uint64_t slice = 1; slice < 40; slice++) {
    prepare(&sliced, "loop", "abcdefgh", 8, "rounds=7", 1000);
    cr_assert(wm_content_open(&sliced.content, &sliced.setup));
    uint64_t pauses = 0;
    while (wm_content_resume(&sliced.content, slice, 0)) {
      pauses++;
      cr_assert(sliced.content.outcome.instructions == pauses * slice);
    }
    cr_assert(pauses == (whole.content.outcome.instructions - 1) / slice, "slice %llu: %llu pauses", (unsigned long long)slice, (unsigned long long)pauses);
    cr_assert(sliced.content.outcome.instructions == whole.content.outcome.instructions);
    cr_assert(sliced.content.outcome.budget_left == whole.content.outcome.budget_left);
    cr_assert(sliced.content.outcome.peak_frames == whole.content.outcome.peak_frames && whole.content.outcome.peak_frames == 2);
    struct wm_memory_bytes a = wm_instance_memory(whole.content.instance, 0), b = wm_instance_memory(sliced.content.instance, 0);
    cr_assert(a.length == b.length && memcmp(a.base, b.base, a.length) == 0);
    end(&sliced);
  }
  end(&whole);
}

Test(qip_content, stops_before_setters_and_render)
{
  static struct render render;
  prepare(&render, "uniforms", NULL, 0, "limit=3 wide=4", 1000);
  cr_assert(wm_content_open(&render.content, &render.setup));
  uint32_t stops = WM_CONTENT_STOP_SETTER | WM_CONTENT_STOP_RENDER;
  static const char *const names[] = {"uniform_set_limit", "uniform_set_wide", "render"};
  static const uint64_t before[] = {0, 10, 15};
  for (int i = 0; i < 3; i++) {
    /* No instruction is needed to get to the first stop. */
    cr_assert(wm_content_resume(&render.content, i == 0 ? 0 : UINT64_MAX, stops));
    cr_assert(wm_text_equal(wm_content_export_name(&render.content), text_of(names[i])), "stop %d", i);
    struct wm_run_status status = wm_run_look(render.content.run);
    cr_assert(status.state == WM_RUN_PAUSED && status.depth == 1 && status.instructions == before[i], "stop %d: %llu", i,
              (unsigned long long)status.instructions);
    cr_assert(render.content.phase == (i < 2 ? WM_CONTENT_SETTER : WM_CONTENT_RENDER));
  }
  cr_assert(wm_content_resume(&render.content, 0, stops), "nothing may run");
  cr_assert(wm_content_resume(&render.content, 1, stops));
  cr_assert_not(wm_content_resume(&render.content, 1, stops));
  cr_assert(render.content.outcome.instructions == 17 && render.content.outcome.result == WM_CONTENT_ACCEPTED);
  end(&render);
}

/* ---- What sinks see --------------------------------------------------------------------------------------------- */

struct seen { uint64_t events[WM_EVENT_KINDS]; uint32_t outermost; };

static void see(void *user, const struct wm_event *batch, uint32_t count)
{
  struct seen *seen = user;
  for (uint32_t i = 0; i < count; i++) {
    seen->events[batch[i].kind]++;
    seen->outermost += batch[i].kind == WM_EVENT_CALL && (batch[i].flags & WM_FLAG_OUTERMOST);
  }
}

Test(qip_content, taps_see_setters_and_render_only)
{
  static struct render render;
  struct seen seen = {{0}, 0};
  struct wm_tap tap = {.wants = (1u << WM_EVENT_KINDS) - 1, .deliver = see, .user = &seen};
  prepare(&render, "v2 computing", "", 0, "", 1000);
  cr_assert(wm_content_open(&render.content, &render.setup));
  wm_content_set_tap(&render.content, &tap);
  wm_content_finish(&render.content);
  cr_assert(render.content.outcome.result == WM_CONTENT_ACCEPTED, "%s", summary(&render));
  cr_assert(seen.events[WM_EVENT_LOAD] == 1 && seen.events[WM_EVENT_STORE] == 0 && seen.outermost == 1);
  end(&render);

  memset(&seen, 0, sizeof seen);
  prepare(&render, "loop", "abc", 3, "rounds=4", 1000);
  cr_assert(wm_content_open(&render.content, &render.setup));
  wm_content_set_tap(&render.content, &tap);
  wm_content_finish(&render.content);
  cr_assert(seen.outermost == 2 && seen.events[WM_EVENT_CALL] == 2 + 4 + 3 && seen.events[WM_EVENT_STORE] == 3);
  cr_assert(seen.events[WM_EVENT_SET_GLOBAL0] == 4 && seen.events[WM_EVENT_RETURN] == 9);
  end(&render);
}

static bool is_region(const struct wm_region *region, uint8_t kind, uint64_t address, uint64_t length)
{
  return region->kind == kind && region->memory == 0 && region->address == address && region->length == length;
}

Test(qip_content, regions_and_copies)
{
  static struct render render;
  struct wm_view view;
  prepare(&render, "copy", "hey", 3, "", 1000);
  cr_assert(wm_content_open(&render.content, &render.setup));
  wm_content_view(&render.content, &view);
  cr_assert(view.region_count == 3 && view.initialized_count == 3);
  cr_assert(is_region(&view.regions[0], WM_REGION_DATA, 2048, 3) && is_region(&view.regions[1], WM_REGION_DATA, 2049, 1));
  cr_assert(is_region(&view.regions[2], WM_REGION_INPUT, 1024, 16));
  cr_assert(is_region(&view.initialized[0], WM_REGION_DATA, 2048, 3) && is_region(&view.initialized[1], WM_REGION_DATA, 2049, 1));
  cr_assert(is_region(&view.initialized[2], WM_REGION_INPUT, 1024, 3));
  cr_assert(view.memory_count == 1 && view.memory(&view, 0).length == 131072 && view.memory(&view, 0).limit == 131072 && !view.has_global0);
  cr_assert(view.function_count == render.bench.module.func_count && view.imported_function_count == 0);
  wm_content_finish(&render.content);
  wm_content_view(&render.content, &view);
  cr_assert(view.region_count == 4 && is_region(&view.regions[3], WM_REGION_OUTPUT, 4096, 3));
  end(&render);

  prepare(&render, "echo", "", 0, "", 1000);
  run(&render);
  wm_content_view(&render.content, &view);
  cr_assert(view.region_count == 1 && view.initialized_count == 0, "no bytes were copied, and there is no output");
  end(&render);

  prepare(&render, "loop", "", 0, "rounds=3", 1000);
  run(&render);
  wm_content_view(&render.content, &view);
  cr_assert(view.has_global0 && view.global0_initial == 65536);
  end(&render);
}

/* ---- Around it -------------------------------------------------------------------------------------------------- */

static enum wm_trap answer(void *user, struct wm_store *store, const struct wm_value *args, struct wm_value *results)
{
  (void)store;
  if (user == NULL)
    return WM_TRAP_HOST;
  results[0] = (struct wm_value){WM_TYPE_I32, {args[0].bits[0] + 1, 0}};
  return WM_TRAP_NONE;
}

Test(qip_content, imports_are_the_callers)
{
  static struct render render;
  for (int fails = 0; fails < 2; fails++) {
    prepare(&render, "import", NULL, 0, "", 1000);
    struct wm_extern import;
    cr_assert(wm_store_add_function(render.bench.store, render.bench.module.funcs[0].type, answer, fails ? NULL : &render, &import));
    render.setup.imports = &import;
    run(&render);
    cr_assert_str_eq(summary(&render), fails ? "trapped render host function failed" : "accepted *");
    end(&render);
  }
  prepare(&render, "import", NULL, 0, "", 1000);
  struct wm_extern unknown = {WM_EXTERN_FUNC, NULL};
  render.setup.imports = &unknown;
  run(&render);
  cr_assert_str_eq(summary(&render), "violation unknown import");
  end(&render);
}

Test(qip_content, later_stages_trust_the_encoding)
{
  static struct render render;
  prepare(&render, "echo", "\xff", 1, "", 1000);
  render.setup.check_input_utf8 = false;
  run(&render);
  cr_assert_str_eq(summary(&render), "accepted \xff");
  end(&render);
}

Test(qip_content, a_trap_says_where)
{
  static struct render render;
  prepare(&render, "traps", "", 0, "", 1000);
  run(&render);
  const struct wm_content_outcome *outcome = wm_content_outcome(&render.content);
  uint32_t inner = render.contract.entry - 1;
  cr_assert(outcome->function == inner && outcome->phase == WM_CONTENT_RENDER);
  cr_assert(outcome->offset == render.bench.module.funcs[inner].code_offset);
  end(&render);
}

Test(qip_content, getters_of_v2_are_known_after_opening)
{
  static struct render render;
  prepare(&render, "v2 types", "", 0, "", 1000);
  cr_assert_not(render.contract.output_type.pointer.is_known);
  run(&render);
  cr_assert(wm_text_equal(render.contract.output_type.text, text_of("a/b")));
  end(&render);
}

/* An arena too small at any point ends as NO_MEMORY. */
Test(qip_content, running_out_of_arena_is_an_ordinary_result)
{
  static struct render render;
  bool is_done = false;
  for (size_t size = 0; !is_done; size += 64) {
    prepare(&render, "uniforms", NULL, 0, "limit=3 wide=4", 1000);
    struct wm_arena small = {aligned_alloc(64, size + 64), 0, size};
    render.setup.arena = &small;
    run(&render);
    is_done = render.content.outcome.result == WM_CONTENT_ACCEPTED;
    cr_assert(is_done || render.content.outcome.result == WM_CONTENT_NO_MEMORY, "%zu bytes: %s", size, summary(&render));
    end(&render);
    free(small.base);
    cr_assert(size < 100000);
  }
}
