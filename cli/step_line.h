/* Lines from a person or a pipe. On a terminal: editing, history and completion; else, and where TERM is dumb, plain lines.
 *
 * The terminal is in raw mode only while a line is being read. The reader owns its history and the line it last returned. */
#ifndef WM_CLI_STEP_LINE_H
#define WM_CLI_STEP_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/buffer.h"

#define WM_LINE_HISTORY 200

struct wm_line_reader {
  bool is_editing;         /* a terminal that can do it */
  const char *prompt;      /* NULL: none */
  /* Completion: the number'th candidate for the word that ends at `length`, or NULL. */
  const char *(*complete)(void *user, const char *line, size_t length, unsigned number);
  void *user;
  char *history[WM_LINE_HISTORY];
  unsigned history_count;
  struct wm_buffer line;   /* terminated */
  char bytes[4096];        /* read, not used yet */
  size_t byte_count, byte_next;
  bool has_ended;
};

void wm_line_open(struct wm_line_reader *reader, bool is_terminal);
/* The next line without its end, or NULL at the end of the input. */
const char *wm_line_read(struct wm_line_reader *reader);
void wm_line_close(struct wm_line_reader *reader);

#endif
