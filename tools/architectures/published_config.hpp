// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "architectures/member_report.hpp"
#include "support/failure.hpp"

namespace heed::tools {

/// The members of a configuration that somebody else has written. Each is taken once, and what is left in the end is
/// refused: a member that nobody understands may change the result, unless it is null. A member that is not there has
/// the default of the library that wrote the file; null is taken where that library means something by it, and refused
/// elsewhere. Failures begin with the file's name and name the member.
class PublishedConfig {
 public:
  using Report = std::shared_ptr<MemberReport>;

  /// `members` is an object; `what` begins all failures. What is found goes into the report, one of its own by default.
  PublishedConfig(nlohmann::json members, std::string what, Report report = std::make_shared<MemberReport>())
      : members_(std::move(members)), what_(std::move(what)), report_(std::move(report)) {}

  [[nodiscard]] static PublishedConfig parse(std::string_view text, const std::string& what,
                                             Report report = std::make_shared<MemberReport>());

  [[nodiscard]] bool has(const char* member) const { return members_.contains(member); }

  /// Whether a member is there and not null.
  [[nodiscard]] bool says(const char* member) const;

  /// A whole number of at least 1 and at most 32 bits.
  std::uint32_t take_count(const char* member, std::uint32_t by_default);
  /// Null is nothing.
  std::optional<std::uint32_t> take_optional_count(const char* member, std::optional<std::uint32_t> by_default);

  /// What is there, which stays to be taken, or this.
  [[nodiscard]] nlohmann::json peek(const char* member, nlohmann::json by_default) const {
    return says(member) ? members_.at(member) : std::move(by_default);
  }

  /// A finite number.
  double take_number(const char* member, double by_default);
  std::optional<double> take_optional_number(const char* member, std::optional<double> by_default);

  bool take_flag(const char* member, bool by_default);
  std::string take_word(const char* member, const std::string& by_default);

  /// Whatever is there; nothing if there is nothing or null.
  std::optional<nlohmann::json> take(const char* member);
  std::optional<PublishedConfig> take_object(const char* member);

  /// An object that is there or not, its members named "name.member" with the same report.
  [[nodiscard]] PublishedConfig inside(const char* name, nlohmann::json members) const;

  /// A list of which every element is a word, or a number.
  std::optional<std::vector<std::string>> take_words(const char* member);
  std::optional<std::vector<double>> take_numbers(const char* member);

  /// A member that may be left out, null or one of these values, and must not be anything else.
  void require(const char* member, std::initializer_list<nlohmann::json> allowed);

  /// Members that change no result here.
  void leave(std::span<const char* const> members);
  void leave(std::initializer_list<const char*> members) { leave(std::span(members.begin(), members.size())); }

  /// A member that the library's class does not read, which has `effective` whatever is said: anything else is refused
  /// unless --ignore-member names it.
  void unread(const char* member, const nlohmann::json& effective, const std::string& instead);

  /// Another name of a member, which the library takes for it. Both may be there if they say the same.
  void rename(const char* alias, const char* member);

  /// A second place for a member, which nobody reads: left out if it says the same.
  void leave_copy(const char* copy, const char* member);

  /// A line for whoever packs the model.
  void note(std::string text) const { report_->note(std::move(text)); }

  /// Members that nobody has taken.
  [[nodiscard]] std::vector<std::string> rest() const;

  /// There are none of them but those that are null, and those that --ignore-member names.
  void finish();

  [[nodiscard]] Failure refused(const std::string& member, const std::string& reason) const;

  [[nodiscard]] const std::string& what() const { return what_; }

 private:
  [[nodiscard]] std::string full(const std::string& member) const { return path_ + member; }

  nlohmann::json members_;
  std::string what_;
  Report report_;
  std::string path_ = {};  ///< of an object in another one, "rope_parameters."
};

}  // namespace heed::tools
