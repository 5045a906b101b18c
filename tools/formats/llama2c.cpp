// SPDX-License-Identifier: MIT
#include "formats/llama2c.hpp"

#include <cstdint>
#include <cstring>
#include <utility>

#include "formats/stored_numbers.hpp"
#include "support/failure.hpp"
#include "tensors/float_array.hpp"
#include "tensors/weight_checks.hpp"

namespace heed::tools {

namespace {

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

  std::string_view take(const char* tensor, const Shape& shape) {
    const std::string what = name + ": tensor " + tensor + " " + describe(shape);
    const std::uint64_t wanted = byte_count(shape, sizeof(float), what);
    if (wanted > bytes.size()) {
      throw Failure(what + " needs " + std::to_string(wanted) + " bytes, and " + std::to_string(bytes.size()) +
                    " are left");
    }
    const std::string_view taken = bytes.substr(0, wanted);
    bytes.remove_prefix(wanted);
    return taken;
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

/// Where the file has a tensor, of one block or of each, and where a model file has it.
struct StoredPart {
  const char* name;
  Shape shape;            ///< of all blocks
  std::string_view data;  ///< of all blocks
  std::uint32_t blocks;   ///< 0: it is in no block
  LinearPlan matrix{};    ///< empty for a norm
  Region floats{};
  std::uint32_t base = 0;  ///< of a layer in its block
};

std::vector<StoredPart> take_tensors(Rest& rest, const Sizes& sizes, const ModelPlan& plan) {
  const std::size_t dim = sizes.dim;
  const std::size_t kv_dim = sizes.kv_dim();
  const std::size_t hidden = sizes.hidden_dim;
  const BlockPlan& block = plan.block;
  std::vector<StoredPart> parts;
  const auto take = [&](const char* name, Shape shape, std::uint32_t blocks) -> StoredPart& {
    if (blocks != 0) shape.insert(shape.begin(), blocks);
    const std::string_view data = rest.take(name, shape);
    return parts.emplace_back(StoredPart{name, std::move(shape), data, blocks});
  };
  const auto attention = [&](const char* name, std::size_t rows, const LinearPlan& matrix) {
    StoredPart& part = take(name, {rows, dim}, sizes.n_layers);
    part.matrix = matrix;
    part.base = block.attention_weights.offset;
  };
  take("token_embedding", {sizes.vocab_size, dim}, 0).matrix = plan.file.input;
  take("rms_att", {dim}, sizes.n_layers).floats = block.attention_norm.weight;
  attention("wq", dim, block.attention.query);
  attention("wk", kv_dim, block.attention.key);
  attention("wv", kv_dim, block.attention.value);
  attention("wo", dim, block.attention.output);
  take("rms_ffn", {dim}, sizes.n_layers).floats = block.mlp_norm.weight;
  take("w1", {hidden, dim}, sizes.n_layers).matrix = block.mlp.gate;
  take("w2", {dim, hidden}, sizes.n_layers).matrix = block.mlp.down;
  take("w3", {hidden, dim}, sizes.n_layers).matrix = block.mlp.up;
  take("rms_final", {dim}, 0).floats = plan.file.final_norm.weight;
  // Cosines and sines of rotary positions, which nobody reads any more.
  const std::size_t half = dim / sizes.n_heads / 2;
  static_cast<void>(rest.take("freq_cis_real", {sizes.seq_len, half}));
  static_cast<void>(rest.take("freq_cis_imag", {sizes.seq_len, half}));
  if (!sizes.tied) take("wcls", {sizes.vocab_size, dim}, 0).matrix = plan.file.head;
  return parts;
}

void write_part(const StoredPart& part, const std::string& file, const MappedFile* mapped, const ModelPlan& plan,
                ModelWriter& writer) {
  const std::uint32_t count = part.blocks == 0 ? 1 : part.blocks;
  const std::size_t bytes = part.data.size() / count;
  for (std::uint32_t block = 0; block < count; ++block) {
    const FloatArray array =
        read_numbers({&float32_numbers, part.shape, part.data.substr(block * bytes, bytes)}, mapped);
    const std::string what = file + ": tensor " + part.name;
    require_storable(array, part.matrix.type, what, block * array.values.size());
    if (part.matrix.bytes != 0) require_kept(array.values, part.matrix.inputs, part.matrix.type, what);
    std::size_t base = part.base;
    if (part.blocks != 0) {
      base += plan.file.block_weights.offset + std::size_t{block} * plan.block.weights_bytes;
    }
    if (part.matrix.bytes == 0) {
      writer.put_floats(part.floats, base, array.values);
    } else {
      writer.put_matrix(part.matrix, base, array.values.data(), nullptr);
    }
  }
}

}  // namespace

ModelTensors read_llama2c(const std::filesystem::path& file, const StoredTypes& types) {
  const auto mapped = std::make_shared<const MappedFile>(file);
  return read_llama2c(mapped->bytes(), file.string(), types, mapped);
}

ModelTensors read_llama2c(std::string_view bytes, const std::string& name, const StoredTypes& types,
                          const std::shared_ptr<const MappedFile>& mapped) {
  Rest rest{name, bytes};
  const Sizes sizes = take_sizes(rest);
  ModelTensors model;
  model.config = config_of(sizes);
  set_types(model.config, types);
  const ModelPlan plan = file_plan(model.config, rest.name);
  if (sizes.n_layers > bytes.size()) throw Failure(rest.name + ": n_layers is more than the file has bytes");
  static_cast<void>(take_tensors(rest, sizes, plan));
  if (!rest.bytes.empty()) {
    throw Failure(rest.name + ": " + std::to_string(rest.bytes.size()) + " bytes are left after the last tensor");
  }
  model.write = [bytes, name, sizes, mapped](const ModelPlan& typed, ModelWriter& writer) {
    Rest again{name, bytes};
    static_cast<void>(take_sizes(again));
    for (const StoredPart& part : take_tensors(again, sizes, typed)) {
      write_part(part, name, mapped.get(), typed, writer);
    }
  };
  model.notes.emplace_back("assumes: block.norm_epsilon 1e-05, rotary_base 10000");
  return model;
}

}  // namespace heed::tools
