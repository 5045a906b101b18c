// SPDX-License-Identifier: MIT
#include "heed/version.hpp"

const char* heed::version() noexcept {
  return HEED_VERSION;
}
