/* Fuzzes the multipart parser and the request reader: any bytes are parsed or refused, and what is accepted keeps its promises.
 *
 * The first byte chooses whether the rest is wrapped as the body of a request, so that bodies and headers are both reached. */
#include <stdlib.h>
#include <string.h>

#include "qip/multipart.h"

static void require(bool condition)
{
  if (!condition)
    abort();
}

static bool is_inside(const void *start, uint64_t length, const uint8_t *bytes, uint64_t size)
{
  const uint8_t *at = start;
  return at >= bytes && length <= size && at <= bytes + size - length;
}

static void check_request(const uint8_t *bytes, uint64_t size)
{
  struct wm_request request;
  struct wm_problem problem;
  wm_problem_clear(&problem);
  bool is_read = wm_request_parse(&request, bytes, size, (const uint8_t *)WM_BOUNDARY_UUID, &problem);
  require(is_read == (problem.status == WM_OK) && strlen(problem.text) == problem.length);
  if (!is_read)
    return;
  require(is_inside(request.component, request.component_length, bytes, size));
  require(!request.has_input || is_inside(request.input, request.input_length, bytes, size));
  for (uint32_t i = 0; i < request.uniform_count; i++) {
    const struct wm_uniform *uniform = &request.uniforms[i];
    require(wm_uniform_key_is_valid(uniform->key) && is_inside(uniform->value.bytes, uniform->value.length, bytes, size));
    require(i == 0 || wm_text_compare(uniform[-1].key, uniform->key) < 0);
  }
}

/* A body that may be built must come back as it was. */
static void check_round_trip(const uint8_t *body, uint64_t length)
{
  struct wm_form_part part = {{"component", 9}, length % 2 == 0, {"file", 4}, body, length};
  struct wm_problem problem;
  struct wm_request request;
  wm_problem_clear(&problem);
  if (!wm_form_check(&part, &problem))
    return;
  uint64_t size = wm_form_size(&part, 1);
  uint8_t *bytes = malloc(size);
  wm_form_write(&part, 1, bytes);
  require(wm_request_parse(&request, bytes, size, (const uint8_t *)WM_BOUNDARY_UUID, &problem));
  require(request.component_length == length && (length == 0 || memcmp(request.component, body, length) == 0));
  free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char opening[] = "--uuid-" WM_BOUNDARY_UUID "\r\n";
  if (size == 0)
    return 0;
  uint8_t choice = *data++;
  size--;
  if (choice % 3 == 0) {
    check_request(data, size);
  } else if (choice % 3 == 1) {
    uint8_t *bytes = malloc(sizeof opening - 1 + size);
    memcpy(bytes, opening, sizeof opening - 1);
    memcpy(bytes + sizeof opening - 1, data, size);
    check_request(bytes, sizeof opening - 1 + size);
    free(bytes);
  } else {
    check_round_trip(data, size);
  }
  return 0;
}
