// SPDX-License-Identifier: MIT
#include "formats/packed_source.hpp"

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "formats/member_text.hpp"

namespace heed::tools {

namespace {

constexpr std::size_t words_per_line = 8;

/// A definition; what is stored as usual is left out.
template <class Text>
std::string initialised(const std::string& declaration, const MultiHeadConfig& config, const Text& text_of) {
  std::string text = declaration + "_config = {\n";
  const auto line = [&](const char* member, auto value) {
    text += "    ." + std::string(member) + " = " + text_of(value) + ",\n";
  };
  for_each_layer_size(config, line);
  for_each_layer_count(config, line);
  for_each_layer_storage(config, [&](const char* member, auto value) {
    if (value != decltype(value){}) line(member, value);
  });
  return text + "};\n";
}

std::string config_text(const std::string& name, const MultiHeadConfig& config) {
  return "#ifdef __cplusplus\n" +
         initialised("inline constexpr heed::MultiHeadConfig " + name, config,
                     [](auto value) { return source_of(value); }) +
         "#else\n" +
         initialised("static const heed_multi_head_config " + name, config,
                     [](auto value) { return c_source_of(value); }) +
         "#endif\n";
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

std::string little_endian_alone(const std::string& name, const char* instead) {
  static_assert(std::endian::native == std::endian::little, "the words are those of this machine");
  return "#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__\n#error \"" + name +
         " was packed for little-endian CPUs: on this one " + instead + "\"\n#endif\n\n";
}

CSource packed_source(const std::string& name, const MultiHeadPlan& plan, std::span<const std::byte> packed,
                      bool arena) {
  MultiHeadConfig config = plan.config;
  if (!arena) config.max_keys = 0;
  std::vector<std::pair<const char*, std::uint32_t>> sizes;
  const auto add = [&](const char* member, std::uint32_t value) { sizes.emplace_back(member, value); };
  for_each_layer_size(config, add);
  if (arena) {
    for_each_layer_count(config, add);
    add("arena_bytes", plan.bytes);
  }
  add("bytes", plan.weights_bytes);
  // Words of float32 are elements, which have any CPU's order.
  std::string text = config.weight_type == DataType::float32
                         ? ""
                         : little_endian_alone(name, "take weights of float32, or call pack_weights()");
  text += "enum {\n";
  for (const auto& [field, value] : sizes) {
    text += "  " + name + "_" + field + " = " + std::to_string(value) + (&field == &sizes.back().first ? "\n" : ",\n");
  }
  text += "};\n\n";
  if (!arena) text += "/* The cache's size, max_keys, is yours to set: weights do not depend on it. */\n";
  text += config_text(name, config);
  return {.comment = "Made by `heed pack`: a layer's weights in the layout that heed reads, and its configuration.",
          .includes =
              "#include <stdint.h>\n\n#ifdef __cplusplus\n#include \"heed/layer.hpp\"\n#else\n"
              "#include \"heed/heed.h\"\n#endif\n#include \"heed/heed_types.h\"\n",
          .declarations = text,
          .qualifier = "HEED_ALIGNED ",
          .type = "uint32_t",
          .name = name,
          .count = packed.size() / sizeof(std::uint32_t),
          .elements = words_of(packed)};
}

}  // namespace heed::tools
