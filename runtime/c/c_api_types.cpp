// SPDX-License-Identifier: MIT
//
// The C interface of statuses and regions.
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
