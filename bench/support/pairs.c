/* What pairs.h counted, into the file that the environment's WASMETER_PAIRS names: lines of count, first entry, second entry. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/support/pairs.h"

uint64_t wm_pairs[WM_FAST_OP_COUNT][WM_FAST_OP_COUNT];
uint16_t wm_pairs_last;

static const char *const names[WM_FAST_OP_COUNT] = {
  "(begin)",
#define PAIR(FORM, NAME, ...) #NAME "_" #FORM, #NAME "_" #FORM "_TO",
#define ONE(FORM, NAME, ...) #NAME "_" #FORM "_TO",
#define TEST(FORM, NAME, ...) #NAME "_" #FORM "_BRANCH",
#define WM_UN(NAME, forms, ...) WM_FORMS_##forms(PAIR, ONE, TEST, NAME)
#define WM_BIN WM_UN
#define WM_UN_TRAP WM_UN
#define WM_BIN_TRAP WM_UN
#include "interp/numeric.def"
#define X(NAME, forms, ...) WM_FORMS_##forms(PAIR, ONE, TEST, NAME)
  WM_FAST_LOADS(X)
#undef X
#define X(NAME, ...) #NAME "_SS", #NAME "_SA", #NAME "_SK", #NAME "_AS",
  WM_FAST_STORES(X)
#undef X
#define WM_FUSED_STEP(OP, ...) "STEP_" #OP "_AS", "STEP_" #OP "_AK",
#define WM_FUSED_LOAD(LOAD, FORM, type, OP, ...) #LOAD "_" #FORM "_" #OP, #LOAD "_" #FORM "_" #OP "_TO",
#define WM_FUSED_TEST(LOAD, FORM, type, OP, ...) #LOAD "_" #FORM "_" #OP "_BRANCH",
#include "interp/fused.def"
#define X(NAME) #NAME,
  WM_FAST_OTHERS(X)
#include "interp/fast_vector.def"
#undef X
};

__attribute__((destructor)) static void write_down(void)
{
  const char *path = getenv("WASMETER_PAIRS");
  FILE *file = path != NULL ? fopen(path, "w") : NULL;
  if (file == NULL)
    return;
  for (uint32_t i = 0; i < WM_FAST_OP_COUNT; i++)
    for (uint32_t k = 0; k < WM_FAST_OP_COUNT; k++)
      if (wm_pairs[i][k] != 0)
        fprintf(file, "%" PRIu64 " %s %s\n", wm_pairs[i][k], names[i], names[k]);
  if (fclose(file) != 0)
    fprintf(stderr, "wasmeter: %s: the pairs are not complete\n", path);
}
