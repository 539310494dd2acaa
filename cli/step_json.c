/* A stop as one JSON object on one line: exactly the members reason, instruction, function, index, offset, opcode, locals, stack, globals,
 * counters, depth. Values are texts in the text format's spelling, so that none loses a bit; the stack's top comes first. */
#include "cli/step.h"

#include <inttypes.h>
#include <string.h>

#include "cli/values.h"

static void put_value(struct wm_debugger *d, const struct wm_value *value)
{
  struct wm_buffer text = WM_BUFFER_EMPTY;
  wm_buffer_text(&d->out, "{\"type\":");
  wm_valtype_print(&text, value->type);
  wm_buffer_json(&d->out, text.bytes, text.length);
  text.length = 0;
  wm_value_print(&text, d->target.session.store, value);
  wm_buffer_text(&d->out, ",\"value\":");
  wm_buffer_json(&d->out, text.bytes, text.length);
  wm_buffer_char(&d->out, '}');
  wm_buffer_free(&text);
}

static void put_frame(struct wm_debugger *d, bool has_frame, const struct wm_frame_view *view, const struct wm_walk *walk)
{
  wm_buffer_text(&d->out, ",\"locals\":[");
  for (uint32_t i = 0; has_frame && i < view->local_count; i++) {
    struct wm_value value = wm_debug_value(view, wm_walk_local(walk, i), wm_walk_local_slot(walk, i));
    wm_buffer_text(&d->out, i == 0 ? "" : ",");
    put_value(d, &value);
  }
  wm_buffer_text(&d->out, "],\"stack\":[");
  uint32_t count = has_frame ? wm_debug_operands(view, walk) : 0;
  for (uint32_t i = 0; i < count; i++) {
    const struct wm_operand *operand = &walk->operands[count - 1 - i];
    struct wm_value value = wm_debug_value(view, operand->type, walk->func->local_slots + operand->slot);
    wm_buffer_text(&d->out, i == 0 ? "" : ",");
    put_value(d, &value);
  }
  wm_buffer_char(&d->out, ']');
}

static void put_globals(struct wm_debugger *d)
{
  wm_buffer_text(&d->out, ",\"globals\":[");
  for (uint32_t i = 0; i < d->target.session.module.global_count; i++) {
    struct wm_value value = wm_extern_global(wm_instance_item(d->target.instance, WM_EXTERN_GLOBAL, i));
    wm_buffer_text(&d->out, i == 0 ? "" : ",");
    put_value(d, &value);
  }
  wm_buffer_char(&d->out, ']');
}

static void put_counters(struct wm_debugger *d)
{
  struct wm_tally tally;
  if (!wm_history_tally(&d->history, &tally)) {
    wm_buffer_text(&d->out, ",\"counters\":null");
    return;
  }
  struct { const char *name; uint64_t value; } rows[] = {
    {"calls", tally.calls}, {"indirect_calls", tally.indirect_calls}, {"returns", tally.returns}, {"branches_taken", tally.branches_taken},
    {"loop_iterations", tally.loop_iterations}, {"memory_reads", tally.memory_reads}, {"memory_writes", tally.memory_writes},
    {"bytes_read", tally.bytes_read}, {"bytes_written", tally.bytes_written},
  };
  wm_buffer_text(&d->out, ",\"counters\":{");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    wm_buffer_format(&d->out, "%s\"%s\":%" PRIu64, i == 0 ? "" : ",", rows[i].name, rows[i].value);
  wm_buffer_char(&d->out, '}');
}

/* Function, place and text of the instruction that comes next. */
static void put_place(struct wm_debugger *d, bool has_frame, const struct wm_frame_view *view)
{
  if (!has_frame) {
    wm_buffer_text(&d->out, ",\"function\":null,\"index\":null,\"offset\":null,\"opcode\":null");
    return;
  }
  struct wm_insn insn;
  struct wm_text name = wm_symbols_name(&d->target.session.symbols, view->function);
  wm_buffer_text(&d->out, ",\"function\":");
  wm_buffer_json(&d->out, name.bytes, name.length);
  wm_buffer_format(&d->out, ",\"index\":%" PRIu32 ",\"offset\":%" PRIu64 ",\"opcode\":", view->function, view->offset);
  uint16_t op = wm_code_instruction(&d->code, view->function, view->instruction, &insn, NULL);
  const char *text = op < WM_OP_COUNT ? wm_opcodes[op].text : "";
  wm_buffer_json(&d->out, text, strlen(text));
}

void wm_show_stop_json(struct wm_debugger *d)
{
  struct wm_frame_view view;
  struct wm_walk walk;
  wm_buffer_format(&d->out, "{\"reason\":\"%s\",\"instruction\":%" PRIu64, wm_stop_reason_name(d->stop.reason), wm_target_instructions(&d->target));
  bool has_frame = wm_run_frame(d->target.run, 0, &view);
  put_place(d, has_frame, &view);
  has_frame = wm_debug_frame(d, 0, &view, &walk);
  put_frame(d, has_frame, &view, &walk);
  put_globals(d);
  put_counters(d);
  wm_buffer_format(&d->out, ",\"depth\":%" PRIu32 "}\n", has_frame ? wm_run_look(d->target.run).depth : 0);
}
