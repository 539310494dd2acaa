/* Growing byte strings for messages, reports and JSON, and the allocation rule of cli/.
 *
 * cli/ may use the heap: when the host has no memory left, wm_allocate and everything here end the process with status 70 and
 * one line. A buffer starts as WM_BUFFER_EMPTY; its owner frees it with wm_buffer_free, or leaves it to the end of the process. */
#ifndef WM_CLI_BUFFER_H
#define WM_CLI_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "instrument/sink.h"

struct wm_buffer {
  uint8_t *bytes;
  size_t length, capacity;
};
#define WM_BUFFER_EMPTY ((struct wm_buffer){NULL, 0, 0})

/* Never NULL; the caller frees. Contents undefined. */
void *wm_allocate(size_t count, size_t item_bytes);
/* Never NULL; keeps the old contents. */
void *wm_reallocate(void *block, size_t count, size_t item_bytes);

void wm_buffer_reserve(struct wm_buffer *buffer, size_t more);
void wm_buffer_add(struct wm_buffer *buffer, const void *bytes, size_t length);
void wm_buffer_text(struct wm_buffer *buffer, const char *text);
void wm_buffer_char(struct wm_buffer *buffer, char c);
__attribute__((format(printf, 2, 3)))
void wm_buffer_format(struct wm_buffer *buffer, const char *format, ...);
/* Text from outside in a message: control characters, DEL and bytes that are not UTF-8 become \xNN, so that a line stays a line. */
void wm_buffer_escaped(struct wm_buffer *buffer, const void *text, size_t length);
/* A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void wm_buffer_json(struct wm_buffer *buffer, const void *text, size_t length);
/* A writer that appends to the buffer, for sinks. */
struct wm_writer wm_buffer_writer(struct wm_buffer *buffer);
void wm_buffer_free(struct wm_buffer *buffer);

#endif
