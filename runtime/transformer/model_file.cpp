// SPDX-License-Identifier: MIT
//
// The header of a model file, written and read.
#include "transformer/model_file.hpp"

#include "common/validation.hpp"
#include "heed/model.hpp"
#include "transformer/config_words.hpp"
#include "transformer/model_check.hpp"

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

void write_header(const ModelConfig& config, std::uint32_t file_bytes, std::uint32_t (&words)[header_words]) noexcept {
  for (std::uint32_t& word : words) word = 0;
  words[0] = model_magic;
  words[1] = model_version;
  words[2] = file_bytes;
  std::size_t next = checked_from / sizeof(std::uint32_t);
  for_each_member(config, [&](const char*, const auto& member) noexcept { words[next++] = to_word(member); });
}

bool header_matches(const ModelConfig& config, std::uint32_t file_bytes, const std::byte* file) noexcept {
  std::uint32_t expected[header_words];
  write_header(config, file_bytes, expected);
  const auto* words = reinterpret_cast<const std::uint32_t*>(file);
  expected[3] = words[3];
  for (std::size_t i = 0; i < header_words; ++i) {
    if (words[i] != expected[i]) return false;
  }
  return true;
}

}  // namespace heed::detail

namespace heed {
namespace {

[[nodiscard]] ModelFile refused_model(Status status, const char* field) noexcept {
  return {.status = status, .field = field, .config = {}};
}

/// The first member that no file says.
[[nodiscard]] const char* read_members(const std::uint32_t* words, ModelConfig& config) noexcept {
  std::size_t next = detail::checked_from / sizeof(std::uint32_t);
  const char* wrong = nullptr;
  detail::for_each_member(config, [&](const char* name, auto&& member) noexcept {
    if (!detail::from_word(words[next++], member) && wrong == nullptr) wrong = name;
  });
  for (; next < detail::header_words; ++next) {
    if (words[next] != 0 && wrong == nullptr) wrong = "header's last words";
  }
  return wrong;
}

}  // namespace

ModelFile read_model(std::span<const std::byte> file) noexcept {
  const Status memory = detail::check_memory(file, 0);
  if (memory != Status::ok) return refused_model(memory, "address");
  if (file.size() < detail::model_header_bytes) return refused_model(Status::bad_file, "length");
  const auto* const words = reinterpret_cast<const std::uint32_t*>(file.data());
  if (words[0] != detail::model_magic) return refused_model(Status::bad_file, "magic number");
  if (words[1] != detail::model_version) return refused_model(Status::bad_file, "version");
  if (words[2] > file.size() || words[2] < detail::model_header_bytes) return refused_model(Status::bad_file, "length");
  const std::size_t checked = words[2] - detail::checked_from;
  if (words[3] != detail::crc32(file.data() + detail::checked_from, checked)) {
    return refused_model(Status::bad_file, "checksum");
  }
  ModelConfig config;
  const char* const wrong = read_members(words, config);
  if (wrong != nullptr) return refused_model(Status::bad_file, wrong);
  // In place: a second plan would be two kilobytes more of the stack.
  ModelPlan plan;
  const Status status =
      detail::fill_model_plan(config, {.rows = 1, .max_keys = 1, .max_cross_keys = 1}, plan, detail::Unexplained{});
  if (status != Status::ok) return refused_model(status, "configuration");
  if (plan.file.bytes != words[2]) return refused_model(Status::bad_file, "length");
  if (!detail::header_matches(plan.config, words[2], file.data())) {
    return refused_model(Status::bad_file, "configuration");
  }
  if (!detail::blocks_match(plan, file.data())) return refused_model(Status::bad_file, "header of a block");
  return {.status = Status::ok, .field = "", .config = config};
}

}  // namespace heed
