// Block structure: the input, line by line, becomes a tree of blocks.
// CommonMark 0.31.2 sections 4 and 5, GFM 4.10 for where a table begins. Each line first meets the open containers
// from the outside in, then whatever it starts itself, then it is added to a leaf. Inline content is not looked at.
#include "markdown.h"

struct parser {
    struct md_document *document;
    struct md_block *tip;       // the innermost open block
    struct md_block *container; // the innermost block that this line continues or has started
    uint8_t *store;       // end of the line store; the open leaf's text ends here
    uint32_t line_number;

    // The line without its ending, and how far it has been consumed: in bytes and in columns (tabs stop every 4).
    struct md_slice line;
    uint32_t at, column;
    bool in_tab; // columns of a tab at `at` were consumed, not all

    // The next byte that is no space or tab; set by look_ahead.
    uint32_t next, indent;
    bool blank;
};

void *md_take(struct md_arena *arena, uint32_t size) {
    void *taken = arena->at;
    arena->at += (size + 7) & ~7u;
    if (arena->at > arena->limit - MD_ARENA_RESERVE) arena->exhausted = true;
    return taken;
}

static bool is_leaf(enum md_kind kind) {
    return kind >= MD_PARAGRAPH;
}

static bool may_contain(enum md_kind parent, enum md_kind child) {
    if (parent == MD_LIST) return child == MD_ITEM;
    return !is_leaf(parent) && child != MD_ITEM;
}

static void look_ahead(struct parser *p) {
    uint32_t at = p->at, column = p->column;
    while (at < p->line.size && is_blank_byte(p->line.at[at])) {
        column += p->line.at[at] == '\t' ? 4 - column % 4 : 1;
        at++;
    }
    p->next = at;
    p->indent = column - p->column;
    p->blank = at == p->line.size;
}

static uint8_t peek(const struct parser *p, uint32_t at) {
    return at < p->line.size ? p->line.at[at] : 0;
}

static void advance_bytes(struct parser *p, uint32_t count) {
    for (; count && p->at < p->line.size; count--) {
        p->column += p->line.at[p->at] == '\t' ? 4 - p->column % 4 : 1;
        p->at++;
        p->in_tab = false;
    }
}

static void advance_columns(struct parser *p, uint32_t count) {
    while (count && p->at < p->line.size) {
        uint32_t width = p->line.at[p->at] == '\t' ? 4 - p->column % 4 : 1;
        p->in_tab = width > count;
        uint32_t step = p->in_tab ? count : width;
        p->column += step;
        count -= step;
        if (!p->in_tab) p->at++;
    }
}

static void advance_to_next(struct parser *p) {
    advance_bytes(p, p->next - p->at);
}

// A space, or one column of a tab.
static void advance_optional_space(struct parser *p) {
    if (is_blank_byte(peek(p, p->at))) advance_columns(p, 1);
}

static struct md_slice rest_of_line(const struct parser *p, uint32_t at) {
    return (struct md_slice){p->line.at + at, p->line.size - at};
}

// Appends the rest of the line, and a line feed, to the open leaf.
static void add_line(struct parser *p) {
    struct md_block *leaf = p->tip;
    if (p->in_tab) {
        p->at++;
        for (uint32_t width = 4 - p->column % 4; width; width--) *p->store++ = ' ';
    }
    uint32_t size = p->line.size - p->at;
    __builtin_memcpy(p->store, p->line.at + p->at, size);
    p->store += size;
    *p->store++ = '\n';
    leaf->text.size = (uint32_t)(p->store - leaf->text.at);
}

static bool ends_before_blank_line(const struct md_block *block) {
    return block->next && block->end_line + 1 != block->next->start_line;
}

// A list is loose when a blank line separates two of its items, or two blocks directly inside one.
static bool is_tight(const struct md_block *list) {
    for (const struct md_block *item = list->first; item; item = item->next) {
        if (ends_before_blank_line(item)) return false;
        for (const struct md_block *block = item->first; block; block = block->next)
            if (ends_before_blank_line(block)) return false;
    }
    return true;
}

static void drop_trailing_blank_lines(struct md_block *code) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < code->text.size; i++)
        if (!is_space_byte(code->text.at[i])) kept = i + 1;
    while (kept < code->text.size && code->text.at[kept] != '\n') kept++;
    uint32_t dropped = 0;
    for (uint32_t i = kept + 1; i < code->text.size; i++) dropped += code->text.at[i] == '\n';
    code->text.size = kept + 1;
    code->end_line -= dropped;
}

// The opening fence's line is the first of the text; it becomes the info string.
static void split_info(struct md_block *fence) {
    uint32_t end = 0;
    while (fence->text.at[end] != '\n') end++;
    fence->info = md_trim((struct md_slice){fence->text.at, end});
    fence->text.at += end + 1;
    fence->text.size -= end + 1;
}

