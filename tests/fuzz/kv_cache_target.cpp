// SPDX-License-Identifier: MIT
//
// A KvCache as a state machine: the bytes choose a configuration and calls. A twin that is made from the definitions
// knows what each call returns and what the cache holds after it.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "cache/kv_cache_twin.hpp"
#include "fuzz/kv_rows.hpp"
#include "fuzz/target.hpp"
#include "heed/cache.hpp"
#include "support/aligned_memory.hpp"
#include "support/storage.hpp"

namespace heed::test::fuzz {
namespace {

constexpr std::uint32_t most_memory = 1U << 16;
constexpr std::uint32_t most_calls = 24;
constexpr std::uint32_t most_tokens = 24;  ///< of a call

/// What a sequence has.
struct Twin {
  struct Slot {
    std::uint32_t token = 0;
    std::vector<std::vector<Stored>> keys, values;  ///< of each head
  };
  std::uint32_t tokens = 0;
  std::vector<Slot> slots;
};

KvCacheConfig config_of(Choices& choices) {
  constexpr std::uint32_t dims[] = {1, 2, 3, 15, 16, 17, 31, 32, 33, 40, 0};
  constexpr DataType types[] = {DataType::float32, DataType::float16,       DataType::bfloat16,    DataType::int8,
                                DataType::int4,    DataType::int8_channels, DataType::int8_groups, DataType{8}};
  KvCacheConfig config;
  config.max_sequences = choices.mostly_below(4);
  config.kv_heads = choices.mostly_below(4);
  config.head_dim = dims[choices.below(std::size(dims))];
  config.value_dim = dims[choices.below(std::size(dims))];
  config.max_keys = choices.mostly_below(40);
  config.key_type = types[choices.below(std::size(types))];
  config.value_type = types[choices.below(std::size(types))];
  config.ring = choices.coin();
  if (config.ring) config.sink_tokens = choices.mostly_below(8);
  return config;
}

class Machine {
 public:
  explicit Machine(const KvCachePlan& plan)
      : plan_(plan), config_(plan.config), memory_(plan.bytes), sequences_(config_.max_sequences) {
    for (Twin& twin : sequences_) twin.slots.resize(config_.max_keys);
    require(cache_.init(plan_, memory_.span(), storage_of(config_)) == Status::ok, "a plan's memory becomes a cache");
  }

  void call(Choices& choices) {
    const std::uint32_t sequence = choices.below(config_.max_sequences + 1);
    const std::vector<std::byte> before(memory_.span().begin(), memory_.span().end());
    Status status = Status::ok;
    switch (choices.below(8)) {
      case 0: status = truncate(sequence, choices); break;
      case 1: status = reset(sequence); break;
      case 2: restore(); break;
      case 3: status = set_scales(choices); break;
      default: status = append(sequence, choices); break;
    }
    if (status != Status::ok) {
      require(std::equal(before.begin(), before.end(), memory_.span().begin()), "a refused call changes nothing");
    }
  }

  void check() const {
    for (std::uint32_t s = 0; s < config_.max_sequences; ++s) {
      const Twin& twin = sequences_[s];
      const std::uint32_t length = std::min(twin.tokens, config_.max_keys);
      require(cache_.tokens(s) == twin.tokens && cache_.length(s) == length, "a cache counts its tokens");
      for (std::uint32_t slot = 0; slot < length; ++slot) check_slot(s, slot);
    }
    require(cache_.tokens(config_.max_sequences) == 0, "a sequence that does not exist is empty");
  }

 private:
  [[nodiscard]] bool has_channel_scales() const { return config_.key_type == DataType::int8_channels; }
  [[nodiscard]] bool exists(std::uint32_t sequence) const { return sequence < config_.max_sequences; }

  [[nodiscard]] std::uint32_t slot_of(std::uint32_t token) const {
    const std::uint32_t sinks = config_.sink_tokens;
    return !config_.ring || token < sinks ? token : sinks + (token - sinks) % (config_.max_keys - sinks);
  }

  Status append(std::uint32_t sequence, Choices& choices) {
    const std::uint32_t tokens = 1 + choices.below(most_tokens);
    const Rows key(choices, config_.kv_heads, tokens, config_.head_dim);
    const Rows value(choices, config_.kv_heads, tokens, config_.value_dim);
    Status wanted = Status::ok;
    if (!exists(sequence)) {
      wanted = Status::bad_sequence;
    } else if (!config_.ring && tokens > config_.max_keys - sequences_[sequence].tokens) {
      wanted = Status::cache_full;
    } else if (has_channel_scales()) {
      wanted = scales_.empty() ? Status::bad_scale : finite(key.tensor, tokens) ? Status::ok : Status::not_finite;
    }
    require(cache_.append(sequence, tokens, key.tensor, value.tensor) == wanted, "append() returns what it should");
    for (std::uint32_t t = 0; t < tokens && wanted == Status::ok; ++t) {
      keep(sequences_[sequence], key.tensor, value.tensor, t);
    }
    return wanted;
  }

  [[nodiscard]] bool finite(const ConstTensor& key, std::uint32_t tokens) const {
    bool all = true;
    for (std::uint32_t head = 0; head < config_.kv_heads; ++head) {
      for (std::uint32_t t = 0; t < tokens; ++t) {
        const float* const row = key.row(0, head, t);
        all = all && std::all_of(row, row + config_.head_dim, [](float x) { return std::isfinite(x); });
      }
    }
    return all;
  }

