/* The time and layers sinks against a slow model that walks the whole stack at every instruction, on random runs with recursion, tail
 * calls, exceptions, host functions, traps, used-up budgets and resets; and their reports by hand. */
#include "test_instrument_host.h"

#include "instrument/meter.h"

#define FUNCTIONS 8 /* f0 is imported */
#define DEPTH 40
#define SURFACE_AT 1000
#define SURFACE 200
#define PATHS 4096

struct sums {
  uint64_t calls, self, total, loads, stores, bytes_read, bytes_written, self_ns, total_ns, surface_written, surface_kept;
};

/* What a run does, told to the sinks as events and to the model directly. Layers: layer_of, 0 for none. */
struct model {
  struct wm_fanout *fanout;
  uint64_t seed, instructions, ns, reset_at;
  uint32_t stack[DEPTH], depth;
  struct sums functions[FUNCTIONS], layers[FUNCTIONS];
  uint8_t layer_of[FUNCTIONS], writer[SURFACE];
  struct { char path[DEPTH * 3]; uint64_t self; } paths[PATHS];
  uint32_t path_count;
};

static uint64_t pick(struct model *m, uint64_t n)
{
  return host_random(&m->seed) % n;
}

static uint8_t current_layer(const struct model *m)
{
  for (uint32_t i = m->depth; i-- > 0;)
    if (m->layer_of[m->stack[i]] != 0)
      return m->layer_of[m->stack[i]];
  return 0;
}

/* Time passes and one instruction runs, by every rule at once. */
static void spend(struct model *m, uint64_t instructions, uint64_t ns)
{
  bool has_function[FUNCTIONS] = {false}, has_layer[FUNCTIONS] = {false};
  char path[DEPTH * 3] = "";
  m->instructions += instructions;
  m->ns += ns;
  if (m->depth == 0)
    return;
  for (uint32_t i = 0; i < m->depth; i++) {
    has_function[m->stack[i]] = true;
    has_layer[m->layer_of[m->stack[i]]] |= m->layer_of[m->stack[i]] != 0 || i == 0; /* layer 0 is only entered by the host */
    sprintf(path + strlen(path), "%sf%u", i > 0 ? ";" : "", (unsigned)m->stack[i]);
  }
  m->functions[m->stack[m->depth - 1]].self += instructions;
  m->functions[m->stack[m->depth - 1]].self_ns += ns;
  m->layers[current_layer(m)].self += instructions;
  m->layers[current_layer(m)].self_ns += ns;
  for (uint32_t i = 0; i < FUNCTIONS; i++) {
    m->functions[i].total += has_function[i] ? instructions : 0;
    m->functions[i].total_ns += has_function[i] ? ns : 0;
    m->layers[i].total += has_layer[i] ? instructions : 0;
    m->layers[i].total_ns += has_layer[i] ? ns : 0;
  }
  uint32_t p = 0;
  while (p < m->path_count && strcmp(m->paths[p].path, path) != 0)
    p++;
  if (p == m->path_count) {
    cr_assert(m->path_count < PATHS);
    strcpy(m->paths[p].path, path);
    m->paths[p].self = 0;
    m->path_count++;
  }
  m->paths[p].self += instructions;
}

static void tell(struct model *m, struct wm_event event)
{
  event.instruction = m->instructions;
  event.time_ns = m->ns;
  m->fanout->tap.deliver(m->fanout->tap.user, &event, 1);
}

static void push(struct model *m, uint32_t function)
{
  uint8_t layer = m->layer_of[function];
  bool is_live = false;
  for (uint32_t i = 0; i < m->depth; i++)
    is_live |= m->layer_of[m->stack[i]] == layer && layer != 0;
  if ((layer != 0 && !is_live) || (layer == 0 && m->depth == 0))
    m->layers[layer].calls++;
  m->functions[function].calls++;
  m->stack[m->depth++] = function;
}

