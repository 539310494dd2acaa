/* XXH3, 128 bits, of modules, outputs and memories: 32 hexadecimal digits in the canonical (big-endian) order that xxhsum -H2 prints. */
#ifndef WM_CLI_DIGEST_H
#define WM_CLI_DIGEST_H

#include "cli/buffer.h"

#define WM_DIGEST_CHARS 33 /* the terminating NUL included */
void wm_digest(char text[WM_DIGEST_CHARS], const void *bytes, size_t length);
/* Appends `WHAT DIGEST LABEL` and a newline. */
void wm_digest_line(struct wm_buffer *buffer, const char *what, const void *bytes, size_t length, const char *label);

#endif
