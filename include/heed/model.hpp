// SPDX-License-Identifier: MIT
//
// A whole model, a stack of equal transformer blocks with an input before and a head after them: its plan, its trained
// weights, which are packed once, offline or on the device, and the object that runs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/block.hpp"
#include "heed/detail/linked_code.hpp"
#include "heed/detail/model_plan.hpp"
#include "heed/heed_model.h"
#include "heed/positions.hpp"
#include "heed/types.hpp"

namespace heed {

/// Writes the plan of a model, or a status that says why there is none and leaves `plan` as it was: what the plan of
/// its block says; zero_dimension; too_large; bad_option: an enumerator has no such value, or does not go with another,
/// or keys would need scales per channel, which a model does not take; bad_base, bad_rotary: of its rotary positions.
template <class Say = detail::Unexplained>
[[nodiscard]] constexpr Status make_plan(const ModelConfig& config, const BlockMemory& memory, ModelPlan& plan,
                                         Say say = {}) noexcept {
  ModelPlan made;
  const Status status = detail::fill_model_plan(config, memory, made, say);
  if (status == Status::ok) plan = made;
  return status;
}

/// The plan of a configuration known at compile time. A bad configuration does not compile.
[[nodiscard]] consteval ModelPlan plan(const ModelConfig& config, const BlockMemory& memory) {
  ModelPlan made;
  detail::require(make_plan(config, memory, made));
  return made;
}

/// [model_dim] each; RMSNorm has no bias, and for LayerNorm a null one means zeros.
struct NormWeights {
  const float* weight = nullptr;
  const float* bias = nullptr;
};

/// Trained weights as PyTorch and safetensors store them: row-major [out, in]. A bias may be null, which means zeros.
struct BlockWeights {
  NormWeights attention_norm{};
  MultiHeadWeights attention{};
  NormWeights cross_norm{};  ///< read with a cross_dim
  MultiHeadWeights cross{};
  NormWeights mlp_norm{};
  const float* gate = nullptr;  ///< [mlp_dim, model_dim], read if gated
  const float* gate_bias = nullptr;
  const float* up = nullptr;  ///< [mlp_dim, model_dim]
  const float* up_bias = nullptr;
  const float* down = nullptr;  ///< [model_dim, mlp_dim]
  const float* down_bias = nullptr;
  NormWeights query_norm{};  ///< [head_dim], read with qk_norm
  NormWeights key_norm{};
  NormWeights attention_output_norm{};  ///< read with NormPlacement::both
  NormWeights mlp_output_norm{};
};

/// What a model has besides its blocks.
struct ModelWeights {
  const float* input = nullptr;  ///< tokens: [input_dim, model_dim]; frames: [model_dim, input_dim]
  const float* input_bias = nullptr;
  const float* class_token = nullptr;  ///< [model_dim], read with a class token
  const float* positions = nullptr;    ///< [max_positions, model_dim], read with learned positions
  NormWeights embedding_norm{};        ///< read with ModelConfig::embedding_norm
  NormWeights final_norm{};            ///< read unless ModelConfig::without_final_norm
  const float* head = nullptr;         ///< [outputs, model_dim], read unless tied
  const float* head_bias = nullptr;
  const float* registers = nullptr;      ///< [registers, model_dim]
  const float* token_types = nullptr;    ///< [token_types, model_dim]
  const float* relative_bias = nullptr;  ///< [heads, relative_buckets]
  const float* pooler = nullptr;         ///< [model_dim, model_dim], read with a pooler
  const float* pooler_bias = nullptr;
  /// Of convolutions [model_dim, 3, model_dim], and `input` is [model_dim, 3, input_dim] then: of each output first the
  /// numbers of the frame before, then of the frame, then of the one after.
  const float* second_input = nullptr;
  const float* second_input_bias = nullptr;
};

/// Writes the weights of a transformer block into `packed` (at least plan.weights_bytes on a 64-byte boundary) as the
/// kernels read them; the bytes are the same on every little-endian machine. not_initialised: the plan is empty.
/// null_pointer: a weight that the plan has, or `packed`. arena_too_small, arena_misaligned: `packed`. bad_scale: a
/// matrix is too small for its type (pack_linear()). Nothing is written then.
[[nodiscard]] Status pack_block(const BlockPlan& plan, const BlockWeights& weights,
                                std::span<std::byte> packed) noexcept;

/// Writes a whole model file into `file` (at least plan.file.bytes on a 64-byte boundary), and its header last. As
/// pack_block(), and bad_length: `blocks` are not as many as the plan's.
[[nodiscard]] Status pack_model(const ModelPlan& plan, const ModelWeights& weights,
                                std::span<const BlockWeights> blocks, std::span<std::byte> file) noexcept;

/// Makes a model file of bytes in which every tensor lies where the plan has it, written by pack_linear() or as floats,
/// in any order: puts the headers of the layers before their weights, and the file's own, with the checksum. For models
/// whose floats do not all fit into memory. Statuses: as pack_model().
[[nodiscard]] Status finish_model(const ModelPlan& plan, std::span<std::byte> file) noexcept;

/// What a model file says that it holds, or why it is none.
struct ModelFile {
  Status status = Status::ok;
  const char* field = "";  ///< what is wrong, in words, in static storage
  ModelConfig config{};
};

/// Reads and checks the header of a model file, its length and its checksum; every byte of the file is read once.
/// The weights themselves are numbers, of which none is wrong.
/// Statuses: null_pointer, arena_misaligned (not on a 64-byte boundary); bad_file; what make_plan() says of its
/// configuration.
[[nodiscard]] ModelFile read_model(std::span<const std::byte> file) noexcept;

namespace detail {

struct ModelEnds;

/// What a model's plan has a use for (heed/detail/linked_code.hpp).
struct ModelCode {
  const LinkedCode* rotary;
  const LinkedCode* sinusoids;
  const LinkedCode* floats;
};

[[nodiscard, gnu::always_inline]] constexpr ModelCode code_of(const ModelPlan& plan) noexcept {
  const bool integers = plan.block.attention.attention.config.integers != 0 &&
                        (plan.config.block.cross_dim == 0 || plan.block.cross.attention.config.integers != 0);
  const bool rounded = plan.config.block.weight_type != DataType::float32 &&
                       plan.config.input_type != DataType::float32 && plan.config.head_type != DataType::float32;
  const LinkedCode* const products = is_known(rounded) ? nullptr : &float_product_code;
  return {is_known(plan.config.positions != Positions::rotary) ? nullptr : &rotary_code,
          is_known(plan.config.positions != Positions::sinusoidal) ? nullptr : &sinusoid_code,
          is_known(integers) ? products : &float_attention_code};
}

struct ExtendedPass;

}  // namespace detail

/// What extended models need beside their formats, as PackedModel::extension; heed_model.h says which they are.
inline constexpr const ModelExtension& extended_model = heed_extended_model;

/// A whole model from a model file: tokens or frames in, logits out.
///
/// init() and bind() return
///   not_initialised  the plan is empty
///   null_pointer, arena_too_small, arena_misaligned  one of the memories, or the file
///   overlap          two of them share a byte of those that the plan counts
///   wrong_weights    the file was made for another configuration
///   missing_format   a format that its weights need is not among those given, or the extension that it needs, or
///                    `storage` does not name what its caches need
///   bad_float_environment  without floats in hardware: the program's functions for them are not IEEE's
///   bad_state        bind() only: no model of this plan leaves such a state; a cache has more tokens than it can, or
///                    two blocks have not seen the same tokens or the same context
/// and the other calls
///   not_initialised  init() has not succeeded; with cross-attention, set_context() has not
///   plan_mismatch    the call is for another kind of model: for tokens or for frames, for a decoder or an encoder
///   zero_dimension, null_pointer, bad_stride  of the inputs and outputs
///   too_large        an encoder's rows are more than the plan's
///   bad_token        a token is not in the vocabulary, or excluded_token, or its type not in the model
///   bad_position     more positions than the model has
///   cache_full       the tokens do not fit
class Model {
 public:
  /// Binds state (at least plan.state_bytes), scratch (plan.scratch_bytes) and the file (plan.file.bytes), each on a
  /// 64-byte boundary, and empties the caches. The file's header is compared with the plan; read_model() checks the
  /// rest.
  [[nodiscard, gnu::always_inline]] Status init(const ModelPlan& plan, std::span<std::byte> state,
                                                std::span<std::byte> scratch, const PackedModel& file,
                                                const KvStorage& storage = {}) noexcept {
    return init(plan, state, scratch, file, storage, detail::code_of(plan));
  }

