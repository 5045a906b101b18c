// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed::tools {

/// What reading the configurations of a folder finds beside a model: members without meaning, those that
/// --ignore-member names, and lines for whoever packs it.
class MemberReport {
 public:
  MemberReport() = default;

  /// Where the option may be given.
  explicit MemberReport(std::vector<std::string> ignored);

  /// A member that changes no result.
  void leave(const std::string& member);

  /// Whether a member that would be refused is one of those to ignore, which is kept in mind.
  [[nodiscard]] bool ignores(const std::string& member);

  /// "; --ignore-member NAME packs without it", for a message, where that is so.
  [[nodiscard]] std::string way_on(const std::string& member) const;

  void note(std::string text);

  /// All lines. A Failure where a member to ignore was never in question: it is not there, or has a meaning.
  [[nodiscard]] std::vector<std::string> finish() const;

 private:
  struct Ignored {
    std::string member;
    bool met = false;
  };

  bool optional_ = false;  ///< the option may be given
  std::vector<Ignored> ignored_;
  std::vector<std::string> left_;
  std::vector<std::string> notes_;
};

}  // namespace heed::tools
