// SPDX-License-Identifier: MIT
#include "common/validation.hpp"
#include "heed/model.hpp"
#include "transformer/config_words.hpp"
#include "transformer/model_check.hpp"
#include "transformer/model_file.hpp"

namespace heed {
namespace {

[[nodiscard]] ModelFile refused_model(Status status, const char* field) noexcept {
  return {.status = status, .field = field, .config = {}};
}

/// Reads the members; returns the name of the first whose word no file has, or null.
[[nodiscard]] const char* read_members(const std::uint32_t* words, ModelConfig& config) noexcept {
  std::size_t next = detail::checked_from / sizeof(std::uint32_t);
  const char* wrong = nullptr;
  const auto read = [&](const char* name, auto&& member) noexcept {
    if (!detail::from_word(words[next++], member) && wrong == nullptr) wrong = name;
  };
  detail::for_each_plain_member(config, read);
  if (words[1] == detail::extended_model_version) detail::for_each_extended_member(config, read);
  for (; next < detail::header_bytes_of(words[1]) / sizeof(std::uint32_t); ++next) {
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
  if (words[1] < detail::model_version || words[1] > detail::extended_model_version) {
    return refused_model(Status::bad_file, "version");
  }
  if (words[2] > file.size() || words[2] < detail::header_bytes_of(words[1])) {
    return refused_model(Status::bad_file, "length");
  }
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
  if (!detail::header_matches(plan, file.data())) {
    return refused_model(Status::bad_file, "configuration");
  }
  if (!detail::blocks_match(plan, file.data())) return refused_model(Status::bad_file, "header of a block");
  return {.status = Status::ok, .field = "", .config = config};
}

}  // namespace heed
