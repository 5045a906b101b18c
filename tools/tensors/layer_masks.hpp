// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "tensors/masks.hpp"

namespace heed::tools {

/// The masks of PyTorch's nn.MultiheadAttention. Their truth means "not attended", unlike everywhere else.
struct LayerMaskOptions {
  std::string attention;
  std::string key_padding;
};

void add_layer_mask_options(CLI::App& command, LayerMaskOptions& options);

/// The masks of one run, as the library takes them.
struct LayerMasks {
  ScoreArray open;   ///< true = attend
  ScoreArray added;  ///< the sum of what the files add
};

/// Reads the masks' files. `extra` keys come after those of `sizes` and are visible to all. Where there is a
/// rule, it is false for further keys that are masked: rule(batch, query, key).
[[nodiscard]] LayerMasks read_layer_masks(const LayerMaskOptions& options, const ScoreSizes& sizes, std::uint32_t extra,
                                          const std::function<bool(std::size_t, std::uint32_t, std::uint32_t)>& rule);

}  // namespace heed::tools
