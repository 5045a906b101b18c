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

/// What else has a meaning at file scope: a program's own, the C library's functions, which C++'s headers declare as
/// well, and macros of compilers and headers.
constexpr std::string_view library_names =
    " INFINITY NAN abort abs acos acosh aligned_alloc asin asinh atan atan2 atanh atexit atof atoi atol atoll "
    "bsearch calloc cbrt ceil clearerr copysign cos cosh div erf erfc exit exp exp2 expm1 fabs fclose fdim feof "
    "ferror fflush fgetc fgetpos fgets floor fma fmax fmin fmod fopen fprintf fputc fputs fread free freopen "
    "frexp fscanf fseek fsetpos ftell fwrite getc getchar getenv gets heed hypot ilogb labs ldexp ldiv lgamma "
    "linux llabs lldiv llrint llround log log10 log1p log2 logb lrint lround main malloc mblen mbstowcs mbtowc "
    "memchr memcmp memcpy memmove memset modf nan nearbyint nextafter nexttoward perror pow printf putc putchar "
    "puts qsort quick_exit rand realloc remainder remove remquo rename rewind rint round scalbln scalbn scanf "
    "setbuf setvbuf sin sinh snprintf sprintf sqrt srand sscanf std strcat strchr strcmp strcoll strcpy strcspn "
    "strerror strlen strncat strncmp strncpy strpbrk strrchr strspn strstr strtod strtof strtok strtol strtold "
    "strtoll strtoul strtoull strxfrm system tan tanh tgamma tmpfile tmpnam trunc ungetc unix vfprintf vfscanf "
    "vprintf vscanf vsnprintf vsprintf vsscanf wcstombs wctomb ";

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

bool lists(std::string_view words, const std::string& name) {
  return words.find(" " + name + " ") != std::string_view::npos;
}

/// Also the math library's functions of float and long double, and what <stdint.h> has and may have.
bool is_library_name(const std::string& name) {
  if (lists(library_names, name) || name.ends_with("_t")) return true;
  if (name.ends_with('f') || name.ends_with('l')) return lists(library_names, name.substr(0, name.size() - 1));
  const bool stdint_end = name.ends_with("_MAX") || name.ends_with("_MIN") || name.ends_with("_C");
  for (const char* begin : {"INT", "UINT", "SIZE_", "PTRDIFF_", "SIG_ATOMIC_", "WCHAR_", "WINT_"}) {
    if (stdint_end && name.starts_with(begin)) return true;
  }
  return false;
}

/// heed's headers declare such names.
bool is_own(std::string_view name) {
  return name.starts_with("heed_") || name.starts_with("HEED_");
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
  if (lists(keywords, text)) throw Failure(option + " " + text + ": a keyword of C or C++");
  if (is_reserved(text)) throw Failure(option + " " + text + ": a name that is reserved in C or C++");
  if (is_library_name(text)) throw Failure(option + " " + text + ": a name that programs or their libraries have");
  if (is_own(text)) throw Failure(option + " " + text + ": names that begin so are those of heed's headers");
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
