// SPDX-License-Identifier: MIT
#include "c/model_file.h"

#include <cstdint>
#include <span>
#include <vector>

#include "heed/model.hpp"

namespace {

/// Numbers from -0.5 to 0.5: as many of each matrix as any of a small model has.
class Numbers {
 public:
  [[nodiscard]] const float* some() {
    std::vector<float>& numbers = kept_.emplace_back(2048);
    for (float& number : numbers) {
      state_ = state_ * 1664525U + 1013904223U;
      number = static_cast<float>(state_ >> 16) / 65536.0F - 0.5F;
    }
    return numbers.data();
  }
  [[nodiscard]] heed::NormWeights norm() { return {some(), some()}; }
  [[nodiscard]] heed::MultiHeadWeights attention() {
    return {some(), some(), some(), some(), some(), some(), some(), some()};
  }

 private:
  std::uint32_t state_ = 1;
  std::vector<std::vector<float>> kept_;
};

}  // namespace

size_t write_model_file(const heed_model_config* config, void* file, size_t file_bytes) {
  heed::ModelPlan plan;
  const heed::BlockMemory memory{.max_keys = 1, .max_cross_keys = 1};
  if (make_plan(*config, memory, plan) != heed::Status::ok || plan.file.bytes > file_bytes) return 0;
  Numbers numbers;
  const heed::ModelWeights ends{numbers.some(), numbers.some(), numbers.some(), numbers.some(),
                                numbers.norm(), numbers.norm(), numbers.some(), numbers.some()};
  std::vector<heed::BlockWeights> blocks;
  for (std::uint32_t i = 0; i < config->blocks; ++i) {
    blocks.push_back({numbers.norm(), numbers.attention(), numbers.norm(), numbers.attention(), numbers.norm(),
                      numbers.some(), numbers.some(), numbers.some(), numbers.some(), numbers.some(), numbers.some()});
  }
  const std::span packed(static_cast<std::byte*>(file), file_bytes);
  return pack_model(plan, ends, blocks, packed) == heed::Status::ok ? plan.file.bytes : 0;
}
