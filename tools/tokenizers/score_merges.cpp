// SPDX-License-Identifier: MIT
#include "tokenizers/score_merges.hpp"

#include <algorithm>
#include <utility>

#include "heed/detail/token_layout.hpp"
#include "support/characters.hpp"
#include "support/failure.hpp"

namespace heed::tools {

namespace {

/// Finds the ways to split a token between two characters.
class ScoreMerges {
 public:
  explicit ScoreMerges(const GgufVocabulary& vocabulary) : vocabulary_(vocabulary) {
    for (const std::string_view text : vocabulary.tokens) {
      lengths_.resize(std::max(lengths_.size(), text.size() + 1));
      lengths_[text.size()] = true;
    }
  }

  void add(std::uint32_t token, std::uint32_t rank, const std::string& what) {
    const std::string_view text = vocabulary_.tokens[token];
    std::size_t second = 1;  // character
    while (second < text.size() && !begins_character(text[second])) ++second;
    for (std::size_t at = second; at < text.size(); ++at) {
      // Parts that are no token by their lengths are not looked at: a long token has many.
      const bool left_may_be = lengths_[at] || at == second;
      const bool right_may_be = lengths_[text.size() - at] || text.size() - at <= longest_character;
      if (!left_may_be || !right_may_be || !begins_character(text[at])) continue;
      const std::uint32_t left = find(text.substr(0, at));
      const std::uint32_t right = find(text.substr(at));
      const bool is_byte = vocabulary_.types[token] == GgufTokenType::byte;
      if (left != detail::no_token && right != detail::no_token) {
        if (is_byte) throw Failure(what + ": " + std::string(text) + ": the name of a byte that text can be joined to");
        merges_.push_back({left, right, rank, token});
        if (merges_.size() > most_merges()) throw Failure(what + ": its tokens are joined in too many ways");
      } else if (vocabulary_.types[token] == GgufTokenType::normal && joins(text.substr(0, at), left) &&
                 joins(text.substr(at), right)) {
        throw Failure(what + ": " + std::string(text) + ": it is joined of a character that is no token");
      }
    }
  }

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(merges_.size()); }
  [[nodiscard]] std::vector<std::array<std::uint32_t, 4>> take() { return std::move(merges_); }

 private:
  static constexpr std::size_t longest_character = 4;

  /// Published vocabularies have about two for a token.
  [[nodiscard]] std::size_t most_merges() const { return 4096 + 8 * vocabulary_.tokens.size(); }

  /// Names of bytes are no text.
  [[nodiscard]] std::uint32_t find(std::string_view text) const {
    const auto found = vocabulary_.numbers.find(text);
    if (found == vocabulary_.numbers.end() || vocabulary_.types[found->second] == GgufTokenType::byte)
      return detail::no_token;
    return found->second;
  }

  /// Whether scores would join a part: any token, or any character.
  [[nodiscard]] static bool joins(std::string_view part, std::uint32_t token) {
    return token != detail::no_token || characters_of(part) == 1;
  }

  const GgufVocabulary& vocabulary_;
  std::vector<bool> lengths_;  ///< that tokens have, in bytes
  std::vector<std::array<std::uint32_t, 4>> merges_;
};

}  // namespace

std::vector<std::array<std::uint32_t, 4>> merges_by_score(const GgufVocabulary& vocabulary,
                                                          const std::vector<double>& scores, const std::string& what) {
  std::vector<std::uint32_t> order(scores.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return scores[a] > scores[b]; });
  ScoreMerges merges(vocabulary);
  std::uint32_t rank = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    // The number of merges before, whose scores are higher.
    if (i == 0 || scores[order[i]] != scores[order[i - 1]]) rank = merges.count();
    merges.add(order[i], rank, what);
  }
  return merges.take();
}

}  // namespace heed::tools
