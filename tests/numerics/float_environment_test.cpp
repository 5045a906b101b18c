// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cfenv>
#include <thread>

#include "heed/heed.h"
#include "heed/types.hpp"

namespace heed::test {
namespace {

TEST(FloatEnvironmentTest, IsStandardFromTheStart) {
  EXPECT_TRUE(float_environment_is_standard());
  EXPECT_TRUE(heed_float_environment_is_standard());
}

TEST(FloatEnvironmentTest, SeesEveryRoundingModeOfItsOwnThread) {
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    bool set = false;
    bool there = true;
    bool there_in_c = true;
    bool back = false;
    bool here = false;
    std::thread([&] {
      set = std::fesetround(mode) == 0;
      there = float_environment_is_standard();
      there_in_c = heed_float_environment_is_standard();
      std::thread([&] {
        std::fesetround(FE_TONEAREST);
        back = float_environment_is_standard();
      }).join();
      here = float_environment_is_standard();
    }).join();
    EXPECT_TRUE(set) << mode;
    EXPECT_FALSE(there) << mode;
    EXPECT_FALSE(there_in_c) << mode;
    EXPECT_TRUE(back) << mode;
    EXPECT_FALSE(here) << mode;
    EXPECT_TRUE(float_environment_is_standard()) << mode;
  }
}

}  // namespace
}  // namespace heed::test
