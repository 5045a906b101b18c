// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tensors/dense_matrix.hpp"

namespace heed::tools {

/// One head's attention weights.
struct HeatMap {
  std::string title;
  DenseMatrix weights;  ///< [rows, columns]
};

/// The heads of one example. They share their tokens and their scale, which runs from the smallest weight to the
/// largest: weights are often so close together that a scale from 0 to 1 would show nothing.
struct HeatMapGroup {
  std::string title;
  std::string source;
  std::vector<std::string> rows;     ///< a label per query
  std::vector<std::string> columns;  ///< a label per key
  std::vector<HeatMap> maps;

  [[nodiscard]] double smallest() const;
  [[nodiscard]] double largest() const;

  /// Where a weight lies on the scale, 0..1.
  [[nodiscard]] double position(double weight) const;
};

enum class TerminalColours {
  none,  ///< block characters
  palette,
  full,
};

/// What the standard output can show: colours on a terminal, unless NO_COLOR is set.
[[nodiscard]] TerminalColours terminal_colours();

/// Lines of text; maps stand side by side as far as the page allows.
[[nodiscard]] std::string to_text(const HeatMapGroup& group, TerminalColours colours);

}  // namespace heed::tools
