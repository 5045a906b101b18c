// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/failure.hpp"

namespace heed::tools {

/// The members of a configuration that somebody else has written. Each is taken once, and what is left in the end is
/// refused: a member that nobody understands may change the result. A member that is not there has the default of the
/// library that wrote the file; null is taken where that library means something by it, and refused elsewhere.
/// Failures begin with the file's name and name the member.
class PublishedConfig {
 public:
  /// `members` is an object; `what` begins all failures.
  PublishedConfig(nlohmann::json members, std::string what) : members_(std::move(members)), what_(std::move(what)) {}

  [[nodiscard]] static PublishedConfig parse(std::string_view text, const std::string& what);

  [[nodiscard]] bool has(const char* member) const { return members_.contains(member); }

  /// Whether a member is there and not null.
  [[nodiscard]] bool says(const char* member) const;

  /// A whole number of at least 1 and at most 32 bits.
  std::uint32_t take_count(const char* member, std::uint32_t by_default);
  /// Null is nothing.
  std::optional<std::uint32_t> take_optional_count(const char* member, std::optional<std::uint32_t> by_default);

  /// A finite number.
  double take_number(const char* member, double by_default);
  std::optional<double> take_optional_number(const char* member, std::optional<double> by_default);

  bool take_flag(const char* member, bool by_default);
  std::string take_word(const char* member, const std::string& by_default);

  /// Whatever is there; nothing if there is nothing or null.
  std::optional<nlohmann::json> take(const char* member);
  std::optional<PublishedConfig> take_object(const char* member);

  /// A list of which every element is a word, or a number.
  std::optional<std::vector<std::string>> take_words(const char* member);
  std::optional<std::vector<double>> take_numbers(const char* member);

  /// A member that may be left out, null or one of these values, and must not be anything else.
  void require(const char* member, std::initializer_list<nlohmann::json> allowed);

  /// Members that change no result here.
  void leave(std::initializer_list<const char*> members);

  /// Members that nobody has taken.
  [[nodiscard]] std::vector<std::string> rest() const;

  /// There are none of them.
  void finish() const;

  [[nodiscard]] Failure refused(const std::string& member, const std::string& reason) const;

  [[nodiscard]] const std::string& what() const { return what_; }

  /// Members that leave() has found.
  [[nodiscard]] const std::vector<std::string>& left() const { return left_; }

 private:
  nlohmann::json members_;
  std::string what_;
  std::vector<std::string> left_;
};

}  // namespace heed::tools
