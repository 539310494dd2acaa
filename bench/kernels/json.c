// Byte parser: tokenises a JSON text: a switch over bytes, scanning of strings with escapes, numbers, and nesting kept
// on an explicit stack. One unit: one pass over a generated text of about 12 KiB; a digit of it changes with each pass.
#include "bench.h"

enum { CAPACITY = 16384, RECORDS = 96, DEPTH = 64 };
static char text[CAPACITY];
static uint32_t length, digit_at;
static uint8_t stack[DEPTH];

static void put(char c) {
    if (length < CAPACITY)
        text[length++] = c;
}

static void put_text(const char *s) {
    while (*s)
        put(*s++);
}

static void put_number(uint32_t value) {
    char digits[10];
    int count = 0;
    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    while (count)
        put(digits[--count]);
}

static void generate(void) {
    uint32_t state = 0xbadc0deu;
    length = 0;
    put('[');
    for (int i = 0; i < RECORDS; i++) {
        put_text(i ? ",\n  {\"id\": " : "\n  {\"id\": ");
        digit_at = length;
        put_number(100 + bench_random(&state) % 900);
        put_text(", \"name\": \"item \\\"");
        for (uint32_t k = 3 + bench_random(&state) % 9; k > 0; k--)
            put((char)('a' + bench_random(&state) % 26));
        put_text("\\\" \\u00e9\", \"tags\": [");
        for (uint32_t k = 0; k < bench_random(&state) % 4 + 1; k++)
            put_text(k ? ", \"x\"" : "\"first\"");
        put_text("], \"ratio\": -0.");
        put_number(bench_random(&state) % 100000);
        put_text("e+2, \"on\": ");
        put_text(bench_random(&state) & 1 ? "true" : "false");
        put_text(", \"next\": null}");
    }
    put_text("\n]\n");
}

static int is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Returns the position after a literal's or number's last byte.
static uint32_t scan_number(uint32_t at, uint32_t *value) {
    uint32_t v = 0;
    while (at < length && is_digit(text[at]))
        v = v * 10 + (uint32_t)(text[at++] - '0');
    if (at < length && text[at] == '.')
        for (at++; at < length && is_digit(text[at]); at++)
            v = v * 7 + (uint32_t)(text[at] - '0');
    if (at < length && (text[at] == 'e' || text[at] == 'E')) {
        at++;
        if (at < length && (text[at] == '+' || text[at] == '-'))
            at++;
        while (at < length && is_digit(text[at]))
            v += (uint32_t)(text[at++] - '0') << 8;
    }
    *value = v;
    return at;
}

static uint32_t scan_string(uint32_t at, uint32_t *value) {
    uint32_t v = 5381;
    while (at < length && text[at] != '"') {
        if (text[at] == '\\') {
            at++;
            if (at < length && text[at] == 'u') {
                at += 5;
                v += 77;
                continue;
            }
        }
        v = v * 33 + (uint8_t)text[at++];
    }
    *value = v;
    return at + 1;
}

static BENCH_NOINLINE uint32_t tokenise(uint32_t sum) {
    uint32_t at = 0, depth = 0, value;
    while (at < length) {
        char c = text[at++];
        switch (c) {
        case ' ': case '\n': case '\r': case '\t':
            break;
        case '{': case '[':
            if (depth < DEPTH)
                stack[depth++] = (uint8_t)c;
            break;
        case '}': case ']':
            if (depth == 0 || stack[--depth] != (c == '}' ? '{' : '['))
                return 0;
            sum = sum * 3 + depth;
            break;
        case ',': case ':':
            sum += (uint8_t)c;
            break;
        case '"':
            at = scan_string(at, &value);
            sum = bench_mix(sum, value);
            break;
        case '-': case '0': case '1': case '2': case '3': case '4':
        case '5': case '6': case '7': case '8': case '9':
            at = scan_number(c == '-' ? at : at - 1, &value);
            sum = bench_mix(sum, value);
            break;
        case 't': case 'n':
            at += 3;
            sum += 11;
            break;
        case 'f':
            at += 4;
            sum += 13;
            break;
        default:
            return 0;
        }
    }
    return depth == 0 ? sum : 0;
}

uint32_t bench_run(uint32_t n) {
    uint32_t sum = 1;
    generate();
    for (uint32_t i = 0; i < n; i++) {
        sum = tokenise(sum);
        text[digit_at] = (char)('1' + sum % 9);
    }
    return sum;
}
