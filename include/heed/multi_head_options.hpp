// SPDX-License-Identifier: MIT
#pragma once

#include "heed/multi_head.hpp"
#include "heed/options.hpp"

namespace heed {

/// What a layer's calls can do besides.
struct MultiHeadOptions {
  AttentionOptions attention{};  ///< its queries are the call's tokens, its keys those of the sequence in the cache
};

}  // namespace heed
