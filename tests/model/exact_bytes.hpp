// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>

namespace heed::test {

/// Bytes on the heap, on a 64-byte boundary and not one more, so that the sanitizers see every read behind them.
class ExactBytes {
 public:
  explicit ExactBytes(std::size_t size) : bytes_(new (std::align_val_t{64}) std::byte[size]), size_(size) {}
  explicit ExactBytes(std::span<const std::byte> from) : ExactBytes(from.size()) {
    if (size_ != 0) std::memcpy(bytes_.get(), from.data(), size_);
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
