// How HTML blocks start and end: CommonMark 0.31.2 section 4.6, seven start conditions with their end conditions.
#include "markdown.h"

static const char *const verbatim_names[] = {"script", "pre", "style", "textarea"};

static const char *const block_names[] = {
    "address", "article", "aside", "base", "basefont", "blockquote", "body", "caption", "center", "col", "colgroup",
    "dd", "details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frame",
    "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html", "iframe", "legend", "li", "link",
    "main", "menu", "menuitem", "nav", "noframes", "ol", "optgroup", "option", "p", "param", "search", "section",
    "summary", "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr", "track", "ul",
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct md_slice tag_name_at(struct md_slice line, uint32_t at) {
    uint32_t end = at;
    while (end < line.size && (is_alphanumeric_byte(line.at[end]) || line.at[end] == '-')) end++;
    return (struct md_slice){line.at + at, end - at};
}

static bool is_one_of(struct md_slice name, const char *const *names, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (md_equals_ignoring_case(name, names[i])) return true;
    return false;
}

static bool is_blank_from(struct md_slice line, uint32_t at) {
    while (at < line.size && is_space_byte(line.at[at])) at++;
    return at == line.size;
}

// Conditions 1, 6 and 7: those that look at a tag's name.
static uint32_t start_by_tag(struct md_slice line, bool interrupts_paragraph) {
    bool closing = line.at[1] == '/';
    struct md_slice name = tag_name_at(line, closing ? 2 : 1);
    if (!name.size || !is_letter_byte(name.at[0])) return 0;
    uint32_t end = (uint32_t)(name.at + name.size - line.at);
    bool verbatim = is_one_of(name, verbatim_names, COUNT(verbatim_names));
    bool ended = end == line.size || is_space_byte(line.at[end]) || line.at[end] == '>';
    if (verbatim && !closing && ended) return 1;
    bool self_closed = end + 1 < line.size && line.at[end] == '/' && line.at[end + 1] == '>';
    if ((ended || self_closed) && is_one_of(name, block_names, COUNT(block_names))) return 6;
    if (interrupts_paragraph || (verbatim && !closing)) return 0;
    uint32_t size = closing ? md_scan_closing_tag(line) : md_scan_open_tag(line);
    return size && is_blank_from(line, size) ? 7 : 0;
}

uint32_t md_html_block_start(struct md_slice line, bool interrupts_paragraph) {
    if (line.size < 2 || line.at[0] != '<') return 0;
    if (md_starts_with(line, "<!--")) return 2;
    if (line.at[1] == '?') return 3;
    if (md_starts_with(line, "<![CDATA[")) return 5;
    if (line.at[1] == '!') return line.size > 2 && is_letter_byte(line.at[2]) ? 4 : 0;
    return start_by_tag(line, interrupts_paragraph);
}

static bool contains(struct md_slice line, const char *needle) {
    for (; line.size; line.at++, line.size--)
        if (md_starts_with(line, needle)) return true;
    return false;
}

static bool contains_verbatim_end(struct md_slice line) {
    for (uint32_t at = 0; at + 2 < line.size; at++) {
        if (line.at[at] != '<' || line.at[at + 1] != '/') continue;
        struct md_slice name = tag_name_at(line, at + 2);
        uint32_t end = at + 2 + name.size;
        if (end < line.size && line.at[end] == '>' && is_one_of(name, verbatim_names, COUNT(verbatim_names))) return true;
    }
    return false;
}

bool md_html_block_ends(struct md_slice line, uint32_t condition) {
    switch (condition) {
    case 1: return contains_verbatim_end(line);
    case 2: return contains(line, "-->");
    case 3: return contains(line, "?>");
    case 4: return contains(line, ">");
    case 5: return contains(line, "]]>");
    default: return false; // 6 and 7 end before a blank line
    }
}
