// SPDX-License-Identifier: MIT
//
// A refused call must leave every byte as it was. A Witness knows the memory that a call can reach and compares it.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "heed/heed.hpp"

namespace heed {

/// Makes GoogleTest print a status as its text.
inline void PrintTo(Status status, std::ostream* out) {
  *out << to_string(status);
}

}  // namespace heed

namespace heed::test {

inline constexpr std::uint32_t too_many_rows = (1U << 30) + 1;
/// Strides that leave the address space.
inline constexpr std::ptrdiff_t far = std::numeric_limits<std::ptrdiff_t>::max();
inline constexpr std::ptrdiff_t far_back = std::numeric_limits<std::ptrdiff_t>::min();
inline constexpr float infinity = std::numeric_limits<float>::infinity();
inline constexpr float nan = std::numeric_limits<float>::quiet_NaN();

class Witness {
 public:
  void watch(const char* name, std::span<const std::byte> memory) { watched_.push_back({name, memory, {}}); }

  template <class Element>
  void watch(const char* name, const std::vector<Element>& values) {
    watch(name, std::as_bytes(std::span<const Element>(values)));
  }

  /// An object's own bytes: a cache or a layer must not be rebound by a call that fails.
  template <class Object>
  void watch_object(const char* name, const Object& object) {
    watch(name, std::as_bytes(std::span<const Object, 1>(&object, 1)));
  }

  /// Expects `call()` to give `expected` and to change nothing that is watched.
  template <class Call>
  void expect(Status expected, const char* what, const Call& call) {
    for (Watched& one : watched_) one.before.assign(one.memory.begin(), one.memory.end());
    ASSERT_NE(expected, Status::ok);
    EXPECT_EQ(call(), expected) << what;
    for (const Watched& one : watched_) {
      EXPECT_EQ(std::memcmp(one.before.data(), one.memory.data(), one.memory.size()), 0)
          << what << " was refused and yet changed: " << one.name;
    }
  }

 private:
  struct Watched {
    std::string name;
    std::span<const std::byte> memory;
    std::vector<std::byte> before;
  };
  std::vector<Watched> watched_;
};

/// A good call's arguments, what is wrong with them, and the status that follows.
template <class Arguments>
struct Refusal {
  const char* what;
  Status expected;
  void (*spoil)(Arguments&);
};

}  // namespace heed::test
