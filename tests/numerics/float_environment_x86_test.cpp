// SPDX-License-Identifier: MIT
//
// The two bits by which an x86 CPU flushes subnormal numbers, each on its own.
#include <gtest/gtest.h>

#include <cfenv>

#include "heed/types.hpp"

namespace heed::test {
namespace {

bool is_standard_with(unsigned int bits) {
  std::fenv_t before;
  std::fegetenv(&before);
  std::fenv_t changed = before;
  changed.__mxcsr |= bits;
  std::fesetenv(&changed);
  const bool answer = float_environment_is_standard();
  std::fesetenv(&before);
  return answer;
}

TEST(FloatEnvironmentTest, SeesFlushedResultsAndFlushedOperands) {
  constexpr unsigned int results = 0x8000;  // FTZ, as _MM_SET_FLUSH_ZERO_MODE sets it
  constexpr unsigned int operands = 0x40;   // DAZ, as _MM_SET_DENORMALS_ZERO_MODE sets it
  EXPECT_TRUE(is_standard_with(0));
  EXPECT_FALSE(is_standard_with(results));
  EXPECT_FALSE(is_standard_with(operands));
  EXPECT_FALSE(is_standard_with(results | operands));
}

}  // namespace
}  // namespace heed::test
