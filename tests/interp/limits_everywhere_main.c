/* The hosted front end of limits_everywhere.c: prints one line a row, the trap's text behind it. Argument: gc.wasm. */
#include <inttypes.h>
#include <stdio.h>

#include "interp/run.h"
#include "limits_everywhere.h"

int main(int argc, char **argv)
{
  FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (file == NULL)
    return 1;
  uint32_t length = (uint32_t)fread(limits_module(), 1, 1 << 16, file);
  fclose(file);
  for (uint32_t row = 0; row < limits_row_count(); row++) {
    uint64_t end = limits_run(row, length);
    printf("%" PRIu64 " %s\n", end, wm_trap_text((enum wm_trap)(end & 0xff)));
  }
  return 0;
}
