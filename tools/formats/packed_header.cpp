// SPDX-License-Identifier: MIT
#include "formats/packed_header.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace heed::tools {

namespace {

constexpr std::size_t words_per_line = 8;

/// "0x%08X, " with a line break after every eighth. The bytes are in the order of a little-endian machine, as heed's
/// packed weights always are.
std::string words_of(std::span<const std::byte> packed) {
  std::string text;
  const std::size_t count = packed.size() / sizeof(std::uint32_t);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t word = 0;
    std::memcpy(&word, packed.data() + i * sizeof(word), sizeof(word));
    char digits[16];
    std::snprintf(digits, sizeof(digits), "0x%08X", static_cast<unsigned>(word));
    text += i % words_per_line == 0 ? "  " : " ";
    text += digits;
    text += i % words_per_line == words_per_line - 1 || i + 1 == count ? ",\n" : ",";
  }
  return text;
}

bool is_letter(char character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') || character == '_';
}

bool is_digit(char character) {
  return character >= '0' && character <= '9';
}

}  // namespace

bool is_identifier(const std::string& text) {
  return !text.empty() && is_letter(text.front()) && std::all_of(text.begin(), text.end(), [](char character) {
    return is_letter(character) || is_digit(character);
  });
}

std::string packed_header(const std::string& name, const MultiHeadPlan& plan, std::span<const std::byte> packed,
                          bool arena) {
  std::string sizes;
  const auto add = [&](const char* field, std::uint32_t value) {
    sizes += "  " + name + "_" + field + " = " + std::to_string(value) + ",\n";
  };
  const MultiHeadConfig& config = plan.config;
  add("model_dim", config.model_dim);
  add("heads", config.heads);
  add("kv_heads", config.kv_heads);
  add("head_dim", config.head_dim);
  add("value_dim", config.value_dim);
  add("kv_input_dim", config.kv_input_dim);
  add("output_dim", config.output_dim);
  if (arena) {
    add("max_keys", config.max_keys);
    add("sequences", config.max_sequences);
    add("workers", config.workers);
    add("scratch_budget", config.scratch_budget);
    add("arena_bytes", plan.bytes);
  }
  add("bytes", plan.weights_bytes);
  sizes.replace(sizes.size() - 2, 1, "");

  return "/* Made by `heed pack`: a layer's weights in the layout that heed reads, and what they were packed for. */\n"
         "#pragma once\n\n#include <stdint.h>\n\n#include \"heed/heed_types.h\"\n\n"
         "enum {\n" +
         sizes + "};\n\nHEED_ALIGNED static const uint32_t " + name + "[" +
         std::to_string(packed.size() / sizeof(std::uint32_t)) + "] = {\n" + words_of(packed) + "};\n";
}

}  // namespace heed::tools
