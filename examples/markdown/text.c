// Characters, character references, case folding, and everything that writes to the output.
// CommonMark 0.31.2 sections 2.1 (characters), 2.3 (insecure characters), 2.4 (backslash escapes) and 2.5 (entities).
#include "text.h"

uint32_t md_read_code_point(const uint8_t *at, uint32_t *length) {
    uint8_t lead = at[0];
    if (lead < 0x80) {
        *length = 1;
        return lead ? lead : 0xfffd;
    }
    if (lead < 0xe0) {
        *length = 2;
        return (lead & 31u) << 6 | (at[1] & 63u);
    }
    if (lead < 0xf0) {
        *length = 3;
        return (lead & 15u) << 12 | (at[1] & 63u) << 6 | (at[2] & 63u);
    }
    *length = 4;
    return (lead & 7u) << 18 | (at[1] & 63u) << 12 | (at[2] & 63u) << 6 | (at[3] & 63u);
}

uint32_t md_read_code_point_before(const uint8_t *at) {
    uint32_t length;
    do at--;
    while ((*at & 0xc0) == 0x80);
    return md_read_code_point(at, &length);
}

bool md_is_unicode_space(uint32_t code) {
    if (code < 0x80) return is_space_byte((uint8_t)code);
    return code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x202f || code == 0x205f
        || code == 0x3000;
}

bool md_is_unicode_punctuation(uint32_t code) {
    if (code < 0x80) return is_punctuation_byte((uint8_t)code);
    uint32_t low = 0, high = md_punctuation_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (md_punctuation[middle][1] < code) low = middle + 1;
        else high = middle;
    }
    return low < md_punctuation_count && md_punctuation[low][0] <= code;
}

uint32_t md_write_code_point(uint8_t *at, uint32_t code) {
    if (code < 0x80) {
        at[0] = (uint8_t)code;
        return 1;
    }
    if (code < 0x800) {
        at[0] = (uint8_t)(0xc0 | code >> 6);
        at[1] = (uint8_t)(0x80 | (code & 63));
        return 2;
    }
    if (code < 0x10000) {
        at[0] = (uint8_t)(0xe0 | code >> 12);
        at[1] = (uint8_t)(0x80 | (code >> 6 & 63));
        at[2] = (uint8_t)(0x80 | (code & 63));
        return 3;
    }
    at[0] = (uint8_t)(0xf0 | code >> 18);
    at[1] = (uint8_t)(0x80 | (code >> 12 & 63));
    at[2] = (uint8_t)(0x80 | (code >> 6 & 63));
    at[3] = (uint8_t)(0x80 | (code & 63));
    return 4;
}

static uint32_t fold_one(uint32_t code) {
    uint32_t low = 0, high = md_fold_run_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (md_fold_runs[middle].last < code) low = middle + 1;
        else high = middle;
    }
    if (low == md_fold_run_count) return code;
    const struct md_fold_run *run = &md_fold_runs[low];
    if (run->first > code || (code - run->first) % run->step) return code;
    return code + (uint32_t)run->difference;
}

uint32_t md_write_folded(uint8_t *at, uint32_t code) {
    if (code < 0x80) {
        at[0] = lower_byte((uint8_t)code);
        return 1;
    }
    uint32_t low = 0, high = md_fold_several_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (md_fold_several[middle][0] < code) low = middle + 1;
        else high = middle;
    }
    if (low < md_fold_several_count && md_fold_several[low][0] == code) {
        uint32_t size = 0;
        for (int i = 1; i < 4 && md_fold_several[low][i]; i++)
            size += md_write_code_point(at + size, md_fold_several[low][i]);
        return size;
    }
    return md_write_code_point(at, fold_one(code));
}

static uint32_t read_numeric_entity(struct md_slice text, uint8_t *value, uint32_t *value_size) {
    uint32_t at = 2, code = 0, digits = 0;
    bool hex = at < text.size && (text.at[at] | 32) == 'x';
    if (hex) at++;
    for (; at < text.size; at++, digits++) {
        uint8_t c = text.at[at];
        if (is_digit_byte(c)) code = code * (hex ? 16 : 10) + (c - '0');
        else if (hex && (uint8_t)((c | 32) - 'a') < 6) code = code * 16 + ((c | 32) - 'a' + 10);
        else break;
        if (digits == (hex ? 6 : 7)) return 0; // one digit too many
    }
    if (!digits || at == text.size || text.at[at] != ';') return 0;
    if (!code || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) code = 0xfffd;
    if (value) *value_size = md_write_code_point(value, code);
    return at + 1;
}

// Byte order, a name before its extensions.
static int compare_names(const uint8_t *name, uint32_t size, const uint8_t *entry) {
    for (uint32_t i = 0; i < size; i++) {
        if (i == entry[0]) return 1;
        if (name[i] != entry[1 + i]) return name[i] < entry[1 + i] ? -1 : 1;
    }
    return size == entry[0] ? 0 : -1;
}

uint32_t md_read_entity(struct md_slice text, uint8_t *value, uint32_t *value_size) {
    if (text.size < 3) return 0;
    if (text.at[1] == '#') return read_numeric_entity(text, value, value_size);
    uint32_t size = 0;
    while (1 + size < text.size && is_alphanumeric_byte(text.at[1 + size])) size++;
    if (!size || 1 + size == text.size || text.at[1 + size] != ';') return 0;
    uint32_t low = 0, high = md_entity_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        const uint8_t *entry = md_entities + md_entity_offsets[middle];
        int order = compare_names(text.at + 1, size, entry);
        if (order == 0) {
            const uint8_t *found = entry + 1 + entry[0];
            if (value) {
                *value_size = found[0];
                __builtin_memcpy(value, found + 1, found[0]);
            }
            return size + 2;
        }
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return 0;
}

