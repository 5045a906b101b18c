// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "fuzz/target.hpp"
#include "support/random.hpp"

namespace heed::test::fuzz {

/// No input is longer.
inline constexpr std::size_t most_input_bytes = std::size_t{1} << 16;

/// Changes an input at one to four places: bits, bytes, 32-bit words of a header, lengths, ranges, decimal numbers,
/// words of the corpus, parts of another seed.
void mutate(std::string& input, const Corpus& corpus, Random& random);

}  // namespace heed::test::fuzz
