// SPDX-License-Identifier: MIT
#include "formats/c_source.hpp"

#include <string_view>

#include "support/failure.hpp"

namespace heed::tools {

namespace {

/// Keywords of C up to C23 and of C++ up to C++20, and what their headers define in the place of one.
constexpr std::string_view keywords =
    " NULL alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class "
    "co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype "
    "default "
    "delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline int long "
    "mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register "
    "reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast struct switch "
    "template this thread_local throw true try typedef typeid typename typeof typeof_unqual union unsigned using "
    "virtual void volatile wchar_t while xor xor_eq ";

bool is_letter(char character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') || character == '_';
}

bool is_name(std::string_view text) {
  if (text.empty() || !is_letter(text.front())) return false;
  for (const char character : text) {
    if (!is_letter(character) && !(character >= '0' && character <= '9')) return false;
  }
  return true;
}

bool is_keyword(const std::string& name) {
  return keywords.find(" " + name + " ") != std::string_view::npos;
}

/// Names that begin with an underscore, or have two in a row, belong to compilers and their libraries.
bool is_reserved(std::string_view text) {
  return text.front() == '_' || text.find("__") != std::string_view::npos;
}

/// The name of a header, as `#include "..."` takes it.
std::string include_name(const std::filesystem::path& header) {
  std::string name = header.filename().string();
  for (const char character : name) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte < 0x20 || byte == 0x7F || character == '"' || character == '\\') {
      throw Failure("--extern: --out " + header.string() + ": a name that C cannot include");
    }
  }
  return name;
}

}  // namespace

void require_c_name(const std::string& option, const std::string& text) {
  if (!is_name(text)) throw Failure(option + " " + text + ": not a name in C and C++");
  if (is_keyword(text)) throw Failure(option + " " + text + ": a keyword of C or C++");
  if (is_reserved(text)) throw Failure(option + " " + text + ": a name that is reserved in C or C++");
}

void add_c_source(OutputFiles& files, const std::filesystem::path& file, const std::filesystem::path& definition,
                  const CSource& source) {
  const std::string array = "const " + source.type + " " + source.name + "[" + std::to_string(source.count) + "]";
  const std::string values = " = {\n" + source.elements + "};\n";
  const std::string comment = "/* " + source.comment + " */\n";
  std::string header = comment + "#pragma once\n\n" + source.includes + "\n" + source.declarations + "\n";
  if (definition.empty()) {
    files.add(file, header + source.qualifier + "static " + array + values, "--out");
    return;
  }
  header += "#ifdef __cplusplus\nextern \"C\" {\n#endif\n" + source.qualifier + "extern " + array +
            ";\n#ifdef __cplusplus\n}\n#endif\n";
  files.add(file, std::move(header), "--out");
  files.add(definition, comment + "#include \"" + include_name(file) + "\"\n\n" + source.qualifier + array + values,
            "--extern");
}

}  // namespace heed::tools
