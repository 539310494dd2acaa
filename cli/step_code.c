/* Code as people see it; see step_code.h. */
#include "cli/step_code.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/args.h"
#include "cli/buffer.h"
#include "cli/values.h"
#include "decoder/disasm.h"
#include "instrument/text.h"

void wm_code_open(struct wm_code *code, struct wm_session *session)
{
  uint64_t most = 0;
  const struct wm_module *module = &session->module;
  for (uint32_t i = module->imported_func_count; i < module->func_count; i++) {
    uint64_t bytes = wm_walk_scratch(&module->funcs[i]);
    most = bytes > most ? bytes : most;
  }
  *code = (struct wm_code){session, {wm_allocate((size_t)most, 1), 0, (size_t)most}};
}

void wm_code_close(struct wm_code *code)
{
  free(code->scratch.base);
}

bool wm_code_walk(struct wm_code *code, struct wm_walk *walk, uint32_t function, uint32_t ordinal)
{
  const struct wm_module *module = &code->session->module;
  code->scratch.used = 0;
  if (function >= module->func_count || module->funcs[function].is_import || !wm_walk_begin(walk, module, function, &code->scratch))
    return false;
  for (uint32_t i = 0; i < ordinal; i++)
    if (!wm_walk_next(walk))
      return false;
  return true;
}

/* Floats in their shortest decimal form, as values print. */
static size_t float_text(uint64_t bits, bool is_64, char *text, size_t size)
{
  struct wm_buffer buffer = WM_BUFFER_EMPTY;
  if (is_64)
    wm_f64_print(&buffer, bits);
  else
    wm_f32_print(&buffer, (uint32_t)bits);
  size_t length = buffer.length;
  memcpy(text, buffer.bytes, length < size ? length : size);
  wm_buffer_free(&buffer);
  return length;
}

static void print_instruction(struct wm_code *code, const struct wm_insn *insn, struct wm_buffer *text)
{
  char line[160];
  const struct wm_module *module = &code->session->module;
  size_t length = wm_disasm(module, insn, float_text, line, sizeof line);
  wm_buffer_text(text, line);
  if (length >= sizeof line)
    wm_buffer_text(text, "…");
  if (insn->op == WM_OP_CALL || insn->op == WM_OP_RETURN_CALL) {
    char spelling[32];
    struct wm_text name = wm_symbols_name(&code->session->symbols, insn->index);
    if (!wm_text_equal(name, wm_symbols_spell(insn->index, spelling))) {
      wm_buffer_text(text, "  ;; ");
      wm_buffer_escaped(text, name.bytes, name.length);
    }
  }
}

uint16_t wm_code_instruction(struct wm_code *code, uint32_t function, uint32_t ordinal, struct wm_insn *insn, struct wm_buffer *text)
{
  struct wm_walk walk;
  if (!wm_code_walk(code, &walk, function, ordinal) || !wm_walk_next(&walk))
    return WM_OP_COUNT;
  *insn = walk.insn;
  if (text != NULL)
    print_instruction(code, &walk.insn, text);
  return walk.insn.op;
}

void wm_code_name(struct wm_code *code, struct wm_buffer *text, uint32_t function)
{
  char spelling[32];
  struct wm_text name = wm_symbols_name(&code->session->symbols, function), plain = wm_symbols_spell(function, spelling);
  wm_buffer_escaped(text, name.bytes, name.length);
  if (!wm_text_equal(name, plain))
    wm_buffer_format(text, " (%s)", spelling);
}

void wm_code_list(struct wm_code *code, struct wm_buffer *text, uint32_t function, uint32_t first, uint32_t last, uint32_t current)
{
  struct wm_walk walk;
  if (!wm_code_walk(code, &walk, function, first))
    return;
  uint64_t start = code->session->module.funcs[function].code_offset;
  for (uint32_t i = first; i < last; i++) {
    uint32_t depth = walk.label_count;
    if (!wm_walk_next(&walk))
      break;
    bool is_closing = walk.insn.op == WM_OP_END || walk.insn.op == WM_OP_ELSE;
    wm_buffer_format(text, "%s 0x%08" PRIx64 " <+%" PRIu64 ">  ", i == current ? "=>" : "  ", walk.insn.offset, walk.insn.offset - start);
    for (uint32_t d = is_closing ? 2 : 1; d < depth; d++)
      wm_buffer_text(text, "  ");
    print_instruction(code, &walk.insn, text);
    wm_buffer_char(text, '\n');
  }
}

/* ---- Places ----------------------------------------------------------------------------------------------------- */

