// SPDX-License-Identifier: MIT
//
// A function of a number over a row, with a factor for each result.
#pragma once

#include <cstdint>
#include <kernels/map_vectors.hpp>
#include <port.hpp>

namespace heed::detail {

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
