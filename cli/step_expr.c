/* Reading and computing expressions; see step_expr.h. Precedence climbing, nesting bounded. */
#include "cli/step_expr.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/values.h"
#include "decoder/names.h"
#include "instrument/text.h"

#define DEEPEST 64

struct reader {
  struct wm_debugger *d;
  const char *at;
  unsigned depth;
};

static bool refuse(struct reader *r, const char *what)
{
  if (r->d->problem.length == 0)
    wm_buffer_text(&r->d->problem, what);
  return false;
}

static bool is_float(const struct wm_term *term)
{
  return term->value.type == WM_TYPE_F32 || term->value.type == WM_TYPE_F64;
}

static bool is_integer(const struct wm_term *term)
{
  return term->value.type == 0 || term->value.type == WM_TYPE_I32 || term->value.type == WM_TYPE_I64;
}

static int64_t integer(const struct wm_term *term)
{
  if (term->value.type == WM_TYPE_I32 && !term->is_unsigned)
    return (int32_t)(uint32_t)term->value.bits[0];
  return (int64_t)term->value.bits[0];
}

static double real(const struct wm_term *term)
{
  double wide;
  float narrow;
  uint32_t low = (uint32_t)term->value.bits[0];
  if (term->value.type == WM_TYPE_F64) {
    memcpy(&wide, &term->value.bits[0], sizeof wide);
    return wide;
  }
  if (term->value.type == WM_TYPE_F32) {
    memcpy(&narrow, &low, sizeof narrow);
    return narrow;
  }
  return (double)integer(term);
}

static struct wm_term of_integer(uint64_t number)
{
  return (struct wm_term){.value = {0, {number, 0}}};
}

static struct wm_term of_real(double number)
{
  struct wm_term term = {.value = {WM_TYPE_F64, {0, 0}}};
  memcpy(&term.value.bits[0], &number, sizeof number);
  return term;
}

bool wm_expr_is_true(const struct wm_term *term)
{
  return is_float(term) ? real(term) != 0 : (term->value.bits[0] | term->value.bits[1]) != 0;
}

bool wm_expr_number(struct wm_debugger *d, const struct wm_term *term, uint64_t *number)
{
  if (!is_integer(term)) {
    wm_buffer_text(&d->problem, "an integer is needed here");
    return false;
  }
  *number = (uint64_t)integer(term);
  return true;
}

bool wm_expr_address(struct wm_debugger *d, const struct wm_term *term, uint32_t memory, uint64_t *address)
{
  const struct wm_module *module = &d->target.session.module;
  if (!wm_expr_number(d, term, address))
    return false;
  if (memory >= module->memory_count) {
    wm_buffer_format(&d->problem, "there is no memory %" PRIu32, memory);
    return false;
  }
  if ((int64_t)*address < 0 && !module->memories[memory].type.limits.is_64)
    *address &= UINT32_MAX;
  return true;
}

/* ---- Words ------------------------------------------------------------------------------------------------------ */

static void skip_blanks(struct reader *r)
{
  while (*r->at == ' ' || *r->at == '\t')
    r->at++;
}

static bool is_word(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '$' || (c & 0x80) != 0;
}

static bool read_number(struct reader *r, struct wm_term *term)
{
  size_t length = 0;
  while (is_word(r->at[length]) || ((r->at[length] == '+' || r->at[length] == '-') && length > 0 && r->at[0] != '0' &&
                                    (r->at[length - 1] == 'e' || r->at[length - 1] == 'E')))
    length++;
  char word[64];
  uint64_t number;
  if (length >= sizeof word)
    return refuse(r, "a number is too long");
  memcpy(word, r->at, length);
  word[length] = '\0';
  r->at += length;
  if (wm_parse_count(word, &number)) {
    *term = of_integer(number);
    return true;
  }
  struct wm_value value;
  if (strchr(word, '.') == NULL && strpbrk(word, "eE") == NULL)
    return refuse(r, "not a number, or one beyond 64 bits");
  if (!wm_value_parse(&value, WM_TYPE_F64, word))
    return refuse(r, "not a number");
  *term = (struct wm_term){.value = value};
  return true;
}

static bool read_binary(struct reader *r, unsigned least, struct wm_term *term);

/* ---- What the run holds ----------------------------------------------------------------------------------------- */

static bool take_slot(struct reader *r, const struct wm_frame_view *view, wm_valtype type, uint32_t slot, struct wm_term *term)
{
  *term = (struct wm_term){.value = wm_debug_value(view, type, slot), .home = WM_HOME_SLOT, .index = r->d->frame, .at = slot,
                           .bytes = 8 * wm_type_slots(type)};
  return true;
}

