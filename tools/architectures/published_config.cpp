// SPDX-License-Identifier: MIT
#include "architectures/published_config.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "formats/json_text.hpp"

namespace heed::tools {

namespace {

constexpr std::size_t longest_value = 60;  ///< that a message shows

std::string shown(const nlohmann::json& value) {
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  return text.size() <= longest_value ? text : text.substr(0, longest_value) + "...";
}

}  // namespace

PublishedConfig PublishedConfig::parse(std::string_view text, const std::string& what, Report report) {
  nlohmann::json members = parse_json(text, what);
  if (!members.is_object()) throw Failure(what + ": not a JSON object");
  return {std::move(members), what, std::move(report)};
}

PublishedConfig PublishedConfig::inside(const char* name, nlohmann::json members) const {
  PublishedConfig object(std::move(members), what_ + ": " + name, report_);
  object.path_ = full(name) + '.';
  return object;
}

Failure PublishedConfig::refused(const std::string& member, const std::string& reason) const {
  return Failure(what_ + ": " + member + ": " + reason);
}

bool PublishedConfig::says(const char* member) const {
  const auto found = members_.find(member);
  return found != members_.end() && !found->is_null();
}

std::optional<nlohmann::json> PublishedConfig::take(const char* member) {
  const auto found = members_.find(member);
  if (found == members_.end()) return {};
  nlohmann::json value = std::move(*found);
  members_.erase(found);
  if (value.is_null()) return {};
  return value;
}

std::optional<std::uint32_t> PublishedConfig::take_optional_count(const char* member,
                                                                  std::optional<std::uint32_t> by_default) {
  if (!has(member)) return by_default;
  const std::optional<nlohmann::json> value = take(member);
  if (!value) return {};
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  // Of a type with a sign or without.
  const bool positive = value->is_number_unsigned() || (value->is_number_integer() && value->get<std::int64_t>() >= 0);
  if (!positive || value->get<std::uint64_t>() > most || value->get<std::uint64_t>() == 0) {
    throw refused(member, shown(*value) + " is said, and a whole number from 1 is needed, of at most 32 bits");
  }
  return value->get<std::uint32_t>();
}

std::uint32_t PublishedConfig::take_count(const char* member, std::uint32_t by_default) {
  const std::optional<std::uint32_t> value = take_optional_count(member, by_default);
  if (!value) throw refused(member, "null is said, and a whole number is needed");
  return *value;
}

std::optional<double> PublishedConfig::take_optional_number(const char* member, std::optional<double> by_default) {
  if (!has(member)) return by_default;
  const std::optional<nlohmann::json> value = take(member);
  if (!value) return {};
  if (!value->is_number() || !std::isfinite(value->get<double>())) {
    throw refused(member, shown(*value) + " is said, and a finite number is needed");
  }
  return value->get<double>();
}

double PublishedConfig::take_number(const char* member, double by_default) {
  const std::optional<double> value = take_optional_number(member, by_default);
  if (!value) throw refused(member, "null is said, and a number is needed");
  return *value;
}

bool PublishedConfig::take_flag(const char* member, bool by_default) {
  if (!has(member)) return by_default;
  const std::optional<nlohmann::json> value = take(member);
  if (!value || !value->is_boolean()) {
    throw refused(member, (value ? shown(*value) : "null") + " is said, and true or false is needed");
  }
  return value->get<bool>();
}

std::string PublishedConfig::take_word(const char* member, const std::string& by_default) {
  if (!has(member)) return by_default;
  const std::optional<nlohmann::json> value = take(member);
  if (!value || !value->is_string()) {
    throw refused(member, (value ? shown(*value) : "null") + " is said, and a text is needed");
  }
  return value->get<std::string>();
}

std::optional<PublishedConfig> PublishedConfig::take_object(const char* member) {
  const std::optional<nlohmann::json> value = take(member);
  if (!value) return {};
  if (!value->is_object()) throw refused(member, shown(*value) + " is said, and an object is needed");
  return inside(member, *value);
}

std::optional<std::vector<std::string>> PublishedConfig::take_words(const char* member) {
  const std::optional<nlohmann::json> value = take(member);
  if (!value) return {};
  const auto is_word = [](const nlohmann::json& element) { return element.is_string(); };
  if (!value->is_array() || !std::all_of(value->begin(), value->end(), is_word)) {
    throw refused(member, shown(*value) + " is said, and a list of texts is needed");
  }
  return value->get<std::vector<std::string>>();
}

std::optional<std::vector<double>> PublishedConfig::take_numbers(const char* member) {
  const std::optional<nlohmann::json> value = take(member);
  if (!value) return {};
  const auto is_number = [](const nlohmann::json& element) { return element.is_number(); };
  if (!value->is_array() || !std::all_of(value->begin(), value->end(), is_number)) {
    throw refused(member, shown(*value) + " is said, and a list of numbers is needed");
  }
  return value->get<std::vector<double>>();
}

void PublishedConfig::require(const char* member, std::initializer_list<nlohmann::json> allowed) {
  const std::optional<nlohmann::json> value = take(member);
  if (!value || std::find(allowed.begin(), allowed.end(), *value) != allowed.end()) return;
  std::string known;
  for (const nlohmann::json& one : allowed) known += (known.empty() ? "" : " or ") + shown(one);
  throw refused(member, shown(*value) + " is said, and " + (known.empty() ? "only null" : known) + " is supported");
}

void PublishedConfig::leave(std::span<const char* const> members) {
  for (const char* member : members) {
    if (members_.erase(member) != 0) report_->leave(full(member));
  }
}

void PublishedConfig::unread(const char* member, const nlohmann::json& effective, const std::string& instead) {
  const auto found = members_.find(member);
  if (found == members_.end()) return;
  if (!found->is_null() && *found != effective && !report_->ignores(full(member))) {
    throw refused(member, shown(*found) + " is said, which the library's class does not read: " + instead +
                              report_->way_on(full(member)));
  }
  leave({member});
}

void PublishedConfig::rename(const char* alias, const char* member) {
  const auto found = members_.find(alias);
  if (found == members_.end()) return;
  if (!has(member)) {
    members_[member] = std::move(*found);
  } else if (members_[member] != *found) {
    throw refused(alias, shown(*found) + " is said, and " + shown(members_[member]) + " as " + member +
                             ", which is another name of the same");
  }
  members_.erase(alias);
}

void PublishedConfig::leave_copy(const char* copy, const char* member) {
  if (has(copy) && has(member) && members_[copy] == members_[member]) leave({copy});
}

std::vector<std::string> PublishedConfig::rest() const {
  std::vector<std::string> names;
  for (const auto& [member, value] : members_.items()) names.push_back(member);
  return names;
}

void PublishedConfig::finish() {
  for (const std::string& member : rest()) {
    if (!members_[member].is_null() && !report_->ignores(full(member))) {
      throw refused(member, "this member is not known, and may change the result" + report_->way_on(full(member)));
    }
    leave({member.c_str()});
  }
}

}  // namespace heed::tools
