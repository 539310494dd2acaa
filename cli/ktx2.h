/* Frames as KTX2 images: what a GUI component gives as image/ktx2 (contract, part E5), and its pixels as 8-bit sRGB.
 *
 * Taken: vkFormat 43 (RGBA8, sRGB) and 109 (RGBA32 float, linear, Display P3 or BT.709), one level, no supercompression, at most 8192 by
 * 8192. Level offset and length are taken from the file, not supposed. */
#ifndef WM_CLI_KTX2_H
#define WM_CLI_KTX2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wm_ktx2_format { WM_KTX2_RGBA8_SRGB = 43, WM_KTX2_RGBA32_FLOAT = 109 };

struct wm_ktx2 {
  uint32_t format; /* enum wm_ktx2_format */
  uint32_t width, height;
  bool is_display_p3;
  const uint8_t *pixels; /* in the file's bytes; top row first, no padding */
};

/* NULL and *image, or why the bytes are not such an image. */
const char *wm_ktx2_read(struct wm_ktx2 *image, const uint8_t *bytes, size_t length);
/* Writes 4 * width * height bytes. Format 43 is copied. Of 109 each pixel's colours go from Display P3 to BT.709 primaries, are cut to
 * 0..1, and get the sRGB curve; alpha is cut to 0..1; NaN counts as 0; all rounded to the nearest of 256 levels. */
void wm_ktx2_to_rgba8(const struct wm_ktx2 *image, uint8_t *rgba);

#endif
