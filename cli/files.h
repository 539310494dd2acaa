/* Whole files in, whole files out.
 *
 * Reading: a file or standard input ("-", once a process) up to a limit. Writing: everything or a failure; a regular output
 * file appears complete under its name (a temporary file beside it, then rename) or not at all. Callers own the bytes read. */
#ifndef WM_CLI_FILES_H
#define WM_CLI_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/buffer.h"

struct wm_file {
  uint8_t *bytes;
  size_t length;
  bool is_too_large; /* more than the limit: `bytes` is not set */
  uint64_t full_length; /* of a too large regular file; 0 when it is not known */
};

/* Reads all of `path`. Returns WM_EXIT_OK, or tells the failure and returns WM_EXIT_NO_INPUT (cannot be opened), WM_EXIT_IO, or
 * WM_EXIT_USAGE (standard input asked for twice). A file beyond `limit` bytes is WM_EXIT_OK with is_too_large: the caller knows the words. */
int wm_file_read(const char *path, uint64_t limit, struct wm_file *file);
void wm_file_free(struct wm_file *file);

/* Writes all bytes, or returns the errno value (0 is success). */
int wm_write_all(int fd, const void *bytes, size_t length);

/* A result on its way out: opened, appended to, and then kept or dropped. */
struct wm_output {
  const char *shown;    /* for messages */
  char *target, *temporary; /* a regular file: renamed from one to the other when kept */
  int fd;
  bool is_owned;        /* fd wants closing */
};
/* `path` NULL or "-": standard output. Tells failures: WM_EXIT_OK or WM_EXIT_CANNOT_CREATE. */
int wm_output_open(struct wm_output *output, const char *path);
/* Tells failures, except that a reader has gone away: WM_EXIT_OK or WM_EXIT_IO. */
int wm_output_append(struct wm_output *output, const void *bytes, size_t length);
/* Puts the file in its place (`keep`), or removes what was written of it. Returns an exit status. */
int wm_output_close(struct wm_output *output, bool keep);

/* All of the above for a result that is complete. */
int wm_output_write(const char *path, const void *bytes, size_t length);

#endif
