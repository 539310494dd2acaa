// What every example component written in C shares: how to export, the V3 result word and static getters.
// The contract asks that a metadata getter is one constant and nothing else, so GETTER takes only an
// address or an integer constant; a test reads the built files and checks it.
// Freestanding: these programs run in a WebAssembly instance with no C library and no imports.
#ifndef EXAMPLES_COMPONENT_H
#define EXAMPLES_COMPONENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORT(name) __attribute__((export_name(name)))

#define GETTER(name, value)                                                                                            \
    EXPORT(#name) uint32_t name(void);                                                                                 \
    uint32_t name(void) { return (uint32_t)(value); }

#define ADDRESS(object) ((uint32_t)(uintptr_t)(object))

// A content type is a pair of getters over a string that is not terminated.
#define CONTENT_TYPE(side, text)                                                                                       \
    static const char side##_content_type[] = text;                                                                    \
    GETTER(side##_content_type_ptr, ADDRESS(side##_content_type))                                                      \
    GETTER(side##_content_type_size, sizeof(side##_content_type) - 1)

// Success: bits 62..32 hold the output's address, bits 31..0 its size.
static inline uint64_t rendered(const void *output, uint32_t size) {
    return (uint64_t)ADDRESS(output) << 32 | size;
}

// Rejection: bit 63, and a detail of offset * modes + mode (zero for a component that names no modes).
static inline uint64_t rejected(uint32_t detail) {
    return (uint64_t)1 << 63 | detail;
}

// A broken precondition is a trap: the host must not read anything from this instance afterwards.
static inline void require(bool condition) {
    if (!condition) __builtin_trap();
}

#endif
