// SPDX-License-Identifier: MIT
//
// A layer's call with options, and the same composed of its parts: projections that are chains of fused multiply-adds,
// as the arithmetic is defined, apply_rotary(), and attend() over all tokens at once. Both have the same bits.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "layer/layer_case.hpp"
#include "options/options_random.hpp"
#include "support/threads.hpp"

namespace heed::test {

enum class LayerMethod : std::uint8_t { attend, encode, prefill };

struct LayerOptionsCase {
  LayerMethod method = LayerMethod::attend;
  MultiHeadConfig config;
  OptionsCase options;           ///< of it, query, key and value are not read
  std::vector<float> x, memory;  ///< [batch, tokens, model_dim], [batch, keys, kv_input_dim]
  Rotary rotary;                 ///< head_dim 0: none
  std::shared_ptr<AlignedMemory> table;
  std::vector<std::uint32_t> query_positions, key_positions;  ///< [batch, tokens], [batch, keys]; empty: in sequence
  std::vector<std::uint32_t> sequences;

  [[nodiscard]] const AttentionShape& shape() const { return options.base.shape; }
  /// Tokens in the cache before the call.
  [[nodiscard]] std::uint32_t held() const {
    return method == LayerMethod::attend ? shape().keys : shape().keys - shape().queries;
  }
};

struct LayerResult {
  Status status = Status::ok;
  std::vector<float> y, heads, scores, log_sum_exp;
};

/// Rows first..first + count of every batch entry of [batch, rows, dim].
template <class Element>
std::vector<Element> rows_of_each(const std::vector<Element>& from, std::size_t rows, std::size_t dim,
                                  std::size_t first, std::size_t count) {
  std::vector<Element> to;
  for (std::size_t start = first * dim; start < from.size(); start += rows * dim) {
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(start);
    to.insert(to.end(), begin, begin + static_cast<std::ptrdiff_t>(count * dim));
  }
  return to;
}

/// y = x W^T + b, rounded as the runtime rounds.
inline std::vector<float> project_in_chains(const std::vector<float>& x, std::size_t inputs,
                                            const std::vector<float>& weight, const std::vector<float>& bias) {
  std::vector<float> y;
  for (std::size_t row = 0; row * inputs < x.size(); ++row) {
    for (std::size_t o = 0; o < weight.size() / inputs; ++o) {
      float sum = bias.empty() ? 0.0F : bias[o];
      for (std::size_t i = 0; i < inputs; ++i) sum = std::fma(x[row * inputs + i], weight[o * inputs + i], sum);
      y.push_back(sum);
    }
  }
  return y;
}

/// Projected rows [batch, rows, heads * dim], rotated if `rotary` is, as [batch, heads, rows, dim].
inline std::vector<float> split_and_rotate(const LayerOptionsCase& c, const std::vector<float>& projected,
                                           std::uint32_t heads, std::uint32_t rows,
                                           const std::vector<std::uint32_t>& positions, std::uint32_t first) {
  const AttentionShape& s = c.shape();
  std::vector<float> split = swap_heads_and_rows(projected, s.batch, rows, heads, s.head_dim);
  if (c.rotary.plan.config.head_dim == 0) return split;
  const std::vector<std::uint32_t> firsts(s.batch, first);
  const MutableTensor view = bhsd(split.data(), heads, rows, s.head_dim);
  const RotaryPositions tokens{s.batch, heads, rows, positions.empty() ? nullptr : positions.data(), firsts.data()};
  EXPECT_EQ(apply_rotary(c.rotary, tokens, view, view), Status::ok);
  return split;
}

inline LayerResult composed(const LayerOptionsCase& c, const LayerWeights& w, ScoreStage stage) {
  const AttentionShape& s = c.shape();
  const MultiHeadConfig& config = c.config;
  OptionsCase attention = c.options;
  const auto first = static_cast<std::uint32_t>(std::int64_t{s.keys} - s.queries);  // not read where it is below 0
  attention.base.query = split_and_rotate(c, project_in_chains(c.x, config.model_dim, w.query, w.query_bias), s.heads,
                                          s.queries, c.query_positions, first);
  attention.base.key = split_and_rotate(c, project_in_chains(c.memory, config.kv_input_dim, w.key, w.key_bias),
                                        s.kv_heads, s.keys, c.key_positions, 0);
  attention.base.value = swap_heads_and_rows(project_in_chains(c.memory, config.kv_input_dim, w.value, w.value_bias),
                                             s.batch, s.keys, s.kv_heads, s.value_dim);
  const Result result = run(attention, {.base = {.want_scores = true, .stage = stage}});
  const std::vector<float> contexts = swap_heads_and_rows(result.output, s.batch, s.heads, s.queries, s.value_dim);
  return {result.status, project_in_chains(contexts, std::size_t{s.heads} * s.value_dim, w.output, w.output_bias),
          result.output, result.scores, result.log_sum_exp};
}

/// Appends the tokens that are in the sequences before the call; encode() finds one that it has to forget.
inline void fill_sequences(const LayerOptionsCase& c, const MultiHeadOptions& options, const Executor& executor,
                           MultiHeadAttention& layer) {
  const std::uint32_t held = c.held();
  const std::uint32_t tokens = c.method == LayerMethod::encode ? 1 : held;
  if (tokens == 0) return;
  const std::vector<std::uint32_t> positions = rows_of_each(c.key_positions, c.shape().keys, 1, 0, tokens);
  MultiHeadOptions earlier = options;
  earlier.positions = positions.empty() ? nullptr : positions.data();
  EXPECT_EQ(layer.append(c.shape().batch, c.sequences.data(), tokens,
                         dense(c.memory.data(), c.shape().keys, c.config.kv_input_dim), earlier, executor),
            Status::ok);
}

inline LayerResult run(Layer& layer, const LayerOptionsCase& c, ScoreStage stage, const OptionsManner& manner) {
  const AttentionShape& s = c.shape();
  const LaidOutOptions laid_out(c.options, manner);
  MultiHeadOptions options{.attention = laid_out.options};
  if (c.rotary.plan.config.head_dim != 0) options.rotary = &c.rotary;
  fill_sequences(c, options, manner.base.executor, layer.layer);
  if (!c.query_positions.empty()) options.positions = c.query_positions.data();

  const std::size_t rows = std::size_t{s.batch} * s.queries;
  LayerResult result{Status::ok, std::vector<float>(rows * c.config.output_dim),
                     std::vector<float>(rows * s.heads * s.value_dim), std::vector<float>(rows * s.heads * s.keys),
                     std::vector<float>(rows * s.heads)};
  MultiHeadInputs in;
  in.batch = s.batch;
  in.tokens = s.queries;
  in.input = dense(c.x.data(), s.queries, c.config.model_dim);
  in.sequence_ids = c.sequences.data();
  if (!c.options.base.lengths.empty()) in.key_lengths = c.options.base.lengths.data();
  in.causal = c.options.base.causal;
  in.causal_offset = c.options.base.offset;
  in.scale = c.options.base.scale;
  MultiHeadOutputs out;
  out.output = dense(result.y.data(), s.queries, c.config.output_dim);
  out.head_outputs = bhsd(result.heads.data(), s.heads, s.queries, s.value_dim);
  out.scores = bhsd(result.scores.data(), s.heads, s.queries, s.keys);
  out.score_stage = stage;
  out.log_sum_exp = result.log_sum_exp.data();
  switch (c.method) {
    case LayerMethod::attend: result.status = layer.layer.attend(in, options, out, manner.base.executor); break;
    case LayerMethod::encode: result.status = layer.layer.encode(in, options, out, manner.base.executor); break;
    case LayerMethod::prefill: result.status = layer.layer.prefill(in, options, out, manner.base.executor); break;
  }
  EXPECT_EQ(result.status, Status::ok);
  return result;
}

inline LayerResult run(const LayerOptionsCase& c, const LayerWeights& weights, ScoreStage stage,
                       const OptionsManner& manner) {
  Layer layer(c.config, weights.view(), kv_ring_with_positions);
  return run(layer, c, stage, manner);
}

inline std::vector<std::uint32_t> any_positions(Random& random, std::size_t count) {
  std::vector<std::uint32_t> positions(count);
  for (std::uint32_t& position : positions) position = random.between(0, 299);
  return positions;
}

/// Half of the layers rotate, half of those with a table, and half with positions of their own.
inline void add_rotary(Random& random, LayerOptionsCase& c) {
  const AttentionShape& s = c.shape();
  const RotaryConfig config{.head_dim = s.head_dim,
                            .rotary_dim = 2 * random.between(1, s.head_dim / 2),
                            .base = static_cast<float>(random.between(100, 50000)),
                            .layout = static_cast<RotaryLayout>(random.between(0, 1)),
                            .max_position = 330};
  EXPECT_EQ(make_plan(config, c.rotary.plan), Status::ok);
  if (random.between(0, 1) == 0) {
    c.table = std::make_shared<AlignedMemory>(c.rotary.plan.bytes);
    EXPECT_EQ(make_rotary_table(c.rotary.plan, c.table->span(), c.rotary), Status::ok);
  }
  const bool attends = c.method == LayerMethod::attend;
  if (!(attends && s.keys < s.queries) && random.between(0, 1) == 0) return;
  c.key_positions = any_positions(random, std::size_t{s.batch} * s.keys);
  c.query_positions = attends ? any_positions(random, std::size_t{s.batch} * s.queries)
                              : rows_of_each(c.key_positions, s.keys, 1, c.held(), s.queries);
}

/// A layer without options yet, of up to 90 tokens, which is more than any plan projects at a time.
inline LayerOptionsCase plain_layer_case(Random& random, LayerMethod method) {
  constexpr std::uint32_t dims[] = {1, 2, 7, 8, 16, 18, 33};
  constexpr std::uint32_t budgets[] = {1, 1, 3000, 9000, 0};
  LayerOptionsCase c;
  c.method = method;
  AttentionShape& s = c.options.base.shape;
  s.batch = random.between(1, 3);
  s.kv_heads = random.between(1, 2);
  s.heads = s.kv_heads * random.between(1, 3);
  s.head_dim = dims[random.between(0, 6)];
  s.value_dim = dims[random.between(0, 6)];
  s.queries = random.between(0, 3) == 0 ? random.between(65, 90) : random.between(1, 25);
  s.keys = method == LayerMethod::attend ? random.between(1, 90) : s.queries;
  if (method == LayerMethod::prefill) s.keys += random.between(0, 2) * random.between(1, 120);
  MultiHeadConfig config{.model_dim = random.between(1, 30), .heads = s.heads, .kv_heads = s.kv_heads};
  config.head_dim = s.head_dim;
  config.value_dim = s.value_dim;
  if (method == LayerMethod::attend) config.kv_input_dim = random.between(1, 20);
  config.output_dim = random.between(1, 30);
  config.max_keys = s.keys + random.between(0, 40);
  config.max_sequences = s.batch + 1;
  config.scratch_budget = budgets[random.between(0, 4)];
  c.config = completed(config);
  c.memory = random.normals(std::size_t{s.batch} * s.keys * c.config.kv_input_dim, 2.0F);
  c.x = method == LayerMethod::attend ? random.normals(std::size_t{s.batch} * s.queries * c.config.model_dim, 2.0F)
                                      : rows_of_each(c.memory, s.keys, c.config.kv_input_dim, c.held(), s.queries);
  for (std::uint32_t b = 0; b < s.batch; ++b) c.sequences.push_back((b * s.batch + 1) % (s.batch + 1));
  if (method == LayerMethod::prefill) c.options.base.causal = Causal::bottom_right;
  return c;
}

inline void add_layer_option(Random& random, LayerOptionsCase& c, Option option) {
  add_option(random, c.options, option);
  if (c.method == LayerMethod::prefill) c.options.base.causal = Causal::bottom_right;
}

}  // namespace heed::test
