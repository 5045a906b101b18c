// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "support/aligned_bytes.hpp"

namespace heed::tools {

/// Of x86-64, and of AArch64 with pages of 4 KiB.
inline constexpr std::size_t huge_page_bytes = std::size_t{1} << 21;

/// Memory for weights, before they are written: each token reads all of them, which in ordinary pages waits for
/// addresses. What does not fill a huge page is in ordinary ones, and so is everything where the system refuses.
[[nodiscard]] inline AlignedBytes weight_bytes(std::size_t size) {
  AlignedBytes bytes(size);
#if defined(MADV_HUGEPAGE)
  std::byte* const begin = bytes.span().data();
  const auto behind = static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(begin) % huge_page_bytes);
  const std::size_t first = (huge_page_bytes - behind) % huge_page_bytes;
  if (size >= first + huge_page_bytes) {
    const std::size_t whole = (size - first) / huge_page_bytes * huge_page_bytes;
    static_cast<void>(::madvise(begin + first, whole, MADV_HUGEPAGE));
  }
#endif
  return bytes;
}

[[nodiscard]] inline AlignedBytes weight_copy(std::span<const std::byte> weights) {
  AlignedBytes copy = weight_bytes(weights.size());
  if (!weights.empty()) std::memcpy(copy.span().data(), weights.data(), weights.size());
  return copy;
}

}  // namespace heed::tools
