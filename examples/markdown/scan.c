// Scanners for what stands in angle brackets, and for the parts of links. Each looks at the beginning of a text and
// answers with a size; none of them changes anything.
// CommonMark 0.31.2 sections 6.3 (links), 6.5 (autolinks), 6.6 (raw HTML), 4.7 (definitions use the same parts).
#include "markdown.h"

static bool at_byte(struct md_slice text, uint32_t at, uint8_t byte) {
    return at < text.size && text.at[at] == byte;
}

static uint32_t skip_spaces(struct md_slice text, uint32_t at) {
    while (at < text.size && is_space_byte(text.at[at])) at++;
    return at;
}

static uint32_t scan_tag_name(struct md_slice text, uint32_t at) {
    if (at >= text.size || !is_letter_byte(text.at[at])) return at;
    while (at < text.size && (is_alphanumeric_byte(text.at[at]) || text.at[at] == '-')) at++;
    return at;
}

static bool is_attribute_name_byte(uint8_t c, bool first) {
    if (is_letter_byte(c) || c == '_' || c == ':') return true;
    return !first && (is_digit_byte(c) || c == '.' || c == '-');
}

static bool is_unquoted_byte(uint8_t c) {
    return !is_space_byte(c) && c != '"' && c != '\'' && c != '=' && c != '<' && c != '>' && c != '`';
}

// The end of an attribute value at `at`, or 0.
static uint32_t scan_attribute_value(struct md_slice text, uint32_t at) {
    if (at >= text.size) return 0;
    uint8_t quote = text.at[at];
    if (quote == '"' || quote == '\'') {
        for (at++; at < text.size; at++)
            if (text.at[at] == quote) return at + 1;
        return 0;
    }
    uint32_t start = at;
    while (at < text.size && is_unquoted_byte(text.at[at])) at++;
    return at > start ? at : 0;
}

// The end of the attribute that begins at `at`, which is past the space before it; 0 when it is malformed.
static uint32_t scan_attribute(struct md_slice text, uint32_t at) {
    while (at < text.size && is_attribute_name_byte(text.at[at], false)) at++;
    uint32_t equals = skip_spaces(text, at);
    if (!at_byte(text, equals, '=')) return at;
    return scan_attribute_value(text, skip_spaces(text, equals + 1));
}

uint32_t md_scan_open_tag(struct md_slice text) {
    if (!at_byte(text, 0, '<')) return 0;
    uint32_t at = scan_tag_name(text, 1);
    if (at == 1) return 0;
    for (;;) {
        uint32_t next = skip_spaces(text, at);
        if (at_byte(text, next, '>')) return next + 1;
        if (at_byte(text, next, '/')) return at_byte(text, next + 1, '>') ? next + 2 : 0;
        if (next == at || next == text.size || !is_attribute_name_byte(text.at[next], true)) return 0;
        at = scan_attribute(text, next);
        if (!at) return 0;
    }
}

uint32_t md_scan_closing_tag(struct md_slice text) {
    if (!at_byte(text, 0, '<') || !at_byte(text, 1, '/')) return 0;
    uint32_t at = scan_tag_name(text, 2);
    if (at == 2) return 0;
    at = skip_spaces(text, at);
    return at_byte(text, at, '>') ? at + 1 : 0;
}

uint32_t md_scan_uri_autolink(struct md_slice text) {
    if (!at_byte(text, 0, '<') || text.size < 2 || !is_letter_byte(text.at[1])) return 0;
    uint32_t at = 2;
    while (at < text.size && (is_alphanumeric_byte(text.at[at]) || text.at[at] == '+' || text.at[at] == '.' || text.at[at] == '-'))
        at++;
    if (at < 3 || at > 33 || !at_byte(text, at, ':')) return 0;
    for (at++; at < text.size; at++) {
        uint8_t c = text.at[at];
        if (c == '>') return at + 1;
        if (c <= ' ' || c == '<' || c == 0x7f) return 0;
    }
    return 0;
}

