/* Pictures as PNG files: 8-bit RGBA, sRGB, in stored (uncompressed) deflate blocks (PNG specification, RFC 1950 and 1951). */
#ifndef WM_CLI_PNG_H
#define WM_CLI_PNG_H

#include "cli/buffer.h"

/* Appends the whole file. `rgba`: 4 * width * height bytes, top row first; both sides at least 1. */
void wm_png_write(struct wm_buffer *buffer, const uint8_t *rgba, uint32_t width, uint32_t height);

#endif
