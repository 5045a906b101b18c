// SPDX-License-Identifier: MIT
//
// The first bytes of a model file: 32-bit words, little-endian.
#pragma once

#include <cstddef>
#include <cstdint>

#include "format/crc32.hpp"
#include "heed/model.hpp"

namespace heed::detail {

/// Of models whose rows are floats, as 0.2 and 0.3 wrote them, of those with rows of integers, as 0.4 did, and of those
/// with the long header.
inline constexpr std::uint32_t model_version = 1;
inline constexpr std::uint32_t integer_model_version = 2;
inline constexpr std::uint32_t extended_model_version = 3;

[[nodiscard]] inline std::uint32_t version_of(const ModelPlan& plan) noexcept {
  const ModelConfig& config = plan.config;
  if (has_long_header(config)) return extended_model_version;
  const bool floats = plan.block.products < by_integer_rows && config.input_row_type == DataType::float32 &&
                      config.head_row_type == DataType::float32;
  return floats ? model_version : integer_model_version;
}

/// Words 0 to 3: magic, version, bytes of the file, and a CRC-32 of all that comes after it.
inline constexpr std::size_t checked_from = 4 * sizeof(std::uint32_t);
inline constexpr std::size_t header_words = extended_header_bytes / sizeof(std::uint32_t);

/// Of a file of this version.
[[nodiscard]] constexpr std::uint32_t header_bytes_of(std::uint32_t version) noexcept {
  return version == extended_model_version ? extended_header_bytes : model_header_bytes;
}

/// All but the checksum; the words that a configuration leaves are 0.
void write_header(const ModelPlan& plan, std::byte* file) noexcept;

/// Whether a file was written for this plan. The checksum is not looked at.
[[nodiscard]] bool header_matches(const ModelPlan& plan, const std::byte* file) noexcept;

}  // namespace heed::detail
