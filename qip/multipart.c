/* The parser of multipart/form-data as components read it: narrow on purpose, so that every request has one reading.
 *
 * No preamble, no folding, two header names, quoted parameters without escapes; a header line is split at `;` before quotes
 * are looked at. Parameter names are compared without regard to case, as header names are. The search for a delimiter is one
 * pass over the body. The builder is in form.c. */
#include "qip/multipart.h"

enum { AT_PART, AT_END };

#define DELIMITER_BYTES sizeof(((struct wm_multipart *)0)->delimiter)

static bool malformed(struct wm_problem *problem, uint64_t offset, const char *what)
{
  if (wm_problem_begin(problem, WM_REQUEST)) {
    wm_problem_text(problem, "malformed request at byte ");
    wm_problem_number(problem, offset);
    wm_problem_text(problem, ": ");
    wm_problem_text(problem, what);
  }
  return false;
}

/* ---- Delimiters ------------------------------------------------------------------------------------------------ */

bool wm_boundary_is_valid(const uint8_t uuid[WM_BOUNDARY_UUID_BYTES])
{
  for (uint32_t i = 0; i < WM_BOUNDARY_UUID_BYTES; i++) {
    bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
    bool is_hex = (uuid[i] >= '0' && uuid[i] <= '9') || (uuid[i] >= 'a' && uuid[i] <= 'f');
    if (is_dash ? uuid[i] != '-' : !is_hex)
      return false;
  }
  return true;
}

static bool has_bytes(const struct wm_multipart *m, uint64_t at, const void *bytes, size_t length)
{
  return at <= m->length && m->length - at >= length && wm_bytes_equal(m->bytes + at, bytes, length);
}

/* After a delimiter: CR LF opens a part, -- ends the request; anything else, and it was none. */
static bool read_suffix(struct wm_multipart *m, uint64_t at, uint8_t *state)
{
  if (has_bytes(m, at, "\r\n", 2))
    *state = AT_PART;
  else if (has_bytes(m, at, "--", 2))
    *state = AT_END;
  else
    return false;
  m->position = at + 2;
  return true;
}

bool wm_multipart_open(struct wm_multipart *m, const uint8_t *bytes, uint64_t length, const uint8_t uuid[WM_BOUNDARY_UUID_BYTES],
                       struct wm_problem *problem)
{
  m->bytes = bytes;
  m->length = length;
  m->position = 0;
  m->state = AT_END;
  __builtin_memcpy(m->delimiter, "\r\n--uuid-", 9);
  __builtin_memcpy(m->delimiter + 9, uuid, WM_BOUNDARY_UUID_BYTES);
  if (!wm_boundary_is_valid(uuid))
    return malformed(problem, 0, "the boundary is not a lower-case UUID");
  size_t opening = DELIMITER_BYTES - 2; /* without CR LF */
  if (!has_bytes(m, 0, m->delimiter + 2, opening) || !read_suffix(m, opening, &m->state))
    return malformed(problem, 0, "it does not begin with the opening delimiter");
  return true;
}

/* Where the body that begins at `at` ends; moves behind the delimiter. */
static bool find_end_of_body(struct wm_multipart *m, uint64_t at, uint64_t *end)
{
  for (; m->length - at >= DELIMITER_BYTES; at++) {
    if (m->bytes[at] != '\r' || !has_bytes(m, at, m->delimiter, DELIMITER_BYTES))
      continue;
    if (read_suffix(m, at + DELIMITER_BYTES, &m->state)) {
      *end = at;
      return true;
    }
  }
  return false;
}

/* ---- Headers --------------------------------------------------------------------------------------------------- */

static bool is_blank(char byte)
{
  return byte == ' ' || byte == '\t';
}

static struct wm_text trim(struct wm_text text)
{
  while (text.length > 0 && is_blank(text.bytes[0]))
    text.bytes++, text.length--;
  while (text.length > 0 && is_blank(text.bytes[text.length - 1]))
    text.length--;
  return text;
}

