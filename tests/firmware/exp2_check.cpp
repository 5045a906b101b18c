// SPDX-License-Identifier: MIT
#include <bit>
#include <kernels/exp2.hpp>
#include <port.hpp>

#include "checks.hpp"
#include "data.hpp"

namespace heed::test {

Outcome check_exp2() {
  Outcome outcome;
  Hash all;
  // Negative floats from -0 to beyond infinity, NaN included; a prime stride meets every low bit.
  constexpr std::uint32_t stride = 9973;
  constexpr std::uint32_t last = 0xFFFFFFFFU - 16 * stride;
  float x[port::lanes];
  float y[port::lanes];
  for (std::uint32_t bits = 0x80000000U; bits < last; bits += 16 * stride) {
    for (std::uint32_t i = 0; i < port::lanes; ++i) x[i] = std::bit_cast<float>(bits + i * stride);
    port::store(y, detail::exp2_nonpositive(port::load(x)));
    for (int i = 0; i < port::lanes; ++i) {
      const bool is_number = x[i] == x[i];
      if (is_number ? !(y[i] >= 0.0F && y[i] <= 1.0F) : y[i] == y[i]) ++outcome.failures;
      ++outcome.cases;
      // 32-bit NEON and Helium have 0 for subnormal numbers: the hash takes them as 0 everywhere.
      if (y[i] < 0x1p-126F) y[i] = 0;
    }
    all.add(y);
  }
  outcome.hash = all.value();
  return outcome;
}

}  // namespace heed::test
