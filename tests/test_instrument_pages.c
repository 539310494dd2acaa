/* The page sink: every rule of the page report by hand-made events, a slow model of one byte array per memory against it on
 * random events, and the step inlined in a loop against the batches. */
#include "test_instrument_host.h"

#include "instrument/pages_step.h"

#define PAGE UINT64_C(65536)
#define HEADER "page,region,initialized_bytes,reads,bytes_read,writes,bytes_written,distinct_bytes_written,rewrite_ratio\n"

#define LOAD(at, n) {.kind = WM_EVENT_LOAD, .address = (at), .length = (n)}
#define STORE(at, n) {.kind = WM_EVENT_STORE, .address = (at), .length = (n)}
#define FILL(at, n) {.kind = WM_EVENT_FILL, .address = (at), .length = (n)}
#define INIT(at, n) {.kind = WM_EVENT_INIT, .address = (at), .length = (n)}
#define COPY(at, from, n) {.kind = WM_EVENT_COPY, .address = (at), .source = (from), .length = (n)}
#define GLOBAL0(value) {.kind = WM_EVENT_SET_GLOBAL0, .address = (value)}

struct range {
  uint64_t address, length;
};

/* One report by hand. Lists end with a zero kind or length. */
static const struct {
  const char *what;
  struct range data[4], input;  /* input: the capacity; its initialised bytes follow */
  uint64_t input_bytes;
  struct range output;
  uint64_t stack;               /* initial global 0, 0 for none */
  struct wm_event events[12];
  uint32_t event_count;
  const char *rows;
} cases[] = {
  {.what = "nothing at all", .rows = ""},
  {.what = "the order of labels", .data = {{0, 8}}, .input = {8, 8}, .stack = 4096, .output = {16, 8},
   .events = {GLOBAL0(2048), LOAD(4, 4)}, .event_count = 2, .rows = "0,data+input+stack+output,8,1,4,0,0,0,\n"},
  {.what = "other alone", .events = {LOAD(PAGE, 1)}, .event_count = 1, .rows = "1,other,0,1,1,0,0,0,\n"},
  {.what = "an empty data segment says nothing", .data = {{0, 0}}, .events = {LOAD(0, 1)}, .event_count = 1,
   .rows = "0,other,0,1,1,0,0,0,\n"},
  {.what = "a load that crosses", .events = {LOAD(PAGE - 3, 8)}, .event_count = 1,
   .rows = "0,other,0,1,3,0,0,0,\n1,other,0,1,5,0,0,0,\n"},
  {.what = "a load that ends at the page's end", .events = {LOAD(PAGE - 8, 8)}, .event_count = 1, .rows = "0,other,0,1,8,0,0,0,\n"},
  {.what = "a v128 store that crosses, byte by byte", .events = {STORE(PAGE - 15, 16), STORE(PAGE - 1, 16)}, .event_count = 2,
   .rows = "0,other,0,0,0,2,16,15,1.07\n1,other,0,0,0,2,16,15,1.07\n"},
  {.what = "a fill over three pages", .events = {FILL(PAGE - 1, PAGE + 2)}, .event_count = 1,
   .rows = "0,other,0,0,0,1,1,1,1.00\n1,other,0,0,0,1,65536,65536,1.00\n2,other,0,0,0,1,1,1,1.00\n"},
  {.what = "memory.init is a write", .events = {INIT(10, 20)}, .event_count = 1, .rows = "0,other,0,0,0,1,20,20,1.00\n"},
  {.what = "a copy within one page, overlapping: one read and one write", .events = {COPY(100, 104, 64)}, .event_count = 1,
   .rows = "0,other,0,1,64,1,64,64,1.00\n"},
  {.what = "a copy from two pages to two others", .events = {COPY(2 * PAGE - 6, PAGE - 4, 10)}, .event_count = 1,
   .rows = "0,other,0,1,4,0,0,0,\n1,other,0,1,6,1,6,6,1.00\n2,other,0,0,0,1,4,4,1.00\n"},
  {.what = "the ratio is rounded half up, in integers", .events = {STORE(0, 8), STORE(0, 8), STORE(0, 8), STORE(0, 2), FILL(8, 192), STORE(0, 1)},
   .event_count = 6, .rows = "0,other,0,0,0,6,219,200,1.10\n"}, /* 1.095 */
  {.what = "input labels its capacity and counts its bytes", .input = {PAGE, 2 * PAGE}, .input_bytes = 56,
   .events = {LOAD(2 * PAGE, 1)}, .event_count = 1, .rows = "1,input,56,0,0,0,0,0,\n2,input,0,1,1,0,0,0,\n"},
  {.what = "an empty input still labels", .input = {0, 10}, .events = {LOAD(100, 1)}, .event_count = 1, .rows = "0,input,0,1,1,0,0,0,\n"},
  {.what = "output that is a slice of the input: no writes", .input = {0, 10}, .input_bytes = 5, .output = {1, 3}, .rows = "0,input+output,5,0,0,0,0,0,\n"},
  {.what = "output labels only what was returned", .output = {PAGE - 2, 2}, .events = {STORE(PAGE - 4, 8)}, .event_count = 1,
   .rows = "0,output,0,0,0,1,4,4,1.00\n1,other,0,0,0,1,4,4,1.00\n"},
  {.what = "segments that overlap count each copy and label once", .data = {{0, 16}, {8, 16}, {PAGE - 1, 2}}, .rows = "0,data,33,0,0,0,0,0,\n1,data,1,0,0,0,0,0,\n"},
  {.what = "the stack is half open at the top", .stack = PAGE, .events = {GLOBAL0(PAGE - 16), LOAD(PAGE, 4), LOAD(PAGE - 4, 4)},
   .event_count = 3, .rows = "0,stack,0,1,4,0,0,0,\n1,other,0,1,4,0,0,0,\n"},
  {.what = "a stack pointer never written is no stack", .stack = PAGE, .events = {LOAD(PAGE - 4, 4)}, .event_count = 1,
   .rows = "0,other,0,1,4,0,0,0,\n"},
  {.what = "a stack that only rises is none", .stack = PAGE, .events = {GLOBAL0(2 * PAGE), LOAD(PAGE + 4, 4), LOAD(0, 1)}, .event_count = 3,
   .rows = "0,other,0,1,1,0,0,0,\n1,other,0,1,4,0,0,0,\n"},
  {.what = "the lowest value is unsigned and kept", .stack = 3 * PAGE, .events = {GLOBAL0(PAGE + 4), GLOBAL0(0xfffffff0), GLOBAL0(3 * PAGE), LOAD(PAGE, 1), LOAD(2 * PAGE, 1)},
   .event_count = 5, .rows = "1,stack,0,1,1,0,0,0,\n2,stack,0,1,1,0,0,0,\n"},
  {.what = "the first seed's sample", .data = {{16 * PAGE, 43720}}, .input = {16 * PAGE + 43720, 32 * PAGE}, .input_bytes = 56,
   .stack = 16 * PAGE, .output = {48 * PAGE, 88}, .events = {GLOBAL0(16 * PAGE - 432), FILL(48 * PAGE, 88), FILL(48 * PAGE, 88), LOAD(80 * PAGE, 4), LOAD(15 * PAGE + 65000, 4)},
   .event_count = 5,
   .rows = "15,stack,0,1,4,0,0,0,\n16,data+input,43776,0,0,0,0,0,\n48,input+output,0,0,0,2,176,88,2.00\n80,other,0,1,4,0,0,0,\n"},
};

