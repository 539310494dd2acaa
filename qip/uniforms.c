/* Keys and values of uniforms. */
#include "qip/uniforms.h"

#include "qip/number.h"

bool wm_uniform_key_is_valid(struct wm_text key)
{
  if (key.length == 0 || key.length > WM_UNIFORM_KEY_BYTES)
    return false;
  char before = '_'; /* so that the first byte can be neither _ nor a digit */
  for (uint32_t i = 0; i < key.length; i++) {
    char byte = key.bytes[i];
    bool is_letter = byte >= 'a' && byte <= 'z';
    bool is_digit = byte >= '0' && byte <= '9';
    if (!is_letter && (i == 0 || (!is_digit && byte != '_')))
      return false;
    if (byte == '_' && before == '_')
      return false;
    before = byte;
  }
  return before != '_';
}

static void name_key(struct wm_problem *problem, const char *before, struct wm_text key, const char *after)
{
  if (!wm_problem_begin(problem, WM_REQUEST))
    return;
  wm_problem_text(problem, before);
  wm_problem_bytes(problem, key.bytes, key.length);
  wm_problem_text(problem, after);
}

static void refuse_key(struct wm_problem *problem, struct wm_text key)
{
  name_key(problem, "uniform key \"", key, "\" is not valid: 1 to 63 of a-z, 0-9 and single inner _, a letter first");
}

bool wm_uniform_split(struct wm_text argument, struct wm_uniform *uniform, struct wm_problem *problem)
{
  uint32_t at = 0;
  while (at < argument.length && argument.bytes[at] != '=')
    at++;
  if (at == argument.length) {
    name_key(problem, "uniform \"", argument, "\" is not of the form key=value");
    return false;
  }
  uniform->key = (struct wm_text){argument.bytes, at};
  uniform->value = (struct wm_text){argument.bytes + at + 1, argument.length - at - 1};
  if (wm_uniform_key_is_valid(uniform->key))
    return true;
  refuse_key(problem, uniform->key);
  return false;
}

/* By insertion: they are few, and usually in order already. */
bool wm_uniforms_sort(struct wm_uniform *uniforms, uint32_t count, struct wm_problem *problem)
{
  for (uint32_t i = 0; i < count; i++) {
    struct wm_uniform moving = uniforms[i];
    if (!wm_uniform_key_is_valid(moving.key)) {
      refuse_key(problem, moving.key);
      return false;
    }
    uint32_t to = i;
    while (to > 0 && wm_text_compare(uniforms[to - 1].key, moving.key) > 0) {
      uniforms[to] = uniforms[to - 1];
      to--;
    }
    uniforms[to] = moving;
    if (to > 0 && wm_text_equal(uniforms[to - 1].key, moving.key)) {
      name_key(problem, "uniform \"", moving.key, "\" is given twice");
      return false;
    }
  }
  return true;
}

bool wm_uniform_parse(wm_valtype type, struct wm_text text, struct wm_value *value)
{
  uint32_t narrow = 0;
  bool is_read = false;
  value->type = type;
  value->bits[0] = value->bits[1] = 0;
  switch (type) {
  case WM_TYPE_I32:
    return wm_number_unsigned(text, 32, &value->bits[0]);
  case WM_TYPE_I64:
    return wm_number_signed(text, 64, &value->bits[0]);
  case WM_TYPE_F32:
    is_read = wm_number_f32(text, false, &narrow);
    value->bits[0] = narrow;
    return is_read;
  case WM_TYPE_F64:
    return wm_number_f64(text, false, &value->bits[0]);
  default:
    return false;
  }
}
