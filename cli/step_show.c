/* What a stopped run looks like: the stop itself, frames, values, code, memory, counts; see step.h. Everything goes to d->out. */
#include "cli/step_expr.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/digest.h"
#include "cli/values.h"
#include "decoder/names.h"
#include "instrument/text.h"

/* ---- Frames and values ------------------------------------------------------------------------------------------ */

bool wm_debug_frame(struct wm_debugger *d, uint32_t depth, struct wm_frame_view *view, struct wm_walk *walk)
{
  return wm_run_frame(d->target.run, depth, view) && wm_code_walk(&d->code, walk, view->function, view->instruction);
}

struct wm_value wm_debug_value(const struct wm_frame_view *view, wm_valtype type, uint32_t slot)
{
  return (struct wm_value){type, {view->slots[slot], type == WM_TYPE_V128 ? view->slots[slot + 1] : 0}};
}

uint32_t wm_debug_operands(const struct wm_frame_view *view, const struct wm_walk *walk)
{
  uint32_t count = walk->operand_count;
  while (count > 0 && walk->operands[count - 1].slot + wm_type_slots(walk->operands[count - 1].type) > view->operand_slots)
    count--;
  return count;
}

static void print_typed(struct wm_debugger *d, const char *letter, uint32_t number, struct wm_name name, const struct wm_value *value)
{
  wm_buffer_format(&d->out, "%s%" PRIu32, letter, number);
  if (name.length > 0) {
    wm_buffer_text(&d->out, " (");
    wm_buffer_escaped(&d->out, name.bytes, name.length);
    wm_buffer_char(&d->out, ')');
  }
  wm_buffer_text(&d->out, ": ");
  wm_valtype_print(&d->out, value->type);
  wm_buffer_text(&d->out, " = ");
  wm_expr_print(d, &(struct wm_term){.value = *value}, 0);
  wm_buffer_char(&d->out, '\n');
}

static const struct wm_name no_name = {NULL, 0};

void wm_show_locals(struct wm_debugger *d)
{
  struct wm_frame_view view;
  struct wm_walk walk;
  if (!wm_debug_frame(d, d->frame, &view, &walk)) {
    wm_buffer_text(&d->out, "no function is running\n");
    return;
  }
  if (view.local_count == 0)
    wm_buffer_text(&d->out, "no locals\n");
  for (uint32_t i = 0; i < view.local_count; i++) {
    struct wm_value value = wm_debug_value(&view, wm_walk_local(&walk, i), wm_walk_local_slot(&walk, i));
    print_typed(d, "l", i, wm_names_find_in(&d->target.session.module, WM_NAME_LOCAL, view.function, i), &value);
  }
}

void wm_show_stack(struct wm_debugger *d)
{
  struct wm_frame_view view;
  struct wm_walk walk;
  if (!wm_debug_frame(d, d->frame, &view, &walk)) {
    wm_buffer_text(&d->out, "no function is running\n");
    return;
  }
  uint32_t count = wm_debug_operands(&view, &walk);
  if (count == 0)
    wm_buffer_text(&d->out, "the operand stack is empty\n");
  for (uint32_t i = 0; i < count; i++) {
    const struct wm_operand *operand = &walk.operands[count - 1 - i];
    struct wm_value value = wm_debug_value(&view, operand->type, walk.func->local_slots + operand->slot);
    print_typed(d, "s", i, no_name, &value);
  }
}

void wm_show_globals(struct wm_debugger *d)
{
  const struct wm_module *module = &d->target.session.module;
  if (module->global_count == 0)
    wm_buffer_text(&d->out, "no globals\n");
  for (uint32_t i = 0; i < module->global_count; i++) {
    struct wm_value value = wm_extern_global(wm_instance_item(d->target.instance, WM_EXTERN_GLOBAL, i));
    print_typed(d, module->globals[i].type.is_mutable ? "g" : "immutable g", i, wm_names_find(module, WM_NAME_GLOBAL, i), &value);
  }
}

static void print_frame(struct wm_debugger *d, uint32_t depth, const struct wm_frame_view *view)
{
  struct wm_insn insn;
  wm_buffer_format(&d->out, "%s%" PRIu32 " ", depth == d->frame ? "*" : " ", depth);
  wm_code_name(&d->code, &d->out, view->function);
  wm_buffer_format(&d->out, " at 0x%" PRIx64 ": ", view->offset);
  wm_code_instruction(&d->code, view->function, view->instruction, &insn, &d->out);
  wm_buffer_char(&d->out, '\n');
}