static void access_memory(struct model *m)
{
  struct wm_event event = {.kind = (uint8_t)pick(m, WM_EVENT_INIT + 1), .address = SURFACE_AT - 40 + pick(m, SURFACE + 80), .length = 1 + pick(m, 40)};
  struct sums *sums[2] = {&m->functions[m->stack[m->depth - 1]], &m->layers[current_layer(m)]};
  if (pick(m, 10) == 0)
    event.memory = 1;
  for (int i = 0; i < 2; i++) {
    if (event.kind == WM_EVENT_LOAD || event.kind == WM_EVENT_COPY) {
      sums[i]->loads++;
      sums[i]->bytes_read += event.length;
    }
    if (event.kind != WM_EVENT_LOAD) {
      sums[i]->stores++;
      sums[i]->bytes_written += event.length;
    }
  }
  for (uint64_t a = event.address; a < event.address + event.length && event.kind != WM_EVENT_LOAD && event.memory == 0; a++) {
    if (a >= SURFACE_AT && a < SURFACE_AT + SURFACE) {
      m->writer[a - SURFACE_AT] = current_layer(m);
      m->layers[current_layer(m)].surface_written++;
    }
  }
  spend(m, 1, 0);
  tell(m, event);
}

static void return_from(struct model *m, uint16_t flags)
{
  uint32_t function = m->stack[m->depth - 1];
  tell(m, (struct wm_event){.kind = WM_EVENT_RETURN, .function = function, .flags = (uint16_t)(flags | (m->depth == 1 ? WM_FLAG_OUTERMOST : 0))});
  m->depth--;
}

/* One thing that a function can do. */
static void act(struct model *m)
{
  uint32_t callee = 1 + (uint32_t)pick(m, FUNCTIONS - 1);
  spend(m, pick(m, 4), 0); /* instructions that tell nothing */
  switch (pick(m, 8)) {
  case 0:
  case 1:
    if (m->depth < DEPTH) {
      spend(m, 1, pick(m, 50));
      tell(m, (struct wm_event){.kind = WM_EVENT_CALL, .function = m->stack[m->depth - 1], .detail = callee, .flags = callee % 2 ? WM_FLAG_INDIRECT : 0});
      push(m, callee);
      break;
    } /* fall through */
  case 2:
    spend(m, 1, pick(m, 50));
    return_from(m, 0);
    break;
  case 3: /* a tail call: return, then call, on one instruction and clock */
    spend(m, 1, pick(m, 50));
    return_from(m, WM_FLAG_TAIL);
    tell(m, (struct wm_event){.kind = WM_EVENT_CALL, .detail = callee, .flags = WM_FLAG_TAIL});
    push(m, callee);
    break;
  case 4: /* an exception leaves some functions, not the outermost */
    spend(m, 1, pick(m, 50));
    for (uint64_t n = pick(m, 4); n > 0 && m->depth > 1; n--)
      return_from(m, WM_FLAG_UNWIND);
    break;
  case 5: /* a host function */
    spend(m, 1, 0);
    tell(m, (struct wm_event){.kind = WM_EVENT_CALL, .detail = 0, .flags = WM_FLAG_IMPORT});
    m->functions[0].calls++;
    break;
  default:
    access_memory(m);
  }
}

/* One call by the host, to its end or to a stop: 0 end, 1 trap, 2 used-up budget. */
static void run_once(struct model *m, int stop)
{
  uint32_t function = 1 + (uint32_t)pick(m, FUNCTIONS - 1);
  m->ns += 1000; /* the host's own time is nobody's */
  tell(m, (struct wm_event){.kind = WM_EVENT_CALL, .detail = function, .flags = WM_FLAG_OUTERMOST});
  push(m, function);
  uint64_t left = stop == 0 ? 400 : 30 + pick(m, 100);
  while (m->depth > 0 && left-- > 0)
    act(m);
  while (m->depth == 0 && stop != 0) /* it ended before the stop: once more */
    return;
  if (stop == 1) {
    spend(m, 1, 7);
    tell(m, (struct wm_event){.kind = WM_EVENT_TRAP, .detail = 1});
  } else if (stop == 2) {
    spend(m, 3, 7);
    access_memory(m);
    spend(m, 2, 0);
  } else {
    while (m->depth > 0) {
      spend(m, 1, pick(m, 9));
      return_from(m, 0);
    }
  }
}

