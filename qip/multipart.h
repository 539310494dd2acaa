/* Multipart requests: the component-side parser, the fields of a page-report request, and the canonical builder (RFC 7578 in the
 * narrow form of the component contract).
 *
 * Nothing is copied: parts point into the request's bytes. Reading files is left to cli/. */
#ifndef WM_QIP_MULTIPART_H
#define WM_QIP_MULTIPART_H

#include "qip/uniforms.h"

/* ---- The boundary ---------------------------------------------------------------------------------------------- */

#define WM_BOUNDARY_UUID_BYTES 36
#define WM_BOUNDARY_UUID "00000000-0000-0000-0000-000000000000" /* the one that builders write */
#define WM_MULTIPART_TYPE_PREFIX "multipart/form-data;boundary=uuid-" /* the UUID follows: 34 bytes in front of it */
#define WM_MULTIPART_TYPE WM_MULTIPART_TYPE_PREFIX WM_BOUNDARY_UUID
#define WM_MULTIPART_HEADER_BYTES 16384

/* Lower-case hexadecimal 8-4-4-4-12. */
bool wm_boundary_is_valid(const uint8_t uuid[WM_BOUNDARY_UUID_BYTES]);

/* ---- Parsing --------------------------------------------------------------------------------------------------- */

struct wm_part {
  struct wm_text name;
  bool has_filename, has_content_type;
  struct wm_text filename, content_type;
  const uint8_t *body;
  uint64_t length;
};

struct wm_multipart {
  const uint8_t *bytes;
  uint64_t length, position;
  uint8_t delimiter[4 + 5 + WM_BOUNDARY_UUID_BYTES]; /* CR LF -- uuid-... */
  uint8_t state;
};

enum wm_multipart_next { WM_MULTIPART_PART, WM_MULTIPART_END, WM_MULTIPART_MALFORMED };

/* False with a WM_REQUEST problem when the boundary is not valid or the opening delimiter is missing. */
bool wm_multipart_open(struct wm_multipart *multipart, const uint8_t *bytes, uint64_t length, const uint8_t uuid[WM_BOUNDARY_UUID_BYTES],
                       struct wm_problem *problem);
enum wm_multipart_next wm_multipart_next(struct wm_multipart *multipart, struct wm_part *part, struct wm_problem *problem);

/* The request to the page report and the content interpreter: `component`, `input`, `uniforms[<key>]`. */
struct wm_request {
  const uint8_t *component, *input; /* input NULL and 0 when there was no such part */
  uint64_t component_length, input_length;
  bool has_input;
  uint32_t uniform_count;
  struct wm_uniform uniforms[WM_UNIFORMS_MAX]; /* sorted bytewise by key */
};
bool wm_request_parse(struct wm_request *request, const uint8_t *bytes, uint64_t length, const uint8_t uuid[WM_BOUNDARY_UUID_BYTES],
                      struct wm_problem *problem);

/* ---- Building -------------------------------------------------------------------------------------------------- */

/* What one -F argument asks for. */
enum wm_form_source { WM_FORM_LITERAL, WM_FORM_FILE, WM_FORM_STDIN };
struct wm_form_field {
  struct wm_text name;
  uint8_t source;          /* enum wm_form_source */
  bool is_upload;          /* `@`: with filename and Content-Type; `<` and literals: an ordinary field */
  struct wm_text value;    /* LITERAL: the text; FILE: the path; STDIN: "-" */
  struct wm_text filename; /* uploads: after the path's last / or \ */
};
/* Reads `name=value`, `name=@path`, `name=@-`, `name=<path`, `name=<-`. WM_REQUEST problem: no `=`, empty name, empty path, bytes that a
 * name or filename may not have. That standard input is used once is for the caller to see. */
bool wm_form_split(struct wm_text argument, struct wm_form_field *field, struct wm_problem *problem);

/* One part to write. */
struct wm_form_part {
  struct wm_text name;
  bool is_upload;
  struct wm_text filename;
  const uint8_t *body;
  uint64_t length;
};
/* Refuses (WM_REQUEST) a body that holds CR LF -- boundary followed by CR LF, -- or the body's end. */
bool wm_form_check(const struct wm_form_part *part, struct wm_problem *problem);
/* Bytes of the whole request, the closing line included. UINT64_MAX when the sum does not fit. */
uint64_t wm_form_size(const struct wm_form_part *parts, uint32_t count);
/* Writes exactly wm_form_size bytes, with the boundary WM_BOUNDARY_UUID. */
void wm_form_write(const struct wm_form_part *parts, uint32_t count, uint8_t *out);

#endif
