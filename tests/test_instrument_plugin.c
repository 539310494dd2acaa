/* The example plugins, loaded as a host loads them: the exported symbol, its version, and what they report on known events. */
#include <dlfcn.h>

#include "test_instrument_host.h"

static const struct wm_sink_class *load_plugin(const char *path)
{
  void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  cr_assert_not_null(object, "%s", dlerror());
  const struct wm_sink_class *class_ = dlsym(object, "wm_sink_plugin");
  cr_assert_not_null(class_);
  return class_;
}

static uint64_t rotate_left_7(uint64_t x)
{
  return x << 7 | x >> 57;
}

Test(instrument_plugin, checksum)
{
  const struct wm_sink_class *class_ = load_plugin(PLUGIN_CHECKSUM);
  struct host host;
  struct wm_fanout fanout;
  static struct wm_event events[1000];
  char want[100];
  uint64_t seed = 3, hash = 0;
  cr_assert_eq(class_->abi, WM_SINK_ABI);
  host_open(&host, 1, 1);
  wm_fanout_open(&fanout, &host.view);
  cr_assert(wm_fanout_add(&fanout, class_, NULL, 0, host.message, sizeof host.message));
  for (int i = 0; i < 1000; i++) {
    events[i] = (struct wm_event){.kind = (uint8_t)(host_random(&seed) % 5), .address = host_random(&seed), .length = host_random(&seed)};
    hash = (rotate_left_7(hash) + events[i].address) ^ (events[i].length * UINT64_C(0x9e3779b97f4a7c15));
  }
  for (int i = 0; i < 1000; i += 250)
    fanout.tap.deliver(fanout.tap.user, events + i, 250);
  sprintf(want, "events=1000 checksum=0x%016llx\n", (unsigned long long)hash);
  cr_expect_str_eq(host_report(&host, &fanout, 0, (struct wm_outcome){.is_complete = true}), want);
  struct wm_option option = {{"x", 1}, {NULL, 0}};
  cr_expect_not(wm_fanout_add(&fanout, class_, &option, 1, host.message, sizeof host.message));
  cr_expect_str_eq(host.message, "takes no option");
  host_close(&host);
}

Test(instrument_plugin, cache)
{
  const struct wm_sink_class *class_ = load_plugin(PLUGIN_CACHE);
  struct host host;
  struct wm_fanout fanout;
  /* Two sets of two ways, 16-byte lines: even lines share a set. */
  struct wm_option options[] = {{{"size", 4}, {"64", 2}}, {{"ways", 4}, {"2", 1}}, {{"line", 4}, {"16", 2}}};
  static const struct wm_event events[] = {
    {.kind = WM_EVENT_LOAD, .address = 0, .length = 4},   /* line 0: miss */
    {.kind = WM_EVENT_STORE, .address = 14, .length = 4}, /* line 0: hit, line 1: miss */
    {.kind = WM_EVENT_LOAD, .address = 32, .length = 4},  /* line 2: miss */
    {.kind = WM_EVENT_LOAD, .address = 0, .length = 4},   /* line 0: hit, so that line 2 is the oldest */
    {.kind = WM_EVENT_LOAD, .address = 64, .length = 4},  /* line 4: miss, in place of line 2 */
    {.kind = WM_EVENT_LOAD, .address = 4, .length = 4},   /* line 0: hit */
    {.kind = WM_EVENT_COPY, .address = 16, .source = 40, .length = 8}, /* line 2: miss, line 1: hit */
    {.kind = WM_EVENT_LOAD, .address = 0, .length = 4, .memory = 1}, /* another memory: miss */
  };
  host_open(&host, 1, 1);
  wm_fanout_open(&fanout, &host.view);
  cr_assert(wm_fanout_add(&fanout, class_, options, 3, host.message, sizeof host.message), "%s", host.message);
  fanout.tap.deliver(fanout.tap.user, events, sizeof events / sizeof *events);
  cr_expect_str_eq(host_report(&host, &fanout, 0, (struct wm_outcome){.is_complete = true}),
                   "metric,value\naccesses,10\nhits,4\nmisses,6\n");
  struct wm_option bad[] = {{{"ways", 4}, {NULL, 0}}, {{"ways", 4}, {"0", 1}}, {{"ways", 4}, {"x", 1}}, {{"ways", 4}, {"-1", 2}},
                            {{"ways", 4}, {"1234567890123", 13}}, {{"colour", 6}, {"1", 1}}, {{"way", 3}, {"1", 1}}, {{"size", 4}, {"1", 1}},
                            {{"ways", 4}, {"3", 1}}, {{"line", 4}, {"48", 2}}, {{"size", 4}, {"32769", 5}}, {{"ways", 4}, {"", 0}}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    *host.message = '\0';
    cr_expect_not(wm_fanout_add(&fanout, class_, &bad[i], 1, host.message, sizeof host.message));
    cr_expect(strlen(host.message) > 0);
  }
  /* 128 sets of three ways. */
  struct wm_option odd[] = {{{"size", 4}, {"24576", 5}}, {{"ways", 4}, {"3", 1}}};
  cr_expect(wm_fanout_add(&fanout, class_, odd, 2, host.message, sizeof host.message), "%s", host.message);
  host_close(&host);
}

/* A host looks at the version first, and at nothing else when it differs. */
Test(instrument_plugin, another_version_is_told)
{
  cr_expect_eq(load_plugin(PLUGIN_OLD)->abi, UINT32_C(0xfffffff0));
  cr_expect_neq(UINT32_C(0xfffffff0), WM_SINK_ABI);
}
