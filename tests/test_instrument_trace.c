/* The trace sink: the lines of a small run in both forms, the ring, each filter, and the checksum. */
#include "test_instrument_host.h"

#include "instrument/match.h"

/* A run as an engine would tell it to a tap that needs IMMEDIATE; `write` is done to memory between before and after. Sites: every tenth
 * byte of the file is an access. */
struct step {
  struct wm_event event;
  const char *write; /* of event.length bytes at event.address, or NULL */
};

#define AT(f, o) .function = (f), .offset = (o)
static const struct step run[] = {
  {{.kind = WM_EVENT_CALL, .flags = WM_FLAG_OUTERMOST, .detail = 1, .instruction = 0}, NULL},
  {{.kind = WM_EVENT_STORE, .address = 16, .length = 4, AT(1, 30), .instruction = 2}, "\x01\x02\x03\x04"},
  {{.kind = WM_EVENT_CALL, .detail = 2, .flags = WM_FLAG_INDIRECT, AT(1, 33), .instruction = 3}, NULL},
  {{.kind = WM_EVENT_LOAD, .address = 17, .length = 2, AT(2, 40), .instruction = 4}, NULL},
  {{.kind = WM_EVENT_SET_GLOBAL0, .address = 4096, AT(2, 44), .instruction = 5}, NULL},
  {{.kind = WM_EVENT_BRANCH, .flags = WM_FLAG_BACK, AT(2, 45), .instruction = 6}, NULL},
  {{.kind = WM_EVENT_COPY, .address = 32, .source = 16, .length = 2, AT(2, 46), .instruction = 7}, "\x01\x02"},
  {{.kind = WM_EVENT_FILL, .address = 64, .length = 20, AT(2, 48), .instruction = 8}, "zzzzzzzzzzzzzzzzzzzz"},
  {{.kind = WM_EVENT_INIT, .address = 48, .length = 1, .detail = 9, AT(2, 49), .instruction = 9}, "!"},
  {{.kind = WM_EVENT_GROW, .address = 1, .length = 1, .detail = 1, AT(2, 51), .instruction = 10}, NULL},
  {{.kind = WM_EVENT_RETURN, AT(2, 52), .instruction = 11}, NULL},
  {{.kind = WM_EVENT_CALL, .flags = WM_FLAG_IMPORT | WM_FLAG_TAIL, .detail = 0, AT(1, 53), .instruction = 12}, NULL},
  {{.kind = WM_EVENT_TRAP, .address = 65534, .length = 4, .detail = 2, AT(1, 60), .instruction = 13}, NULL},
};
#define STEPS (sizeof run / sizeof *run)

static void play(struct wm_fanout *fanout, uint8_t *memory)
{
  bool has_phases = (fanout->tap.needs & WM_NEED_IMMEDIATE) != 0;
  memset(memory, 0, 65536);
  for (size_t i = 0; i < STEPS; i++) {
    struct wm_event event = run[i].event;
    bool is_wanted = (fanout->tap.wants & WM_WANT(event.kind)) != 0;
    bool has_two = (WM_WANT_ACCESSES & WM_WANT(event.kind)) != 0 && has_phases;
    event.phase = has_two ? WM_PHASE_BEFORE : WM_PHASE_NONE;
    if (is_wanted)
      fanout->tap.deliver(fanout->tap.user, &event, 1);
    if (run[i].write != NULL)
      memcpy(memory + event.address, run[i].write, event.length);
    event.phase = WM_PHASE_AFTER;
    if (is_wanted && has_two)
      fanout->tap.deliver(fanout->tap.user, &event, 1);
  }
}

static const char *trace(struct host *host, const char *spec)
{
  static uint8_t memory[65536];
  struct wm_fanout fanout;
  host_open(host, 1, 1);
  host->memories[0].base = memory;
  host->view.memory_count = 2;
  wm_fanout_open(&fanout, &host->view);
  host_add(host, &fanout, spec);
  play(&fanout, memory);
  wm_fanout_finish(&fanout, 0, &(struct wm_outcome){.is_complete = false}, &host->writer);
  return host->text;
}

