// Sorting: quicksort with an explicit stack, median of three and insertion sort for short runs: unpredictable compares,
// branches and word accesses. One unit: 2,048 fresh pseudo-random words sorted, then checked while summed.
#include "bench.h"

enum { COUNT = 2048, SHORT_RUN = 12 };
static uint32_t words[COUNT];

static void swap(uint32_t i, uint32_t j) {
    uint32_t old = words[i];
    words[i] = words[j];
    words[j] = old;
}

static void insertion_sort(uint32_t low, uint32_t high) {
    for (uint32_t i = low + 1; i < high; i++) {
        uint32_t value = words[i], at = i;
        for (; at > low && words[at - 1] > value; at--)
            words[at] = words[at - 1];
        words[at] = value;
    }
}

// Splits [low, high) of at least three words and returns the pivot's final place.
static uint32_t partition(uint32_t low, uint32_t high) {
    uint32_t middle = low + (high - low) / 2, last = high - 1;
    if (words[middle] < words[low])
        swap(middle, low);
    if (words[last] < words[low])
        swap(last, low);
    if (words[last] < words[middle])
        swap(last, middle);
    swap(middle, last - 1);
    uint32_t pivot = words[last - 1], i = low, j = last - 1;
    for (;;) {
        while (words[++i] < pivot) {}
        while (words[--j] > pivot) {}
        if (i >= j)
            break;
        swap(i, j);
    }
    swap(i, last - 1);
    return i;
}

static BENCH_NOINLINE void sort(void) {
    uint32_t stack[64], top = 0;
    stack[top++] = 0;
    stack[top++] = COUNT;
    while (top) {
        uint32_t high = stack[--top], low = stack[--top];
        while (high - low > SHORT_RUN) {
            uint32_t at = partition(low, high);
            // The longer half waits, so the stack stays logarithmic.
            if (at - low > high - at) {
                stack[top++] = low;
                stack[top++] = at;
                low = at + 1;
            } else {
                stack[top++] = at + 1;
                stack[top++] = high;
                high = at;
            }
        }
        insertion_sort(low, high);
    }
}

uint32_t bench_run(uint32_t n) {
    uint32_t sum = 1, state = 0x51ed270bu;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < COUNT; k++)
            words[k] = bench_random(&state);
        sort();
        for (uint32_t k = 1; k < COUNT; k++)
            sum = sum * 31 + (words[k - 1] <= words[k] ? words[k] : 0);
        state ^= sum & 0xffff;
        state |= 1;
    }
    return sum;
}
