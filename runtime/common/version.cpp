// SPDX-License-Identifier: MIT
#include "heed/types.hpp"

const char* heed::version() noexcept {
  return HEED_VERSION;
}
