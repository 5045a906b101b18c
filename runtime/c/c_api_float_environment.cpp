// SPDX-License-Identifier: MIT
//
// The C interface to the thread's float environment.
#include "heed/heed_types.h"
#include "heed/types.hpp"

bool heed_float_environment_is_standard(void) {
  return heed::float_environment_is_standard();
}
