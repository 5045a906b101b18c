// SPDX-License-Identifier: MIT
#include "tensors/compensated_blocks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "support/data_types.hpp"
#include "support/failure.hpp"
#include "support/progress.hpp"
#include "tensors/loaded_model.hpp"
#include "tensors/product_moments.hpp"

namespace heed::tools {

namespace {

/// A matrix of a block, whose offsets count from `base`.
struct BlockMatrix {
  const LinearPlan& plan;
  std::size_t base;
};

/// The matrices of a block that multiply the same rows, in the order of row_kinds().
using BlockMatrices = std::array<std::vector<BlockMatrix>, 4>;

BlockMatrices matrices_of(const ModelPlan& plan, std::uint32_t number) {
  const BlockPlan& block = plan.block;
  const MultiHeadPlan& attention = block.attention;
  const std::size_t base = plan.file.block_weights.offset + std::size_t{number} * block.weights_bytes;
  const std::size_t attention_base = base + block.attention_weights.offset;
  BlockMatrices all{
      {{{attention.query, attention_base}, {attention.key, attention_base}, {attention.value, attention_base}},
       {{attention.output, attention_base}},
       {},
       {{block.mlp.down, base}}}};
  if (block.config.gated) all[2].push_back({block.mlp.gate, base});
  all[2].push_back({block.mlp.up, base});
  return all;
}

/// A matrix as pack_linear_quantized() takes it.
struct CompensatedMatrix {
  std::vector<std::int8_t> numbers{};
  std::vector<std::int8_t> multipliers{};
  std::vector<float> scales{};
  std::vector<float> bias{};  ///< or none

  void add(const RoundedOutput& output) {
    numbers.insert(numbers.end(), output.numbers.begin(), output.numbers.end());
    multipliers.insert(multipliers.end(), output.multipliers.begin(), output.multipliers.end());
    scales.push_back(output.scale);
  }
};

/// Sums of squares of what one kind of product gives.
struct KindErrors {
  double exact = 0.0;
  double nearest = 0.0;      ///< differences to it, with weights that pack_linear() rounded
  double compensated = 0.0;  ///< and with these
};

std::vector<float> unpacked(const LinearPlan& plan, std::span<const std::byte> packed) {
  std::vector<float> weights(std::size_t{plan.outputs} * plan.inputs);
  require_ok(unpack_linear(plan, {packed, weight_format(plan.type, plan.row_type).format}, weights.data()), "a matrix");
  return weights;
}

/// What pack_linear() makes of a matrix.
std::vector<float> rounded_to_nearest(std::uint32_t inputs, std::uint32_t outputs, const std::vector<float>& weights) {
  LinearPlan plan;
  require_ok(make_plan(LinearConfig{.inputs = inputs,
                                    .outputs = outputs,
                                    .type = DataType::int4_multipliers,
                                    .bias = false,
                                    .row_type = DataType::int16},
                       plan),
             "a matrix");
  AlignedBytes packed(plan.bytes);
  require_ok(pack_linear(plan, weights.data(), nullptr, packed.span()), "a matrix");
  return unpacked(plan, packed.span());
}

/// Rounds the matrices of a model that is there in float32.
class Compensator {
 public:
  Compensator(LoadedModel& floats, const std::string& option, const ModelInputs& inputs)
      : plan_(file_plan(floats.config(), option)),
        file_(floats.bytes()),
        moments_(product_moments(floats, option, inputs)) {
    next_pass();
    Progress progress("block");
    for (std::uint32_t block = 0; block < plan_.config.blocks; ++block) {
      progress.show(block + 1, plan_.config.blocks);
      add_block(block);
    }
  }

  [[nodiscard]] std::vector<CompensatedMatrix> take() { return std::move(matrices_); }
  [[nodiscard]] const std::array<KindErrors, 4>& errors() const { return errors_; }

 private:
  void add_block(std::uint32_t block) {
    const BlockMoments& moments = moments_[block];
    const InputMoments* const read[] = {&moments.read, &moments.attended, &moments.mlp_read, &moments.hidden};
    const BlockMatrices kinds = matrices_of(plan_, block);
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      const ErrorCompensation compensation(*read[kind]);
      for (const BlockMatrix& matrix : kinds[kind]) add_matrix(matrix, compensation, *read[kind], errors_[kind]);
    }
  }