#define STORE_LINES \
  "before_store func=1 op=3 mem=0 addr=0x00000010 width=4 bytes=00000000\n" \
  "after_store func=1 op=3 mem=0 addr=0x00000010 width=4 bytes=01020304\n"
#define LOAD_LINE "before_load func=2 op=4 mem=0 addr=0x00000011 width=2 bytes=0203\n"
#define COPY_LINES \
  "before_copy func=2 offset=0x0000002e mem=0 addr=0x00000020 width=2 from_mem=0 from=0x00000010 bytes=0000\n" \
  "after_copy func=2 offset=0x0000002e mem=0 addr=0x00000020 width=2 from_mem=0 from=0x00000010 bytes=0102\n"
#define FILL_LINES \
  "before_fill func=2 offset=0x00000030 mem=0 addr=0x00000040 width=20 bytes=00000000000000000000000000000000...\n" \
  "after_fill func=2 offset=0x00000030 mem=0 addr=0x00000040 width=20 bytes=7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a...\n"
#define INIT_LINES \
  "before_init func=2 offset=0x00000031 mem=0 addr=0x00000030 width=1 segment=9 bytes=00\n" \
  "after_init func=2 offset=0x00000031 mem=0 addr=0x00000030 width=1 segment=9 bytes=21\n"
#define GROW_LINE "grow func=2 offset=0x00000033 mem=0 pages=1 by=1 grew=1\n"
#define TRAP_LINE "before_load func=1 op=6 mem=0 addr=0x0000fffe width=4 bytes=<out-of-bounds>\n"

