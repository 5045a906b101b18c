// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "heed/multi_head.hpp"
#include "heed/options.hpp"

namespace heed {

struct Rotary;

/// Everything else that a layer's calls can do. A null pointer switches its option off.
struct MultiHeadOptions {
  /// Its queries are the call's tokens, its keys those of the sequence in the cache; append() does not read it. A
  /// causal offset and the tokens add up to at most 2^31 (bad_option).
  AttentionOptions attention{};

  /// Rotates the projected queries and keys (heed/rotary.hpp); its head_dim is the layer's (plan_mismatch). A call that
  /// attends rotates its queries, and one that appends rotates its keys, which are stored rotated.
  const Rotary* rotary = nullptr;

  /// [batch, tokens] of the call, dense. Null: each token's number in its sequence. The tokens of attend(), which are
  /// not in the cache, count as the last ones there; bad_length if it holds fewer. bad_position: outside the table.
  const std::uint32_t* positions = nullptr;
};

}  // namespace heed
