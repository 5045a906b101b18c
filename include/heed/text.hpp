// SPDX-License-Identifier: MIT
//
// Text to tokens and back, with the vocabularies that llama2.c writes: those of sentencepiece's byte-pair encoding; and
// from a language model's logits to probabilities and to the next token, the same for the same seed on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/heed_text.h"
#include "heed/types.hpp"

namespace heed {

/// Checks every field of a tokenizer file, which may lie at any address. null_pointer; too_large: 2^31 bytes or more;
/// bad_file: what `field` says.
[[nodiscard]] TokenizerFile read_tokenizer(std::span<const std::byte> file) noexcept;

/// A vocabulary in its file, which stays where it is, in flash for example. It holds no memory of its own: finding a
/// piece reads the file, once for decode(), and for encode() about twice per character of the text.
class Tokenizer {
 public:
  static constexpr std::uint32_t begin_token = 1;
  static constexpr std::uint32_t end_token = 2;

  /// Checks the file as read_tokenizer() does, and returns its status.
  [[nodiscard]] Status bind(std::span<const std::byte> file) noexcept;

  /// Tokens in the vocabulary; 0 before bind().
  [[nodiscard]] std::uint32_t tokens() const noexcept { return tokens_; }

  /// What decode() writes for a token after another: its bytes, in the file or in static storage. A piece at the
  /// beginning of a text, after begin_token, loses its leading space. Empty: there is no such token.
  [[nodiscard]] std::span<const char> decode(std::uint32_t previous, std::uint32_t token) const noexcept;

  /// Words that encode() works in for a text of so many bytes.
  [[nodiscard]] static constexpr std::size_t encode_words(std::size_t text_bytes) noexcept {
    return 2 * text_bytes + 3;
  }

  /// Writes the tokens of a text in UTF-8 to the front of `words`, begin_token first, and how many there are to
  /// `count`. As sentencepiece does it: a space, then the text's characters, those that are no piece as their bytes;
  /// then, again and again, the leftmost of the neighbours whose joined piece has the highest score become one. Names
  /// of tokens such as "<0x0A>" are plain text. Bytes that are no UTF-8 are encoded, too. not_initialised;
  /// null_pointer; bad_length: fewer words than encode_words() of the text's bytes, or 2^30 bytes or more.
  [[nodiscard]] Status encode(std::span<const char> text, std::span<std::uint32_t> words,
                              std::uint32_t& count) const noexcept;

 private:
  std::span<const std::byte> file_{};
  std::uint32_t tokens_ = 0;
  std::uint32_t pieces_ = 0;  ///< offset of the first record that is no byte
};

inline constexpr std::uint32_t max_template_tokens = HEED_MAX_TEMPLATE_TOKENS;

/// Checks every word of a file that `heed pack --tokenizer` makes of a model's tokenizer.json. null_pointer; too_large:
/// 2^31 bytes or more; arena_misaligned: the address is no multiple of 4; bad_file: what `field` says.
[[nodiscard]] TextTokenizerFile read_text_tokenizer(std::span<const std::byte> file) noexcept;

/// Where such a file lies in that of a model, after the model itself: from the next multiple of 64 bytes to the end,
/// with zeros between. Writes that part of `model` to `tokenizer`; ok and nothing where the file ends with the model.
/// Looks at the header of either alone: read_model() and read_text_tokenizer() check what they say. null_pointer;
/// arena_misaligned: the address is no multiple of 4; bad_file: no model, not all of one, or something else after it.
[[nodiscard]] Status tokenizer_of(std::span<const std::byte> model, std::span<const std::byte>& tokenizer) noexcept;

/// A tokenizer in its file, which stays where it is, in flash for example.
class TextTokenizer {
 public:
  /// Checks the file as read_text_tokenizer() does, and returns its status.
  [[nodiscard]] Status bind(std::span<const std::byte> file) noexcept;

  /// `none`, 0 and false before bind().
  [[nodiscard]] TokenizerKind kind() const noexcept;
  /// Numbers of tokens are below it.
  [[nodiscard]] std::uint32_t tokens() const noexcept;
  /// How many tokens the template puts after a whole text; a prompt, which goes on, is without them.
  [[nodiscard]] std::uint32_t end_tokens() const noexcept;
  /// Whether generation ends at a token.
  [[nodiscard]] bool ends_text(std::uint32_t token) const noexcept;
  /// Bytes that TextDecoder writes for one token at most.
  [[nodiscard]] std::size_t decode_bytes() const noexcept;

  /// The words of its file; null before bind().
  [[nodiscard]] const std::uint32_t* words() const noexcept { return words_; }

