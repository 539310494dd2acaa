/* The smallest sink that looks at everything: one number over the address and length of every access, in program order.
 *
 * wasmeter run --sink ./checksum.so COMPONENT.wasm prints what `--sink trace:checksum` does. A copy counts with its destination. */
#include <stdio.h>

#include "instrument/sink.h"

struct checksum {
  uint64_t hash, events;
};

static void *open_checksum(const struct wm_view *view, const struct wm_option *options, uint32_t option_count, uint32_t *wants,
                           uint32_t *needs, char *message, size_t message_bytes)
{
  (void)options;
  struct checksum *checksum = option_count == 0 ? view->reserve(view, sizeof *checksum) : NULL;
  if (checksum == NULL)
    snprintf(message, message_bytes, "%s", option_count > 0 ? "takes no option" : "no memory");
  *wants = WM_WANT_ACCESSES;
  *needs = 0;
  return checksum;
}

static void take_events(void *state, const struct wm_event *batch, uint32_t count)
{
  struct checksum *checksum = state;
  uint64_t hash = checksum->hash;
  for (uint32_t i = 0; i < count; i++)
    hash = ((hash << 7 | hash >> 57) + batch[i].address) ^ batch[i].length * UINT64_C(0x9e3779b97f4a7c15);
  checksum->hash = hash;
  checksum->events += count;
}

static void finish(void *state, const struct wm_view *view, const struct wm_outcome *outcome, struct wm_writer *writer)
{
  const struct checksum *checksum = state;
  char text[80];
  (void)view, (void)outcome;
  int length = snprintf(text, sizeof text, "events=%llu checksum=0x%016llx\n", (unsigned long long)checksum->events,
                        (unsigned long long)checksum->hash);
  writer->write(writer, text, (size_t)length);
}

const struct wm_sink_class wm_sink_plugin = {
  .abi = WM_SINK_ABI, .size = sizeof(struct wm_sink_class), .name = "checksum", .summary = "a checksum of all accesses",
  .options = "", .open = open_checksum, .events = take_events, .finish = finish,
};
