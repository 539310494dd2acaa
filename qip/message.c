/* Messages in a bounded buffer, and the few operations on texts that the contract's code needs. */
#include "qip/message.h"

void wm_problem_clear(struct wm_problem *problem)
{
  problem->status = WM_OK;
  problem->offset = WM_NO_OFFSET;
  problem->function = WM_NO_INDEX;
  problem->length = 0;
  problem->text[0] = 0;
}

bool wm_problem_begin(struct wm_problem *problem, enum wm_status status)
{
  if (problem->status != WM_OK)
    return false;
  wm_problem_clear(problem);
  problem->status = status;
  return true;
}

/* One clean byte; once the buffer is full its end reads "..." and nothing more enters. */
static void put(struct wm_problem *problem, char byte)
{
  if (problem->length < WM_PROBLEM_TEXT_BYTES - 1) {
    problem->text[problem->length++] = byte;
    problem->text[problem->length] = 0;
    return;
  }
  for (uint32_t i = 1; i <= 3; i++)
    problem->text[WM_PROBLEM_TEXT_BYTES - 1 - i] = '.';
}

void wm_problem_bytes(struct wm_problem *problem, const char *bytes, size_t length)
{
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < length; i++) {
    uint8_t byte = (uint8_t)bytes[i];
    if (byte >= 0x20 && byte <= 0x7e) {
      put(problem, (char)byte);
      continue;
    }
    put(problem, '\\');
    put(problem, 'x');
    put(problem, digits[byte >> 4]);
    put(problem, digits[byte & 15]);
  }
}

void wm_problem_text(struct wm_problem *problem, const char *literal)
{
  for (; *literal; literal++)
    put(problem, *literal);
}

void wm_problem_number(struct wm_problem *problem, uint64_t number)
{
  char digits[20];
  uint32_t at = sizeof digits;
  do
    digits[--at] = (char)('0' + number % 10);
  while ((number /= 10) != 0);
  wm_problem_bytes(problem, digits + at, sizeof digits - at);
}

void wm_problem_from_error(struct wm_problem *problem, const struct wm_error *error)
{
  if (!wm_problem_begin(problem, error->status))
    return;
  problem->offset = error->offset;
  problem->function = error->function;
  wm_problem_text(problem, error->message);
  if (error->status == WM_LIMIT && error->limit != 0) {
    wm_problem_text(problem, " (limit ");
    wm_problem_number(problem, error->limit);
    wm_problem_text(problem, ")");
  }
}

int wm_text_compare(struct wm_text a, struct wm_text b)
{
  uint32_t common = a.length < b.length ? a.length : b.length;
  for (uint32_t i = 0; i < common; i++)
    if (a.bytes[i] != b.bytes[i])
      return (uint8_t)a.bytes[i] < (uint8_t)b.bytes[i] ? -1 : 1;
  return a.length == b.length ? 0 : a.length < b.length ? -1 : 1;
}

bool wm_bytes_equal(const void *a, const void *b, size_t length)
{
  const uint8_t *left = a, *right = b;
  for (size_t i = 0; i < length; i++)
    if (left[i] != right[i])
      return false;
  return true;
}

bool wm_text_equal(struct wm_text a, struct wm_text b)
{
  return a.length == b.length && wm_bytes_equal(a.bytes, b.bytes, a.length);
}
