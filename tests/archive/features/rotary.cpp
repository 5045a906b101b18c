// SPDX-License-Identifier: MIT
#include "heed/positions.hpp"

extern "C" heed::Status probe(const heed::Rotary& rotary, const heed::RotaryPositions& tokens,
                              const heed::MutableTensor& rows) {
  return heed::apply_rotary(rotary, tokens, rows, rows);
}
