// SPDX-License-Identifier: MIT
//
// The command in a process whose floats are rounded otherwise.
#include "command/command.hpp"

namespace heed::test {
namespace {

TEST_F(CommandTest, RefusesAnotherRoundingMode) {
  ASSERT_EQ(setenv("LD_PRELOAD", HEED_ROUND_UPWARD_PATH, 1), 0);
  expect_failure("plan --heads 8 --head-dim 64", {"does not round to nearest"});
  unsetenv("LD_PRELOAD");
  expect_success("plan --heads 8 --head-dim 64");
}

}  // namespace
}  // namespace heed::test
