// SPDX-License-Identifier: MIT
#include "formats/model_source.hpp"

#include "formats/model_config.hpp"
#include "formats/packed_source.hpp"
#include "support/failure.hpp"

namespace heed::tools {

namespace {

std::string config_text(const std::string& name, const ModelConfig& config) {
  return "#ifdef __cplusplus\n" + config_source(config, name + "_config") + "#else\n" +
         c_config_source(config, name + "_config") + "#endif\n";
}

std::string order_guard(const std::string& name) {
  return little_endian_alone(name, "call pack_model()");
}

const char* const includes =
    "#include <stdint.h>\n\n#ifdef __cplusplus\n#include \"heed/model.hpp\"\n#else\n"
    "#include \"heed/heed_model_config.h\"\n#endif\n"
    "#include \"heed/heed_types.h\"\n";

/// The file's name without folders, as .incbin takes it: the assembler looks for it in the folders of -I.
std::string quoted_name(const std::filesystem::path& model) {
  const std::string name = model.filename().string();
  for (const char character : name) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte < 0x20 || byte == 0x7F || character == '"' || character == '\\') {
      throw Failure("--incbin: --out " + model.string() + ": a name that an assembler cannot include");
    }
  }
  return '"' + name + '"';
}

std::filesystem::path header_of(const std::filesystem::path& stub) {
  std::filesystem::path header = stub;
  header.replace_extension(".h");
  if (header == stub) throw Failure("--incbin: " + stub.string() + ": the name of its header; .S is needed");
  return header;
}

}  // namespace

CSource model_source(const std::string& name, const ModelConfig& config, std::span<const std::byte> file) {
  return {.comment = "Made by `heed pack`: a model file, and its configuration.",
          .includes = includes,
          .declarations = order_guard(name) + "enum { " + name + "_bytes = " + std::to_string(file.size()) + " };\n\n" +
                          config_text(name, config),
          .qualifier = "HEED_ALIGNED ",
          .type = "uint32_t",
          .name = name,
          .count = file.size() / sizeof(std::uint32_t),
          .elements = words_of(file)};
}

void expect_incbin(const std::filesystem::path& stub) {
  static_cast<void>(expect_output(stub, "--incbin"));
  require_kind(stub, "--incbin", OutputKind::assembler);
  static_cast<void>(expect_output(header_of(stub), "--incbin"));
}

void add_incbin(OutputFiles& files, const std::filesystem::path& stub, const std::filesystem::path& model,
                const std::string& name, const ModelConfig& config, std::size_t bytes) {
  const std::filesystem::path header = header_of(stub);
  const std::string size = std::to_string(bytes);
  // A section of its own, which a linker script can put into another memory.
  files.add(stub,
            "/* Made by `heed pack`: a model file in constant data. */\n"
            "  .section .rodata.heed_model." +
                name +
                ", \"a\", %progbits\n"
                "  .balign 64\n"
                "  .global " +
                name +
                "\n"
                "  .type " +
                name +
                ", %object\n"
                "  .size " +
                name + ", " + size + "\n" + name +
                ":\n"
                "  .incbin " +
                quoted_name(model) + ", 0, " + size +
                "\n"
                "  .balign 4\n"
                "  .global " +
                name +
                "_bytes\n"
                "  .type " +
                name +
                "_bytes, %object\n"
                "  .size " +
                name + "_bytes, 4\n" + name +
                "_bytes:\n"
                "  .4byte " +
                size +
                "\n"
                "#if defined(__linux__) && defined(__ELF__)\n"
                "  .section .note.GNU-stack, \"\", %progbits\n"
                "#endif\n",
            "--incbin");
  files.add(header,
            std::string("/* Made by `heed pack`: a model file in constant data, and its configuration. */\n") +
                "#pragma once\n\n" + includes + "\n" + order_guard(name) + config_text(name, config) +
                "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\nHEED_ALIGNED extern const uint32_t " + name + "[" +
                std::to_string(bytes / sizeof(std::uint32_t)) + "];\nextern const uint32_t " + name +
                "_bytes;\n#ifdef __cplusplus\n}\n#endif\n",
            "--incbin");
}

}  // namespace heed::tools
