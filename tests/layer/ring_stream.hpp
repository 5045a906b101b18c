// SPDX-License-Identifier: MIT
//
// Layers in a ring, and what such a layer computes by the definition of the ring.
#pragma once

#include <vector>

#include "layer/layer_options_case.hpp"

namespace heed::test {

/// The ring by its definition: projected keys and values in the order of slots, and attend() over plain tensors.
class NaiveStream {
 public:
  NaiveStream(const MultiHeadPlan& plan, const LayerWeights& weights, const Rotary* rotary)
      : config_(plan.config),
        attention_(plan.attention),
        weights_(weights),
        rotary_(rotary),
        arena_(attention_.bytes) {}

  /// One token [model_dim]: its output.
  std::vector<float> token(const std::vector<float>& x) {
    const MultiHeadConfig& c = config_;
    const std::uint32_t kept = c.sink_tokens;
    const std::uint32_t slot = number_ < kept ? number_ : kept + (number_ - kept) % (c.max_keys - kept);
    put(keys_, slot, rotated(project_in_chains(x, c.model_dim, weights_.key, weights_.key_bias), c.kv_heads));
    put(values_, slot, project_in_chains(x, c.model_dim, weights_.value, weights_.value_bias));
    const std::vector<float> query =
        rotated(project_in_chains(x, c.model_dim, weights_.query, weights_.query_bias), c.heads);
    const auto slots = static_cast<std::uint32_t>(keys_.size());
    std::vector<float> key, value;
    for (const std::vector<float>& row : keys_) key.insert(key.end(), row.begin(), row.end());
    for (const std::vector<float>& row : values_) value.insert(value.end(), row.begin(), row.end());
    std::vector<float> contexts(std::size_t{c.heads} * c.value_dim);
    AttentionInputs in;
    in.query_count = 1;
    in.key_count = slots;
    in.query = bshd(query.data(), c.heads, 1, c.head_dim);
    in.key = bshd<const float>(key.data(), c.kv_heads, slots, c.head_dim);
    in.value = bshd<const float>(value.data(), c.kv_heads, slots, c.value_dim);
    EXPECT_EQ(attend(attention_, arena_.span(), in, {.output = bshd(contexts.data(), c.heads, 1, c.value_dim)}),
              Status::ok);
    ++number_;
    return project_in_chains(contexts, contexts.size(), weights_.output, weights_.output_bias);
  }

 private:
  static void put(std::vector<std::vector<float>>& rows, std::uint32_t slot, const std::vector<float>& row) {
    if (slot == rows.size()) rows.emplace_back();
    rows.at(slot) = row;
  }

  [[nodiscard]] std::vector<float> rotated(std::vector<float> row, std::uint32_t heads) const {
    if (rotary_ == nullptr) return row;
    const MutableTensor view = bshd(row.data(), heads, 1, config_.head_dim);
    EXPECT_EQ(apply_rotary(*rotary_, {.heads = heads, .first_positions = &number_}, view, view), Status::ok);
    return row;
  }

  MultiHeadConfig config_;
  AttentionPlan attention_;
  const LayerWeights& weights_;
  const Rotary* rotary_;
  AlignedMemory arena_;
  std::vector<std::vector<float>> keys_, values_;
  std::uint32_t number_ = 0;
};

inline MultiHeadConfig ring_config(std::uint32_t slots, std::uint32_t sinks) {
  MultiHeadConfig config{.model_dim = 6, .heads = 4, .kv_heads = 2, .head_dim = 4};
  config.max_keys = slots;
  config.ring = true;
  config.sink_tokens = sinks;
  return config;
}

inline LayerWeights ring_weights(Random& random) {
  return {random, completed({.model_dim = 6, .heads = 4, .kv_heads = 2, .head_dim = 4, .max_keys = 1}), true};
}

}  // namespace heed::test
