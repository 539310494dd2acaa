/* Reading contracts: every case of tests/qip/contract.cases gives exactly its text, problem or summary. */
#include "tests/qip/support.h"

#include "qip_contract_cases.h"

static size_t describe_getter(char *out, size_t room, const struct wm_getter *getter)
{
  return (size_t)(getter->is_known ? snprintf(out, room, "%u", getter->value) : snprintf(out, room, "?"));
}

static void describe(const struct wm_contract *contract, char *out, size_t room)
{
  static const char types[] = "FfIi"; /* from 0x7c up */
  size_t at = (size_t)snprintf(out, room, "V%d %s ", contract->version, wm_encoding_name(contract->input_encoding));
  if (contract->is_generator) {
    at += (size_t)snprintf(out + at, room - at, "generator");
  } else {
    at += describe_getter(out + at, room - at, &contract->input_ptr);
    at += (size_t)snprintf(out + at, room - at, "+");
    at += describe_getter(out + at, room - at, &contract->input_cap);
  }
  at += (size_t)snprintf(out + at, room - at, " %s", wm_encoding_name(contract->output_encoding));
  if (contract->output_cap.is_present) {
    at += (size_t)snprintf(out + at, room - at, " ");
    at += describe_getter(out + at, room - at, &contract->output_cap);
  }
  if (contract->failure_modes.is_present)
    at += (size_t)snprintf(out + at, room - at, " modes %u", contract->failure_modes.value);
  struct wm_problem visible; /* for its escapes */
  wm_problem_clear(&visible);
  if (contract->input_type.text.length > 0) {
    wm_problem_text(&visible, " from ");
    wm_problem_bytes(&visible, contract->input_type.text.bytes, contract->input_type.text.length);
  }
  if (contract->output_type.text.length > 0) {
    wm_problem_text(&visible, " to ");
    wm_problem_bytes(&visible, contract->output_type.text.bytes, contract->output_type.text.length);
  }
  at += (size_t)snprintf(out + at, room - at, "%s", visible.text);
  if (contract->commit != WM_NO_INDEX)
    at += (size_t)snprintf(out + at, room - at, " commit");
  if (contract->uniform_count > 0)
    at += (size_t)snprintf(out + at, room - at, " uniforms");
  for (uint32_t i = 0; i < contract->uniform_count; i++) {
    const struct wm_contract_uniform *uniform = &contract->uniforms[i];
    at += (size_t)snprintf(out + at, room - at, " %.*s:", (int)uniform->key.length, uniform->key.bytes);
    char letter = uniform->type == 0 ? '?' : types[uniform->type - WM_TYPE_F64];
    at += (size_t)(letter == '?' ? snprintf(out + at, room - at, "?")
                                 : snprintf(out + at, room - at, "%c%s", letter | 32, letter & 32 ? "32" : "64"));
  }
  if (contract->is_interactive)
    at += (size_t)snprintf(out + at, room - at, " interactive");
  if (contract->key_event != WM_NO_INDEX)
    at += (size_t)snprintf(out + at, room - at, " key");
  if (contract->pointer_event != WM_NO_INDEX)
    snprintf(out + at, room - at, " pointer");
}

Test(qip_contract, every_case_reads_as_listed)
{
  for (size_t i = 0; i < sizeof module_cases / sizeof *module_cases; i++) {
    const struct module_case *module_case = &module_cases[i];
    struct bench bench;
    struct wm_contract contract;
    struct wm_problem problem;
    char summary[1024];
    wm_problem_clear(&problem);
    bench_open(&bench, module_case->bytes, module_case->length, module_case->name);
    bool is_read = wm_contract_read(&contract, &bench.module, 0, &bench.arena, &problem);
    if (is_read)
      describe(&contract, summary, sizeof summary);
    else
      snprintf(summary, sizeof summary, "%s", problem.text);
    cr_assert(is_read ? problem.status == WM_OK : problem.status == WM_CONTRACT, "%s", module_case->name);
    cr_assert(strcmp(summary, module_case->expected) == 0, "%s:\n  %s\nnot\n  %s", module_case->name, summary, module_case->expected);
    bench_close(&bench);
  }
}

static const struct module_case *find_case(const char *name)
{
  for (size_t i = 0; i < sizeof module_cases / sizeof *module_cases; i++)
    if (strcmp(module_cases[i].name, name) == 0)
      return &module_cases[i];
  cr_assert(false, "no case %s", name);
  return NULL;
}

Test(qip_contract, commands_may_let_more_through)
{
  static const struct { const char *name; uint32_t flags; bool is_read; } cases[] = {
    {"start function", WM_CONTRACT_ALLOW_START, true},       {"start function", WM_CONTRACT_ALLOW_IMPORTS, false},
    {"imported function", WM_CONTRACT_ALLOW_START, false},   {"imported memory", WM_CONTRACT_ALLOW_IMPORTS, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct module_case *module_case = find_case(cases[i].name);
    struct bench bench;
    struct wm_contract contract;
    struct wm_problem problem;
    wm_problem_clear(&problem);
    bench_open(&bench, module_case->bytes, module_case->length, module_case->name);
    cr_assert(wm_contract_read(&contract, &bench.module, cases[i].flags, &bench.arena, &problem) == cases[i].is_read, "%s: %s", cases[i].name,
              problem.text);
    bench_close(&bench);
  }
}

/* Every arena too small gives WM_NO_SPACE, never anything else. */
Test(qip_contract, running_out_of_arena_is_an_ordinary_result)
{
  static const char *const names[] = {"v3 uniforms", "v3 content types", "v3 getters by immutable globals"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const struct module_case *module_case = find_case(names[i]);
    struct bench bench;
    bench_open(&bench, module_case->bytes, module_case->length, module_case->name);
    bool is_read = false;
    for (size_t size = 0; !is_read; size += 16) {
      struct wm_arena small = {aligned_alloc(16, size + 16), 0, size};
      struct wm_contract contract;
      struct wm_problem problem;
      wm_problem_clear(&problem);
      is_read = wm_contract_read(&contract, &bench.module, 0, &small, &problem);
      cr_assert(is_read || problem.status == WM_NO_SPACE, "%s with %zu bytes: %s", names[i], size, problem.text);
      free(small.base);
      cr_assert(size < 100000);
    }
    bench_close(&bench);
  }
}