static void set_up(struct host *host, size_t i)
{
  host_open(host, 100, 200);
  if (cases[i].stack != 0) {
    host->view.has_global0 = true;
    host->view.global0_initial = cases[i].stack;
  }
  for (size_t k = 0; k < 4; k++) {
    host_region(host, WM_REGION_DATA, cases[i].data[k].address, cases[i].data[k].length);
    host_initialized(host, WM_REGION_DATA, cases[i].data[k].address, cases[i].data[k].length);
  }
  host_region(host, WM_REGION_INPUT, cases[i].input.address, cases[i].input.length);
  host_initialized(host, WM_REGION_INPUT, cases[i].input.address, cases[i].input_bytes);
}

Test(instrument_pages, rows_by_hand)
{
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (unsigned batch = 1; batch <= 12; batch++) { /* however the events are cut into batches */
      struct host host;
      struct wm_fanout fanout;
      char want[1024];
      set_up(&host, i);
      wm_fanout_open(&fanout, &host.view);
      host_add(&host, &fanout, "pages");
      for (uint32_t at = 0; at < cases[i].event_count; at += batch)
        fanout.tap.deliver(fanout.tap.user, &cases[i].events[at],
                           cases[i].event_count - at < batch ? cases[i].event_count - at : batch);
      host_region(&host, WM_REGION_OUTPUT, cases[i].output.address, cases[i].output.length);
      snprintf(want, sizeof want, "%s%s", HEADER, cases[i].rows);
      const char *got = host_report(&host, &fanout, 0, (struct wm_outcome){.is_complete = true});
      cr_expect_str_eq(got, want, "%s:\n%s", cases[i].what, got);
      host_close(&host);
    }
  }
}

