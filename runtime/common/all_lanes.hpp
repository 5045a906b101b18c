// SPDX-License-Identifier: MIT
#pragma once

#include <port.hpp>
#include <type_traits>

namespace heed::detail {

/// A number in every lane.
template <class Lanes>
[[gnu::always_inline]] inline Lanes all_lanes(float value) noexcept {
  if constexpr (std::is_same_v<Lanes, port::f32x16>) {
    return port::set(value);
  } else {
    return Lanes{value};
  }
}

}  // namespace heed::detail