static void expect_functions(struct host *host, struct model *m, bool has_clock)
{
  char want[4096] = "function,index,calls,self_instructions,total_instructions,loads,stores,bytes_read,bytes_written,self_ns,total_ns\n";
  for (uint32_t i = 0; i < FUNCTIONS; i++) {
    const struct sums *s = &m->functions[i];
    if (s->calls == 0)
      continue;
    sprintf(want + strlen(want), "f%u,%u,%llu,%llu,%llu,%llu,%llu,%llu,%llu,", (unsigned)i, (unsigned)i, (unsigned long long)s->calls,
            (unsigned long long)s->self, (unsigned long long)s->total, (unsigned long long)s->loads, (unsigned long long)s->stores,
            (unsigned long long)s->bytes_read, (unsigned long long)s->bytes_written);
    if (has_clock)
      sprintf(want + strlen(want), "%llu,%llu\n", (unsigned long long)s->self_ns, (unsigned long long)s->total_ns);
    else
      strcat(want, ",\n");
  }
  cr_assert_str_eq(host->text, want, "%s\nwant\n%s", host->text, want);
}

static void expect_layers(struct host *host, struct model *m, unsigned layer_count)
{
  char want[4096] = "layer,calls,self_instructions,total_instructions,loads,stores,bytes_read,bytes_written,output_bytes_written,"
                    "output_bytes_surviving,self_ns,total_ns\n";
  struct sums all = {0};
  for (unsigned i = 0; i < SURFACE; i++)
    m->layers[m->writer[i]].surface_kept++;
  for (unsigned k = 1; k <= layer_count + 1; k++) {
    const struct sums *s = k <= layer_count ? &m->layers[k % layer_count] : &all;
    char name[16];
    snprintf(name, sizeof name, "L%u", k);
    sprintf(want + strlen(want), "%s,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu\n",
            k == layer_count ? "unattributed" : k > layer_count ? "total" : name, (unsigned long long)s->calls,
            (unsigned long long)s->self, (unsigned long long)s->total, (unsigned long long)s->loads, (unsigned long long)s->stores,
            (unsigned long long)s->bytes_read, (unsigned long long)s->bytes_written, (unsigned long long)s->surface_written,
            (unsigned long long)s->surface_kept, (unsigned long long)s->self_ns, (unsigned long long)s->total_ns);
    all.calls += s->calls, all.self += s->self, all.total += s->self, all.loads += s->loads, all.stores += s->stores;
    all.bytes_read += s->bytes_read, all.bytes_written += s->bytes_written, all.self_ns += s->self_ns, all.total_ns += s->self_ns;
    all.surface_written += s->surface_written, all.surface_kept += s->surface_kept;
  }
  cr_assert_str_eq(host->text, want, "%s\nwant\n%s", host->text, want);
}

/* Every path with work has one line, and no other line is there. */
static void expect_folded(struct host *host, struct model *m)
{
  uint32_t lines = 0, paths = 0;
  for (char *line = strtok(host->text, "\n"); line != NULL; line = strtok(NULL, "\n"), lines++) {
    char *space = strrchr(line, ' ');
    *space = '\0';
    uint32_t p = 0;
    while (p < m->path_count && strcmp(m->paths[p].path, line) != 0)
      p++;
    cr_assert(p < m->path_count, "%s", line);
    cr_assert_eq(strtoull(space + 1, NULL, 10), m->paths[p].self);
  }
  for (uint32_t p = 0; p < m->path_count; p++)
    paths += m->paths[p].self > 0;
  cr_assert_eq(lines, paths);
}

