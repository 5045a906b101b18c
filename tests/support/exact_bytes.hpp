// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>

namespace heed::test {

/// Bytes on the heap, on a 64-byte boundary and not one more, so that the sanitizers see every access behind them. None
/// is 0 to begin with: nothing may rely on that.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::size_t size) : bytes_(new (std::align_val_t{64}) std::byte[size]), size_(size) {
    if (size_ != 0) std::memset(bytes_.get(), 0xA5, size_);
  }
  explicit AlignedBytes(std::span<const std::byte> from) : AlignedBytes(from.size()) {
    if (size_ != 0) std::memcpy(bytes_.get(), from.data(), size_);
  }

  AlignedBytes(const AlignedBytes& other) : AlignedBytes(std::span<const std::byte>(other.bytes_.get(), other.size_)) {}
  AlignedBytes(AlignedBytes&&) noexcept = default;
  AlignedBytes& operator=(AlignedBytes&&) noexcept = default;
  ~AlignedBytes() = default;

  /// Bytes of the same size stay where they are.
  AlignedBytes& operator=(const AlignedBytes& other) {
    if (size_ != other.size_) return *this = AlignedBytes(other);
    if (size_ != 0) std::memmove(bytes_.get(), other.bytes_.get(), size_);
    return *this;
  }

  [[nodiscard]] std::span<std::byte> span() { return {bytes_.get(), size_}; }
  std::byte& operator[](std::size_t i) { return bytes_[i]; }

 private:
  struct Release {
    void operator()(std::byte* bytes) const noexcept { ::operator delete[](bytes, std::align_val_t{64}); }
  };

  std::unique_ptr<std::byte[], Release> bytes_;
  std::size_t size_;
};

}  // namespace heed::test
