// SPDX-License-Identifier: MIT
//
// The C interface of float_environment.hpp.
#include "heed/float_environment.hpp"
#include "heed/heed_float_environment.h"

bool heed_float_environment_is_standard(void) {
  return heed::float_environment_is_standard();
}
