/* UTF-8 validity (Unicode, table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF). */
#ifndef WM_QIP_UTF8_H
#define WM_QIP_UTF8_H

#include <stdbool.h>
#include <stdint.h>

/* True when all `length` bytes are well-formed. Else *bad_offset is where the first ill-formed sequence begins, which is the length
 * of the longest valid prefix; a sequence cut off by the end begins at its lead byte. */
bool wm_utf8_check(const uint8_t *bytes, uint64_t length, uint64_t *bad_offset);

#endif
