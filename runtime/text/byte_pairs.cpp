// SPDX-License-Identifier: MIT
#include "text/byte_pairs.hpp"

namespace heed::detail {
namespace {

constexpr std::uint32_t none = ~0U;

/// The entry of the merge of two tokens, or null.
[[nodiscard]] const std::uint32_t* find_merge(TokenFile file, std::uint32_t left, std::uint32_t right) noexcept {
  const std::uint32_t bucket = bucket_of(pair_hash(left, right), file.word(word_joint_bits));
  const std::uint32_t* const joints = file.section(word_joints) + bucket;
  const std::uint32_t* const merges = file.section(word_merges);
  for (std::uint32_t i = joints[0]; i < joints[1]; ++i) {
    const std::uint32_t* const merge = merges + std::size_t{4} * i;
    if (merge[0] == left && merge[1] == right) return merge;
  }
  return nullptr;
}

/// The tokens of a word while they are joined, in a list, and a tournament of the merges: node i of the tree is the
/// place of the better of its two children, nodes pairs to 2 pairs - 1 the places themselves. A token that is gone is
/// no_token; the last one gone in front of another token has the place of the token before them.
struct PairJoining {
  TokenFile file;
  std::uint32_t count;
  std::uint32_t* tokens;
  std::uint32_t* ranks;  ///< of the merge of a token and the next; none
  std::uint32_t* after;  ///< the next token's place, or none
  std::uint32_t* tree;

  [[nodiscard]] std::uint32_t pairs() const noexcept { return count - 1; }
  [[nodiscard]] std::uint32_t place(std::uint32_t node) const noexcept {
    return node < pairs() ? tree[node] : node - pairs();
  }

  /// Sets the winner of a node's two children.
  void play(std::uint32_t node) const noexcept {
    const std::uint32_t a = place(2 * node);
    const std::uint32_t b = place(2 * node + 1);
    const std::uint32_t rank_of_a = ranks[a];
    const std::uint32_t rank_of_b = ranks[b];
    tree[node] = rank_of_a < rank_of_b || (rank_of_a == rank_of_b && a < b) ? a : b;
  }

  void find_rank(std::uint32_t i) const noexcept {
    const std::uint32_t* const merge = after[i] < count ? find_merge(file, tokens[i], tokens[after[i]]) : nullptr;
    ranks[i] = merge == nullptr ? none : merge[2];
  }

  [[nodiscard]] std::uint32_t before(std::uint32_t i) const noexcept {
    if (i == 0) return none;
    return tokens[i - 1] != no_token ? i - 1 : after[i - 1];
  }

  void replay(std::uint32_t i) const noexcept {
    if (i >= pairs()) return;
    for (std::uint32_t node = (i + pairs()) / 2; node != 0; node /= 2) play(node);
  }

  /// Joins the best neighbours; false if there are none.
  [[nodiscard]] bool join_best() const noexcept {
    const std::uint32_t best = place(1);
    if (ranks[best] == none) return false;
    const std::uint32_t gone = after[best];
    tokens[best] = find_merge(file, tokens[best], tokens[gone])[3];
    tokens[gone] = no_token;
    const std::uint32_t next = after[gone];
    after[best] = next;
    after[(next < count ? next : count) - 1] = best;
    ranks[gone] = none;
    replay(gone);
    find_rank(best);
    replay(best);
    const std::uint32_t left = before(best);
    if (left < count) {
      find_rank(left);
      replay(left);
    }
    return true;
  }
};

}  // namespace

std::uint32_t merge_pairs(TokenFile file, std::span<std::uint32_t> words, std::uint32_t count) noexcept {
  if (count < 2) return count;
  if (words.size() < count + merge_words(count)) return 0;
  const std::size_t nodes = count;
  std::uint32_t* const room = words.data() + nodes;
  const PairJoining joining{file, count, words.data(), room, room + nodes, room + 2 * nodes};
  for (std::uint32_t i = 0; i < count; ++i) joining.after[i] = i + 1 < count ? i + 1 : none;
  for (std::uint32_t i = 0; i < count; ++i) joining.find_rank(i);
  for (std::uint32_t node = joining.pairs(); --node > 0;) joining.play(node);
  while (joining.join_best()) {
  }
  std::uint32_t left = 0;
  for (std::uint32_t i = 0; i < count; i = joining.after[i]) words[left++] = words[i];
  return left;
}

}  // namespace heed::detail
