// SPDX-License-Identifier: MIT
#include "heed/rotary.hpp"

extern "C" heed::Status probe(const heed::Rotary& rotary, const heed::RotaryTokens& tokens,
                              const heed::MutableTensor& rows) {
  return heed::rotate(rotary, tokens, rows, rows);
}
