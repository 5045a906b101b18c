// SPDX-License-Identifier: MIT
//
// Models of random shapes with random weights.
#pragma once

#include <cmath>
#include <deque>
#include <vector>

#include "support/random.hpp"
#include "transformer/built_model.hpp"

namespace heed::test {

/// Which biases weights have: `some` is all but those of keys, gates and the last matrix of an MLP.
enum class Biases { none, some, all };

/// Weights of a configuration whose members are all written out; the pointers stay valid as long as the object.
class RandomWeights {
 public:
  ModelWeights ends;
  std::vector<BlockWeights> blocks;

  RandomWeights(std::uint64_t seed, const ModelConfig& c, Biases biases = Biases::some)
      : random_(seed), biases_(biases) {
    const std::uint32_t dim = c.block.model_dim;
    const bool tokens = c.input == ModelInput::tokens;
    ends.input = tokens ? numbers(std::size_t{c.input_dim} * dim, 1.0F) : matrix(dim, c.input_dim);
    if (!tokens) ends.input_bias = bias(dim);
    if (c.class_token) ends.class_token = numbers(dim, 1.0F);
    if (c.positions == Positions::learned) ends.positions = numbers(std::size_t{c.max_positions} * dim, 0.5F);
    if (c.embedding_norm) ends.embedding_norm = norm(c.block);
    if (!c.without_final_norm) ends.final_norm = norm(c.block);
    if (c.relative_buckets != 0) ends.relative_bias = numbers(std::size_t{c.block.heads} * c.relative_buckets, 1.0F);
    if (c.outputs != 0 && !c.tied_head) {
      ends.head = matrix(c.outputs, dim);
      ends.head_bias = bias(c.outputs);
    }
    for (std::uint32_t i = 0; i < c.blocks; ++i) blocks.push_back(block(c.block));
  }

 private:
  const float* numbers(std::size_t count, float spread) {
    return kept_.emplace_back(random_.normals(count, spread)).data();
  }
  const float* matrix(std::size_t outputs, std::size_t inputs) {
    return numbers(outputs * inputs, 1.0F / std::sqrt(static_cast<float>(inputs)));
  }
  const float* bias(std::size_t count, Biases from = Biases::some) {
    return biases_ < from ? nullptr : numbers(count, 0.1F);
  }
  NormWeights norm(const BlockConfig& c) { return norm(c, c.model_dim); }
  NormWeights norm(const BlockConfig& c, std::uint32_t dim) {
    return {numbers(dim, 1.0F), c.norm == Norm::layer_norm ? bias(dim) : nullptr};
  }
  /// Queries, keys and values lie one after the other, as in the files of which one matrix is split.
  MultiHeadWeights attention(const BlockConfig& c, std::uint32_t kv_input_dim) {
    const std::size_t queries = std::size_t{c.heads} * c.head_dim;
    const std::size_t keys = std::size_t{c.kv_heads} * c.head_dim;
    MultiHeadWeights weights;
    weights.query =
        numbers(queries * c.model_dim + 2 * keys * kv_input_dim, 1.0F / std::sqrt(static_cast<float>(c.model_dim)));
    weights.key = weights.query + queries * c.model_dim;
    weights.value = weights.key + keys * kv_input_dim;
    weights.query_bias = bias(queries + 2 * keys);
    if (weights.query_bias != nullptr) {
      if (biases_ == Biases::all) weights.key_bias = weights.query_bias + queries;
      weights.value_bias = weights.query_bias + queries + keys;
    }
    weights.output = matrix(c.model_dim, queries);
    weights.output_bias = bias(c.model_dim);
    return weights;
  }
  BlockWeights block(const BlockConfig& c) {
    BlockWeights weights;
    weights.attention_norm = norm(c);
    weights.attention = attention(c, c.model_dim);
    if (c.cross_dim != 0) {
      weights.cross_norm = norm(c);
      weights.cross = attention(c, c.cross_dim);
    }
    weights.mlp_norm = norm(c);
    if (c.gated) {
      weights.gate = matrix(c.mlp_dim, c.model_dim);
      weights.gate_bias = bias(c.mlp_dim, Biases::all);
    }
    weights.up = matrix(c.mlp_dim, c.model_dim);
    weights.up_bias = bias(c.mlp_dim);
    weights.down = matrix(c.model_dim, c.mlp_dim);
    weights.down_bias = bias(c.model_dim, Biases::all);
    if (c.qk_norm != QkNorm::none) {
      weights.query_norm = norm(c, c.head_dim);
      weights.key_norm = norm(c, c.head_dim);
    }
    if (c.norm_placement == NormPlacement::both) {
      weights.attention_output_norm = norm(c);
      weights.mlp_output_norm = norm(c);
    }
    return weights;
  }

