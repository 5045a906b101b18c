// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "files.hpp"
#include "float_array.hpp"
#include "heed/attention.hpp"
#include "thread_pool.hpp"

namespace heed::tools {

/// What `attend` and `mha` have in common on the command line.
struct RunOptions {
  std::string causal = "none";
  std::string lengths;
  std::string scores;
  std::string stage;
  std::string log_sum_exp;
  float scale = 0.0F;
  std::uint32_t workers = 1;
};

void add_run_options(CLI::App& command, RunOptions& options);

struct CausalMask {
  Causal kind = Causal::none;
  std::int32_t offset = 0;
};

/// "none", "top-left", "bottom-right" or a whole number.
[[nodiscard]] CausalMask parse_causal(const std::string& text);

/// One run's optional inputs and outputs, held in memory until the run has succeeded.
class RunSettings {
 public:
  RunSettings(const RunOptions& options, std::uint32_t batch, std::uint32_t heads, std::uint32_t queries,
              std::uint32_t keys);

  /// Sets the fields that AttentionInputs and MultiHeadInputs share.
  template <class Inputs>
  void apply(Inputs& inputs) const {
    inputs.key_lengths = lengths_.empty() ? nullptr : lengths_.data();
    inputs.causal = causal_.kind;
    inputs.causal_offset = causal_.offset;
    inputs.scale = options_.scale;
  }

  /// Sets the fields that AttentionOutputs and MultiHeadOutputs share.
  template <class Outputs>
  void request(Outputs& outputs) {
    outputs.scores = score_view();
    outputs.score_stage = stage_;
    outputs.log_sum_exp = log_sum_exp_.values.empty() ? nullptr : log_sum_exp_.values.data();
  }

  [[nodiscard]] Executor executor();

  /// Hands over the optional outputs that were asked for.
  void collect(OutputFiles& files) const;

 private:
  [[nodiscard]] MutableTensor score_view();

  RunOptions options_;
  CausalMask causal_;
  ScoreStage stage_;
  std::vector<std::uint32_t> lengths_;
  FloatArray scores_;       ///< [batch, heads, queries, keys], or empty
  FloatArray log_sum_exp_;  ///< [batch, heads, queries], or empty
  std::optional<ThreadPool> pool_;
};

}  // namespace heed::tools
