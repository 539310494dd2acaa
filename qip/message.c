/* Messages in a bounded buffer, and the few operations on texts that the contract's code needs. */
#include "qip/message.h"

#include "instrument/text.h"

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

/* A print over what is left of the buffer. */
static struct wm_print open_tail(struct wm_problem *problem)
{
  struct wm_print print;
  wm_print_open(&print, problem->text + problem->length, WM_PROBLEM_TEXT_BYTES - 1 - problem->length, NULL);
  return print;
}

/* Takes over what was printed. What did not fit leaves "..." at the end, in place of whole code points. */
static void close_tail(struct wm_problem *problem, const struct wm_print *print)
{
  problem->length += (uint32_t)print->length;
  if (print->is_cut) {
    problem->length = WM_PROBLEM_TEXT_BYTES - 4;
    while (((uint8_t)problem->text[problem->length] & 0xc0) == 0x80)
      problem->length--;
    for (uint32_t i = 0; i < 3; i++)
      problem->text[problem->length++] = '.';
  }
  problem->text[problem->length] = 0;
}

void wm_problem_bytes(struct wm_problem *problem, const char *bytes, size_t length)
{
  struct wm_print print = open_tail(problem);
  uint32_t shown = length < WM_PROBLEM_TEXT_BYTES ? (uint32_t)length : WM_PROBLEM_TEXT_BYTES;
  wm_print_visible(&print, (struct wm_text){bytes, shown});
  close_tail(problem, &print);
}

void wm_problem_text(struct wm_problem *problem, const char *literal)
{
  struct wm_print print = open_tail(problem);
  wm_print_string(&print, literal);
  close_tail(problem, &print);
}

void wm_problem_number(struct wm_problem *problem, uint64_t number)
{
  struct wm_print print = open_tail(problem);
  wm_print_u64(&print, number);
  close_tail(problem, &print);
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
