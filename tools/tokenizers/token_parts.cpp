// SPDX-License-Identifier: MIT
#include "tokenizers/token_parts.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "heed/detail/token_layout.hpp"
#include "support/characters.hpp"
#include "support/failure.hpp"
#include "tokenizers/trie_builder.hpp"
#include "tokenizers/word_letters.hpp"

namespace heed::tools {

using namespace heed::detail;

namespace {

/// The CRC-32 of IEEE 802.3.
std::uint32_t crc32_of(std::string_view bytes) {
  std::uint32_t sum = ~0U;
  for (const char byte : bytes) {
    sum ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ ((sum & 1) != 0 ? 0xEDB88320U : 0U);
  }
  return ~sum;
}

/// Sections one after another, each at its alignment.
class Writer {
 public:
  explicit Writer(std::uint32_t header_words) : bytes_(std::size_t{4} * header_words, '\0') {}

  void begin(TokenWord word) {
    bytes_.resize((bytes_.size() + token_section_align - 1) / token_section_align * token_section_align);
    set(word, static_cast<std::uint32_t>(bytes_.size()));
  }
  void add(std::uint32_t word) {
    for (unsigned shift = 0; shift < 32; shift += 8) bytes_ += static_cast<char>(word >> shift & 0xFF);
  }
  void add(const std::string& bytes) { bytes_ += bytes; }
  void set(TokenWord word, std::uint32_t value) {
    for (unsigned i = 0; i < 4; ++i) bytes_[4 * word + i] = static_cast<char>(value >> 8 * i & 0xFF);
  }
  [[nodiscard]] AlignedBytes finish() {
    bytes_.resize((bytes_.size() + token_section_align - 1) / token_section_align * token_section_align);
    set(word_bytes, static_cast<std::uint32_t>(bytes_.size()));
    constexpr std::size_t checked = 4 * (word_crc + 1);
    set(word_crc, crc32_of(std::string_view(bytes_).substr(checked)));
    return aligned_copy(bytes_);
  }

