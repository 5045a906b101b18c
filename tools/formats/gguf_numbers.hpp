// SPDX-License-Identifier: MIT
//
// How the tensors of a GGUF file store numbers.
#pragma once

#include <cstdint>

#include "formats/stored_numbers.hpp"

namespace heed::tools {

/// 32 numbers q * d with a float16 d and q of 8 bits, of 5 bits from -16 to 15, or of 4 bits from -8 to 7.
extern const NumberFormat q8_0_numbers;
extern const NumberFormat q5_0_numbers;
extern const NumberFormat q4_0_numbers;

/// A type of GGUF. Null for one that is not known; its format is null if it is known and not supported.
struct GgufType {
  std::uint32_t number;
  const char* name;
  const NumberFormat* format;
};
[[nodiscard]] const GgufType* gguf_type(std::uint32_t number);

/// The types that are supported, in words.
[[nodiscard]] const char* supported_gguf_types();

/// Whether a block has 32 integers and a float16 scale.
[[nodiscard]] bool is_grouped(const NumberFormat& format);

/// The integers [32] and the scale's bits of such a block.
[[nodiscard]] std::uint16_t read_group(const NumberFormat& format, const char* block, std::int8_t* integers);

}  // namespace heed::tools
