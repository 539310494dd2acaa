/* Multipart requests: the canonical bytes, every malformed kind, and the fields of a page-report request. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qip/multipart.h"

#define B "--uuid-00000000-0000-0000-0000-000000000000"
#define HEAD B "\r\nContent-Disposition: form-data; name=\"component\"\r\n\r\n"
#define TAIL "\r\n" B "--\r\n"
#define FIELD(name, body) B "\r\nContent-Disposition: form-data; name=\"" name "\"\r\n\r\n" body "\r\n"
#define COMPONENT FIELD("component", "C")
#define END B "--\r\n"

static const uint8_t *const uuid = (const uint8_t *)WM_BOUNDARY_UUID;

static struct wm_text text(const char *string)
{
  return (struct wm_text){string, (uint32_t)strlen(string)};
}

/* Parsed from a heap copy of exactly that size, so that a sanitizer sees a byte read too many. */
static bool parse(struct wm_request *request, const char *bytes, size_t length, uint8_t **copy, struct wm_problem *problem)
{
  *copy = malloc(length > 0 ? length : 1);
  memcpy(*copy, bytes, length);
  wm_problem_clear(problem);
  return wm_request_parse(request, *copy, length, uuid, problem);
}

/* ---- Parsing --------------------------------------------------------------------------------------------------- */