  /// The same, but keeps what the state holds: a restored snapshot.
  [[nodiscard, gnu::always_inline]] Status bind(const ModelPlan& plan, std::span<std::byte> state,
                                                std::span<std::byte> scratch, const PackedModel& file,
                                                const KvStorage& storage = {}) noexcept {
    return bind(plan, state, scratch, file, storage, detail::code_of(plan));
  }

  /// The plan outlives the object.
  template <class... Memories>
  Status init(const ModelPlan&& plan, Memories&&... memories) = delete;
  template <class... Memories>
  Status bind(const ModelPlan&& plan, Memories&&... memories) = delete;

  /// A decoder: appends the tokens. logits [outputs] of the last one; with Pooling::every [tokens, outputs] of all. The
  /// bits do not depend on how the tokens were split into calls. Without a head, rows [model_dim] in place of logits.
  [[nodiscard]] Status prefill(std::span<const std::uint32_t> tokens, float* logits,
                               const Executor& executor = {}) noexcept;

  /// prefill() of one token.
  [[nodiscard]] Status decode(std::uint32_t token, float* logits, const Executor& executor = {}) noexcept {
    return prefill({&token, 1}, logits, executor);
  }

  /// An encoder of tokens, or of frames [1, count, input_dim]: logits [outputs], or [rows, outputs] with
  /// Pooling::every, where rows counts the class token and the registers, too.
  [[nodiscard]] Status encode(std::span<const std::uint32_t> tokens, float* logits,
                              const Executor& executor = {}) noexcept;
  [[nodiscard]] Status encode(ConstMatrix frames, std::uint32_t count, float* logits,
                              const Executor& executor = {}) noexcept;

