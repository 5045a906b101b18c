// SPDX-License-Identifier: MIT
//
// What the bytes of a GGUF file before its data consist of.
#pragma once

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "support/failure.hpp"

namespace heed::tools {

/// Reads from the front of the bytes. `what` is what is being read, for messages.
class GgufCursor {
 public:
  static constexpr std::uint64_t longest_name = 65535;

  GgufCursor(const std::string& name, std::string_view bytes) : name_(name), bytes_(bytes) {}

  [[nodiscard]] Failure refused(const std::string& what, const std::string& reason) const {
    return Failure(full(what) + ": " + reason);
  }

  /// After the name of the file.
  [[nodiscard]] std::string full(const std::string& what) const { return name_ + ": " + what; }

  std::string_view take(std::uint64_t count, const std::string& what) {
    if (count > bytes_.size() - at_) {
      throw refused(what, std::to_string(count) + " bytes are needed, and " + std::to_string(bytes_.size() - at_) +
                              " are left in the file");
    }
    const std::string_view taken = bytes_.substr(at_, count);
    at_ += count;
    return taken;
  }

  template <class Number>
  Number number(const std::string& what) {
    Number value;
    std::memcpy(&value, take(sizeof value, what).data(), sizeof value);
    return value;
  }

  std::string_view text(const std::string& what) {
    const auto length = number<std::uint64_t>(what + ", length");
    return take(length, what);
  }

  /// A name or a key, of characters that can be shown.
  std::string word(const std::string& what) {
    const std::string_view taken = text(what);
    if (taken.empty() || taken.size() > longest_name) {
      throw refused(what, "it is " + std::to_string(taken.size()) + " bytes long");
    }
    for (const char character : taken) {
      if (character < 0x21 || character > 0x7E) throw refused(what, "it has a byte that is no letter of a name");
    }
    return std::string(taken);
  }

  [[nodiscard]] std::uint64_t position() const { return at_; }

 private:
  const std::string& name_;
  std::string_view bytes_;
  std::uint64_t at_ = 0;
};

/// The value of a key, whose type is one of GGUF's. One that is not kept is looked at as far as its length goes.
[[nodiscard]] nlohmann::json take_gguf_value(GgufCursor& cursor, std::uint32_t type, bool kept,
                                             const std::string& what);

/// A value where it lies in the file: of GGUF's type, its bytes.
struct GgufValue {
  std::uint32_t type = 0;
  std::string_view bytes{};
};

/// A text, the elements of a list of texts, whatever bytes they have, or those of a list of numbers. `name` is the
/// file's; a Failure if the value is anything else.
[[nodiscard]] std::string_view gguf_text(const GgufValue& value, const std::string& name, const std::string& what);
[[nodiscard]] std::vector<std::string_view> gguf_texts(const GgufValue& value, const std::string& name,
                                                       const std::string& what);
[[nodiscard]] std::vector<double> gguf_list(const GgufValue& value, const std::string& name, const std::string& what);

}  // namespace heed::tools
