// SPDX-License-Identifier: MIT
//
// Whether vectors have subnormal numbers.
#pragma once

#include <port.hpp>

namespace heed::test {

/// 32-bit Arm has no subnormal numbers in its vectors: they are 0 there. The compiler may not know that the lanes are
/// equal, or it would multiply one, nor have a factor of 1, which leaves nothing to multiply.
inline bool flushes_subnormals() {
  float lanes[16];
  for (float& lane : lanes) lane = 0x1p-149F;
  float* volatile seen = lanes;
  port::store(seen, port::mul(port::load(seen), port::set(2.0F)));
  return seen[0] == 0.0F;
}

}  // namespace heed::test
