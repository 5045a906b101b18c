// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace heed::test {

/// Long tests run one case of this many: 1, or HEED_TEST_DIVISOR in the environment, which cross builds set because an
/// emulator is too slow for all of them. Printed, so that no log claims more than was run.
inline std::uint32_t case_divisor() {
  const char* text = std::getenv("HEED_TEST_DIVISOR");
  const int divisor = text != nullptr ? std::atoi(text) : 1;
  if (divisor != 1) std::printf("one case of %d (HEED_TEST_DIVISOR)\n", divisor);
  return divisor > 1 ? static_cast<std::uint32_t>(divisor) : 1;
}

}  // namespace heed::test
