// Inline content of one leaf: text becomes a list of pieces, brackets and delimiter runs are resolved in it, and the
// list is written out. Emphasis and links only insert pieces that open and close, so no tree is needed.
// CommonMark 0.31.2 section 6; the delimiter and bracket stacks follow its rules for emphasis and links.
#include "markdown.h"

enum piece_kind {
    TEXT, ENTITY, CODE, HTML, AUTOLINK, EMAIL, SOFT_BREAK, HARD_BREAK,
    EM_OPEN, EM_CLOSE, STRONG_OPEN, STRONG_CLOSE, LINK_OPEN, LINK_CLOSE, IMAGE_OPEN, IMAGE_CLOSE,
};

struct piece {
    struct piece *previous, *next;
    enum piece_kind kind;
    struct md_slice text; // LINK_OPEN and IMAGE_OPEN: the destination
    struct md_slice title; // LINK_OPEN and IMAGE_CLOSE
};

// A run of * or _ that may still open or close emphasis; `order` grows along the text.
struct delimiter {
    struct delimiter *previous, *next;
    struct piece *piece;
    uint32_t count, original, order;
    uint8_t character;
    bool can_open, can_close;
};

struct bracket {
    struct bracket *previous;
    struct piece *piece;
    struct delimiter *delimiters; // the last run before the bracket
    uint32_t after;               // where its content begins
    bool image, active, bracket_after;
};

enum { BACKTICK_RUNS = 64, RUN_CLASSES = 12 };

struct inlines {
    struct md_document *document;
    struct md_slice text;
    uint32_t at;
    struct piece head; // a sentinel; the list is circular
    struct delimiter *delimiters;
    struct bracket *brackets;
    uint32_t order;
    // Searches that failed once fail for good: backtick runs by length, and the ends of four kinds of raw HTML.
    bool no_backticks[BACKTICK_RUNS + 1], no_comment_end, no_instruction_end, no_cdata_end, no_declaration_end;
};

static struct md_slice rest(const struct inlines *s, uint32_t at) {
    return (struct md_slice){s->text.at + at, s->text.size - at};
}

static uint8_t peek(const struct inlines *s, uint32_t at) {
    return at < s->text.size ? s->text.at[at] : 0;
}

static struct piece *insert_before(struct inlines *s, struct piece *place, enum piece_kind kind, struct md_slice text) {
    struct piece *piece = md_take(&s->document->arena, sizeof *piece);
    *piece = (struct piece){.previous = place->previous, .next = place, .kind = kind, .text = text, .title = {text.at, 0}};
    place->previous->next = piece;
    place->previous = piece;
    return piece;
}

static struct piece *append(struct inlines *s, enum piece_kind kind, uint32_t start, uint32_t end) {
    return insert_before(s, &s->head, kind, (struct md_slice){s->text.at + start, end - start});
}

// Plain characters and line endings

static bool is_special(uint8_t c) {
    switch (c) {
    case '\n': case '\\': case '`': case '*': case '_': case '[': case ']': case '!': case '<': case '&': return true;
    default: return false;
    }
}

static void take_text(struct inlines *s) {
    uint32_t start = s->at++;
    while (s->at < s->text.size && !is_special(s->text.at[s->at])) s->at++;
    append(s, TEXT, start, s->at);
}

static void take_one_byte(struct inlines *s) {
    append(s, TEXT, s->at, s->at + 1);
    s->at++;
}

static void take_line_ending(struct inlines *s) {
    struct piece *last = s->head.previous;
    uint32_t spaces = 0;
    if (last != &s->head && last->kind == TEXT)
        while (spaces < last->text.size && last->text.at[last->text.size - 1 - spaces] == ' ') spaces++;
    if (spaces) last->text.size -= spaces;
    append(s, spaces >= 2 ? HARD_BREAK : SOFT_BREAK, s->at, s->at + 1);
    s->at++;
    while (is_blank_byte(peek(s, s->at))) s->at++;
}

