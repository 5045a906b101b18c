// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>

namespace heed::test {

/// Bytes on the heap, on a 64-byte boundary and not one more, so that the sanitizers see every access after them. None
/// is 0 to begin with unless that is asked for: nothing may rely on it.
class AlignedMemory {
 public:
  explicit AlignedMemory(std::size_t size, unsigned char fill = 0xFF)
      : bytes_(new (std::align_val_t{64}) std::byte[size]), size_(size) {
    if (size_ != 0) std::memset(bytes_.get(), fill, size_);
  }
  explicit AlignedMemory(std::span<const std::byte> from) : AlignedMemory(from.size()) {
    if (size_ != 0) std::memcpy(bytes_.get(), from.data(), size_);
  }

  AlignedMemory(const AlignedMemory& other) : AlignedMemory(std::span<const std::byte>(other.span())) {}
  AlignedMemory(AlignedMemory&&) noexcept = default;
  AlignedMemory& operator=(AlignedMemory&&) noexcept = default;
  ~AlignedMemory() = default;

  /// Bytes of the same size stay where they are.
  AlignedMemory& operator=(const AlignedMemory& other) {
    if (size_ != other.size_) return *this = AlignedMemory(other);
    if (size_ != 0) std::memmove(bytes_.get(), other.bytes_.get(), size_);
    return *this;
  }

  [[nodiscard]] std::span<std::byte> span() const { return {bytes_.get(), size_}; }
  [[nodiscard]] std::byte& operator[](std::size_t i) const { return bytes_[i]; }

 private:
  struct Release {
    void operator()(std::byte* bytes) const noexcept { ::operator delete[](bytes, std::align_val_t{64}); }
  };

  std::unique_ptr<std::byte[], Release> bytes_;
  std::size_t size_;
};

}  // namespace heed::test
