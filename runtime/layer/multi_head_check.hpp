// SPDX-License-Identifier: MIT
//
// What the multi-head layer refuses, all of it before anything is written.
#pragma once

#include <cstdint>

#include "heed/multi_head.hpp"

namespace heed::detail {

[[nodiscard]] Status check_counts(std::uint32_t batch, std::uint32_t tokens) noexcept;

[[nodiscard]] Status check_sequences(const FloatKvCache& cache, std::uint32_t batch, const std::uint32_t* sequences,
                                     std::uint32_t tokens, CacheUpdate update) noexcept;

/// Everything that append() refuses of an initialised layer.
[[nodiscard]] Status check_append(const MultiHeadPlan& plan, const FloatKvCache& cache, std::uint32_t batch,
                                  const std::uint32_t* sequences, std::uint32_t tokens, ConstMatrix memory) noexcept;

/// Most keys that a checked call's queries attend over, in any batch entry: the width of its scores.
[[nodiscard]] std::uint32_t most_keys(const FloatKvCache& cache, const MultiHeadInputs& inputs,
                                      CacheUpdate update) noexcept;

/// Everything that attend(), prefill() and encode() refuse.
[[nodiscard]] Status check_call(const MultiHeadPlan& plan, const FloatKvCache& cache, const MultiHeadInputs& inputs,
                                const MultiHeadOutputs& outputs, CacheUpdate update) noexcept;

}  // namespace heed::detail
