// SPDX-License-Identifier: MIT
//
// Tensors, arrays and arenas for calls of the C interface, of sizes that the bytes choose.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <vector>

#include "fuzz/choices.hpp"
#include "heed/heed.h"
#include "support/aligned_memory.hpp"

namespace heed::test::fuzz {

inline constexpr std::int64_t most_elements = 1 << 11;  ///< of a tensor
inline constexpr float untouched = -7.0F;               ///< what a tensor holds before the call

struct Shape {
  std::uint32_t batch, heads, rows, dim;
};

inline bool known(heed_status status) {
  return std::strcmp(heed_status_to_string(status), "unknown status") != 0;
}

/// Tensors and arrays of a call.
class Memory {
 public:
  explicit Memory(Choices& choices) : choices_(choices) {}

  template <class Tensor>
  Tensor tensor(const Shape& shape) {
    const std::int64_t row = stride(shape.dim);
    const std::int64_t head = stride(static_cast<__int128>(shape.rows) * row);
    const std::int64_t batch = stride(static_cast<__int128>(shape.heads) * head);
    Tensor made = {};
    made.batch_stride = static_cast<std::ptrdiff_t>(batch);
    made.head_stride = static_cast<std::ptrdiff_t>(head);
    made.row_stride = static_cast<std::ptrdiff_t>(row);
    made.data = floats(reach(shape.batch, batch) + reach(shape.heads, head) + reach(shape.rows, row), shape.dim);
    return made;
  }

  /// So many elements, or null.
  template <class Element>
  const Element* array(std::uint64_t count, std::uint32_t most) {
    if (count == 0 || count > 64 || choices_.below(3) == 0) return nullptr;
    std::vector<std::byte>& bytes = arrays_.emplace_back(count * sizeof(Element));
    for (std::size_t i = 0; i < count; ++i) {
      const auto element = static_cast<Element>(choices_.mostly_below(most));
      std::memcpy(bytes.data() + i * sizeof element, &element, sizeof element);
    }
    return reinterpret_cast<const Element*>(bytes.data());
  }

  [[nodiscard]] bool is_untouched() const {
    return std::all_of(floats_.begin(), floats_.end(), [](const std::vector<float>& numbers) {
      return std::all_of(numbers.begin(), numbers.end(), [](float number) { return number == untouched; });
    });
  }

  float* floats(std::uint64_t count) { return floats({0, 0}, count); }

 private:
  struct Reach {
    __int128 least = 0, most = 0;
    friend Reach operator+(const Reach& a, const Reach& b) { return {a.least + b.least, a.most + b.most}; }
  };

  static Reach reach(std::uint32_t count, std::int64_t step) {
    const __int128 end = count == 0 ? 0 : static_cast<__int128>(count - 1) * step;
    return end < 0 ? Reach{end, 0} : Reach{0, end};
  }

  float* floats(const Reach& reach, std::uint64_t dim) {
    const __int128 count = reach.most - reach.least + static_cast<__int128>(dim);
    if (count > most_elements || count <= 0) return nullptr;
    std::vector<float>& numbers = floats_.emplace_back(static_cast<std::size_t>(count), untouched);
    return numbers.data() - static_cast<std::ptrdiff_t>(reach.least);
  }

  /// Mostly the dense one.
  std::int64_t stride(__int128 product) {
    const auto dense = static_cast<std::int64_t>(std::clamp<__int128>(product, -most_elements, most_elements));
    switch (choices_.below(16)) {
      case 0: return 0;
      case 1: return -dense;
      case 2: return dense + choices_.below(5);
      case 3: return static_cast<std::int8_t>(choices_.byte());
      case 4: return static_cast<std::int64_t>(std::uint64_t{choices_.word()} << 32 | choices_.word());
      case 5: return std::numeric_limits<std::int64_t>::min();
      default: return dense;
    }
  }

  Choices& choices_;
  std::deque<std::vector<float>> floats_;
  std::deque<std::vector<std::byte>> arrays_;
};

/// Memory of a plan, or too little of it, or none.
struct Arena {
  AlignedMemory bytes{0};
  void* data = nullptr;
  std::size_t size = 0;

  Arena(Choices& choices, std::uint32_t wanted) {
    const std::uint32_t fault = choices.below(32);
    size = wanted - (fault == 1 && wanted != 0 ? 1 : 0);
    bytes = AlignedMemory(size);
    data = fault == 2 ? nullptr : bytes.span().data();
    std::fill(bytes.span().begin(), bytes.span().end(), std::byte{0x55});
  }
};

}  // namespace heed::test::fuzz