Test(instrument_pages, json_and_table)
{
  static const char *const specs[] = {"pages:format=json", "pages:format=table"};
  static const char *const want[] = {
    "{\"report\":\"pages\",\"complete\":true,\"rows\":[\n"
    "{\"page\":0,\"region\":\"other\",\"initialized_bytes\":0,\"reads\":1,\"bytes_read\":4,\"writes\":0,\"bytes_written\":0,"
    "\"distinct_bytes_written\":0,\"rewrite_ratio\":null},\n"
    "{\"page\":1,\"region\":\"other\",\"initialized_bytes\":0,\"reads\":0,\"bytes_read\":0,\"writes\":2,\"bytes_written\":4096,"
    "\"distinct_bytes_written\":2048,\"rewrite_ratio\":2.00}],\"pages\":2,\"bytes_read\":4,\"bytes_written\":4096}\n",
    "page  region  initialized_bytes  reads  bytes_read  writes  bytes_written  distinct_bytes_written  rewrite_ratio\n"
    "   0  other                 0 B      1         4 B       0            0 B                     0 B              -\n"
    "   1  other                 0 B      0         0 B       2        4.0 KiB                 2.0 KiB           2.00\n"
    "\npages: 2\nbytes read: 4\nbytes written: 4,096\n",
  };
  struct wm_event events[] = {LOAD(0, 4), FILL(PAGE, 2048), FILL(PAGE, 2048)};
  for (size_t i = 0; i < 2; i++) {
    struct host host;
    struct wm_fanout fanout;
    host_open(&host, 2, 2);
    wm_fanout_open(&fanout, &host.view);
    host_add(&host, &fanout, specs[i]);
    fanout.tap.deliver(fanout.tap.user, events, 3);
    cr_expect_str_eq(host_report(&host, &fanout, 0, (struct wm_outcome){.is_complete = true}), want[i]);
    host_close(&host);
  }
}

/* Several memories: a leading column, each with its own table; a copy between them reads one and writes the other. */
Test(instrument_pages, several_memories)
{
  struct host host;
  struct wm_fanout fanout;
  host_open(&host, 2, 2);
  host.view.memory_count = 3;
  host.memories[1] = (struct wm_memory_view){NULL, 0, 0};
  host.memories[2] = (struct wm_memory_view){NULL, PAGE, 4 * PAGE};
  host.regions[host.view.region_count++] = (struct wm_region){WM_REGION_DATA, 2, 0, 7};
  host.initialized[host.view.initialized_count++] = (struct wm_region){WM_REGION_DATA, 2, 0, 7};
  wm_fanout_open(&fanout, &host.view);
  host_add(&host, &fanout, "pages");
  struct wm_event events[] = {COPY(4, PAGE, 8), LOAD(0, 1), STORE(1, 2), STORE(4 * PAGE, 1), FILL(0, 1), FILL(2 * PAGE - 1, 2)};
  events[0].memory = 2;
  events[1].memory = 2;
  events[3].memory = 2; /* the last three are another instance's: no memory here has those bytes */
  events[4].memory = 3;
  fanout.tap.deliver(fanout.tap.user, events, 6);
  cr_expect_str_eq(host_report(&host, &fanout, 0, (struct wm_outcome){.is_complete = true}),
                   "memory," HEADER "0,0,other,0,0,0,1,2,2,1.00\n0,1,other,0,1,8,0,0,0,\n2,0,data,7,1,1,1,8,8,1.00\n");
  host_close(&host);
}

