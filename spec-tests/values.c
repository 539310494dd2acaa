/* Values of test scripts, as values.h says (docs: SPEC dialects in spec-tests/README.md). */
#include "spec-tests/values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct lane_kind { const char *name; unsigned bits; bool is_float; };
static const struct lane_kind lane_kinds[] = {
  {"i8", 8, false}, {"i16", 16, false}, {"i32", 32, false}, {"i64", 64, false}, {"f32", 32, true}, {"f64", 64, true}};

static const struct lane_kind *find_lane_kind(const char *name)
{
  for (size_t i = 0; name && i < sizeof lane_kinds / sizeof *lane_kinds; i++)
    if (strcmp(lane_kinds[i].name, name) == 0)
      return &lane_kinds[i];
  return NULL;
}

/* A decimal integer of `bits` bits, signed or unsigned, as its bit pattern. */
static bool read_bits(const char *text, unsigned bits, uint64_t *pattern)
{
  if (!text || !*text)
    return false;
  char *end;
  errno = 0;
  uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
  if (*text == '-') {
    long long value = strtoll(text, &end, 10);
    *pattern = (uint64_t)value & mask;
    return errno == 0 && !*end && (bits == 64 || value >= -(long long)(UINT64_C(1) << (bits - 1)));
  }
  if (*text < '0' || *text > '9')
    return false;
  *pattern = strtoull(text, &end, 10);
  return errno == 0 && !*end && *pattern <= mask;
}

static void put_lane(uint64_t words[2], unsigned bits, unsigned lane, uint64_t pattern)
{
  unsigned at = lane * bits;
  words[at / 64] |= pattern << (at % 64);
}

static uint64_t get_lane(const uint64_t words[2], unsigned bits, unsigned lane)
{
  unsigned at = lane * bits;
  uint64_t word = words[at / 64] >> (at % 64);
  return bits == 64 ? word : word & ((UINT64_C(1) << bits) - 1);
}

static bool read_vector(const struct wm_json *json, uint64_t words[2])
{
  const struct lane_kind *kind = find_lane_kind(wm_json_text(json, "lane_type"));
  const struct wm_json *lanes = wm_json_get(json, "value");
  if (!kind || !lanes || lanes->kind != WM_JSON_ARRAY)
    return false;
  unsigned lane = 0;
  words[0] = words[1] = 0;
  for (const struct wm_json *item = lanes->child; item; item = item->next, lane++) {
    uint64_t pattern;
    if (lane >= 128 / kind->bits || !read_bits(item->text, kind->bits, &pattern))
      return false;
    put_lane(words, kind->bits, lane, pattern);
  }
  return lane == 128 / kind->bits;
}

/* Reference types that scripts name, with the kinds of reference that a pattern without a value accepts. */
#define KIND(kind) (1u << WM_REF_##kind)
#define ANY_KIND (KIND(HOST) | KIND(I31) | KIND(STRUCT) | KIND(ARRAY) | KIND(FUNC) | KIND(EXCEPTION))
struct ref_type { const char *name; uint8_t heap; bool is_null; unsigned kinds; };
static const struct ref_type ref_types[] = {
  {"funcref", WM_HEAP_FUNC, false, KIND(FUNC)},
  {"externref", WM_HEAP_EXTERN, false, ANY_KIND},
  {"anyref", WM_HEAP_ANY, false, KIND(HOST) | KIND(I31) | KIND(STRUCT) | KIND(ARRAY)},
  {"eqref", WM_HEAP_EQ, false, KIND(I31) | KIND(STRUCT) | KIND(ARRAY)},
  {"i31ref", WM_HEAP_I31, false, KIND(I31)},
  {"structref", WM_HEAP_STRUCT, false, KIND(STRUCT)},
  {"arrayref", WM_HEAP_ARRAY, false, KIND(ARRAY)},
  {"exnref", WM_HEAP_EXN, false, KIND(EXCEPTION)},
  {"nullref", WM_HEAP_NONE, true, 0},
  {"nullfuncref", WM_HEAP_NOFUNC, true, 0},
  {"nullexternref", WM_HEAP_NOEXTERN, true, 0},
  {"nullexnref", WM_HEAP_NOEXN, true, 0},
};

static const struct ref_type *find_ref_type(const char *name)
{
  for (size_t i = 0; i < sizeof ref_types / sizeof *ref_types; i++)
    if (strcmp(ref_types[i].name, name) == 0)
      return &ref_types[i];
  return NULL;
}