static void close_block(struct parser *p, struct md_block *block, uint32_t end_line) {
    block->open = false;
    block->end_line = end_line;
    p->tip = block->parent;
    switch (block->kind) {
    case MD_PARAGRAPH:
        block->text = md_trim(md_take_definitions(p->document, block->text));
        if (!block->text.size) block->kind = MD_DEFINITIONS;
        break;
    case MD_INDENTED: drop_trailing_blank_lines(block); break;
    case MD_FENCED: split_info(block); break;
    case MD_ITEM:
        block->end_line = block->last ? block->last->end_line : block->start_line;
        break;
    case MD_LIST:
        block->end_line = block->last->end_line;
        block->tight = is_tight(block);
        break;
    default: break;
    }
}

// The blocks that this line does not continue.
static void close_unmatched(struct parser *p) {
    while (p->tip != p->container) close_block(p, p->tip, p->line_number - 1);
}

// Closes what cannot hold the new block, and opens it as the tip.
static struct md_block *open_block(struct parser *p, enum md_kind kind) {
    close_unmatched(p);
    while (!may_contain(p->tip->kind, kind)) close_block(p, p->tip, p->line_number - 1);
    struct md_block *parent = p->tip;
    struct md_block *block = md_take(&p->document->arena, sizeof *block);
    *block = (struct md_block){
        .kind = kind, .open = true, .parent = parent, .start_line = p->line_number, .text = {p->store, 0},
    };
    if (parent->last) parent->last->next = block;
    else parent->first = block;
    parent->last = block;
    return p->tip = p->container = block;
}

// Continuing the open blocks

enum match { MATCHED, UNMATCHED, LINE_DONE };

static bool is_closing_fence(const struct parser *p, const struct md_block *fence) {
    if (p->indent > 3) return false;
    uint32_t at = p->next;
    while (peek(p, at) == fence->delimiter) at++;
    if (at - p->next < fence->fence) return false;
    while (is_blank_byte(peek(p, at))) at++;
    return at == p->line.size;
}

static enum match continue_item(struct parser *p, const struct md_block *item) {
    if (p->blank) {
        if (!item->first) return UNMATCHED; // an item begins with at most one blank line
        advance_to_next(p);
        return MATCHED;
    }
    if (p->indent < item->offset + item->padding) return UNMATCHED;
    advance_columns(p, item->offset + item->padding);
    return MATCHED;
}

static enum match continue_fence(struct parser *p, struct md_block *fence) {
    if (is_closing_fence(p, fence)) {
        close_block(p, fence, p->line_number);
        return LINE_DONE;
    }
    for (uint32_t skip = fence->offset; skip && is_blank_byte(peek(p, p->at)); skip--) advance_columns(p, 1);
    return MATCHED;
}

static enum match continue_block(struct parser *p, struct md_block *block) {
    look_ahead(p);
    switch (block->kind) {
    case MD_QUOTE:
        if (p->indent > 3 || peek(p, p->next) != '>') return UNMATCHED;
        advance_to_next(p);
        advance_bytes(p, 1);
        advance_optional_space(p);
        return MATCHED;
    case MD_ITEM: return continue_item(p, block);
    case MD_FENCED: return continue_fence(p, block);
    case MD_INDENTED:
        if (p->indent >= 4) advance_columns(p, 4);
        else if (p->blank) advance_to_next(p);
        else return UNMATCHED;
        return MATCHED;
    case MD_HTML: return p->blank && block->level >= 6 ? UNMATCHED : MATCHED;
    case MD_PARAGRAPH:
    case MD_TABLE: return p->blank ? UNMATCHED : MATCHED;
    case MD_HEADING:
    case MD_BREAK: return UNMATCHED;
    default: return MATCHED;
    }
}

// Starting blocks: each returns whether the line went on to start one.

static bool start_quote(struct parser *p) {
    if (peek(p, p->next) != '>') return false;
    advance_to_next(p);
    advance_bytes(p, 1);
    advance_optional_space(p);
    open_block(p, MD_QUOTE);
    return true;
}

static bool start_atx_heading(struct parser *p) {
    uint32_t level = 0;
    while (peek(p, p->next + level) == '#') level++;
    uint32_t at = p->next + level;
    if (level < 1 || level > 6 || (at < p->line.size && !is_blank_byte(p->line.at[at]))) return false;
    struct md_slice text = md_trim(rest_of_line(p, at));
    // A closing sequence counts only when a space stands before it, or nothing.
    uint32_t end = text.size;
    while (end && text.at[end - 1] == '#') end--;
    if (end < text.size && (!end || is_blank_byte(text.at[end - 1]))) text.size = end;
    struct md_block *heading = open_block(p, MD_HEADING);
    heading->level = level;
    heading->text = md_trim(text);
    p->at = p->line.size;
    return true;
}

