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

#if defined(__SANITIZE_ADDRESS__)
#define HEED_TEST_SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEED_TEST_SANITIZED true
#endif
#endif
#ifndef HEED_TEST_SANITIZED
#define HEED_TEST_SANITIZED false
#endif

namespace heed::test::fuzz {

inline constexpr bool sanitized = HEED_TEST_SANITIZED;

/// What mutated inputs are made from.
struct Corpus {
  std::vector<std::string> seeds;  ///< inputs that the target accepts
  std::vector<std::string> words;  ///< put in besides bytes and numbers
  bool sweeps = true;              ///< seeds are also cut off and changed everywhere
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
