// SPDX-License-Identifier: MIT
//
// The C interface of version.hpp.
#include "heed/heed_version.h"
#include "heed/version.hpp"

const char* heed_version(void) {
  return heed::version();
}