 private:
  const std::uint32_t* words_ = nullptr;
};

/// Words that encode_text() and its like work in for any text of so many bytes. Most texts take a third of it: a word
/// for each byte and token, and four for each character of the longest word.
[[nodiscard]] constexpr std::size_t text_words(std::size_t text_bytes) noexcept {
  return 18 * text_bytes + 48;
}

/// Writes the tokens of a text in UTF-8 to the front of `words`, and how many there are to `count`, as Hugging Face's
/// tokenizers library 0.23 finds them: added tokens, then what is between them normalized, split and joined; if
/// `whole`, with the tokens that the template puts around one text. What is no UTF-8 counts as U+FFFD: one for each
/// longest beginning of a character. Each function reads one kind of tokenizer, encode_text() every; a program links
/// what it names. not_initialised; null_pointer; bad_option: a tokenizer of another kind; bad_length: too few words,
/// which text_words() of the text's bytes never are, or 2^26 bytes or more.
[[nodiscard]] Status encode_characters(const TextTokenizer& tokenizer, std::span<const char> text, bool whole,
                                       std::span<std::uint32_t> words, std::uint32_t& count) noexcept;
[[nodiscard]] Status encode_bytes(const TextTokenizer& tokenizer, std::span<const char> text, bool whole,
                                  std::span<std::uint32_t> words, std::uint32_t& count) noexcept;
[[nodiscard]] Status encode_word_pieces(const TextTokenizer& tokenizer, std::span<const char> text, bool whole,
                                        std::span<std::uint32_t> words, std::uint32_t& count) noexcept;
[[nodiscard]] Status encode_unigram(const TextTokenizer& tokenizer, std::span<const char> text, bool whole,
                                    std::span<std::uint32_t> words, std::uint32_t& count) noexcept;
[[nodiscard]] Status encode_text(const TextTokenizer& tokenizer, std::span<const char> text, bool whole,
                                 std::span<std::uint32_t> words, std::uint32_t& count) noexcept;

/// Text from one token after another, in whole characters: what is not complete is kept. A character that ends before
/// its last byte becomes U+FFFD, and of byte tokens, one for each.
class TextDecoder {
 public:
  /// Shows special tokens, or leaves them out. not_initialised.
  [[nodiscard]] Status bind(const TextTokenizer& tokenizer, bool special) noexcept;

  /// Writes the text of a token to the front of `text`, and its bytes to `count`. not_initialised; null_pointer;
  /// bad_length: fewer bytes than the tokenizer's decode_bytes(); bad_token: there is no such token.
  [[nodiscard]] Status decode(std::uint32_t token, std::span<char> text, std::size_t& count) noexcept;

  /// The same for what is left after the last token; another text may begin.
  [[nodiscard]] Status finish(std::span<char> text, std::size_t& count) noexcept;

 private:
  friend Status decode_text(const TextTokenizer& tokenizer, std::span<const std::uint32_t> tokens, bool special,
                            std::span<char> text, std::size_t& count) noexcept;

  TextTokenizer tokenizer_{};
  char kept_[4]{};          ///< the beginning of a character
  std::uint8_t count_ = 0;  ///< its bytes
  bool special_ = false;
  bool begun_ = false;  ///< a character has been written
};

/// The text of all tokens, which may be shorter than the room; as the library above decodes it, also where byte tokens
/// in a row are no text: then all of them become U+FFFD. The statuses of TextDecoder; bad_length: text.size() does not
/// suffice.
[[nodiscard]] Status decode_text(const TextTokenizer& tokenizer, std::span<const std::uint32_t> tokens, bool special,
                                 std::span<char> text, std::size_t& count) noexcept;

inline constexpr std::uint32_t max_logits = 1U << 24;  ///< a sum of as many weights in sixteen lanes loses none of them

/// probabilities[i] = e^(logits[i] / temperature) / their sum, for logits [count]; probabilities [count] are the logits
/// themselves or do not overlap them. A logit of -inf gives 0; if one is NaN or +inf, or all are -inf, every result is
/// NaN. Probabilities below about 2^-126 of the greatest are 0.
///
/// count is at most 2^24, temperature from 2^-126 to 2^126.
/// Statuses: zero_dimension (count), too_large, bad_scale (temperature), null_pointer.
[[nodiscard]] Status softmax(const float* logits, std::uint32_t count, float temperature,
                             float* probabilities) noexcept;

/// The index of the greatest of logits [count], the lowest among equals. NaN is less than any number, also than -inf.
/// 0 if every logit is NaN, and if there is none.
[[nodiscard]] std::uint32_t argmax(const float* logits, std::uint32_t count) noexcept;

/// indices [k]: those of the k greatest of logits [count], in descending order of the logits and ascending among
/// equals; NaN counts as in argmax(). O(count log k) comparisons at most, and no memory but the indices. Statuses:
/// zero_dimension (count, k), too_large (count above 2^24), bad_length (k above count), null_pointer.
[[nodiscard]] Status top_k(const float* logits, std::uint32_t count, std::uint32_t k, std::uint32_t* indices) noexcept;

/// PCG32 (O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for Random Number
/// Generation", 2014; XSH RR 64/32): integers alone, so that every machine draws the same.
class RandomBits {
 public:
  /// The reference implementation's pcg32_srandom(seed, 54).
  explicit constexpr RandomBits(std::uint64_t seed = 0) noexcept
      : state_((increment + seed) * multiplier + increment) {}

  [[nodiscard]] constexpr std::uint32_t next() noexcept {
    const std::uint64_t old = state_;
    state_ = old * multiplier + increment;
    const auto shifted = static_cast<std::uint32_t>((old >> 18 ^ old) >> 27);
    const auto rotation = static_cast<std::uint32_t>(old >> 59);
    return shifted >> rotation | shifted << (-rotation & 31);
  }

 private:
  static constexpr std::uint64_t multiplier = 6364136223846793005U;
  static constexpr std::uint64_t increment = 54U << 1 | 1;

  std::uint64_t state_;
};

/// Draws a token, and writes it to `token`. The logits [n] become weights, and `order` [n] is room to sort in; a
/// temperature of 0 changes neither, and draws no random number; any other draws one. Of equal logits the first token
/// counts as the likelier. Probabilities are
/// exp2(log2(e) / temperature * (logit - greatest logit)) over their sum. A NaN has probability 0; where the greatest
/// logit is infinite, it is the token.
/// zero_dimension: no logits. null_pointer: of either. bad_length: fewer places in `order`, or 2^31 logits or more.
/// bad_option: a number of the configuration lies outside its range. not_finite: every logit is NaN or -inf.
[[nodiscard]] Status sample_token(const Sampling& config, std::span<float> logits, std::span<std::uint32_t> order,
                                  RandomBits& random, std::uint32_t& token) noexcept;

}  // namespace heed