 private:
  std::string bytes_;
};

/// About one entry for each bucket.
std::uint32_t bits_for(std::size_t entries) {
  std::uint32_t bits = 1;
  while (bits < 24 && std::size_t{1} << bits < entries) ++bits;
  return bits;
}

/// Buckets of entries by their hashes; `write` writes an entry.
template <class Hash, class Write>
void add_table(Writer& file, TokenWord buckets_word, TokenWord entries_word, std::uint32_t bits,
               const std::vector<std::uint32_t>& entries, const Hash& hash, const Write& write) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order;  // bucket and entry
  order.reserve(entries.size());
  for (const std::uint32_t entry : entries) order.emplace_back(bucket_of(hash(entry), bits), entry);
  std::sort(order.begin(), order.end());
  file.begin(buckets_word);
  std::uint32_t next = 0;
  for (std::uint32_t i = 0; i <= 1U << bits; ++i) {
    while (next < order.size() && order[next].first < i) ++next;
    file.add(next);
  }
  file.begin(entries_word);
  for (const auto& [bucket, entry] : order) write(entry);
}

void add_pieces(Writer& file, const TokenParts& parts) {
  file.begin(word_starts);
  std::uint32_t start = 0;
  std::size_t longest = 0;
  for (const TokenPart& token : parts.tokens) {
    file.add(start);
    start += static_cast<std::uint32_t>(token.bytes.size());
    longest = std::max(longest, token.bytes.size());
  }
  file.add(start);
  file.begin(word_pieces);
  for (const TokenPart& token : parts.tokens) file.add(token.bytes);
  for (const auto* list : {&parts.raw, &parts.normalized}) {
    for (const AddedPart& added : *list) {
      file.add(added.name);
      start += static_cast<std::uint32_t>(added.name.size());
    }
  }
  file.set(word_piece_bytes, start);
  file.set(word_longest, static_cast<std::uint32_t>(longest));
  file.begin(word_marks);
  for (const TokenPart& token : parts.tokens) file.add(std::string(1, static_cast<char>(token.marks)));
}

void add_tables(Writer& file, const TokenParts& parts) {
  std::vector<std::uint32_t> members;
  for (std::uint32_t token = 0; token < parts.tokens.size(); ++token) {
    if (parts.tokens[token].in_text && parts.kind != TokenizerKind::unigram) members.push_back(token);
  }
  file.set(word_member_count, static_cast<std::uint32_t>(members.size()));
  file.set(word_bucket_bits, bits_for(members.size()));
  const auto piece_hash = [&](std::uint32_t token) {
    const std::string& bytes = parts.tokens[token].bytes;
    return add_hash(hash_seed, bytes.data(), bytes.size());
  };
  add_table(file, word_buckets, word_members, bits_for(members.size()), members, piece_hash,
            [&](std::uint32_t token) { file.add(token); });

  std::vector<std::uint32_t> merges(parts.merges.size());
  for (std::uint32_t i = 0; i < merges.size(); ++i) merges[i] = i;
  file.set(word_merge_count, static_cast<std::uint32_t>(merges.size()));
  file.set(word_joint_bits, bits_for(merges.size()));
  const auto merge_hash = [&](std::uint32_t i) { return pair_hash(parts.merges[i][0], parts.merges[i][1]); };
  add_table(file, word_joints, word_merges, bits_for(merges.size()), merges, merge_hash, [&](std::uint32_t i) {
    for (const std::uint32_t word : parts.merges[i]) file.add(word);
  });
}

void add_lists(Writer& file, const TokenParts& parts) {
  file.begin(word_byte_ids);
  for (const std::uint32_t token : parts.byte_ids) file.add(token);
  file.begin(word_added);
  std::uint32_t name = 0;
  for (const TokenPart& token : parts.tokens) name += static_cast<std::uint32_t>(token.bytes.size());
  for (const auto* list : {&parts.raw, &parts.normalized}) {
    for (const AddedPart& added : *list) {
      const auto length = static_cast<std::uint32_t>(added.name.size());
      for (const std::uint32_t word : {added.token, name, length, added.rules}) file.add(word);
      name += length;
    }
  }
  file.begin(word_lists);
  for (const auto* list : {&parts.begin, &parts.end, &parts.stops}) {
    for (const std::uint32_t token : *list) file.add(token);
  }
}

void add_words(Writer& file, TokenWord word, const std::vector<std::uint32_t>& words) {
  file.begin(word);
  for (const std::uint32_t one : words) file.add(one);
}

/// What only version 2 has.
void add_tries(Writer& file, const TokenParts& parts) {
  TrieBuilder tries;
  std::map<std::string, std::uint32_t> change_numbers;
  std::vector<std::uint32_t> changes;
  std::string texts;
  for (const auto& [key, text] : parts.changes) {
    change_numbers.emplace(key, static_cast<std::uint32_t>(change_numbers.size()));
    changes.push_back(static_cast<std::uint32_t>(texts.size()));
    changes.push_back(static_cast<std::uint32_t>(text.size()) | static_cast<std::uint32_t>(characters_of(text)) << 16);
    texts += text;
  }
  std::uint32_t entry = 0;
  bool words = false;
  const auto names_of = [&](const std::vector<AddedPart>& list) {
    std::map<std::string, std::uint32_t> names;
    for (const AddedPart& added : list) {
      words = words || (added.rules & added_single_word) != 0;
      names.emplace(added.name, entry++);
    }
    return names;
  };
  const std::pair<TokenWord, std::map<std::string, std::uint32_t>> maps[] = {
      {word_piece_root, parts.pieces},
      {word_change_root, change_numbers},
      {word_raw_root, names_of(parts.raw)},
      {word_normalized_root, names_of(parts.normalized)}};
  for (const auto& [root, map] : maps) file.set(root, map.empty() ? no_token : tries.add(map));
  add_words(file, word_units, tries.units());
  file.set(word_unit_count, static_cast<std::uint32_t>(tries.units().size()));
  std::vector<std::uint32_t> scores;
  std::vector<double> numbers = parts.scores;
  if (parts.kind == TokenizerKind::unigram) {
    numbers.resize(parts.tokens.size());
    numbers.push_back(parts.unknown_score);
  }
  for (const double number : numbers) {
    const auto bits = std::bit_cast<std::uint64_t>(number);
    scores.push_back(static_cast<std::uint32_t>(bits));
    scores.push_back(static_cast<std::uint32_t>(bits >> 32));
  }
  add_words(file, word_scores, scores);
  add_words(file, word_changes, changes);
  file.set(word_change_count, static_cast<std::uint32_t>(changes.size() / 2));
  file.begin(word_change_texts);
  file.add(texts);
  file.set(word_change_bytes, static_cast<std::uint32_t>(texts.size()));
  const std::vector<std::uint32_t> flips = words ? word_letter_flips() : std::vector<std::uint32_t>();
  add_words(file, word_flips, flips);
  file.set(word_flip_count, static_cast<std::uint32_t>(flips.size()));
  const bool by_class = parts.splitter >= first_splitter_by_class;
  const std::vector<std::uint32_t> classes = by_class ? character_classes() : std::vector<std::uint32_t>();
  add_words(file, word_classes, classes);
  file.set(word_class_count, static_cast<std::uint32_t>(classes.size()));
}

/// Files of version 1 have all that most tokenizers need, and are what earlier versions read.
bool needs_tries(const TokenParts& parts) {
  constexpr std::size_t few = 32;         // added tokens that are compared one by one
  constexpr std::size_t few_bytes = 512;  // of all of them
  bool needed = parts.kind == TokenizerKind::unigram || parts.splitter >= first_splitter_by_class;
  for (const auto* list : {&parts.raw, &parts.normalized}) {
    std::size_t bytes = 0;
    for (const AddedPart& added : *list) {
      bytes += added.name.size();
      needed = needed || (added.rules & added_single_word) != 0;
    }
    needed = needed || list->size() > few || bytes > few_bytes;
  }
  return needed;
}

}  // namespace

AlignedBytes token_file(const TokenParts& parts, const std::string& what) {
  const auto count = [](const auto& list) { return static_cast<std::uint32_t>(list.size()); };
  const bool tries = needs_tries(parts);
  Writer file(tries ? token_header_words_tries : token_header_words);
  add_pieces(file, parts);
  add_tables(file, parts);
  add_lists(file, parts);
  if (tries) add_tries(file, parts);
  const std::pair<TokenWord, std::uint32_t> header[] = {{word_magic, token_magic},
                                                        {word_version, tries ? token_version_tries : token_version},
                                                        {word_kind, static_cast<std::uint32_t>(parts.kind)},
                                                        {word_tokens, count(parts.tokens)},
                                                        {word_rules, parts.rules},
                                                        {word_unknown, parts.unknown},
                                                        {word_splitter, parts.splitter},
                                                        {word_max_characters, parts.max_characters},
                                                        {word_raw_count, count(parts.raw)},
                                                        {word_normalized_count, count(parts.normalized)},
                                                        {word_begin_count, count(parts.begin)},
                                                        {word_end_count, count(parts.end)},
                                                        {word_stop_count, count(parts.stops)}};
  for (const auto& [word, value] : header) file.set(word, value);
  AlignedBytes bytes = file.finish();
  const TextTokenizerFile read = read_text_tokenizer(bytes.span());
  if (read.status != Status::ok) throw Failure(what + ": the library does not take its " + read.field);
  return bytes;
}

}  // namespace heed::tools