/* `[N]` or `wasm-function[N]`. */
static bool read_index(const char *text, size_t length, uint64_t *index)
{
  static const char prefix[] = "wasm-function";
  size_t skip = length > sizeof prefix - 1 && memcmp(text, prefix, sizeof prefix - 1) == 0 ? sizeof prefix - 1 : 0;
  char digits[24];
  if (length < skip + 3 || text[skip] != '[' || text[length - 1] != ']' || length - skip - 2 >= sizeof digits)
    return false;
  memcpy(digits, text + skip + 1, length - skip - 2);
  digits[length - skip - 2] = '\0';
  return wm_parse_count(digits, index);
}

uint32_t wm_code_find_function(struct wm_code *code, const char *text, size_t length, uint32_t *count)
{
  const struct wm_module *module = &code->session->module;
  uint64_t index;
  uint32_t found = WM_NO_INDEX;
  *count = 0;
  if (read_index(text, length, &index)) {
    *count = index < module->func_count;
    return index < module->func_count ? (uint32_t)index : WM_NO_INDEX;
  }
  for (uint32_t i = 0; i < module->func_count; i++)
    if (wm_text_equal(wm_symbols_name(&code->session->symbols, i), (struct wm_text){text, (uint32_t)length})) {
      found = found == WM_NO_INDEX ? i : found;
      ++*count;
    }
  if (*count == 0) {
    const struct wm_export *export_ = wm_module_find_export(module, text, length);
    if (export_ != NULL && export_->kind == WM_EXTERN_FUNC) {
      *count = 1;
      return export_->index;
    }
  }
  return found;
}

bool wm_code_place_at(struct wm_code *code, uint32_t function, uint64_t offset, struct wm_place *place)
{
  struct wm_walk walk;
  if (!wm_code_walk(code, &walk, function, 0))
    return false;
  while (wm_walk_next(&walk))
    if (walk.insn.offset >= offset) {
      *place = (struct wm_place){function, walk.insn_number, walk.insn.offset};
      return true;
    }
  return false;
}

static bool find_offset(struct wm_code *code, uint64_t offset, struct wm_place *place, struct wm_buffer *problem)
{
  const struct wm_module *module = &code->session->module;
  for (uint32_t i = module->imported_func_count; i < module->func_count; i++) {
    const struct wm_func *func = &module->funcs[i];
    if (offset >= func->code_offset && offset < func->body.offset + func->body.length) {
      if (wm_code_place_at(code, i, offset, place) && place->offset == offset)
        return true;
      wm_buffer_format(problem, "offset 0x%" PRIx64 " is inside an instruction; the next one begins at 0x%" PRIx64, offset, place->offset);
      return false;
    }
  }
  wm_buffer_format(problem, "offset 0x%" PRIx64 " is in no function's code", offset);
  return false;
}

static bool find_in_function(struct wm_code *code, uint32_t function, uint64_t distance, struct wm_place *place, struct wm_buffer *problem)
{
  const struct wm_func *func = &code->session->module.funcs[function];
  if (func->is_import) {
    wm_buffer_text(problem, "an imported function has no code");
    return false;
  }
  if (distance < func->body.length && wm_code_place_at(code, function, func->code_offset + distance, place) &&
      place->offset == func->code_offset + distance)
    return true;
  wm_buffer_text(problem, "no instruction begins ");
  wm_buffer_format(problem, "%" PRIu64 " bytes into ", distance);
  wm_code_name(code, problem, function);
  return false;
}

bool wm_code_find(struct wm_code *code, const char *text, struct wm_place *place, struct wm_buffer *problem)
{
  uint64_t offset = 0;
  if (text[0] == '*')
    text++;
  if (wm_parse_count(text, &offset))
    return find_offset(code, offset, place, problem);
  uint32_t count;
  uint32_t function = wm_code_find_function(code, text, strlen(text), &count);
  const char *plus = strrchr(text, '+');
  if (function == WM_NO_INDEX && plus != NULL && wm_parse_count(plus + 1, &offset))
    function = wm_code_find_function(code, text, (size_t)(plus - text), &count);
  if (function == WM_NO_INDEX) {
    wm_buffer_text(problem, "no function or export is called ");
    wm_buffer_escaped(problem, text, strlen(text));
    return false;
  }
  if (count > 1) {
    wm_buffer_format(problem, "%" PRIu32 " functions have that name: say wasm-function[N]", count);
    return false;
  }
  return find_in_function(code, function, offset, place, problem);
}
