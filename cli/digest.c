/* The only file that includes xxHash; see digest.h. Inlined, so that nothing is loaded for runs that ask for no digest. */
#include "cli/digest.h"

#define XXH_INLINE_ALL
#include <string.h>
#include <xxhash.h>

void wm_digest(char text[WM_DIGEST_CHARS], const void *bytes, size_t length)
{
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes, length));
  for (size_t i = 0; i < sizeof canonical.digest; i++) {
    static const char digits[] = "0123456789abcdef";
    text[2 * i] = digits[canonical.digest[i] >> 4];
    text[2 * i + 1] = digits[canonical.digest[i] & 15];
  }
  text[WM_DIGEST_CHARS - 1] = '\0';
}

void wm_digest_line(struct wm_buffer *buffer, const char *what, const void *bytes, size_t length, const char *label)
{
  char text[WM_DIGEST_CHARS];
  wm_digest(text, bytes, length);
  wm_buffer_format(buffer, "%s %s ", what, text);
  wm_buffer_escaped(buffer, label, strlen(label));
  wm_buffer_char(buffer, '\n');
}
