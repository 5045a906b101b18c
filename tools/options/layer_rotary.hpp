// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "heed/layer.hpp"
#include "heed/positions.hpp"
#include "options/rotary_options.hpp"
#include "tensors/layer_inputs.hpp"

namespace heed::tools {

/// Rotary positions of one run of a layer. Tokens that are queries and keys at once have one position each, by default
/// their number; where keys come from elsewhere, queries are at offsets[b] + i and keys at 0, 1, ..., as in `attend`.
class LayerRotary {
 public:
  LayerRotary(const RotaryOptions& options, const LayerInputs& layer, const std::vector<std::int32_t>& offsets);

  /// Sets what the call that attends reads. *this must outlive the call, as below.
  void apply(MultiHeadOptions& options) const;

  /// What filling the cache reads.
  [[nodiscard]] MultiHeadOptions key_options() const;

 private:
  std::optional<Rotary> rotary_;
  std::vector<std::uint32_t> positions_;      ///< of the queries [batch, tokens]; empty: each token's number
  std::vector<std::uint32_t> key_positions_;  ///< [batch, keys], if the keys come from elsewhere
};

}  // namespace heed::tools
