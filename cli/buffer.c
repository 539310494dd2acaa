/* Growing byte strings; see buffer.h. Escapes are instrument/text.h's, written through a writer. */
#define _POSIX_C_SOURCE 200809L
#include "cli/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/status.h"
#include "instrument/text.h"

static _Noreturn void end_without_memory(void)
{
  static const char line[] = "wasmeter: the host has no memory left\n";
  ssize_t written = write(2, line, sizeof line - 1);
  (void)written;
  _exit(WM_EXIT_INTERNAL);
}

void *wm_reallocate(void *block, size_t count, size_t item_bytes)
{
  if (item_bytes != 0 && count > SIZE_MAX / item_bytes)
    end_without_memory();
  size_t bytes = count * item_bytes;
  void *result = realloc(block, bytes == 0 ? 1 : bytes);
  if (result == NULL)
    end_without_memory();
  return result;
}

void *wm_allocate(size_t count, size_t item_bytes)
{
  return wm_reallocate(NULL, count, item_bytes);
}

void wm_buffer_reserve(struct wm_buffer *buffer, size_t more)
{
  if (more <= buffer->capacity - buffer->length)
    return;
  if (more > SIZE_MAX / 2 - buffer->length)
    end_without_memory();
  size_t capacity = buffer->capacity < 256 ? 256 : buffer->capacity;
  while (capacity - buffer->length < more)
    capacity *= 2;
  buffer->bytes = wm_reallocate(buffer->bytes, capacity, 1);
  buffer->capacity = capacity;
}

void wm_buffer_add(struct wm_buffer *buffer, const void *bytes, size_t length)
{
  if (length == 0)
    return;
  wm_buffer_reserve(buffer, length);
  memcpy(buffer->bytes + buffer->length, bytes, length);
  buffer->length += length;
}

void wm_buffer_text(struct wm_buffer *buffer, const char *text)
{
  wm_buffer_add(buffer, text, strlen(text));
}

void wm_buffer_char(struct wm_buffer *buffer, char c)
{
  wm_buffer_add(buffer, &c, 1);
}

void wm_buffer_format(struct wm_buffer *buffer, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  va_list again;
  va_copy(again, list);
  int length = vsnprintf(NULL, 0, format, list);
  va_end(list);
  if (length > 0) {
    wm_buffer_reserve(buffer, (size_t)length + 1);
    vsnprintf((char *)buffer->bytes + buffer->length, (size_t)length + 1, format, again);
    buffer->length += (size_t)length;
  }
  va_end(again);
}

static void write_into(struct wm_writer *writer, const char *bytes, size_t length)
{
  wm_buffer_add(writer->user, bytes, length);
}

struct wm_writer wm_buffer_writer(struct wm_buffer *buffer)
{
  return (struct wm_writer){write_into, buffer};
}

static void print_in_pieces(struct wm_buffer *buffer, const void *text, size_t length, void (*form)(struct wm_print *, struct wm_text))
{
  struct wm_writer writer = wm_buffer_writer(buffer);
  char pieces[256];
  struct wm_print print;
  wm_print_open(&print, pieces, sizeof pieces, &writer);
  form(&print, (struct wm_text){text, length > UINT32_MAX ? UINT32_MAX : (uint32_t)length});
  wm_print_flush(&print);
}

void wm_buffer_escaped(struct wm_buffer *buffer, const void *text, size_t length)
{
  print_in_pieces(buffer, text, length, wm_print_visible);
}

void wm_buffer_json(struct wm_buffer *buffer, const void *text, size_t length)
{
  print_in_pieces(buffer, text, length, wm_print_json);
}

void wm_buffer_free(struct wm_buffer *buffer)
{
  free(buffer->bytes);
  *buffer = WM_BUFFER_EMPTY;
}