  /// An encoder with token_types: types [tokens], of each token. encode() without them takes type 0 for all.
  /// plan_mismatch, too: the model has no types; bad_length: they are not as many; bad_token, too: one is not in the
  /// model.
  [[nodiscard]] Status encode(std::span<const std::uint32_t> tokens, std::span<const std::uint32_t> types,
                              float* logits, const Executor& executor = {}) noexcept;

  /// What every block's cross-attention looks at: rows [1, count, cross_dim] of an encoder.
  [[nodiscard]] Status set_context(ConstMatrix rows, std::uint32_t count, const Executor& executor = {}) noexcept;

  /// Tokens of a decoder so far.
  [[nodiscard]] std::uint32_t tokens() const noexcept;

  /// Removes a decoder's tokens from number `length` on. bad_length: it has fewer; and what truncate() of the cache
  /// says.
  [[nodiscard]] Status truncate(std::uint32_t length) noexcept;

  /// Who is shown the stages of the calls that follow. An encoder whose head reads one row computes the others of its
  /// last block for an observer alone.
  void observe(const StageObserver& observer) noexcept { observer_ = observer; }

  [[nodiscard]] const ModelPlan& plan() const noexcept { return *plan_; }

 private:
  [[nodiscard]] Status init(const ModelPlan& plan, std::span<std::byte> state, std::span<std::byte> scratch,
                            const PackedModel& file, const KvStorage& storage, detail::ModelCode code) noexcept;
  [[nodiscard]] Status bind(const ModelPlan& plan, std::span<std::byte> state, std::span<std::byte> scratch,
                            const PackedModel& file, const KvStorage& storage, detail::ModelCode code) noexcept;
  [[nodiscard]] TransformerBlock block_at(std::uint32_t number) const noexcept;
  [[nodiscard]] Status check_context() const noexcept;
  [[nodiscard]] Status run_blocks(float* rows, std::uint32_t first, std::uint32_t count,
                                  const Executor& executor) noexcept;
  [[nodiscard]] Status check_encode(std::span<const std::uint32_t> tokens, const float* logits) const noexcept;
  void apply_head(const detail::ModelEnds& ends, float* rows, std::uint32_t count, float* logits) const noexcept;
  [[nodiscard]] Status encode_rows(std::uint32_t count, float* logits, const Executor& executor) noexcept;
  void show(Stage stage, const float* values, std::uint32_t rows, std::uint32_t columns) const noexcept;
  [[nodiscard]] float* spare() const noexcept;  ///< of a block that does not run
  [[nodiscard]] detail::ModelEnds ends(const Executor& executor) const noexcept;
  friend struct detail::ExtendedPass;

  const ModelPlan* plan_ = nullptr;
  std::byte* state_ = nullptr;
  std::byte* scratch_ = nullptr;
  const std::byte* file_ = nullptr;
  const Format* block_format_ = nullptr;
  const Format* input_format_ = nullptr;
  const Format* head_format_ = nullptr;
  const ModelExtension* extension_ = nullptr;  ///< of extended models alone
  KvStorage storage_{};
  StageObserver observer_{};
};

}  // namespace heed