Test(instrument_time, agrees_with_a_slow_model)
{
  static struct model m;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    struct host host;
    struct wm_fanout fanout;
    memset(&m, 0, sizeof m);
    m.seed = seed;
    host_open(&host, 4, 4);
    host.view.function_count = FUNCTIONS;
    host.view.imported_function_count = 1;
    host.view.memory_count = 2;
    host.memories[1] = host.memories[0];
    host_region(&host, WM_REGION_OUTPUT, SURFACE_AT, SURFACE);
    wm_fanout_open(&fanout, &host.view);
    host_add(&host, &fanout, "time");
    host_add(&host, &fanout, "layers:layer=L1=f1,f2,layer=L2=wasm-function[3],layer=L3=4,f5,layer=L1=f6");
    host_add(&host, &fanout, "time:format=folded");
    host_add(&host, &fanout, "counts");
    static const uint8_t layer_of[FUNCTIONS] = {0, 1, 1, 2, 3, 3, 1, 0};
    memcpy(m.layer_of, layer_of, sizeof layer_of);
    m.fanout = &fanout;
    m.instructions = seed % 3 * 100; /* a count that does not begin at zero: getters ran before */
    uint64_t untapped = m.instructions;
    for (uint64_t n = pick(&m, 3); n > 0; n--)
      run_once(&m, 0);
    if (seed % 4 == 0) { /* a warm-up that does not count */
      memset(m.functions, 0, sizeof m.functions);
      memset(m.layers, 0, sizeof m.layers);
      m.path_count = 0;
      m.reset_at = m.instructions - untapped;
      wm_fanout_mark(&fanout, &(struct wm_mark){.kind = WM_MARK_RESET, .instructions = m.reset_at});
      run_once(&m, 0);
    }
    run_once(&m, (int)(seed % 3));
    struct wm_outcome outcome = {seed % 3 == 0, m.instructions - untapped, 0, m.ns};
    host_report(&host, &fanout, 0, outcome);
    expect_functions(&host, &m, true);
    host_report(&host, &fanout, 1, outcome);
    expect_layers(&host, &m, 4);
    host_report(&host, &fanout, 2, outcome);
    expect_folded(&host, &m);
    uint64_t self = 0, loads = 0;
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
      self += m.functions[i].self;
      loads += m.functions[i].loads;
    }
    char want[64];
    snprintf(want, sizeof want, "metric,value\ninstructions,%llu\n", (unsigned long long)self);
    host_report(&host, &fanout, 3, outcome);
    cr_assert_eq(strncmp(host.text, want, strlen(want)), 0, "%s", host.text);
    snprintf(want, sizeof want, "\nmemory_reads,%llu\n", (unsigned long long)loads);
    cr_assert_not_null(strstr(host.text, want));
    host_close(&host);
  }
}

/* render (f1) calls dial (f2) and hand (f3), which calls blend (f4): 10 instructions each but blend with 100. */
static void play_frame(struct wm_fanout *fanout)
{
  static const struct wm_event events[] = {
    {.kind = WM_EVENT_CALL, .flags = WM_FLAG_OUTERMOST, .detail = 1, .instruction = 0, .time_ns = 1000},
    {.kind = WM_EVENT_CALL, .detail = 2, .instruction = 5, .time_ns = 1500},
    {.kind = WM_EVENT_FILL, .address = SURFACE_AT, .length = SURFACE},
    {.kind = WM_EVENT_RETURN, .function = 2, .instruction = 15, .time_ns = 2500},
    {.kind = WM_EVENT_CALL, .detail = 3, .instruction = 16, .time_ns = 2600},
    {.kind = WM_EVENT_CALL, .detail = 4, .instruction = 21, .time_ns = 3000},
    {.kind = WM_EVENT_LOAD, .address = 0, .length = 4},
    {.kind = WM_EVENT_STORE, .address = SURFACE_AT, .length = 16},
    {.kind = WM_EVENT_RETURN, .function = 4, .instruction = 121, .time_ns = 9000},
    {.kind = WM_EVENT_RETURN, .function = 3, .instruction = 126, .time_ns = 9500},
    {.kind = WM_EVENT_RETURN, .function = 1, .flags = WM_FLAG_OUTERMOST, .instruction = 130, .time_ns = 11000},
  };
  fanout->tap.deliver(fanout->tap.user, events, sizeof events / sizeof *events);
}