static bool start_fence(struct parser *p) {
    uint8_t c = peek(p, p->next);
    if (c != '`' && c != '~') return false;
    uint32_t length = 0;
    while (peek(p, p->next + length) == c) length++;
    if (length < 3) return false;
    for (uint32_t at = p->next + length; c == '`' && at < p->line.size; at++)
        if (p->line.at[at] == '`') return false;
    uint32_t offset = p->indent;
    advance_to_next(p);
    advance_bytes(p, length);
    struct md_block *fence = open_block(p, MD_FENCED);
    fence->delimiter = c;
    fence->fence = length;
    fence->offset = offset;
    return true;
}

static bool start_html(struct parser *p, bool in_paragraph) {
    uint32_t condition = md_html_block_start(rest_of_line(p, p->next), in_paragraph);
    if (!condition) return false;
    open_block(p, MD_HTML)->level = condition; // the indentation belongs to the block
    return true;
}

// Level 1 or 2, or 0: a line of only = or -.
static uint32_t setext_level(const struct parser *p) {
    uint8_t c = peek(p, p->next);
    if (c != '=' && c != '-') return 0;
    uint32_t at = p->next;
    while (peek(p, at) == c) at++;
    while (is_blank_byte(peek(p, at))) at++;
    return at < p->line.size ? 0 : c == '=' ? 1 : 2;
}

static bool start_setext_heading(struct parser *p, struct md_block *paragraph) {
    uint32_t level = setext_level(p);
    if (!level) return false;
    paragraph->text = md_take_definitions(p->document, paragraph->text);
    if (!md_trim(paragraph->text).size) return false;
    paragraph->kind = MD_HEADING;
    paragraph->level = level;
    paragraph->text = md_trim(paragraph->text);
    p->at = p->line.size;
    return true;
}

static bool start_break(struct parser *p) {
    uint8_t c = peek(p, p->next);
    if (c != '*' && c != '-' && c != '_') return false;
    uint32_t count = 0;
    for (uint32_t at = p->next; at < p->line.size; at++) {
        if (p->line.at[at] == c) count++;
        else if (!is_blank_byte(p->line.at[at])) return false;
    }
    if (count < 3) return false;
    open_block(p, MD_BREAK);
    p->at = p->line.size;
    return true;
}

// The width of a list marker at `next`, or 0; what it says goes to `item`.
static uint32_t scan_marker(const struct parser *p, bool in_paragraph, struct md_block *item) {
    uint8_t c = peek(p, p->next);
    uint32_t width = 0;
    if (c == '*' || c == '+' || c == '-') {
        *item = (struct md_block){.delimiter = c};
        width = 1;
    } else {
        uint32_t number = 0;
        for (; width < 9 && is_digit_byte(peek(p, p->next + width)); width++)
            number = number * 10 + (p->line.at[p->next + width] - '0');
        uint8_t delimiter = peek(p, p->next + width);
        if (!width || (delimiter != '.' && delimiter != ')') || (in_paragraph && number != 1)) return 0;
        *item = (struct md_block){.delimiter = delimiter, .ordered = true, .number = number};
        width++;
    }
    uint32_t after = p->next + width;
    if (after < p->line.size && !is_blank_byte(p->line.at[after])) return 0;
    if (in_paragraph) { // an empty item does not interrupt a paragraph
        while (is_blank_byte(peek(p, after))) after++;
        if (after == p->line.size) return 0;
    }
    return width;
}

// Consumes the space after a marker; returns the width from the marker to the content.
static uint32_t take_marker_padding(struct parser *p, uint32_t width) {
    uint32_t at = p->at, column = p->column;
    bool in_tab = p->in_tab;
    while (p->column - column < 5 && is_blank_byte(peek(p, p->at))) advance_columns(p, 1);
    uint32_t spaces = p->column - column;
    if (spaces >= 1 && spaces < 5 && p->at < p->line.size) return width + spaces;
    // Nothing follows, or indented code does: one space belongs to the marker.
    p->at = at;
    p->column = column;
    p->in_tab = in_tab;
    advance_optional_space(p);
    return width + 1;
}

