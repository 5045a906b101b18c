// SPDX-License-Identifier: MIT
//
// What a port does, step by step: every operation of its vector and every kernel, each on numbers of its own. The files
// that run the steps are compiled twice, with the port and with the plain one and the shared kernels; there `heed` is
// heed_shared, so that both stand in one program. What the two find must be the same.
#pragma once

#include <cstdint>
#include <span>

namespace port_check {

/// Where a step writes what it found.
class Found {
 public:
  explicit Found(std::span<float> room) : room_(room) {}

  void add(float value) {
    if (count_ < room_.size()) room_[count_] = value;
    ++count_;
  }
  void add(std::span<const float> values) {
    for (const float value : values) add(value);
  }

  /// One more than the room has if it was too small.
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::span<const float> values() const { return room_.first(count_ < room_.size() ? count_ : 0); }

 private:
  std::span<float> room_;
  std::size_t count_ = 0;
};

/// The same address, from where the compiler cannot know what it is. gcc 12 takes Helium's loads that widen bytes for
/// shorter than they are, and leaves out what it sees written to the rest.
template <class Number>
[[nodiscard]] Number* hidden(Number* address) {
  Number* volatile kept = address;
  return kept;
}

/// Their product is 2 - 2^-24 and very little less: half way from the last number before a power of two to that, but
/// for the bits that a product of parts may lose.
inline constexpr float nearly_two[] = {0x1.74589Ep0F, 0x1.60043Ap0F};

/// An operation or a kernel. run(number, found), number < cases, makes its operands from the number; a kernel that its
/// port never calls with these finds nothing.
struct Step {
  const char* name;
  std::uint32_t cases;
  void (*run)(std::uint32_t number, Found& found);
};

}  // namespace port_check

// clang-format off
/// What each file of steps defines, and few_rows_steps() where a port has such kernels.
#define HEED_STEP_FILES(each)                                                                              \
  each(lane_steps) each(row_steps) each(norm_steps) each(softmax_steps) each(mask_steps) each(tile_steps)  \
  each(quantized_steps) each(integer_steps) each(product_steps) each(score_steps) each(rounded_steps)      \
  each(linear_steps) each(stored_steps) each(function_steps)
// clang-format on
#define HEED_DECLARE_STEPS(name) [[nodiscard]] std::span<const port_check::Step> name();

namespace heed::test {
HEED_STEP_FILES(HEED_DECLARE_STEPS)
HEED_DECLARE_STEPS(few_rows_steps)
}  // namespace heed::test
