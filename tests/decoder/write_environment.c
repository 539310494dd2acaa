/* Writes the environment module of the decoder's tests, behind the byte by which the fuzzer chooses limits: its seed. */
#include <stdio.h>

#include "tests/decoder_support.h"

int main(int count, char **arguments)
{
  static const char code[] = "\x20\x05\xfb\x02\x03\x01\x1a\x02\x40\x1f\x40\x01\x02\x00\x0b\x0b\x41\0\x0e\x01\0\0";
  struct bytes module = bytes_of_environment(code, sizeof code - 1, true);
  FILE *file = count == 2 ? fopen(arguments[1], "wb") : NULL;
  if (file == NULL)
    return 1;
  bool is_written = fputc(0, file) != EOF && fwrite(module.data, 1, module.size, file) == module.size;
  bytes_free(&module);
  return fclose(file) == 0 && is_written ? 0 : 1;
}
