// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tensors/dense_matrix.hpp"

namespace heed::tools {

inline constexpr std::size_t page_width = 108;

/// A result of the library and what it should be.
struct Comparison {
  std::string name;
  std::vector<std::string> row_labels;
  DenseMatrix result;
  std::optional<DenseMatrix> printed;  ///< the digits that a text prints
  std::optional<DenseMatrix> exact;    ///< in float64
};

/// The largest differences of one or more comparisons.
class Differences {
 public:
  void add(const Comparison& comparison);

  /// "largest difference 3.8e-08 from float64, 4.6e-04 from the text's digits"
  [[nodiscard]] std::string text() const;

 private:
  std::optional<double> from_exact_;
  std::optional<double> from_printed_;
};

/// The result, beside it the printed digits or else the exact values, and the largest difference from each.
[[nodiscard]] std::string to_text(const Comparison& comparison);

/// Breaks text at blanks so that no line exceeds the width; every line starts with the indent.
[[nodiscard]] std::string wrapped(const std::string& text, std::size_t indent, std::size_t width = page_width);

/// A number with so many decimals.
[[nodiscard]] std::string fixed(double value, int decimals);

[[nodiscard]] std::string without_trailing_blanks(const std::string& line);

}  // namespace heed::tools