void wm_show_frame(struct wm_debugger *d, uint32_t depth)
{
  struct wm_frame_view view;
  if (wm_run_frame(d->target.run, depth, &view))
    print_frame(d, depth, &view);
  else
    wm_buffer_text(&d->out, "no function is running\n");
}

void wm_show_backtrace(struct wm_debugger *d, uint64_t most)
{
  struct wm_frame_view view;
  uint32_t depth = wm_run_look(d->target.run).depth;
  if (!wm_run_frame(d->target.run, 0, &view)) {
    wm_buffer_text(&d->out, "no function is running\n");
    return;
  }
  for (uint32_t i = 0; i < depth && i < most; i++)
    if (wm_run_frame(d->target.run, i, &view))
      print_frame(d, i, &view);
  if (depth > most)
    wm_buffer_format(&d->out, "  … %" PRIu64 " more\n", depth - most);
}

/* ---- The stop --------------------------------------------------------------------------------------------------- */

const char *wm_stop_reason_name(uint8_t reason)
{
  static const char *const names[WM_STOP_REASONS] = {
    [WM_STOP_START] = "start", [WM_STOP_STEP] = "step", [WM_STOP_BREAKPOINT] = "breakpoint", [WM_STOP_WATCHPOINT] = "watchpoint",
    [WM_STOP_BUDGET] = "budget", [WM_STOP_INTERRUPT] = "interrupt", [WM_STOP_BEGIN] = "begin", [WM_STOP_DONE] = "done",
    [WM_STOP_REJECTED] = "rejected", [WM_STOP_TRAP] = "trap", [WM_STOP_FAILED] = "failed",
  };
  return names[reason];
}

static void color(struct wm_debugger *d, const char *code)
{
  if (d->wants_color)
    wm_buffer_format(&d->out, "\033[%sm", code);
}

static void print_bytes(struct wm_buffer *out, const uint8_t *bytes, uint32_t length)
{
  for (uint32_t i = 0; i < length; i++)
    wm_buffer_format(out, "%s%02x", i == 0 ? "" : " ", bytes[i]);
}

static void print_hit(struct wm_debugger *d, const struct wm_watch_hit *hit)
{
  struct wm_buffer *out = &d->out;
  struct wm_place place;
  struct wm_insn insn;
  wm_buffer_format(out, "%s ", hit->is_read ? "read" : "written");
  if (hit->is_global) {
    struct wm_value before = wm_extern_global(wm_instance_item(d->target.instance, WM_EXTERN_GLOBAL, hit->index)), after = before;
    memcpy(before.bits, hit->before, sizeof before.bits);
    memcpy(after.bits, hit->after, sizeof after.bits);
    wm_buffer_format(out, "g%" PRIu32 ": ", hit->index);
    wm_value_print(out, d->target.session.store, &before);
    if (!hit->is_read) {
      wm_buffer_text(out, " -> ");
      wm_value_print(out, d->target.session.store, &after);
    }
  } else {
    wm_buffer_format(out, "0x%" PRIx64 " (%" PRIu64 " byte%s at 0x%" PRIx64 "): ", hit->shown_address, hit->length, hit->length == 1 ? "" : "s", hit->address);
    print_bytes(out, hit->before, hit->shown_length);
    if (!hit->is_read) {
      wm_buffer_text(out, " -> ");
      print_bytes(out, hit->after, hit->shown_length);
    }
  }
  wm_buffer_text(out, " by ");
  wm_code_name(&d->code, out, hit->function);
  wm_buffer_format(out, " at 0x%" PRIx64 ": ", hit->offset);
  if (wm_code_place_at(&d->code, hit->function, hit->offset, &place))
    wm_code_instruction(&d->code, hit->function, place.ordinal, &insn, out);
  wm_buffer_char(out, '\n');
}

static void print_reason(struct wm_debugger *d)
{
  const struct wm_stop *stop = &d->stop;
  wm_buffer_text(&d->out, wm_stop_reason_name(stop->reason));
  if (stop->reason == WM_STOP_BREAKPOINT || stop->reason == WM_STOP_WATCHPOINT)
    wm_buffer_format(&d->out, " %" PRIu32, stop->point);
  if (stop->reason == WM_STOP_BUDGET && wm_target_instructions(&d->target) >= d->target.limit)
    wm_buffer_format(&d->out, ": the run's %" PRIu64 " instructions are used up", d->target.limit);
  if (stop->reason == WM_STOP_BEGIN)
    wm_buffer_text(&d->out, ": nothing ran before");
  if (stop->reason >= WM_STOP_DONE) {
    wm_buffer_text(&d->out, ": ");
    struct wm_buffer text = WM_BUFFER_EMPTY;
    wm_target_describe(&d->target, &text);
    wm_buffer_escaped(&d->out, text.bytes, text.length);
    wm_buffer_free(&text);
  }
}