static void take_backslash(struct inlines *s) {
    uint8_t next = peek(s, s->at + 1);
    if (next == '\n') {
        append(s, HARD_BREAK, s->at, s->at + 2);
        s->at += 2;
        while (is_blank_byte(peek(s, s->at))) s->at++;
    } else if (is_punctuation_byte(next)) {
        append(s, TEXT, s->at + 1, s->at + 2);
        s->at += 2;
    } else {
        take_one_byte(s);
    }
}

static void take_entity(struct inlines *s) {
    uint32_t size = md_read_entity(rest(s, s->at), NULL, NULL);
    if (!size) {
        take_one_byte(s);
        return;
    }
    append(s, ENTITY, s->at, s->at + size);
    s->at += size;
}

// Code spans

static uint32_t run_length(const struct inlines *s, uint32_t at, uint8_t c) {
    uint32_t length = 0;
    while (peek(s, at + length) == c) length++;
    return length;
}

static uint32_t find_backticks(const struct inlines *s, uint32_t at, uint32_t length) {
    while (at < s->text.size) {
        if (s->text.at[at] != '`') {
            at++;
            continue;
        }
        uint32_t found = run_length(s, at, '`');
        if (found == length) return at;
        at += found;
    }
    return 0;
}

static void take_code(struct inlines *s) {
    uint32_t length = run_length(s, s->at, '`');
    uint32_t start = s->at + length;
    bool remembered = length <= BACKTICK_RUNS;
    uint32_t end = remembered && s->no_backticks[length] ? 0 : find_backticks(s, start, length);
    if (end) {
        append(s, CODE, start, end);
        s->at = end + length;
        return;
    }
    if (remembered) s->no_backticks[length] = true;
    append(s, TEXT, s->at, start);
    s->at = start;
}

// Raw HTML and autolinks

// The end of `closing` at or after `at`, or 0, remembered in `none`.
static uint32_t find_end(const struct inlines *s, uint32_t at, const char *closing, bool *none) {
    if (*none) return 0;
    uint32_t size = 0;
    while (closing[size]) size++;
    for (; at + size <= s->text.size; at++)
        if (md_starts_with(rest(s, at), closing)) return at + size;
    *none = true;
    return 0;
}

static uint32_t scan_declaration(struct inlines *s) {
    struct md_slice text = rest(s, s->at);
    if (md_starts_with(text, "<!-->")) return s->at + 5;
    if (md_starts_with(text, "<!--->")) return s->at + 6;
    if (md_starts_with(text, "<!--")) return find_end(s, s->at + 4, "-->", &s->no_comment_end);
    if (md_starts_with(text, "<![CDATA[")) return find_end(s, s->at + 9, "]]>", &s->no_cdata_end);
    return is_letter_byte(peek(s, s->at + 2)) ? find_end(s, s->at + 3, ">", &s->no_declaration_end) : 0;
}

static uint32_t scan_raw_html(struct inlines *s) {
    uint8_t next = peek(s, s->at + 1);
    if (next == '!') return scan_declaration(s);
    if (next == '?') return find_end(s, s->at + 2, "?>", &s->no_instruction_end);
    struct md_slice text = rest(s, s->at);
    uint32_t size = next == '/' ? md_scan_closing_tag(text) : md_scan_open_tag(text);
    return size ? s->at + size : 0;
}

static void take_angle_bracket(struct inlines *s) {
    struct md_slice text = rest(s, s->at);
    uint32_t size = md_scan_uri_autolink(text);
    enum piece_kind kind = AUTOLINK;
    if (!size) {
        size = md_scan_email_autolink(text);
        kind = EMAIL;
    }
    if (size) {
        append(s, kind, s->at + 1, s->at + size - 1);
        s->at += size;
        return;
    }
    uint32_t end = scan_raw_html(s);
    if (!end) {
        take_one_byte(s);
        return;
    }
    append(s, HTML, s->at, end);
    s->at = end;
}

