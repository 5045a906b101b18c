// SPDX-License-Identifier: MIT
//
// What all of the C interface is made of: null checks and a call; everything else is checked by the C++ call. The
// structs are the same in both languages, and are used where the caller has them.
#pragma once

#include <cstddef>
#include <span>

#include "heed/format.hpp"
#include "heed/types.hpp"

namespace heed::detail {

[[nodiscard]] inline std::span<std::byte> memory_of(void* data, std::size_t bytes) noexcept {
  return {static_cast<std::byte*>(data), bytes};
}

[[nodiscard]] inline std::span<const std::byte> memory_of(const void* data, std::size_t bytes) noexcept {
  return {static_cast<const std::byte*>(data), bytes};
}

/// An argument that may be null, for which zeros stand then.
template <class Struct>
[[nodiscard]] const Struct& or_zeros(const Struct* given) noexcept {
  static constexpr Struct zeros{};
  return given == nullptr ? zeros : *given;
}

template <class Config, class Plan>
[[nodiscard]] Status write_plan(const Config* config, Plan* plan) noexcept {
  if (config == nullptr || plan == nullptr) return Status::null_pointer;
  return make_plan(*config, *plan);
}

}  // namespace heed::detail