bool md_equals_ignoring_case(struct md_slice text, const char *lower) {
    uint32_t i = 0;
    for (; i < text.size && lower[i]; i++)
        if (lower_byte(text.at[i]) != (uint8_t)lower[i]) return false;
    return i == text.size && !lower[i];
}

bool md_starts_with(struct md_slice text, const char *prefix) {
    uint32_t i = 0;
    for (; i < text.size && prefix[i]; i++)
        if (text.at[i] != (uint8_t)prefix[i]) return false;
    return !prefix[i];
}

struct md_slice md_trim(struct md_slice text) {
    while (text.size && is_space_byte(text.at[0])) {
        text.at++;
        text.size--;
    }
    while (text.size && is_space_byte(text.at[text.size - 1])) text.size--;
    return text;
}

void md_put(struct md_out *out, uint8_t byte) {
    if (out->at == out->limit) out->full = true;
    else *out->at++ = byte;
}

void md_put_raw(struct md_out *out, struct md_slice text) {
    if (text.size > (uint32_t)(out->limit - out->at)) {
        out->full = true;
        return;
    }
    __builtin_memcpy(out->at, text.at, text.size);
    out->at += text.size;
}

void md_put_text(struct md_out *out, const char *text) {
    while (*text) md_put(out, (uint8_t)*text++);
}

void md_put_decimal(struct md_out *out, uint32_t value) {
    uint32_t unit = 1;
    while (value / unit >= 10) unit *= 10;
    for (; unit; unit /= 10) md_put(out, (uint8_t)('0' + value / unit % 10));
}

void md_put_line_break(struct md_out *out) {
    if (out->at > out->start && out->at[-1] != '\n') md_put(out, '\n');
}

void md_put_verbatim(struct md_out *out, struct md_slice text) {
    uint32_t from = 0;
    for (uint32_t i = 0; i < text.size; i++) {
        if (text.at[i]) continue;
        md_put_raw(out, (struct md_slice){text.at + from, i - from});
        md_put_text(out, "\xef\xbf\xbd");
        from = i + 1;
    }
    md_put_raw(out, (struct md_slice){text.at + from, text.size - from});
}

static const char *replacement_of(uint8_t c) {
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case 0: return "\xef\xbf\xbd";
    default: return NULL;
    }
}

void md_put_escaped(struct md_out *out, struct md_slice text) {
    uint32_t from = 0;
    for (uint32_t i = 0; i < text.size; i++) {
        const char *replacement = replacement_of(text.at[i]);
        if (!replacement) continue;
        md_put_raw(out, (struct md_slice){text.at + from, i - from});
        md_put_text(out, replacement);
        from = i + 1;
    }
    md_put_raw(out, (struct md_slice){text.at + from, text.size - from});
}

// Takes the next character of text with escapes and references: its bytes, valid until the next call with `value`.
static struct md_slice next_unescaped(struct md_slice text, uint32_t *at, uint8_t value[8]) {
    uint32_t i = *at;
    if (text.at[i] == '\\' && i + 1 < text.size && is_punctuation_byte(text.at[i + 1])) {
        *at = i + 2;
        return (struct md_slice){text.at + i + 1, 1};
    }
    if (text.at[i] == '&') {
        uint32_t value_size = 0;
        uint32_t size = md_read_entity((struct md_slice){text.at + i, text.size - i}, value, &value_size);
        if (size) {
            *at = i + size;
            return (struct md_slice){value, value_size};
        }
    }
    *at = i + 1;
    return (struct md_slice){text.at + i, 1};
}

void md_put_unescaped(struct md_out *out, struct md_slice text) {
    uint8_t value[8];
    for (uint32_t at = 0; at < text.size;) md_put_escaped(out, next_unescaped(text, &at, value));
}

static bool is_hex_byte(uint8_t c) {
    return is_digit_byte(c) || (uint8_t)((c | 32) - 'a') < 6;
}

static bool is_url_byte(uint8_t c) {
    if (is_alphanumeric_byte(c)) return true;
    for (const char *safe = ";/?:@&=+$,-_.!~*'()#"; *safe; safe++)
        if (c == (uint8_t)*safe) return true;
    return false;
}

static void put_percent(struct md_out *out, uint8_t byte) {
    static const char digits[] = "0123456789ABCDEF";
    md_put(out, '%');
    md_put(out, (uint8_t)digits[byte >> 4]);
    md_put(out, (uint8_t)digits[byte & 15]);
}

static void put_url_byte(struct md_out *out, uint8_t byte) {
    if (byte == '&') md_put_text(out, "&amp;");
    else if (is_url_byte(byte)) md_put(out, byte);
    else if (byte) put_percent(out, byte);
    else md_put_text(out, "%EF%BF%BD");
}

void md_put_url(struct md_out *out, struct md_slice url, bool literal) {
    uint8_t value[8];
    for (uint32_t at = 0; at < url.size;) {
        struct md_slice piece = {url.at + at, 1};
        if (literal) at++;
        else piece = next_unescaped(url, &at, value);
        // A percent sign that already begins an encoded byte stays.
        if (piece.size == 1 && piece.at[0] == '%' && at + 1 < url.size && is_hex_byte(url.at[at]) && is_hex_byte(url.at[at + 1])) {
            md_put(out, '%');
            continue;
        }
        for (uint32_t i = 0; i < piece.size; i++) put_url_byte(out, piece.at[i]);
    }
}