// Emphasis

static void take_delimiters(struct inlines *s) {
    uint8_t c = s->text.at[s->at];
    uint32_t count = run_length(s, s->at, c), length;
    uint32_t end = s->at + count;
    uint32_t before = s->at ? md_read_code_point_before(s->text.at + s->at) : '\n';
    uint32_t after = end < s->text.size ? md_read_code_point(s->text.at + end, &length) : '\n';
    bool space_before = md_is_unicode_space(before), space_after = md_is_unicode_space(after);
    bool mark_before = md_is_unicode_punctuation(before), mark_after = md_is_unicode_punctuation(after);
    bool left = !space_after && (!mark_after || space_before || mark_before);
    bool right = !space_before && (!mark_before || space_after || mark_after);
    struct delimiter *run = md_take(&s->document->arena, sizeof *run);
    *run = (struct delimiter){
        .previous = s->delimiters,
        .piece = append(s, TEXT, s->at, end),
        .count = count, .original = count, .order = ++s->order, .character = c,
        .can_open = c == '*' ? left : left && (!right || mark_before),
        .can_close = c == '*' ? right : right && (!left || mark_after),
    };
    if (run->previous) run->previous->next = run;
    s->delimiters = run;
    s->at = end;
}

static void remove_delimiter(struct inlines *s, struct delimiter *run) {
    if (run->previous) run->previous->next = run->next;
    if (run->next) run->next->previous = run->previous;
    else s->delimiters = run->previous;
}

// The rule of three: runs that could both open and close match only if their lengths allow it.
static bool matches(const struct delimiter *opener, const struct delimiter *closer) {
    if (opener->character != closer->character || !opener->can_open) return false;
    if (!closer->can_open && !opener->can_close) return true;
    return closer->original % 3 == 0 || (opener->original + closer->original) % 3 != 0;
}

static void emphasize(struct inlines *s, struct delimiter *opener, struct delimiter *closer) {
    uint32_t used = opener->count >= 2 && closer->count >= 2 ? 2 : 1;
    struct md_slice none = {s->text.at, 0};
    opener->count -= used;
    closer->count -= used;
    opener->piece->text.size -= used;
    closer->piece->text.size -= used;
    closer->piece->text.at += used;
    insert_before(s, opener->piece->next, used == 2 ? STRONG_OPEN : EM_OPEN, none);
    insert_before(s, closer->piece, used == 2 ? STRONG_CLOSE : EM_CLOSE, none);
}

// Closers that look alike cannot reach below where one of them has already found nothing.
static uint32_t class_of(const struct delimiter *closer) {
    return (closer->character == '*' ? 0 : 6) + (closer->can_open ? 3 : 0) + closer->original % 3;
}

// Resolves the runs above `bottom` (all of them when NULL) and forgets them.
static void resolve_emphasis(struct inlines *s, struct delimiter *bottom) {
    uint32_t lowest[RUN_CLASSES] = {0};
    struct delimiter *closer = s->delimiters;
    if (closer == bottom) return;
    while (closer->previous != bottom) closer = closer->previous;
    while (closer && !s->document->arena.exhausted) {
        struct delimiter *next = closer->next;
        if (!closer->can_close) {
            closer = next;
            continue;
        }
        uint32_t *limit = &lowest[class_of(closer)];
        struct delimiter *opener = closer->previous;
        while (opener != bottom && opener->order >= *limit && !matches(opener, closer)) opener = opener->previous;
        if (opener == bottom || opener->order < *limit) {
            *limit = closer->order;
            if (!closer->can_open) remove_delimiter(s, closer);
            closer = next;
            continue;
        }
        opener->next = closer; // runs in between stay text
        closer->previous = opener;
        emphasize(s, opener, closer);
        if (!opener->count) remove_delimiter(s, opener);
        if (!closer->count) {
            remove_delimiter(s, closer);
            closer = next;
        }
    }
    s->delimiters = bottom;
    if (bottom) bottom->next = NULL;
}