/* ---- The slow model ----------------------------------------------------------------------------------------------- */

#define MODEL_PAGES 5

struct model {
  uint64_t reads[MODEL_PAGES], bytes_read[MODEL_PAGES], writes[MODEL_PAGES], bytes_written[MODEL_PAGES];
  uint8_t is_written[MODEL_PAGES * 65536];
};

static void model_range(uint64_t *operations, uint64_t *bytes, uint8_t *is_written, uint64_t address, uint64_t length)
{
  uint64_t last = UINT64_MAX;
  for (uint64_t a = address; a < address + length; a++) {
    operations[a / 65536] += a / 65536 != last;
    bytes[a / 65536]++;
    if (is_written != NULL)
      is_written[a] = 1;
    last = a / 65536;
  }
}

static void model_event(struct model *model, const struct wm_event *event)
{
  bool is_copy = event->kind == WM_EVENT_COPY;
  if (event->kind == WM_EVENT_LOAD || is_copy)
    model_range(model->reads, model->bytes_read, NULL, is_copy ? event->source : event->address, event->length);
  if (event->kind != WM_EVENT_LOAD)
    model_range(model->writes, model->bytes_written, model->is_written, event->address, event->length);
}

static void model_report(const struct model *model, char *text)
{
  text += sprintf(text, "%s", HEADER);
  for (int p = 0; p < MODEL_PAGES; p++) {
    uint64_t distinct = 0;
    for (int i = 0; i < 65536; i++)
      distinct += model->is_written[p * 65536 + i];
    if (model->reads[p] == 0 && model->writes[p] == 0)
      continue;
    text += sprintf(text, "%d,other,0,%llu,%llu,%llu,%llu,%llu,", p, (unsigned long long)model->reads[p],
                    (unsigned long long)model->bytes_read[p], (unsigned long long)model->writes[p],
                    (unsigned long long)model->bytes_written[p], (unsigned long long)distinct);
    if (distinct > 0) {
      uint64_t hundredths = (200 * model->bytes_written[p] + distinct) / (2 * distinct);
      text += sprintf(text, "%llu.%02llu", (unsigned long long)(hundredths / 100), (unsigned long long)(hundredths % 100));
    }
    text += sprintf(text, "\n");
  }
}

/* Accesses of every width at every alignment, mostly near page ends and 64-byte words, and bulk operations of all sizes. */
static struct wm_event random_event(uint64_t *seed)
{
  uint64_t bytes = MODEL_PAGES * PAGE, r = host_random(seed);
  struct wm_event event = {.kind = (uint8_t)(r % 8 < 3 ? WM_EVENT_LOAD : r % 8 < 6 ? WM_EVENT_STORE : WM_EVENT_COPY + r / 8 % 3)};
  bool is_bulk = event.kind >= WM_EVENT_COPY;
  event.length = !is_bulk ? UINT64_C(1) << r / 64 % 5 : host_random(seed) % (r % 3 == 0 ? 3 * PAGE : 300) + 1;
  uint64_t room = bytes - event.length + 1;
  event.address = host_random(seed) % room;
  event.source = host_random(seed) % room;
  if (r / 1024 % 3 == 0) /* near a page's end */
    event.address = (host_random(seed) % (MODEL_PAGES - 1) + 1) * PAGE - host_random(seed) % 20;
  if (r / 8192 % 3 == 0) /* the copy overlaps itself */
    event.source = event.address + host_random(seed) % (event.length + 1) - event.length / 2;
  event.address = event.address >= room ? room - 1 : event.address;
  event.source = event.source >= room ? room - 1 : event.source;
  return event;
}

/* What a loop with the step inlined does. */
static void loop_event(struct wm_fanout *fanout, const struct wm_event *event)
{
  const struct wm_pages_table *table = &fanout->tap.pages->tables[event->memory];
  unsigned class_ = 0;
  while (event->length >> class_ > 1)
    class_++;
  if (event->kind == WM_EVENT_LOAD)
    wm_pages_load(table, event->address, class_);
  else if (event->kind == WM_EVENT_STORE)
    wm_pages_store(table, event->address, class_);
  else
    fanout->tap.deliver(fanout->tap.user, event, 1);
}

