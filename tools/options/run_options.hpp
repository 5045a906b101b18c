// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/files.hpp"
#include "heed/options.hpp"
#include "options/causal_option.hpp"
#include "support/thread_pool.hpp"
#include "tensors/float_array.hpp"
#include "tensors/masks.hpp"

namespace heed::tools {

/// What `attend` and `mha` have in common on the command line, but for the terms of the scores.
struct RunOptions {
  std::string causal = "none";
  std::string query_position;
  std::string lengths;
  std::string query_lengths;
  std::string prefix_lengths;
  std::string scores;
  std::string stage;
  std::string log_sum_exp;
  float scale = 0.0F;
  std::uint32_t workers = 1;
};

void add_run_options(CLI::App& command, RunOptions& options);

/// A Failure where --query-position is given, and nothing looks at positions.
void require_position_used(const CLI::App& command);

/// One run's optional inputs and outputs, held in memory until the run has succeeded.
class RunSettings {
 public:
  /// `past` keys come before those that the call brings; `extra` keys, after those of `sizes`, only widen the scores.
  RunSettings(const RunOptions& options, const ScoreSizes& sizes, std::optional<std::uint32_t> past,
              std::uint32_t extra = 0);

  /// Sets the fields that AttentionInputs and MultiHeadInputs share.
  template <class Inputs>
  void apply(Inputs& inputs) const {
    inputs.key_lengths = lengths_.empty() ? nullptr : lengths_.data();
    inputs.causal = causal_.hides ? Causal::offset : Causal::none;
    inputs.scale = options_.scale;
  }

  void apply(AttentionOptions& options) const;

  /// Sets the fields that AttentionOutputs and MultiHeadOutputs share.
  template <class Outputs>
  void request(Outputs& outputs) {
    outputs.scores = score_view();
    outputs.score_stage = stage_;
    outputs.log_sum_exp = log_sum_exp_.values.empty() ? nullptr : log_sum_exp_.values.data();
  }

  [[nodiscard]] Executor executor();

  /// Position of query 0 of each batch entry.
  [[nodiscard]] const std::vector<std::int32_t>& offsets() const { return offsets_; }

  /// Whether --causal, --key-lengths and the other two lengths let a query see a key.
  [[nodiscard]] bool visible(std::size_t batch, std::uint32_t query, std::uint32_t key) const;

  /// Leaves the mean of the scores over the heads [batch, queries, keys].
  void average_heads();

  /// Hands over the optional outputs that were asked for.
  void collect(OutputFiles& files) const;

 private:
  [[nodiscard]] MutableTensor score_view();

  RunOptions options_;
  ScoreStage stage_;
  CausalMask causal_;
  std::vector<std::uint32_t> lengths_;
  std::vector<std::uint32_t> query_lengths_;
  std::vector<std::uint32_t> prefix_lengths_;
  std::vector<std::int32_t> offsets_;
  FloatArray scores_;
  FloatArray log_sum_exp_;  ///< [batch, heads, queries], or empty
  std::optional<ThreadPool> pool_;
};

}  // namespace heed::tools
