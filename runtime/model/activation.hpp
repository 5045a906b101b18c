#pragma once
#include <cstdint>

#include "heed/activation.hpp"
namespace heed::detail {
void activate_row(Activation kind, float* values, std::uint32_t count) noexcept;
void gate_row(Activation kind, const float* gate, float* values, std::uint32_t count) noexcept;
}  // namespace heed::detail
