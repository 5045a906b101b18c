// SPDX-License-Identifier: MIT
//
// No buffer of the multi-head layer is touched outside its bounds: inputs, outputs, arena, weights before and after
// packing. Where they lie does not change a bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "guard/guarded.hpp"
#include "layer/layer_case.hpp"
#include "support/effort.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t dims[] = {1, 3, 16, 31, 32, 64, 80, 96, 128};
constexpr std::size_t plenty = std::size_t{4} << 20;

/// A layer whose every buffer touches a forbidden page.
class GuardedLayer : public testing::Test {
 protected:
  void init(const MultiHeadConfig& config, Edge edge) {
    plan = Layer::plan_for(config);
    const MultiHeadConfig& c = plan.config;
    Random random(c.model_dim + c.heads);
    const LayerWeights weights(random, c, true);
    const std::vector<float>* const from[] = {&weights.query,      &weights.key,        &weights.value,
                                              &weights.output,     &weights.query_bias, &weights.key_bias,
                                              &weights.value_bias, &weights.output_bias};
    const float* at[8];
    for (std::size_t i = 0; i < 8; ++i) at[i] = unpacked[i].copy(*from[i], from[i]->size(), edge).data();
    const std::span<std::byte> packed_span = packed.place(plan.weights_bytes, edge);
    ASSERT_EQ(pack_weights(plan, {at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7]}, packed_span), Status::ok);
    const std::span<std::byte> arena_span = arena.place(plan.bytes, edge);
    std::memset(arena_span.data(), 0xFF, arena_span.size());
    ASSERT_EQ(layer.init(plan, arena_span, packed_span), Status::ok);
  }

  /// One call of `method` with `tokens` tokens over `keys` keys; what it wrote is appended to `written`.
  template <class Method>
  void call(const Method& method, std::uint32_t tokens, std::uint32_t keys, bool want_all, Edge edge) {
    const MultiHeadConfig& c = plan.config;
    MultiHeadInputs in;
    in.tokens = tokens;
    in.input = dense(x.copy(values, std::size_t{tokens} * c.model_dim, edge).data(), tokens, c.model_dim);
    const std::span<float> outputs[] = {
        y.floats(std::size_t{tokens} * c.output_dim, edge),
        contexts.floats(std::size_t{c.heads} * tokens * c.value_dim, edge),
        scores.floats(std::size_t{c.heads} * tokens * keys, edge),
        log_sum_exp.floats(std::size_t{c.heads} * tokens, edge),
    };
    for (const std::span<float> output : outputs) std::memset(output.data(), 0, output.size_bytes());
    MultiHeadOutputs out;
    out.output = dense(outputs[0].data(), tokens, c.output_dim);
    if (want_all) {
      out.head_outputs = bhsd(outputs[1].data(), c.heads, tokens, c.value_dim);
      out.scores = bhsd(outputs[2].data(), c.heads, tokens, keys);
      out.log_sum_exp = outputs[3].data();
    }
    ASSERT_EQ(method(in, out), Status::ok);
    for (const std::span<float> output : outputs) written.insert(written.end(), output.begin(), output.end());
  }

  /// encode() of n tokens; then, from an empty cache, a prefill in two parts and a decoded token.
  void encode_prefill_decode(std::uint32_t n, bool want_all, Edge edge) {
    const auto encode = [&](const MultiHeadInputs& in, const MultiHeadOutputs& out) { return layer.encode(in, out); };
    const auto prefill = [&](const MultiHeadInputs& in, const MultiHeadOutputs& out) { return layer.prefill(in, out); };
    const auto decode = [&](const MultiHeadInputs& in, const MultiHeadOutputs& out) {
      return layer.decode(in.input.data, out.output.data);
    };
    call(encode, n, n, want_all, edge);
    ASSERT_EQ(layer.cache().reset(0), Status::ok);
    if (n > 1) call(prefill, n / 2, n / 2, want_all, edge);
    call(prefill, n - n / 2, n, want_all, edge);
    call(decode, 1, n + 1, false, edge);
  }

  /// append() of n rows of memory, then attend() from m tokens.
  void append_attend(std::uint32_t n, std::uint32_t m, bool want_all, Edge edge) {
    const std::uint32_t width = plan.config.kv_input_dim;
    const std::span<const float> memory_rows = memory.copy(values, std::size_t{n} * width, edge);
    ASSERT_EQ(layer.append(1, nullptr, n, dense(memory_rows.data(), n, width)), Status::ok);
    const auto attend = [&](const MultiHeadInputs& in, const MultiHeadOutputs& out) { return layer.attend(in, out); };
    call(attend, m, n, want_all, edge);
  }

  template <class Work>
  void at_both_edges(const MultiHeadConfig& config, const Work& work) {
    std::vector<float> at_front;
    for (const Edge edge : {Edge::front, Edge::back}) {
      written.clear();
      init(config, edge);
      work(edge);
      ASSERT_FALSE(HasFatalFailure());
      if (edge == Edge::front) at_front = written;
    }
    ASSERT_EQ(at_front.size(), written.size());
    ASSERT_EQ(std::memcmp(at_front.data(), written.data(), written.size() * sizeof(float)), 0);
  }

  std::vector<float> values = Random(10).normals(130 * 128);
  GuardedMemory x{plenty}, memory{plenty}, y{plenty}, contexts{plenty}, scores{plenty}, log_sum_exp{plenty};
  GuardedMemory arena{plenty}, packed{plenty};
  GuardedMemory unpacked[8] = {GuardedMemory{plenty}, GuardedMemory{plenty}, GuardedMemory{plenty},
                               GuardedMemory{plenty}, GuardedMemory{plenty}, GuardedMemory{plenty},
                               GuardedMemory{plenty}, GuardedMemory{plenty}};
  MultiHeadPlan plan;
  MultiHeadAttention layer;
  std::vector<float> written;
  FaultReport report;
};

