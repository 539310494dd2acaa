/* How small gzip -9 makes a file: asked of the external program, since no compressor is linked in. */
#ifndef WM_CLI_GZIP_H
#define WM_CLI_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False when there is no gzip, or it fails: the figure is not available then. Header and trailer are counted. */
bool wm_gzip_size(const uint8_t *bytes, size_t length, uint64_t *size);

#endif
