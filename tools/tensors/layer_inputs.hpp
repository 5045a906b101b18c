// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heed/layer.hpp"
#include "tensors/layer_keys.hpp"
#include "tensors/layer_weights.hpp"
#include "tensors/token_rows.hpp"

namespace heed::tools {

/// Where a layer's queries, keys and values come from, on the command line.
struct LayerInputFiles {
  std::string input;
  std::string memory;
  std::string key;
  std::string value;
  std::string extra_key;
  std::string extra_value;
  bool zero_token = false;
};

void add_layer_input_options(CLI::App& command, LayerInputFiles& files);

/// A layer's rows, and the plan for them. Keys and values come from the same rows, and the layer projects them; or they
/// come from rows of their own, or have tokens after them that no rows stand for: then they are projected apart, and
/// the cache is filled with the results.
class LayerInputs {
 public:
  LayerInputs(const LayerInputFiles& files, const LayerWeights& weights, const std::string& weight_file,
              std::uint32_t workers);

  [[nodiscard]] const TokenRows& x() const { return x_; }
  [[nodiscard]] const MultiHeadPlan& plan() const { return plan_; }
  [[nodiscard]] const MultiHeadWeights& weights() const { return views_; }

  /// Of the rows that keys come from; the extra ones come after them.
  [[nodiscard]] std::uint32_t keys() const { return memory_ ? memory_->tokens : x_.tokens; }
  [[nodiscard]] std::uint32_t extra_keys() const { return extra_keys_; }

  /// Keys and values come from x, and nothing else: MultiHeadAttention::encode() does all.
  [[nodiscard]] bool encodes() const { return !memory_ && !projected_; }

  /// Appends the keys and values to the cache of a layer with this plan; the keys rotated if the options say so.
  void fill(MultiHeadAttention& layer, const MultiHeadOptions& options, const Executor& executor) const;

  /// The files and shapes, for messages.
  [[nodiscard]] std::string names() const;

 private:
  struct KeyValueRows {
    ProjectedRows key;
    ProjectedRows value;
  };

  void read(const LayerInputFiles& files, const LayerWeights& weights);
  void project(const LayerInputFiles& files, const LayerWeights& weights);

  std::string weight_file_;
  TokenRows x_;
  std::optional<TokenRows> memory_;  ///< of the keys, and of the values unless these have their own
  std::optional<TokenRows> value_;
  std::optional<KeyValueRows> projected_;
  std::uint32_t extra_keys_ = 0;
  std::vector<float> zeros_;  ///< weights of projections that nothing runs through
  MultiHeadPlan plan_;
  MultiHeadWeights views_;
};

}  // namespace heed::tools