  Random random_;
  Biases biases_;
  std::deque<std::vector<float>> kept_;
};

/// A configuration with every default written out.
[[nodiscard]] inline ModelConfig completed(const ModelConfig& config) {
  ModelPlan plan;
  EXPECT_EQ(make_plan(config, {.rows = 1, .max_keys = 1, .max_cross_keys = 1}, plan), Status::ok);
  return plan.config;
}

/// Memory of which the types of the caches alone are set.
[[nodiscard]] inline BlockMemory any_cache_types(Random& random) {
  constexpr DataType types[] = {DataType::float32, DataType::float16, DataType::bfloat16, DataType::int8,
                                DataType::int4};
  BlockMemory memory;
  for (DataType* const type : {&memory.key_type, &memory.value_type, &memory.cross_type}) {
    *type = types[random.between(0, 4)];
  }
  return memory;
}

/// Some model: every member that can vary does.
[[nodiscard]] inline ModelConfig random_config(Random& random, bool causal) {
  const auto coin = [&] { return random.between(0, 1) == 1; };
  ModelConfig c;
  BlockConfig& b = c.block;
  b.heads = random.between(1, 2) * 2;
  b.kv_heads = coin() ? b.heads : 1;
  b.head_dim = 2 * random.between(1, 12);
  b.model_dim = random.between(3, 40);
  b.mlp_dim = random.between(1, 70);
  b.cross_dim = coin() ? random.between(1, 30) : 0;
  b.norm = coin() ? Norm::layer_norm : Norm::rms_norm;
  b.norm_placement = coin() ? NormPlacement::before : NormPlacement::after;
  b.activation = static_cast<Activation>(random.between(0, 3));
  b.gated = coin();
  c.blocks = random.between(1, 3);
  c.input = !causal && coin() ? ModelInput::frames : ModelInput::tokens;
  c.input_dim = random.between(2, 50);
  c.max_positions = random.between(25, 40);
  c.outputs = coin() ? random.between(1, 20) : 0;
  c.embedding_scale = 0.5F * static_cast<float>(random.between(2, 5));  // 1 and 2 among them
  c.positions = static_cast<Positions>(random.between(0, 3));
  c.rotary_layout = coin() ? RotaryLayout::halves : RotaryLayout::interleaved;
  c.encoder = !causal;
  c.class_token = c.input == ModelInput::frames && coin();
  c.pooling = causal ? (coin() ? Pooling::last : Pooling::every) : static_cast<Pooling>(random.between(0, 3));
  c.embedding_norm = coin();
  c.without_final_norm = !coin();
  c.tied_head = c.input == ModelInput::tokens && coin();
  if (c.tied_head) c.outputs = c.input_dim;
  for (DataType* const type : {&b.weight_type, &c.input_type, &c.head_type}) {
    *type = coin() ? DataType::float32 : static_cast<DataType>(random.between(1, 5));
  }
  return completed(c);
}

/// The members that change how a model's blocks attend to rotated rows.
inline void choose_rotary_members(Random& random, ModelConfig& c) {
  const auto coin = [&] { return random.between(0, 1) == 1; };
  if (coin()) c.rotary_skip_every = random.between(1, 3);
  if (c.window != 0 && coin()) c.local_rotary_base = 100.0F;
  c.rotary_scaling = static_cast<RotaryScaling>(random.between(0, 4));
  if (c.rotary_scaling == RotaryScaling::none) return;
  c.rotary_factor = coin() ? 0.0F : 2.5F;
  const bool original = c.rotary_scaling == RotaryScaling::yarn || c.rotary_scaling == RotaryScaling::llama3;
  if (original) c.rotary_original_positions = random.between(8, 60);
  if (original && coin()) c.rotary_attention_factor = 1.25F;
}

/// Some model with blocks that ask for an extension.
[[nodiscard]] inline ModelConfig random_extended_blocks(Random& random, bool causal) {
  const auto coin = [&] { return random.between(0, 1) == 1; };
  ModelConfig c = random_config(random, causal);
  BlockConfig& b = c.block;
  if (coin()) b.cross_dim = 0;
  if (coin()) b.qk_norm = QkNorm::heads;
  b.norm_placement = static_cast<NormPlacement>(random.between(0, b.cross_dim != 0 ? 1 : 3));
  if (b.cross_dim == 0 && coin()) b.score_softcap = 0.5F * static_cast<float>(random.between(1, 6));
  if (causal && coin()) {
    c.window = random.between(1, 9);
    c.full_every = coin() ? 0 : random.between(2, 3);
  }
  if (random.between(0, 2) == 0) {
    c.relative_buckets = random.between(2, 8) * 4;
    c.relative_distance = c.relative_buckets / (causal ? 2 : 4) + random.between(1, 20);
  }
  if (c.positions == Positions::rotary) choose_rotary_members(random, c);
  if (!detail::is_extended(c)) b.qk_norm = QkNorm::heads;
  return completed(c);
}

}  // namespace heed::test
