// SPDX-License-Identifier: MIT
#include "text/best_pieces.hpp"

#include "text/binary64.hpp"
#include "text/trie.hpp"
#include "text/utf8.hpp"

namespace heed::detail {
namespace {

/// The best pieces that end where a character does: the last one's token << 8 | its characters, in a word for each
/// place; their score, for places that a piece may still reach, in a ring of two words each.
struct BestPieces {
  TokenFile file;
  std::uint32_t* links;
  std::uint32_t* scores;
  std::uint32_t ring;

  [[nodiscard]] static std::uint64_t joined(const std::uint32_t* words) noexcept {
    return std::uint64_t{words[1]} << 32 | words[0];
  }
  [[nodiscard]] std::uint64_t score_of(std::uint32_t number) const noexcept {
    return joined(file.section(word_scores) + std::size_t{2} * number);
  }

  /// A piece from `place`, in the ring at `slot`, over some characters; the first of equal ones stays.
  void offer(std::uint32_t place, std::uint32_t slot, std::uint32_t characters, std::uint32_t token,
             std::uint64_t score) const noexcept {
    std::uint32_t target = slot + characters;
    if (target >= ring) target -= ring;
    std::uint32_t* const kept = scores + std::size_t{2} * target;
    const std::uint64_t sum = add_binary64(score, joined(scores + std::size_t{2} * slot));
    std::uint32_t& link = links[place + characters];
    if (link != 0 && !greater_binary64(sum, joined(kept))) return;
    link = token << 8 | characters;
    kept[0] = static_cast<std::uint32_t>(sum);
    kept[1] = static_cast<std::uint32_t>(sum >> 32);
  }

  /// All pieces that begin with a word's first character.
  void offer_pieces(std::uint32_t place, std::uint32_t slot, WordText rest) const noexcept {
    Trie trie = trie_of(file, word_piece_root);
    bool single = false;
    for (std::uint32_t characters = 1; characters < ring && !rest.empty(); ++characters) {
      if (!trie.step(rest.take())) break;
      const std::uint32_t token = trie.value(file.tokens());
      if (token == no_token) continue;
      offer(place, slot, characters, token, score_of(token));
      single = single || characters == 1;
    }
    if (!single) offer(place, slot, 1, file.word(word_unknown), score_of(file.tokens()));
  }

  void find(std::uint32_t count, WordText word) const noexcept {
    for (std::uint32_t i = 0; i <= count; ++i) links[i] = 0;
    scores[0] = scores[1] = 0;
    std::uint32_t slot = 0;
    for (std::uint32_t place = 0; place < count; ++place) {
      offer_pieces(place, slot, word);
      static_cast<void>(word.take());
      slot = slot + 1 == ring ? 0 : slot + 1;
    }
  }

  /// Links from the end of each piece to its beginning become links from the beginning.
  void turn(std::uint32_t count) const noexcept {
    std::uint32_t link = links[count];
    for (std::uint32_t end = count; end != 0;) {
      end -= link & 0xFFU;
      const std::uint32_t before = links[end];
      links[end] = link;
      link = before;
    }
  }

  /// A run of unknown characters: together they may be a piece.
  [[nodiscard]] bool push_unknown(WordText run, std::uint32_t count, EncodeWords& words) const noexcept {
    Trie trie = trie_of(file, word_piece_root);
    bool known = true;
    WordText rest = run;
    for (std::uint32_t i = 0; i < count && known; ++i) known = trie.step(rest.take());
    const std::uint32_t token = known ? trie.value(file.tokens()) : no_token;
    if (token != no_token) return words.push(token);
    if (!file.has(rule_byte_fallback)) return words.push(file.word(word_unknown));
    for (std::uint32_t i = 0; i < count; ++i) {
      for (const char byte : run.take()) {
        if (!words.push(file.section(word_byte_ids)[static_cast<unsigned char>(byte)])) return false;
      }
    }
    return true;
  }

  /// Writes the pieces; tokens may take the place of links that have been read.
  [[nodiscard]] bool push_all(std::uint32_t count, WordText word, EncodeWords& words) const noexcept {
    const auto first = static_cast<std::size_t>(links - words.all.data());
    for (std::uint32_t place = 0; place < count;) {
      const WordText begin = word;
      const std::uint32_t token = links[place] >> 8;
      const std::uint32_t start = place;
      do {
        for (std::uint32_t left = links[place] & 0xFFU; left != 0; --left, ++place) static_cast<void>(word.take());
      } while (token == file.word(word_unknown) && place < count && links[place] >> 8 == token);
      words.end = first + place;
      const bool unknown = token == file.word(word_unknown);
      if (!(unknown ? push_unknown(begin, place - start, words) : words.push(token))) return false;
    }
    return true;
  }
};

}  // namespace

std::span<const char> WordText::take() noexcept {
  if (front) {
    front = false;
    return space_mark_bytes;
  }
  const std::span<const char> bytes = text.first(first_point(text).bytes);
  text = text.subspan(bytes.size());
  return marks && bytes[0] == ' ' ? std::span<const char>(space_mark_bytes) : bytes;
}

bool encode_best(TokenFile file, const WordText& word, EncodeWords& words) noexcept {
  std::uint32_t count = word.front ? 1 : 0;
  for (const char byte : word.text) count += begins_character(byte) ? 1U : 0U;
  const std::uint32_t longest = file.word(word_max_characters);
  const std::uint32_t ring = (count < longest ? count : longest) + 1;
  const std::span<std::uint32_t> room = words.room();
  if (room.size() < count + std::size_t{1} + std::size_t{2} * ring) return false;
  std::uint32_t* const links = room.data() + room.size() - count - 1;
  const BestPieces best{file, links, links - std::size_t{2} * ring, ring};
  best.find(count, word);
  best.turn(count);
  const std::size_t end = words.end;
  const bool fits = best.push_all(count, word, words);
  words.end = end;
  return fits;
}

}  // namespace heed::detail
