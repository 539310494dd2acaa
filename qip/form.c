/* Building the canonical multipart request: what -F arguments mean, and the exact bytes. */
#include "qip/multipart.h"

static bool refuse(struct wm_problem *problem, const char *before, struct wm_text name, const char *after)
{
  if (wm_problem_begin(problem, WM_REQUEST)) {
    wm_problem_text(problem, before);
    wm_problem_bytes(problem, name.bytes, name.length);
    wm_problem_text(problem, after);
  }
  return false;
}

/* What may stand between quotes in a header. */
static bool is_plain(struct wm_text text)
{
  for (uint32_t i = 0; i < text.length; i++) {
    char byte = text.bytes[i];
    if (byte < 0x20 || byte > 0x7e || byte == '"' || byte == '\\')
      return false;
  }
  return true;
}

static struct wm_text last_component(struct wm_text path)
{
  uint32_t start = path.length;
  while (start > 0 && path.bytes[start - 1] != '/' && path.bytes[start - 1] != '\\')
    start--;
  return (struct wm_text){path.bytes + start, path.length - start};
}

bool wm_form_split(struct wm_text argument, struct wm_form_field *field, struct wm_problem *problem)
{
  uint32_t at = 0;
  while (at < argument.length && argument.bytes[at] != '=')
    at++;
  if (at == argument.length)
    return refuse(problem, "form field \"", argument, "\" is not of the form name=value");
  struct wm_text value = {argument.bytes + at + 1, argument.length - at - 1};
  *field = (struct wm_form_field){.name = {argument.bytes, at}, .source = WM_FORM_LITERAL, .value = value};
  if (at == 0)
    return refuse(problem, "form field \"", argument, "\" has an empty name");
  if (!is_plain(field->name))
    return refuse(problem, "form field name \"", field->name, "\": only printable ASCII without \" and \\");
  if (value.length == 0 || (value.bytes[0] != '@' && value.bytes[0] != '<'))
    return true;
  field->is_upload = value.bytes[0] == '@';
  field->value = (struct wm_text){value.bytes + 1, value.length - 1};
  if (field->value.length == 0)
    return refuse(problem, "form field \"", field->name, "\" has an empty path");
  bool is_stdin = wm_text_equal(field->value, WM_TEXT("-"));
  field->source = is_stdin ? WM_FORM_STDIN : WM_FORM_FILE;
  if (!field->is_upload)
    return true;
  field->filename = is_stdin ? field->value : last_component(field->value);
  if (!is_plain(field->filename))
    return refuse(problem, "form file name \"", field->filename, "\": only printable ASCII without \" and \\");
  return true;
}

static const char delimiter[] = "\r\n--uuid-" WM_BOUNDARY_UUID;
#define DELIMITER_BYTES (sizeof delimiter - 1)

/* A delimiter at the very end of the body counts too: the line end that is written after the body would complete it. */
bool wm_form_check(const struct wm_form_part *part, struct wm_problem *problem)
{
  for (uint64_t at = 0; part->length >= DELIMITER_BYTES && at <= part->length - DELIMITER_BYTES; at++) {
    const uint8_t *here = part->body + at;
    if (*here != '\r' || !wm_bytes_equal(here, delimiter, DELIMITER_BYTES))
      continue;
    const uint8_t *suffix = here + DELIMITER_BYTES;
    uint64_t left = part->length - at - DELIMITER_BYTES;
    if (left == 0 || (left >= 2 && ((suffix[0] == '\r' && suffix[1] == '\n') || (suffix[0] == '-' && suffix[1] == '-'))))
      return refuse(problem, "form field \"", part->name, "\" holds the multipart boundary");
  }
  return true;
}

/* Writes at *at where `out` is not NULL, and counts either way. */
static void put(uint8_t *out, uint64_t *at, const void *bytes, uint64_t length)
{
  if (out != NULL && length > 0)
    __builtin_memcpy(out + *at, bytes, (size_t)length);
  *at += length;
}
#define PUT(literal) put(out, &at, literal, sizeof literal - 1)

/* The bytes of one part around and with its body. */
static uint64_t write_part(const struct wm_form_part *part, uint8_t *out)
{
  uint64_t at = 0;
  put(out, &at, delimiter + 2, DELIMITER_BYTES - 2);
  PUT("\r\nContent-Disposition: form-data; name=\"");
  put(out, &at, part->name.bytes, part->name.length);
  PUT("\"");
  if (part->is_upload) {
    PUT("; filename=\"");
    put(out, &at, part->filename.bytes, part->filename.length);
    PUT("\"\r\nContent-Type: application/octet-stream");
  }
  PUT("\r\n\r\n");
  put(out, &at, part->body, part->length);
  PUT("\r\n");
  return at;
}

static uint64_t write_closing(uint8_t *out)
{
  uint64_t at = 0;
  put(out, &at, delimiter + 2, DELIMITER_BYTES - 2);
  PUT("--\r\n");
  return at;
}

uint64_t wm_form_size(const struct wm_form_part *parts, uint32_t count)
{
  uint64_t size = write_closing(NULL);
  for (uint32_t i = 0; i < count; i++) {
    struct wm_form_part empty = parts[i];
    empty.length = 0;
    uint64_t frame = write_part(&empty, NULL);
    if (parts[i].length > UINT64_MAX - size - frame)
      return UINT64_MAX;
    size += frame + parts[i].length;
  }
  return size;
}

void wm_form_write(const struct wm_form_part *parts, uint32_t count, uint8_t *out)
{
  for (uint32_t i = 0; i < count; i++)
    out += write_part(&parts[i], out);
  write_closing(out);
}
