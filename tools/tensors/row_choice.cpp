// SPDX-License-Identifier: MIT
#include "tensors/row_choice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "support/failure.hpp"
#include "tensors/loaded_model.hpp"
#include "tensors/model_outputs.hpp"

namespace heed::tools {

namespace {

/// Runs a model of these tensors, in other types, on the same inputs.
class Calibration {
 public:
  Calibration(const ModelTensors& tensors, const std::string& option, const ModelInputs& inputs)
      : tensors_(tensors), option_(option), inputs_(inputs) {
    ModelTensors floats = tensors;
    set_types(floats.config, {.weights = DataType::float32, .rows = DataType::float32});
    reference_ = outputs(floats);
    for (const float value : reference_) square_ += double{value} * value;
    if (!(square_ > 0.0) || !std::isfinite(square_)) {
      throw Failure(option + ": the model's outputs are zeros or no numbers, to which no error can be compared");
    }
  }

  [[nodiscard]] double error(const ModelConfig& config) const {
    ModelTensors typed = tensors_;
    typed.config = config;
    const std::vector<float> found = outputs(typed);
    double sum = 0.0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double difference = double{found[i]} - reference_[i];
      sum += difference * difference;
    }
    return std::sqrt(sum / square_);
  }

 private:
  [[nodiscard]] std::vector<float> outputs(const ModelTensors& tensors) const {
    LoadedModel file(option_, pack(tensors, option_));
    const ModelConfig& config = file.config();
    const OutputSizes sizes = output_sizes(config, inputs_.count, !config.encoder);
    BlockMemory memory;
    memory.max_keys = static_cast<std::uint32_t>(detail::encoder_rows(config, inputs_.count));
    memory.rows = config.encoder ? memory.max_keys : 1;
    if (config.pooling == Pooling::every) memory.rows = memory.max_keys;
    BoundModel bound(file, memory);
    std::vector<float> values(inputs_.batch * sizes.count());
    for (std::uint32_t entry = 0; entry < inputs_.batch; ++entry) {
      run_entry(bound.model(), option_, inputs_, entry, sizes, values.data() + entry * sizes.count(), {});
    }
    return values;
  }

  const ModelTensors& tensors_;
  const std::string& option_;
  const ModelInputs& inputs_;
  std::vector<float> reference_;
  double square_ = 0.0;
};

/// Each kind by its place in row_kinds().
void set_rows(ModelConfig& config, std::size_t kind, DataType type) {
  *row_kinds(config)[kind].rows = type;
}

/// The kinds that are not named, by their place in row_kinds().
std::vector<std::size_t> unnamed_kinds(const std::vector<RowKind>& kinds,
                                       const std::map<std::string, DataType>& named) {
  std::vector<std::size_t> unnamed;
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    if (named.count(kinds[kind].word) == 0) unnamed.push_back(kind);
  }
  return unnamed;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

}  // namespace

std::string choose_rows(ModelTensors& tensors, const std::string& option, const ModelInputs& inputs,
                        const std::map<std::string, DataType>& named) {
  if (tensors.config.block.cross_dim != 0) {
    throw Failure("--activations auto: a model with cross-attention needs its types in its architecture");
  }
  ModelConfig config = tensors.config;
  const std::vector<RowKind> kinds = row_kinds(config);
  std::vector<std::size_t> order = unnamed_kinds(kinds, named);
  for (const std::size_t kind : order) set_rows(config, kind, DataType::int16);
  const Calibration calibration(tensors, option, inputs);
  const double finest = calibration.error(config);
  const double most = std::sqrt(2.0) * finest;

  std::vector<double> alone(kinds.size());
  for (const std::size_t kind : order) {
    ModelConfig one = config;
    set_rows(one, kind, DataType::int8);
    alone[kind] = calibration.error(one);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return alone[a] < alone[b]; });

  std::string text = "error of the outputs to float32's: " + number(finest) + " with every " +
                     (named.empty() ? "row" : "other row") + " in int16, at most " + number(most) +
                     " with some in int8\n";
  for (const std::size_t kind : order) {
    ModelConfig more = config;
    set_rows(more, kind, DataType::int8);
    const double together = calibration.error(more);
    const bool taken = together <= most;
    if (taken) config = more;
    text += "  " + std::string(kinds[kind].name) + " in int8: " + number(alone[kind]) + " alone, " + number(together) +
            " with those above: " + (taken ? "int8" : "int16") + '\n';
  }
  tensors.config = config;
  return text;
}

std::size_t row_choice_passes(ModelConfig config, const std::map<std::string, DataType>& named) {
  // In float32, with every row in int16, and of each kind alone and with those before it.
  return 2 + 2 * unnamed_kinds(row_kinds(config), named).size();
}

}  // namespace heed::tools
