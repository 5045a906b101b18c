// SPDX-License-Identifier: MIT
//
// A layer's calls in the blocks of extended models: norms of the heads, rotary positions and options.
#pragma once

#include <cstdint>

#include "heed/options.hpp"
#include "layer/multi_head_call.hpp"
#include "layer/multi_head_rotary.hpp"
#include "nn/normalization.hpp"
#include "options/option_slice.hpp"

namespace heed::detail {

/// What an extended model adds to a call.
struct LayerExtras {
  static constexpr bool is_plain = false;
  const NormRows* query_norm = nullptr;  ///< of every head [head_dim], before it is rotated; null: none
  const NormRows* key_norm = nullptr;
  LayerRotary rotary{};
  /// A window, a softcap and a relative bias, which a plan has checked; the other options are off. Null: none of them.
  const AttentionOptions* attention = nullptr;

  [[nodiscard]] const LayerExtras& of_call() const noexcept { return *this; }
};

struct ExtendedHooks : PlainHooks {
  const LayerExtras& extras;
  std::uint32_t head_dim;

  ExtendedHooks(const LayerExtras& added, std::uint32_t dim) noexcept : extras(added), head_dim(dim) {}

  void finish_queries(const LayerRows& rows, std::uint32_t heads, float* data) const noexcept {
    finish(extras.query_norm, rows, heads, data);
  }
  void finish_keys(const LayerRows& rows, std::uint32_t heads, float* data) const noexcept {
    finish(extras.key_norm, rows, heads, data);
  }

  void attend(const LayerAttention& call, AttentionInputs& inputs, AttentionOutputs& outputs,
              const QuerySlice& slice) const noexcept {
    if (extras.attention == nullptr) {
      PlainHooks::attend(call, inputs, outputs, slice);
      return;
    }
    std::uint32_t query_length = 0;
    const AttentionOptions part = slice_options(*extras.attention, slice, inputs, outputs.scores, query_length);
    run_attention(call.plan, call.scratch, CacheAccess::reader(*inputs.cache), inputs, part, outputs, call.tokens,
                  call.executor);
  }

 private:
  void finish(const NormRows* norm, const LayerRows& rows, std::uint32_t heads, float* data) const noexcept {
    if (norm != nullptr) norm->run(data, rows.count * heads, head_dim, data);
    RotaryHooks(extras.rotary).rotate(rows, heads, data);
  }
};

}  // namespace heed::detail
