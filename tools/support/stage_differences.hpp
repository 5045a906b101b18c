// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/stage_values.hpp"

namespace heed::tools {

/// How far two runs are apart at a stage.
struct StageDifference {
  std::uint32_t block = 0;
  std::string stage;
  std::size_t values = 0;
  std::size_t changed = 0;  ///< values whose bits are not the same
  double largest = 0;       ///< difference; not a number where one side has none, or not the same infinity
  double scale = 0;         ///< the largest finite value of either side

  /// The largest difference as a part of the largest value.
  [[nodiscard]] double relative() const { return largest == 0 ? 0 : largest / scale; }
};

/// Of two sides with the same shape.
[[nodiscard]] StageDifference difference_of(const StageArray& left, const StageArray& right);

/// A picture: a row for each block, a column for each stage, and in it the largest relative difference of all passes,
/// coloured by its logarithm. `left` and `right` name the sides.
[[nodiscard]] std::string to_svg(const std::vector<StageDifference>& differences, const std::string& left,
                                 const std::string& right);

/// "3.1e-05"; "not finite" of a difference that is no number.
[[nodiscard]] std::string difference_text(double difference);

}  // namespace heed::tools
