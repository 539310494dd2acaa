// The document between its parts: blocks as a tree, link reference definitions, and the memory they live in.
// block.c builds the tree line by line, references.c takes the definitions out of paragraphs, render.c walks the
// finished tree and has inline.c and table.c write each leaf. Nothing recurses: the tree has parent pointers and
// inline content is a list.
#ifndef MARKDOWN_MARKDOWN_H
#define MARKDOWN_MARKDOWN_H

#include "text.h"

enum { MD_INPUT_CAP = 1024 * 1024, MD_LABEL_MAX = 999, MD_BUCKETS = 1024 };

// Memory that is only ever taken, never given back within a render. An allocation always succeeds as long as
// `exhausted` is looked at once in a while: it is set when less than MD_ARENA_RESERVE is left, and no step of the
// parser between two looks takes more than that.
enum { MD_ARENA_RESERVE = 64 * 1024 };

struct md_arena {
    uint8_t *at, *limit;
    bool exhausted;
};

void *md_take(struct md_arena *arena, uint32_t size);

enum md_kind {
    MD_DOCUMENT, MD_QUOTE, MD_LIST, MD_ITEM,
    MD_PARAGRAPH, MD_HEADING, MD_INDENTED, MD_FENCED, MD_HTML, MD_BREAK, MD_TABLE,
    MD_DEFINITIONS, // a paragraph of nothing but definitions: not shown, but a block where looseness is decided
};

struct md_block {
    enum md_kind kind;
    bool open;
    struct md_block *parent, *first, *last, *next;
    uint32_t start_line, end_line;
    struct md_slice text; // leaves: points into the line store; the trailing line feed included while open

    uint32_t level;            // heading: 1..6; HTML: its start condition, 1..7
    bool ordered, tight;       // list and item
    uint8_t delimiter;         // list and item: the bullet, '.' or ')'; fence: its character
    uint32_t number;           // list and item: start number
    uint32_t offset, padding;  // item: column of the marker and width up to the content; fence: its indentation
    uint32_t fence;            // fence: its length
    struct md_slice info;      // fence: the info string, unresolved
};

// A link reference definition; the label is folded and belongs to the arena, the rest to the line store.
struct md_reference {
    struct md_reference *next;
    struct md_slice label, destination, title;
};

struct md_references {
    struct md_reference *buckets[MD_BUCKETS];
    uint32_t count;
};

struct md_document {
    struct md_arena arena;
    struct md_references references;
    struct md_block *root;
};

// block.c: `store` receives the lines of leaves and has room for 2 * input.size + 16 bytes.
void md_parse_blocks(struct md_document *document, struct md_slice input, uint8_t *store);

// references.c: takes the definitions that `text` begins with; returns what is left.
struct md_slice md_take_definitions(struct md_document *document, struct md_slice text);
const struct md_reference *md_find_reference(const struct md_references *references, struct md_slice label);

// html_block.c: the start condition (1..7) a line meets at its first character, or 0.
uint32_t md_html_block_start(struct md_slice line, bool interrupts_paragraph);
bool md_html_block_ends(struct md_slice line, uint32_t condition);

// scan.c: the size of a construct at the beginning of `text`, or 0 when there is none.
uint32_t md_scan_open_tag(struct md_slice text);
uint32_t md_scan_closing_tag(struct md_slice text);
uint32_t md_scan_uri_autolink(struct md_slice text);
uint32_t md_scan_email_autolink(struct md_slice text);
// "[...]", with its brackets; the label may be empty or blank.
uint32_t md_scan_label(struct md_slice text);
// Zero or more bytes, hence a flag; `found` is the destination or title without its delimiters.
bool md_scan_destination(struct md_slice text, uint32_t *size, struct md_slice *found);
bool md_scan_title(struct md_slice text, uint32_t *size, struct md_slice *found);
// Spaces, tabs and at most one line ending.
uint32_t md_scan_spacing(struct md_slice text);

// table.c: whether `line` is a delimiter row under the header row that is `header`.
bool md_is_table_start(struct md_slice header, struct md_slice line);
void md_put_table(struct md_document *document, struct md_slice text, struct md_out *out);

// inline.c: writes inline content; arena memory it took is given back.
void md_put_inlines(struct md_document *document, struct md_slice text, struct md_out *out);

// render.c
void md_put_document(struct md_document *document, struct md_out *out);

#endif
