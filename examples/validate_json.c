// validate-json: passes strict JSON (RFC 8259) through unchanged, the result being the input itself, and rejects
// everything else with the offset where it went wrong and one of six modes (see enum mode).
// The nesting of arrays and objects is bounded and kept as one bit a level, so there is no recursion. The host has
// checked that the input is UTF-8; duplicate keys and lone surrogate escapes are allowed, as the RFC allows them.
#include "component.h"

enum { CAP = 1024 * 1024, DEPTH_MAX = 1024 };

enum mode { BAD_SYNTAX, BAD_STRING, BAD_NUMBER, TOO_DEEP, TRAILING_BYTES, UNEXPECTED_END, MODE_COUNT };

static uint8_t input[CAP];
static uint8_t is_object[DEPTH_MAX / 8];

GETTER(input_ptr, ADDRESS(input))
GETTER(input_utf8_cap, CAP)
GETTER(output_utf8_cap, CAP)
GETTER(failure_modes_per_input_offset, MODE_COUNT)
CONTENT_TYPE(input, "application/json")
CONTENT_TYPE(output, "application/json")

// The first failure wins; afterwards every scanner returns at once because `failed` is set.
struct scan {
    uint32_t at, end, depth;
    bool failed;
    enum mode mode;
};

static void fail(struct scan *s, enum mode mode) {
    if (s->failed) return;
    s->failed = true;
    s->mode = mode;
}

static bool ended(struct scan *s) {
    if (s->at < s->end) return false;
    fail(s, UNEXPECTED_END);
    return true;
}

static bool is_digit(uint8_t byte) {
    return (uint8_t)(byte - '0') < 10;
}

static bool is_hex(uint8_t byte) {
    return is_digit(byte) || (uint8_t)((byte | 32) - 'a') < 6;
}

static void skip_space(struct scan *s) {
    while (s->at < s->end) {
        uint8_t byte = input[s->at];
        if (byte != ' ' && byte != '\n' && byte != '\r' && byte != '\t') return;
        s->at++;
    }
}

static void scan_escape(struct scan *s) {
    s->at++;
    if (ended(s)) return;
    switch (input[s->at]) {
    case '"': case '\\': case '/': case 'b': case 'f': case 'n': case 'r': case 't': s->at++; return;
    case 'u': break;
    default: fail(s, BAD_STRING); return;
    }
    s->at++;
    for (int i = 0; i < 4; i++) {
        if (ended(s)) return;
        if (!is_hex(input[s->at])) {
            fail(s, BAD_STRING);
            return;
        }
        s->at++;
    }
}

static void scan_string(struct scan *s) {
    s->at++;
    while (!s->failed && !ended(s)) {
        uint8_t byte = input[s->at];
        if (byte == '"') {
            s->at++;
            return;
        }
        if (byte < 0x20) fail(s, BAD_STRING);
        else if (byte == '\\') scan_escape(s);
        else s->at++;
    }
}

static void scan_digits(struct scan *s) {
    if (ended(s)) return;
    if (!is_digit(input[s->at])) {
        fail(s, BAD_NUMBER);
        return;
    }
    while (s->at < s->end && is_digit(input[s->at])) s->at++;
}

static void scan_number(struct scan *s) {
    if (input[s->at] == '-') s->at++;
    if (ended(s)) return;
    if (input[s->at] == '0') {
        s->at++;
        if (s->at < s->end && is_digit(input[s->at])) fail(s, BAD_NUMBER);
    } else {
        scan_digits(s);
    }
    if (!s->failed && s->at < s->end && input[s->at] == '.') {
        s->at++;
        scan_digits(s);
    }
    if (!s->failed && s->at < s->end && (input[s->at] | 32) == 'e') {
        s->at++;
        if (s->at < s->end && (input[s->at] == '+' || input[s->at] == '-')) s->at++;
        scan_digits(s);
    }
}

static void scan_word(struct scan *s, const char *word) {
    for (; *word; word++, s->at++) {
        if (ended(s)) return;
        if (input[s->at] != (uint8_t)*word) {
            fail(s, BAD_SYNTAX);
            return;
        }
    }
}

static void open_container(struct scan *s, bool object) {
    if (s->depth == DEPTH_MAX) {
        fail(s, TOO_DEEP);
        return;
    }
    uint8_t bit = (uint8_t)(1u << s->depth % 8);
    uint8_t *slot = &is_object[s->depth / 8];
    *slot = object ? *slot | bit : *slot & (uint8_t)~bit;
    s->depth++;
    s->at++;
}

static bool in_object(const struct scan *s) {
    return is_object[(s->depth - 1) / 8] >> (s->depth - 1) % 8 & 1;
}

static void scan_key(struct scan *s) {
    if (ended(s)) return;
    if (input[s->at] != '"') {
        fail(s, BAD_SYNTAX);
        return;
    }
    scan_string(s);
    if (s->failed) return;
    skip_space(s);
    if (ended(s)) return;
    if (input[s->at] != ':') {
        fail(s, BAD_SYNTAX);
        return;
    }
    s->at++;
    skip_space(s);
}

// One value, or the opening of a container; true when a value is complete.
static bool scan_value_start(struct scan *s) {
    if (ended(s)) return false;
    uint8_t byte = input[s->at];
    switch (byte) {
    case '"': scan_string(s); return true;
    case 't': scan_word(s, "true"); return true;
    case 'f': scan_word(s, "false"); return true;
    case 'n': scan_word(s, "null"); return true;
    case '[': case '{': break;
    default:
        if (byte == '-' || is_digit(byte)) scan_number(s);
        else fail(s, BAD_SYNTAX);
        return true;
    }
    open_container(s, byte == '{');
    if (s->failed) return false;
    skip_space(s);
    if (ended(s)) return false;
    if (input[s->at] == byte + 2) { // ']' and '}' are two code points above their partners
        s->at++;
        s->depth--;
        return true;
    }
    if (byte == '{') scan_key(s);
    return false;
}

// After a complete value: the closings and at most one comma before the next value.
static void scan_value_end(struct scan *s) {
    while (s->depth && !s->failed) {
        skip_space(s);
        if (ended(s)) return;
        uint8_t byte = input[s->at];
        bool object = in_object(s);
        if (byte == ',') {
            s->at++;
            skip_space(s);
            if (object) scan_key(s);
            return;
        }
        if (byte != (object ? '}' : ']')) {
            fail(s, BAD_SYNTAX);
            return;
        }
        s->at++;
        s->depth--;
    }
}

EXPORT("render") uint64_t render(uint32_t size) {
    require(size <= CAP);
    struct scan s = {.at = 0, .end = size};
    skip_space(&s);
    bool done = false;
    while (!done && !s.failed) {
        if (scan_value_start(&s) && !s.failed) {
            scan_value_end(&s);
            done = s.depth == 0;
        }
    }
    if (!s.failed) {
        skip_space(&s);
        if (s.at < s.end) fail(&s, TRAILING_BYTES);
    }
    if (s.failed) return rejected(s.at * MODE_COUNT + s.mode);
    return rendered(input, size);
}