  void keep(Twin& twin, const ConstTensor& key, const ConstTensor& value, std::uint32_t t) const {
    Twin::Slot& slot = twin.slots[slot_of(twin.tokens)];
    slot.token = twin.tokens++;
    slot.keys.clear();
    slot.values.clear();
    for (std::uint32_t head = 0; head < config_.kv_heads; ++head) {
      const float* const scales = scales_.empty() ? nullptr : scales_.data() + head * std::size_t{config_.head_dim};
      slot.keys.push_back(stored_row(config_.key_type, key.row(0, head, t), config_.head_dim, scales));
      slot.values.push_back(stored_row(config_.value_type, value.row(0, head, t), config_.value_dim));
    }
  }

  Status truncate(std::uint32_t sequence, Choices& choices) {
    const std::uint32_t tokens = exists(sequence) ? sequences_[sequence].tokens : 0;
    const std::uint32_t length = choices.mostly_below(std::min(tokens, 200U) + 2);
    Status wanted = Status::ok;
    if (!exists(sequence)) {
      wanted = Status::bad_sequence;
    } else if (length > tokens || (length != tokens && tokens > config_.max_keys && length > config_.sink_tokens)) {
      wanted = Status::bad_length;
    }
    require(cache_.truncate(sequence, length) == wanted, "truncate() returns what it should");
    if (wanted == Status::ok) sequences_[sequence].tokens = length;
    return wanted;
  }

  Status reset(std::uint32_t sequence) {
    const Status wanted = exists(sequence) ? Status::ok : Status::bad_sequence;
    require(cache_.reset(sequence) == wanted, "reset() returns what it should");
    if (wanted == Status::ok) sequences_[sequence].tokens = 0;
    return wanted;
  }

  /// The cache goes on in a copy of its memory.
  void restore() {
    AlignedMemory copy(memory_.span());
    KvCache restored;
    require(restored.bind(plan_, copy.span(), storage_of(config_)) == Status::ok, "a snapshot can be restored");
    memory_ = std::move(copy);
    cache_ = restored;
  }

  Status set_scales(Choices& choices) {
    const std::size_t count = std::size_t{config_.kv_heads} * config_.head_dim;
    std::vector<float> scales(count);
    Random random(choices.byte());
    for (float& scale : scales) scale = std::fabs(random.normal());
    const std::uint32_t fault = choices.below(8);
    if (fault == 1) scales.back() = special_numbers[choices.below(std::size(special_numbers))];
    if (fault == 2) scales.push_back(1.0F);
    const bool holds = std::any_of(sequences_.begin(), sequences_.end(), [](const Twin& t) { return t.tokens != 0; });
    const bool good = std::all_of(scales.begin(), scales.end(), [](float scale) {
      return scale == 0.0F || (scale >= 0.0F && std::isfinite(127.0F * least_scale(scale, 1.0, 8)));
    });
    Status wanted = good ? Status::ok : Status::bad_scale;
    if (scales.size() != count) wanted = Status::bad_length;
    if (holds) wanted = Status::not_empty;
    if (!has_channel_scales()) wanted = Status::plan_mismatch;
    require(cache_.set_key_scales(scales) == wanted, "set_key_scales() returns what it should");
    if (wanted == Status::ok) scales_ = scales;
    for (float& scale : scales_) scale += 0.0F;  // zeros lose their sign
    return wanted;
  }

  static bool same(const Stored& got, const Stored& wanted) {
    return got.q == wanted.q &&
           (bits_of(got.dequantized) == bits_of(wanted.dequantized) || got.dequantized == wanted.dequantized ||
            (std::isnan(got.dequantized) && std::isnan(wanted.dequantized)));
  }

  void check_slot(std::uint32_t sequence, std::uint32_t slot) const {
    const Twin::Slot& wanted = sequences_[sequence].slots[slot];
    require(cache_.position(sequence, slot) == wanted.token, "a slot has the position of its token");
    for (std::uint32_t head = 0; head < config_.kv_heads; ++head) {
      for (std::uint32_t d = 0; d < config_.head_dim; ++d) {
        require(same(stored_key(cache_, sequence, head, slot, d), wanted.keys[head][d]), "a key is stored as defined");
      }
      for (std::uint32_t d = 0; d < config_.value_dim; ++d) {
        require(same(stored_value(cache_, sequence, head, slot, d), wanted.values[head][d]),
                "a value is stored as defined");
      }
    }
  }

  KvCachePlan plan_;
  KvCacheConfig config_;
  AlignedMemory memory_;
  KvCache cache_;
  std::vector<Twin> sequences_;
  std::vector<float> scales_;
};

std::string random_input(std::uint64_t seed) {
  Random random(seed);
  std::string input(120, '\0');
  for (char& byte : input) byte = static_cast<char>(random.bits());
  const auto key_type = static_cast<char>(seed % 6);
  const auto value_type = static_cast<char>(seed / 6 % 5);
  // Two sequences of two heads with 20 slots, every other one a ring with two sink tokens.
  const char begin[] = {2, 2, 5, 8, 20, key_type, value_type, static_cast<char>(seed / 3 % 2), 2};
  std::copy(std::begin(begin), std::end(begin), input.begin());
  return input;
}

}  // namespace

Corpus corpus() {
  Corpus made;
  for (std::uint64_t seed = 0; seed < 30; seed += 2) made.seeds.push_back(random_input(seed));
  return made;
}

bool run(std::span<const std::byte> bytes) {
  Choices choices(bytes);
  const KvCacheConfig config = config_of(choices);
  KvCachePlan plan;
  if (make_plan(config, plan) != Status::ok) {
    require(plan.bytes == 0, "a refused configuration writes no plan");
    return false;
  }
  if (plan.bytes > most_memory) return true;
  Machine machine(plan);
  for (std::uint32_t call = 0; call < most_calls && !choices.empty(); ++call) machine.call(choices);
  machine.check();
  return true;
}

}  // namespace heed::test::fuzz
