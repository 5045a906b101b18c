// SPDX-License-Identifier: MIT
#include <kernels/finite.hpp>

#include "cache/cache_parts.hpp"
#include "cache/store_token.hpp"
#include "format/format.hpp"
#include "heed/cache.hpp"
#include "heed/positions.hpp"
#include "positions/rotary.hpp"

namespace heed {
namespace {

using detail::PairBlock;
using detail::StoredRow;

/// The tokens of a call. No rotated key is ever in memory as a whole: it may be longer than there is stack for.
struct NewTokens {
  KvCache& cache;
  std::uint32_t sequence;
  std::uint32_t appended;  ///< tokens before the call
  std::uint32_t count;
  const ConstTensor& key;
  const Rotary& rotary;
  const RotaryPositions& positions;

  [[nodiscard]] std::uint32_t slot(std::uint32_t token) const noexcept {
    return detail::slot_of(cache, appended + token);
  }
  [[nodiscard]] StoredRow row(std::uint32_t token, std::uint32_t head) const noexcept {
    return detail::key_in(cache, sequence, head, slot(token));
  }

  /// Whether no later token of the call takes its slot.
  [[nodiscard]] bool stays(std::uint32_t token) const noexcept {
    const KvCacheConfig& config = cache.plan().config;
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
  const KvCacheConfig& config = tokens.cache.plan().config;
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

void set_scales(const NewTokens& tokens, const Format& format) noexcept {
  const KvCacheConfig& config = tokens.cache.plan().config;
  for (std::uint32_t t = 0; t < tokens.count; ++t) {
    for (std::uint32_t head = 0; head < config.kv_heads && tokens.stays(t); ++head) {
      format.clear_scales(config.head_dim, tokens.row(t, head));
    }
  }
  for_each_run(tokens, [&](const Run& run) {
    if (!tokens.stays(run.token)) return;
    format.raise_scales(run.values, run.first, run.count, tokens.row(run.token, run.head));
  });
}

void store_keys(const NewTokens& tokens) noexcept {
  const Format* const format = detail::CacheAccess::key_format(tokens.cache);
  detail::StoreChannels* const store = format != nullptr ? format->store : detail::store_float32;
  if (format != nullptr && format->clear_scales != nullptr) set_scales(tokens, *format);
  for_each_run(tokens, [&](const Run& run) {
    if (!tokens.stays(run.token)) return;
    store(run.values, run.first, run.count, tokens.row(run.token, run.head));
  });
}

}  // namespace

Status append_rotated(KvCache& cache, std::uint32_t sequence, std::uint32_t tokens, const ConstTensor& key,
                      const ConstTensor& value, const Rotary& rotary, const std::uint32_t* positions) noexcept {
  if (!cache.initialised() || rotary.plan.config.head_dim == 0) return Status::not_initialised;
  const KvCacheConfig& config = cache.plan().config;
  if (config.head_dim != rotary.plan.config.head_dim) return Status::plan_mismatch;
  Status status = detail::check_append(cache, sequence, tokens, key, value);
  if (status != Status::ok || tokens == 0) return status;
  const std::uint32_t appended = cache.tokens(sequence);
  const RotaryPositions added{
      .batch = 1, .heads = 1, .tokens = tokens, .positions = positions, .first_positions = &appended};
  status = detail::check_positions(rotary, added);
  if (status != Status::ok) return status;
  const NewTokens all{cache, sequence, appended, tokens, key, rotary, added};
  if (config.key_type == DataType::int8_channels && !all_finite(all)) return Status::not_finite;

  store_keys(all);
  detail::StoreChannels* const store_row = detail::storing(detail::CacheAccess::value_format(cache));
  for (std::uint32_t t = 0; t < tokens; ++t) {
    for (std::uint32_t head = 0; head < config.kv_heads && all.stays(t); ++head) {
      store_row(value.row(0, head, t), 0, config.value_dim, detail::value_in(cache, sequence, head, all.slot(t)));
    }
  }
  detail::tokens_of(cache, sequence) = appended + tokens;
  return Status::ok;
}

}  // namespace heed