static bool start_item(struct parser *p, bool in_paragraph) {
    const struct md_block *container = p->container;
    struct md_block marker;
    uint32_t width = scan_marker(p, in_paragraph, &marker);
    if (!width) return false;
    marker.offset = p->indent;
    advance_to_next(p);
    advance_bytes(p, width);
    marker.padding = take_marker_padding(p, width);
    if (container->kind != MD_LIST || container->ordered != marker.ordered || container->delimiter != marker.delimiter) {
        struct md_block *list = open_block(p, MD_LIST);
        list->ordered = marker.ordered;
        list->delimiter = marker.delimiter;
        list->number = marker.number;
    }
    struct md_block *item = open_block(p, MD_ITEM);
    item->offset = marker.offset;
    item->padding = marker.padding;
    return true;
}

// Indented code does not interrupt a paragraph.
static bool start_indented(struct parser *p) {
    if (p->blank || p->tip->kind == MD_PARAGRAPH) return false;
    advance_columns(p, 4);
    open_block(p, MD_INDENTED);
    return true;
}

// The paragraph's last line becomes a header row when this line is its delimiter row.
static bool start_table(struct parser *p, struct md_block *paragraph) {
    struct md_slice text = paragraph->text;
    if (!text.size) return false;
    uint32_t start = text.size - 1; // past the final line feed
    while (start && text.at[start - 1] != '\n') start--;
    struct md_slice header = {text.at + start, text.size - 1 - start};
    if (!md_is_table_start(header, rest_of_line(p, p->next))) return false;
    struct md_block *table = paragraph;
    if (start) {
        paragraph->text.size = start;
        close_block(p, paragraph, p->line_number - 2);
        p->container = p->tip;
        table = open_block(p, MD_TABLE);
        table->start_line = p->line_number - 1;
        table->text = header;
    }
    table->kind = MD_TABLE;
    return true;
}

// One block that the line starts; false when what remains is a leaf's content.
static bool start_block(struct parser *p) {
    bool in_paragraph = p->container->kind == MD_PARAGRAPH;
    if (p->indent >= 4) return start_indented(p);
    if (p->blank) return false;
    if (start_quote(p) || start_atx_heading(p) || start_fence(p)) return true;
    if (start_html(p, in_paragraph || p->tip->kind == MD_PARAGRAPH)) return true;
    if (in_paragraph && start_setext_heading(p, p->container)) return true;
    if (start_break(p) || start_item(p, in_paragraph)) return true;
    return in_paragraph && start_table(p, p->container);
}

static bool holds_lines(enum md_kind kind) {
    return is_leaf(kind) && kind != MD_HEADING && kind != MD_BREAK;
}

// What is left of the line goes to a leaf.
static void add_rest(struct parser *p) {
    if (p->container != p->tip && p->tip->kind == MD_PARAGRAPH && !p->blank) {
        advance_to_next(p); // a lazy continuation: the paragraph goes on although its containers do not
        add_line(p);
        return;
    }
    close_unmatched(p);
    if (!holds_lines(p->tip->kind)) {
        if (p->blank) return;
        open_block(p, MD_PARAGRAPH);
    }
    if (p->tip->kind == MD_PARAGRAPH) advance_to_next(p);
    struct md_slice added = rest_of_line(p, p->at);
    add_line(p);
    if (p->tip->kind == MD_HTML && md_html_block_ends(added, p->tip->level)) close_block(p, p->tip, p->line_number);
}

static void parse_line(struct parser *p) {
    p->at = p->column = 0;
    p->in_tab = false;
    p->container = p->document->root;
    while (p->container->last && p->container->last->open) {
        enum match match = continue_block(p, p->container->last);
        if (match == LINE_DONE) return;
        if (match == UNMATCHED) break;
        p->container = p->container->last;
    }
    for (;;) {
        look_ahead(p);
        enum md_kind kind = p->container->kind;
        bool may_start = !is_leaf(kind) || kind == MD_PARAGRAPH || kind == MD_TABLE;
        if (!may_start || p->document->arena.exhausted || !start_block(p)) break;
    }
    add_rest(p);
}

void md_parse_blocks(struct md_document *document, struct md_slice input, uint8_t *store) {
    struct parser p = {.document = document, .store = store};
    document->root = md_take(&document->arena, sizeof *document->root);
    *document->root = (struct md_block){.kind = MD_DOCUMENT, .open = true};
    p.tip = document->root;
    uint32_t at = md_starts_with(input, "\xef\xbb\xbf") ? 3 : 0;
    while (at < input.size && !document->arena.exhausted) {
        uint32_t end = at;
        while (end < input.size && input.at[end] != '\n' && input.at[end] != '\r') end++;
        p.line = (struct md_slice){input.at + at, end - at};
        p.line_number++;
        parse_line(&p);
        if (end + 1 < input.size && input.at[end] == '\r' && input.at[end + 1] == '\n') end++;
        at = end + 1;
    }
    while (p.tip != document->root) close_block(&p, p.tip, p.line_number);
}