static bool is_email_local_byte(uint8_t c) {
    if (is_alphanumeric_byte(c)) return true;
    for (const char *allowed = ".!#$%&'*+/=?^_`{|}~-"; *allowed; allowed++)
        if (c == (uint8_t)*allowed) return true;
    return false;
}

uint32_t md_scan_email_autolink(struct md_slice text) {
    if (!at_byte(text, 0, '<')) return 0;
    uint32_t at = 1;
    while (at < text.size && is_email_local_byte(text.at[at])) at++;
    if (at == 1 || !at_byte(text, at, '@')) return 0;
    // Domain labels: 1 to 63 letters, digits and hyphens, no hyphen at either end.
    do {
        uint32_t start = ++at;
        while (at < text.size && (is_alphanumeric_byte(text.at[at]) || text.at[at] == '-')) at++;
        if (at == start || at - start > 63 || text.at[start] == '-' || text.at[at - 1] == '-') return 0;
    } while (at_byte(text, at, '.'));
    return at_byte(text, at, '>') ? at + 1 : 0;
}

uint32_t md_scan_label(struct md_slice text) {
    if (!at_byte(text, 0, '[')) return 0;
    uint32_t at = 1, characters = 0;
    for (; at < text.size; at++) {
        uint8_t c = text.at[at];
        if (c == ']') return characters <= MD_LABEL_MAX ? at + 1 : 0;
        if (c == '[') return 0;
        if (c == '\\' && at + 1 < text.size && is_punctuation_byte(text.at[at + 1])) {
            at++;
            characters++;
        }
        if ((c & 0xc0) != 0x80) characters++;
        if (characters > MD_LABEL_MAX) return 0;
    }
    return 0;
}

static bool scan_bracketed_destination(struct md_slice text, uint32_t *size, struct md_slice *found) {
    for (uint32_t at = 1; at < text.size; at++) {
        uint8_t c = text.at[at];
        if (c == '\n' || c == '<') return false;
        if (c == '>') {
            *found = (struct md_slice){text.at + 1, at - 1};
            *size = at + 1;
            return true;
        }
        if (c == '\\' && at + 1 < text.size && is_punctuation_byte(text.at[at + 1])) at++;
    }
    return false;
}

bool md_scan_destination(struct md_slice text, uint32_t *size, struct md_slice *found) {
    if (at_byte(text, 0, '<')) return scan_bracketed_destination(text, size, found);
    uint32_t at = 0, depth = 0;
    for (; at < text.size; at++) {
        uint8_t c = text.at[at];
        if (c <= ' ' && c) break;
        if (c == 0x7f) break;
        if (c == '\\' && at + 1 < text.size && is_punctuation_byte(text.at[at + 1])) at++;
        else if (c == '(' && ++depth > 32) return false;
        else if (c == ')' && depth-- == 0) break;
    }
    if (at < text.size && text.at[at] == ')') depth = 0;
    if (depth) return false;
    *found = (struct md_slice){text.at, at};
    *size = at;
    return true;
}

bool md_scan_title(struct md_slice text, uint32_t *size, struct md_slice *found) {
    if (!text.size) return false;
    uint8_t open = text.at[0];
    if (open != '"' && open != '\'' && open != '(') return false;
    uint8_t close = open == '(' ? ')' : open;
    for (uint32_t at = 1; at < text.size; at++) {
        uint8_t c = text.at[at];
        if (c == close) {
            *found = (struct md_slice){text.at + 1, at - 1};
            *size = at + 1;
            return true;
        }
        if (c == '(' && open == '(') return false;
        if (c == '\\' && at + 1 < text.size && is_punctuation_byte(text.at[at + 1])) at++;
    }
    return false;
}

uint32_t md_scan_spacing(struct md_slice text) {
    uint32_t at = 0;
    bool line_ending = false;
    for (; at < text.size; at++) {
        if (text.at[at] == '\n' && !line_ending) line_ending = true;
        else if (!is_blank_byte(text.at[at])) break;
    }
    return at;
}
