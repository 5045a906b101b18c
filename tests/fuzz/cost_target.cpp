// SPDX-License-Identifier: MIT
//
// What reading takes at most: a second of processor time for a megabyte, and twenty times its memory. An input is a
// recipe of such a file: a letter for what reads it, then what it begins with ~ what is repeated ~ what it ends with
// [~ a text that is repeated for the tokenizer in it]; # in what is repeated is its number.
#include <algorithm>
#include <ctime>
#include <functional>
#include <memory>

#include "architectures/architectures.hpp"
#include "architectures/generation_config.hpp"
#include "formats/npy.hpp"
#include "formats/shard_index.hpp"
#include "fuzz/allocations.hpp"
#include "fuzz/cost_recipes.hpp"
#include "fuzz/gguf_file.hpp"
#include "fuzz/refused.hpp"
#include "fuzz/stored_tensors.hpp"
#include "support/effort.hpp"
#include "support/stage_hashes.hpp"
#include "tensors/model_architecture.hpp"
#include "text/tokenizer_file.hpp"
#include "tokenizers/gguf_tokenizer.hpp"
#include "tokenizers/loaded_tokenizer.hpp"
#include "tokenizers/published_tokenizer.hpp"

namespace heed::test::fuzz {
namespace {

constexpr double most_seconds = 1;  ///< for a megabyte
constexpr double sanitizer_slowness = sanitized ? 20 : 1;
constexpr std::size_t most_memory = 20;
constexpr std::size_t megabyte = std::size_t{1} << 20;
const std::string name = "file";

double processor_seconds() {
  timespec now{};
  require(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) == 0, "there is a clock of the process");
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Ends the process unless `read` takes no more for so many bytes than it may.
void measure(const Recipe& recipe, std::size_t bytes, const std::function<void()>& read) {
  const std::size_t before = allocated_bytes();
  static_cast<void>(peak_bytes());
  const double begin = processor_seconds();
  read();
  const double seconds = processor_seconds() - begin;
  const double times = static_cast<double>(peak_bytes() - before) / static_cast<double>(bytes);
  const double share = static_cast<double>(bytes) / megabyte;
  const bool kept = seconds <= most_seconds * sanitizer_slowness * share && times <= most_memory;
  if (!kept) {
    std::fprintf(stderr, "%c %s~%s~%s: %.3f s and %.1f times the memory of %zu bytes\n", recipe.reader,
                 recipe.front.c_str(), recipe.unit.c_str(), recipe.back.c_str(), seconds, times, bytes);
  }
  require(kept, "a megabyte takes a second and twenty times its memory at most");
}

void use(const tools::LoadedTokenizer& tokenizer, const Recipe& recipe, const std::string& text) {
  std::vector<std::uint32_t> tokens;
  measure(recipe, text.size(), [&] { tokens = tokenizer.encode(text, true); });
  const std::size_t bytes = std::max(text.size(), sizeof tokens[0] * tokens.size());
  measure(recipe, bytes, [&] { static_cast<void>(tokenizer.decode(tokens, true)); });
  measure(recipe, bytes, [&] {
    tools::TokenText stream(tokenizer, true);
    for (const std::uint32_t token : tokens) static_cast<void>(stream.next(token));
    static_cast<void>(stream.finish());
  });
}

/// Packs a tokenizer, and encodes the recipe's text with it.
void pack(const Recipe& recipe, const std::string& file, const std::function<tools::TokenParts()>& read) {
  std::unique_ptr<tools::AlignedBytes> packed;
  measure(recipe, file.size(),
          [&] { accepts({name}, [&] { packed = std::make_unique<tools::AlignedBytes>(token_file(read(), name)); }); });
  if (packed == nullptr || recipe.text.empty()) return;
  use(tools::LoadedTokenizer(std::as_const(*packed).span(), name), recipe, repeated("", recipe.text, "", file.size()));
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end != 0) lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Whatever is read from text alone.
void read_text(const Recipe& recipe, const std::string& text) {
  static const std::string weights_bytes = llama_file();
  static const auto weights = std::make_shared<const tools::WeightFile>(name, std::string_view(weights_bytes));
  switch (recipe.reader) {
    case 'C': static_cast<void>(tools::read_published_model(tools::PublishedConfig::parse(text, name), "")); break;
    case 'M': static_cast<void>(describe_model(tools::parse_architecture(text, name), *weights, {})); break;
    case 'S':
      static_cast<void>(tools::Safetensors(name, bytes_of(std::vector<std::uint64_t>{text.size()}) + text));
      break;
    case 'I': static_cast<void>(tools::ShardIndex(text, name).files()); break;
    case 'T': static_cast<void>(tools::parse_stages(text, name)); break;
    default: static_cast<void>(tools::read_npy(text, name));
  }
}

/// An array of float16 of these bytes.
std::string npy_file(const std::string& text) {
  const std::string header =
      "{'descr': '<f2', 'fortran_order': False, 'shape': (" + std::to_string(text.size() / 2) + ",), }\n";
  return std::string("\x93NUMPY\1\0", 8) + static_cast<char>(header.size()) + '\0' + header +
         text.substr(0, text.size() / 2 * 2);
}

void read(const Recipe& recipe, const std::string& text) {
  const char reader = recipe.reader;
  if (reader == 'J') return pack(recipe, text, [&] { return tools::read_tokenizer_json(text, name); });
  if (reader == 'G' || reader == 'B') {
    const std::string file = gguf_tokenizer(reader == 'G' ? "llama" : "gpt2", lines_of(text));
    return pack(recipe, file, [&] { return read_gguf_tokenizer(tools::Gguf(name, file)); });
  }
  if (reader == 'L') {
    const std::string file = tokenizer_file(lines_of(text));
    return measure(recipe, file.size(), [&] {
      require(read_tokenizer(std::as_bytes(std::span(file))).status == Status::ok, "the vocabulary is accepted");
    });
  }
  if (reader >= '0' && reader <= '9') {
    const std::string& json = small_tokenizers()[static_cast<std::size_t>(reader - '0') % small_tokenizers().size()];
    const tools::AlignedBytes packed = token_file(tools::read_tokenizer_json(json, name), name);
    return use(tools::LoadedTokenizer(packed.span(), name), recipe, text);
  }
  const std::string file = reader == 'N' ? npy_file(text) : text;
  measure(recipe, file.size(), [&] { accepts({name, "--model"}, [&] { read_text(recipe, file); }); });
}

}  // namespace

Corpus corpus() {
  return {cost_recipes(), {"#", "~", "\\\"", "\xCC\x81", "\xCC\xA7", " ", "a", "[", "{\"a\":", "0"}, false};
}

bool run(std::span<const std::byte> bytes) {
  static const std::uint32_t divisor = case_divisor();
  const std::optional<Recipe> recipe = recipe_of(text_of(bytes));
  if (!recipe) return false;
  read(*recipe, repeated(recipe->front, recipe->unit, recipe->back, megabyte / divisor));
  return true;
}

}  // namespace heed::test::fuzz
