// SPDX-License-Identifier: MIT
//
// The trained weights of transformer blocks and models, and how they are packed: once, offline or on the device.
#pragma once

#include <cstddef>
#include <span>

#include "heed/model_plan.hpp"
#include "heed/status.hpp"

namespace heed {

/// [model_dim] each; RMSNorm has no bias, and for LayerNorm a null one means zeros.
struct NormWeights {
  const float* weight = nullptr;
  const float* bias = nullptr;
};

/// Trained weights as PyTorch and safetensors store them: row-major [out, in]. A bias may be null, which means zeros.
struct BlockWeights {
  NormWeights attention_norm{};
  MultiHeadWeights attention{};
  NormWeights cross_norm{};  ///< read with a cross_dim
  MultiHeadWeights cross{};
  NormWeights mlp_norm{};
  const float* gate = nullptr;  ///< [mlp_dim, model_dim], read if gated
  const float* gate_bias = nullptr;
  const float* up = nullptr;  ///< [mlp_dim, model_dim]
  const float* up_bias = nullptr;
  const float* down = nullptr;  ///< [model_dim, mlp_dim]
  const float* down_bias = nullptr;
};

/// What a model has besides its blocks.
struct ModelWeights {
  const float* input = nullptr;  ///< tokens: [input_dim, model_dim]; frames: [model_dim, input_dim]
  const float* input_bias = nullptr;
  const float* class_token = nullptr;  ///< [model_dim], read with a class token
  const float* positions = nullptr;    ///< [max_positions, model_dim], read with learned positions
  NormWeights embedding_norm{};        ///< read with it
  NormWeights final_norm{};            ///< read with it
  const float* head = nullptr;         ///< [outputs, model_dim], read unless tied
  const float* head_bias = nullptr;
};

/// Writes the weights of a transformer block into `packed` (at least plan.weights_bytes on a 64-byte boundary) as the
/// kernels read them; the bytes are the same on every little-endian machine. not_initialised: the plan is empty.
/// null_pointer: a weight that the plan has, or `packed`. arena_too_small, arena_misaligned: `packed`. Nothing is
/// written then.
[[nodiscard]] Status pack_block(const BlockPlan& plan, const BlockWeights& weights,
                                std::span<std::byte> packed) noexcept;

/// Writes a whole model file into `file` (at least plan.file.bytes on a 64-byte boundary), and its header last. As
/// pack_block(), and bad_length: `blocks` are not as many as the plan's.
[[nodiscard]] Status pack_model(const ModelPlan& plan, const ModelWeights& weights,
                                std::span<const BlockWeights> blocks, std::span<std::byte> file) noexcept;

}  // namespace heed
