/* An error is a value with a place: what kind, which byte of the module file, and the specification's own words.
 *
 * The first error wins; prose around it is made in cli/. Messages are string literals, never owned by anybody. */
#ifndef WM_DECODER_ERROR_H
#define WM_DECODER_ERROR_H

#include <stdint.h>

enum wm_status {
  WM_OK = 0,
  WM_MALFORMED,  /* the bytes are no module: binary format violated */
  WM_INVALID,    /* a module, but validation refuses it */
  WM_UNLINKABLE, /* an import is unknown or does not match */
  WM_LIMIT,      /* correct, but beyond a field of struct wm_limits */
  WM_NO_SPACE,   /* the caller's arena or region is used up */
  WM_CONTRACT,   /* the component broke its contract (used by qip/) */
  WM_REQUEST,    /* request, uniform or input is not acceptable (used by qip/) */
};

#define WM_NO_OFFSET UINT64_MAX
#define WM_NO_INDEX UINT32_MAX

struct wm_error {
  enum wm_status status;
  uint64_t offset;     /* byte in the module file, or WM_NO_OFFSET */
  uint32_t function;   /* index in the function index space, or WM_NO_INDEX */
  uint64_t limit;      /* WM_LIMIT: the limit that was passed, else 0 */
  const char *message; /* a literal; "" when status is WM_OK */
};

/* Sets *error unless an earlier error is in it already. */
static inline void wm_error_set(struct wm_error *error, enum wm_status status, uint64_t offset, const char *message)
{
  if (error->status != WM_OK)
    return;
  error->status = status;
  error->offset = offset;
  error->function = WM_NO_INDEX;
  error->limit = 0;
  error->message = message;
}

#define WM_ERROR_NONE ((struct wm_error){WM_OK, WM_NO_OFFSET, WM_NO_INDEX, 0, ""})

#endif
