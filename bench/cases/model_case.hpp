// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "cases/data.hpp"
#include "machine/measure.hpp"

namespace heed::bench {

/// A decoder of random int8 weights with the widths of SmolLM-135M (hidden 576, 9 heads on 3, MLP 1536), of fewer
/// blocks and tokens: 29 MB.
struct ModelWeightsFile {
  ModelWeightsFile();

  ModelConfig config;
  Bytes file;
};

/// One prefill() of so many tokens, or one decode() after so many.
struct ModelShape {
  std::uint32_t tokens = 256;
  bool decode = false;
  std::uint32_t workers = 1;
};

[[nodiscard]] Work work_of(const ModelShape& shape);

class ModelCase {
 public:
  ModelCase(const ModelWeightsFile& weights, const ModelShape& shape, const Executor& executor = {});
  ModelCase(const ModelCase&) = delete;
  ModelCase& operator=(const ModelCase&) = delete;

  void run();
  [[nodiscard]] const std::vector<float>& logits() const { return logits_; }

 private:
  ModelShape shape_;
  Executor executor_;
  std::vector<std::uint32_t> tokens_;
  std::vector<float> logits_;
  ModelPlan plan_;
  Bytes state_;
  Bytes scratch_;
  Model model_;
};

}  // namespace heed::bench
