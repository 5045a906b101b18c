// SPDX-License-Identifier: MIT
//
// The form is that of sentencepiece's normalizer: four bytes that say how many the trie has, the trie of Darts-clone, a
// word for each of its units, and texts that end at a byte 0.
#include "tokenizers/charsmap.hpp"

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "heed/detail/token_layout.hpp"
#include "support/failure.hpp"

namespace heed::tools {

namespace {

/// Of a change: no file of the library may have more.
constexpr std::size_t longest_text = longest_change_key * detail::max_change_bytes;
constexpr std::size_t most_steps = std::size_t{1} << 22;  ///< the published one of NFKC takes a twentieth of it

std::string from_base64(const std::string& text) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  unsigned count = 0;
  const std::size_t end = text.find_last_not_of('=') + 1;
  if (text.size() % 4 != 0 || text.size() - end > 2) throw Failure("it is not base64");
  for (std::size_t i = 0; i < end; ++i) {
    const std::size_t digit = letters.find(text[i]);
    if (digit == letters.npos) throw Failure("it is not base64");
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFFU);
  }
  return bytes;
}

/// A unit of Darts-clone: bits 0 to 7 are its label, 8 says that a value lies at its offset, 9 that the offset in bits
/// 10 to 30 counts 256 units; bit 31 is set in values.
class DartsTrie {
 public:
  DartsTrie(std::string_view units, std::string_view texts) : units_(units), texts_(texts) {}

  [[nodiscard]] std::map<std::string, std::string> changes() {
    std::string key;
    walk(offset(unit(0)), key);
    return std::move(changes_);
  }

 private:
  [[nodiscard]] std::uint32_t unit(std::size_t number) const {
    std::uint32_t word = 0;
    if (number >= units_.size() / 4) throw Failure("its trie leads out of it");
    std::memcpy(&word, units_.data() + 4 * number, sizeof word);
    return word;
  }
  [[nodiscard]] static std::size_t offset(std::uint32_t unit) {
    return std::size_t{unit >> 10} << ((unit & 0x200U) >> 6);
  }
  [[nodiscard]] std::string text(std::size_t begin) const {
    if (begin > texts_.size()) throw Failure("its trie leads out of its texts");
    const std::string_view text = texts_.substr(begin, longest_text + 1);
    return std::string(text.substr(0, text.find('\0')));
  }

  /// All keys that go on from a node, at most four levels deep below the first.
  void walk(std::size_t node, std::string& key) {
    for (unsigned byte = 1; byte < 256; ++byte) {
      if (++steps_ > most_steps) throw Failure("its trie has too many keys");
      if ((node ^ byte) >= units_.size() / 4) continue;
      const std::uint32_t next = unit(node ^ byte);
      if ((next & 0x800000FFU) != byte) continue;
      key += static_cast<char>(byte);
      const std::size_t below = node ^ byte ^ offset(next);
      if ((next >> 8 & 1) != 0) {
        changes_[key] = text(unit(below) & 0x7FFFFFFFU);
      } else if (key.size() < longest_change_key) {
        walk(below, key);
      }
      key.pop_back();
    }
  }

  std::string_view units_;
  std::string_view texts_;
  std::map<std::string, std::string> changes_ = {};
  std::size_t steps_ = 0;
};

}  // namespace

std::map<std::string, std::string> read_charsmap(const std::string& base64) {
  const std::string bytes = from_base64(base64);
  std::uint32_t length = 0;
  if (bytes.size() < sizeof length) throw Failure("it ends too early");
  std::memcpy(&length, bytes.data(), sizeof length);
  if (length > bytes.size() - sizeof length) throw Failure("it ends too early");
  const std::string_view rest = std::string_view(bytes).substr(sizeof length);
  return DartsTrie(rest.substr(0, length / 4 * 4), rest.substr(length / 4 * 4)).changes();
}

}  // namespace heed::tools
