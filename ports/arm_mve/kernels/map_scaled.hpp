// SPDX-License-Identifier: MIT
//
// A function of a number over a row, with a factor for each result, four lanes at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>

#include "../detail/integer_activations.hpp"
#include "../detail/quad.hpp"

namespace heed::detail {

/// map_scaled() of whole quads. Out of line, because that is long for what the last numbers of a row take.
template <class Function>
[[gnu::noinline]] void map_quads(const float* from, const float* factors, std::ptrdiff_t factor_step,
                                 std::uint32_t quads, float* to) noexcept {
  for (; quads != 0; --quads, from += 4, to += 4, factors += factor_step) {
    port::store_quad(to, vmulq_f32(Function{}(port::Quad(port::load_quad(from))).lanes, port::load_quad(factors)));
  }
}

/// map_scaled() of the GELU and the SiLU of integers.
template <class Function>
requires requires {
  Function::is_integer_gelu;
}
inline void map_scaled(const float* from, const float* factors, std::uint32_t count, float* to) noexcept {
  if constexpr (Function::is_integer_gelu) {
    integer_gelu(from, factors, count, to);
  } else {
    integer_silu_of_row(from, factors, count, to);
  }
}

/// to = Function{}(from) * factors, or Function{}(from) where those are null. Each [count], the same or apart.
template <class Function>
[[gnu::nonnull(1, 4)]] void map_scaled(const float* from, const float* factors, std::uint32_t count,
                                       float* to) noexcept {
  // Times 1, every number stays what it is.
  static constexpr float ones[4] = {1.0F, 1.0F, 1.0F, 1.0F};
  const bool has_factors = factors != nullptr;
  const std::uint32_t whole = count / 4 * 4;
  map_quads<Function>(from, has_factors ? factors : ones, has_factors ? 4 : 0, whole / 4, to);
  if (count == whole) return;
  const mve_pred16_t there = vctp32q(count - whole);
  float last[4];
  float last_factors[4];
  port::store_quad(last, port::load_quad(from + whole, there));
  port::store_quad(last_factors, has_factors ? port::load_quad(factors + whole, there) : vdupq_n_f32(1.0F));
  map_quads<Function>(last, last_factors, 0, 1, last);
  port::store_quad(to + whole, port::load_quad(last), there);
}

}  // namespace heed::detail
