/* Which features beyond the first WebAssembly a module uses: a walk over its bodies, types and sections. */
#ifndef WM_CLI_FEATURE_H
#define WM_CLI_FEATURE_H

#include "decoder/module.h"

#define WM_FEATURES(X) \
  X(MUTABLE_GLOBALS, "mutable-globals") X(SIGN_EXTENSION, "sign-extension") X(SATURATING, "nontrapping-float-to-int") \
  X(MULTI_VALUE, "multi-value") X(BULK_MEMORY, "bulk-memory") X(REFERENCE_TYPES, "reference-types") X(SIMD, "simd") \
  X(RELAXED_SIMD, "relaxed-simd") X(TAIL_CALL, "tail-call") X(FUNCTION_REFERENCES, "function-references") \
  X(EXCEPTIONS, "exception-handling") X(GC, "gc") X(EXTENDED_CONST, "extended-const") X(MULTI_MEMORY, "multi-memory") \
  X(MEMORY64, "memory64") X(TABLE64, "table64")
enum wm_feature {
#define X(name, text) WM_FEATURE_##name,
  WM_FEATURES(X)
#undef X
  WM_FEATURE_COUNT
};
extern const char *const wm_feature_names[WM_FEATURE_COUNT];

/* One bit a feature. Scratch is what a walk needs, used and given back; false when it is too small. */
bool wm_features_find(const struct wm_module *module, struct wm_arena *scratch, uint32_t *features);

#endif
