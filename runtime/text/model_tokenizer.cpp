// SPDX-License-Identifier: MIT
#include "heed/detail/extended_model.hpp"
#include "heed/detail/token_layout.hpp"
#include "heed/text.hpp"

namespace heed {
namespace {

using namespace detail;

constexpr std::size_t model_bytes_word = 2;

/// Whether there is nothing but zeros from the model's end to the tokenizer, and the tokenizer ends with the file.
[[nodiscard]] bool is_tokenizer(std::span<const std::byte> file, std::size_t model_end, std::size_t begin) noexcept {
  if (begin > file.size() || file.size() - begin < std::size_t{4} * token_header_words) return false;
  for (std::size_t i = model_end; i < begin; ++i) {
    if (file[i] != std::byte{0}) return false;
  }
  const auto* const words = reinterpret_cast<const std::uint32_t*>(file.data() + begin);
  return words[word_magic] == token_magic && words[word_bytes] == file.size() - begin;
}

}  // namespace

Status tokenizer_of(std::span<const std::byte> model, std::span<const std::byte>& tokenizer) noexcept {
  tokenizer = {};
  if (model.data() == nullptr) return Status::null_pointer;
  if (reinterpret_cast<std::uintptr_t>(model.data()) % alignof(std::uint32_t) != 0) return Status::arena_misaligned;
  if (model.size() < model_header_bytes) return Status::bad_file;
  const auto* const words = reinterpret_cast<const std::uint32_t*>(model.data());
  const std::size_t end = words[model_bytes_word];
  if (words[0] != model_magic || end < model_header_bytes || end > model.size()) return Status::bad_file;
  if (end == model.size()) return Status::ok;
  // No sum that could pass the end of an address: a length of nearly 2^32 is that of no model.
  const std::size_t padding = (token_section_align - end % token_section_align) % token_section_align;
  if (padding > model.size() - end || !is_tokenizer(model, end, end + padding)) return Status::bad_file;
  tokenizer = model.subspan(end + padding);
  return Status::ok;
}

}  // namespace heed
