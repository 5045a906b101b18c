// SPDX-License-Identifier: MIT
#include "options/lengths.hpp"

#include <charconv>
#include <string_view>
#include <system_error>

#include "formats/npy.hpp"
#include "support/failure.hpp"

namespace heed::tools {

namespace {

/// The whole numbers between the commas of a text.
std::vector<std::int64_t> parse_integers(const std::string& option, const std::string& text) {
  std::vector<std::int64_t> integers;
  const char* from = text.data();
  const char* const end = from + text.size();
  for (;;) {
    std::int64_t value = 0;
    const auto [rest, error] = std::from_chars(from, end, value);
    if (error != std::errc{} || (rest != end && *rest != ',')) {
      throw Failure(option + " " + text + ": whole numbers with commas between them are needed");
    }
    integers.push_back(value);
    if (rest == end) return integers;
    from = rest + 1;
  }
}

}  // namespace

std::vector<std::uint32_t> read_lengths(const std::string& option, const std::string& text, std::size_t batch,
                                        std::uint32_t limit) {
  const std::string name = option + " " + text;
  const bool is_list = text.find_first_not_of("0123456789,-") == std::string::npos;
  IntegerArray array;
  if (is_list) {
    array.values = parse_integers(option, text);
    array.shape = {array.values.size()};
  } else {
    array = with_option(option, [&] { return read_npy_integers(text); });
  }
  if (array.shape != Shape{batch}) {
    throw Failure(name + ": lengths of shape " + describe(array.shape) + " where " + describe({batch}) + " is needed");
  }
  std::vector<std::uint32_t> lengths;
  for (const std::int64_t length : array.values) {
    if (length < 0 || length > limit) {
      throw Failure(name + ": length " + std::to_string(length) + " is not within 0.." + std::to_string(limit));
    }
    lengths.push_back(static_cast<std::uint32_t>(length));
  }
  return lengths;
}

}  // namespace heed::tools
