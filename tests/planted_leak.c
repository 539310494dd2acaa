/* Built in by -Dplant=leak only: a lost allocation that LeakSanitizer must report when the process ends. */
#include <stdlib.h>

static void *volatile lost;

static __attribute__((constructor)) void leak(void)
{
  lost = malloc(64);
  lost = NULL;
}