void wm_show_stop(struct wm_debugger *d)
{
  struct wm_frame_view view;
  struct wm_insn insn;
  struct wm_buffer *out = &d->out;
  color(d, "1");
  wm_buffer_format(out, "#%" PRIu64 " ", wm_target_instructions(&d->target));
  print_reason(d);
  color(d, "0");
  if (d->history.edit_next > 0)
    wm_buffer_format(out, " (altered since #%" PRIu64 ")", d->history.edits[0].instruction);
  if (d->stop.reason == WM_STOP_WATCHPOINT) {
    wm_buffer_text(out, ": ");
    print_hit(d, &d->stop.hit);
  } else {
    wm_buffer_char(out, '\n');
  }
  if (!wm_run_frame(d->target.run, 0, &view))
    return;
  wm_buffer_text(out, "   ");
  color(d, "36");
  wm_code_name(&d->code, out, view.function);
  color(d, "0");
  wm_buffer_format(out, " at 0x%" PRIx64 ": ", view.offset);
  color(d, "33");
  wm_code_instruction(&d->code, view.function, view.instruction, &insn, out);
  color(d, "0");
  wm_buffer_char(out, '\n');
}

/* ---- info ------------------------------------------------------------------------------------------------------- */

void wm_show_memory(struct wm_debugger *d)
{
  const struct wm_module *module = &d->target.session.module;
  if (module->memory_count == 0)
    wm_buffer_text(&d->out, "no memory\n");
  for (uint32_t i = 0; i < module->memory_count; i++) {
    const struct wm_limits_type *limits = &module->memories[i].type.limits;
    uint64_t length = wm_instance_memory(d->target.instance, i).length;
    wm_buffer_format(&d->out, "memory %" PRIu32 ": %" PRIu64 " pages (%" PRIu64 " bytes), ", i, length / 65536, length);
    if (limits->has_maximum)
      wm_buffer_format(&d->out, "at most %" PRIu64 " pages\n", limits->maximum);
    else
      wm_buffer_text(&d->out, "no maximum\n");
  }
}

void wm_show_digest(struct wm_debugger *d)
{
  for (uint32_t i = 0; i < d->target.session.module.memory_count; i++) {
    struct wm_memory_bytes memory = wm_instance_memory(d->target.instance, i);
    wm_digest_line(&d->out, "memory", memory.base, (size_t)memory.length, d->target.session.label);
  }
}

