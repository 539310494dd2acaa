/* The two sets of bounds: what a native run starts from, and what the wasm32 components take from the original tool. */
#include "decoder/limits.h"

#define MI ((uint64_t)1 << 20)
#define GI ((uint64_t)1 << 30)
#define TI ((uint64_t)1 << 40)

const struct wm_limits wm_limits_native = {
  .module_bytes = 1 * GI,
  .memory_bytes = 16 * GI,
  .types = 1000000,
  .functions = 1000000,
  .globals = 1000000,
  .tables = 100000,
  .memories = 100000,
  .tags = 1000000,
  .imports = 1000000,
  .exports = 1000000,
  .table_entries = 64 * MI,
  .element_segments = 1000000,
  .data_segments = 1000000,
  .parameters = 1000,
  .results = 1000,
  .fields = 10000,
  .local_types = 256 * MI,
  .function_locals = 1000000,
  .instructions = 1 * GI,
  .branch_targets = 256 * MI,
  .nesting = 1000000,
  .subtype_depth = 63,
  .frames = 100000,
  .slots = 16 * MI,
  .heap_units = 64 * MI,
  .bulk_bytes = 1 * TI,
};

const struct wm_limits wm_limits_component = {
  .module_bytes = 1 * MI,
  .memory_bytes = 192 * MI,
  .types = 2048,
  .functions = 4096,
  .globals = 2048,
  .tables = 16,
  .memories = 16,
  .tags = 1024,
  .imports = 1024,
  .exports = 1024,
  .table_entries = 4096,
  .element_segments = 512,
  .data_segments = 512,
  .parameters = 64,
  .results = 64,
  .fields = 64,
  .local_types = 131072,
  .function_locals = 32768,
  .instructions = 131072,
  .branch_targets = 65536,
  .nesting = 4096,
  .subtype_depth = 63,
  .frames = 256,
  .slots = 65536,
  .heap_units = 1 * MI,
  .bulk_bytes = 1 * GI,
};
