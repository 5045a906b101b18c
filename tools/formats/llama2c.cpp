// SPDX-License-Identifier: MIT
#include "formats/llama2c.hpp"

#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "formats/files.hpp"
#include "support/failure.hpp"
#include "tensors/float_array.hpp"
#include "tensors/weight_checks.hpp"

namespace heed::tools {

namespace {

static_assert(std::endian::native == std::endian::little, "the numbers are copied as they lie in the file");

struct Sizes {
  std::uint32_t dim = 0;
  std::uint32_t hidden_dim = 0;
  std::uint32_t n_layers = 0;
  std::uint32_t n_heads = 0;
  std::uint32_t n_kv_heads = 0;
  std::uint32_t vocab_size = 0;
  std::uint32_t seq_len = 0;
  bool tied = true;

  [[nodiscard]] std::uint32_t kv_dim() const { return dim / n_heads * n_kv_heads; }
};

/// The bytes that have not been read yet.
struct Rest {
  std::string name;
  std::string_view bytes;

  std::int32_t take_number(const char* field) {
    std::int32_t number = 0;
    if (bytes.size() < sizeof number) throw Failure(name + ": the header is cut off before " + field);
    std::memcpy(&number, bytes.data(), sizeof number);
    bytes.remove_prefix(sizeof number);
    return number;
  }

  std::uint32_t take_size(const char* field) {
    const std::int32_t number = take_number(field);
    if (number < 1) throw Failure(name + ": " + field + " is " + std::to_string(number) + ", not 1 or more");
    return static_cast<std::uint32_t>(number);
  }