/* `lower` is a lower-case literal. */
static bool is_word(struct wm_text text, const char *lower)
{
  uint32_t i = 0;
  for (; i < text.length && lower[i]; i++) {
    char byte = text.bytes[i] >= 'A' && text.bytes[i] <= 'Z' ? (char)(text.bytes[i] + 32) : text.bytes[i];
    if (byte != lower[i])
      return false;
  }
  return i == text.length && lower[i] == 0;
}

/* Cuts `rest` at the first `separator`: the piece before it is returned, the rest begins behind it (`found` false: all was taken). */
static struct wm_text cut(struct wm_text *rest, char separator, bool *found)
{
  struct wm_text piece = *rest;
  uint32_t at = 0;
  while (at < rest->length && rest->bytes[at] != separator)
    at++;
  *found = at < rest->length;
  piece.length = at;
  uint32_t skipped = at + (*found ? 1 : 0);
  rest->bytes += skipped;
  rest->length -= skipped;
  return piece;
}

/* key="text" */
static bool read_parameter(struct wm_text parameter, struct wm_text *key, struct wm_text *value)
{
  bool has_equals;
  *key = cut(&parameter, '=', &has_equals);
  if (!has_equals || key->length == 0 || parameter.length < 2 || parameter.bytes[0] != '"' || parameter.bytes[parameter.length - 1] != '"')
    return false;
  *value = (struct wm_text){parameter.bytes + 1, parameter.length - 2};
  for (uint32_t i = 0; i < value->length; i++) {
    char byte = value->bytes[i];
    if (byte == '"' || byte == '\\' || byte == '\r' || byte == '\n')
      return false;
  }
  return true;
}

static const char *read_disposition(struct wm_text line, struct wm_part *part, bool *has_name)
{
  bool is_more;
  if (!is_word(trim(cut(&line, ';', &is_more)), "form-data"))
    return "Content-Disposition is not form-data";
  while (is_more) {
    struct wm_text key, value;
    if (!read_parameter(trim(cut(&line, ';', &is_more)), &key, &value))
      return "a Content-Disposition parameter is not of the form key=\"text\"";
    if (is_word(key, "name")) {
      if (*has_name)
        return "Content-Disposition has two names";
      *has_name = true;
      part->name = value;
    } else if (is_word(key, "filename")) {
      if (part->has_filename)
        return "Content-Disposition has two filenames";
      part->has_filename = true;
      part->filename = value;
    }
  }
  return *has_name ? NULL : "Content-Disposition has no name";
}

static const char *read_header(struct wm_text line, struct wm_part *part, bool *has_name)
{
  if (line.length == 0 || is_blank(line.bytes[0]))
    return "a header line is empty or begins with white space";
  bool has_colon;
  struct wm_text name = cut(&line, ':', &has_colon);
  if (!has_colon)
    return "a header line has no colon";
  if (is_word(name, "content-disposition"))
    return *has_name ? "Content-Disposition stands twice" : read_disposition(line, part, has_name);
  if (!is_word(name, "content-type"))
    return "a header other than Content-Disposition and Content-Type";
  if (part->has_content_type)
    return "Content-Type stands twice";
  part->has_content_type = true;
  part->content_type = trim(line);
  return part->content_type.length > 0 ? NULL : "Content-Type is empty";
}

/* The header block from m->position to the first CR LF CR LF, which it leaves behind. */
static bool read_headers(struct wm_multipart *m, struct wm_part *part, struct wm_problem *problem)
{
  uint64_t start = m->position, end = start;
  uint64_t left = m->length - start;
  uint64_t last = start + (left < WM_MULTIPART_HEADER_BYTES ? left : WM_MULTIPART_HEADER_BYTES);
  while (end <= last && !has_bytes(m, end, "\r\n\r\n", 4))
    end++;
  if (end > last)
    return malformed(problem, start, "the header block has no end, or is longer than 16384 bytes");
  bool has_name = false;
  for (uint64_t at = start; at <= end;) {
    uint64_t line_end = at;
    while (line_end < end && !has_bytes(m, line_end, "\r\n", 2))
      line_end++;
    struct wm_text line = {(const char *)m->bytes + at, (uint32_t)(line_end - at)};
    const char *what = read_header(line, part, &has_name);
    if (what != NULL)
      return malformed(problem, at, what);
    at = line_end + 2;
  }
  if (!has_name)
    return malformed(problem, start, "a part has no Content-Disposition");
  m->position = end + 4;
  return true;
}

