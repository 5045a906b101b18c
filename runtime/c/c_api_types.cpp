// SPDX-License-Identifier: MIT
//
// The C interface of statuses and regions, of the library's version and of the thread's float environment.
#include "heed/arena.hpp"
#include "heed/heed_types.h"
#include "heed/types.hpp"

static_assert(HEED_ARENA_ALIGNMENT == heed::arena_alignment);

const char* heed_region_to_string(heed_region region) {
  return heed::to_string(region.name);
}

const char* heed_status_to_string(heed_status status) {
  return heed::to_string(status);
}

const char* heed_version(void) {
  return HEED_VERSION;
}

bool heed_float_environment_is_standard(void) {
  return heed::float_environment_is_standard();
}