// Links and images

static void take_opening_bracket(struct inlines *s, bool image) {
    uint32_t start = s->at;
    s->at += image ? 2 : 1;
    if (s->brackets) s->brackets->bracket_after = true;
    struct bracket *b = md_take(&s->document->arena, sizeof *b);
    *b = (struct bracket){
        .previous = s->brackets, .piece = append(s, TEXT, start, s->at), .delimiters = s->delimiters,
        .after = s->at, .image = image, .active = true,
    };
    s->brackets = b;
}

// "(destination "title")" at `at`; moves past it.
static bool scan_link_tail(struct inlines *s, struct md_slice *destination, struct md_slice *title) {
    if (peek(s, s->at) != '(') return false;
    uint32_t at = s->at + 1, size;
    at += md_scan_spacing(rest(s, at));
    if (!md_scan_destination(rest(s, at), &size, destination)) return false;
    at += size;
    uint32_t spacing = md_scan_spacing(rest(s, at));
    at += spacing;
    *title = (struct md_slice){s->text.at, 0};
    if (spacing && md_scan_title(rest(s, at), &size, title)) {
        at += size;
        at += md_scan_spacing(rest(s, at));
    }
    if (peek(s, at) != ')') return false;
    s->at = at + 1;
    return true;
}

// "[label]", "[]" or nothing at `at`, `end` being the closing bracket before it; moves past it on success.
static bool scan_link_label(
    struct inlines *s, const struct bracket *b, uint32_t end, struct md_slice *destination, struct md_slice *title) {
    uint32_t size = md_scan_label(rest(s, s->at));
    struct md_slice label = {s->text.at + b->after, end - b->after};
    if (size > 2) label = (struct md_slice){s->text.at + s->at + 1, size - 2};
    else if (b->bracket_after) return false;
    const struct md_reference *reference = md_find_reference(&s->document->references, label);
    if (!reference) return false;
    *destination = reference->destination;
    *title = reference->title;
    s->at += size;
    return true;
}

static void take_closing_bracket(struct inlines *s) {
    uint32_t end = s->at++;
    struct bracket *b = s->brackets;
    struct md_slice destination, title;
    bool found = b && b->active
        && (scan_link_tail(s, &destination, &title) || scan_link_label(s, b, end, &destination, &title));
    if (!found) {
        append(s, TEXT, end, end + 1);
        if (b) s->brackets = b->previous;
        return;
    }
    b->piece->kind = b->image ? IMAGE_OPEN : LINK_OPEN;
    b->piece->text = destination;
    b->piece->title = title;
    append(s, b->image ? IMAGE_CLOSE : LINK_CLOSE, end, end)->title = title;
    resolve_emphasis(s, b->delimiters);
    s->brackets = b->previous;
    if (b->image) return;
    // No link holds another link.
    for (struct bracket *outer = s->brackets; outer && (outer->image || outer->active); outer = outer->previous)
        if (!outer->image) outer->active = false;
}

static void take_next(struct inlines *s) {
    switch (s->text.at[s->at]) {
    case '\n': take_line_ending(s); break;
    case '\\': take_backslash(s); break;
    case '`': take_code(s); break;
    case '*': case '_': take_delimiters(s); break;
    case '[': take_opening_bracket(s, false); break;
    case ']': take_closing_bracket(s); break;
    case '<': take_angle_bracket(s); break;
    case '&': take_entity(s); break;
    case '!':
        if (peek(s, s->at + 1) == '[') take_opening_bracket(s, true);
        else take_one_byte(s);
        break;
    default: take_text(s); break;
    }
}

// Writing

