/* Fuzzes one render from module bytes to outcome: decoding, contract, getters, setters, run, judgement.
 *
 * The input chooses one of the contract tests' modules, a budget, and bytes of the module to change, so that what is reached lies
 * close to components that work. Whatever happens must be an ordinary outcome, and the outcome must keep its promises. */
#include <stdlib.h>
#include <string.h>

#include "instrument/text.h"
#include "qip/content.h"

#include "qip_content_cases.h"

static void require(bool condition)
{
  if (!condition)
    abort();
}

static bool take_block(void *user, struct wm_block *block, uint64_t bytes, uint64_t capacity)
{
  (void)user;
  if (bytes > (uint64_t)8 << 20)
    return false;
  capacity = capacity < (uint64_t)8 << 20 ? capacity : (uint64_t)8 << 20;
  *block = (struct wm_block){calloc(1, (size_t)capacity + 1), bytes, capacity, NULL};
  return block->base != NULL;
}

static bool grow_block(void *user, struct wm_block *block, uint64_t bytes)
{
  (void)user;
  if (bytes > block->capacity)
    return false;
  block->bytes = bytes;
  return true;
}

static void release_block(void *user, struct wm_block *block)
{
  (void)user;
  free(block->base);
}

#define ARENA_BYTES ((size_t)1 << 20)

static void check_outcome(const struct wm_content *content, uint64_t budget)
{
  const struct wm_content_outcome *outcome = wm_content_outcome(content);
  bool has_text = outcome->problem.status != WM_OK;
  uint64_t length;
  const uint8_t *output = wm_content_output(content, &length);
  require(content->phase == WM_CONTENT_FINISHED && outcome->result != WM_CONTENT_UNFINISHED);
  require(outcome->instructions + outcome->budget_left <= budget);
  require(outcome->result != WM_CONTENT_EXHAUSTED || outcome->budget_left == 0);
  bool wants_text = outcome->result != WM_CONTENT_ACCEPTED && outcome->result != WM_CONTENT_TRAPPED && outcome->result != WM_CONTENT_EXHAUSTED;
  require(has_text == wants_text);
  require((outcome->trap != WM_TRAP_NONE) == (outcome->result == WM_CONTENT_TRAPPED));
  if (output != NULL) {
    struct wm_memory_bytes memory = wm_instance_memory(content->instance, 0);
    require(length > 0 && output >= memory.base && length <= memory.length && output + length <= memory.base + memory.length);
  }
}

static void render(const uint8_t *bytes, size_t length, uint64_t budget, uint8_t *arena_bytes)
{
  struct wm_limits limits = wm_limits_component;
  struct wm_host host = {NULL, take_block, grow_block, release_block};
  struct wm_arena arena = {arena_bytes, 0, ARENA_BYTES};
  struct wm_error error = WM_ERROR_NONE;
  struct wm_types types;
  struct wm_module module;
  struct wm_contract contract;
  struct wm_problem problem;
  wm_problem_clear(&problem);
  limits.memory_bytes = (uint64_t)4 << 20;
  limits.bulk_bytes = (uint64_t)64 << 20;
  if (!wm_types_init(&types, &arena, &limits) || !wm_module_decode(&module, bytes, length, &limits, &types, &arena, &error))
    return;
  if (!wm_contract_read(&contract, &module, 0, &arena, &problem)) {
    require(problem.status == WM_CONTRACT || problem.status == WM_NO_SPACE);
    return;
  }
  struct wm_store *store = wm_store_open(&arena, &limits, &host, &types);
  if (store == NULL)
    return;
  /* Every setter that takes a number gets one. */
  struct wm_uniform uniforms[8];
  uint32_t count = 0;
  for (uint32_t i = 0; i < contract.uniform_count && count < 8; i++)
    if (contract.uniforms[i].type != 0)
      uniforms[count++] = (struct wm_uniform){contract.uniforms[i].key, wm_text_of("7")};
  struct wm_content_setup setup = {
    .store = store, .limits = &limits, .module = &module, .contract = &contract, .check_input_utf8 = true, .uniforms = uniforms,
    .uniform_count = count, .budget = budget, .arena = &arena};
  if (!contract.is_generator) {
    setup.input = (const uint8_t *)"\5\0\0\0hello";
    setup.input_length = 9;
  }
  static struct wm_content content;
  if (wm_content_open(&content, &setup))
    wm_content_finish(&content);
  check_outcome(&content, budget);
  wm_content_close(&content);
  wm_store_close(store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static uint8_t *arena_bytes;
  if (arena_bytes == NULL)
    arena_bytes = aligned_alloc(16, ARENA_BYTES);
  if (size < 3)
    return 0;
  const struct module_case *base = &module_cases[data[0] % (sizeof module_cases / sizeof *module_cases)];
  uint8_t *bytes = malloc(base->length);
  memcpy(bytes, base->bytes, base->length);
  for (size_t at = 3; at + 3 <= size; at += 3)
    bytes[(data[at] << 8 | data[at + 1]) % base->length] = data[at + 2];
  render(bytes, base->length, data[1] << 8 | data[2], arena_bytes);
  free(bytes);
  return 0;
}
