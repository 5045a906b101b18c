// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "heed/options.hpp"
#include "tensors/masks.hpp"

namespace heed::tools {

/// What changes scores on the command line, but for masks from files: those of `attend` and `mha` differ.
struct ScoreOptions {
  std::uint32_t left_window = 0;
  std::uint32_t right_window = 0;
  std::string window;  ///< what it was before
  float softcap = 0.0F;
  std::string pre_bias;
  const CLI::Option* alibi = nullptr;
  std::string alibi_slopes;
  std::string sinks;
  bool smooth_softmax = false;
};

void add_score_options(CLI::App& command, ScoreOptions& options);

/// The same for one run, with the content of the files.
class ScoreTerms {
 public:
  ScoreTerms(const ScoreOptions& options, const ScoreSizes& sizes);

  void apply(AttentionOptions& options) const;

  [[nodiscard]] bool has_slopes() const { return !slopes_.empty(); }

  /// Whether the window lets a query at a position see a key.
  [[nodiscard]] bool in_window(std::int64_t position, std::uint32_t key) const;

 private:
  ScoreOptions options_;
  ScoreArray pre_bias_;
  std::vector<float> slopes_;  ///< [heads], or empty
  std::vector<float> sinks_;   ///< [heads], or empty
};

}  // namespace heed::tools
