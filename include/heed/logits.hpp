// SPDX-License-Identifier: MIT
//
// From a model's logits to probabilities and to the tokens that it prefers.
#pragma once

#include <cstdint>

#include "heed/status.hpp"

namespace heed {

inline constexpr std::uint32_t max_logits = 1U << 24;  ///< a sum of as many weights in sixteen lanes loses none of them

/// probabilities[i] = e^(logits[i] / temperature) / their sum, for logits [count]; probabilities [count] are the logits
/// themselves or do not overlap them. A logit of -inf gives 0; if one is NaN or +inf, or all are -inf, every result is
/// NaN. Probabilities below about 2^-126 of the greatest are 0.
///
/// count is at most 2^24, temperature from 2^-126 to 2^126.
/// Statuses: zero_dimension (count), too_large, bad_scale (temperature), null_pointer.
[[nodiscard]] Status softmax(const float* logits, std::uint32_t count, float temperature,
                             float* probabilities) noexcept;

/// The index of the greatest of logits [count], the lowest among equals. NaN is less than any number, also than -inf.
/// 0 if every logit is NaN, and if there is none.
[[nodiscard]] std::uint32_t argmax(const float* logits, std::uint32_t count) noexcept;

/// indices [k]: those of the k greatest of logits [count], in descending order of the logits and ascending among
/// equals; NaN counts as in argmax(). O(count log k) comparisons at most, and no memory but the indices. Statuses:
/// zero_dimension (count, k), too_large (count above 2^24), bad_length (k above count), null_pointer.
[[nodiscard]] Status top_k(const float* logits, std::uint32_t count, std::uint32_t k, std::uint32_t* indices) noexcept;

}  // namespace heed
