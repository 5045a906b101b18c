// SPDX-License-Identifier: MIT
//
// Model files. The bytes are read as they are; with the checksum that they should have; and as the header of a file
// that has all of the weights which it promises, with the rest of the bytes among them. What is accepted runs.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "fuzz/target.hpp"
#include "support/aligned_memory.hpp"
#include "transformer/config_words.hpp"
#include "transformer/model_file.hpp"
#include "transformer/tiny_model.hpp"

namespace heed::test::fuzz {
namespace {

constexpr std::size_t checksum_at = 3 * sizeof(std::uint32_t);
constexpr std::uint32_t tokens_run = 3;
constexpr std::uint32_t most_file_bytes = 1U << 14;  ///< of a file that is made for a header

void sign(AlignedMemory& file) {
  const std::span<std::byte> bytes = file.span();
  if (bytes.size() < detail::model_header_bytes) return;
  std::uint32_t length = 0;
  std::memcpy(&length, &file[2 * sizeof length], sizeof length);
  if (length < detail::model_header_bytes || length > bytes.size()) return;
  const std::uint32_t sum = detail::crc32(bytes.data() + detail::checked_from, length - detail::checked_from);
  std::memcpy(&file[checksum_at], &sum, sizeof sum);
}

bool same(const std::vector<float>& a, const std::vector<float>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), [](float x, float y) {
    return std::memcmp(&x, &y, sizeof x) == 0 || (std::isnan(x) && std::isnan(y));
  });
}

/// Memory as the bytes choose it, within what a test can pay for.
BlockMemory memory_of(std::span<const std::byte> choices) {
  const auto choose = [&](std::size_t i, std::uint32_t count) {
    return i < choices.size() ? static_cast<std::uint32_t>(choices[i]) % count : 0;
  };
  BlockMemory memory{.rows = tokens_run + 1, .max_keys = tokens_run + 1 + choose(0, 20), .max_cross_keys = 1};
  memory.workers = 1 + choose(1, 3);
  memory.scratch_budget = choose(2, 2) * 4096;
  constexpr DataType types[] = {DataType::float32, DataType::float16, DataType::bfloat16,
                                DataType::int8,    DataType::int4,    DataType::int8_channels};
  memory.key_type = types[choose(3, 6)];
  memory.value_type = types[choose(4, 6)];
  memory.cross_type = types[choose(5, 6)];
  memory.ring = choose(6, 2);
  return memory;
}

class Running {
 public:
  Running(const ModelConfig& config, const BlockMemory& memory, std::span<const std::byte> file) {
    status_ = make_plan(config, memory, plan_);
    if (status_ != Status::ok) return;
    require(plan_.file.bytes <= file.size(), "the plan of an accepted file has no more bytes");
    if (std::size_t{plan_.state_bytes} + plan_.scratch_bytes > std::size_t{1} << 24) {
      status_ = Status::too_large;
      return;
    }
    state_ = AlignedMemory(plan_.state_bytes);
    scratch_ = AlignedMemory(plan_.scratch_bytes);
    const KvStorage storage = storage_of(memory, kv_ring_with_positions);
    const bool extended = detail::is_extended(plan_.config);
    require(
        (model_.init(plan_, state_.span(), scratch_.span(), {file, all_formats}, storage) == Status::ok) != extended,
        "an extended model needs its extension, and no other does");
    require(
        model_.init(plan_, state_.span(), scratch_.span(), {file, all_formats, &extended_model}, storage) == Status::ok,
        "an accepted file with a plan becomes a model");
  }

  [[nodiscard]] Status status() const { return status_; }

