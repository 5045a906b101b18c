// SPDX-License-Identifier: MIT
//
// Runs that tools look at: of each as many as there are data sets, which differ in nothing but the numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "heed/heed.hpp"

namespace heed::test {

/// What runs between two calls that a tool counts from and to. Out of line in a file of its own.
extern "C" void counted_run(void (*run)(void*), void* argument);

template <class Run>
void counted(Run run) {
  counted_run([](void* argument) { (*static_cast<Run*>(argument))(); }, &run);
}

inline constexpr std::uint32_t data_sets = 5;

/// Numbers of set 0..4: of the size that layers have, large, tiny, all of one sign, and nearly equal.
class Data {
 public:
  explicit Data(std::uint32_t set) : set_(set), state_(set * 2654435761U + 12345U) {}

  [[nodiscard]] std::vector<float> take(std::size_t count) {
    constexpr float spread[data_sets] = {1.0F, 16.0F, 0x1p-20F, 2.0F, 0x1p-10F};
    constexpr float centre[data_sets] = {0.0F, 0.0F, 0.0F, 2.5F, 1.0F};
    std::vector<float> made(count);
    for (float& value : made) {
      state_ = state_ * 1664525U + 1013904223U;
      value =
          centre[set_] + spread[set_] * static_cast<float>(static_cast<std::int32_t>(state_ >> 16) - 32768) * 0x1p-15F;
    }
    return made;
  }

 private:
  std::uint32_t set_;
  std::uint32_t state_;
};

/// Memory of a plan, on a boundary of 64 bytes. Nothing has been written to it, which tools can tell.
class Arena {
 public:
  explicit Arena(std::size_t bytes)
      : bytes_(bytes), memory_(new (std::align_val_t{arena_alignment}) std::byte[bytes]) {}
  [[nodiscard]] std::span<std::byte> span() const { return {memory_.get(), bytes_}; }

 private:
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{arena_alignment}); }
  };
  std::size_t bytes_;
  std::unique_ptr<std::byte[], Free> memory_;
};

/// Room for a result, in the same way.
class Floats {
 public:
  explicit Floats(std::size_t count) : count_(count), memory_(count * sizeof(float)) {}
  [[nodiscard]] float* data() const { return reinterpret_cast<float*>(memory_.span().data()); }
  [[nodiscard]] std::span<const float> span() const { return {data(), count_}; }

 private:
  std::size_t count_;
  Arena memory_;
};

/// Whether no number is NaN: a branch on each, so that a tool tells of one that was never written or made from such.
[[nodiscard]] inline bool are_numbers(std::span<const float> values) {
  for (const float value : values) {
    if (value != value) return false;
  }
  return true;
}

/// Each makes its counted calls with one set; false if one is refused.
using Shape = bool (*)(std::uint32_t set);

struct Named {
  const char* name;
  Shape run;
};

[[nodiscard]] std::vector<Named> attention_shapes();
[[nodiscard]] std::vector<Named> cache_shapes();
[[nodiscard]] std::vector<Named> layer_shapes();

}  // namespace heed::test
