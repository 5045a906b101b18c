// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/block.hpp"
#include "heed/executor.hpp"
#include "heed/model_plan.hpp"
#include "heed/status.hpp"
#include "heed/tensor.hpp"

namespace heed {

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

/// A model file, and what reads its weights. A program links the formats that it names; float32 needs none.
struct PackedModel {
  std::span<const std::byte> bytes{};
  std::span<const Format* const> formats{};

  constexpr PackedModel() noexcept = default;

  /// From any bytes that a span can be made from.
  template <std::convertible_to<std::span<const std::byte>> Bytes>
  constexpr PackedModel(const Bytes& file, std::span<const Format* const> weight_formats = {}) noexcept
      : bytes(file), formats(weight_formats) {}
};

namespace detail {
struct ModelEnds;
}

/// A whole model from a model file: tokens or frames in, logits out.
///
/// init() and bind() return
///   not_initialised  the plan is empty
///   null_pointer, arena_too_small, arena_misaligned  one of the memories, or the file
///   overlap          two of them share a byte of those that the plan counts
///   wrong_weights    the file was made for another configuration
///   missing_format   a format that its weights need is not among those given, or `storage` does not name what its
///                    caches need
///   bad_state        bind() only: no model of this plan leaves such a state; a cache has more tokens than it can, or
///                    two blocks have not seen the same tokens or the same context
/// and the other calls
///   not_initialised  init() has not succeeded; with cross-attention, set_context() has not
///   plan_mismatch    the call is not one of such a model: tokens or frames, causal or not
///   zero_dimension, null_pointer, bad_stride  of the inputs and outputs
///   too_large        an encoder's rows are more than the plan's
///   bad_token        a token is not in the vocabulary
///   bad_position     more positions than the model has
///   cache_full       the tokens do not fit
class Model {
 public:
  /// Binds state (at least plan.state_bytes), scratch (plan.scratch_bytes) and the file (plan.file.bytes), each on a
  /// 64-byte boundary, and empties the caches. The file's header is compared with the plan; read_model() checks the
  /// rest.
  [[nodiscard]] Status init(const ModelPlan& plan, std::span<std::byte> state, std::span<std::byte> scratch,
                            const PackedModel& file, const KvStorage& storage = {}) noexcept;

  /// The same, but keeps what the state holds: a restored snapshot.
  [[nodiscard]] Status bind(const ModelPlan& plan, std::span<std::byte> state, std::span<std::byte> scratch,
                            const PackedModel& file, const KvStorage& storage = {}) noexcept;

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
  /// Pooling::every, where rows counts the class token, too.
  [[nodiscard]] Status encode(std::span<const std::uint32_t> tokens, float* logits,
                              const Executor& executor = {}) noexcept;
  [[nodiscard]] Status encode(ConstMatrix frames, std::uint32_t count, float* logits,
                              const Executor& executor = {}) noexcept;

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
  [[nodiscard]] TransformerBlock block_at(std::uint32_t number) const noexcept;
  [[nodiscard]] Status run_blocks(float* rows, std::uint32_t first, std::uint32_t count,
                                  const Executor& executor) noexcept;
  [[nodiscard]] Status encode_rows(std::uint32_t count, float* logits, const Executor& executor) noexcept;
  void show(Stage stage, const float* values, std::uint32_t rows, std::uint32_t columns) const noexcept;
  [[nodiscard]] detail::ModelEnds ends(const Executor& executor) const noexcept;

  const ModelPlan* plan_ = nullptr;
  std::byte* state_ = nullptr;
  std::byte* scratch_ = nullptr;
  const std::byte* file_ = nullptr;
  const Format* block_format_ = nullptr;
  const Format* input_format_ = nullptr;
  const Format* head_format_ = nullptr;
  KvStorage storage_{};
  StageObserver observer_{};
};

}  // namespace heed
