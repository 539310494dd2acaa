/* Guest values as text; see values.h. Reading goes through qip/number.h, the product's one number parser; printing of floats tries
 * ever more digits until that parser gives the same bits back. */
#include "cli/values.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qip/number.h"

/* ---- Reading ---------------------------------------------------------------------------------------------------- */

static const struct shape { const char *name; uint8_t lanes, bits; bool is_float; } shapes[] = {
  {"i8x16", 16, 8, false}, {"i16x8", 8, 16, false}, {"i32x4", 4, 32, false}, {"i64x2", 2, 64, false},
  {"f32x4", 4, 32, true}, {"f64x2", 2, 64, true},
};

static bool parse_lane(const struct shape *shape, struct wm_text text, uint64_t *bits)
{
  if (!shape->is_float)
    return wm_number_integer(text, shape->bits, bits);
  if (shape->bits == 64)
    return wm_number_f64(text, true, bits);
  uint32_t single;
  bool is_number = wm_number_f32(text, true, &single);
  *bits = single;
  return is_number;
}

static bool parse_vector(const char *text, uint64_t bits[2])
{
  static const char separators[] = " ,:\t";
  size_t length = strcspn(text, separators);
  const struct shape *shape = NULL;
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    if (strlen(shapes[i].name) == length && memcmp(shapes[i].name, text, length) == 0)
      shape = &shapes[i];
  if (shape == NULL)
    return false;
  bits[0] = bits[1] = 0;
  text += length;
  for (unsigned lane = 0; lane < shape->lanes; lane++) {
    text += strspn(text, separators);
    /* `nan:0x…` holds a separator: it belongs to the number when 0x follows. */
    length = strcspn(text, separators);
    if (text[length] == ':' && length >= 3 && memcmp(text + length - 3, "nan", 3) == 0 && text[length + 1] == '0')
      length += 1 + strcspn(text + length + 1, separators);
    uint64_t value;
    if (!parse_lane(shape, (struct wm_text){text, (uint32_t)length}, &value))
      return false;
    unsigned position = lane * shape->bits;
    bits[position / 64] |= value << position % 64;
    text += length;
  }
  return text[strspn(text, separators)] == '\0';
}

static bool parse_reference(struct wm_value *value, wm_valtype type, struct wm_text text)
{
  uint32_t heap = wm_type_heap(type);
  if (wm_type_is_nullable(type) && (strcmp(text.bytes, "null") == 0 || strcmp(text.bytes, "ref.null") == 0)) {
    *value = (struct wm_value){type, {0, 0}};
    return true;
  }
  uint64_t number;
  if ((heap != WM_HEAP_EXTERN && heap != WM_HEAP_ANY) || !wm_number_unsigned(text, 32, &number))
    return false;
  *value = wm_ref_host(number, type);
  return true;
}

bool wm_value_parse(struct wm_value *value, wm_valtype type, const char *argument)
{
  size_t length = strlen(argument);
  if (length > UINT32_MAX)
    return false;
  struct wm_text text = {argument, (uint32_t)length};
  *value = (struct wm_value){type, {0, 0}};
  uint32_t single;
  switch (type) {
  case WM_TYPE_I32:
    return wm_number_integer(text, 32, &value->bits[0]);
  case WM_TYPE_I64:
    return wm_number_integer(text, 64, &value->bits[0]);
  case WM_TYPE_F32:
    if (!wm_number_f32(text, true, &single))
      return false;
    value->bits[0] = single;
    return true;
  case WM_TYPE_F64:
    return wm_number_f64(text, true, &value->bits[0]);
  case WM_TYPE_V128:
    return parse_vector(argument, value->bits);
  default:
    return wm_type_is_ref(type) && parse_reference(value, type, text);
  }
}

/* ---- Printing --------------------------------------------------------------------------------------------------- */

/* Lays out `digits` (no point) times ten to `exponent` of the first one: plain while short, else with an exponent. */
static void print_digits(struct wm_buffer *buffer, const char *digits, int count, int exponent)
{
  if (exponent >= 21 || exponent < -6) {
    wm_buffer_format(buffer, "%c%s%.*se%+d", digits[0], count > 1 ? "." : "", count - 1, digits + 1, exponent);
  } else if (exponent < 0) {
    wm_buffer_text(buffer, "0.");
    for (int i = -1; i > exponent; i--)
      wm_buffer_char(buffer, '0');
    wm_buffer_add(buffer, digits, (size_t)count);
  } else {
    for (int i = 0; i <= exponent; i++)
      wm_buffer_char(buffer, i < count ? digits[i] : '0');
    if (count > exponent + 1)
      wm_buffer_format(buffer, ".%.*s", count - exponent - 1, digits + exponent + 1);
  }
}

static bool reads_back(const char *text, bool is_double, uint64_t bits)
{
  struct wm_text whole = {text, (uint32_t)strlen(text)};
  uint32_t single;
  uint64_t wide;
  return is_double ? wm_number_f64(whole, false, &wide) && wide == bits : wm_number_f32(whole, false, &single) && single == bits;
}

/* A finite magnitude (sign bit clear) that is not zero. */
static void print_magnitude(struct wm_buffer *buffer, double number, bool is_double, uint64_t bits)
{
  char text[40];
  int precision = 0;
  do {
    snprintf(text, sizeof text, "%.*e", precision, number);
  } while (!reads_back(text, is_double, bits) && ++precision < 20);
  char digits[24];
  int count = 0;
  char *c = text;
  for (; *c != 'e'; c++)
    if (*c != '.')
      digits[count++] = *c;
  print_digits(buffer, digits, count, atoi(c + 1));
}