static bool take_local(struct reader *r, uint64_t index, struct wm_term *term)
{
  struct wm_frame_view view;
  struct wm_walk walk;
  if (!wm_debug_frame(r->d, r->d->frame, &view, &walk))
    return refuse(r, "no function is running");
  if (index >= view.local_count) {
    wm_buffer_format(&r->d->problem, "there is no local %" PRIu64 ": the function has %" PRIu32, index, view.local_count);
    return false;
  }
  return take_slot(r, &view, wm_walk_local(&walk, (uint32_t)index), wm_walk_local_slot(&walk, (uint32_t)index), term);
}

static bool take_operand(struct reader *r, uint64_t index, struct wm_term *term)
{
  struct wm_frame_view view;
  struct wm_walk walk;
  if (!wm_debug_frame(r->d, r->d->frame, &view, &walk))
    return refuse(r, "no function is running");
  uint32_t count = wm_debug_operands(&view, &walk);
  if (index >= count) {
    wm_buffer_format(&r->d->problem, "the operand stack holds %" PRIu32 " value%s", count, count == 1 ? "" : "s");
    return false;
  }
  const struct wm_operand *operand = &walk.operands[count - 1 - index];
  return take_slot(r, &view, operand->type, walk.func->local_slots + operand->slot, term);
}

static bool take_global(struct reader *r, uint64_t index, struct wm_term *term)
{
  const struct wm_module *module = &r->d->target.session.module;
  if (index >= module->global_count) {
    wm_buffer_format(&r->d->problem, "there is no global %" PRIu64 ": the module has %" PRIu32, index, module->global_count);
    return false;
  }
  struct wm_value value = wm_extern_global(wm_instance_item(r->d->target.instance, WM_EXTERN_GLOBAL, (uint32_t)index));
  *term = (struct wm_term){.value = value, .home = WM_HOME_GLOBAL, .index = (uint32_t)index, .bytes = 8 * wm_type_slots(value.type)};
  return true;
}

struct cell { const char *name; wm_valtype type; uint8_t bytes; bool is_unsigned; };
static const struct cell cells[] = {
  {"u8", WM_TYPE_I32, 1, true}, {"i8", WM_TYPE_I32, 1, false}, {"u16", WM_TYPE_I32, 2, true}, {"i16", WM_TYPE_I32, 2, false},
  {"u32", WM_TYPE_I32, 4, true}, {"i32", WM_TYPE_I32, 4, false}, {"u64", WM_TYPE_I64, 8, true}, {"i64", WM_TYPE_I64, 8, false},
  {"f32", WM_TYPE_F32, 4, false}, {"f64", WM_TYPE_F64, 8, false}, {"v128", WM_TYPE_V128, 16, false},
};

static bool read_cell(struct reader *r, const struct cell *cell, struct wm_term *term)
{
  struct wm_term place;
  uint64_t address, memory = 0;
  r->at++;
  if (!read_binary(r, 0, &place))
    return false;
  if (*r->at == ',') {
    struct wm_term which;
    r->at++;
    if (!read_binary(r, 0, &which) || !wm_expr_number(r->d, &which, &memory))
      return false;
  }
  if (*r->at != ']')
    return refuse(r, "] is missing");
  r->at++;
  if (!wm_expr_address(r->d, &place, memory > UINT32_MAX ? UINT32_MAX : (uint32_t)memory, &address))
    return false;
  struct wm_memory_bytes bytes = wm_instance_memory(r->d->target.instance, (uint32_t)memory);
  if (address > bytes.length || bytes.length - address < cell->bytes) {
    wm_buffer_format(&r->d->problem, "0x%" PRIx64 " is outside memory %" PRIu64 " of %" PRIu64 " bytes", address, memory, bytes.length);
    return false;
  }
  *term = (struct wm_term){.value = {cell->type, {0, 0}}, .is_unsigned = cell->is_unsigned, .home = WM_HOME_MEMORY,
                           .index = (uint32_t)memory, .at = address, .bytes = cell->bytes};
  memcpy(term->value.bits, bytes.base + address, cell->bytes);
  if (!cell->is_unsigned && cell->bytes < 4)
    term->value.bits[0] = (uint32_t)(cell->bytes == 1 ? (int32_t)(int8_t)term->value.bits[0] : (int32_t)(int16_t)term->value.bits[0]);
  return true;
}

static bool name_is(struct wm_name name, const char *word, size_t length)
{
  return name.length == length && length > 0 && memcmp(name.bytes, word, length) == 0;
}

