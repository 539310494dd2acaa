/* UTF-8 validity of inputs and outputs (Unicode, table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF). The check itself is
 * the decoder's, which needs it for names. */
#ifndef WM_QIP_UTF8_H
#define WM_QIP_UTF8_H

#include "decoder/reader.h"

/* True when all `length` bytes are well-formed. Else *bad_offset is where the first ill-formed sequence begins, which is the length
 * of the longest valid prefix; a sequence cut off by the end begins at its lead byte. */
static inline bool wm_utf8_is_valid(const uint8_t *bytes, uint64_t length, uint64_t *bad_offset)
{
  *bad_offset = wm_utf8_check(bytes, (size_t)length);
  return *bad_offset == length;
}

#endif
