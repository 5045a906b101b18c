// SPDX-License-Identifier: MIT
#include "architectures/member_report.hpp"

#include <algorithm>
#include <utility>

#include "support/failure.hpp"

namespace heed::tools {

MemberReport::MemberReport(std::vector<std::string> ignored) : optional_(true) {
  for (std::string& member : ignored) ignored_.push_back({std::move(member)});
}

void MemberReport::leave(const std::string& member) {
  const bool ignored = std::any_of(ignored_.begin(), ignored_.end(),
                                   [&](const Ignored& one) { return one.met && one.member == member; });
  if (!ignored && std::find(left_.begin(), left_.end(), member) == left_.end()) left_.push_back(member);
}

bool MemberReport::ignores(const std::string& member) {
  bool found = false;
  for (Ignored& one : ignored_) {
    if (one.member == member) found = one.met = true;
  }
  return found;
}

std::string MemberReport::way_on(const std::string& member) const {
  return optional_ ? "; --ignore-member " + member + " packs without it" : "";
}

void MemberReport::note(std::string text) {
  notes_.push_back(std::move(text));
}

std::vector<std::string> MemberReport::finish() const {
  std::vector<std::string> lines = notes_;
  std::string left;
  for (const std::string& member : left_) left += (left.empty() ? "" : ", ") + member;
  if (!left.empty()) lines.push_back("without meaning here: " + left);
  std::string ignored;
  for (const Ignored& one : ignored_) {
    if (!one.met) {
      throw Failure("--ignore-member " + one.member + ": no such member is in question: it is read, or is not there");
    }
    ignored += (ignored.empty() ? "" : ", ") + one.member;
  }
  if (!ignored.empty()) lines.push_back("ignored, as --ignore-member says: " + ignored);
  return lines;
}

}  // namespace heed::tools
