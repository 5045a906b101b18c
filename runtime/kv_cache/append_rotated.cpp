// SPDX-License-Identifier: MIT
#include <kernels/finite.hpp>

#include "heed/kv_cache.hpp"
#include "heed/rotary.hpp"
#include "kv_cache/quantized_layout.hpp"
#include "positions/pair_block.hpp"
#include "positions/rope.hpp"
#include "quantization/quantize.hpp"

namespace heed {
namespace {

using detail::PairBlock;
using detail::QuantizedLayout;

/// The tokens of a call. Nothing of them is ever in memory whole: a key may be longer than a stack is deep.
struct NewTokens {
  const KvCachePlan& plan;
  std::byte* memory;
  std::uint32_t sequence;
  std::uint32_t appended;  ///< tokens before the call
  std::uint32_t count;
  const ConstTensor& key;
  const Rotary& rotary;
  const RotaryPositions& positions;

  [[nodiscard]] QuantizedLayout<std::byte> parts(std::uint32_t head) const noexcept {
    return detail::quantized_layout(plan, memory, sequence, head);
  }
  [[nodiscard]] std::uint32_t slot(std::uint32_t token) const noexcept {
    return detail::slot_of(plan.config, appended + token);
  }

  /// Whether no later token of the call takes its slot.
  [[nodiscard]] bool stays(std::uint32_t token) const noexcept {
    const KvCacheConfig& config = plan.config;
    return appended + token < config.sink_tokens || count - token <= config.max_keys - config.sink_tokens;
  }
};

/// Neighbouring channels of one rotated key.
struct Run {
  std::uint32_t token, head;
  std::uint32_t first, count;
  const float* values;
};

/// Calls visit(run) for all channels of all keys.
template <class Visit>
void for_each_run(const NewTokens& tokens, const Visit& visit) noexcept {
  const KvCacheConfig& config = tokens.plan.config;
  detail::for_each_block(tokens.rotary, [&](PairBlock& block) {
    float values[2 * detail::block_pairs];
    const auto first = static_cast<std::uint32_t>(block.first_channel());
    const auto second = static_cast<std::uint32_t>(block.second_channel());
    for (std::uint32_t t = 0; t < tokens.count; ++t) {
      block.move_to(detail::position_of(tokens.positions, 0, t));
      for (std::uint32_t head = 0; head < config.kv_heads; ++head) {
        block.rotated_to(tokens.key.row(0, head, t), values);
        if (block.interleaved()) {
          visit(Run{t, head, first, 2 * block.count(), values});
        } else {
          visit(Run{t, head, first, block.count(), values});
          visit(Run{t, head, second, block.count(), values + detail::block_pairs});
        }
      }
    }
  });
  const std::uint32_t rotary_dim = tokens.rotary.plan.config.rotary_dim;
  if (rotary_dim == config.head_dim) return;
  for (std::uint32_t t = 0; t < tokens.count; ++t) {
    for (std::uint32_t head = 0; head < config.kv_heads; ++head) {
      visit(Run{t, head, rotary_dim, config.head_dim - rotary_dim, tokens.key.row(0, head, t) + rotary_dim});
    }
  }
}

[[nodiscard]] bool all_finite(const NewTokens& tokens) noexcept {
  bool finite = true;
  for_each_run(tokens, [&](const Run& run) { finite = finite && detail::all_finite(run.values, 0, 1, run.count); });
  return finite;
}

void set_scales(const NewTokens& tokens) noexcept {
  const KvCacheConfig& config = tokens.plan.config;
  const auto scales_of = [&](std::uint32_t token, std::uint32_t head) {
    return detail::key_scale_row(tokens.plan, tokens.parts(head), tokens.slot(token));
  };
  for (std::uint32_t t = 0; t < tokens.count; ++t) {
    for (std::uint32_t head = 0; head < config.kv_heads && tokens.stays(t); ++head) {
      detail::clear_scales(config.key_type, config.head_dim, scales_of(t, head));
    }
  }
  for_each_run(tokens, [&](const Run& run) {
    if (!tokens.stays(run.token)) return;
    detail::raise_scales(config.key_type, run.values, run.first, run.count, scales_of(run.token, run.head));
  });
}

void store_keys(const NewTokens& tokens) noexcept {
  const KvCacheConfig& config = tokens.plan.config;
  const bool scaled = config.key_type == DataType::int8 || config.key_type == DataType::int4;
  if (scaled && !config.key_scales_per_channel) set_scales(tokens);
  for_each_run(tokens, [&](const Run& run) {
    if (!tokens.stays(run.token)) return;
    const auto parts = tokens.parts(run.head);
    const std::uint32_t slot = tokens.slot(run.token);
    detail::QuantizedRow row = detail::key_row(tokens.plan, parts, slot);
    if (scaled && !config.key_scales_per_channel) {
      const detail::QuantizedRow scales = detail::key_scale_row(tokens.plan, parts, slot);
      detail::store_scaled(config.key_type, run.values, run.first, run.count, row, scales);
      return;
    }
    row.first = row.number(run.first);
    if (scaled) {
      const auto* const scales = reinterpret_cast<const float*>(parts.key_scales);
      detail::store_row_by_channel(run.values, scales + run.first, run.count, row);
    } else {
      detail::store_row(config.key_type, run.values, run.count, run.count, row, {});
    }
  });
}

}  // namespace

Status append_rotated(KvCache& cache, std::uint32_t sequence, std::uint32_t tokens, ConstTensor key, ConstTensor value,
                      const Rotary& rotary, const std::uint32_t* positions) noexcept {
  if (!cache.initialised() || rotary.plan.config.head_dim == 0) return Status::not_initialised;
  const KvCacheConfig& config = cache.plan().config;
  if (config.head_dim != rotary.plan.config.head_dim) return Status::plan_mismatch;
  Status status = cache.check_append(sequence, tokens, key, value);
  if (status != Status::ok || tokens == 0) return status;
  const std::uint32_t appended = cache.tokens(sequence);
  const RotaryPositions added{.tokens = tokens, .positions = positions, .first_positions = &appended};
  status = detail::check_positions(rotary, added);
  if (status != Status::ok) return status;
  const NewTokens all{*cache.plan_, cache.memory_, sequence, appended, tokens, key, rotary, added};
  if (config.key_scales_per_channel && !all_finite(all)) return Status::not_finite;

  store_keys(all);
  for (std::uint32_t head = 0; head < config.kv_heads; ++head) {
    const auto parts = all.parts(head);
    for (std::uint32_t t = 0; t < tokens; ++t) {
      if (all.stays(t)) detail::store_value(all.plan, parts, all.slot(t), value.row(0, head, t));
    }
  }
  cache.states()[sequence] = appended + tokens;
  return Status::ok;
}

}  // namespace heed