  /// Every call with sound inputs; those of another kind of model are refused.
  void run() {
    const ModelConfig& config = plan_.config;
    const std::size_t width = config.outputs != 0 ? config.outputs : config.block.model_dim;
    const std::size_t rows = detail::encoder_rows(config, tokens_run);
    const std::size_t shown = config.pooling == Pooling::every ? rows * width : width;
    std::vector<float> logits(shown);
    const std::vector<std::uint32_t> tokens{0, config.input_dim - 1, config.input_dim / 2};
    if (config.block.cross_dim != 0) {
      const std::vector<float> context(config.block.cross_dim, 0.5F);
      require(model_.set_context(dense(context.data(), 1, config.block.cross_dim), 1) == Status::ok, "a context");
    }
    const bool of_tokens = config.input == ModelInput::tokens;
    const BlockMemory& memory = plan_.block.memory;
    const bool fits = (config.positions != Positions::learned || rows <= config.max_positions) &&
                      (!config.encoder || (rows <= memory.rows && rows <= memory.max_keys));
    if (!config.encoder && of_tokens) {
      require((model_.prefill(tokens, logits.data()) == Status::ok) == fits, "a decoder takes what fits");
      if (fits) run_again(tokens, logits, width);
    } else {
      require(model_.prefill(tokens, logits.data()) != Status::ok, "an encoder refuses prefill()");
    }
    if (config.encoder && of_tokens) {
      const bool excluded = std::find(tokens.begin(), tokens.end(), config.excluded_token - 1) != tokens.end();
      const bool takes = fits && !excluded;
      require((model_.encode(tokens, logits.data()) == Status::ok) == takes, "an encoder takes tokens");
      const std::vector<std::uint32_t> types(tokens_run, config.token_types == 0 ? 0 : config.token_types - 1);
      require((model_.encode(tokens, types, logits.data()) == Status::ok) == (takes && config.token_types != 0),
              "an encoder takes the types that it has");
    }
    if (config.encoder && !of_tokens) {
      const std::vector<float> frames(tokens_run * std::size_t{config.input_dim}, 0.25F);
      require((model_.encode(dense(frames.data(), tokens_run, config.input_dim), tokens_run, logits.data()) ==
               Status::ok) == fits,
              "an encoder takes frames");
    }
  }

 private:
  /// Token by token the last logits are the same.
  void run_again(const std::vector<std::uint32_t>& tokens, const std::vector<float>& logits, std::size_t width) {
    require(model_.tokens() == tokens.size(), "a decoder counts its tokens");
    if (model_.truncate(0) != Status::ok) return;
    std::vector<float> decoded(width);
    for (const std::uint32_t token : tokens) {
      require(model_.decode(token, decoded.data()) == Status::ok, "a decoder takes the tokens one by one");
    }
    const std::vector<float> last(logits.end() - static_cast<std::ptrdiff_t>(width), logits.end());
    require(same(last, decoded), "decode() has the bits of prefill()");
    const std::uint32_t strange = plan_.config.input_dim;
    require(model_.prefill({&strange, 1}, decoded.data()) != Status::ok, "a token is below input_dim");
  }

  ModelPlan plan_;
  Status status_;
  AlignedMemory state_{0};
  AlignedMemory scratch_{0};
  Model model_;
};

bool read_and_run(std::span<const std::byte> file, std::span<const std::byte> choices) {
  const ModelFile read = read_model(file);
  if (read.status != Status::ok) {
    require(read.field != nullptr && read.field[0] != '\0', "a refusal names the field");
    return false;
  }
  Running model(read.config, {.rows = 4, .max_keys = 5, .max_cross_keys = 1}, file);
  require(model.status() == Status::ok || model.status() == Status::too_large, "an accepted file has a plan");
  if (model.status() == Status::ok) model.run();
  if (!choices.empty()) {
    Running other(read.config, memory_of(choices), file);
    if (other.status() == Status::ok) other.run();
  }
  return true;
}

/// Weights all of the same numbers.
struct SharedWeights {
  std::vector<float> numbers = Random(9).normals(std::size_t{1} << 17, 0.3F);
  ModelWeights ends;
  BlockWeights block;

  SharedWeights() {
    const float* const all = numbers.data();
    const NormWeights norm{all, all};
    MultiHeadWeights attention;
    attention.query = attention.key = attention.value = attention.output = all;
    attention.query_bias = attention.key_bias = attention.value_bias = attention.output_bias = all;
    block = {norm, attention, norm, attention, norm, all, all, all, all, all, all, norm, norm, norm, norm};
    ends = {all, all, all, all, norm, norm, all, all, all, all, all, all, all, all, all};
  }
};