  std::vector<float> take(const char* tensor, const Shape& shape) {
    const std::string what = name + ": tensor " + tensor + " " + describe(shape);
    const std::uint64_t wanted = byte_count(shape, sizeof(float), what);
    if (wanted > bytes.size()) {
      throw Failure(what + " needs " + std::to_string(wanted) + " bytes, and " + std::to_string(bytes.size()) +
                    " are left");
    }
    std::vector<float> values(wanted / sizeof(float));
    std::memcpy(values.data(), bytes.data(), wanted);
    bytes.remove_prefix(wanted);
    return values;
  }
};

Sizes take_sizes(Rest& rest) {
  constexpr std::string_view later_versions = "24ka";  // 0x616B3432
  if (rest.bytes.starts_with(later_versions)) {
    throw Failure(rest.name + ": a later version of llama2.c's format; version 0 is supported");
  }
  Sizes sizes;
  sizes.dim = rest.take_size("dim");
  sizes.hidden_dim = rest.take_size("hidden_dim");
  sizes.n_layers = rest.take_size("n_layers");
  sizes.n_heads = rest.take_size("n_heads");
  sizes.n_kv_heads = rest.take_size("n_kv_heads");
  const std::int32_t vocabulary = rest.take_number("vocab_size");
  sizes.tied = vocabulary > 0;
  if (vocabulary == 0) throw Failure(rest.name + ": vocab_size is 0");
  sizes.vocab_size =
      vocabulary < 0 ? 0U - static_cast<std::uint32_t>(vocabulary) : static_cast<std::uint32_t>(vocabulary);
  sizes.seq_len = rest.take_size("seq_len");
  if (sizes.dim % sizes.n_heads != 0) throw Failure(rest.name + ": n_heads does not divide dim");
  if (sizes.n_heads % sizes.n_kv_heads != 0) throw Failure(rest.name + ": n_kv_heads does not divide n_heads");
  return sizes;
}

ModelConfig config_of(const Sizes& sizes) {
  return {.block = {.model_dim = sizes.dim,
                    .heads = sizes.n_heads,
                    .kv_heads = sizes.n_kv_heads,
                    .mlp_dim = sizes.hidden_dim,
                    .norm_epsilon = 1e-5F,
                    .norm = Norm::rms_norm,
                    .norm_placement = NormPlacement::before,
                    .activation = Activation::silu,
                    .gated = true},
          .blocks = sizes.n_layers,
          .input_dim = sizes.vocab_size,
          .max_positions = sizes.seq_len,
          .outputs = sizes.vocab_size,
          .rotary_base = 10000.0F,
          .rotary_layout = RotaryLayout::interleaved,
          .input = ModelInput::tokens,
          .positions = Positions::rotary,
          .pooling = Pooling::last,
          .tied_head = sizes.tied};
}

void take_tensors(Rest& rest, const Sizes& sizes, ModelTensors& model) {
  const std::size_t layers = sizes.n_layers;
  const std::size_t dim = sizes.dim;
  const std::size_t kv_dim = sizes.kv_dim();
  const std::size_t hidden = sizes.hidden_dim;
  const DataType floats = DataType::float32;
  const DataType type = model.config.block.weight_type;
  const auto take = [&](const char* name, const Shape& shape, DataType stored) {
    FloatArray array{shape, rest.take(name, shape)};
    require_storable(array, stored, rest.name + ": tensor " + name);
    return model.keep(std::move(array.values));
  };
  // A tensor of every layer, and where each block has its part.
  const auto take_layers = [&](const char* name, const Shape& shape, DataType stored, auto place) {
    Shape all{layers};
    all.insert(all.end(), shape.begin(), shape.end());
    const float* part = take(name, all, stored);
    for (BlockWeights& block : model.blocks) {
      place(block) = part;
      part += byte_count(shape, 1, name);
    }
  };
  model.blocks.resize(layers);
  model.ends.input = take("token_embedding", {sizes.vocab_size, dim}, model.config.input_type);
  take_layers(
      "rms_att", {dim}, floats, [](BlockWeights & b) -> auto& { return b.attention_norm.weight; });
  take_layers(
      "wq", {dim, dim}, type, [](BlockWeights & b) -> auto& { return b.attention.query; });
  take_layers(
      "wk", {kv_dim, dim}, type, [](BlockWeights & b) -> auto& { return b.attention.key; });
  take_layers(
      "wv", {kv_dim, dim}, type, [](BlockWeights & b) -> auto& { return b.attention.value; });
  take_layers(
      "wo", {dim, dim}, type, [](BlockWeights & b) -> auto& { return b.attention.output; });
  take_layers(
      "rms_ffn", {dim}, floats, [](BlockWeights & b) -> auto& { return b.mlp_norm.weight; });
  take_layers(
      "w1", {hidden, dim}, type, [](BlockWeights & b) -> auto& { return b.gate; });
  take_layers(
      "w2", {dim, hidden}, type, [](BlockWeights & b) -> auto& { return b.down; });
  take_layers(
      "w3", {hidden, dim}, type, [](BlockWeights & b) -> auto& { return b.up; });
  model.ends.final_norm.weight = take("rms_final", {dim}, floats);
  // Cosines and sines of rotary positions, which nobody reads any more.
  const std::size_t half = dim / sizes.n_heads / 2;
  static_cast<void>(rest.take("freq_cis_real", {sizes.seq_len, half}));
  static_cast<void>(rest.take("freq_cis_imag", {sizes.seq_len, half}));
  if (!sizes.tied) model.ends.head = take("wcls", {sizes.vocab_size, dim}, model.config.head_type);
}

}  // namespace

ModelTensors read_llama2c(const std::filesystem::path& file, const StoredTypes& types) {
  return read_llama2c(read_file(file), file.string(), types);
}

ModelTensors read_llama2c(std::string_view bytes, const std::string& name, const StoredTypes& types) {
  Rest rest{name, bytes};
  const Sizes sizes = take_sizes(rest);
  ModelTensors model;
  model.config = config_of(sizes);
  set_types(model.config, types);
  static_cast<void>(file_plan(model.config, rest.name));
  if (sizes.n_layers > bytes.size()) throw Failure(rest.name + ": n_layers is more than the file has bytes");
  take_tensors(rest, sizes, model);
  if (!rest.bytes.empty()) {
    throw Failure(rest.name + ": " + std::to_string(rest.bytes.size()) + " bytes are left after the last tensor");
  }
  model.notes.emplace_back("assumes: block.norm_epsilon 1e-05, rotary_base 10000");
  return model;
}

}  // namespace heed::tools