bool wm_spec_read_value(const struct wm_json *json, struct wm_value *value)
{
  const char *type = wm_json_text(json, "type"), *text = wm_json_text(json, "value");
  memset(value, 0, sizeof *value);
  if (!type)
    return false;
  if (strcmp(type, "v128") == 0) {
    value->type = WM_TYPE_V128;
    return read_vector(json, value->bits);
  }
  static const struct { const char *name; wm_valtype type; unsigned bits; } numbers[] = {
    {"i32", WM_TYPE_I32, 32}, {"i64", WM_TYPE_I64, 64}, {"f32", WM_TYPE_F32, 32}, {"f64", WM_TYPE_F64, 64}};
  for (size_t i = 0; i < 4; i++)
    if (strcmp(type, numbers[i].name) == 0) {
      value->type = numbers[i].type;
      return read_bits(text, numbers[i].bits, &value->bits[0]);
    }
  const struct ref_type *ref = find_ref_type(type);
  if (!ref)
    return false;
  value->type = WM_REF(ref->heap, true);
  if (ref->is_null || (text && strcmp(text, "null") == 0))
    return true;
  uint64_t number;
  if (!(ref->kinds & KIND(HOST)) || !read_bits(text, 64, &number))
    return false;
  *value = wm_ref_host(number, value->type);
  return true;
}

/* One float or integer of `bits` against its text. */
static bool number_matches(const char *text, unsigned bits, bool is_float, uint64_t pattern)
{
  if (is_float && text && strncmp(text, "nan:", 4) == 0) {
    uint64_t exponent = bits == 32 ? 0x7f800000u : 0x7ff0000000000000u, quiet = bits == 32 ? 0x400000u : 0x8000000000000u;
    uint64_t payload = pattern & (bits == 32 ? 0x7fffffu : 0xfffffffffffffu);
    if ((pattern & exponent) != exponent)
      return false;
    return strcmp(text, "nan:canonical") == 0 ? payload == quiet : strcmp(text, "nan:arithmetic") == 0 && (payload & quiet);
  }
  uint64_t wanted;
  return read_bits(text, bits, &wanted) && wanted == pattern;
}

static bool vector_matches(const struct wm_json *pattern, const uint64_t words[2])
{
  const struct lane_kind *kind = find_lane_kind(wm_json_text(pattern, "lane_type"));
  const struct wm_json *lanes = wm_json_get(pattern, "value");
  if (!kind || !lanes || lanes->kind != WM_JSON_ARRAY)
    return false;
  unsigned lane = 0;
  for (const struct wm_json *item = lanes->child; item; item = item->next, lane++)
    if (lane >= 128 / kind->bits || !number_matches(item->text, kind->bits, kind->is_float, get_lane(words, kind->bits, lane)))
      return false;
  return lane == 128 / kind->bits;
}

/* The top of a reference type's hierarchy. */
static uint32_t hierarchy(const struct wm_types *types, wm_valtype type)
{
  static const uint8_t tops[] = {
    [WM_HEAP_FUNC] = WM_HEAP_FUNC, [WM_HEAP_NOFUNC] = WM_HEAP_FUNC, [WM_HEAP_EXTERN] = WM_HEAP_EXTERN,
    [WM_HEAP_NOEXTERN] = WM_HEAP_EXTERN, [WM_HEAP_ANY] = WM_HEAP_ANY, [WM_HEAP_EQ] = WM_HEAP_ANY, [WM_HEAP_I31] = WM_HEAP_ANY,
    [WM_HEAP_STRUCT] = WM_HEAP_ANY, [WM_HEAP_ARRAY] = WM_HEAP_ANY, [WM_HEAP_NONE] = WM_HEAP_ANY, [WM_HEAP_EXN] = WM_HEAP_EXN,
    [WM_HEAP_NOEXN] = WM_HEAP_EXN};
  uint32_t heap = wm_type_heap(type);
  if (heap < sizeof tops)
    return tops[heap];
  const struct wm_type *t = wm_types_get(types, heap - WM_HEAP_FIRST_ID);
  return t->composite == WM_COMPOSITE_FUNC ? WM_HEAP_FUNC : WM_HEAP_ANY;
}

