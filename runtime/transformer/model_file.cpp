// SPDX-License-Identifier: MIT
//
// The header of a model file, written and compared.
#include "transformer/model_file.hpp"

#include "transformer/config_words.hpp"

namespace heed::detail {

std::uint32_t crc32(const std::byte* bytes, std::size_t count) noexcept {
  // Half a byte at a time: a table of 64 bytes.
  static constexpr std::uint32_t steps[16] = {
      0x00000000U, 0x1DB71064U, 0x3B6E20C8U, 0x26D930ACU, 0x76DC4190U, 0x6B6B51F4U, 0x4DB26158U, 0x5005713CU,
      0xEDB88320U, 0xF00F9344U, 0xD6D6A3E8U, 0xCB61B38CU, 0x9B64C2B0U, 0x86D3D2D4U, 0xA00AE278U, 0xBDBDF21CU};
  std::uint32_t sum = ~0U;
  for (std::size_t i = 0; i < count; ++i) {
    sum ^= static_cast<std::uint32_t>(bytes[i]);
    sum = sum >> 4 ^ steps[sum & 15];
    sum = sum >> 4 ^ steps[sum & 15];
  }
  return ~sum;
}

namespace {

/// Calls visit(number, word) for every word of the header but the checksum.
template <class Visit>
void for_each_word(const ModelConfig& config, std::uint32_t file_bytes, const Visit& visit) noexcept {
  const std::uint32_t version = version_of(config);
  visit(0, model_magic);
  visit(1, version);
  visit(2, file_bytes);
  std::size_t next = checked_from / sizeof(std::uint32_t);
  const auto visit_member = [&](const char*, const auto& member) noexcept { visit(next++, to_word(member)); };
  for_each_plain_member(config, visit_member);
  if (version == extended_model_version) for_each_extended_member(config, visit_member);
  for (; next < header_bytes_of(version) / sizeof(std::uint32_t); ++next) visit(next, std::uint32_t{0});
}

}  // namespace

void write_header(const ModelConfig& config, std::uint32_t file_bytes, std::byte* file) noexcept {
  auto* const words = reinterpret_cast<std::uint32_t*>(file);
  for_each_word(config, file_bytes, [=](std::size_t number, std::uint32_t word) noexcept { words[number] = word; });
}

bool header_matches(const ModelConfig& config, std::uint32_t file_bytes, const std::byte* file) noexcept {
  const auto* const words = reinterpret_cast<const std::uint32_t*>(file);
  std::uint32_t apart = 0;  // a branch a word would be twice the code
  for_each_word(config, file_bytes,
                [&](std::size_t number, std::uint32_t word) noexcept { apart |= words[number] ^ word; });
  return apart == 0;
}

}  // namespace heed::detail
