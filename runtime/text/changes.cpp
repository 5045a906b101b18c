// SPDX-License-Identifier: MIT
#include "text/changes.hpp"

#include "text/graphemes.hpp"
#include "text/trie.hpp"
#include "text/utf8.hpp"

namespace heed::detail {
namespace {

constexpr std::size_t longest_key = 5;

struct Changing {
  TokenFile file;
  std::span<std::uint32_t> room;
  std::uint32_t& points;

  [[nodiscard]] bool push(std::uint32_t point) noexcept {
    if (points >= room.size()) return false;
    room[points++] = point;
    return true;
  }

  /// The two words of the change of the shortest key that these bytes begin with, or null.
  [[nodiscard]] const std::uint32_t* find(std::span<const char> bytes) const noexcept {
    Trie trie = trie_of(file, word_change_root);
    for (const char byte : bytes) {
      if (!trie.step(byte)) return nullptr;
      const std::uint32_t change = trie.value(file.word(word_change_count));
      if (change != no_token) return file.section(word_changes) + std::size_t{2} * change;
    }
    return nullptr;
  }

  /// The change of some bytes, whose length in the text is `taken`. `found` says whether there is one; one that is
  /// longer than those of a file may be is none.
  [[nodiscard]] bool change(std::span<const char> bytes, std::size_t taken, bool& found) noexcept {
    const std::uint32_t* const words = find(bytes);
    found = words != nullptr && words[1] >> 16 <= max_change_characters * taken &&
            (words[1] & 0xFFFFU) <= max_change_bytes * taken;
    if (!found) return true;
    const char* const texts = reinterpret_cast<const char*>(file.section(word_change_texts));
    for (std::span<const char> text(texts + words[0], words[1] & 0xFFFFU); !text.empty();) {
      const CodePoint next = first_point(text);
      if (!push(next.point)) return false;
      text = text.subspan(next.bytes);
    }
    return true;
  }

  /// A cluster in UTF-8, U+FFFD for what is none; 0: it is too long for a key.
  [[nodiscard]] static std::size_t written(std::span<const char> cluster, char* bytes) noexcept {
    std::size_t count = 0;
    while (!cluster.empty()) {
      const CodePoint next = first_point(cluster);
      char character[4];
      const std::uint32_t length = write_point(next.point, character);
      if (count + length > longest_key) return 0;
      for (std::uint32_t i = 0; i < length; ++i) bytes[count++] = character[i];
      cluster = cluster.subspan(next.bytes);
    }
    return count;
  }

  [[nodiscard]] bool add(std::span<const char> cluster) noexcept {
    char bytes[longest_key];
    bool found = false;
    const std::size_t count = written(cluster, bytes);
    if (count != 0 && !change({bytes, count}, cluster.size(), found)) return false;
    while (!found && !cluster.empty()) {
      const CodePoint next = first_point(cluster);
      char character[4];
      bool changed = false;
      const std::span<const char> whole(character, write_point(next.point, character));
      if (!change(whole, next.bytes, changed)) return false;
      if (!changed && !push(next.point)) return false;
      cluster = cluster.subspan(next.bytes);
    }
    return true;
  }
};

/// Whether a cluster of ASCII ends between two characters.
[[nodiscard]] bool parts_ascii(char first, char next) noexcept {
  return static_cast<unsigned char>(first) < 0x80 && static_cast<unsigned char>(next) < 0x80 && first != '\r';
}

}  // namespace

bool read_changed(TokenFile file, std::span<const char> text, std::span<std::uint32_t> room,
                  std::uint32_t& points) noexcept {
  points = 0;
  Changing changing{file, room, points};
  while (!text.empty()) {
    const std::size_t bytes = text.size() > 1 && parts_ascii(text[0], text[1]) ? 1 : first_grapheme(text);
    if (!changing.add(text.first(bytes))) return false;
    text = text.subspan(bytes);
  }
  return true;
}

}  // namespace heed::detail