/// The file that a header promises: weights, with the rest of the bytes at its end.
bool run_promised(std::span<const std::byte> bytes) {
  static const SharedWeights weights;
  if (bytes.size() < detail::model_header_bytes) return false;
  std::uint32_t words[detail::header_words] = {};
  std::memcpy(words, bytes.data(), std::min(bytes.size(), sizeof words));
  const std::uint32_t header_bytes = detail::header_bytes_of(words[1]);
  if (bytes.size() < header_bytes) return false;
  ModelConfig config;
  std::size_t next = detail::checked_from / sizeof(std::uint32_t);
  bool known = true;
  const auto read = [&](const char*, auto&& member) { known = detail::from_word(words[next++], member) && known; };
  detail::for_each_plain_member(config, read);
  if (words[1] == detail::extended_model_version) detail::for_each_extended_member(config, read);
  ModelPlan plan;
  if (!known || make_plan(config, {.rows = 1, .max_keys = 1, .max_cross_keys = 1}, plan) != Status::ok) return false;
  if (plan.file.bytes > most_file_bytes) return false;
  AlignedMemory file(plan.file.bytes);
  const std::vector<BlockWeights> blocks(plan.config.blocks, weights.block);
  require(pack_model(plan, weights.ends, blocks, file.span()) == Status::ok, "a small plan can be packed");
  const std::span<const std::byte> rest = bytes.subspan(header_bytes);
  require(read_and_run(file.span(), rest), "a packed file is accepted");
  // The file's own header may be the shorter one, and the longer one of the bytes then begins with weights.
  const std::size_t count = std::min(rest.size(), file.span().size() - plan.file.header.bytes);
  std::copy_n(rest.begin(), count, file.span().end() - static_cast<std::ptrdiff_t>(count));
  sign(file);
  read_and_run(file.span(), rest);
  return true;
}

std::string file_of(ModelConfig config) {
  AlignedMemory file = TinyModel(config, true).file();
  return {reinterpret_cast<const char*>(file.span().data()), file.span().size()};
}

}  // namespace

Corpus corpus() {
  ModelConfig decoder = tiny_llama;
  decoder.block.model_dim = 4;
  decoder.block.mlp_dim = 3;
  decoder.blocks = 1;
  decoder.input_dim = decoder.outputs = 3;
  ModelConfig encoder = tiny_vit;
  encoder.block.model_dim = 2;
  encoder.block.heads = 1;
  encoder.block.mlp_dim = 3;
  encoder.block.weight_type = DataType::int4_groups;
  encoder.blocks = 1;
  encoder.input_dim = 3;
  encoder.embedding_norm = true;
  ModelConfig crossed = decoder;
  crossed.block.cross_dim = 3;
  crossed.block.norm_placement = NormPlacement::after;
  crossed.positions = Positions::sinusoidal;
  crossed.tied_head = true;
  crossed.input_type = DataType::int8_groups;
  crossed.head_type = DataType::int8_groups;
  crossed.pooling = Pooling::every;
  ModelConfig both = decoder;
  both.block.norm_placement = NormPlacement::both;
  both.block.qk_norm = QkNorm::heads;
  both.block.score_softcap = 2.0F;
  both.blocks = 2;
  both.window = 2;
  both.full_every = 2;
  both.local_rotary_base = 100.0F;
  both.rotary_scaling = RotaryScaling::llama3;
  both.rotary_factor = 4.0F;
  both.rotary_original_positions = 8;
  both.output_softcap = 3.0F;
  ModelConfig parallel = decoder;
  parallel.block.norm_placement = NormPlacement::parallel;
  parallel.rotary_skip_every = 2;
  parallel.relative_buckets = 4;
  parallel.relative_distance = 5;
  ModelConfig pooled = encoder;
  pooled.relative_buckets = 8;
  pooled.relative_distance = 7;
  pooled.registers = 1;
  pooled.max_positions = 9;
  pooled.pooling = Pooling::mean_of_rest;
  pooled.pooler = Pooler::tanh;
  pooled.norm_after_pooling = true;
  pooled.unit_output = true;
  ModelConfig typed = pooled;
  typed.input = ModelInput::tokens;
  typed.class_token = false;
  typed.registers = 0;
  typed.token_types = 2;
  typed.pooling = Pooling::first;
  std::vector<std::string> files;
  for (const ModelConfig& config : {decoder, encoder, crossed, both, parallel, pooled, typed}) {
    files.push_back(file_of(config));
  }
  return {files, {}};
}

bool run(std::span<const std::byte> bytes) {
  AlignedMemory file(bytes);
  const bool accepted = read_and_run(file.span(), {});
  sign(file);
  const bool accepted_signed = accepted || read_and_run(file.span(), {});
  return run_promised(bytes) || accepted_signed;
}

}  // namespace heed::test::fuzz
