// SPDX-License-Identifier: MIT
//
// The header of a model file, written and compared.
#include "transformer/model_file.hpp"

#include "transformer/config_words.hpp"

namespace heed::detail {

namespace {

/// Calls visit(number, word) for every word of the header but the checksum.
template <class Visit>
void for_each_word(const ModelPlan& plan, const Visit& visit) noexcept {
  const std::uint32_t version = version_of(plan);
  visit(0, model_magic);
  visit(1, version);
  visit(2, plan.file.bytes);
  std::size_t next = checked_from / sizeof(std::uint32_t);
  const auto visit_member = [&](const char*, const auto& member) noexcept { visit(next++, to_word(member)); };
  for_each_plain_member(plan.config, visit_member);
  if (version == extended_model_version) for_each_extended_member(plan.config, visit_member);
  for (; next < header_bytes_of(version) / sizeof(std::uint32_t); ++next) visit(next, std::uint32_t{0});
}

}  // namespace

void write_header(const ModelPlan& plan, std::byte* file) noexcept {
  auto* const words = reinterpret_cast<std::uint32_t*>(file);
  for_each_word(plan, [=](std::size_t number, std::uint32_t word) noexcept { words[number] = word; });
}

bool header_matches(const ModelPlan& plan, const std::byte* file) noexcept {
  const auto* const words = reinterpret_cast<const std::uint32_t*>(file);
  std::uint32_t apart = 0;  // a branch a word would be twice the code
  for_each_word(plan, [&](std::size_t number, std::uint32_t word) noexcept { apart |= words[number] ^ word; });
  return apart == 0;
}

}  // namespace heed::detail
