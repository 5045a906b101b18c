// SPDX-License-Identifier: MIT
//
// What every target of this room defines: one that reads any bytes, and inputs to begin with. A target is linked with
// driver.cpp, which makes inputs from a seed, and with libfuzzer.cpp, where clang chooses them by the code that they
// reach.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

namespace heed::test::fuzz {

/// What mutated inputs are made from.
struct Corpus {
  std::vector<std::string> seeds;  ///< inputs that the target accepts
  std::vector<std::string> words;  ///< put in besides bytes and numbers
};

[[nodiscard]] Corpus corpus();

/// Reads the bytes, which lie at any address. Whether they are accepted. Ends the process where a promise is broken.
bool run(std::span<const std::byte> bytes);

/// Ends the process unless the promise is kept.
inline void require(bool kept, const char* promise) {
  if (kept) return;
  std::fprintf(stderr, "broken: %s\n", promise);
  std::abort();
}

}  // namespace heed::test::fuzz
