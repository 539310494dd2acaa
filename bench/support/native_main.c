// Host entry of a workload: reads n, calls bench_run(n) and prints the checksum in decimal. It is the reference whose
// answer every engine must give, and the row "native" of the tables. Compiled apart from the workload, so that nothing
// is inlined across the two.
#include <stdio.h>
#include <stdlib.h>

#include "../kernels/bench.h"

int main(int argc, char **argv) {
    char *end = NULL;
    unsigned long long n = argc == 2 ? strtoull(argv[1], &end, 10) : 0;
    if (argc != 2 || end == argv[1] || *end != '\0' || n > UINT32_MAX) {
        fputs("usage: native N\n", stderr);
        return 64;
    }
    printf("%u\n", (unsigned)bench_run((uint32_t)n));
    return 0;
}
