/* Content types, and which stages fit together. Contracts are made by hand: only the members that planning reads. */
#include <criterion/criterion.h>
#include <string.h>

#include "qip/pipeline.h"

static struct wm_text text(const char *string)
{
  return (struct wm_text){string, (uint32_t)strlen(string)};
}

Test(qip_pipeline, content_type_grammar)
{
  static const char *const good[] = {"text/html", "image/svg+xml", "a/b", "application/vnd.ms-excel", "image/ktx2;vkFormat=43;colorPrimaries=1",
                                     "multipart/form-data;boundary=uuid-00000000-0000-0000-0000-000000000000", "a/b;X=Y"};
  static const char *const bad[] = {"", "text", "text/", "/html", "Text/html", "text/html ", "text /html", "text/*", "*/*", "text/html,text/plain", "text/a/b",
                                    "text/html;", "text/html;a", "text/html;=b", "text/html;a=", "text/html; a=b", "text/html;a=b;", "text/html;a=\"b\"",
                                    "text/html;a=b c", "text/html;a=b,c"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    cr_assert(wm_content_type_is_valid(text(good[i])), "%s", good[i]);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    cr_assert_not(wm_content_type_is_valid(text(bad[i])), "%s", bad[i]);
}

Test(qip_pipeline, parameters_count_where_both_declare_them)
{
  static const struct { const char *given, *wanted; bool matches; } cases[] = {
    {"text/html", "text/html", true}, {"text/html", "text/htm", false}, {"text/htm", "text/html", false}, {"a/b;x=1", "a/b", true},
    {"a/b", "a/b;x=1", true}, {"a/b;x=1", "a/b;x=1", true}, {"a/b;x=1", "a/b;x=2", false}, {"a/b;X=1", "a/b;x=1", true},
    {"a/b;X=1", "a/b;x=2", false}, {"a/b;x=a", "a/b;x=A", false}, {"a/b;x=1;y=2", "a/b;z=3;y=2", true}, {"a/b;x=1;y=2", "a/b;y=3;x=1", false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    cr_assert(wm_content_type_matches(text(cases[i].given), text(cases[i].wanted)) == cases[i].matches, "%s for %s", cases[i].given, cases[i].wanted);
}

/* ENCODING-IN ENCODING-OUT: '-' none, 'b' bytes, 'u' utf8, 'i' i32. */
struct plan_stage { char in, out; const char *in_type, *out_type; };

static uint8_t encoding_of(char letter)
{
  return letter == 'b' ? WM_ENCODING_BYTES : letter == 'u' ? WM_ENCODING_UTF8 : letter == 'i' ? WM_ENCODING_I32 : WM_ENCODING_NONE;
}

Test(qip_pipeline, plans)
{
  static const struct { const char *input; uint32_t count; struct plan_stage stages[3]; const char *problem; } cases[] = {
    {"", 1, {{'u', 'u', "", ""}}, NULL},
    {"", 1, {{'u', 'u', "text/markdown", "text/html"}}, NULL}, /* the first may take an untracked type */
    {"text/html", 1, {{'u', 'u', "text/markdown", "text/html"}}, "step 1 1.wasm gets text/html, it takes text/markdown"},
    {"text/markdown;v=1", 1, {{'u', 'u', "text/markdown", ""}}, NULL},
    {"", 2, {{'u', 'u', "text/markdown", "text/html"}, {'u', 'u', "text/html", ""}}, NULL},
    {"", 2, {{'u', 'u', "text/markdown", "text/html"}, {'u', 'u', "text/css", ""}}, "step 2 2.wasm gets text/html, it takes text/css"},
    {"", 2, {{'u', 'u', "", ""}, {'u', 'u', "text/css", ""}}, "step 2 2.wasm gets input of unknown type, it takes text/css"},
    {"", 2, {{'u', 'u', "text/css", ""}, {'u', 'u', "text/css", ""}}, NULL}, /* preserved */
    {"", 2, {{'b', 'u', "a/b", ""}, {'u', 'u', "a/b", ""}}, "step 2 2.wasm gets input of unknown type, it takes a/b"}, /* bytes to text clears */
    {"", 2, {{'u', 'b', "a/b", ""}, {'b', 'u', "a/b", ""}}, NULL},
    {"", 3, {{'b', 'b', "a/b", "c/d"}, {'b', 'b', "", ""}, {'b', 'b', "c/d", ""}}, NULL},
    {"", 2, {{'u', 'u', "", ""}, {'b', 'b', "", ""}}, NULL},
    {"", 2, {{'b', 'b', "", ""}, {'u', 'u', "", ""}}, "step 2 2.wasm takes UTF-8, but the step before it writes bytes"},
    {"", 2, {{'b', 'i', "", ""}, {'b', 'u', "", ""}}, NULL},
    {"", 2, {{'b', 'i', "", ""}, {'u', 'u', "", ""}}, "step 2 2.wasm takes UTF-8, but the step before it writes bytes"},
    {"", 2, {{'b', '-', "", ""}, {'b', 'b', "", ""}}, "step 2 2.wasm has nothing to read: the step before it writes no output"},
    {"a/b", 2, {{'-', 'u', "", ""}, {'u', 'u', "a/b", ""}}, "step 2 2.wasm gets input of unknown type, it takes a/b"},
    {"", 2, {{'-', 'u', "", "a/b"}, {'u', 'u', "a/b", ""}}, NULL},
    {"", 2, {{'u', 'u', "", ""}, {'-', 'u', "", ""}}, "step 2 2.wasm takes no input: it can only be the first step"},
    {"", 1, {{'u', 'u', "Text/html", ""}}, "step 1 1.wasm declares an input type that is no lower-case media type: Text/html"},
    {"", 1, {{'u', 'u', "", "text/html; x=1"}}, "step 1 1.wasm declares an output type that is no lower-case media type: text/html; x=1"},
  };
  static const char *const paths[] = {"1.wasm", "2.wasm", "3.wasm"};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct wm_contract contracts[3];
    struct wm_stage stages[3];
    for (uint32_t k = 0; k < cases[i].count; k++) {
      const struct plan_stage *stage = &cases[i].stages[k];
      memset(&contracts[k], 0, sizeof contracts[k]);
      contracts[k].input_encoding = encoding_of(stage->in);
      contracts[k].output_encoding = encoding_of(stage->out);
      contracts[k].is_generator = stage->in == '-';
      contracts[k].input_type.text = text(stage->in_type);
      contracts[k].output_type.text = text(stage->out_type);
      stages[k] = (struct wm_stage){text(paths[k]), &contracts[k]};
    }
    struct wm_problem problem;
    wm_problem_clear(&problem);
    bool fits = wm_pipeline_check(stages, cases[i].count, text(cases[i].input), &problem);
    cr_assert(fits == (cases[i].problem == NULL), "case %zu: %s", i, problem.text);
    if (!fits) {
      cr_assert_str_eq(problem.text, cases[i].problem);
      cr_assert(problem.status == WM_CONTRACT);
    }
  }
}

Test(qip_pipeline, capacities_are_noted)
{
  struct wm_contract a, b;
  memset(&a, 0, sizeof a);
  memset(&b, 0, sizeof b);
  a.output_cap = (struct wm_getter){.is_present = true, .is_known = true, .value = 100};
  b.input_cap = (struct wm_getter){.is_present = true, .is_known = true, .value = 100};
  struct wm_stage stages[] = {{text("a"), &a}, {text("b"), &b}};
  struct wm_problem note;
  wm_problem_clear(&note);
  cr_assert_not(wm_pipeline_capacity_note(stages, 2, 0, &note));
  a.output_encoding = WM_ENCODING_I32;
  cr_assert(wm_pipeline_capacity_note(stages, 2, 0, &note));
  cr_assert_str_eq(note.text, "step 1 a may write 400 bytes, step 2 b takes at most 100");
  wm_problem_clear(&note);
  cr_assert_not(wm_pipeline_capacity_note(stages, 2, 1, &note), "the last step has no successor");
  b.input_cap.is_known = false;
  cr_assert_not(wm_pipeline_capacity_note(stages, 2, 0, &note));
}