Test(instrument_time, reports_by_hand)
{
  static const char *const names[] = {"now_ms", "render", "dial", "hand;x", "blend", "never", "f6", "f7"};
  static const struct {
    const char *spec, *want;
  } cases[] = {
    {"time", "function,index,calls,self_instructions,total_instructions,loads,stores,bytes_read,bytes_written,self_ns,total_ns\n"
     "render,1,1,10,130,0,0,0,0,2100,10000\ndial,2,1,10,10,0,1,0,200,1000,1000\nhand;x,3,1,10,110,0,0,0,0,900,6900\n"
     "blend,4,1,100,100,1,1,4,16,6000,6000\n"},
    {"time:clock=off", "function,index,calls,self_instructions,total_instructions,loads,stores,bytes_read,bytes_written,self_ns,total_ns\n"
     "render,1,1,10,130,0,0,0,0,,\ndial,2,1,10,10,0,1,0,200,,\nhand;x,3,1,10,110,0,0,0,0,,\nblend,4,1,100,100,1,1,4,16,,\n"},
    {"time:format=table",
     "function  index  calls  self_%  self_instructions  total_instructions  loads  stores  bytes_read  bytes_written  self_time  total_time\n"
     "blend         4      1   76.92                100                 100      1       1         4 B           16 B    6.00 µs     6.00 µs\n"
     "render        1      1    7.69                 10                 130      0       0         0 B            0 B    2.10 µs    10.00 µs\n"
     "dial          2      1    7.69                 10                  10      0       1         0 B          200 B    1.00 µs     1.00 µs\n"
     "hand;x        3      1    7.69                 10                 110      0       0         0 B            0 B     900 ns     6.90 µs\n"
     "\ninstructions: 130\nloads: 1\nstores: 2\nbytes read: 4\nbytes written: 216\n"
     "sums: the rows' own columns add up to these, which are the run's totals\n"
     "interpreter time: 10.00 µs\nprobes: 8\nprobe cost: 1 ns\nprobing time: 8 ns\n"},
    {"time:format=json,clock=off", "{\"report\":\"time\",\"complete\":true,\"rows\":[\n"
     "{\"function\":\"render\",\"index\":1,\"calls\":1,\"self_instructions\":10,\"total_instructions\":130,\"loads\":0,\"stores\":0,\"bytes_read\":0,"
     "\"bytes_written\":0,\"self_ns\":null,\"total_ns\":null},\n"
     "{\"function\":\"dial\",\"index\":2,\"calls\":1,\"self_instructions\":10,\"total_instructions\":10,\"loads\":0,\"stores\":1,\"bytes_read\":0,"
     "\"bytes_written\":200,\"self_ns\":null,\"total_ns\":null},\n"
     "{\"function\":\"hand;x\",\"index\":3,\"calls\":1,\"self_instructions\":10,\"total_instructions\":110,\"loads\":0,\"stores\":0,\"bytes_read\":0,"
     "\"bytes_written\":0,\"self_ns\":null,\"total_ns\":null},\n"
     "{\"function\":\"blend\",\"index\":4,\"calls\":1,\"self_instructions\":100,\"total_instructions\":100,\"loads\":1,\"stores\":1,\"bytes_read\":4,"
     "\"bytes_written\":16,\"self_ns\":null,\"total_ns\":null}],\"instructions\":130,\"loads\":1,\"stores\":2,\"bytes_read\":4,\"bytes_written\":216,"
     "\"sums\":\"the rows' own columns add up to these, which are the run's totals\"}\n"},
    {"time:format=folded", "render 10\nrender;dial 10\nrender;hand:x 10\nrender;hand:x;blend 100\n"},
    {"time:format=folded,weight=ns", "render 2100\nrender;dial 1000\nrender;hand:x 900\nrender;hand:x;blend 6000\n"},
    {"time:format=speedscope",
     "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"wasmeter\",\"shared\":{\"frames\":[\n"
     "{\"name\":\"render\"},\n{\"name\":\"dial\"},\n{\"name\":\"hand;x\"},\n{\"name\":\"blend\"}]},\"profiles\":[\n"
     "{\"type\":\"sampled\",\"name\":\"instructions\",\"unit\":\"none\",\"startValue\":0,\"samples\":[\n[0],\n[0,1],\n[0,2],\n[0,2,3]],"
     "\"weights\":[\n10,\n10,\n10,\n100],\"endValue\":130},\n"
     "{\"type\":\"sampled\",\"name\":\"interpreter time\",\"unit\":\"nanoseconds\",\"startValue\":0,\"samples\":[\n[0],\n[0,1],\n[0,2],\n[0,2,3]],"
     "\"weights\":[\n2100,\n1000,\n900,\n6000],\"endValue\":10000}]}\n"},
    {"layers:layer=dial=dial,layer=hand=ha*",
     "layer,calls,self_instructions,total_instructions,loads,stores,bytes_read,bytes_written,output_bytes_written,output_bytes_surviving,self_ns,total_ns\n"
     "dial,1,10,10,0,1,0,200,200,184,1000,1000\nhand,1,110,110,1,1,4,16,16,16,6900,6900\nunattributed,1,10,130,0,0,0,0,0,0,2100,10000\n"
     "total,3,130,130,1,2,4,216,216,200,10000,10000\n"},
    {"layers:layer=all=*,clock=off,surface=1016:16",
     "layer,calls,self_instructions,total_instructions,loads,stores,bytes_read,bytes_written,output_bytes_written,output_bytes_surviving,self_ns,total_ns\n"
     "all,1,130,130,1,2,4,216,16,16,,\nunattributed,0,0,0,0,0,0,0,0,0,,\ntotal,1,130,130,1,2,4,216,16,16,,\n"},
    {"layers:layer=blend=blend,surface=0x3e8:0x10",
     "layer,calls,self_instructions,total_instructions,loads,stores,bytes_read,bytes_written,output_bytes_written,output_bytes_surviving,self_ns,total_ns\n"
     "blend,1,100,100,1,1,4,16,16,16,6000,6000\nunattributed,1,30,130,0,1,0,200,16,0,4000,10000\ntotal,2,130,130,1,2,4,216,32,16,10000,10000\n"},
    {"layers:format=table,clock=off,layer=dial=dial,layer=hand=ha*",
     "layer         calls  self_%  self_instructions  total_instructions  loads  stores  bytes_read  bytes_written  output_written  surviving  surviving_%  self_time  total_time\n"
     "dial              1    7.69                 10                  10      0       1         0 B          200 B           200 B      184 B        92.00          -           -\n"
     "hand              1   84.62                110                 110      1       1         4 B           16 B            16 B       16 B       100.00          -           -\n"
     "unattributed      1    7.69                 10                 130      0       0         0 B            0 B             0 B        0 B            -          -           -\n"
     "total             3  100.00                130                 130      1       2         4 B          216 B           216 B      200 B        92.59          -           -\n"
     "\nsurface address: 1,000\nsurface bytes: 200\ninstructions: 130\nloads: 1\nstores: 2\nbytes read: 4\nbytes written: 216\n"
     "sums: the rows' own columns add up to these, which are the run's totals\n"},
    {"layers:format=folded,layer=dial=dial,layer=hand=ha*", "unattributed 10\nunattributed;dial 10\nunattributed;hand 110\n"},
    {"layers:format=folded,layer=dial=dial,layer=hand=ha*,blend", "unattributed 10\nunattributed;dial 10\nunattributed;hand 110\n"},
    {"layers:format=speedscope,clock=off,layer=frame=render",
     "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"wasmeter\",\"shared\":{\"frames\":[\n"
     "{\"name\":\"frame\"}]},\"profiles\":[\n"
     "{\"type\":\"sampled\",\"name\":\"instructions\",\"unit\":\"none\",\"startValue\":0,\"samples\":[\n[0]],\"weights\":[\n130],\"endValue\":130}]}\n"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct host host;
    struct wm_fanout fanout;
    host_open(&host, 4, 4);
    host.names = names;
    host.view.imported_function_count = 1;
    host_region(&host, WM_REGION_OUTPUT, SURFACE_AT, SURFACE);
    wm_fanout_open(&fanout, &host.view);
    host_add(&host, &fanout, cases[i].spec);
    cr_expect_eq((fanout.tap.needs & WM_NEED_CLOCK) == 0, strstr(cases[i].spec, "clock=off") != NULL);
    play_frame(&fanout);
    const char *got = host_report(&host, &fanout, 0, (struct wm_outcome){true, 130, SURFACE, 12000});
    cr_expect_str_eq(got, cases[i].want, "%s:\n%s", cases[i].spec, got);
    host_close(&host);
  }
}

/* Deep recursion: totals count once, a path is cut at its bound, and no work is lost. */
Test(instrument_time, deep_recursion)
{
  enum { DEEP = 3000 };
  struct host host;
  struct wm_fanout fanout;
  uint64_t folded = 0, at = 0;
  host_open(&host, 1, 1);
  host.view.frame_limit = DEEP;
  wm_fanout_open(&fanout, &host.view);
  host_add(&host, &fanout, "time:clock=off");
  host_add(&host, &fanout, "time:clock=off,format=folded");
  for (int i = 0; i < DEEP; i++) {
    struct wm_event call = {.kind = WM_EVENT_CALL, .flags = i == 0 ? WM_FLAG_OUTERMOST : 0, .detail = 1 + i % 2, .instruction = at};
    fanout.tap.deliver(fanout.tap.user, &call, 1);
    at += 2;
  }
  for (int i = DEEP; i-- > 0; at += 3)
    fanout.tap.deliver(fanout.tap.user, &(struct wm_event){.kind = WM_EVENT_RETURN, .instruction = at + 3}, 1);
  struct wm_outcome outcome = {true, at, 0, 0};
  cr_expect_str_eq(host_report(&host, &fanout, 0, outcome),
                   "function,index,calls,self_instructions,total_instructions,loads,stores,bytes_read,bytes_written,self_ns,total_ns\n"
                   "f1,1,1500,7500,15000,0,0,0,0,,\nf2,2,1500,7500,14995,0,0,0,0,,\n");
  host_report(&host, &fanout, 1, outcome);
  for (char *line = strtok(host.text, "\n"); line != NULL; line = strtok(NULL, "\n"))
    folded += strtoull(strrchr(line, ' ') + 1, NULL, 10);
  cr_expect_eq(folded, at);
  host_close(&host);
}

/* A table can hold functions of other instances: their work is told as such. */
Test(instrument_time, a_function_of_another_module)
{
  struct host host;
  struct wm_fanout fanout;
  static const struct wm_event events[] = {
    {.kind = WM_EVENT_CALL, .flags = WM_FLAG_OUTERMOST, .detail = 1, .instruction = 0},
    {.kind = WM_EVENT_CALL, .flags = WM_FLAG_INDIRECT, .detail = UINT32_MAX, .instruction = 5},
    {.kind = WM_EVENT_RETURN, .function = 7, .instruction = 25},
    {.kind = WM_EVENT_RETURN, .function = 1, .flags = WM_FLAG_OUTERMOST, .instruction = 30},
  };
  host_open(&host, 1, 1);
  wm_fanout_open(&fanout, &host.view);
  host_add(&host, &fanout, "time:clock=off,format=folded");
  host_add(&host, &fanout, "time:clock=off");
  host_add(&host, &fanout, "layers:clock=off,layer=a=f1");
  fanout.tap.deliver(fanout.tap.user, events, 4);
  struct wm_outcome outcome = {true, 30, 0, 0};
  cr_expect_str_eq(host_report(&host, &fanout, 0, outcome), "f1 10\nf1;(another module) 20\n");
  host_report(&host, &fanout, 1, outcome);
  cr_expect_not_null(strstr(host.text, "\nf1,1,1,10,30,0,0,0,0,,\n(another module),8,1,20,20,0,0,0,0,,\n"), "%s", host.text);
  host_report(&host, &fanout, 2, outcome);
  cr_expect_not_null(strstr(host.text, "\na,1,30,30,"), "%s", host.text);
  host_close(&host);
}

Test(instrument_time, refusals)
{
  static const char *const refused[][2] = {
    {"time:format=xml", "option \"format\": want csv, json, table, folded or speedscope, not \"xml\""},
    {"time:weight=bytes", "option \"weight\": want instructions or ns, not \"bytes\""},
    {"time:clock=1", "option \"clock\": want on or off, not \"1\""},
    {"time:weight=ns,clock=off", "weight=ns needs the clock"},
    {"time:weight=ns", "weight is of folded stacks: it needs format=folded"},
    {"time:weight=instructions,format=speedscope", "weight is of folded stacks: it needs format=folded"},
    {"layers:weight=ns,format=csv", "weight is of folded stacks: it needs format=folded"},
    {"time:layer=a=b", "unknown option \"layer\""},
    {"layers:weight=ns,clock=off", "weight=ns needs the clock"},
    {"layers:layer=", "option \"layer\": want NAME=GLOB[,GLOB...], at most 254 names, none of them unattributed or total, not \"\""},
    {"layers:layer=a", "option \"layer\": want NAME=GLOB[,GLOB...], at most 254 names, none of them unattributed or total, not \"a\""},
    {"layers:layer=a=", "option \"layer\": want NAME=GLOB[,GLOB...], at most 254 names, none of them unattributed or total, not \"a=\""},
    {"layers:layer==f1", "option \"layer\": want NAME=GLOB[,GLOB...], at most 254 names, none of them unattributed or total, not \"=f1\""},
    {"layers:layer=total=f1", "option \"layer\": want NAME=GLOB[,GLOB...], at most 254 names, none of them unattributed or total, not \"total=f1\""},
    {"layers:layer=hand=draw_*", "layer \"hand=draw_*\" matches no function (or only those of earlier layers); one that the compiler inlined cannot be told apart"},
    {"layers:layer=a=f1,layer=b=f1", "layer \"b=f1\" matches no function (or only those of earlier layers); one that the compiler inlined cannot be told apart"},
    {"layers:layer=a=f0", "layer \"a=f0\" matches no function (or only those of earlier layers); one that the compiler inlined cannot be told apart"},
    {"layers:surface=5", "option \"surface\": want ADDRESS:LENGTH within memory 0, not \"5\""},
    {"layers:surface=65536:1", "option \"surface\": want ADDRESS:LENGTH within memory 0, not \"65536:1\""},
    {"layers:surface=0:65537", "option \"surface\": want ADDRESS:LENGTH within memory 0, not \"0:65537\""},
    {"layers:surface=0xffffffffffffffff:2", "option \"surface\": want ADDRESS:LENGTH within memory 0, not \"0xffffffffffffffff:2\""},
    {"layers:f1", "unknown option \"f1\""},
  };
  struct host host;
  host_open(&host, 1, 1);
  host.view.imported_function_count = 1;
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    cr_expect_str_eq(host_refusal(&host, refused[i][0]), refused[i][1], "%s: %s", refused[i][0], host.message);
  for (uint64_t bytes = 0; bytes < 4000; bytes += 100) { /* the host's memory runs out somewhere */
    host.reserve_left = bytes;
    cr_expect_str_eq(host_refusal(&host, bytes % 200 == 0 ? "time" : "layers"), "no memory");
  }
  host_close(&host);
}

/* As many layers as there may be, and one more. */
Test(instrument_time, many_layers)
{
  struct host host;
  struct wm_fanout fanout;
  static char names[300][16], values[300][32];
  static const char *name_list[300];
  static struct wm_option options[300];
  host_open(&host, 1, 1);
  for (int i = 0; i < 300; i++) {
    snprintf(names[i], sizeof names[i], "f%d", i);
    snprintf(values[i], sizeof values[i], "L%d=f%d", i, i);
    name_list[i] = names[i];
    options[i] = (struct wm_option){{"layer", 5}, {values[i], (uint32_t)strlen(values[i])}};
  }
  host.names = name_list;
  host.view.function_count = 300;
  wm_fanout_open(&fanout, &host.view);
  cr_expect(wm_fanout_add(&fanout, &wm_sink_layers, options, 254, host.message, sizeof host.message), "%s", host.message);
  cr_expect_not(wm_fanout_add(&fanout, &wm_sink_layers, options, 255, host.message, sizeof host.message));
  host_close(&host);
}
