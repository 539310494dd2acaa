/* Reading KTX2 frames; see ktx2.h. All numbers of the format are little-endian. */
#include "cli/ktx2.h"

#include <string.h>

#define SIDE_MAX 8192
#define PRIMARIES_P3 12
enum { AT_FORMAT = 12, AT_WIDTH = 20, AT_HEIGHT = 24, AT_DEPTH = 28, AT_LAYERS = 32, AT_FACES = 36, AT_LEVELS = 40,
       AT_SUPERCOMPRESSION = 44, AT_DESCRIPTOR = 48, AT_LEVEL_OFFSET = 80, AT_LEVEL_LENGTH = 88, HEADER_BYTES = 104,
       DESCRIPTOR_PRIMARIES = 13 };

static uint32_t u32_at(const uint8_t *bytes)
{
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static uint64_t u64_at(const uint8_t *bytes)
{
  return (uint64_t)u32_at(bytes) | (uint64_t)u32_at(bytes + 4) << 32;
}

const char *wm_ktx2_read(struct wm_ktx2 *image, const uint8_t *bytes, size_t length)
{
  static const uint8_t identifier[12] = {0xab, 'K', 'T', 'X', ' ', '2', '0', 0xbb, '\r', '\n', 0x1a, '\n'};
  if (length < sizeof identifier || memcmp(bytes, identifier, sizeof identifier) != 0)
    return "it does not begin with the KTX2 identifier";
  if (length < HEADER_BYTES)
    return "its header is cut short";
  image->format = u32_at(bytes + AT_FORMAT);
  image->width = u32_at(bytes + AT_WIDTH);
  image->height = u32_at(bytes + AT_HEIGHT);
  if (image->format != WM_KTX2_RGBA8_SRGB && image->format != WM_KTX2_RGBA32_FLOAT)
    return "its vkFormat is neither 43 nor 109";
  if (image->width == 0 || image->height == 0 || image->width > SIDE_MAX || image->height > SIDE_MAX)
    return "its sides are not within 1 to 8192";
  if (u32_at(bytes + AT_DEPTH) != 0 || u32_at(bytes + AT_LAYERS) != 0 || u32_at(bytes + AT_FACES) != 1 || u32_at(bytes + AT_LEVELS) != 1)
    return "it is not one flat image";
  if (u32_at(bytes + AT_SUPERCOMPRESSION) != 0)
    return "it is compressed";
  uint64_t offset = u64_at(bytes + AT_LEVEL_OFFSET), pixels = u64_at(bytes + AT_LEVEL_LENGTH);
  uint64_t wanted = (uint64_t)image->width * image->height * (image->format == WM_KTX2_RGBA8_SRGB ? 4 : 16);
  if (pixels != wanted)
    return "its pixels are not as many bytes as its sides and format ask for";
  if (offset > length || pixels > length - offset)
    return "its pixels lie outside it";
  uint64_t descriptor = u32_at(bytes + AT_DESCRIPTOR);
  image->is_display_p3 = descriptor + DESCRIPTOR_PRIMARIES < length && bytes[descriptor + DESCRIPTOR_PRIMARIES] == PRIMARIES_P3;
  image->pixels = bytes + offset;
  return NULL;
}

/* ---- Float pixels ----------------------------------------------------------------------------------------------- */

/* v to the power 2.4 for v in 0..1: v squared times the fifth root of v squared, by Newton's steps from above. */
static double power_2_4(double v)
{
  double square = v * v, root = 1;
  for (int step = 0; step < 40; step++)
    root -= (root - square / (root * root * root * root)) / 5;
  return square * root;
}

/* The linear light half-way between level k and the one above it. */
static void find_borders(double borders[255])
{
  for (int k = 0; k < 255; k++) {
    double encoded = (k + 0.5) / 255;
    borders[k] = encoded <= 0.04045 ? encoded / 12.92 : power_2_4((encoded + 0.055) / 1.055);
  }
}

/* How many borders lie at or below the light: its level. */
static uint8_t encode(const double borders[255], double light)
{
  int low = 0, high = 255;
  while (low < high) {
    int middle = (low + high) / 2;
    if (light >= borders[middle])
      low = middle + 1;
    else
      high = middle;
  }
  return (uint8_t)low;
}

static double channel(const uint8_t *bytes)
{
  uint32_t bits = u32_at(bytes);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value == value ? (double)value : 0;
}

static void convert(const struct wm_ktx2 *image, uint8_t *rgba)
{
  /* Linear Display P3 to linear BT.709, both with white point D65. */
  static const double to_bt709[3][3] = {
    {1.2249401763, -0.2249401763, 0.0}, {-0.0420569547, 1.0420569547, 0.0}, {-0.0196375546, -0.0786360456, 1.0982736002}};
  double borders[255];
  find_borders(borders);
  for (size_t i = 0; i < (size_t)image->width * image->height; i++, rgba += 4) {
    const uint8_t *pixel = image->pixels + 16 * i;
    double color[3] = {channel(pixel), channel(pixel + 4), channel(pixel + 8)}, alpha = channel(pixel + 12);
    for (int c = 0; c < 3; c++) {
      const double *row = to_bt709[c];
      double light = image->is_display_p3 ? row[0] * color[0] + row[1] * color[1] + row[2] * color[2] : color[c];
      rgba[c] = encode(borders, light);
    }
    rgba[3] = (uint8_t)(alpha <= 0 ? 0 : alpha >= 1 ? 255 : alpha * 255 + 0.5);
  }
}

void wm_ktx2_to_rgba8(const struct wm_ktx2 *image, uint8_t *rgba)
{
  if (image->format == WM_KTX2_RGBA8_SRGB)
    memcpy(rgba, image->pixels, (size_t)image->width * image->height * 4);
  else
    convert(image, rgba);
}
