// SPDX-License-Identifier: MIT
//
// What a transformer block is, and what a device gives it.
#pragma once

#include <bit>
#include <cstdint>

#include "heed/activation.hpp"
#include "heed/detail/layout.hpp"
#include "heed/explanation.hpp"
#include "heed/format.hpp"
#include "heed/status.hpp"

namespace heed {

enum class Norm : std::uint8_t { layer_norm, rms_norm };

/// Where a block's norms stand, with f its attention or its MLP.
enum class NormPlacement : std::uint8_t {
  before,  ///< x + f(norm(x)): pre-norm (GPT-2, Llama, ViT)
  after,   ///< norm(x + f(x)): post-norm (arXiv:1706.03762, BERT)
};

/// A transformer block: self-attention, cross-attention if cross_dim is not 0, and an MLP, each with a norm and a
/// residual connection. BERT, ViT, GPT-2 and Llama are stacks of such blocks.
struct BlockConfig {
  std::uint32_t model_dim = 0;  ///< width of the rows, 1..65536
  std::uint32_t heads = 1;
  std::uint32_t kv_heads = 0;                ///< heads is a multiple of it; 0 means heads
  std::uint32_t head_dim = 0;                ///< 0 means model_dim / heads, without a remainder
  std::uint32_t mlp_dim = 0;                 ///< width of the MLP's hidden rows, 1..65536; 0 means 4 * model_dim
  std::uint32_t cross_dim = 0;               ///< width of the rows that cross-attention looks at; 0: no cross-attention
  float norm_epsilon = 1e-5F;                ///< positive and finite; 0 means 1e-5
  DataType weight_type = DataType::float32;  ///< of the projections and the MLP
  Norm norm = Norm::layer_norm;
  NormPlacement norm_placement = NormPlacement::before;
  Activation activation = Activation::gelu_erf;
  bool gated = false;  ///< MLP: down(activation(gate(x)) * up(x)), arXiv:2002.05202; else down(activation(up(x)))

  friend constexpr bool operator==(const BlockConfig&, const BlockConfig&) noexcept = default;
};

/// What a device gives a block, or each block of a model.
struct BlockMemory {
  std::uint32_t rows = 0;            ///< most rows that go through a block at once, 1..2^30: all of an encoder's; 0: 1
  std::uint32_t max_keys = 0;        ///< tokens that a cache holds, 1..2^30
  std::uint32_t max_cross_keys = 0;  ///< rows that cross-attention looks at, 1..2^30; read with a cross_dim
  std::uint32_t sink_tokens = 0;     ///< as in KvCacheConfig
  std::uint32_t workers = 1;         ///< most tasks handed to the executor at once, 1..64; 0 means 1
  std::uint32_t scratch_budget = 0;  ///< as in MultiHeadConfig, and once for the MLP's hidden rows; never changes a bit
  DataType key_type = DataType::float32;  ///< as in KvCacheConfig
  DataType value_type = DataType::float32;
  DataType cross_type = DataType::float32;  ///< keys and values of cross-attention
  std::uint32_t ring = 0;                   ///< as in KvCacheConfig

  friend constexpr bool operator==(const BlockMemory&, const BlockMemory&) noexcept = default;
};

namespace detail {

[[nodiscard]] constexpr bool is_positive_finite(float x) noexcept {
  return x > 0.0F && (std::bit_cast<std::uint32_t>(x) >> 23) < 255;
}

/// Replaces what is 0 by what it means.
template <class Say>
[[nodiscard]] constexpr Status complete(BlockConfig& config, BlockMemory& memory, Say say) noexcept {
  if (config.norm_epsilon == 0.0F) config.norm_epsilon = 1e-5F;
  if (memory.rows == 0) memory.rows = 1;
  if (memory.workers == 0) memory.workers = 1;
  if (config.model_dim > max_dimension) return say(Status::too_large, "model_dim", config.model_dim, 1, max_dimension);
  if (memory.rows > max_rows) return say(Status::too_large, "rows", memory.rows, 1, max_rows);
  if (config.mlp_dim == 0) config.mlp_dim = 4 * config.model_dim;
  if (config.mlp_dim > max_dimension) return say(Status::too_large, "mlp_dim", config.mlp_dim, 1, max_dimension);
  const auto unknown = [&](const char* member, auto value, auto most) {
    return say(Status::bad_option, member, value, 0, most);
  };
  if (config.norm > Norm::rms_norm) return unknown("norm", config.norm, Norm::rms_norm);
  if (config.norm_placement > NormPlacement::after) return unknown("norm_placement", config.norm_placement, 1);
  if (config.activation > Activation::silu) return unknown("activation", config.activation, Activation::silu);
  if (!is_weight_type(config.weight_type)) return unknown("weight_type", config.weight_type, 5);
  return is_positive_finite(config.norm_epsilon)
             ? Status::ok
             : say(Status::bad_option, "norm_epsilon", config.norm_epsilon, 0, 0x1.fffffep127F, "must be positive");
}

}  // namespace detail

}  // namespace heed
