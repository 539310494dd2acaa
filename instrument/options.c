/* The options of a sink: cutting and reading (options.h). */
#include "instrument/options.h"

#include "instrument/text.h"

/* First place of c at or after `from`, or the length. */
static uint32_t find_char(struct wm_text text, uint32_t from, char c)
{
  while (from < text.length && text.bytes[from] != c)
    from++;
  return from;
}

static struct wm_text slice(struct wm_text text, uint32_t from, uint32_t to)
{
  return (struct wm_text){text.bytes + from, to - from};
}

bool wm_option_split(struct wm_text text, struct wm_text *name, struct wm_option options[WM_OPTIONS_MAX], uint32_t *count)
{
  uint32_t from = 0;
  if (text.length > 0 && (text.bytes[0] == '.' || text.bytes[0] == '/'))
    for (uint32_t i = 0; i < text.length && text.bytes[i] != '='; i++)
      if (text.bytes[i] == '/')
        from = i;
  uint32_t end = find_char(text, from, ':');
  *name = slice(text, 0, end);
  *count = 0;
  if (end == 0)
    return false;
  while (end < text.length) {
    uint32_t begin = end + 1;
    end = find_char(text, begin, ',');
    struct wm_text item = slice(text, begin, end);
    uint32_t equals = find_char(item, 0, '=');
    if (*count == WM_OPTIONS_MAX || equals == 0)
      return false;
    options[*count].key = slice(item, 0, equals);
    options[*count].value = equals < item.length ? slice(item, equals + 1, item.length) : (struct wm_text){NULL, 0};
    ++*count;
  }
  return true;
}

bool wm_option_u64(struct wm_text value, uint64_t *out)
{
  bool is_hex = value.length > 2 && value.bytes[0] == '0' && (value.bytes[1] == 'x' || value.bytes[1] == 'X');
  uint64_t base = is_hex ? 16 : 10;
  uint64_t result = 0;
  if (value.length == 0)
    return false;
  for (uint32_t i = is_hex ? 2 : 0; i < value.length; i++) {
    char c = value.bytes[i];
    uint64_t digit = c >= '0' && c <= '9'   ? (uint64_t)(c - '0')
                     : c >= 'a' && c <= 'f' ? (uint64_t)(c - 'a' + 10)
                     : c >= 'A' && c <= 'F' ? (uint64_t)(c - 'A' + 10)
                                            : 16;
    if (digit >= base || result > (UINT64_MAX - digit) / base)
      return false;
    result = result * base + digit;
  }
  *out = result;
  return true;
}

bool wm_option_choice(struct wm_text value, const char *const *choices, unsigned *out)
{
  for (unsigned i = 0; choices[i] != NULL; i++) {
    if (wm_text_is(value, choices[i])) {
      *out = i;
      return true;
    }
  }
  return false;
}

bool wm_option_switch(struct wm_text value, bool *out)
{
  static const char *const choices[] = {"off", "on", NULL};
  unsigned choice = 1;
  if (value.bytes != NULL && !wm_option_choice(value, choices, &choice))
    return false;
  *out = choice == 1;
  return true;
}

void *wm_open_refuse(const char *reason, char *message, size_t message_bytes)
{
  struct wm_print print;
  if (message_bytes > 0) {
    wm_print_open(&print, message, message_bytes - 1, NULL);
    wm_print_string(&print, reason);
    message[print.length] = '\0';
  }
  return NULL;
}

void *wm_option_refuse(struct wm_option option, const char *wanted, char *message, size_t message_bytes)
{
  struct wm_print print;
  if (message_bytes == 0)
    return NULL;
  wm_print_open(&print, message, message_bytes - 1, NULL);
  wm_print_string(&print, wanted == NULL ? "unknown option \"" : "option \"");
  wm_print_visible(&print, option.key);
  if (wanted == NULL) {
    wm_print_string(&print, "\"");
  } else {
    wm_print_string(&print, "\": want ");
    wm_print_string(&print, wanted);
    wm_print_string(&print, ", not \"");
    wm_print_visible(&print, option.value);
    wm_print_string(&print, "\"");
  }
  message[print.length] = '\0';
  return NULL;
}
