// SPDX-License-Identifier: MIT
#include <bit>
#include <cstdint>

#include "common/compiler_flags.hpp"
#include "heed/types.hpp"

namespace heed {

namespace {

/// Bit by bit: a comparison of floats would follow the environment, too.
[[nodiscard]] bool gives(float result, float expected) noexcept {
  return std::bit_cast<std::uint32_t>(result) == std::bit_cast<std::uint32_t>(expected);
}

}  // namespace

bool float_environment_is_standard() noexcept {
  // Volatile, so that the FPU computes and not the compiler.
  volatile float one = 1.0F;
  volatile float odd = 1.0F + 0x1p-23F;
  volatile float half_unit = 0x1p-24F;
  volatile float least_normal = 0x1p-126F;
  volatile float half = 0.5F;
  volatile float subnormal = 0x1p-127F;
  volatile float large = 0x1p24F;
  // Two ties, one to go down and one to go up: no other rounding does both.
  return gives(one + half_unit, 1.0F) && gives(odd + half_unit, 1.0F + 0x1p-22F) &&
         gives(least_normal * half, 0x1p-127F) && gives(subnormal * large, 0x1p-103F);
}

}  // namespace heed