static void put_code(struct md_out *out, struct md_slice text) {
    bool only_spaces = true;
    for (uint32_t i = 0; i < text.size && only_spaces; i++) only_spaces = text.at[i] == ' ' || text.at[i] == '\n';
    bool first = text.size && (text.at[0] == ' ' || text.at[0] == '\n');
    bool last = text.size && (text.at[text.size - 1] == ' ' || text.at[text.size - 1] == '\n');
    if (!only_spaces && first && last) {
        text.at++;
        text.size -= 2;
    }
    for (uint32_t at = 0; at < text.size;) {
        uint32_t end = at;
        while (end < text.size && text.at[end] != '\n') end++;
        md_put_escaped(out, (struct md_slice){text.at + at, end - at});
        if (end < text.size) md_put(out, ' ');
        at = end + 1;
    }
}

static void put_title(struct md_out *out, struct md_slice title) {
    if (!title.size) return;
    md_put_text(out, " title=\"");
    md_put_unescaped(out, title);
    md_put(out, '"');
}

static void put_autolink(struct md_out *out, const struct piece *piece) {
    md_put_text(out, piece->kind == EMAIL ? "<a href=\"mailto:" : "<a href=\"");
    md_put_url(out, piece->text, true);
    md_put_text(out, "\">");
    md_put_escaped(out, piece->text);
    md_put_text(out, "</a>");
}

// Inside an image's description only text counts.
static void put_plain(struct md_out *out, const struct piece *piece) {
    switch (piece->kind) {
    case ENTITY: md_put_unescaped(out, piece->text); break;
    case CODE: put_code(out, piece->text); break;
    case SOFT_BREAK: case HARD_BREAK: md_put(out, '\n'); break;
    case TEXT: case HTML: case AUTOLINK: case EMAIL: md_put_escaped(out, piece->text); break;
    default: break;
    }
}

static void put_piece(struct md_out *out, const struct piece *piece) {
    switch (piece->kind) {
    case TEXT: md_put_escaped(out, piece->text); break;
    case ENTITY: md_put_unescaped(out, piece->text); break;
    case CODE:
        md_put_text(out, "<code>");
        put_code(out, piece->text);
        md_put_text(out, "</code>");
        break;
    case HTML: md_put_verbatim(out, piece->text); break;
    case AUTOLINK: case EMAIL: put_autolink(out, piece); break;
    case SOFT_BREAK: md_put(out, '\n'); break;
    case HARD_BREAK: md_put_text(out, "<br />\n"); break;
    case EM_OPEN: md_put_text(out, "<em>"); break;
    case EM_CLOSE: md_put_text(out, "</em>"); break;
    case STRONG_OPEN: md_put_text(out, "<strong>"); break;
    case STRONG_CLOSE: md_put_text(out, "</strong>"); break;
    case LINK_OPEN:
        md_put_text(out, "<a href=\"");
        md_put_url(out, piece->text, false);
        md_put(out, '"');
        put_title(out, piece->title);
        md_put(out, '>');
        break;
    case LINK_CLOSE: md_put_text(out, "</a>"); break;
    case IMAGE_OPEN:
        md_put_text(out, "<img src=\"");
        md_put_url(out, piece->text, false);
        md_put_text(out, "\" alt=\"");
        break;
    case IMAGE_CLOSE:
        md_put(out, '"');
        put_title(out, piece->title);
        md_put_text(out, " />");
        break;
    }
}

static void put_pieces(const struct inlines *s, struct md_out *out) {
    uint32_t images = 0;
    for (const struct piece *piece = s->head.next; piece != &s->head && !out->full; piece = piece->next) {
        if (piece->kind == IMAGE_CLOSE) images--;
        if (images) put_plain(out, piece);
        else put_piece(out, piece);
        if (piece->kind == IMAGE_OPEN) images++;
    }
}

void md_put_inlines(struct md_document *document, struct md_slice text, struct md_out *out) {
    uint8_t *mark = document->arena.at;
    struct inlines s = {.document = document, .text = text};
    s.head.previous = s.head.next = &s.head;
    while (s.at < text.size && !document->arena.exhausted) take_next(&s);
    resolve_emphasis(&s, NULL);
    put_pieces(&s, out);
    document->arena.at = mark;
}
