// Link reference definitions: reading them off the front of a paragraph, and finding them by label.
// CommonMark 0.31.2 section 4.7, and 6.3 for what makes two labels match (trimmed, inner space collapsed, case folded).
#include "markdown.h"

enum { FOLDED_MAX = 12 * (MD_LABEL_MAX + 1) };

static uint8_t folded[FOLDED_MAX];

// The label's normal form, in `folded` until the next call; empty for a blank label.
static struct md_slice fold_label(struct md_slice label) {
    label = md_trim(label);
    uint32_t size = 0;
    for (uint32_t at = 0; at < label.size;) {
        if (is_space_byte(label.at[at])) {
            while (is_space_byte(label.at[at])) at++;
            folded[size++] = ' ';
            continue;
        }
        uint32_t length;
        size += md_write_folded(folded + size, md_read_code_point(label.at + at, &length));
        at += length;
    }
    return (struct md_slice){folded, size};
}

static uint32_t bucket_of(struct md_slice label) {
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < label.size; i++) hash = (hash ^ label.at[i]) * 16777619u;
    return (hash ^ hash >> 16) % MD_BUCKETS;
}

static struct md_reference *find_folded(const struct md_references *references, struct md_slice label) {
    for (struct md_reference *r = references->buckets[bucket_of(label)]; r; r = r->next) {
        if (r->label.size != label.size) continue;
        uint32_t i = 0;
        while (i < label.size && r->label.at[i] == label.at[i]) i++;
        if (i == label.size) return r;
    }
    return NULL;
}

const struct md_reference *md_find_reference(const struct md_references *references, struct md_slice label) {
    if (!references->count || label.size > 4 * MD_LABEL_MAX) return NULL;
    struct md_slice name = fold_label(label);
    return name.size ? find_folded(references, name) : NULL;
}

// The first definition of a label stands.
static void define(struct md_document *document, struct md_slice label, struct md_slice destination, struct md_slice title) {
    struct md_slice name = fold_label(label);
    if (find_folded(&document->references, name)) return;
    struct md_reference *r = md_take(&document->arena, sizeof *r);
    uint8_t *copy = md_take(&document->arena, name.size);
    __builtin_memcpy(copy, name.at, name.size);
    uint32_t bucket = bucket_of(name);
    *r = (struct md_reference){document->references.buckets[bucket], {copy, name.size}, destination, title};
    document->references.buckets[bucket] = r;
    document->references.count++;
}

static struct md_slice from(struct md_slice text, uint32_t at) {
    return (struct md_slice){text.at + at, text.size - at};
}

// The end of the line at `at` when only spaces and tabs stand before it, past its line feed; 0 otherwise.
static uint32_t scan_line_end(struct md_slice text, uint32_t at) {
    while (at < text.size && is_blank_byte(text.at[at])) at++;
    if (at == text.size) return at;
    return text.at[at] == '\n' ? at + 1 : 0;
}

// The size of the definition at the front of `text`, or 0.
static uint32_t take_one(struct md_document *document, struct md_slice text) {
    uint32_t label_size = md_scan_label(text);
    if (!label_size || label_size >= text.size || text.at[label_size] != ':') return 0;
    struct md_slice label = {text.at + 1, label_size - 2};
    if (!md_trim(label).size) return 0;
    uint32_t at = label_size + 1;
    at += md_scan_spacing(from(text, at));

    struct md_slice destination, title = {text.at, 0};
    uint32_t size;
    if (at >= text.size || !md_scan_destination(from(text, at), &size, &destination) || !size) return 0;
    at += size;

    // A title needs space before it and nothing after it; one that fails is no title, and then the line must end here.
    uint32_t without_title = scan_line_end(text, at);
    uint32_t spacing = md_scan_spacing(from(text, at));
    uint32_t end = 0;
    if (spacing && md_scan_title(from(text, at + spacing), &size, &title)) end = scan_line_end(text, at + spacing + size);
    if (!end) {
        title = (struct md_slice){text.at, 0};
        end = without_title;
    }
    if (end) define(document, label, destination, title);
    return end;
}

struct md_slice md_take_definitions(struct md_document *document, struct md_slice text) {
    while (text.size && text.at[0] == '[' && !document->arena.exhausted) {
        uint32_t size = take_one(document, text);
        if (!size) break;
        text = from(text, size);
    }
    return text;
}
