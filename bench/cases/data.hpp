// SPDX-License-Identifier: MIT
//
// Memory and numbers for the benchmarks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "heed/heed.hpp"

namespace heed::bench {

/// Ends the program: a benchmark of a wrong result is worth nothing.
[[noreturn]] void fail(const std::string& message);

/// fail() unless `status` is ok.
void expect(Status status, const std::string& what);

/// Gives memory on cache lines.
template <class Element>
struct LineAllocator {
  using value_type = Element;
  LineAllocator() = default;
  template <class Other>
  LineAllocator(const LineAllocator<Other>& /*other*/) {}
  Element* allocate(std::size_t count) {
    return static_cast<Element*>(::operator new (count * sizeof(Element), std::align_val_t{arena_alignment}));
  }
  void deallocate(Element* memory, std::size_t /*count*/) {
    ::operator delete (memory, std::align_val_t{arena_alignment});
  }
  friend bool operator==(const LineAllocator& /*a*/, const LineAllocator& /*b*/) { return true; }
};

using Floats = std::vector<float, LineAllocator<float>>;
using Bytes = std::vector<std::byte, LineAllocator<std::byte>>;

/// Uniform numbers of mean 0 and variance 1, which gives scores of variance 1 whatever the head dimension: the softmax
/// is neither flat nor a single key.
[[nodiscard]] Floats some_floats(std::size_t count, std::uint32_t seed);

/// Where a case reads and writes. All cases share one pool, so that hundreds of them fit the memory; none keeps
/// anything there between repetitions.
struct Tensors {
  const float* query;
  const float* key;
  const float* value;
  float* output;
};

/// Places for tensors of the given sizes (in floats), each on a cache line and `misalignment` floats after it. The
/// places are not a power of two apart, as they would not be in a program.
[[nodiscard]] Tensors place_tensors(std::size_t query, std::size_t key, std::size_t value, std::size_t output,
                                    std::size_t misalignment);

/// `count` floats to measure the read bandwidth on.
[[nodiscard]] std::span<const float> floats_to_read(std::size_t count);

}  // namespace heed::bench
