// SPDX-License-Identifier: MIT
#include "tensors/product_moments.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include "support/failure.hpp"
#include "support/progress.hpp"
#include "tensors/attention_replay.hpp"
#include "tensors/mlp_replay.hpp"
#include "tensors/model_outputs.hpp"

namespace heed::tools {

namespace {

/// Rows of a prefill that go through the blocks at once.
constexpr std::uint32_t most_pass_rows = 64;

/// Who is shown the stages of a model.
class MomentsRecord {
 public:
  MomentsRecord(const LoadedModel& file, BoundModel& bound) : file_(file), bound_(bound), replay_(file, bound) {
    const BlockPlan& block = bound.model().plan().block;
    const BlockMoments none{InputMoments(block.attention.query.inputs), InputMoments(block.attention.output.inputs),
                            InputMoments(block.mlp.up.inputs), InputMoments(block.mlp.down.inputs)};
    blocks_.assign(bound.model().plan().config.blocks, none);
  }

  [[nodiscard]] StageObserver observer() {
    return {this, [](void* context, std::uint32_t block, Stage stage, const float* values, std::uint32_t rows,
                     std::uint32_t) { static_cast<MomentsRecord*>(context)->see(block, stage, values, rows); }};
  }

  /// A Failure of what went wrong while the model ran.
  void require_seen() const {
    if (!failed_.empty()) throw Failure(failed_);
  }
  [[nodiscard]] std::vector<BlockMoments> take() { return std::move(blocks_); }

 private:
  /// Called by the library, it throws nothing.
  void see(std::uint32_t block, Stage stage, const float* values, std::uint32_t rows) noexcept {
    if (!failed_.empty() || (stage != Stage::attention && stage != Stage::mlp)) return;
    try {
      add(block, stage, values, rows);
    } catch (const std::exception& error) {
      failed_ = error.what();
    }
  }

  void add(std::uint32_t block, Stage stage, const float* values, std::uint32_t rows) {
    BlockMoments& moments = blocks_[block];
    if (stage == Stage::attention) {
      const ReplayedAttention attention = replay_.replay(block, stage, values, rows);
      add(block, attention.read, moments.read);
      add(block, attention.attended, moments.attended);
    } else {
      const ReplayedMlp mlp = replay_mlp(file_, bound_, block, values, rows);
      add(block, mlp.read, moments.mlp_read);
      add(block, mlp.hidden, moments.hidden);
    }
  }

  static void add(std::uint32_t block, const std::vector<float>& rows, InputMoments& moments) {
    if (!std::all_of(rows.begin(), rows.end(), [](float number) { return std::isfinite(number); })) {
      throw Failure("block " + std::to_string(block) + " multiplies rows that are NaN or infinite");
    }
    moments.add(rows);
  }

  const LoadedModel& file_;
  BoundModel& bound_;
  AttentionReplay replay_;
  std::vector<BlockMoments> blocks_;
  std::string failed_;
};

}  // namespace

std::vector<BlockMoments> product_moments(LoadedModel& model, const std::string& option, const ModelInputs& inputs) {
  BoundModel bound(model, {.rows = std::min(inputs.count, most_pass_rows), .max_keys = inputs.count});
  MomentsRecord record(model, bound);
  bound.model().observe(record.observer());
  const OutputSizes sizes = output_sizes(model.config(), inputs.count, false);
  std::vector<float> output(sizes.count());
  next_pass();
  Progress progress("entry");
  for (std::uint32_t entry = 0; entry < inputs.batch; ++entry) {
    progress.show(entry + 1, inputs.batch);
    run_entry(bound.model(), option, inputs, entry, sizes, output.data(), {});
    with_option(option, [&] { record.require_seen(); });
  }
  return record.take();
}

}  // namespace heed::tools
