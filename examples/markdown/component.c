// markdown: Markdown to HTML. CommonMark 0.31.2 with GFM tables; raw HTML passes through.
// Contract V3, strict profile: fixed memory, no recursion, no indirect calls. A document that needs more blocks, or
// more output, than there is room for is rejected; an input over the capacity is a trap.
#include "markdown.h"

enum { OUTPUT_CAP = 4 * 1024 * 1024, ARENA_SIZE = 24 * 1024 * 1024 };

static uint8_t input[MD_INPUT_CAP];
static uint8_t output[OUTPUT_CAP];
static uint8_t lines[2 * MD_INPUT_CAP + 16];
static uint8_t arena[ARENA_SIZE] __attribute__((aligned(8)));

GETTER(input_ptr, ADDRESS(input))
GETTER(input_utf8_cap, MD_INPUT_CAP)
GETTER(output_utf8_cap, OUTPUT_CAP)
GETTER(failure_modes_per_input_offset, 0)
CONTENT_TYPE(input, "text/markdown")
CONTENT_TYPE(output, "text/html")

EXPORT("render") uint64_t render(uint32_t size) {
    require(size <= MD_INPUT_CAP);
    struct md_document document = {.arena = {arena, arena + ARENA_SIZE, false}};
    struct md_out out = {output, output, output + OUTPUT_CAP, false};
    md_parse_blocks(&document, (struct md_slice){input, size}, lines);
    md_put_document(&document, &out);
    if (document.arena.exhausted || out.full) return rejected(0);
    return rendered(output, (uint32_t)(out.at - output));
}
