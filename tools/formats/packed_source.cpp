// SPDX-License-Identifier: MIT
#include "formats/packed_source.hpp"

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "formats/config_fields.hpp"

namespace heed::tools {

namespace {

constexpr std::size_t words_per_line = 8;

std::string config_text(const std::string& name, const ConfigFields& fields) {
  std::string initialiser = " = {\n";
  for (const auto& [field, value] : fields) {
    initialiser += std::string("    .") + field + " = " + std::to_string(value) + ",\n";
  }
  initialiser += "};\n";
  return "#ifdef __cplusplus\ninline constexpr heed::MultiHeadConfig " + name + "_config" + initialiser +
         "#else\nstatic const heed_multi_head_config " + name + "_config" + initialiser + "#endif\n";
}

}  // namespace

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

CSource packed_source(const std::string& name, const MultiHeadPlan& plan, std::span<const std::byte> packed,
                      bool arena) {
  MultiHeadConfig config = plan.config;
  if (!arena) config.max_keys = 0;
  const ConfigFields fields = fields_of(config);
  ConfigFields sizes = fields;
  if (arena) {
    sizes.emplace_back("arena_bytes", plan.bytes);
  } else {
    sizes.resize(weight_fields);
  }
  sizes.emplace_back("bytes", plan.weights_bytes);
  std::string text = "enum {\n";
  for (const auto& [field, value] : sizes) {
    text += "  " + name + "_" + field + " = " + std::to_string(value) + (&field == &sizes.back().first ? "\n" : ",\n");
  }
  text += "};\n\n";
  if (!arena) text += "/* The cache's size, max_keys, is yours to set: weights do not depend on it. */\n";
  text += config_text(name, fields);
  return {.comment = "Made by `heed pack`: a layer's weights in the layout that heed reads, and its configuration.",
          .includes =
              "#include <stdint.h>\n\n#ifdef __cplusplus\n#include \"heed/multi_head.hpp\"\n#else\n"
              "#include \"heed/heed.h\"\n#endif\n#include \"heed/heed_types.h\"\n",
          .declarations = text,
          .qualifier = "HEED_ALIGNED ",
          .type = "uint32_t",
          .name = name,
          .count = packed.size() / sizeof(std::uint32_t),
          .elements = words_of(packed)};
}

}  // namespace heed::tools
