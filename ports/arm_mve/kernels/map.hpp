// SPDX-License-Identifier: MIT
//
// Functions of a number over a row, four lanes at a time, of which the last are masked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>

#include "../detail/quad.hpp"

namespace heed::detail {

/// to = f(from), each [count], the same or apart.
template <class Function>
[[gnu::always_inline]] inline void map_row(const float* from, std::uint32_t count, float* to,
                                           const Function& f) noexcept {
  for (std::uint32_t quads = count / 4; quads != 0; --quads, from += 4, to += 4) {
    vst1q_f32(to, f(port::Quad(vld1q_f32(from))).lanes);
  }
  if (count % 4 == 0) return;
  const mve_pred16_t there = vctp32q(count % 4);
  vstrwq_p_f32(to, f(port::Quad(vldrwq_z_f32(from, there))).lanes, there);
}

/// map_scaled() of whole vectors. Out of line, because that is long for what the last numbers of a row take.
template <class Function>
[[gnu::noinline]] void map_vectors(const float* from, const float* factors, std::ptrdiff_t factor_step,
                                   std::uint32_t count, float* to) noexcept {
  using namespace port;
  for (std::uint32_t i = 0; i < count; i += lanes, factors += factor_step) {
    store(to + i, mul(Function{}(load(from + i)), load(factors)));
  }
}

/// to = Function{}(from) * factors, or Function{}(from) where those are null. Each [count], the same or apart.
template <class Function>
[[gnu::nonnull(1, 4)]] void map_scaled(const float* from, const float* factors, std::uint32_t count,
                                       float* to) noexcept {
  using namespace port;
  // Times 1, every number stays what it is.
  float last_factors[lanes];
  store(last_factors, set(1.0F));
  const int rest = static_cast<int>(count % lanes);
  const std::uint32_t whole = count - count % lanes;
  map_vectors<Function>(from, factors != nullptr ? factors : last_factors, factors != nullptr ? lanes : 0, whole, to);
  if (rest == 0) return;
  float last[lanes];
  store(last, load_partial(from + whole, rest));
  if (factors != nullptr) store(last_factors, load_partial(factors + whole, rest));
  map_vectors<Function>(last, last_factors, 0, lanes, last);
  store_partial(to + whole, load(last), rest);
}

}  // namespace heed::detail
