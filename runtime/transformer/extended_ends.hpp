// SPDX-License-Identifier: MIT
//
// What comes before and after the blocks of an extended model. Defined to the bit; every operation is rounded once.
#pragma once

#include <cstdint>
#include <span>

#include "heed/types.hpp"
#include "transformer/model_ends.hpp"

namespace heed::detail {

/// The ends that a model goes through where it has an extension.
struct ExtendedEnds {
  /// An encoder's embeddings of tokens: row = table[token] * embedding_scale, + token_types[type], + position, and the
  /// norm. `types` [tokens], or null, which means 0 for all.
  void (*embed_tokens)(const ModelEnds& ends, std::span<const std::uint32_t> tokens, const std::uint32_t* types,
                       float* rows) noexcept;

  /// An encoder's rows for `count` frames: the class token, the registers, what the frames become; then positions, and
  /// the norm. `spare` is the scratch of a block.
  void (*embed_frames)(const ModelEnds& ends, ConstMatrix frames, std::uint32_t count, float* spare,
                       float* rows) noexcept;

  /// The output [count, outputs] of rows [count, model_dim], which are normalized in place. A number y becomes
  /// c * tanh_lanes(y * (1 / c)) with output_softcap c; then, with unit_output, y / max(length, 1e-12), where length is
  /// the square root of the sum of y^2, to which a lane adds y as fma(y, y, lane): sums as in nn/normalization.hpp.
  void (*head)(const ModelEnds& ends, float* rows, std::uint32_t count, float* output) noexcept;

  /// The output of an encoder's rows, pooled. `spare` takes a row [model_dim].
  void (*pool)(const ModelEnds& ends, float* rows, std::uint32_t count, float* spare, float* output) noexcept;
};

/// In extended_ends.cpp, which only the extension refers to: a program that does not name that does not link it.
extern const ExtendedEnds extended_ends;

}  // namespace heed::detail
