/* Choosing functions by name (match.h). The glob matcher goes back only to the latest star: no recursion, length times length at worst. */
#include "instrument/match.h"

#include "instrument/options.h"
#include "instrument/text.h"

bool wm_glob_match(struct wm_text pattern, struct wm_text text)
{
  uint32_t p = 0, t = 0, star = UINT32_MAX, star_text = 0;
  while (t < text.length) {
    if (p < pattern.length && pattern.bytes[p] == '*') {
      star = p++;
      star_text = t;
    } else if (p < pattern.length && (pattern.bytes[p] == '?' || pattern.bytes[p] == text.bytes[t])) {
      p++;
      t++;
    } else if (star != UINT32_MAX) { /* the star takes one byte more */
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (p < pattern.length && pattern.bytes[p] == '*')
    p++;
  return p == pattern.length;
}

bool wm_function_match(const struct wm_view *view, uint32_t function, struct wm_text pattern)
{
  char spelling[32];
  struct wm_print print;
  uint64_t index;
  if (wm_option_u64(pattern, &index))
    return index == function;
  wm_print_open(&print, spelling, sizeof spelling, NULL);
  wm_print_string(&print, "wasm-function[");
  wm_print_u64(&print, function);
  wm_print_char(&print, ']');
  return wm_text_is_equal(pattern, (struct wm_text){spelling, (uint32_t)print.length}) ||
         wm_glob_match(pattern, view->function_name(view, function));
}