static bool take_named(struct reader *r, const char *word, size_t length, struct wm_term *term)
{
  struct wm_debugger *d = r->d;
  const struct wm_module *module = &d->target.session.module;
  struct wm_frame_view view;
  struct wm_walk walk;
  if (wm_debug_frame(d, d->frame, &view, &walk))
    for (uint32_t i = 0; i < view.local_count; i++)
      if (name_is(wm_names_find_in(module, WM_NAME_LOCAL, view.function, i), word, length))
        return take_local(r, i, term);
  for (uint32_t i = 0; i < module->global_count; i++)
    if (name_is(wm_names_find(module, WM_NAME_GLOBAL, i), word, length))
      return take_global(r, i, term);
  if (d->problem.length == 0) {
    wm_buffer_text(&d->problem, "unknown name ");
    wm_buffer_escaped(&d->problem, word, length);
  }
  return false;
}

static bool take_output(struct reader *r, bool wants_size, struct wm_term *term)
{
  if (!wm_debug_find_output(r->d))
    return false;
  *term = of_integer(wants_size ? r->d->output_length : r->d->output_address);
  return true;
}

static bool take_input(struct reader *r, bool wants_size, struct wm_term *term)
{
  const struct wm_contract *contract = &r->d->target.session.contract;
  if (r->d->target.is_invoke || contract->is_generator)
    return refuse(r, "there is no input");
  *term = of_integer(wants_size ? r->d->target.job.input_length : contract->input_ptr.value);
  return true;
}

