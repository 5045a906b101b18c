// SPDX-License-Identifier: MIT
//
// One version: of the project, of the headers and of the library.
#include <gtest/gtest.h>

#include <string>

#include "heed/heed_types.h"
#include "heed/types.hpp"

namespace {

TEST(Version, IsThatOfTheProject) {
  EXPECT_STREQ(HEED_VERSION, HEED_PROJECT_VERSION);
  EXPECT_EQ(std::to_string(HEED_VERSION_MAJOR) + "." + std::to_string(HEED_VERSION_MINOR) + "." +
                std::to_string(HEED_VERSION_PATCH),
            HEED_PROJECT_VERSION);
}

TEST(Version, IsThatOfTheLibrary) {
  EXPECT_STREQ(heed::version(), HEED_PROJECT_VERSION);
  EXPECT_STREQ(heed_version(), HEED_PROJECT_VERSION);
}

}  // namespace
