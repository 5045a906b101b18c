// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "cases/data.hpp"
#include "heed/heed.hpp"
#include "machine/measure.hpp"

namespace heed::bench {

struct LayerShape {
  std::uint32_t tokens = 128;
  std::uint32_t model_dim = 512;
  std::uint32_t heads = 8;
};

/// The four projections and the attention between them.
[[nodiscard]] Work work_of(const LayerShape& shape);

/// Trained weights of a layer, [model_dim, model_dim] and [model_dim] each, of the size that keeps variances at 1.
struct LayerWeights {
  explicit LayerWeights(std::uint32_t model_dim);

  Floats query, key, value, output;
  Floats query_bias, key_bias, value_bias, output_bias;
};

/// One encode() call of a multi-head layer with everything it needs.
class LayerCase {
 public:
  explicit LayerCase(const LayerShape& shape);
  LayerCase(const LayerCase&) = delete;
  LayerCase& operator=(const LayerCase&) = delete;

  void run() const;

  /// Ends the program unless a sample of the rows that run() wrote is within 1e-5 of the greatest |y| from the double
  /// twin.
  void check(const std::string& what) const;

  [[nodiscard]] const LayerWeights& weights() const { return weights_; }
  [[nodiscard]] const float* x() const { return tensors_.query; }
  [[nodiscard]] const float* y() const { return tensors_.output; }

 private:
  LayerShape shape_;
  LayerWeights weights_;
  Tensors tensors_;
  MultiHeadPlan plan_;
  Bytes arena_;
  Bytes packed_;
  mutable MultiHeadAttention layer_;
};

}  // namespace heed::bench
