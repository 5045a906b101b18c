// SPDX-License-Identifier: MIT
#include "formats/npy_file.hpp"

#include <charconv>
#include <system_error>

#include "support/failure.hpp"

namespace heed::tools {

namespace {

/// Finds the dictionary of the header. Every length is checked here, because xtensor's own reader trusts them.
std::string take_header(NpyFile& npy, const std::string& name) {
  constexpr std::string_view magic = "\x93NUMPY";
  constexpr std::size_t longest = 4096;
  const std::string_view bytes = npy.bytes;
  if (!bytes.starts_with(magic)) throw Failure(name + ": not a .npy file");
  const int version = bytes.size() > magic.size() ? bytes[magic.size()] : 0;
  if (version < 1 || version > 3) throw Failure(name + ": .npy version " + std::to_string(version) + " is unknown");
  const std::size_t length_begin = magic.size() + 2;
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  npy.data_begin = length_begin + length_bytes;
  if (bytes.size() < npy.data_begin) throw Failure(name + ": the .npy header is cut off");
  std::size_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) {
    length = length << 8 | static_cast<unsigned char>(bytes[length_begin + i]);
  }
  if (length > bytes.size() - npy.data_begin) throw Failure(name + ": the .npy header is cut off");
  if (length > longest) throw Failure(name + ": the .npy header is too long for a plain array");
  std::string header(bytes.substr(npy.data_begin, length));
  npy.data_begin += length;
  std::erase_if(header, [](char character) { return character == ' ' || character == '\n'; });
  return header;
}

/// Cuts the text up to a mark, and the mark itself, off its front.
std::string_view cut(std::string_view& text, std::string_view mark, const std::string& name) {
  const std::size_t end = text.find(mark);
  if (end == std::string_view::npos) throw Failure(name + ": the .npy header does not describe a plain array");
  const std::string_view front = text.substr(0, end);
  text.remove_prefix(end + mark.size());
  return front;
}

void parse_header(std::string_view header, NpyFile& npy, const std::string& name) {
  cut(header, "{'descr':'", name);
  npy.type = cut(header, "','fortran_order':", name);
  const std::string_view order = cut(header, ",'shape':(", name);
  npy.fortran_order = order == "True";
  if (!npy.fortran_order && order != "False") throw Failure(name + ": the .npy header gives no valid order");
  const std::string_view sizes = cut(header, ")", name);
  const char* const end = sizes.data() + sizes.size();
  for (const char* from = sizes.data(); from != end;) {
    std::size_t size = 0;
    const auto [rest, error] = std::from_chars(from, end, size);
    if (error != std::errc{} || (rest != end && *rest != ',')) {
      throw Failure(name + ": the .npy header does not give a valid shape");
    }
    npy.shape.push_back(size);
    from = rest == end ? end : rest + 1;
  }
  if (header != ",}" && header != "}") throw Failure(name + ": the .npy header goes on after the shape");
}

/// Bytes of one element of a type this command reads, or 0.
std::size_t npy_element_bytes(std::string_view type) {
  if (type == "|b1" || type == "|u1") return 1;
  if (type == "<f2" || type == bfloat16_type) return 2;
  if (type == "<f4" || type == "<i4") return 4;
  if (type == "<f8" || type == "<i8") return 8;
  return 0;
}

}  // namespace

NpyFile parse_npy(std::string_view bytes, const std::string& name) {
  NpyFile npy;
  npy.bytes = bytes;
  const std::string header = take_header(npy, name);
  parse_header(header, npy, name);
  const std::size_t element = npy_element_bytes(npy.type);
  if (element == 0) throw Failure(name + ": element type " + npy.type + " is not supported");
  const std::uint64_t wanted = claimed_bytes(npy.shape, element, name);
  const std::uint64_t found = npy.bytes.size() - npy.data_begin;
  if (wanted != found) {
    throw Failure(name + ": shape " + describe(npy.shape) + " needs " + std::to_string(wanted) +
                  " bytes of data, but the file has " + std::to_string(found));
  }
  return npy;
}

}  // namespace heed::tools
