/* Messages on standard error; see message.h. The process-wide choices of --quiet and --color live here. */
#define _POSIX_C_SOURCE 200809L
#include "cli/message.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/files.h"

static bool quiet;
static enum wm_color chosen_color = WM_COLOR_AUTO;
static bool color_is_explicit;

void wm_set_quiet(bool is_quiet)
{
  quiet = is_quiet;
}

bool wm_is_quiet(void)
{
  return quiet;
}

void wm_set_color(enum wm_color color, bool is_explicit)
{
  chosen_color = color;
  color_is_explicit = is_explicit;
}

bool wm_wants_color(int fd)
{
  if (color_is_explicit && chosen_color != WM_COLOR_AUTO)
    return chosen_color == WM_COLOR_ALWAYS;
  const char *no_color = getenv("NO_COLOR");
  if (no_color != NULL && no_color[0] != '\0')
    return false;
  const char *term = getenv("TERM");
  return isatty(fd) && term != NULL && strcmp(term, "dumb") != 0;
}

static void write_line(const char *file, const char *format, va_list list, bool is_error)
{
  struct wm_buffer line = WM_BUFFER_EMPTY, text = WM_BUFFER_EMPTY;
  va_list again;
  va_copy(again, list);
  int length = vsnprintf(NULL, 0, format, list);
  if (length > 0) {
    wm_buffer_reserve(&text, (size_t)length + 1);
    vsnprintf((char *)text.bytes, (size_t)length + 1, format, again);
    text.length = (size_t)length;
  }
  va_end(again);
  bool has_color = wm_wants_color(2);
  wm_buffer_text(&line, has_color ? (is_error ? "\033[31mwasmeter:\033[0m " : "\033[33mwasmeter:\033[0m ") : "wasmeter: ");
  if (file != NULL) {
    wm_buffer_escaped(&line, file, strlen(file));
    wm_buffer_text(&line, ": ");
  }
  wm_buffer_escaped(&line, text.bytes, text.length);
  wm_buffer_char(&line, '\n');
  wm_write_all(2, line.bytes, line.length); /* nobody to tell when standard error is gone */
  wm_buffer_free(&text);
  wm_buffer_free(&line);
}

int wm_fail(int status, const char *file, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  write_line(file, format, list, true);
  va_end(list);
  return status;
}

int wm_fail_line(const char *file, uint32_t number, const char *format, ...)
{
  struct wm_buffer place = WM_BUFFER_EMPTY;
  wm_buffer_format(&place, "%s:%" PRIu32 "%c", file, number, '\0');
  va_list list;
  va_start(list, format);
  write_line((const char *)place.bytes, format, list, true);
  va_end(list);
  wm_buffer_free(&place);
  return WM_EXIT_DATA;
}

void wm_note(const char *file, const char *format, ...)
{
  if (quiet)
    return;
  va_list list;
  va_start(list, format);
  write_line(file, format, list, false);
  va_end(list);
}

int wm_status_exit(enum wm_status status)
{
  switch (status) {
  case WM_CONTRACT:
    return WM_EXIT_CONTRACT;
  case WM_NO_SPACE:
    return WM_EXIT_INTERNAL;
  default:
    return WM_EXIT_DATA;
  }
}

int wm_fail_error(const char *file, const struct wm_error *error)
{
  static const char *const kinds[] = {
    [WM_OK] = "", [WM_MALFORMED] = "malformed module: ", [WM_INVALID] = "invalid module: ", [WM_UNLINKABLE] = "cannot be linked: ",
    [WM_LIMIT] = "module beyond a limit: ", [WM_NO_SPACE] = "", [WM_CONTRACT] = "", [WM_REQUEST] = "",
  };
  struct wm_buffer text = WM_BUFFER_EMPTY;
  wm_buffer_format(&text, "%s%s", kinds[error->status], error->message);
  if (error->status == WM_LIMIT && error->limit != 0)
    wm_buffer_format(&text, " (limit %" PRIu64 ")", error->limit);
  /* The module was not made, so its names are not known. */
  if (error->function != WM_NO_INDEX)
    wm_buffer_format(&text, ", in wasm-function[%" PRIu32 "]", error->function);
  if (error->offset != WM_NO_OFFSET)
    wm_buffer_format(&text, "%s at offset 0x%" PRIx64, error->function == WM_NO_INDEX ? "," : "", error->offset);
  wm_buffer_char(&text, '\0');
  int status = wm_fail(wm_status_exit(error->status), file, "%s", (const char *)text.bytes);
  wm_buffer_free(&text);
  return status;
}
