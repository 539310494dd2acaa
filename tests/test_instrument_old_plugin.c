/* A plugin built for an interface that no longer is: only its first member may be looked at. For the refusal's test. */
#include <stdint.h>

const struct {
  uint32_t abi;
} wm_sink_plugin = {UINT32_C(0xfffffff0)};
