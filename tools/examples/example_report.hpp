// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "drawing/heat_map.hpp"
#include "drawing/matrix_text.hpp"
#include "examples/example_run.hpp"

namespace heed::tools {

/// The title of the text with this name in worked_examples().
[[nodiscard]] std::string title_of(const std::string& text);

/// What the texts get wrong in an example, or with the name "" elsewhere: lines of text.
[[nodiscard]] std::string inconsistencies(const std::string& example);

/// One worked example: computed when it is made, then told.
class ExampleReport {
 public:
  explicit ExampleReport(const nlohmann::json& example);

  /// Tokens, attention weights as heat maps, the output, and the largest difference of all results.
  [[nodiscard]] std::string summary(TerminalColours colours) const;

  /// Every result beside the digits that the text prints, or else the float64 values.
  [[nodiscard]] std::string in_full(TerminalColours colours) const;

  [[nodiscard]] HeatMapGroup heat_maps() const;

 private:
  struct Result {
    std::string name;  ///< in the data file
    Comparison comparison;
  };

  using Labels = std::vector<std::string>;

  [[nodiscard]] std::vector<Result> results() const;
  [[nodiscard]] std::vector<Result> results_of_head(std::size_t head) const;
  [[nodiscard]] Result result(const std::string& title, const DenseMatrix& matrix, const std::string& name) const;
  [[nodiscard]] std::string heading() const;
  [[nodiscard]] std::string weights(TerminalColours colours) const;
  [[nodiscard]] std::string unlike(const Result& result) const;

  const nlohmann::json& example_;
  Labels tokens_;
  Labels key_tokens_;
  ExampleRun run_;
};

}  // namespace heed::tools
