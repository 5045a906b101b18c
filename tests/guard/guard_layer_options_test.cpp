// SPDX-License-Identifier: MIT
//
// No buffer of the layer with options is touched outside its bounds, and where a buffer lies does not change a bit.
#include <gtest/gtest.h>

#include "guard/guarded_options.hpp"
#include "layer/layer_options_case.hpp"
#include "support/effort.hpp"

namespace heed::test {
namespace {

constexpr std::size_t plenty = std::size_t{4} << 20;

class GuardedLayerWithOptions : public testing::Test {
 protected:
  /// run(c, ...) of layer_options_case.hpp, with every buffer against a forbidden page.
  LayerResult run_guarded(const LayerOptionsCase& c, const LayerWeights& weights, const OptionsManner& manner,
                          Edge edge) {
    const AttentionShape& s = c.shape();
    const MultiHeadPlan plan = Layer::plan_for(c.config);
    MultiHeadAttention layer;
    const std::span<std::byte> packed = packed_.place(plan.weights_bytes, edge);
    EXPECT_EQ(pack_weights(plan, weights.view(), packed), Status::ok);
    EXPECT_EQ(layer.init(plan, arena_.place(plan.bytes, edge), packed, storage_of(c.config, kv_ring_with_positions)),
              Status::ok);

    const LaidOutOptions laid_out(c.options, manner);
    MultiHeadOptions options{.attention = arrays_.place(c.options, laid_out, edge)};
    Rotary rotary = c.rotary;
    if (rotary.plan.config.head_dim != 0) options.rotary = &rotary;
    if (rotary.table != nullptr) {
      const std::size_t count = std::size_t{rotary.plan.config.max_position} * rotary.plan.config.rotary_dim;
      rotary.table = table_.copy({c.rotary.table, count}, count, edge).data();
    }
    fill_sequences(c, options, {}, layer);
    options.positions = guarded_copy(positions_, c.query_positions, edge);

    const std::size_t rows = std::size_t{s.batch} * s.queries;
    const std::span<float> written[] = {
        y_.floats(rows * c.config.output_dim, edge), heads_.floats(rows * s.heads * s.value_dim, edge),
        scores_.floats(rows * s.heads * s.keys, edge), log_sum_exp_.floats(rows * s.heads, edge)};
    MultiHeadInputs in;
    in.batch = s.batch;
    in.tokens = s.queries;
    in.input = dense(guarded_copy(x_, c.x, edge), s.queries, c.config.model_dim);
    in.sequence_ids = guarded_copy(sequences_, c.sequences, edge);
    in.key_lengths = guarded_copy(lengths_, c.options.base.lengths, edge);
    in.causal = c.options.base.causal;
    in.causal_offset = c.options.base.offset;
    MultiHeadOutputs out;
    out.output = dense(written[0].data(), s.queries, c.config.output_dim);
    out.head_outputs = bhsd(written[1].data(), s.heads, s.queries, s.value_dim);
    out.scores = bhsd(written[2].data(), s.heads, s.queries, s.keys);
    out.log_sum_exp = written[3].data();
    Status status = Status::ok;
    switch (c.method) {
      case LayerMethod::attend: status = layer.attend(in, options, out); break;
      case LayerMethod::encode: status = layer.encode(in, options, out); break;
      case LayerMethod::prefill: status = layer.prefill(in, options, out); break;
    }
    const auto copy = [&](int i) { return std::vector<float>(written[i].begin(), written[i].end()); };
    return {status, copy(0), copy(1), copy(2), copy(3)};
  }

  GuardedMemory x_{plenty}, y_{plenty}, heads_{plenty}, scores_{plenty}, log_sum_exp_{plenty}, arena_{plenty};
  GuardedMemory packed_{plenty}, table_{plenty}, positions_{4096}, sequences_{64}, lengths_{64};
  GuardedOptionArrays arrays_;
  FaultReport report_;
};

TEST_F(GuardedLayerWithOptions, StaysInsideItsBuffers) {
  constexpr LayerMethod methods[] = {LayerMethod::attend, LayerMethod::encode, LayerMethod::prefill};
  constexpr DataType types[] = {DataType::float32, DataType::float16, DataType::bfloat16, DataType::int8,
                                DataType::int4};
  const std::uint32_t divisor = case_divisor();
  int cases = 0;
  for (std::uint32_t number = 0; number < 500; number += divisor) {
    Random random(41000 + number);
    LayerOptionsCase c = plain_layer_case(random, methods[number % 3]);
    for (std::uint32_t option = 0; option < option_count; ++option) {
      if (random.between(0, 1) == 0) add_layer_option(random, c, static_cast<Option>(option));
    }
    if (c.shape().head_dim >= 2) add_rotary(random, c);
    if (c.shape().value_dim <= 16 * c.shape().head_dim) {
      c.config.key_type = types[random.between(0, 4)];
      c.config.value_type = types[random.between(0, 4)];
      MultiHeadPlan plan;
      if (make_plan(c.config, plan) != Status::ok) c.config.value_type = DataType::float32;
    }
    c.config.ring = number % 5 == 0;
    const LayerWeights weights(random, c.config, true);
    const OptionsManner manner{.format = static_cast<MaskFormat>(number % 2), .padding = number % 4};
    report_.running("%u, method %u: %.200s", number, number % 3, describe(c.options).c_str());
    const LayerResult expected = run(c, weights, ScoreStage::weights, manner);
    for (const Edge edge : {Edge::front, Edge::back}) {
      const LayerResult got = run_guarded(c, weights, manner, edge);
      ASSERT_EQ(got.status, Status::ok);
      ASSERT_TRUE(same_bits(got.y, expected.y) && same_bits(got.heads, expected.heads) &&
                  same_bits(got.scores, expected.scores) && same_bits(got.log_sum_exp, expected.log_sum_exp))
          << number << ": " << describe(c.options);
    }
    ++cases;
  }
  std::printf("%d cases, each at both edges\n", cases);
}

}  // namespace
}  // namespace heed::test
