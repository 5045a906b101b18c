// SPDX-License-Identifier: MIT
//
// The attention weights of a model, which runs without writing them down.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "heed/model.hpp"
#include "support/aligned_bytes.hpp"
#include "tensors/loaded_model.hpp"

namespace heed::tools {

/// Of the rows of one pass: 0 where a query does not see the key.
struct AttentionWeights {
  std::uint32_t queries = 0;
  std::uint32_t keys = 0;
  std::vector<float> values;  ///< [heads, queries, keys]
};

/// One pass through an attention.
struct ReplayedAttention {
  std::vector<float> read{};      ///< [queries, model_dim] that query, key and value are projected from
  std::vector<float> attended{};  ///< [queries, heads, head_dim] that the output projection reads
  AttentionWeights weights{};
};

/// Computes a block's attention once more, from what is in the model's memories while an observer is shown its stage:
/// the rows that it read, and its cache. The functions are the library's, and so are the bits, which is checked.
class AttentionReplay {
 public:
  /// A Failure if the caches are such that attention over them is in integers: those weights are not returned.
  AttentionReplay(const LoadedModel& file, BoundModel& bound);

  /// Of the rows whose Stage::attention or Stage::cross_attention has the values `shown` [rows, model_dim]. A Failure
  /// if they do not come out again, to the last bit.
  [[nodiscard]] ReplayedAttention replay(std::uint32_t block, Stage stage, const float* shown, std::uint32_t rows);

 private:
  struct Place;

  [[nodiscard]] std::vector<float> rows_read(const Place& place, std::uint32_t rows) const;
  [[nodiscard]] std::vector<float> queries(const Place& place, const std::vector<float>& read, std::uint32_t rows,
                                           std::uint32_t first) const;
  void rotate(std::uint32_t block, std::uint32_t rows, std::uint32_t first, std::vector<float>& queries) const;
  [[nodiscard]] bool has_window(std::uint32_t block) const;
  [[nodiscard]] AttentionOptions options(const Place& place) const;

  const ModelPlan& plan_;
  std::span<const std::byte> file_;
  BoundModel& bound_;
};

}  // namespace heed::tools
