// SPDX-License-Identifier: MIT
//
// What a peer is: something that computes the same attention from the same numbers.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cases/attention_case.hpp"

namespace heed::bench {

enum class PeerKind : std::uint8_t {
  heed,     ///< this library
  runtime,  ///< an attention runtime
  library,  ///< what a user writes on a library of matrix products
};

/// A peer that is ready for one shape.
struct Peer {
  std::string name;
  PeerKind kind = PeerKind::runtime;
  std::function<double(double)> seconds;  ///< CPU seconds of one call, measured over about so many seconds
  std::vector<float> output;              ///< what it computed: [heads, queries, head_dim], or a layer's y
};

/// Query rows that the libraries' users take at a time: the scores stay in the cache.
inline constexpr std::uint32_t row_block = 128;

/// The keys that the rows [first, first + rows) see at most.
[[nodiscard]] inline std::uint32_t keys_seen(const AttentionShape& shape, std::uint32_t first, std::uint32_t rows) {
  return shape.causal == Causal::none ? shape.keys : first + rows;
}

/// A peer that is a function in this process.
[[nodiscard]] Peer local_peer(std::string name, PeerKind kind, const Work& work, Call call, const float* output,
                              std::size_t output_size);

[[nodiscard]] Peer openblas_peer(const AttentionCase& same);
[[nodiscard]] Peer onednn_peer(const AttentionCase& same);

}  // namespace heed::bench
