// primes: the primes up to a limit, one a line. A generator: it takes no input, only the uniform `limit`
// (2..1000000, 10000 by default).
// A plain sieve over bytes: one memory.fill, then strided stores, which makes its page report easy to predict.
#include "component.h"

enum { LIMIT_DEFAULT = 10000, LIMIT_MAX = 1000000, OUTPUT_CAP = 640 * 1024 };

static char output[OUTPUT_CAP];
static uint8_t composite[LIMIT_MAX + 1];
static uint32_t limit = LIMIT_DEFAULT;

GETTER(output_utf8_cap, OUTPUT_CAP)

EXPORT("uniform_set_limit") uint32_t set_limit(uint32_t value) {
    if (value < 2) value = 2;
    if (value > LIMIT_MAX) value = LIMIT_MAX;
    return limit = value;
}

static char *put_decimal(char *at, uint32_t value) {
    uint32_t unit = 1;
    while (value / unit >= 10) unit *= 10;
    for (; unit; unit /= 10) *at++ = (char)('0' + value / unit % 10);
    return at;
}

EXPORT("render") uint64_t render(uint32_t size) {
    require(size == 0);
    __builtin_memset(composite, 0, limit + 1);
    char *at = output;
    for (uint32_t n = 2; n <= limit; n++) {
        if (composite[n]) continue;
        at = put_decimal(at, n);
        *at++ = '\n';
        for (uint64_t multiple = (uint64_t)n * n; multiple <= limit; multiple += n) composite[multiple] = 1;
    }
    limit = LIMIT_DEFAULT;
    return rendered(output, (uint32_t)(at - output));
}
