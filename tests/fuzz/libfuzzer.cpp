// SPDX-License-Identifier: MIT
//
// A target as libFuzzer calls it. Half of the mutations are the project's own, which know words and numbers.
#include <cstdint>
#include <cstring>

#include "fuzz/mutation.hpp"
#include "fuzz/target.hpp"

extern "C" {
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  heed::test::fuzz::run(std::as_bytes(std::span(data, size)));
  return 0;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, most);
  static const heed::test::fuzz::Corpus corpus = heed::test::fuzz::corpus();
  heed::test::Random random(seed);
  std::string input(reinterpret_cast<const char*>(data), size);
  heed::test::fuzz::mutate(input, corpus, random);
  const std::size_t count = input.size() < most ? input.size() : most;
  if (count != 0) std::memcpy(data, input.data(), count);
  return count;
}
}
