/* Built in by -Dplant=overflow only: a heap overflow at start that AddressSanitizer must stop. */
#include <stdlib.h>

static __attribute__((constructor)) void overflow(void)
{
  volatile char *bytes = malloc(8);
  bytes[8] = 1;
  free((void *)bytes);
}