Test(instrument_pages, agrees_with_a_byte_array_and_with_itself_in_a_loop)
{
  static struct model model;
  static struct wm_event events[3000];
  for (uint64_t round = 1; round <= 12; round++) {
    uint64_t seed = round, count = round < 6 ? 20 * round : 3000;
    struct host batch, loop;
    struct wm_fanout batch_fanout, loop_fanout;
    char want[2048];
    memset(&model, 0, sizeof model);
    host_open(&batch, MODEL_PAGES, MODEL_PAGES);
    host_open(&loop, MODEL_PAGES, 2 * MODEL_PAGES);
    wm_fanout_open(&batch_fanout, &batch.view);
    wm_fanout_open(&loop_fanout, &loop.view);
    host_add(&batch, &batch_fanout, "pages:count=batch");
    host_add(&loop, &loop_fanout, "pages");
    cr_assert_null(batch_fanout.tap.pages);
    cr_assert_not_null(loop_fanout.tap.pages);
    for (uint64_t i = 0; i < count; i++) {
      events[i] = random_event(&seed);
      model_event(&model, &events[i]);
      loop_event(&loop_fanout, &events[i]);
    }
    for (uint64_t i = 0; i < count; i += 256)
      batch_fanout.tap.deliver(batch_fanout.tap.user, events + i, count - i < 256 ? (uint32_t)(count - i) : 256);
    model_report(&model, want);
    struct wm_outcome outcome = {.is_complete = true};
    cr_assert_str_eq(host_report(&batch, &batch_fanout, 0, outcome), want);
    cr_assert_str_eq(host_report(&loop, &loop_fanout, 0, outcome), want);
    host_close(&batch);
    host_close(&loop);
  }
}

/* A reset forgets what was counted and written, not where the stack has been. */
Test(instrument_pages, reset)
{
  struct host host;
  struct wm_fanout fanout;
  host_open(&host, 2, 2);
  host.view.has_global0 = true;
  host.view.global0_initial = 4096;
  host_initialized(&host, WM_REGION_DATA, 0, 3);
  wm_fanout_open(&fanout, &host.view);
  host_add(&host, &fanout, "pages");
  struct wm_event before[] = {GLOBAL0(0), STORE(0, 8), COPY(PAGE, 8, 64)}, after[] = {STORE(4, 4), LOAD(PAGE, 1)};
  fanout.tap.deliver(fanout.tap.user, before, 3);
  wm_fanout_mark(&fanout, &(struct wm_mark){.kind = WM_MARK_RESET});
  fanout.tap.deliver(fanout.tap.user, after, 2);
  cr_expect_str_eq(host_report(&host, &fanout, 0, (struct wm_outcome){.is_complete = true}),
                   HEADER "0,stack,3,0,0,1,4,4,1.00\n1,other,0,1,1,0,0,0,\n");
  host_close(&host);
}

Test(instrument_pages, refusals)
{
  static const struct {
    const char *spec, *reason;
  } refused[] = {
    {"pages:format=xml", "option \"format\": want csv, json or table, not \"xml\""},
    {"pages:format", "option \"format\": want csv, json or table, not \"\""},
    {"pages:count=twice", "option \"count\": want loop or batch, not \"twice\""},
    {"pages:colour=red", "unknown option \"colour\""},
    {"pages:a\x1b=", "unknown option \"a\\x1b\""},
    {"counts:format=ini", "option \"format\": want csv, json or table, not \"ini\""},
    {"counts:x", "unknown option \"x\""},
  };
  struct host host;
  host_open(&host, 1, 1);
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    cr_expect_str_eq(host_refusal(&host, refused[i].spec), refused[i].reason);
  host.reserve_left = 0;
  cr_expect_str_eq(host_refusal(&host, "pages"), "no memory for the page tables");
  host.reserve_left = 8000; /* the state and the page records, not the bits */
  cr_expect_str_eq(host_refusal(&host, "pages"), "no memory for the page tables");
  host.reserve_left = 9000; /* the sink, not the fanout's buffer */
  cr_expect_str_eq(host_refusal(&host, "pages"), "no memory");
  host_close(&host);
}