static void print_float(struct wm_buffer *buffer, uint64_t bits, unsigned width)
{
  bool is_double = width == 64;
  unsigned fraction_bits = is_double ? 52 : 23;
  uint64_t fraction = bits & ((UINT64_C(1) << fraction_bits) - 1);
  uint64_t magnitude = bits & ~(UINT64_C(1) << (width - 1));
  uint64_t infinity = is_double ? UINT64_C(0x7ff) << 52 : UINT64_C(0xff) << 23;
  if (magnitude != bits)
    wm_buffer_char(buffer, '-');
  if (magnitude == 0) {
    wm_buffer_char(buffer, '0');
  } else if (magnitude == infinity) {
    wm_buffer_text(buffer, "inf");
  } else if (magnitude > infinity) {
    wm_buffer_text(buffer, "nan");
    if (fraction != UINT64_C(1) << (fraction_bits - 1))
      wm_buffer_format(buffer, ":0x%" PRIx64, fraction);
  } else if (is_double) {
    double number;
    memcpy(&number, &magnitude, sizeof number);
    print_magnitude(buffer, number, true, magnitude);
  } else {
    float number;
    uint32_t single = (uint32_t)magnitude;
    memcpy(&number, &single, sizeof number);
    print_magnitude(buffer, (double)number, false, magnitude);
  }
}

void wm_f32_print(struct wm_buffer *buffer, uint32_t bits)
{
  print_float(buffer, bits, 32);
}

void wm_f64_print(struct wm_buffer *buffer, uint64_t bits)
{
  print_float(buffer, bits, 64);
}

static void print_reference(struct wm_buffer *buffer, struct wm_store *store, const struct wm_value *value)
{
  struct wm_ref_view view = wm_ref_look(store, *value);
  switch (view.kind) {
  case WM_REF_NULL:
    wm_buffer_text(buffer, "ref.null");
    break;
  case WM_REF_FUNC:
    wm_buffer_format(buffer, "ref.func %" PRIu64, view.host);
    break;
  case WM_REF_HOST:
    wm_buffer_format(buffer, "ref.extern %" PRIu64, view.host);
    break;
  case WM_REF_I31:
    wm_buffer_format(buffer, "ref.i31 %" PRId32, (int32_t)(uint32_t)(view.host << 1) >> 1);
    break;
  case WM_REF_STRUCT:
    wm_buffer_text(buffer, "ref.struct");
    break;
  case WM_REF_ARRAY:
    wm_buffer_text(buffer, "ref.array");
    break;
  default:
    wm_buffer_text(buffer, "ref.exn");
    break;
  }
}

void wm_value_print(struct wm_buffer *buffer, struct wm_store *store, const struct wm_value *value)
{
  switch (value->type) {
  case WM_TYPE_I32:
    wm_buffer_format(buffer, "%" PRId32, (int32_t)(uint32_t)value->bits[0]);
    break;
  case WM_TYPE_I64:
    wm_buffer_format(buffer, "%" PRId64, (int64_t)value->bits[0]);
    break;
  case WM_TYPE_F32:
    wm_f32_print(buffer, (uint32_t)value->bits[0]);
    break;
  case WM_TYPE_F64:
    wm_f64_print(buffer, value->bits[0]);
    break;
  case WM_TYPE_V128:
    wm_buffer_text(buffer, "i32x4");
    for (int lane = 0; lane < 4; lane++)
      wm_buffer_format(buffer, " %" PRId32, (int32_t)(uint32_t)(value->bits[lane / 2] >> lane % 2 * 32));
    break;
  default:
    print_reference(buffer, store, value);
    break;
  }
}

/* ---- Types ------------------------------------------------------------------------------------------------------ */

void wm_valtype_print(struct wm_buffer *buffer, wm_valtype type)
{
  static const char *const heaps[] = {
    [WM_HEAP_FUNC] = "func", [WM_HEAP_NOFUNC] = "nofunc", [WM_HEAP_EXTERN] = "extern", [WM_HEAP_NOEXTERN] = "noextern",
    [WM_HEAP_ANY] = "any", [WM_HEAP_EQ] = "eq", [WM_HEAP_I31] = "i31", [WM_HEAP_STRUCT] = "struct", [WM_HEAP_ARRAY] = "array",
    [WM_HEAP_NONE] = "none", [WM_HEAP_EXN] = "exn", [WM_HEAP_NOEXN] = "noexn",
  };
  switch (type) {
  case WM_TYPE_I32:
    wm_buffer_text(buffer, "i32");
    return;
  case WM_TYPE_I64:
    wm_buffer_text(buffer, "i64");
    return;
  case WM_TYPE_F32:
    wm_buffer_text(buffer, "f32");
    return;
  case WM_TYPE_F64:
    wm_buffer_text(buffer, "f64");
    return;
  case WM_TYPE_V128:
    wm_buffer_text(buffer, "v128");
    return;
  default:
    break;
  }
  uint32_t heap = wm_type_heap(type);
  wm_buffer_text(buffer, wm_type_is_nullable(type) ? "(ref null " : "(ref ");
  if (heap < sizeof heaps / sizeof *heaps)
    wm_buffer_text(buffer, heaps[heap]);
  else
    wm_buffer_format(buffer, "type %" PRIu32, heap - WM_HEAP_FIRST_ID);
  wm_buffer_char(buffer, ')');
}

static void print_types(struct wm_buffer *buffer, const wm_valtype *types, uint32_t count)
{
  wm_buffer_char(buffer, '(');
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0)
      wm_buffer_char(buffer, ' ');
    wm_valtype_print(buffer, types[i]);
  }
  wm_buffer_char(buffer, ')');
}

void wm_signature_print(struct wm_buffer *buffer, const struct wm_type *type)
{
  print_types(buffer, type->params, type->param_count);
  wm_buffer_text(buffer, " -> ");
  print_types(buffer, type->results, type->result_count);
}