static bool reference_matches(struct wm_store *store, const struct wm_types *types, const char *type, const char *text, struct wm_value value)
{
  if (!wm_type_is_ref(value.type))
    return false;
  struct wm_ref_view view = wm_ref_look(store, value);
  if (strcmp(type, "refnull") == 0)
    return view.kind == WM_REF_NULL;
  const struct ref_type *ref = find_ref_type(type);
  if (!ref || hierarchy(types, WM_REF(ref->heap, true)) != hierarchy(types, value.type))
    return false;
  if (ref->is_null || (text && strcmp(text, "null") == 0))
    return view.kind == WM_REF_NULL;
  if (view.kind == WM_REF_NULL || !(ref->kinds & 1u << view.kind))
    return false;
  uint64_t number;
  return !text || (view.kind == WM_REF_HOST && read_bits(text, 64, &number) && number == view.host);
}

bool wm_spec_matches(struct wm_store *store, const struct wm_types *types, const struct wm_json *pattern, struct wm_value value)
{
  const char *type = wm_json_text(pattern, "type"), *text = wm_json_text(pattern, "value");
  if (!type)
    return false;
  if (strcmp(type, "either") == 0) {
    const struct wm_json *values = wm_json_get(pattern, "values");
    for (const struct wm_json *item = values ? values->child : NULL; item; item = item->next)
      if (wm_spec_matches(store, types, item, value))
        return true;
    return false;
  }
  switch (value.type) {
  case WM_TYPE_I32: return strcmp(type, "i32") == 0 && number_matches(text, 32, false, value.bits[0]);
  case WM_TYPE_I64: return strcmp(type, "i64") == 0 && number_matches(text, 64, false, value.bits[0]);
  case WM_TYPE_F32: return strcmp(type, "f32") == 0 && number_matches(text, 32, true, value.bits[0]);
  case WM_TYPE_F64: return strcmp(type, "f64") == 0 && number_matches(text, 64, true, value.bits[0]);
  case WM_TYPE_V128: return strcmp(type, "v128") == 0 && vector_matches(pattern, value.bits);
  default: return reference_matches(store, types, type, text, value);
  }
}

void wm_spec_print_value(struct wm_buffer *out, struct wm_store *store, struct wm_value value)
{
  static const char *const kinds[] = {"null", "function", "host reference", "i31", "structure", "array", "exception"};
  unsigned long long low = value.bits[0], high = value.bits[1];
  switch (value.type) {
  case WM_TYPE_I32: wm_buffer_format(out, "i32 %llu", low); break;
  case WM_TYPE_I64: wm_buffer_format(out, "i64 %llu", low); break;
  case WM_TYPE_F32: wm_buffer_format(out, "f32 0x%08llx", low); break;
  case WM_TYPE_F64: wm_buffer_format(out, "f64 0x%016llx", low); break;
  case WM_TYPE_V128: wm_buffer_format(out, "v128 0x%016llx%016llx", high, low); break;
  default: {
    struct wm_ref_view view = wm_ref_look(store, value);
    wm_buffer_text(out, kinds[view.kind]);
    if (view.kind == WM_REF_HOST || view.kind == WM_REF_I31)
      wm_buffer_format(out, " %llu", (unsigned long long)view.host);
  }
  }
}

static void print_number(struct wm_buffer *out, const char *text, const char *type)
{
  uint64_t pattern;
  bool is_float = type[0] == 'f';
  unsigned bits = strcmp(type + 1, "32") == 0 ? 32 : 64;
  if (is_float && read_bits(text, bits, &pattern))
    wm_buffer_format(out, bits == 32 ? "0x%08llx" : "0x%016llx", (unsigned long long)pattern);
  else
    wm_buffer_escaped(out, text, strlen(text));
}

void wm_spec_print_pattern(struct wm_buffer *out, const struct wm_json *pattern)
{
  const char *type = wm_json_text(pattern, "type"), *text = wm_json_text(pattern, "value");
  if (!type) {
    wm_buffer_text(out, "?");
    return;
  }
  wm_buffer_escaped(out, type, strlen(type));
  const struct wm_json *items = wm_json_get(pattern, strcmp(type, "either") == 0 ? "values" : "value");
  if (text) {
    wm_buffer_char(out, ' ');
    print_number(out, text, type);
  } else if (items && items->kind == WM_JSON_ARRAY) {
    const char *lane_type = wm_json_text(pattern, "lane_type");
    wm_buffer_text(out, lane_type ? " " : "(");
    wm_buffer_text(out, lane_type ? lane_type : "");
    for (const struct wm_json *item = items->child; item; item = item->next) {
      if (lane_type) {
        wm_buffer_char(out, ' ');
        print_number(out, item->text ? item->text : "?", lane_type);
      } else {
        wm_buffer_text(out, item == items->child ? "" : " | ");
        wm_spec_print_pattern(out, item);
      }
    }
    wm_buffer_text(out, lane_type ? "" : ")");
  }
}
