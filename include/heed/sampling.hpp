// SPDX-License-Identifier: MIT
//
// The next token from a language model's logits, the same for the same seed on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/heed_sampling.h"
#include "heed/status.hpp"

namespace heed {

/// PCG32 (O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for Random Number
/// Generation", 2014; XSH RR 64/32): integers alone, so that every machine draws the same.
class RandomBits {
 public:
  /// The reference implementation's pcg32_srandom(seed, 54).
  explicit constexpr RandomBits(std::uint64_t seed = 0) noexcept
      : state_((increment + seed) * multiplier + increment) {}

  [[nodiscard]] constexpr std::uint32_t next() noexcept {
    const std::uint64_t old = state_;
    state_ = old * multiplier + increment;
    const auto shifted = static_cast<std::uint32_t>((old >> 18 ^ old) >> 27);
    const auto rotation = static_cast<std::uint32_t>(old >> 59);
    return shifted >> rotation | shifted << (-rotation & 31);
  }

 private:
  static constexpr std::uint64_t multiplier = 6364136223846793005U;
  static constexpr std::uint64_t increment = 54U << 1 | 1;

  std::uint64_t state_;
};

/// Draws a token, and writes it to `token`. The logits [n] become weights, and `order` [n] is room to sort in; a
/// temperature of 0 changes neither, and draws no random number; any other draws one. Of equal logits the first token
/// counts as the likelier. Probabilities are
/// exp2(log2(e) / temperature * (logit - greatest logit)) over their sum. A NaN has probability 0; where the greatest
/// logit is infinite, it is the token.
/// zero_dimension: no logits. null_pointer: of either. bad_length: fewer places in `order`, or 2^31 logits or more.
/// bad_option: a number of the configuration lies outside its range.
[[nodiscard]] Status sample_token(const Sampling& config, std::span<float> logits, std::span<std::uint32_t> order,
                                  RandomBits& random, std::uint32_t& token) noexcept;

}  // namespace heed
