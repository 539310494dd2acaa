/* The core as a component of contract V3: a multipart request in, a render of its target inside the interpreter, an answer out.
 *
 * Compiled for wasm32 only, without any library. Every buffer is static; memory never grows. Nothing of a request is left for the
 * next one: arena and pool begin anew, and the pool clears what it hands out again. Whatever does not end in a finished, accepted
 * render of the target is a rejection; only an input beyond the capacity traps. */
#include "qip/component/component.h"

#include "decoder/module.h"
#include "qip/multipart.h"

#define WASM_PAGE_BYTES (uint64_t)65536
#define MIB ((uint64_t)1 << 20)
#define INPUT_CAP (9 * MIB + 32 * 1024) /* module, its input, and the multipart lines */
#define ARENA_BYTES (16 * MIB)          /* decoded module, contract, store: a test has all limits at once */
#define RESERVE_BYTES (48 * MIB)        /* what a memory's wish to grow leaves for page tables, code, frames, objects */

/* The large buffers stand behind everything that the linker has placed, and the pool takes the rest of memory: as static arrays they
 * would fill the object file with zeros. The link gives memory its size (meson.build). */
extern uint8_t __heap_base[];
#define INPUT __heap_base
#define ARENA (__heap_base + INPUT_CAP)
#define POOL (__heap_base + INPUT_CAP + ARENA_BYTES)

#define DEFAULT_BUDGET 1000000u
#define LARGEST_BUDGET 10000000u

static struct wm_pool pool;
static struct wm_content content;
static struct wm_request request;
static struct wm_contract contract;
static struct wm_module module;
static struct wm_types types;
static uint32_t budget = DEFAULT_BUDGET;

/* A host may write another UUID over the last 36 bytes at any time. */
static volatile uint8_t content_type[] = WM_MULTIPART_TYPE;

WM_COMPONENT_GETTER(input_ptr, INPUT)
WM_COMPONENT_GETTER(input_bytes_cap, INPUT_CAP)
WM_COMPONENT_GETTER(input_content_type_ptr, content_type)
WM_COMPONENT_GETTER(input_content_type_size, sizeof content_type - 1)
WM_COMPONENT_GETTER(failure_modes_per_input_offset, 0)

uint32_t uniform_set_instruction_budget(uint32_t instructions);
WM_COMPONENT_EXPORT("uniform_set_instruction_budget") uint32_t uniform_set_instruction_budget(uint32_t instructions)
{
  budget = instructions < 1 ? 1 : instructions > LARGEST_BUDGET ? LARGEST_BUDGET : instructions;
  return budget;
}

static bool parse(uint32_t input_size)
{
  uint8_t uuid[WM_BOUNDARY_UUID_BYTES];
  struct wm_problem problem;
  for (uint32_t i = 0; i < WM_BOUNDARY_UUID_BYTES; i++)
    uuid[i] = content_type[sizeof WM_MULTIPART_TYPE_PREFIX - 1 + i];
  wm_problem_clear(&problem);
  return wm_request_parse(&request, INPUT, input_size, uuid, &problem);
}

/* Decodes the target and opens a session for it. */
static bool open(uint32_t instructions, struct wm_arena *arena, const struct wm_host *host)
{
  const struct wm_limits *limits = &wm_limits_component;
  struct wm_error error = WM_ERROR_NONE;
  struct wm_problem problem;
  wm_problem_clear(&problem);
  if (!wm_types_init(&types, arena, limits) ||
      !wm_module_decode(&module, request.component, request.component_length, limits, &types, arena, &error) ||
      !wm_contract_read(&contract, &module, 0, arena, &problem))
    return false;
  struct wm_store *store = wm_store_open(arena, limits, host, &types);
  struct wm_content_setup setup = {
    .store = store, .limits = limits, .module = &module, .contract = &contract, .input = request.input, .input_length = request.input_length,
    .check_input_utf8 = true, .uniforms = request.uniforms, .uniform_count = request.uniform_count, .budget = instructions, .arena = arena};
  return store != NULL && wm_content_open(&content, &setup);
}

static uint64_t render_request(uint32_t input_size, uint32_t instructions)
{
  struct wm_arena arena = {ARENA, 0, ARENA_BYTES};
  if (pool.base == NULL)
    wm_pool_open(&pool, POOL, __builtin_wasm_memory_size(0) * WASM_PAGE_BYTES - (uintptr_t)POOL, RESERVE_BYTES);
  wm_pool_reset(&pool);
  struct wm_host host = wm_pool_host(&pool);
  if (!parse(input_size) || !open(instructions, &arena, &host) || !wm_component_watch(&content, &pool))
    return WM_COMPONENT_REJECTION;
  wm_content_finish(&content);
  if (wm_content_outcome(&content)->result != WM_CONTENT_ACCEPTED)
    return WM_COMPONENT_REJECTION;
  return wm_component_answer(&content);
}

uint64_t render(uint32_t input_size);
WM_COMPONENT_EXPORT("render") uint64_t render(uint32_t input_size)
{
  uint32_t instructions = budget;
  budget = DEFAULT_BUDGET;
  if (input_size > INPUT_CAP)
    __builtin_trap();
  return render_request(input_size, instructions);
}
