// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>

#include "heed/arena.hpp"

namespace heed::tools {

/// Memory for an arena or for packed weights, of a size known only at run time.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::size_t size)
      : bytes_(new (std::align_val_t{arena_alignment}) std::byte[size]), size_(size) {}

  [[nodiscard]] std::span<std::byte> span() noexcept { return {bytes_.get(), size_}; }
  [[nodiscard]] std::span<const std::byte> span() const noexcept { return {bytes_.get(), size_}; }

 private:
  struct Release {
    void operator()(std::byte* bytes) const noexcept { ::operator delete[](bytes, std::align_val_t{arena_alignment}); }
  };

  std::unique_ptr<std::byte[], Release> bytes_;
  std::size_t size_;
};

[[nodiscard]] inline AlignedBytes aligned_copy(std::string_view bytes) {
  AlignedBytes copy(bytes.size());
  if (!bytes.empty()) std::memcpy(copy.span().data(), bytes.data(), bytes.size());
  return copy;
}

}  // namespace heed::tools