void wm_show_counters(struct wm_debugger *d)
{
  struct wm_tally tally;
  if (!wm_history_tally(&d->history, &tally)) {
    wm_buffer_text(&d->problem, "interrupted");
    return;
  }
  struct wm_run_status at = wm_run_look(d->target.run);
  struct { const char *name; uint64_t value; } rows[] = {
    {"instructions", at.instructions}, {"calls", tally.calls}, {"indirect_calls", tally.indirect_calls}, {"returns", tally.returns},
    {"branches_taken", tally.branches_taken}, {"loop_iterations", tally.loop_iterations}, {"memory_reads", tally.memory_reads},
    {"memory_writes", tally.memory_writes}, {"bytes_read", tally.bytes_read}, {"bytes_written", tally.bytes_written},
    {"peak_frames", at.peak_frames}, {"bulk_bytes", at.bulk_bytes},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    wm_buffer_format(&d->out, "%-16s %" PRIu64 "\n", rows[i].name, rows[i].value);
}

void wm_show_regions(struct wm_debugger *d)
{
  static const char *const names[] = {[WM_REGION_DATA] = "data", [WM_REGION_INPUT] = "input", [WM_REGION_STACK] = "stack", [WM_REGION_OUTPUT] = "output"};
  const struct wm_content *content = &d->target.session.content;
  if (d->target.is_invoke || content->region_count == 0)
    wm_buffer_text(&d->out, "no regions are known\n");
  for (uint32_t i = 0; i < content->region_count && !d->target.is_invoke; i++) {
    const struct wm_region *region = &content->regions[i];
    wm_buffer_format(&d->out, "%-6s memory %u, 0x%08" PRIx64 "-0x%08" PRIx64 ", %" PRIu64 " bytes\n", names[region->kind], region->memory,
                     region->address, region->address + region->length, region->length);
  }
}

static void print_buffer_of(struct wm_debugger *d, const char *what, enum wm_encoding encoding, const struct wm_getter *pointer, const struct wm_getter *cap)
{
  wm_buffer_format(&d->out, "%s: %s", what, wm_encoding_name(encoding));
  if (cap->is_known)
    wm_buffer_format(&d->out, ", at most %" PRIu32 " %s", cap->value, encoding == WM_ENCODING_I32 ? "items" : "bytes");
  if (pointer->is_known)
    wm_buffer_format(&d->out, " at 0x%" PRIx32, pointer->value);
  wm_buffer_char(&d->out, '\n');
}

void wm_show_contract(struct wm_debugger *d)
{
  const struct wm_contract *contract = &d->target.session.contract;
  if (d->target.is_invoke) {
    wm_buffer_text(&d->out, "none: an export is invoked\n");
    return;
  }
  wm_buffer_format(&d->out, "contract: V%u, entry ", contract->version);
  wm_code_name(&d->code, &d->out, contract->entry);
  wm_buffer_char(&d->out, '\n');
  if (contract->is_generator)
    wm_buffer_text(&d->out, "input: none\n");
  else
    print_buffer_of(d, "input", (enum wm_encoding)contract->input_encoding, &contract->input_ptr, &contract->input_cap);
  print_buffer_of(d, "output", (enum wm_encoding)contract->output_encoding, &contract->output_ptr, &contract->output_cap);
  for (uint32_t i = 0; i < contract->uniform_count; i++) {
    wm_buffer_text(&d->out, "uniform: ");
    wm_buffer_escaped(&d->out, contract->uniforms[i].key.bytes, contract->uniforms[i].key.length);
    wm_buffer_char(&d->out, '\n');
  }
}

void wm_show_history(struct wm_debugger *d)
{
  const struct wm_history *history = &d->history;
  wm_buffer_format(&d->out, "%" PRIu32 " snapshot%s, %" PRIu64 " of %" PRIu64 " bytes, one each %" PRIu64 " instructions\n", history->count,
                   history->count == 1 ? "" : "s", history->held_bytes, history->limit_bytes, history->spacing);
}

void wm_show_edits(struct wm_debugger *d)
{
  const struct wm_history *history = &d->history;
  if (history->edit_count == 0)
    wm_buffer_text(&d->out, "no edits\n");
  for (uint32_t i = 0; i < history->edit_count; i++) {
    const struct wm_edit *edit = &history->edits[i];
    static const char *const kinds[] = {[WM_EDIT_MEMORY] = "memory", [WM_EDIT_SLOT] = "frame", [WM_EDIT_GLOBAL] = "global"};
    wm_buffer_format(&d->out, "at instruction %" PRIu64 ": %s %" PRIu32, edit->instruction, kinds[edit->kind], edit->index);
    if (edit->kind != WM_EDIT_GLOBAL)
      wm_buffer_format(&d->out, ", %s 0x%" PRIx64, edit->kind == WM_EDIT_MEMORY ? "address" : "slot", edit->at);
    wm_buffer_text(&d->out, ": ");
    print_bytes(&d->out, edit->bytes, edit->length);
    wm_buffer_text(&d->out, i < history->edit_next ? "\n" : " (ahead)\n");
  }
}

void wm_show_functions(struct wm_debugger *d, const char *part)
{
  const struct wm_module *module = &d->target.session.module;
  for (uint32_t i = 0; i < module->func_count; i++) {
    size_t before = d->out.length;
    wm_buffer_format(&d->out, "0x%08" PRIx64 "  ", module->funcs[i].code_offset);
    size_t name = d->out.length;
    wm_code_name(&d->code, &d->out, i);
    wm_buffer_char(&d->out, '\0');
    bool is_wanted = strstr((const char *)d->out.bytes + name, part) != NULL;
    d->out.length = is_wanted ? d->out.length - 1 : before;
    if (is_wanted)
      wm_buffer_format(&d->out, "  %" PRIu32 " instructions\n", module->funcs[i].instruction_count);
  }
}

void wm_show_points(struct wm_debugger *d)
{
  static const char *const kinds[] = {[WM_POINT_BREAK] = "breakpoint", [WM_POINT_WATCH] = "watchpoint", [WM_POINT_READ] = "read watchpoint",
                                      [WM_POINT_ACCESS] = "access watchpoint"};
  if (d->points.count == 0)
    wm_buffer_text(&d->out, "no breakpoints or watchpoints\n");
  for (uint32_t i = 0; i < d->points.count; i++) {
    const struct wm_point *point = &d->points.items[i];
    wm_buffer_format(&d->out, "%" PRIu32 " %s%s ", point->number, point->is_temporary ? "temporary " : "", kinds[point->kind]);
    wm_buffer_escaped(&d->out, point->shown, strlen(point->shown));
    if (point->condition != NULL) {
      wm_buffer_text(&d->out, " if ");
      wm_buffer_escaped(&d->out, point->condition, strlen(point->condition));
    }
    wm_buffer_format(&d->out, ", hit %" PRIu64 " time%s", point->hits, point->hits == 1 ? "" : "s");
    if (point->ignore > 0)
      wm_buffer_format(&d->out, ", ignored %" PRIu64 " more", point->ignore);
    wm_buffer_text(&d->out, point->is_enabled ? "\n" : ", disabled\n");
  }
}

/* ---- x ---------------------------------------------------------------------------------------------------------- */

struct layout { uint64_t count; char letter; uint32_t unit; };

/* [N][x d u t c s f][b h w g], in any order of the letters. */
static bool read_layout(struct wm_debugger *d, const char *format, struct layout *layout)
{
  *layout = (struct layout){0, 'b', 1};
  bool has_unit = false;
  for (; *format >= '0' && *format <= '9'; format++)
    if (layout->count < UINT32_MAX)
      layout->count = layout->count * 10 + (uint64_t)(*format - '0');
  for (; *format != '\0'; format++) {
    const char *unit = strchr("bhwg", *format);
    if (unit != NULL) {
      layout->unit = UINT32_C(1) << (unit - "bhwg");
      layout->letter = layout->letter == 'b' && *format != 'b' ? 'x' : layout->letter;
      has_unit = true;
    } else if (strchr("xdutcsf", *format) != NULL) {
      layout->letter = *format;
    } else {
      wm_buffer_text(&d->problem, "x takes a count, one of x d u t c s f, and one of b h w g");
      return false;
    }
  }
  if (layout->letter == 'f' && !has_unit)
    layout->unit = 8;
  if (layout->letter == 'f' && layout->unit < 4) {
    wm_buffer_text(&d->problem, "floats are w or g");
    return false;
  }
  uint64_t most = layout->letter == 'b' || layout->letter == 's' ? 4096 : 65536;
  if (layout->count > most) {
    wm_buffer_format(&d->problem, "x shows at most %" PRIu64 " units", most);
    return false;
  }
  if (layout->count == 0)
    layout->count = layout->letter == 'b' ? 64 : layout->letter == 's' ? 1 : 8;
  return true;
}

/* Rows of 16 bytes: hexadecimal, characters, and a letter for where each comes from. */
static bool show_dump(struct wm_debugger *d, uint32_t memory, uint64_t address, uint64_t count)
{
  static const char letters[] = {[WM_ORIGIN_UNTOUCHED] = '.', [WM_ORIGIN_DATA] = 'd', [WM_ORIGIN_INPUT] = 'i', [WM_ORIGIN_WRITTEN] = 'w', [WM_ORIGIN_EDITED] = 'e'};
  struct wm_buffer *out = &d->out;
  struct wm_writer_of *writers = wm_allocate((size_t)count, sizeof *writers);
  bool is_good = wm_who_find(d, memory, address, (uint32_t)count, writers);
  if (!is_good)
    wm_buffer_text(&d->problem, "interrupted");
  const uint8_t *bytes = wm_instance_memory(d->target.instance, memory).base + address;
  for (uint64_t row = 0; is_good && row < count; row += 16) {
    wm_buffer_format(out, "0x%08" PRIx64 " ", address + row);
    for (uint64_t i = row; i < row + 16; i++)
      if (i < count)
        wm_buffer_format(out, " %02x", bytes[i]);
      else
        wm_buffer_text(out, "   ");
    wm_buffer_text(out, "  ");
    for (uint64_t i = row; i < row + 16; i++)
      wm_buffer_char(out, i >= count ? ' ' : bytes[i] >= ' ' && bytes[i] < 0x7f ? (char)bytes[i] : '.');
    wm_buffer_text(out, "  ");
    for (uint64_t i = row; i < row + 16 && i < count; i++)
      wm_buffer_char(out, letters[writers[i].kind]);
    wm_buffer_char(out, '\n');
  }
  /* The functions that wrote what is shown, each once, as they come. */
  for (uint64_t i = 0; is_good && i < count; i++) {
    uint64_t bytes_of = 0;
    bool is_first = writers[i].kind == WM_ORIGIN_WRITTEN;
    for (uint64_t k = 0; k < count && is_first; k++) {
      bool is_same = writers[k].kind == WM_ORIGIN_WRITTEN && writers[k].function == writers[i].function;
      bytes_of += is_same;
      is_first = !(is_same && k < i);
    }
    if (!is_first)
      continue;
    wm_buffer_format(out, "  w: %" PRIu64 " byte%s by ", bytes_of, bytes_of == 1 ? "" : "s");
    wm_code_name(&d->code, out, writers[i].function);
    wm_buffer_char(out, '\n');
  }
  free(writers);
  return is_good;
}

static void print_unit(struct wm_debugger *d, const uint8_t *bytes, const struct layout *layout)
{
  struct wm_term term = {.value = {layout->unit == 8 ? WM_TYPE_I64 : WM_TYPE_I32, {0, 0}}};
  memcpy(term.value.bits, bytes, layout->unit);
  if (layout->letter == 'f')
    term.value.type = layout->unit == 8 ? WM_TYPE_F64 : WM_TYPE_F32;
  else if (layout->letter == 'd' && layout->unit < 4)
    term.value.bits[0] = (uint32_t)(layout->unit == 1 ? (int32_t)(int8_t)bytes[0] : (int32_t)(int16_t)term.value.bits[0]);
  if (layout->letter == 'x')
    wm_buffer_format(&d->out, "0x%0*" PRIx64, (int)layout->unit * 2, term.value.bits[0]);
  else
    wm_expr_print(d, &term, layout->letter == 'f' ? 0 : layout->letter);
}

static void show_units(struct wm_debugger *d, const uint8_t *bytes, uint64_t address, const struct layout *layout)
{
  uint64_t a_row = 32 / layout->unit > 8 ? 8 : 32 / layout->unit;
  for (uint64_t i = 0; i < layout->count; i++) {
    if (i % a_row == 0)
      wm_buffer_format(&d->out, "%s0x%08" PRIx64 ":", i == 0 ? "" : "\n", address + i * layout->unit);
    wm_buffer_text(&d->out, "  ");
    print_unit(d, bytes + address + i * layout->unit, layout);
  }
  wm_buffer_char(&d->out, '\n');
}

/* Strings up to a NUL, an end of the memory, or 4096 bytes. */
static uint64_t show_strings(struct wm_debugger *d, struct wm_memory_bytes memory, uint64_t address, uint64_t count)
{
  for (uint64_t i = 0; i < count && address < memory.length; i++) {
    uint64_t length = 0;
    while (address + length < memory.length && length < 4096 && memory.base[address + length] != 0)
      length++;
    wm_buffer_format(&d->out, "0x%08" PRIx64 ": \"", address);
    wm_buffer_escaped(&d->out, memory.base + address, (size_t)length);
    wm_buffer_text(&d->out, length == 4096 ? "\"…\n" : "\"\n");
    address += length + 1;
  }
  return address;
}

bool wm_show_bytes(struct wm_debugger *d, const char *format, uint32_t memory, uint64_t address, bool has_address)
{
  struct layout layout;
  if (!read_layout(d, format, &layout))
    return false;
  if (!has_address) {
    memory = d->view_memory;
    address = d->view_next;
  }
  if (memory >= d->target.session.module.memory_count) {
    wm_buffer_format(&d->problem, "there is no memory %" PRIu32, memory);
    return false;
  }
  struct wm_memory_bytes bytes = wm_instance_memory(d->target.instance, memory);
  if (address >= bytes.length) {
    wm_buffer_format(&d->problem, "0x%" PRIx64 " is outside memory %" PRIu32 " of %" PRIu64 " bytes", address, memory, bytes.length);
    return false;
  }
  d->view_memory = memory;
  if (layout.letter == 's') {
    d->view_next = show_strings(d, bytes, address, layout.count);
    return true;
  }
  uint64_t most = (bytes.length - address) / layout.unit;
  layout.count = layout.count < most ? layout.count : most;
  if (layout.count == 0) {
    wm_buffer_format(&d->problem, "the memory ends before a whole unit at 0x%" PRIx64, address);
    return false;
  }
  d->view_next = address + layout.count * layout.unit;
  if (layout.letter == 'b')
    return show_dump(d, memory, address, layout.count);
  show_units(d, bytes.base, address, &layout);
  return true;
}
