/* Who wrote a byte last, and where a byte comes from: data, input, the guest, an edit, or nobody.
 *
 * Found in the past: pieces between snapshots are run again, the latest first, with all writes watched, until every byte asked for has its
 * writer or the beginning is reached. */
#include "cli/step.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES (UINT32_C(1) << 20)
#define WRITES (WM_WANT(WM_EVENT_STORE) | WM_WANT(WM_EVENT_COPY) | WM_WANT(WM_EVENT_FILL) | WM_WANT(WM_EVENT_INIT))

struct search {
  uint32_t memory;
  uint64_t address;
  uint32_t length;
  struct wm_writer_of *writers;
};

static void watch_writes(void *user, const struct wm_event *event)
{
  struct search *search = user;
  if (event->memory != search->memory || event->address >= search->address + search->length || search->address >= event->address + event->length)
    return;
  uint64_t first = event->address > search->address ? event->address - search->address : 0;
  uint64_t end = event->address + event->length - search->address;
  for (uint64_t i = first; i < end && i < search->length; i++)
    search->writers[i] = (struct wm_writer_of){event->instruction, event->function, event->offset, WM_ORIGIN_WRITTEN, *event};
}

/* Where a byte came from that nobody wrote: the last copy made before the run. */
static void take_initial(struct wm_debugger *d, struct search *search)
{
  const struct wm_content *content = &d->target.session.content;
  for (uint32_t r = 0; r < content->initialized_count && !d->target.is_invoke; r++) {
    const struct wm_region *region = &content->initialized[r];
    if (region->memory != search->memory)
      continue;
    for (uint32_t i = 0; i < search->length; i++)
      if (search->address + i >= region->address && search->address + i < region->address + region->length)
        search->writers[i].kind = region->kind == WM_REGION_INPUT ? WM_ORIGIN_INPUT : WM_ORIGIN_DATA;
  }
}

static void take_edits(struct wm_debugger *d, struct search *search)
{
  for (uint32_t e = 0; e < d->history.edit_next; e++) {
    const struct wm_edit *edit = &d->history.edits[e];
    if (edit->kind != WM_EDIT_MEMORY || edit->index != search->memory)
      continue;
    for (uint32_t i = 0; i < search->length; i++) {
      uint64_t address = search->address + i;
      if (address >= edit->at && address < edit->at + edit->length && search->writers[i].instruction <= edit->instruction)
        search->writers[i] = (struct wm_writer_of){.instruction = edit->instruction, .function = WM_NO_INDEX, .kind = WM_ORIGIN_EDITED};
    }
  }
}

static bool is_complete(const struct search *search)
{
  for (uint32_t i = 0; i < search->length; i++)
    if (search->writers[i].kind != WM_ORIGIN_WRITTEN)
      return false;
  return true;
}

/* One piece of the past: from the snapshot before `end` up to it. Answers where it began. */
static uint64_t search_piece(struct wm_debugger *d, struct search *search, struct wm_writer_of *found, uint64_t end, bool is_to_the_end)
{
  uint64_t start = wm_history_restore(&d->history, wm_history_before(&d->history, end));
  wm_history_advance(&d->history, start, false);
  memset(found, 0, search->length * sizeof *found);
  struct search piece = {search->memory, search->address, search->length, found};
  wm_history_watch(&d->history, WRITES, WM_NEED_EVERY_INSTRUCTION | WM_NEED_SITE | WM_NEED_VALUE, watch_writes, &piece);
  bool is_alive = !wm_target_has_ended(&d->target);
  while (is_alive && (is_to_the_end || wm_target_instructions(&d->target) < end) && !wm_history_is_interrupted())
    is_alive = wm_history_advance(&d->history, is_to_the_end ? UINT64_MAX : end, false);
  wm_history_watch(&d->history, 0, 0, NULL, NULL);
  for (uint32_t i = 0; i < search->length; i++)
    if (search->writers[i].kind != WM_ORIGIN_WRITTEN && found[i].kind == WM_ORIGIN_WRITTEN)
      search->writers[i] = found[i];
  return start;
}

