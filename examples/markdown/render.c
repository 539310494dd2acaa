// The finished tree as HTML: a walk with parent pointers, one step into, over or out of a block at a time.
// The layout of the output (where line breaks stand) is the one of the CommonMark reference renderers.
#include "markdown.h"

static bool in_tight_list(const struct md_block *paragraph) {
    const struct md_block *item = paragraph->parent;
    return item->kind == MD_ITEM && item->parent->tight;
}

static void put_heading_tag(const struct md_block *heading, const char *open, struct md_out *out) {
    md_put_text(out, open);
    md_put(out, (uint8_t)('0' + heading->level));
    md_put(out, '>');
}

static void put_code_block(const struct md_block *code, struct md_out *out) {
    md_put_text(out, "<pre><code");
    struct md_slice word = code->info;
    for (uint32_t i = 0; i < word.size; i++)
        if (is_space_byte(word.at[i])) word.size = i;
    if (word.size) {
        md_put_text(out, " class=\"language-");
        md_put_unescaped(out, word);
        md_put(out, '"');
    }
    md_put(out, '>');
    md_put_escaped(out, code->text);
    md_put_text(out, "</code></pre>\n");
}

static void put_list_start(const struct md_block *list, struct md_out *out) {
    if (!list->ordered) {
        md_put_text(out, "<ul>\n");
        return;
    }
    md_put_text(out, "<ol");
    if (list->number != 1) {
        md_put_text(out, " start=\"");
        md_put_decimal(out, list->number);
        md_put(out, '"');
    }
    md_put_text(out, ">\n");
}

static void put_paragraph(struct md_document *document, const struct md_block *block, struct md_out *out) {
    bool tight = in_tight_list(block);
    if (!tight) {
        md_put_line_break(out);
        md_put_text(out, "<p>");
    }
    md_put_inlines(document, block->text, out);
    if (!tight) md_put_text(out, "</p>\n");
}

static void enter(struct md_document *document, const struct md_block *block, struct md_out *out) {
    if (block->kind == MD_DEFINITIONS) return;
    if (block->kind == MD_PARAGRAPH) {
        put_paragraph(document, block, out);
        return;
    }
    md_put_line_break(out);
    switch (block->kind) {
    case MD_QUOTE: md_put_text(out, "<blockquote>\n"); break;
    case MD_LIST: put_list_start(block, out); break;
    case MD_ITEM: md_put_text(out, "<li>"); break;
    case MD_HEADING:
        put_heading_tag(block, "<h", out);
        md_put_inlines(document, block->text, out);
        put_heading_tag(block, "</h", out);
        md_put(out, '\n');
        break;
    case MD_INDENTED:
    case MD_FENCED: put_code_block(block, out); break;
    case MD_HTML:
        md_put_verbatim(out, block->text);
        md_put_line_break(out);
        break;
    case MD_BREAK: md_put_text(out, "<hr />\n"); break;
    case MD_TABLE: md_put_table(document, block->text, out); break;
    default: break;
    }
}

static void leave(const struct md_block *block, struct md_out *out) {
    switch (block->kind) {
    case MD_QUOTE:
        md_put_line_break(out);
        md_put_text(out, "</blockquote>\n");
        break;
    case MD_LIST:
        md_put_line_break(out);
        md_put_text(out, block->ordered ? "</ol>\n" : "</ul>\n");
        break;
    case MD_ITEM: md_put_text(out, "</li>\n"); break;
    default: break;
    }
}

void md_put_document(struct md_document *document, struct md_out *out) {
    const struct md_block *block = document->root;
    bool entering = true;
    while (!out->full && !document->arena.exhausted) {
        if (entering) {
            enter(document, block, out);
            if (block->first) {
                block = block->first;
                continue;
            }
        }
        leave(block, out);
        if (block == document->root) break;
        entering = block->next != NULL;
        block = entering ? block->next : block->parent;
    }
}
