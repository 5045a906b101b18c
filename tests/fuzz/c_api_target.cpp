// SPDX-License-Identifier: MIT
//
// The C interface with structs of any numbers: sizes, strides, lengths and enumerators that no caller means. A tensor
// lies in memory of just what its strides reach, if that is not too much, and is null otherwise. A refused call changes
// nothing; an accepted one leaves that memory alone.
#include <algorithm>
#include <cstring>

#include "fuzz/c_api_memory.hpp"
#include "fuzz/target.hpp"
#include "heed/cache.hpp"

namespace heed::test::fuzz {
namespace {

constexpr std::uint32_t most_bytes = 1U << 15;  ///< of a plan's memory
constexpr std::int64_t most_work = 1 << 14;     ///< products of a call
constexpr std::uint32_t most_tokens = 1 << 10;  ///< appended at once

heed_attention_config attention_config(Choices& choices) {
  heed_attention_config config = {};
  config.kv_heads = choices.mostly_below(3);
  config.heads = choices.coin() ? config.kv_heads * choices.mostly_below(3) : choices.mostly_below(5);
  config.head_dim = choices.mostly_below(20);
  config.value_dim = choices.mostly_below(20);
  config.max_keys = choices.mostly_below(40);
  config.workers = choices.mostly_below(4);
  config.scratch_budget = choices.mostly_below(200) * 64;
  return config;
}

heed_attention_options options_of(Choices& choices, Memory& memory, const Shape& scores) {
  heed_attention_options options = {};
  options.causal_offsets = memory.array<std::int32_t>(scores.batch, 30);
  options.query_lengths = memory.array<std::uint32_t>(scores.batch, 8);
  options.prefix_lengths = memory.array<std::uint32_t>(scores.batch, 30);
  options.left_window = choices.coin() ? 0 : choices.mostly_below(30);
  options.right_window = choices.coin() ? 0 : choices.mostly_below(30);
  if (choices.below(3) == 0) {
    options.additive_mask.key_count = choices.mostly_below(30);
    options.additive_mask.data =
        memory.tensor<heed_const_tensor>({scores.batch, scores.heads, scores.rows, options.additive_mask.key_count});
  }
  if (choices.below(3) == 0) {
    options.pre_softcap_bias.key_count = choices.mostly_below(30);
    options.pre_softcap_bias.data =
        memory.tensor<heed_const_tensor>({scores.batch, scores.heads, scores.rows, options.pre_softcap_bias.key_count});
  }
  if (choices.below(3) == 0) {
    // One row of truth values for all.
    options.bool_mask.key_count = choices.mostly_below(30);
    options.bool_mask.format = static_cast<heed_mask_format>(choices.below(3));
    options.bool_mask.data = memory.array<std::uint8_t>(options.bool_mask.key_count, 3);
  }
  const std::uint32_t softcap = choices.coin() ? 0 : choices.word();
  std::memcpy(&options.softcap, &softcap, sizeof softcap);
  options.alibi_slopes = memory.array<float>(scores.heads, 4);
  options.sink_logits = memory.array<float>(scores.heads, 9);
  if (choices.below(3) == 0) {
    options.relative_bias.left = choices.mostly_below(20);
    options.relative_bias.right = choices.mostly_below(20);
    options.relative_bias.values =
        memory.array<float>(std::uint64_t{options.relative_bias.left} + options.relative_bias.right + 1, 5);
  }
  if (choices.below(4) == 0) {
    options.score_selection = {choices.mostly_below(5), choices.mostly_below(5), choices.mostly_below(8),
                               choices.mostly_below(8)};
  }
  options.smooth_softmax = choices.below(8) == 0;
  return options;
}

bool attend(Choices& choices) {
  const heed_attention_config config = attention_config(choices);
  heed_attention_plan plan = {};
  const heed_status status = heed_plan_attention(&config, &plan);
  require(known(status), "a status has a text");
  if (status != Status::ok) {
    require(plan.bytes == 0, "a refused configuration writes no plan");
    return false;
  }
  if (plan.bytes > most_bytes) return true;
  const heed_attention_config& made = plan.config;
  Memory inputs_memory(choices);
  Memory outputs_memory(choices);
  heed_attention_inputs inputs = {};
  inputs.batch = choices.mostly_below(3);
  inputs.query_count = choices.mostly_below(8);
  inputs.key_count = choices.mostly_below(30);
  const std::uint32_t batch = std::max(inputs.batch, 1U);
  inputs.query = inputs_memory.tensor<heed_const_tensor>({batch, made.heads, inputs.query_count, made.head_dim});
  inputs.key = inputs_memory.tensor<heed_const_tensor>({batch, made.kv_heads, inputs.key_count, made.head_dim});
  inputs.value = inputs_memory.tensor<heed_const_tensor>({batch, made.kv_heads, inputs.key_count, made.value_dim});
  inputs.key_lengths = inputs_memory.array<std::uint32_t>(batch, 30);
  inputs.causal = static_cast<heed_causal>(choices.below(5));
  inputs.causal_offset = static_cast<std::int32_t>(choices.mostly_below(20));
  const std::uint32_t scale = choices.coin() ? 0 : choices.word();
  std::memcpy(&inputs.scale, &scale, sizeof scale);

  const Shape scores{batch, made.heads, inputs.query_count, inputs.key_count};
  heed_attention_options options = {};
  if (choices.coin()) options = options_of(choices, inputs_memory, scores);
  heed_attention_outputs outputs = {};
  outputs.output = outputs_memory.tensor<heed_tensor>({batch, made.heads, inputs.query_count, made.value_dim});
  if (choices.coin()) outputs.scores = outputs_memory.tensor<heed_tensor>(scores);
  outputs.score_stage = static_cast<heed_score_stage>(choices.below(5));
  if (choices.coin()) {
    outputs.log_sum_exp = outputs_memory.floats(std::uint64_t{batch} * made.heads * inputs.query_count);
  }
  const __int128 work = static_cast<__int128>(batch) * made.heads * inputs.query_count * inputs.key_count;
  if (work * (made.head_dim + made.value_dim) > most_work) return true;
  Arena arena(choices, plan.bytes);
  const heed_status attended =
      heed_attend_with_options(&plan, arena.data, arena.size, &inputs, &options, &outputs, nullptr);
  require(known(attended), "a status has a text");
  require(inputs_memory.is_untouched(), "no input is written to");
  if (attended != Status::ok) {
    require(outputs_memory.is_untouched(), "a refused call writes nothing");
    const std::span<std::byte> bytes = arena.bytes.span();
    require(std::all_of(bytes.begin(), bytes.end(), [](std::byte byte) { return byte == std::byte{0x55}; }),
            "a refused call leaves the arena alone");
  }
  return attended == Status::ok;
}

/// What a configuration needs, but for one part in eight calls.
heed_kv_storage storage_of(Choices& choices, const heed_kv_cache_config& config) {
  const auto format_of = [](heed_data_type type) -> const heed_format* {
    switch (type) {
      case DataType::float16: return &heed_float16_cache;
      case DataType::bfloat16: return &heed_bfloat16_cache;
      case DataType::int8: return &heed_int8_cache;
      case DataType::int4: return &heed_int4_cache;
      case DataType::int8_channels: return &heed_int8_channel_keys;
      default: return nullptr;
    }
  };
  heed_kv_storage storage = {{format_of(config.key_type), format_of(config.value_type), nullptr},
                             choices.coin() ? &heed_kv_ring : &heed_kv_ring_with_positions,
                             nullptr};
  switch (choices.below(24)) {
    case 0: storage.formats[0] = nullptr; break;
    case 1: storage.formats[1] = nullptr; break;
    case 2: storage.ring = nullptr; break;
    default: break;
  }
  return storage;
}

bool append(Choices& choices) {
  heed_kv_cache_config config = {};
  config.max_sequences = choices.mostly_below(3);
  config.kv_heads = choices.mostly_below(3);
  config.head_dim = choices.mostly_below(40);
  config.value_dim = choices.mostly_below(40);
  config.max_keys = choices.mostly_below(40);
  config.key_type = static_cast<heed_data_type>(choices.below(9));
  config.value_type = static_cast<heed_data_type>(choices.below(9));
  config.ring = choices.below(3);
  config.sink_tokens = choices.coin() ? choices.mostly_below(8) : 0;
  heed_kv_cache_plan plan = {};
  const heed_status status = heed_plan_kv_cache(&config, &plan);
  require(known(status), "a status has a text");
  if (status != Status::ok || plan.bytes > most_bytes) return status == Status::ok;
  Arena arena(choices, plan.bytes);
  heed_kv_cache cache = {};
  // Whatever the memory holds: bind() takes it or says that it is no cache.
  const heed_kv_storage storage = storage_of(choices, config);
  const heed_status bound = choices.coin() ? heed_kv_cache_bind(&cache, &plan, arena.data, arena.size, &storage)
                                           : heed_kv_cache_init(&cache, &plan, arena.data, arena.size, &storage);
  require(known(bound), "a status has a text");
  for (int call = 0; call < 4; ++call) {
    Memory memory(choices);
    const std::uint32_t tokens = choices.mostly_below(50);
    // A ring takes them all, one after the other, where strides of 0 repeat one.
    if (tokens > most_tokens && tokens <= HEED_MAX_TOKENS) continue;
    const std::uint32_t sequence = choices.mostly_below(3);
    const auto key = memory.tensor<heed_const_tensor>({1, plan.config.kv_heads, tokens, plan.config.head_dim});
    const auto value = memory.tensor<heed_const_tensor>({1, plan.config.kv_heads, tokens, plan.config.value_dim});
    const std::uint32_t before = heed_kv_cache_tokens(&cache, sequence);
    const heed_status appended = heed_kv_cache_append(&cache, sequence, tokens, key, value);
    require(known(appended), "a status has a text");
    require(heed_kv_cache_tokens(&cache, sequence) == before + (appended == Status::ok ? tokens : 0),
            "a cache counts what it takes");
    static_cast<void>(heed_kv_cache_position(&cache, sequence, choices.word()));
    require(known(heed_kv_cache_truncate(&cache, sequence, choices.mostly_below(40))), "a status has a text");
  }
  return bound == Status::ok;
}

bool rotate(Choices& choices) {
  heed_rotary_config config = {};
  config.head_dim = choices.mostly_below(40);
  config.rotary_dim = choices.coin() ? 0 : choices.mostly_below(40);
  config.layout = static_cast<heed_rotary_layout>(choices.below(3));
  config.scaling = static_cast<heed_rotary_scaling>(choices.below(6));
  config.original_max_position = choices.mostly_below(100);
  config.max_position = choices.mostly_below(40);
  for (float* const member : {&config.base, &config.scaling_factor, &config.beta_fast, &config.beta_slow,
                              &config.high_freq_factor, &config.low_freq_factor, &config.attention_factor}) {
    const std::uint32_t choice = choices.below(4);
    const std::uint32_t word = choice == 1 ? choices.word() : 0;
    std::memcpy(member, &word, sizeof word);
    if (choice == 2) *member = static_cast<float>(choices.byte());
  }
  heed_rotary_plan plan = {};
  const heed_status status = heed_plan_rotary(&config, &plan);
  require(known(status), "a status has a text");
  if (status != Status::ok || plan.bytes > most_bytes) return status == Status::ok;
  heed_rotary rotary = {plan, nullptr};
  Arena arena(choices, plan.bytes);
  if (choices.coin()) require(known(heed_make_rotary_table(&plan, arena.data, arena.size, &rotary)), "a status");
  Memory inputs(choices);
  Memory outputs(choices);
  heed_rotary_positions tokens = {choices.mostly_below(3), choices.mostly_below(3), choices.mostly_below(20), nullptr,
                                  nullptr};
  const Shape shape{std::max(tokens.batch, 1U), std::max(tokens.heads, 1U), std::max(tokens.tokens, 1U),
                    plan.config.head_dim};
  tokens.positions = inputs.array<std::uint32_t>(std::uint64_t{shape.batch} * shape.rows, 45);
  tokens.first_positions = inputs.array<std::uint32_t>(shape.batch, 45);
  const auto from = inputs.tensor<heed_const_tensor>(shape);
  const auto to = outputs.tensor<heed_tensor>(shape);
  const heed_status applied = heed_apply_rotary(&rotary, &tokens, from, to);
  require(known(applied) && inputs.is_untouched(), "no input is written to");
  require(applied == Status::ok || outputs.is_untouched(), "a refused call writes nothing");
  return applied == Status::ok;
}

}  // namespace

Corpus corpus() {
  // Sizes of small calls, with the defaults behind them.
  const std::string attention{"\0\1\1\2\10\10\24\1\0\1\3\5", 12};
  const std::string cache{"\1\2\2\10\10\24\1\3\0", 9};
  const std::string rotary{"\2\10\0\0\0\0\20", 7};
  const std::string rest(80, '\14');
  return {{attention + rest, cache + rest, rotary + rest}, {}};
}

bool run(std::span<const std::byte> bytes) {
  Choices choices(bytes);
  switch (choices.below(3)) {
    case 0: return attend(choices);
    case 1: return append(choices);
    default: return rotate(choices);
  }
}

}  // namespace heed::test::fuzz
