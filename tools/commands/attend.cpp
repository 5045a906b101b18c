// SPDX-License-Identifier: MIT
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "commands/commands.hpp"
#include "formats/files.hpp"
#include "formats/npy.hpp"
#include "heed/options.hpp"
#include "options/count_option.hpp"
#include "options/help_format.hpp"
#include "options/kv_cache_options.hpp"
#include "options/output_option.hpp"
#include "options/rotary_options.hpp"
#include "options/run_options.hpp"
#include "options/score_options.hpp"
#include "support/aligned_bytes.hpp"
#include "support/failure.hpp"
#include "support/planned.hpp"
#include "tensors/operands.hpp"

namespace heed::tools {

namespace {

struct AttendOptions {
  OperandFiles operands;
  std::string past_key;
  std::string past_value;
  std::string present_key;
  std::string present_value;
  std::string out;
  std::string mask;
  bool pad_mask = false;
  std::string kv_type;
  RotaryOptions rotary;
  ScoreOptions terms;
  RunOptions run;
};

/// The keys and values that are attended over: those of the past first.
struct KeyValues {
  Operand key;
  Operand value;
};

struct Past {
  PastRows key;
  PastRows value;
};

std::optional<Past> past_of(const AttendOptions& options) {
  if (options.past_key.empty() != options.past_value.empty()) throw Failure("--past-key and --past-value go together");
  if (options.past_key.empty()) return {};
  Past past{read_past("--past-key", options.past_key), read_past("--past-value", options.past_value)};
  if (past.key.rows() != past.value.rows()) {
    throw Failure(past.key.name + " and " + past.value.name + " differ in past: " + std::to_string(past.key.rows()) +
                  " and " + std::to_string(past.value.rows()));
  }
  return past;
}

KeyValues join(const AttendOptions& options, const std::optional<Past>& past, Operands& operands) {
  const bool as_it_is = !past && options.present_key.empty() && options.present_value.empty();
  if (as_it_is) return {std::move(operands.key), std::move(operands.value)};
  return {join_past(past ? &past->key : nullptr, operands.key),
          join_past(past ? &past->value : nullptr, operands.value)};
}

void run_attend(const CLI::App& command, const AttendOptions& options) {
  Operands operands = read_operands(options.operands);
  const std::string where = operands.names();
  const std::optional<Past> past = past_of(options);
  const std::uint32_t past_keys = past ? past->key.rows() : 0;
  const Operand& query = operands.query;
  const std::uint32_t keys = to_size(std::size_t{past_keys} + operands.key.rows, where);
  const ScoreSizes sizes{query.batch, query.heads, query.rows, keys};
  RunSettings settings(options.run, sizes, past ? std::optional(past_keys) : std::nullopt);
  require_position_used(command);
  const ScoreTerms terms(options.terms, sizes);
  ScoreArray mask;
  if (options.pad_mask && options.mask.empty()) throw Failure("--pad-mask means nothing without --mask");
  if (!options.mask.empty()) {
    mask = read_score_array("--mask", options.mask, sizes, options.pad_mask,
                            "; --pad-mask masks those after it, as ONNX does");
  }
  rotate_operands(options.rotary, settings.offsets(), past_keys, operands);
  const KeyValues seen = join(options, past, operands);
  OutputFiles files;
  if (!options.present_key.empty()) files.add(options.present_key, npy_bytes(seen.key.array), "--present-key");
  if (!options.present_value.empty()) files.add(options.present_value, npy_bytes(seen.value.array), "--present-value");
  std::optional<KvCacheKeys> stored;
  if (!options.kv_type.empty()) {
    const KvTypes types = parse_filled_kv_type(options.kv_type);
    if (keys != 0) stored.emplace(types, seen.key, seen.value);
  }

  const AttentionConfig config{.heads = query.heads,
                               .kv_heads = seen.key.heads,
                               .head_dim = query.dim,
                               .value_dim = seen.value.dim,
                               .max_keys = keys,
                               .workers = options.run.workers};
  const auto plan = planned<AttentionPlan>(where, config);
  AttentionInputs inputs{.batch = query.batch,
                         .query_count = query.rows,
                         .key_count = keys,
                         .query = query.tensor(),
                         .key = seen.key.tensor(),
                         .value = seen.value.tensor()};
  settings.apply(inputs);
  AttentionOptions chosen;
  settings.apply(chosen);
  terms.apply(chosen);
  chosen.bool_mask = mask.bool_mask();
  chosen.additive_mask = mask.bias();

  Shape out_shape = query.array.shape;
  out_shape.back() = std::size_t{query.heads_inside ? query.heads : 1} * seen.value.dim;
  FloatArray out = zeros(std::move(out_shape), where);
  AttentionOutputs outputs;
  outputs.output = view(out.values.data(), query.heads_inside, query.heads, query.rows, seen.value.dim);
  settings.request(outputs);

  AlignedBytes arena(plan.bytes);
  if (stored) inputs.cache = &stored->cache();
  require_ok(attend(plan, arena.span(), inputs, chosen, outputs, settings.executor()), where);
  files.add(options.out, npy_bytes(out), "--out");
  settings.collect(files);
  files.write();
}

}  // namespace

void add_attend(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("attend", "scaled dot-product attention of .npy files");
  const auto options = std::make_shared<AttendOptions>();
  const auto file = [&](const char* name, std::string& place, const char* text) {
    return command.add_option(name, place, text)->type_name("FILE");
  };
  OperandFiles& operands = options->operands;
  file("--query", operands.query, "[batch, heads, queries, head_dim], or [batch, queries, heads * head_dim]")
      ->required();
  file("--key", operands.key, "[batch, kv_heads, keys, head_dim], or [batch, keys, kv_heads * head_dim]")->required();
  file("--value", operands.value, "[batch, kv_heads, keys, value_dim], or [batch, keys, kv_heads * value_dim]")
      ->required();
  add_output(command, "--out", OutputKind::array, options->out, "output, with as many dimensions as the inputs have")
      ->required();
  add_count(command, "--heads", operands.heads, "query heads of inputs with 3 dimensions");
  add_count(command, "--kv-heads", operands.kv_heads, "key and value heads; --heads unless given");
  begin_group(command, "A cache");
  file("--past-key", options->past_key, "keys before those of --key, [batch, kv_heads, past, head_dim]");
  file("--past-value", options->past_value, "values before those of --value, [batch, kv_heads, past, value_dim]");
  add_output(command, "--present-key", OutputKind::array, options->present_key,
             "write past and new keys [batch, kv_heads, past + keys, head_dim]");
  add_output(command, "--present-value", OutputKind::array, options->present_value,
             "write past and new values, likewise");
  add_kv_type(command, options->kv_type);
  begin_group(command, "Masks, biases and windows");
  file("--mask", options->mask,
       "attn_mask of ONNX and of PyTorch's scaled_dot_product_attention: bool or uint8, true = attend; or numbers that "
       "are added to the scores. 1 to 4 dimensions, of which all but the last broadcast to [batch, heads, queries, "
       "keys]");
  command.add_flag("--pad-mask", options->pad_mask,
                   "as in ONNX, the last dimension of --mask may be short: keys beyond it are masked");
  add_score_options(command, options->terms);
  begin_group(command, "Rotary positions");
  add_rotary_options(
      command, options->rotary,
      {.positions = "of the queries, int32 or int64 [batch, queries] or [queries]; unless given those of "
                    "--causal or --query-position",
       .key_positions = "of the new keys, [batch, keys] or [keys]; unless given 0, 1, ... after the past"});
  add_run_options(command, options->run);
  add_example(command, "heed attend --query q.npy --key k.npy --value v.npy --out o.npy --causal");
  command.callback([&command, options] { run_attend(command, *options); });
}

}  // namespace heed::tools
