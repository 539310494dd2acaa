// Tables, an extension: GFM section 4.10. A table's text is its header row, its delimiter row and its body rows, a
// line each; cells are split at pipes that no backslash stands before, whatever else they stand in.
#include "markdown.h"

enum alignment { NONE, LEFT, RIGHT, CENTER };

// A row's cells, from the left; trimmed. Pipes at both ends are optional.
struct row {
    struct md_slice line;
    uint32_t at;
};

static struct row start_row(struct md_slice line) {
    struct row row = {md_trim(line), 0};
    if (row.line.size && row.line.at[0] == '|') row.at = 1;
    return row;
}

static bool next_cell(struct row *row, struct md_slice *cell) {
    if (row->at >= row->line.size) return false;
    uint32_t start = row->at, end = start;
    while (end < row->line.size && row->line.at[end] != '|') {
        uint8_t next = end + 1 < row->line.size ? row->line.at[end + 1] : 0;
        end += row->line.at[end] == '\\' && (next == '|' || next == '\\') ? 2 : 1;
    }
    *cell = md_trim((struct md_slice){row->line.at + start, end - start});
    row->at = end + 1;
    return true;
}

static uint32_t count_cells(struct md_slice line) {
    struct row row = start_row(line);
    struct md_slice cell;
    uint32_t count = 0;
    while (next_cell(&row, &cell)) count++;
    return count;
}

// ":?-+:?"
static bool read_alignment(struct md_slice cell, enum alignment *alignment) {
    *alignment = NONE;
    if (cell.size && cell.at[0] == ':') {
        *alignment = LEFT;
        cell.at++;
        cell.size--;
    }
    uint32_t dashes = 0;
    while (dashes < cell.size && cell.at[dashes] == '-') dashes++;
    if (!dashes || dashes + 1 < cell.size) return false;
    if (dashes < cell.size) {
        if (cell.at[dashes] != ':') return false;
        *alignment = *alignment == LEFT ? CENTER : RIGHT;
    }
    return true;
}

bool md_is_table_start(struct md_slice header, struct md_slice line) {
    struct row row = start_row(line);
    struct md_slice cell;
    enum alignment alignment;
    uint32_t count = 0;
    while (next_cell(&row, &cell)) {
        if (!read_alignment(cell, &alignment)) return false;
        count++;
    }
    return count && count == count_cells(header);
}

// "\|" is how a pipe gets into a cell, code spans included: the backslash goes.
static void put_cell_content(struct md_document *document, struct md_slice cell, struct md_out *out) {
    uint32_t escapes = 0;
    for (uint32_t i = 0; i + 1 < cell.size; i++) escapes += cell.at[i] == '\\' && cell.at[i + 1] == '|';
    if (!escapes) {
        md_put_inlines(document, cell, out);
        return;
    }
    if (cell.size > (uint32_t)(document->arena.limit - document->arena.at)) {
        document->arena.exhausted = true;
        return;
    }
    uint8_t *mark = document->arena.at;
    uint8_t *copy = md_take(&document->arena, cell.size);
    uint32_t size = 0;
    for (uint32_t i = 0; i < cell.size; i++) {
        if (cell.at[i] == '\\' && i + 1 < cell.size && cell.at[i + 1] == '|') continue;
        copy[size++] = cell.at[i];
    }
    md_put_inlines(document, (struct md_slice){copy, size}, out);
    document->arena.at = mark;
}

static void put_cell(
    struct md_document *document, struct md_slice cell, const char *tag, enum alignment alignment, struct md_out *out) {
    static const char *const attributes[] = {"", " align=\"left\"", " align=\"right\"", " align=\"center\""};
    md_put(out, '<');
    md_put_text(out, tag);
    md_put_text(out, attributes[alignment]);
    md_put(out, '>');
    put_cell_content(document, cell, out);
    md_put_text(out, "</");
    md_put_text(out, tag);
    md_put_text(out, ">\n");
}

// A row has as many cells as the delimiter row: missing ones are empty, others are dropped.
static void put_row(
    struct md_document *document, struct md_slice line, struct md_slice delimiters, const char *tag, struct md_out *out) {
    struct row row = start_row(line), columns = start_row(delimiters);
    struct md_slice cell, column;
    enum alignment alignment;
    md_put_text(out, "<tr>\n");
    while (!out->full && next_cell(&columns, &column)) {
        read_alignment(column, &alignment);
        if (!next_cell(&row, &cell)) cell = (struct md_slice){line.at, 0};
        put_cell(document, cell, tag, alignment, out);
    }
    md_put_text(out, "</tr>\n");
}

static struct md_slice take_line(struct md_slice *text) {
    uint32_t end = 0;
    while (end < text->size && text->at[end] != '\n') end++;
    struct md_slice line = {text->at, end};
    uint32_t used = end < text->size ? end + 1 : end;
    text->at += used;
    text->size -= used;
    return line;
}

void md_put_table(struct md_document *document, struct md_slice text, struct md_out *out) {
    struct md_slice header = take_line(&text);
    struct md_slice delimiters = take_line(&text);
    md_put_text(out, "<table>\n<thead>\n");
    put_row(document, header, delimiters, "th", out);
    md_put_text(out, "</thead>\n");
    if (text.size) md_put_text(out, "<tbody>\n");
    bool has_body = text.size > 0;
    while (text.size && !out->full) put_row(document, take_line(&text), delimiters, "td", out);
    if (has_body) md_put_text(out, "</tbody>\n");
    md_put_text(out, "</table>\n");
}