  void add_matrix(const BlockMatrix& matrix, const ErrorCompensation& compensation, const InputMoments& moments,
                  KindErrors& errors) {
    const LinearPlan& plan = matrix.plan;
    const std::vector<float> weights = unpacked(plan, file_.subspan(matrix.base));
    const std::vector<float> nearest = rounded_to_nearest(plan.inputs, plan.outputs, weights);
    CompensatedMatrix& to = matrices_.emplace_back();
    std::vector<double> exact(plan.inputs);
    std::vector<double> difference(plan.inputs);
    for (std::size_t output = 0; output < plan.outputs; ++output) {
      const std::span row(weights.data() + output * plan.inputs, plan.inputs);
      const RoundedOutput rounded = compensation.round(row);
      to.add(rounded);
      std::copy(row.begin(), row.end(), exact.begin());
      errors.exact += moments.square_of(exact);
      for (std::size_t i = 0; i < plan.inputs; ++i) difference[i] = exact[i] - nearest[output * plan.inputs + i];
      errors.nearest += moments.square_of(difference);
      for (std::size_t i = 0; i < plan.inputs; ++i) difference[i] = exact[i] - rounded.value(i);
      errors.compensated += moments.square_of(difference);
    }
    if (plan.bias.bytes == 0) return;
    const auto* const bias = reinterpret_cast<const float*>(file_.data() + matrix.base + plan.bias.offset);
    to.bias.assign(bias, bias + plan.outputs);
  }

  ModelPlan plan_;
  std::span<const std::byte> file_;
  std::vector<BlockMoments> moments_;
  std::vector<CompensatedMatrix> matrices_;  ///< block by block, as matrices_of() has them
  std::array<KindErrors, 4> errors_{};
};

void put_matrices(const std::vector<CompensatedMatrix>& matrices, const ModelPlan& plan, ModelWriter& writer) {
  auto next = matrices.begin();
  for (std::uint32_t block = 0; block < plan.config.blocks; ++block) {
    for (const std::vector<BlockMatrix>& kind : matrices_of(plan, block)) {
      for (const BlockMatrix& place : kind) {
        writer.put_multiplied(place.plan, place.base, next->numbers.data(), next->multipliers.data(),
                              next->scales.data(), next->bias.empty() ? nullptr : next->bias.data());
        ++next;
      }
    }
  }
}

std::string describe_errors(ModelConfig config, const std::array<KindErrors, 4>& errors) {
  std::string text = "error of the blocks' products in int4_multipliers, to the nearest and by error compensation:\n";
  const std::vector<RowKind> kinds = row_kinds(config);
  for (std::size_t kind = 0; kind < errors.size(); ++kind) {
    const KindErrors& sums = errors[kind];
    const auto part = [&](double square) { return sums.exact > 0.0 ? std::sqrt(square / sums.exact) : 0.0; };
    char numbers[64];
    std::snprintf(numbers, sizeof numbers, "%.3g, %.3g", part(sums.nearest), part(sums.compensated));
    text += "  " + std::string(kinds[kind].name) + ": " + numbers + '\n';
  }
  return text;
}

}  // namespace

bool can_be_compensated(const ModelConfig& config) {
  return config.block.weight_type == DataType::int4_multipliers && !config.encoder && config.block.cross_dim == 0 &&
         config.input == ModelInput::tokens;
}

std::string compensate_blocks(ModelTensors& tensors, const std::string& option, const ModelInputs& inputs) {
  ModelTensors in_floats = tensors;
  set_types(in_floats.config, {.weights = DataType::float32, .rows = DataType::float32});
  LoadedModel floats(option, pack(in_floats, option));
  Compensator compensator(floats, option, inputs);
  const std::string text = describe_errors(tensors.config, compensator.errors());
  const auto matrices = std::make_shared<const std::vector<CompensatedMatrix>>(compensator.take());
  tensors.write = [matrices, write = std::move(tensors.write), errors = tensors.errors](const ModelPlan& plan,
                                                                                        ModelWriter& writer) {
    write(plan, writer);
    if (plan.block.config.weight_type != DataType::int4_multipliers) return;
    put_matrices(*matrices, plan, writer);
    // What was counted is what the blocks no longer are.
    if (errors) errors->forget("blocks");
  };
  return text;
}

}  // namespace heed::tools