Test(instrument_trace, text_lines)
{
  static const struct {
    const char *spec, *want;
  } cases[] = {
    {"trace", STORE_LINES LOAD_LINE COPY_LINES FILL_LINES INIT_LINES GROW_LINE TRAP_LINE},
    {"trace:kind=memory", STORE_LINES LOAD_LINE COPY_LINES FILL_LINES INIT_LINES GROW_LINE TRAP_LINE},
    {"trace:kind=all",
     "call callee=1 outermost\n" STORE_LINES "call func=1 offset=0x00000021 callee=2 indirect\n" LOAD_LINE
     "global0 func=2 offset=0x0000002c value=0x00001000\nbranch func=2 offset=0x0000002d back\n" COPY_LINES FILL_LINES INIT_LINES GROW_LINE
     "return func=2\ncall func=1 offset=0x00000035 callee=0 tail import\n" TRAP_LINE},
    {"trace:kind=load+trap", LOAD_LINE TRAP_LINE},
    {"trace:kind=call", "call callee=1 outermost\ncall func=1 offset=0x00000021 callee=2 indirect\ncall func=1 offset=0x00000035 callee=0 tail import\n"},
    {"trace:kind=store+trap,function=f1", STORE_LINES TRAP_LINE},
    {"trace:function=f?,kind=load+store", STORE_LINES LOAD_LINE},
    {"trace:function=2,kind=load+store", LOAD_LINE},
    {"trace:function=wasm-function[2],function=f3,kind=load+store+trap", LOAD_LINE TRAP_LINE},
    {"trace:function=f2,kind=call", "call func=1 offset=0x00000021 callee=2 indirect\n"}, /* called, not calling */
    {"trace:range=0x13:1,kind=memory", STORE_LINES GROW_LINE TRAP_LINE},
    {"trace:range=0:16,kind=load+store+copy", ""},
    {"trace:range=20:12,kind=load+store+copy", ""},
    {"trace:range=17:1,kind=load+store+copy", STORE_LINES LOAD_LINE COPY_LINES}, /* the copy by its source */
    {"trace:range=0:0xffffffffffffffff,kind=load", LOAD_LINE},
    {"trace:memory=1,kind=load+store+copy", ""},
    {"trace:memory=0,kind=load", LOAD_LINE},
    {"trace:last,kind=return+global0+call", "  call callee=1 outermost\n  call func=1 offset=0x00000021 callee=2 indirect\n"
     "  global0 func=2 offset=0x0000002c value=0x00001000\n  return func=2\n  call func=1 offset=0x00000035 callee=0 tail import\n"},
    {"trace:last=3,kind=load+store+trap", "  ... 1 earlier memory events omitted\n"
     "  after_store func=1 op=3 mem=0 addr=0x00000010 width=4 bytes=01020304\n  " LOAD_LINE "  " TRAP_LINE},
    {"trace:last=3,show=1,kind=load+store+trap", "  ... 3 earlier memory events omitted\n  " TRAP_LINE},
    {"trace:last,show=1,kind=load+store", "  ... 2 earlier memory events omitted\n  " LOAD_LINE},
    {"trace:last,memory=1,kind=load", "  no memory trace events recorded\n"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct host host;
    const char *got = trace(&host, cases[i].spec);
    cr_expect_str_eq(got, cases[i].want, "%s:\n%s", cases[i].spec, got);
    host_close(&host);
  }
}

Test(instrument_trace, json_lines)
{
  static const char want[] =
    "{\"event\":\"call\",\"callee\":1,\"callee_name\":\"f1\",\"outermost\":true,\"instruction\":0}\n"
    "{\"event\":\"before_load\",\"function\":2,\"name\":\"f2\",\"op\":4,\"memory\":0,\"address\":17,\"width\":2,\"bytes\":\"0203\",\"instruction\":4}\n"
    "{\"event\":\"branch\",\"function\":2,\"name\":\"f2\",\"offset\":45,\"back\":true,\"instruction\":6}\n"
    "{\"event\":\"before_load\",\"function\":1,\"name\":\"f1\",\"op\":6,\"memory\":0,\"address\":65534,\"width\":4,\"bytes\":\"<out-of-bounds>\",\"instruction\":13}\n";
  struct host host;
  /* The store before the load is not wanted here, but its effect is seen. */
  static uint8_t memory[65536];
  struct wm_fanout fanout;
  host_open(&host, 1, 1);
  host.memories[0].base = memory;
  wm_fanout_open(&fanout, &host.view);
  host_add(&host, &fanout, "trace:format=json,kind=call+load+branch+trap,function=f2,function=f1");
  cr_expect_eq(fanout.tap.needs, WM_NEED_SITE | WM_NEED_IMMEDIATE | WM_NEED_EVERY_INSTRUCTION);
  for (size_t i = 0; i < STEPS; i++) {
    struct wm_event event = run[i].event;
    if (i == 0 || event.kind == WM_EVENT_BRANCH || event.kind == WM_EVENT_TRAP)
      fanout.tap.deliver(fanout.tap.user, &event, 1);
    memcpy(memory + 16, "\x01\x02\x03\x04", 4);
    for (int phase = 1; event.kind == WM_EVENT_LOAD && phase <= 2; phase++) {
      event.phase = (uint8_t)phase;
      fanout.tap.deliver(fanout.tap.user, &event, 1);
    }
  }
  wm_fanout_finish(&fanout, 0, &(struct wm_outcome){.is_complete = false}, &host.writer);
  cr_expect_str_eq(host.text, want, "%s", host.text);
  host_close(&host);
}

/* Traps that are no access, and bulk operations beyond memory. */
Test(instrument_trace, traps)
{
  static const struct {
    struct wm_event event;
    const char *want;
  } cases[] = {
    {{.kind = WM_EVENT_TRAP, .detail = 1, AT(3, 77)}, "trap func=3 offset=0x0000004d reason=\"unreachable\"\n"},
    {{.kind = WM_EVENT_TRAP, .detail = 2, .address = 8, .length = 16, .flags = WM_FLAG_STORE, AT(3, 80)},
     "before_store func=3 op=8 mem=0 addr=0x00000008 width=16 bytes=<out-of-bounds>\n"},
    {{.kind = WM_EVENT_TRAP, .detail = 2, .address = 65530, .length = 100, .flags = WM_FLAG_STORE, AT(3, 77)},
     "trap func=3 offset=0x0000004d reason=\"out of bounds memory access\" mem=0 addr=0x0000fffa width=100\n"},
    {{.kind = WM_EVENT_TRAP, .detail = 2, .address = UINT64_C(0x123456789a), .length = 1, AT(3, 80)},
     "before_load func=3 op=8 mem=0 addr=0x123456789a width=1 bytes=<out-of-bounds>\n"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct host host;
    struct wm_fanout fanout;
    host_open(&host, 1, 1);
    wm_fanout_open(&fanout, &host.view);
    host_add(&host, &fanout, "trace");
    fanout.tap.deliver(fanout.tap.user, &cases[i].event, 1);
    cr_expect_str_eq(host_report(&host, &fanout, 0, (struct wm_outcome){.is_complete = false}), cases[i].want, "%s", host.text);
    host_close(&host);
  }
}

/* The last bytes of memory, and the first beyond. */
Test(instrument_trace, ends_of_memory)
{
  static const uint8_t memory[65536] = {[0] = 0xaa, [65535] = 0xbb};
  static const struct {
    uint64_t address, length;
    const char *bytes;
  } cases[] = {
    {0, 1, "aa"}, {65535, 1, "bb"}, {65532, 4, "000000bb"}, {65533, 4, "<out-of-bounds>"}, {65536, 1, "<out-of-bounds>"},
    {UINT64_MAX, 16, "<out-of-bounds>"}, {0, 65537, "<out-of-bounds>"}, {0, 65536, "aa000000000000000000000000000000..."},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct host host;
    struct wm_fanout fanout;
    host_open(&host, 1, 1);
    host.memories[0].base = memory;
    wm_fanout_open(&fanout, &host.view);
    host_add(&host, &fanout, "trace");
    struct wm_event event = {.kind = WM_EVENT_LOAD, .phase = WM_PHASE_BEFORE, .address = cases[i].address, .length = cases[i].length};
    fanout.tap.deliver(fanout.tap.user, &event, 1);
    host_report(&host, &fanout, 0, (struct wm_outcome){.is_complete = true});
    cr_expect_str_eq(strstr(host.text, "bytes=") + 6, strcat(strcpy(host.message, cases[i].bytes), "\n"), "%s", host.text);
    host_close(&host);
  }
}

/* The ring over every size around the number of lines. */
Test(instrument_trace, ring)
{
  for (uint64_t last = 1; last <= 12; last++) {
    for (uint64_t show = 1; show <= 12; show++) {
      struct host host;
      struct wm_fanout fanout;
      char spec[64], want[600] = "";
      snprintf(spec, sizeof spec, "trace:kind=global0,last=%d,show=%d", (int)last, (int)show);
      host_open(&host, 1, 1);
      wm_fanout_open(&fanout, &host.view);
      host_add(&host, &fanout, spec);
      for (uint64_t i = 0; i < 9; i++)
        fanout.tap.deliver(fanout.tap.user, &(struct wm_event){.kind = WM_EVENT_SET_GLOBAL0, .address = i}, 1);
      uint64_t shown = last < show ? last : show;
      shown = shown < 9 ? shown : 9;
      if (shown < 9)
        sprintf(want, "  ... %d earlier memory events omitted\n", (int)(9 - shown));
      for (uint64_t i = 9 - shown; i < 9; i++)
        sprintf(want + strlen(want), "  global0 func=0 offset=0x00000000 value=0x%08x\n", (unsigned)i);
      cr_expect_str_eq(host_report(&host, &fanout, 0, (struct wm_outcome){.is_complete = true}), want);
      host_close(&host);
    }
  }
}

Test(instrument_trace, checksum)
{
  struct host host;
  struct wm_fanout fanout;
  uint64_t hash = 0;
  char want[80];
  for (size_t i = 0; i < STEPS; i++)
    if (run[i].event.kind <= WM_EVENT_INIT)
      hash = ((hash << 7 | hash >> 57) + run[i].event.address) ^ (run[i].event.length * UINT64_C(0x9e3779b97f4a7c15));
  snprintf(want, sizeof want, "events=5 checksum=0x%016llx\n", (unsigned long long)hash);
  cr_expect_str_eq(trace(&host, "trace:checksum"), want);
  host_close(&host);
  host_open(&host, 1, 1);
  wm_fanout_open(&fanout, &host.view);
  host_add(&host, &fanout, "trace:checksum=on");
  cr_expect_eq(fanout.tap.needs, 0);
  cr_expect_eq(fanout.tap.wants, WM_WANT_ACCESSES);
  host_close(&host);
}

Test(instrument_trace, refusals)
{
  static const char *const refused[][2] = {
    {"trace:format=csv", "option \"format\": want text or json, not \"csv\""},
    {"trace:last=0", "option \"last\": want a number from 1 to 16777216, not \"0\""},
    {"trace:last=16777217", "option \"last\": want a number from 1 to 16777216, not \"16777217\""},
    {"trace:show=x", "option \"show\": want a number from 1, not \"x\""},
    {"trace:kind=loads", "option \"kind\": want load, store, copy, fill, init, grow, call, return, branch, global0, trap, memory or all, joined by +, not \"loads\""},
    {"trace:kind=", "option \"kind\": want load, store, copy, fill, init, grow, call, return, branch, global0, trap, memory or all, joined by +, not \"\""},
    {"trace:memory=1", "option \"memory\": want the index of a memory, not \"1\""},
    {"trace:range=5", "option \"range\": want ADDRESS:LENGTH, not \"5\""},
    {"trace:range=5:0", "option \"range\": want ADDRESS:LENGTH, not \"5:0\""},
    {"trace:range=:5", "option \"range\": want ADDRESS:LENGTH, not \":5\""},
    {"trace:function=g*", "option \"function\": want the name, a glob or the index of a function that there is, not \"g*\""},
    {"trace:function=8", "option \"function\": want the name, a glob or the index of a function that there is, not \"8\""},
    {"trace:checksum=2", "option \"checksum\": want on or off, not \"2\""},
    {"trace:checksum,format=json", "checksum prints no lines: it goes with no format, last or show"},
    {"trace:checksum,last", "checksum prints no lines: it goes with no format, last or show"},
    {"trace:checksum,show=3", "checksum prints no lines: it goes with no format, last or show"},
    {"trace:show=3", "show is of the lines that last keeps: it needs last"},
    {"trace:out", "unknown option \"out\""},
    {"trace:last=16777216", "no memory for so many lines"},
  };
  struct host host;
  host_open(&host, 1, 1);
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    cr_expect_str_eq(host_refusal(&host, refused[i][0]), refused[i][1], "%s: %s", refused[i][0], host.message);
  host_close(&host);
}

Test(instrument_trace, globs)
{
  static const struct {
    const char *pattern, *text;
    bool matches;
  } cases[] = {
    {"", "", true}, {"", "a", false}, {"*", "", true}, {"*", "abc", true}, {"a*", "abc", true}, {"*c", "abc", true}, {"a*c", "abc", true},
    {"a*c", "abcd", false}, {"?", "", false}, {"?", "a", true}, {"a?c", "abc", true}, {"a?c", "ac", false}, {"*b*", "abc", true},
    {"*x*", "abc", false}, {"a**c", "abc", true}, {"*abab", "abababab", true}, {"*ab?b*", "xxaabbbab", true}, {"*ab?b*", "xxaabbab", false}, {"abc", "abcd", false},
    {"abcd", "abc", false}, {"a[b]", "a[b]", true}, {"a[b]", "ab", false}, {"*aaaaaaaaaaaaaaaaaaaab", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    cr_expect_eq(wm_glob_match((struct wm_text){cases[i].pattern, (uint32_t)strlen(cases[i].pattern)},
                               (struct wm_text){cases[i].text, (uint32_t)strlen(cases[i].text)}),
                 cases[i].matches, "%s %s", cases[i].pattern, cases[i].text);
}
