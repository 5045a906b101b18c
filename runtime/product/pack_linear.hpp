// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "heed/linear.hpp"

namespace heed::detail {

/// Writes a bias, or zeros for null.
void pack_bias(const LinearPlan& plan, const float* bias, std::byte* packed) noexcept;

/// pack_linear() of float32 after its checks, apart from the other types: a program that packs no others links no
/// rounding.
void pack_floats(const LinearPlan& plan, const float* weight, const float* bias, std::byte* packed) noexcept;

/// pack_linear() of every other type after its checks.
void pack_rounded(const LinearPlan& plan, const float* weight, const float* bias, std::byte* packed) noexcept;

}  // namespace heed::detail