/// Lengths on both sides of every step that the layer's loops take.
constexpr std::uint32_t lengths[] = {1, 2, 3, 5, 6, 7, 11, 12, 13, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65, 100, 129};

TEST_F(GuardedLayer, EncodePrefillAndDecode) {
  const std::size_t step = std::min(case_divisor(), 4U);
  for (std::size_t i = 0; i < std::size(dims); i += step) {
    for (const std::uint32_t heads : {1U, 4U}) {
      for (const std::uint32_t n : lengths) {
        const std::uint32_t budget = n % 2 == 0 ? 0 : 1;
        report.running("layer: model_dim %u, %u heads, %u tokens, budget %u", dims[i], heads, n, budget);
        const MultiHeadConfig config{.model_dim = dims[i],
                                     .heads = heads,
                                     .kv_heads = 1,
                                     .head_dim = dims[(i + n) % std::size(dims)],
                                     .value_dim = dims[(i + heads) % std::size(dims)],
                                     .output_dim = dims[(i + n + 5) % std::size(dims)],
                                     .max_keys = n + 1,
                                     .scratch_budget = budget};
        at_both_edges(config, [&](Edge edge) { encode_prefill_decode(n, (n + i) % 2 == 0, edge); });
        ASSERT_FALSE(HasFatalFailure());
      }
    }
  }
}

TEST_F(GuardedLayer, AppendAndAttend) {
  const std::size_t step = std::min(case_divisor(), 4U);
  for (std::size_t i = 0; i < std::size(dims); i += step) {
    for (const std::uint32_t n : lengths) {
      const std::uint32_t m = lengths[(n + i) % std::size(lengths)];
      report.running("cross-attention: model_dim %u, %u keys, %u queries", dims[i], n, m);
      const MultiHeadConfig config{.model_dim = dims[i],
                                   .heads = 2,
                                   .head_dim = dims[(i + 2) % std::size(dims)],
                                   .kv_input_dim = dims[(i + n) % std::size(dims)],
                                   .output_dim = dims[(i + 3) % std::size(dims)],
                                   .max_keys = n,
                                   .scratch_budget = 1 + n % 3 * 4096};
      at_both_edges(config, [&](Edge edge) { append_attend(n, m, n % 2 == 0, edge); });
      ASSERT_FALSE(HasFatalFailure());
    }
  }
}

}  // namespace
}  // namespace heed::test
