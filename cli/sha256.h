/* SHA-256 (FIPS 180-4), for reports whose readers have other tools: bench and step tell outputs by it. */
#ifndef WM_CLI_SHA256_H
#define WM_CLI_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define WM_SHA256_BYTES 32
#define WM_SHA256_CHARS 65 /* hexadecimal, the terminating NUL included */
void wm_sha256(uint8_t digest[WM_SHA256_BYTES], const void *bytes, size_t length);
void wm_sha256_text(char text[WM_SHA256_CHARS], const void *bytes, size_t length);

#endif