enum wm_multipart_next wm_multipart_next(struct wm_multipart *m, struct wm_part *part, struct wm_problem *problem)
{
  if (m->state == AT_END) {
    if (has_bytes(m, m->position, "\r\n", 2))
      m->position += 2;
    if (m->position == m->length)
      return WM_MULTIPART_END;
    malformed(problem, m->position, "bytes after the closing delimiter");
    return WM_MULTIPART_MALFORMED;
  }
  *part = (struct wm_part){.body = NULL};
  if (!read_headers(m, part, problem))
    return WM_MULTIPART_MALFORMED;
  uint64_t body = m->position, end;
  if (!find_end_of_body(m, body, &end)) {
    malformed(problem, m->length, "the closing delimiter is missing");
    return WM_MULTIPART_MALFORMED;
  }
  part->body = m->bytes + body;
  part->length = end - body;
  return WM_MULTIPART_PART;
}

/* ---- The request of the page report and the content interpreter -------------------------------------------------- */

static bool refuse_field(struct wm_problem *problem, struct wm_text name, const char *why)
{
  if (wm_problem_begin(problem, WM_REQUEST)) {
    wm_problem_text(problem, "request field \"");
    wm_problem_bytes(problem, name.bytes, name.length);
    wm_problem_text(problem, why);
  }
  return false;
}

/* uniforms[<key>] */
static bool read_uniform_name(struct wm_text name, struct wm_text *key)
{
  static const char prefix[] = "uniforms[";
  uint32_t length = sizeof prefix - 1;
  if (name.length < length + 1 || !wm_bytes_equal(name.bytes, prefix, length) || name.bytes[name.length - 1] != ']')
    return false;
  *key = (struct wm_text){name.bytes + length, name.length - length - 1};
  return true;
}

static bool take_field(struct wm_request *request, const struct wm_part *part, struct wm_problem *problem)
{
  struct wm_text key;
  if (wm_text_equal(part->name, WM_TEXT("component"))) {
    if (request->component != NULL)
      return refuse_field(problem, part->name, "\" stands twice");
    request->component = part->body;
    request->component_length = part->length;
  } else if (wm_text_equal(part->name, WM_TEXT("input"))) {
    if (request->has_input)
      return refuse_field(problem, part->name, "\" stands twice");
    request->has_input = true;
    request->input = part->body;
    request->input_length = part->length;
  } else if (read_uniform_name(part->name, &key)) {
    if (request->uniform_count == WM_UNIFORMS_MAX)
      return refuse_field(problem, part->name, "\" is one too many: at most 64 uniforms");
    if (part->length > UINT32_MAX)
      return refuse_field(problem, part->name, "\" is too long");
    request->uniforms[request->uniform_count++] = (struct wm_uniform){key, {(const char *)part->body, (uint32_t)part->length}};
  } else {
    return refuse_field(problem, part->name, "\" is unknown: component, input and uniforms[key] are");
  }
  return true;
}

bool wm_request_parse(struct wm_request *request, const uint8_t *bytes, uint64_t length, const uint8_t uuid[WM_BOUNDARY_UUID_BYTES],
                      struct wm_problem *problem)
{
  struct wm_multipart multipart;
  struct wm_part part;
  request->component = request->input = NULL;
  request->component_length = request->input_length = 0;
  request->has_input = false;
  request->uniform_count = 0;
  if (!wm_multipart_open(&multipart, bytes, length, uuid, problem))
    return false;
  enum wm_multipart_next next;
  while ((next = wm_multipart_next(&multipart, &part, problem)) == WM_MULTIPART_PART)
    if (!take_field(request, &part, problem))
      return false;
  if (next == WM_MULTIPART_MALFORMED)
    return false;
  if (request->component == NULL)
    return refuse_field(problem, WM_TEXT("component"), "\" is missing");
  return wm_uniforms_sort(request->uniforms, request->uniform_count, problem);
}