Test(qip_multipart, good_requests)
{
  static const struct { const char *bytes, *component, *input; uint32_t uniforms; } cases[] = {
    {COMPONENT END, "C", NULL, 0},
    {COMPONENT B "--", "C", NULL, 0}, /* the last CR LF is optional */
    {FIELD("component", "") END, "", NULL, 0},
    {FIELD("input", "a\r\nb") COMPONENT END, "C", "a\r\nb", 0},
    {COMPONENT FIELD("input", "") END, "C", "", 0},
    {COMPONENT FIELD("uniforms[b]", "1") FIELD("uniforms[a]", "2") END, "C", NULL, 2},
    /* Look-alikes of a delimiter are body bytes. */
    {FIELD("component", "\r\n" B "x" "\r\n" B "-\r\n" "\r\n--uuid-") END, "\r\n" B "x\r\n" B "-\r\n\r\n--uuid-", NULL, 0},
    {FIELD("component", B "\r\n") END, B "\r\n", NULL, 0},
    {FIELD("component", "\r") END, "\r", NULL, 0},
    {FIELD("component", "\r\n") END, "\r\n", NULL, 0},
    /* Header names, the disposition and parameter names in any case; white space around pieces; filename and type do not matter. */
    {B "\r\nCONTENT-disposition:FORM-Data ;\tName=\"component\" ; filename=\"a\"\r\ncontent-TYPE:x\r\n\r\nC\r\n" END, "C", NULL, 0},
    {B "\r\nContent-Type: \t text/plain\r\nContent-Disposition: form-data; charset=\"\"; name=\"component\"\r\n\r\nC\r\n" END, "C", NULL, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct wm_request request;
    struct wm_problem problem;
    uint8_t *copy;
    cr_assert(parse(&request, cases[i].bytes, strlen(cases[i].bytes), &copy, &problem), "case %zu: %s", i, problem.text);
    cr_assert(request.component_length == strlen(cases[i].component), "case %zu", i);
    cr_assert(memcmp(request.component, cases[i].component, request.component_length) == 0, "case %zu", i);
    cr_assert(request.has_input == (cases[i].input != NULL), "case %zu", i);
    cr_assert(!request.has_input || (request.input_length == strlen(cases[i].input) &&
              memcmp(request.input, cases[i].input, request.input_length) == 0), "case %zu", i);
    cr_assert(request.uniform_count == cases[i].uniforms, "case %zu", i);
    if (request.uniform_count == 2)
      cr_assert(wm_text_equal(request.uniforms[0].key, text("a")) && wm_text_equal(request.uniforms[0].value, text("2")));
    free(copy);
  }
}

Test(qip_multipart, malformed_requests_of_every_kind)
{
  static const struct { const char *bytes, *why; } cases[] = {
    {"", "opening delimiter"},
    {"\r\n" COMPONENT END, "opening delimiter"},
    {"preamble\r\n" COMPONENT END, "opening delimiter"},
    {"--uuid-00000000-0000-0000-0000-000000000001\r\n", "opening delimiter"},
    {B, "opening delimiter"},
    {B "\n", "opening delimiter"},
    {B " \r\n", "opening delimiter"},
    {B "\r\n", "header block has no end"},
    {B "\r\nContent-Disposition: form-data; name=\"component\"\r\n", "header block has no end"},
    {B "\r\nContent-Disposition: form-data; name=\"component\"\n\nC\r\n" END, "header block has no end"},
    {B "\r\n\r\n\r\nC\r\n" END, "empty or begins with white space"},
    {B "\r\n\r\nContent-Disposition: form-data; name=\"component\"\r\n\r\nC\r\n" END, "empty or begins with white space"},
    {B "\r\n Content-Disposition: form-data; name=\"component\"\r\n\r\nC\r\n" END, "empty or begins with white space"},
    {B "\r\nContent-Disposition: form-data;\r\n\tname=\"component\"\r\n\r\nC\r\n" END, "not of the form key"},
    {B "\r\nContent-Disposition: form-data; name=\"component\"\r\n\tx: y\r\n\r\nC\r\n" END, "empty or begins with white space"},
    {B "\r\nContent-Disposition: form-data; name=\"component\"\r\nContent-Type\r\n\r\nC\r\n" END, "no colon"},
    {B "\r\nContent-Disposition: form-data; name=\"component\"\r\nContent-Length: 1\r\n\r\nC\r\n" END, "a header other than"},
    {B "\r\nContent-Disposition : form-data; name=\"component\"\r\n\r\nC\r\n" END, "a header other than"},
    {B "\r\nContent-Type: x\r\n\r\nC\r\n" END, "no Content-Disposition"},
    {B "\r\nContent-Disposition: form-data; name=\"component\"\r\nContent-Disposition: form-data; name=\"component\"\r\n\r\nC\r\n" END, "stands twice"},
    {B "\r\nContent-Disposition: form-data; name=\"component\"\r\nContent-Type: a\r\ncontent-type: b\r\n\r\nC\r\n" END, "Content-Type stands twice"},
    {B "\r\nContent-Disposition: form-data; name=\"component\"\r\nContent-Type:  \r\n\r\nC\r\n" END, "Content-Type is empty"},
    {B "\r\nContent-Disposition: attachment; name=\"component\"\r\n\r\nC\r\n" END, "not form-data"},
    {B "\r\nContent-Disposition: form-data\r\n\r\nC\r\n" END, "no name"},
    {B "\r\nContent-Disposition: form-data; filename=\"component\"\r\n\r\nC\r\n" END, "no name"},
    {B "\r\nContent-Disposition: form-data; name=component\r\n\r\nC\r\n" END, "not of the form key"},
    {B "\r\nContent-Disposition: form-data; name=\"component\r\n\r\nC\r\n" END, "not of the form key"},
    {B "\r\nContent-Disposition: form-data; name=\"\r\n\r\nC\r\n" END, "not of the form key"},
    {B "\r\nContent-Disposition: form-data; name=\"com\\ponent\"\r\n\r\nC\r\n" END, "not of the form key"},
    {B "\r\nContent-Disposition: form-data; name=\"com\"ponent\"\r\n\r\nC\r\n" END, "not of the form key"},
    {B "\r\nContent-Disposition: form-data; name=\"com\nponent\"\r\n\r\nC\r\n" END, "not of the form key"},
    {B "\r\nContent-Disposition: form-data; name=\"com\rponent\"\r\n\r\nC\r\n" END, "not of the form key"},
    {B "\r\nContent-Disposition: form-data; =\"x\"; name=\"component\"\r\n\r\nC\r\n" END, "not of the form key"},
    {B "\r\nContent-Disposition: form-data; name=\"component\";\r\n\r\nC\r\n" END, "not of the form key"},
    {B "\r\nContent-Disposition: form-data; name=\"component\"; filename=\"a;b\"\r\n\r\nC\r\n" END, "not of the form key"},
    {B "\r\nContent-Disposition: form-data; name=\"component\"; name=\"component\"\r\n\r\nC\r\n" END, "two names"},
    {B "\r\nContent-Disposition: form-data; name=\"component\"; filename=\"a\"; filename=\"a\"\r\n\r\nC\r\n" END, "two filenames"},
    {HEAD, "closing delimiter is missing"},
    {HEAD "C", "closing delimiter is missing"},
    {HEAD "C\r\n" B, "closing delimiter is missing"},
    {HEAD "C\r\n" B "-", "closing delimiter is missing"},
    {HEAD "C\n" B "--\r\n", "closing delimiter is missing"},
    {HEAD B "--\r\n", "closing delimiter is missing"}, /* an empty body still has its CR LF */
    {COMPONENT B "--\r", "after the closing delimiter"},
    {COMPONENT B "--\n", "after the closing delimiter"},
    {COMPONENT B "--\r\n\r\n", "after the closing delimiter"},
    {COMPONENT B "--x", "after the closing delimiter"},
    {END, "\"component\" is missing"},
    {FIELD("input", "x") END, "\"component\" is missing"},
    {COMPONENT COMPONENT END, "\"component\" stands twice"},
    {COMPONENT FIELD("input", "") FIELD("input", "") END, "\"input\" stands twice"},
    {COMPONENT FIELD("output", "") END, "\"output\" is unknown"},
    {COMPONENT FIELD("", "") END, "\"\" is unknown"},
    {COMPONENT FIELD("Input", "") END, "\"Input\" is unknown"},
    {COMPONENT FIELD("uniforms", "") END, "\"uniforms\" is unknown"},
    {COMPONENT FIELD("uniforms[", "") END, "\"uniforms[\" is unknown"},
    {COMPONENT FIELD("uniforms[a", "") END, "\"uniforms[a\" is unknown"},
    {COMPONENT FIELD("uniforms[a] ", "") END, "is unknown"},
    {COMPONENT FIELD("uniforms[]", "") END, "not valid"},
    {COMPONENT FIELD("uniforms[A]", "") END, "not valid"},
    {COMPONENT FIELD("uniforms[a__b]", "") END, "not valid"},
    {COMPONENT FIELD("uniforms[a]", "1") FIELD("uniforms[b]", "1") FIELD("uniforms[a]", "1") END, "given twice"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct wm_request request;
    struct wm_problem problem;
    uint8_t *copy;
    cr_assert_not(parse(&request, cases[i].bytes, strlen(cases[i].bytes), &copy, &problem), "case %zu (%s)", i, cases[i].why);
    cr_assert(problem.status == WM_REQUEST && strstr(problem.text, cases[i].why), "case %zu (%s): %s", i, cases[i].why, problem.text);
    free(copy);
  }
}

Test(qip_multipart, every_truncation_is_refused_except_the_optional_line_end)
{
  static const char whole[] = COMPONENT FIELD("input", "text") FIELD("uniforms[a]", "1") END;
  size_t length = sizeof whole - 1;
  for (size_t n = 0; n <= length; n++) {
    struct wm_request request;
    struct wm_problem problem;
    uint8_t *copy;
    bool is_expected = n == length || n == length - 2;
    cr_assert(parse(&request, whole, n, &copy, &problem) == is_expected, "%zu bytes", n);
    free(copy);
  }
}

static size_t many_uniforms(char *out, uint32_t count)
{
  size_t at = (size_t)sprintf(out, "%s", COMPONENT);
  for (uint32_t i = 0; i < count; i++)
    at += (size_t)sprintf(out + at, B "\r\nContent-Disposition: form-data; name=\"uniforms[u%u]\"\r\n\r\n%u\r\n", i, i);
  return at + (size_t)sprintf(out + at, "%s", END);
}

Test(qip_multipart, sixty_four_uniforms_and_no_more)
{
  static char bytes[16384];
  struct wm_request request;
  struct wm_problem problem;
  uint8_t *copy;
  cr_assert(parse(&request, bytes, many_uniforms(bytes, 64), &copy, &problem), "%s", problem.text);
  cr_assert(request.uniform_count == 64);
  for (uint32_t i = 1; i < 64; i++)
    cr_assert(wm_text_compare(request.uniforms[i - 1].key, request.uniforms[i].key) < 0);
  free(copy);
  cr_assert_not(parse(&request, bytes, many_uniforms(bytes, 65), &copy, &problem));
  cr_assert(strstr(problem.text, "at most 64 uniforms"), "%s", problem.text);
  free(copy);
}

Test(qip_multipart, header_block_of_16384_bytes_and_no_more)
{
  static char bytes[40000];
  for (int extra = 0; extra < 2; extra++) {
    size_t at = (size_t)sprintf(bytes, B "\r\n"), block = at;
    at += (size_t)sprintf(bytes + at, "Content-Disposition: form-data; name=\"component\"\r\nContent-Type: ");
    size_t fill = WM_MULTIPART_HEADER_BYTES + (size_t)extra - (at - block);
    memset(bytes + at, 'x', fill);
    at += fill;
    at += (size_t)sprintf(bytes + at, "\r\n\r\nC" TAIL);
    struct wm_request request;
    struct wm_problem problem;
    uint8_t *copy;
    cr_assert(parse(&request, bytes, at, &copy, &problem) == (extra == 0), "%s", problem.text);
    free(copy);
  }
}

Test(qip_multipart, boundary_is_a_lower_case_uuid)
{
  static const char *const bad[] = {
    "0000000-00000-0000-0000-000000000000", "0000000000000-0000-0000-000000000000", "A0000000-0000-0000-0000-000000000000",
    "g0000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-00000000000-", "00000000_0000-0000-0000-000000000000",
    "00000000-0000-0000-0000-00000000000\0",
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    cr_assert_not(wm_boundary_is_valid((const uint8_t *)bad[i]), "case %zu", i);
    char request[200];
    int length = sprintf(request, "--uuid-%s--", bad[i]);
    struct wm_multipart multipart;
    struct wm_problem problem;
    wm_problem_clear(&problem);
    cr_assert_not(wm_multipart_open(&multipart, (const uint8_t *)request, (uint64_t)length, (const uint8_t *)bad[i], &problem));
    cr_assert(strstr(problem.text, "not a lower-case UUID"));
  }
  const char *other = "01234567-89ab-cdef-fedc-ba9876543210";
  cr_assert(wm_boundary_is_valid((const uint8_t *)other));
  char request[400];
  int length = sprintf(request, "--uuid-%s\r\nContent-Disposition: form-data; name=\"component\"\r\n\r\n" B "--\r\n\r\n--uuid-%s--", other, other);
  struct wm_request parsed;
  struct wm_problem problem;
  wm_problem_clear(&problem);
  cr_assert(wm_request_parse(&parsed, (const uint8_t *)request, (uint64_t)length, (const uint8_t *)other, &problem), "%s", problem.text);
  cr_assert(parsed.component_length == strlen(B "--\r\n"));
}

Test(qip_multipart, parts_carry_filename_and_type)
{
  static const char bytes[] = B "\r\nContent-Disposition: form-data; name=\"a\"; filename=\"x y.bin\"\r\nContent-Type: application/octet-stream\r\n\r\n\1\2\r\n" END;
  struct wm_multipart multipart;
  struct wm_part part;
  struct wm_problem problem;
  wm_problem_clear(&problem);
  cr_assert(wm_multipart_open(&multipart, (const uint8_t *)bytes, sizeof bytes - 1, uuid, &problem));
  cr_assert(wm_multipart_next(&multipart, &part, &problem) == WM_MULTIPART_PART);
  cr_assert(wm_text_equal(part.name, text("a")) && part.has_filename && wm_text_equal(part.filename, text("x y.bin")));
  cr_assert(part.has_content_type && wm_text_equal(part.content_type, text("application/octet-stream")));
  cr_assert(part.length == 2 && part.body[0] == 1 && part.body[1] == 2);
  cr_assert(wm_multipart_next(&multipart, &part, &problem) == WM_MULTIPART_END);
}

/* ---- Building -------------------------------------------------------------------------------------------------- */

Test(qip_form, canonical_bytes)
{
  static const struct wm_form_part parts[] = {
    {{"component", 9}, true, {"a.wasm", 6}, (const uint8_t *)"\0asm", 4},
    {{"input", 5}, false, {NULL, 0}, (const uint8_t *)"# Hi\n", 5},
    {{"empty", 5}, false, {NULL, 0}, NULL, 0},
  };
  static const char expected[] =
    "--uuid-00000000-0000-0000-0000-000000000000\r\n"
    "Content-Disposition: form-data; name=\"component\"; filename=\"a.wasm\"\r\n"
    "Content-Type: application/octet-stream\r\n\r\n\0asm\r\n"
    "--uuid-00000000-0000-0000-0000-000000000000\r\n"
    "Content-Disposition: form-data; name=\"input\"\r\n\r\n# Hi\n\r\n"
    "--uuid-00000000-0000-0000-0000-000000000000\r\n"
    "Content-Disposition: form-data; name=\"empty\"\r\n\r\n\r\n"
    "--uuid-00000000-0000-0000-0000-000000000000--\r\n";
  uint64_t size = wm_form_size(parts, 3);
  cr_assert(size == sizeof expected - 1, "%llu", (unsigned long long)size);
  uint8_t *bytes = malloc(size);
  wm_form_write(parts, 3, bytes);
  cr_assert(memcmp(bytes, expected, size) == 0);
  free(bytes);
  cr_assert(wm_form_size(NULL, 0) == strlen(END));
  uint8_t closing[sizeof END - 1];
  wm_form_write(NULL, 0, closing);
  cr_assert(memcmp(closing, END, sizeof closing) == 0);
  struct wm_form_part huge[] = {{{"a", 1}, false, {NULL, 0}, NULL, UINT64_MAX - 100}};
  cr_assert(wm_form_size(huge, 1) == UINT64_MAX);
}

Test(qip_form, arguments)
{
  static const struct { const char *argument, *name; int source; bool is_upload; const char *value, *filename, *why; } cases[] = {
    {"a=b=c", "a", WM_FORM_LITERAL, false, "b=c", NULL, NULL},
    {"a=", "a", WM_FORM_LITERAL, false, "", NULL, NULL},
    {"uniforms[x]=1", "uniforms[x]", WM_FORM_LITERAL, false, "1", NULL, NULL},
    {"a=line\n\"quoted\"", "a", WM_FORM_LITERAL, false, "line\n\"quoted\"", NULL, NULL},
    {"a=@dir/f.wasm", "a", WM_FORM_FILE, true, "dir/f.wasm", "f.wasm", NULL},
    {"a=@c:\\dir\\f", "a", WM_FORM_FILE, true, "c:\\dir\\f", "f", NULL},
    {"a=@f=g", "a", WM_FORM_FILE, true, "f=g", "f=g", NULL},
    {"a=@dir/", "a", WM_FORM_FILE, true, "dir/", "", NULL},
    {"a=@-", "a", WM_FORM_STDIN, true, "-", "-", NULL},
    {"a=<dir/f\"", "a", WM_FORM_FILE, false, "dir/f\"", NULL, NULL},
    {"a=<-", "a", WM_FORM_STDIN, false, "-", NULL, NULL},
    {"a", NULL, 0, false, NULL, NULL, "not of the form name=value"},
    {"=b", NULL, 0, false, NULL, NULL, "empty name"},
    {"a=@", NULL, 0, false, NULL, NULL, "empty path"},
    {"a=<", NULL, 0, false, NULL, NULL, "empty path"},
    {"a\"=b", NULL, 0, false, NULL, NULL, "only printable ASCII"},
    {"a\\=b", NULL, 0, false, NULL, NULL, "only printable ASCII"},
    {"\xc3\xa4=b", NULL, 0, false, NULL, NULL, "only printable ASCII"},
    {"a=@x\"y", NULL, 0, false, NULL, NULL, "file name"},
    {"a=@dir/\xc3\xa4", NULL, 0, false, NULL, NULL, "file name"},
    {"a=@d\xc3\xa4/f", "a", WM_FORM_FILE, true, "d\xc3\xa4/f", "f", NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct wm_form_field field;
    struct wm_problem problem;
    wm_problem_clear(&problem);
    bool is_read = wm_form_split(text(cases[i].argument), &field, &problem);
    cr_assert(is_read == (cases[i].why == NULL), "case %zu: %s", i, problem.text);
    if (!is_read) {
      cr_assert(problem.status == WM_REQUEST && strstr(problem.text, cases[i].why), "case %zu: %s", i, problem.text);
      continue;
    }
    cr_assert(wm_text_equal(field.name, text(cases[i].name)) && wm_text_equal(field.value, text(cases[i].value)), "case %zu", i);
    cr_assert(field.source == cases[i].source && field.is_upload == cases[i].is_upload, "case %zu", i);
    if (cases[i].filename)
      cr_assert(wm_text_equal(field.filename, text(cases[i].filename)), "case %zu", i);
  }
}

Test(qip_form, a_body_that_holds_the_boundary_is_refused)
{
  static const struct { const char *body; bool is_good; } cases[] = {
    {"", true}, {"\r\n" B, false}, {"\r\n" B "\r", true}, {"\r\n" B "-", true}, {"\r\n" B "-x", true}, {"x\r\n" B "\r\nx", false}, {"\r\n" B "--", false},
    {"\r\n" B "\r\n", false}, {B "\r\n", true}, {"\r\r\n" B "--", false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    size_t length = strlen(cases[i].body);
    uint8_t *copy = malloc(length + 1);
    memcpy(copy, cases[i].body, length);
    copy = realloc(copy, length > 0 ? length : 1);
    struct wm_form_part part = {{"a", 1}, false, {NULL, 0}, copy, length};
    struct wm_problem problem;
    wm_problem_clear(&problem);
    cr_assert(wm_form_check(&part, &problem) == cases[i].is_good, "case %zu", i);
    cr_assert(cases[i].is_good || strstr(problem.text, "\"a\" holds the multipart boundary"), "case %zu", i);
    free(copy);
  }
}

/* Built bytes parse back to the same parts, for bodies made of pieces of delimiters. */
Test(qip_form, what_is_built_parses_back)
{
  static const char *const pieces[] = {"\r", "\n", "-", "--", "\r\n", B, "uuid-", "x", "\r\n--", "", "\r\n--uuid-00000000"};
  uint64_t seed = 88172645463325252u;
  for (int round = 0; round < 2000; round++) {
    static char bodies[2][2000];
    struct wm_form_part parts[2] = {{{"component", 9}, round % 2, {"f", 1}, (uint8_t *)bodies[0], 0}, {{"input", 5}, false, {NULL, 0}, (uint8_t *)bodies[1], 0}};
    struct wm_problem problem;
    wm_problem_clear(&problem);
    bool is_good = true;
    for (int k = 0; k < 2; k++) {
      bodies[k][0] = 0;
      for (int n = 0; n < 8; n++) {
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
        strcat(bodies[k], pieces[seed % (sizeof pieces / sizeof *pieces)]);
      }
      parts[k].length = strlen(bodies[k]);
      is_good &= wm_form_check(&parts[k], &problem);
    }
    if (!is_good)
      continue;
    uint64_t size = wm_form_size(parts, 2);
    uint8_t *bytes = malloc(size);
    wm_form_write(parts, 2, bytes);
    struct wm_request request;
    cr_assert(wm_request_parse(&request, bytes, size, uuid, &problem), "%s", problem.text);
    cr_assert(request.component_length == parts[0].length && memcmp(request.component, bodies[0], parts[0].length) == 0);
    cr_assert(request.input_length == parts[1].length && memcmp(request.input, bodies[1], parts[1].length) == 0);
    free(bytes);
  }
}
