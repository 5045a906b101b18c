// SPDX-License-Identifier: MIT
#include "tensors/attention_replay.hpp"

#include <utility>

#include "support/data_types.hpp"
#include "support/failure.hpp"
#include "tensors/replayed_rows.hpp"

namespace heed::tools {

/// Where a block's attention has its weights and its cache.
struct AttentionReplay::Place {
  std::uint32_t block;
  bool cross;
  const MultiHeadPlan& layer;
  const std::byte* block_weights;
  PackedWeights layer_weights;
  KvCache cache{};
};

AttentionReplay::AttentionReplay(const LoadedModel& file, BoundModel& bound)
    : plan_(bound.model().plan()), file_(file.bytes()), bound_(bound) {
  const BlockPlan& block = plan_.block;
  const bool cross = block.config.cross_dim != 0 && block.cross.attention.config.integers != 0;
  if (cross || block.attention.attention.config.integers != 0) {
    throw Failure("caches of int8_integer: their attention weights are integers, which nothing returns");
  }
}

bool AttentionReplay::has_window(std::uint32_t block) const {
  const ModelConfig& config = plan_.config;
  return config.window != 0 && (config.full_every == 0 || (block + 1) % config.full_every != 0);
}

void AttentionReplay::rotate(std::uint32_t block, std::uint32_t rows, std::uint32_t first,
                             std::vector<float>& queries) const {
  const ModelConfig& config = plan_.config;
  if (config.positions != Positions::rotary) return;
  if (config.rotary_skip_every != 0 && (block + 1) % config.rotary_skip_every == 0) return;
  const bool local = config.local_rotary_base != 0.0F && has_window(block);
  const Rotary rotary{local ? plan_.local_rotary : plan_.rotary, nullptr};
  const std::uint32_t heads = config.block.heads;
  const std::uint32_t dim = config.block.head_dim;
  require_ok(apply_rotary(rotary, {.batch = 1, .heads = heads, .tokens = rows, .first_positions = &first},
                          bshd<const float>(queries.data(), heads, rows, dim), bshd(queries.data(), heads, rows, dim)),
             "the rotary positions");
}

/// What the projections read: the rows that go through the block, or these after their norm.
std::vector<float> AttentionReplay::rows_read(const Place& place, std::uint32_t rows) const {
  const BlockPlan& block = plan_.block;
  const std::uint32_t dim = block.config.model_dim;
  const auto* const input = reinterpret_cast<const float*>(bound_.scratch().data() + plan_.rows.offset);
  std::vector<float> read(input, input + std::size_t{rows} * dim);
  if (block.config.norm_placement != NormPlacement::after) {
    replay_norm(block.config, place.cross ? block.cross_norm : block.attention_norm, place.block_weights, dim, read);
  }
  return read;
}

/// [rows, heads, head_dim], of what the projections read.
std::vector<float> AttentionReplay::queries(const Place& place, const std::vector<float>& read, std::uint32_t rows,
                                            std::uint32_t first) const {
  const BlockConfig& config = plan_.block.config;
  std::vector<float> queries = replay_product(place.layer.query, place.layer_weights, rows, read);
  if (place.cross) return queries;
  if (config.qk_norm != QkNorm::none) {
    replay_norm(config, plan_.block.query_norm, place.block_weights, config.head_dim, queries);
  }
  rotate(place.block, rows, first, queries);
  return queries;
}

AttentionOptions AttentionReplay::options(const Place& place) const {
  AttentionOptions options;
  if (place.cross) return options;
  const ModelConfig& config = plan_.config;
  if (has_window(place.block)) options.left_window = config.window;
  options.softcap = config.block.score_softcap;
  if (config.relative_buckets == 0) return options;
  const std::uint32_t left = plan_.file.relative_left;
  options.relative_bias = {reinterpret_cast<const float*>(file_.data() + plan_.file.relative_bias.offset),
                           static_cast<std::ptrdiff_t>(detail::relative_columns(plan_.file, config)), left,
                           config.encoder ? left : 0};
  return options;
}

ReplayedAttention AttentionReplay::replay(std::uint32_t block_number, Stage stage, const float* shown,
                                          std::uint32_t rows) {
  const BlockPlan& block = plan_.block;
  const bool cross = stage == Stage::cross_attention;
  const MultiHeadPlan& layer = cross ? block.cross : block.attention;
  const Region& packed = cross ? block.cross_weights : block.attention_weights;
  const std::byte* const block_weights =
      file_.data() + plan_.file.block_weights.offset + std::size_t{block_number} * block.weights_bytes;
  Place place{block_number, cross, layer, block_weights,
              PackedWeights(block_weights + packed.offset, packed.bytes, weight_format(block.products).format)};
  const std::size_t state = block_number < detail::block_states(plan_.config) ? block_number : 0;
  const Region& cached = cross ? block.cross_state : block.attention_state;
  const std::span<std::byte> memory =
      bound_.state().subspan(plan_.block_state.offset + state * block.state_bytes + cached.offset, layer.cache.bytes);
  require_ok(place.cache.bind(layer.cache, memory, bound_.storage()), "the cache");

  const bool causal = !cross && !plan_.config.encoder;
  const std::uint32_t keys = place.cache.length(0);
  ReplayedAttention replayed{.read = rows_read(place, rows)};
  const std::vector<float> queries = this->queries(place, replayed.read, rows, causal ? keys - rows : 0);
  const std::uint32_t heads = block.config.heads;
  const std::uint32_t dim = block.config.head_dim;
  AttentionInputs inputs{.query_count = rows, .query = bshd(queries.data(), heads, rows, dim), .cache = &place.cache};
  if (causal) inputs.causal = Causal::bottom_right;
  replayed.weights = {rows, keys, std::vector<float>(std::size_t{heads} * rows * keys)};
  replayed.attended.resize(queries.size());
  AttentionOutputs outputs;
  outputs.output = bshd(replayed.attended.data(), heads, rows, dim);
  outputs.scores = bhsd(replayed.weights.values.data(), heads, rows, keys);
  AlignedBytes arena(layer.attention.bytes);
  require_ok(attend(layer.attention, arena.span(), inputs, options(place), outputs), "the attention");

  std::vector<float> added = replay_product(layer.output, place.layer_weights, rows, replayed.attended);
  if (!cross && block.config.norm_placement == NormPlacement::both) {
    replay_norm(block.config, block.attention_output_norm, block_weights, block.config.model_dim, added);
  }
  require_replayed(added, shown, block_number, stage);
  return replayed;
}

}  // namespace heed::tools
