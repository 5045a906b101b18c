// SPDX-License-Identifier: MIT
#pragma once

#include "text/token_file.hpp"

namespace heed::detail {

/// Checks the sections of a file, one after another, which lie in order and without gaps but for their alignment.
class TokenSections {
 public:
  TokenSections(TokenFile file, std::uint32_t header_words) noexcept
      : file_(file), next_(std::uint64_t{4} * header_words) {}

  [[nodiscard]] bool take(TokenWord word, std::uint64_t bytes) noexcept {
    const std::uint64_t offset = aligned();
    next_ = offset + bytes;
    return file_.word(word) == offset && next_ <= file_.word(word_bytes);
  }
  [[nodiscard]] bool at_end() const noexcept { return aligned() == file_.word(word_bytes); }

 private:
  [[nodiscard]] std::uint64_t aligned() const noexcept {
    return (next_ + token_section_align - 1) / token_section_align * token_section_align;
  }

  TokenFile file_;
  std::uint64_t next_;
};

}  // namespace heed::detail
