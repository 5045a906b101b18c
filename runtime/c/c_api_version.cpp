// SPDX-License-Identifier: MIT
//
// The C interface to the library's version.
#include "heed/heed_types.h"
#include "heed/types.hpp"

const char* heed_version(void) {
  return heed::version();
}