static bool read_word(struct reader *r, struct wm_term *term)
{
  const char *word = r->at;
  size_t length = 0;
  while (is_word(word[length]))
    length++;
  r->at += length;
  if (word[0] == '$') {
    word++;
    length--;
  }
  struct wm_run_status at = wm_run_look(r->d->target.run);
  char copy[32], *digits = copy + 1;
  if (length > 0 && length < sizeof copy) {
    memcpy(copy, word, length);
    copy[length] = '\0';
    uint64_t index;
    if (copy[1] >= '0' && copy[1] <= '9' && strchr("lsg", copy[0]) != NULL && wm_parse_count(digits, &index))
      return copy[0] == 'l' ? take_local(r, index, term) : copy[0] == 's' ? take_operand(r, index, term) : take_global(r, index, term);
    if (*r->at == '[')
      for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        if (strcmp(copy, cells[i].name) == 0)
          return read_cell(r, &cells[i], term);
    if (strcmp(copy, "input_ptr") == 0 || strcmp(copy, "input_size") == 0)
      return take_input(r, copy[6] == 's', term);
    if (strcmp(copy, "output") == 0 || strcmp(copy, "output_size") == 0)
      return take_output(r, length > 6, term);
    struct { const char *name; uint64_t value; } known[] = {
      {"instruction", at.instructions}, {"depth", at.depth}, {"offset", at.offset}, {"function", at.function},
      {"memory_size", r->d->target.session.module.memory_count > 0 ? wm_instance_memory(r->d->target.instance, 0).length : 0},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
      if (strcmp(copy, known[i].name) == 0) {
        *term = of_integer(known[i].value);
        return true;
      }
  }
  return take_named(r, word, length, term);
}

/* ---- Operators -------------------------------------------------------------------------------------------------- */

static bool read_unary(struct reader *r, struct wm_term *term)
{
  if (++r->depth > DEEPEST)
    return refuse(r, "the expression is nested too deeply");
  skip_blanks(r);
  char c = *r->at;
  bool is_good;
  if (c == '-' || c == '~' || c == '!') {
    r->at++;
    is_good = read_unary(r, term);
    if (is_good && c == '-' && is_float(term))
      *term = of_real(-real(term));
    else if (is_good && c == '!')
      *term = of_integer(!wm_expr_is_true(term));
    else if (is_good && is_integer(term))
      *term = of_integer(c == '-' ? 0 - (uint64_t)integer(term) : ~(uint64_t)integer(term));
    else if (is_good)
      is_good = refuse(r, "the operand is no number");
  } else if (c == '(') {
    r->at++;
    is_good = read_binary(r, 0, term);
    if (is_good && *r->at != ')')
      is_good = refuse(r, ") is missing");
    r->at += is_good;
  } else if (c >= '0' && c <= '9') {
    is_good = read_number(r, term);
  } else if (c == '\'' && r->at[1] != '\0' && r->at[2] == '\'') {
    *term = of_integer((uint8_t)r->at[1]);
    r->at += 3;
    is_good = true;
  } else if (is_word(c)) {
    is_good = read_word(r, term);
  } else {
    is_good = refuse(r, c == '\0' ? "an expression is missing" : "this is no expression");
  }
  skip_blanks(r);
  r->depth--;
  return is_good;
}

enum operator { OR, AND, BIT_OR, BIT_XOR, BIT_AND, EQUAL, UNEQUAL, AT_MOST, AT_LEAST, SHIFT_LEFT, SHIFT_RIGHT, LESS, GREATER, ADD, SUBTRACT, MULTIPLY, DIVIDE, REMAINDER, OPERATORS };
static const struct { const char *text; unsigned level; } operators[OPERATORS] = {
  [OR] = {"||", 1}, [AND] = {"&&", 2}, [BIT_OR] = {"|", 3}, [BIT_XOR] = {"^", 4}, [BIT_AND] = {"&", 5}, [EQUAL] = {"==", 6}, [UNEQUAL] = {"!=", 6},
  [AT_MOST] = {"<=", 7}, [AT_LEAST] = {">=", 7}, [SHIFT_LEFT] = {"<<", 8}, [SHIFT_RIGHT] = {">>", 8}, [LESS] = {"<", 7}, [GREATER] = {">", 7},
  [ADD] = {"+", 9}, [SUBTRACT] = {"-", 9}, [MULTIPLY] = {"*", 10}, [DIVIDE] = {"/", 10}, [REMAINDER] = {"%", 10},
};

/* Longer ones stand before their own beginnings. */
static enum operator find_operator(const char *text)
{
  for (int i = 0; i < OPERATORS; i++)
    if (strncmp(text, operators[i].text, strlen(operators[i].text)) == 0)
      return (enum operator)i;
  return OPERATORS;
}

static bool compute_real(struct reader *r, enum operator what, double a, double b, struct wm_term *term)
{
  switch (what) {
  case EQUAL: *term = of_integer(a == b); return true;
  case UNEQUAL: *term = of_integer(a != b); return true;
  case AT_MOST: *term = of_integer(a <= b); return true;
  case AT_LEAST: *term = of_integer(a >= b); return true;
  case LESS: *term = of_integer(a < b); return true;
  case GREATER: *term = of_integer(a > b); return true;
  case ADD: *term = of_real(a + b); return true;
  case SUBTRACT: *term = of_real(a - b); return true;
  case MULTIPLY: *term = of_real(a * b); return true;
  case DIVIDE: *term = of_real(a / b); return true;
  default: return refuse(r, "that operator takes integers");
  }
}

static bool compute(struct reader *r, enum operator what, const struct wm_term *left, const struct wm_term *right, struct wm_term *term)
{
  if (what == OR || what == AND) {
    bool a = wm_expr_is_true(left), b = wm_expr_is_true(right);
    *term = of_integer(what == OR ? a || b : a && b);
    return true;
  }
  if ((is_float(left) || is_float(right)) && (is_integer(left) || is_float(left)) && (is_integer(right) || is_float(right)))
    return compute_real(r, what, real(left), real(right), term);
  if (!is_integer(left) || !is_integer(right))
    return refuse(r, "vectors and references do not compute");
  int64_t a = integer(left), b = integer(right);
  uint64_t x = (uint64_t)a, y = (uint64_t)b;
  if ((what == DIVIDE || what == REMAINDER) && b == 0)
    return refuse(r, "division by zero");
  switch (what) {
  case BIT_OR: x |= y; break;
  case BIT_XOR: x ^= y; break;
  case BIT_AND: x &= y; break;
  case EQUAL: x = a == b; break;
  case UNEQUAL: x = a != b; break;
  case AT_MOST: x = a <= b; break;
  case AT_LEAST: x = a >= b; break;
  case LESS: x = a < b; break;
  case GREATER: x = a > b; break;
  case SHIFT_LEFT: x <<= y & 63; break;
  case SHIFT_RIGHT: x >>= y & 63; break;
  case ADD: x += y; break;
  case SUBTRACT: x -= y; break;
  case MULTIPLY: x *= y; break;
  case DIVIDE: x = b == -1 ? 0 - x : (uint64_t)(a / b); break;
  default: x = b == -1 ? 0 : (uint64_t)(a % b); break;
  }
  *term = of_integer(x);
  return true;
}

static bool read_binary(struct reader *r, unsigned least, struct wm_term *term)
{
  if (!read_unary(r, term))
    return false;
  for (;;) {
    enum operator what = find_operator(r->at);
    if (what == OPERATORS || operators[what].level <= least)
      return true;
    struct wm_term left = *term, right;
    r->at += strlen(operators[what].text);
    if (++r->depth > DEEPEST)
      return refuse(r, "the expression is nested too deeply");
    if (!read_binary(r, operators[what].level, &right) || !compute(r, what, &left, &right, term))
      return false;
    r->depth--;
  }
}

bool wm_expr_read(struct wm_debugger *d, const char **text, struct wm_term *term)
{
  struct reader r = {d, *text, 0};
  bool is_good = read_binary(&r, 0, term);
  *text = r.at;
  return is_good;
}

bool wm_expr_all(struct wm_debugger *d, const char *text, struct wm_term *term)
{
  if (!wm_expr_read(d, &text, term))
    return false;
  if (*text == '\0')
    return true;
  wm_buffer_text(&d->problem, "this is left over behind the expression: ");
  wm_buffer_escaped(&d->problem, text, strlen(text));
  return false;
}

/* ---- Out and in ------------------------------------------------------------------------------------------------- */

static void print_bits(struct wm_buffer *out, uint64_t number)
{
  unsigned bit = 64;
  while (bit > 1 && (number >> (bit - 1) & 1) == 0)
    bit--;
  while (bit-- > 0)
    wm_buffer_char(out, (number >> bit & 1) != 0 ? '1' : '0');
}

void wm_expr_print(struct wm_debugger *d, const struct wm_term *term, char format)
{
  struct wm_buffer *out = &d->out;
  bool is_narrow = term->value.type == WM_TYPE_I32;
  uint64_t number = term->value.bits[0];
  if (!is_integer(term) && format == 0) {
    wm_value_print(out, d->target.session.store, &term->value);
    return;
  }
  switch (format) {
  case 'x': wm_buffer_format(out, "0x%" PRIx64, number); break;
  case 'u': wm_buffer_format(out, "%" PRIu64, number); break;
  case 't': print_bits(out, number); break;
  case 'c':
    wm_buffer_format(out, "%" PRIu64 " '", number & 0xff);
    wm_buffer_escaped(out, &(char){(char)(number & 0xff)}, 1);
    wm_buffer_char(out, '\'');
    break;
  case 'd': wm_buffer_format(out, "%" PRId64, integer(term)); break;
  default:
    wm_buffer_format(out, "%" PRId64, integer(term));
    if (integer(term) > 9 || integer(term) < 0)
      wm_buffer_format(out, " (0x%" PRIx64 ")", is_narrow ? number & UINT32_MAX : number);
    break;
  }
}

/* An integer or float as bits of the home's type. */
static bool convert(struct wm_debugger *d, wm_valtype type, const struct wm_term *value, uint64_t bits[2])
{
  bits[0] = value->value.bits[0];
  bits[1] = value->value.bits[1];
  if (type == WM_TYPE_I32 || type == WM_TYPE_I64) {
    if (!wm_expr_number(d, value, &bits[0]))
      return false;
    bits[0] = type == WM_TYPE_I32 ? (uint32_t)bits[0] : bits[0];
    return true;
  }
  if ((type == WM_TYPE_F32 || type == WM_TYPE_F64) && (is_float(value) || is_integer(value))) {
    double wide = real(value);
    float narrow = (float)wide;
    uint32_t low;
    if (type == value->value.type)
      return true;
    memcpy(&low, &narrow, sizeof low);
    if (type == WM_TYPE_F32)
      bits[0] = low;
    else
      memcpy(&bits[0], &wide, sizeof wide);
    return true;
  }
  if (type == value->value.type && type == WM_TYPE_V128)
    return true;
  wm_buffer_text(&d->problem, "the value is not of that type");
  return false;
}

bool wm_expr_assign(struct wm_debugger *d, const struct wm_term *home, const struct wm_term *value)
{
  struct wm_edit edit = {.instruction = wm_target_instructions(&d->target), .length = (uint8_t)home->bytes, .index = home->index, .at = home->at};
  uint64_t bits[2];
  if (wm_target_has_ended(&d->target)) {
    wm_buffer_text(&d->problem, "the run has ended: nothing would come of it");
    return false;
  }
  if (home->home == WM_HOME_GLOBAL && !d->target.session.module.globals[home->index].type.is_mutable) {
    wm_buffer_text(&d->problem, "that global is immutable");
    return false;
  }
  if (!convert(d, home->value.type, value, bits))
    return false;
  memcpy(edit.bytes, bits, sizeof edit.bytes);
  edit.kind = home->home == WM_HOME_MEMORY ? WM_EDIT_MEMORY : home->home == WM_HOME_GLOBAL ? WM_EDIT_GLOBAL : WM_EDIT_SLOT;
  wm_history_edit(&d->history, &edit);
  d->has_output = false;
  return true;
}
