// SPDX-License-Identifier: MIT
#include "tensors/loaded_model.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "heed/detail/token_layout.hpp"
#include "heed/text.hpp"
#include "support/data_types.hpp"
#include "support/failure.hpp"
#include "support/weight_bytes.hpp"
#include "tensors/memory_plan.hpp"
#include "tensors/model_tensors.hpp"

namespace heed::tools {

namespace {

/// What is wrong with a tokenizer after a model; nothing if there is none.
std::string section_text(std::span<const std::byte> rest) {
  const auto begin = std::find_if(rest.begin(), rest.end(), [](std::byte byte) { return byte != std::byte{0}; });
  const std::span<const std::byte> section(begin, rest.end());
  std::uint32_t words[detail::word_bytes + 1] = {};
  if (section.size() < sizeof words) return {};
  std::memcpy(words, section.data(), sizeof words);
  if (words[detail::word_magic] != detail::token_magic) return ", and they are no tokenizer";
  return ", of which " + std::to_string(section.size()) + " are a tokenizer whose header says " +
         std::to_string(words[detail::word_bytes]);
}

/// The two lengths that do not agree; nothing where the header is wrong otherwise.
std::string length_text(std::span<const std::byte> bytes) {
  const std::string found = ": the file has " + std::to_string(bytes.size()) + " bytes, and ";
  if (bytes.size() < detail::model_header_bytes) {
    return found + "the header alone needs " + std::to_string(detail::model_header_bytes);
  }
  std::uint32_t said = 0;
  std::memcpy(&said, bytes.data() + 2 * sizeof said, sizeof said);
  if (said <= bytes.size()) return {};
  return found + "its header says " + std::to_string(said);
}

/// Bytes of a file that is read into memory of its own to be run: of less there is nothing to gain.
constexpr std::size_t copied_from = std::size_t{1} << 22;

}  // namespace

LoadedModel::LoadedModel(const std::filesystem::path& file) : name_(file.string()), copy_(0) {
  const InputFile input(file);
  if (input.size() >= copied_from) {
    copy_ = weight_bytes(input.size());
    const std::span<std::byte> all = copy_.span();
    bytes_ = all.first(input.read({reinterpret_cast<char*>(all.data()), all.size()}));
  } else {
    content_ = std::make_shared<const MappedFile>(file);
    see(*content_);
  }
  check();
}

LoadedModel::LoadedModel(const std::filesystem::path& file, std::shared_ptr<const MappedFile> content)
    : name_(file.string()), content_(std::move(content)), copy_(0) {
  see(*content_);
  check();
}

void LoadedModel::see(const MappedFile& content) {
  const std::string_view found = content.bytes();
  bytes_ = {reinterpret_cast<const std::byte*>(found.data()), found.size()};
  // What cannot be mapped, a pipe for one, lies anywhere.
  if (reinterpret_cast<std::uintptr_t>(found.data()) % arena_alignment != 0) {
    copy_ = aligned_copy(found);
    bytes_ = copy_.span();
  }
}

LoadedModel::LoadedModel(const std::filesystem::path& file, AlignedBytes bytes)
    : name_(file.string()), copy_(std::move(bytes)), bytes_(copy_.span()) {
  check();
}

void LoadedModel::check() {
  const ModelFile read = read_model(bytes_);
  if (read.status != Status::ok) {
    const bool length = std::string_view(read.field) == "length";
    throw Failure(name_ + ": " + read.field + ": " + to_string(read.status) + (length ? length_text(bytes()) : ""));
  }
  config_ = read.config;
  const std::size_t bytes = file_plan(config_, name_).file.bytes;
  if (tokenizer_of(bytes_, tokenizer_) != Status::ok) {
    throw Failure(name_ + ": length: " + std::to_string(bytes_.size() - bytes) + " bytes come after the model" +
                  section_text(bytes_.subspan(bytes)));
  }
  if (tokenizer_.empty()) return;
  const TextTokenizerFile tokenizer = read_text_tokenizer(tokenizer_);
  if (tokenizer.status != Status::ok) {
    throw Failure(name_ + ": " + tokenizer.field + " of the tokenizer after the model: " + to_string(tokenizer.status));
  }
}

namespace {

/// `run` and `generate` have no option for the tokens of a cache.
std::string memory_name(const std::string& member) {
  return member == "rows" ? "--rows" : member;
}

}  // namespace

BoundModel::BoundModel(LoadedModel& file, const BlockMemory& memory)
    : plan_(memory_plan(file.config(), memory, file.name(), &memory_name)),
      storage_(kv_storage(memory.key_type, memory.value_type, memory.cross_type)),
      state_(plan_.state_bytes),
      scratch_(plan_.scratch_bytes) {
  const ModelConfig& config = plan_.config;
  const Format* const formats[] = {weight_format(plan_.block.products).format,
                                   weight_format(config.input_type, detail::table_row_type(config)).format,
                                   weight_format(config.head_type, detail::head_row_type(config)).format};
  require_ok(model_.init(plan_, state_.span(), scratch_.span(), {file.bytes(), formats, &extended_model}, storage_),
             file.name());
}

}  // namespace heed::tools