bool wm_who_find(struct wm_debugger *d, uint32_t memory, uint64_t address, uint32_t length, struct wm_writer_of *writers)
{
  uint64_t here = wm_target_instructions(&d->target), end = here;
  bool has_ended = wm_target_has_ended(&d->target);
  struct search search = {memory, address, length, writers};
  struct wm_writer_of *found = wm_allocate(length, sizeof *found);
  memset(writers, 0, length * sizeof *writers);
  wm_target_set_stream(&d->target, WM_STREAM_STEP);
  while (end > 0 && !is_complete(&search) && !wm_history_is_interrupted())
    end = search_piece(d, &search, found, end, has_ended && end == here);
  free(found);
  bool is_good = !wm_history_is_interrupted();
  wm_history_clear_interrupt();
  wm_target_set_stream(&d->target, (enum wm_stream)d->target.job.stream);
  wm_history_goto(&d->history, has_ended ? UINT64_MAX : here);
  if (!is_good)
    return false;
  struct wm_writer_of *written = wm_allocate(length, sizeof *written);
  memcpy(written, writers, length * sizeof *written);
  take_initial(d, &search);
  for (uint32_t i = 0; i < length; i++)
    if (written[i].kind == WM_ORIGIN_WRITTEN)
      writers[i] = written[i];
  free(written);
  take_edits(d, &search);
  return true;
}

/* ---- who-wrote -------------------------------------------------------------------------------------------------- */

static void tell_writer(struct wm_debugger *d, const struct wm_writer_of *writer, uint8_t byte)
{
  struct wm_buffer *out = &d->out;
  struct wm_place place;
  struct wm_insn insn;
  switch (writer->kind) {
  case WM_ORIGIN_WRITTEN:
    wm_buffer_format(out, "instruction %" PRIu64 ", ", writer->instruction);
    wm_code_name(&d->code, out, writer->function);
    wm_buffer_format(out, " at 0x%" PRIx32 ": ", writer->offset);
    if (wm_code_place_at(&d->code, writer->function, writer->offset, &place))
      wm_code_instruction(&d->code, writer->function, place.ordinal, &insn, out);
    if (writer->event.kind == WM_EVENT_STORE && writer->event.length <= 8)
      wm_buffer_format(out, ", stored 0x%0*" PRIx64, (int)writer->event.length * 2, writer->event.value[0]);
    else if (writer->event.kind == WM_EVENT_STORE)
      wm_buffer_format(out, ", stored 0x%016" PRIx64 "%016" PRIx64, writer->event.value[1], writer->event.value[0]);
    break;
  case WM_ORIGIN_EDITED: wm_buffer_format(out, "set at instruction %" PRIu64, writer->instruction); break;
  case WM_ORIGIN_INPUT: wm_buffer_text(out, "input, not written since"); break;
  case WM_ORIGIN_DATA: wm_buffer_text(out, "data segment, not written since"); break;
  default: wm_buffer_text(out, "never written"); break;
  }
  wm_buffer_format(out, " (0x%02x)\n", byte);
}

static bool is_same(const struct wm_writer_of *a, const struct wm_writer_of *b)
{
  return a->kind == b->kind && a->instruction == b->instruction && a->offset == b->offset;
}

bool wm_show_writers(struct wm_debugger *d, uint32_t memory, uint64_t address, uint64_t length)
{
  struct wm_memory_bytes bytes = wm_instance_memory(d->target.instance, memory);
  if (address > bytes.length || length > bytes.length - address || length > MOST_BYTES) {
    wm_buffer_format(&d->problem, "0x%" PRIx64 " and %" PRIu64 " bytes are outside memory %" PRIu32 " of %" PRIu64 " bytes, or too many", address, length, memory, bytes.length);
    return false;
  }
  struct wm_writer_of *writers = wm_allocate((size_t)length, sizeof *writers);
  bool is_good = wm_who_find(d, memory, address, (uint32_t)length, writers);
  if (!is_good)
    wm_buffer_text(&d->problem, "interrupted");
  for (uint64_t i = 0, next; is_good && i < length; i = next) {
    bytes = wm_instance_memory(d->target.instance, memory);
    for (next = i + 1; next < length && is_same(&writers[i], &writers[next]);)
      next++;
    if (next - i == 1)
      wm_buffer_format(&d->out, "0x%" PRIx64 ": ", address + i);
    else
      wm_buffer_format(&d->out, "0x%" PRIx64 "-0x%" PRIx64 ": ", address + i, address + next - 1);
    tell_writer(d, &writers[i], bytes.base[address + i]);
  }
  free(writers);
  return is_good;
}
