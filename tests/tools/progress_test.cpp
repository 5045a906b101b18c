// SPDX-License-Identifier: MIT
//
// What the command says of how far long work is.
#include "support/progress.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "support/random.hpp"
#include "tensors/compensated_blocks.hpp"
#include "tensors/model_reader.hpp"
#include "tensors/row_choice.hpp"

namespace heed::test {
namespace {

using namespace std::chrono_literals;
using tools::Progress;

/// What is written of one step, without what erases it.
std::string line_of(bool terminal, std::chrono::milliseconds wait) {
  std::ostringstream to;
  Progress progress("block", to, terminal, wait);
  progress.show(3, 40);
  return to.str();
}

TEST(Progress, IsOnALineOfATerminalThatIsErased) {
  EXPECT_EQ(line_of(true, 0ms), "\rblock 3 of 40");
  std::ostringstream to;
  {
    Progress progress("entry", to, true, 0ms);
    progress.show(1, 2);
    // The next line is a quarter of a second later at the earliest.
    progress.show(2, 2);
  }
  EXPECT_EQ(to.str(), "\rentry 1 of 2\r" + std::string(12, ' ') + '\r');
}

TEST(Progress, SaysNothingElsewhereOrOfShortWork) {
  EXPECT_EQ(line_of(false, 0ms), "");
  EXPECT_EQ(line_of(true, 1h), "");
}

/// Every number of passes that packing announces is the number that it makes.
TEST(Progress, CountsThePassesOfCalibration) {
  const std::string sums = HEED_SOURCE_DIR "/examples/sums/sums";
  const auto passes_of = [&](DataType weights, const std::map<std::string, DataType>& named, bool choose) {
    tools::ModelTensors tensors = tools::read_model_tensors(sums + ".json", sums + ".safetensors", false, {});
    tensors.config.outputs = tensors.config.input_dim;
    tools::set_types(tensors.config, {weights, DataType::int16, named});
    tools::ModelInputs inputs;
    inputs.count = 6;
    inputs.tokens = {48, 49, 50, 51, 52, 53};
    const bool compensated = tools::can_be_compensated(tensors.config);
    tools::begin_passes((compensated ? tools::compensation_passes : 0) +
                        (choose ? tools::row_choice_passes(tensors.config, named) : 0) + 1);
    if (compensated) (void)compensate_blocks(tensors, "--calibrate", inputs);
    if (choose) (void)choose_rows(tensors, "--calibrate", inputs, named);
    (void)pack(tensors, "sums");
    const std::string line = line_of(true, 0ms);
    tools::begin_passes(1);
    return line;
  };
  EXPECT_EQ(passes_of(DataType::int8, {}, true), "\rpass 13 of 13, block 3 of 40");
  EXPECT_EQ(passes_of(DataType::int8, {{"down", DataType::int8}}, true), "\rpass 11 of 11, block 3 of 40");
  EXPECT_EQ(passes_of(DataType::int4_multipliers, {}, false), "\rpass 4 of 4, block 3 of 40");
  EXPECT_EQ(passes_of(DataType::int4_multipliers, {}, true), "\rpass 16 of 16, block 3 of 40");
  EXPECT_EQ(line_of(true, 0ms), "\rblock 3 of 40");
}

}  // namespace
}  // namespace heed::test
