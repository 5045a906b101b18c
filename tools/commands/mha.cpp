// SPDX-License-Identifier: MIT
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "formats/files.hpp"
#include "formats/npy.hpp"
#include "heed/layer.hpp"
#include "options/help_format.hpp"
#include "options/layer_rotary.hpp"
#include "options/output_option.hpp"
#include "options/rotary_options.hpp"
#include "options/run_options.hpp"
#include "options/score_options.hpp"
#include "options/weight_options.hpp"
#include "support/failure.hpp"
#include "tensors/bound_layer.hpp"
#include "tensors/layer_inputs.hpp"
#include "tensors/layer_masks.hpp"

namespace heed::tools {

namespace {

struct MhaOptions {
  WeightOptions weights;
  LayerInputFiles inputs;
  std::string out;
  std::string heads_out;
  bool average_weights = false;
  LayerMaskOptions masks;
  ScoreOptions terms;
  RotaryOptions rotary;
  RunOptions run;
};

/// Masks, terms and rules of one run. What they point to lives as long as they do.
struct Rules {
  RunSettings settings;
  ScoreTerms terms;
  LayerMasks masks;

  /// `extra` keys after those of `sizes` are seen by every query, whatever the rules say: as in PyTorch, where the
  /// masks are padded for them. Rules that go by positions become a mask then.
  Rules(const MhaOptions& options, const ScoreSizes& sizes, std::uint32_t extra)
      : settings(options.run, sizes, {}, extra), terms(options.terms, sizes), with_extra_(extra != 0) {
    if (with_extra_ && terms.has_slopes())
      throw Failure("--alibi: the tokens of --bias-k and --add-zero-attn are at no position");
    const auto seen = [&](std::size_t batch, std::uint32_t query, std::uint32_t key) {
      return settings.visible(batch, query, key) &&
             terms.in_window(std::int64_t{query} + settings.offsets()[batch], key);
    };
    if (with_extra_) {
      masks = read_layer_masks(options.masks, sizes, extra, seen);
    } else {
      masks = read_layer_masks(options.masks, sizes, extra, {});
    }
  }

  void apply(MultiHeadInputs& inputs, AttentionOptions& chosen) const {
    settings.apply(inputs);
    settings.apply(chosen);
    terms.apply(chosen);
    chosen.bool_mask = masks.open.bool_mask();
    chosen.additive_mask = masks.added.bias();
    if (!with_extra_) return;
    inputs.key_lengths = nullptr;
    inputs.causal = Causal::none;
    chosen.prefix_lengths = nullptr;
    chosen.left_window = 0;
    chosen.right_window = 0;
  }

 private:
  bool with_extra_;
};

void run_layer(const LayerInputs& layer, const LayerRotary& rotary, const MultiHeadInputs& inputs,
               MultiHeadOptions chosen, const MultiHeadOutputs& outputs, const Executor& executor) {
  rotary.apply(chosen);
  BoundLayer bound(layer.plan(), layer.weights(), layer.names());
  if (layer.encodes()) {
    require_ok(bound.layer.encode(inputs, chosen, outputs, executor), layer.names());
  } else {
    layer.fill(bound.layer, rotary.key_options(), executor);
    require_ok(bound.layer.attend(inputs, chosen, outputs, executor), layer.names());
  }
}

void run_mha(const CLI::App& command, const MhaOptions& options) {
  const bool averages = options.average_weights;
  if (averages && (options.run.scores.empty() || (!options.run.stage.empty() && options.run.stage != "weights"))) {
    throw Failure("--average-attn-weights needs --scores, of stage weights");
  }
  const LayerWeights weights(options.weights.weights, options.weights.names, options.weights.sizes);
  const LayerInputs layer(options.inputs, weights, options.weights.weights, options.run.workers);
  const MultiHeadConfig& config = layer.plan().config;
  const TokenRows& x = layer.x();
  const std::string where = layer.names();
  Rules rules(options, {x.batch, config.heads, x.tokens, layer.keys()}, layer.extra_keys());
  require_position_used(command);
  const LayerRotary rotary(options.rotary, layer, rules.settings.offsets());

  Shape out_shape = x.array.shape;
  out_shape.back() = config.output_dim;
  FloatArray out = zeros(out_shape, where);
  FloatArray heads;
  if (!options.heads_out.empty()) heads = zeros({x.batch, config.heads, x.tokens, config.value_dim}, where);
  MultiHeadInputs inputs{.batch = x.batch, .tokens = x.tokens, .input = x.matrix()};
  MultiHeadOptions chosen;
  rules.apply(inputs, chosen.attention);
  MultiHeadOutputs outputs{.output = dense(out.values.data(), x.tokens, config.output_dim)};
  if (!heads.values.empty()) {
    outputs.head_outputs = bhsd(heads.values.data(), config.heads, x.tokens, config.value_dim);
  }
  rules.settings.request(outputs);
  run_layer(layer, rotary, inputs, chosen, outputs, rules.settings.executor());

  if (averages) rules.settings.average_heads();
  OutputFiles files;
  files.add(options.out, npy_bytes(out), "--out");
  if (!options.heads_out.empty()) files.add(options.heads_out, npy_bytes(heads), "--head-outputs");
  rules.settings.collect(files);
  files.write();
  std::cout << weights.sizes();
}

}  // namespace

void add_mha(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("mha", "a multi-head attention layer with weights from a file or folder");
  const auto options = std::make_shared<MhaOptions>();
  add_weight_options(command, options->weights);
  begin_group(command, "Inputs");
  add_layer_input_options(command, options->inputs);
  begin_group(command, "Outputs");
  add_output(command, "--out", OutputKind::array, options->out, "y, with as many dimensions as x")->required();
  add_output(command, "--head-outputs", OutputKind::array, options->heads_out,
             "write the heads before W_O [batch, heads, tokens, value_dim]");
  command.add_flag("--average-attn-weights", options->average_weights,
                   "--scores writes the mean over the heads [batch, tokens, keys]");
  begin_group(command, "Masks, biases and windows");
  add_layer_mask_options(command, options->masks);
  add_score_options(command, options->terms);
  begin_group(command, "Rotary positions");
  add_rotary_options(command, options->rotary,
                     {.positions = "of the tokens of --input, int32 or int64 [batch, tokens] or [tokens]; 0, 1, ... "
                                   "unless given, or those of --causal or --query-position if the keys are not theirs",
                      .key_positions = "of the keys of --kv-input or --key, [batch, keys] or [keys]; 0, 1, ... unless "
                                       "given"});
  add_run_options(command, options->run);
  add_weight_names(command, options->weights.names);
  add_example(command, "heed mha --weights layer.safetensors --heads 8 --input x.npy --out y.npy");
  command.callback([&command, options] { run_mha(command, *options); });
}

}  // namespace heed::tools
