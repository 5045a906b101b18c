// SPDX-License-Identifier: MIT
//
// Everything that the functions around attention refuse, and that a refusal changes no byte.
#include <gtest/gtest.h>

#include <limits>

#include "refusal/refusals.hpp"

namespace heed::test {
namespace {

constexpr std::ptrdiff_t far = std::numeric_limits<std::ptrdiff_t>::max();
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// Arguments of layer_norm(), rms_norm(), activate() and gated(); the last two have no weights.
struct Rows {
  ConstMatrix input{};
  std::uint32_t rows = 3;
  std::uint32_t dim = 20;
  std::span<const float> weight{};
  std::span<const float> bias{};
  float epsilon = 1e-5F;
  Activation kind = Activation::silu;
  MutableMatrix output{};
};

constexpr Refusal<Rows> bad_rows[] = {
    {"no rows", Status::zero_dimension, [](Rows& r) { r.rows = 0; }},
    {"no columns", Status::zero_dimension, [](Rows& r) { r.dim = 0; }},
    {"2^30 + 1 rows", Status::too_large, [](Rows& r) { r.rows = (1U << 30) + 1; }},
    {"65537 columns", Status::too_large, [](Rows& r) { r.dim = 65537; }},
    {"no output", Status::null_pointer, [](Rows& r) { r.output.data = nullptr; }},
    {"output rows on each other", Status::bad_stride, [](Rows& r) { r.output.row_stride = 19; }},
    {"output rows on one", Status::bad_stride, [](Rows& r) { r.output.row_stride = 0; }},
    {"output overflows", Status::bad_stride, [](Rows& r) { r.output.row_stride = -far; }},
};

constexpr Refusal<Rows> bad_inputs[] = {
    {"no input", Status::null_pointer, [](Rows& r) { r.input.data = nullptr; }},
    {"input overflows", Status::bad_stride, [](Rows& r) { r.input.row_stride = far; }},
};

constexpr Refusal<Rows> bad_weights[] = {
    {"no weight", Status::null_pointer, [](Rows& r) { r.weight = {}; }},
    {"weight too short", Status::bad_length, [](Rows& r) { r.weight = r.weight.first(19); }},
    {"weight too long", Status::bad_length, [](Rows& r) { r.dim = 19; }},
    {"epsilon 0", Status::bad_option, [](Rows& r) { r.epsilon = 0.0F; }},
    {"epsilon below 0", Status::bad_option, [](Rows& r) { r.epsilon = -1e-5F; }},
    {"epsilon infinite", Status::bad_option, [](Rows& r) { r.epsilon = infinity; }},
    {"epsilon NaN", Status::bad_option, [](Rows& r) { r.epsilon = not_a_number; }},
};

constexpr Refusal<Rows> bad_biases[] = {
    {"bias too short", Status::bad_length, [](Rows& r) { r.bias = r.bias.first(19); }},
    {"bias of no length", Status::bad_length, [](Rows& r) { r.bias = r.bias.first(0); }},
};

constexpr Refusal<Rows> bad_kinds[] = {
    {"activation 4", Status::bad_option, [](Rows& r) { r.kind = Activation{4}; }},
    {"activation 255", Status::bad_option, [](Rows& r) { r.kind = Activation{255}; }},
};

class RefusedRows : public testing::Test {
 protected:
  RefusedRows() {
    good.input = dense<const float>(from.data(), 3, 20);
    good.output = dense(to.data(), 3, 20);
    good.weight = weight;
    good.bias = bias;
    witness.watch("input", from);
    witness.watch("output", to);
  }

  template <class Call>
  void expect(std::span<const Refusal<Rows>> refusals, const Call& call) {
    for (const Refusal<Rows>& refusal : refusals) {
      Rows spoilt = good;
      refusal.spoil(spoilt);
      witness.expect(refusal.expected, refusal.what, [&] { return call(spoilt); });
    }
  }

  const std::vector<float> from = std::vector<float>(60, 0.5F);
  const std::vector<float> weight = std::vector<float>(20, 2.0F);
  const std::vector<float> bias = std::vector<float>(20, 3.0F);
  std::vector<float> to = std::vector<float>(60, -7.0F);
  Rows good;
  Witness witness;
};

TEST_F(RefusedRows, OfLayerNorm) {
  const auto call = [](const Rows& r) {
    return layer_norm(r.input, r.rows, r.dim, r.weight, r.bias, r.epsilon, r.output);
  };
  expect(bad_rows, call);
  expect(bad_inputs, call);
  expect(bad_weights, call);
  expect(bad_biases, call);
  EXPECT_EQ(call(good), Status::ok);
  // A single row steps nowhere, and an input may repeat itself.
  good.rows = 1;
  good.input.row_stride = good.output.row_stride = far;
  EXPECT_EQ(call(good), Status::ok);
  good.epsilon = std::numeric_limits<float>::max();
  EXPECT_EQ(call(good), Status::ok);
}

TEST_F(RefusedRows, OfRmsNorm) {
  const auto call = [](const Rows& r) { return rms_norm(r.input, r.rows, r.dim, r.weight, r.epsilon, r.output); };
  expect(bad_rows, call);
  expect(bad_inputs, call);
  expect(bad_weights, call);
  good.input.row_stride = 0;
  EXPECT_EQ(call(good), Status::ok);
}

TEST_F(RefusedRows, OfActivations) {
  const auto call = [](const Rows& r) { return activate(r.kind, r.output, r.rows, r.dim); };
  expect(bad_rows, call);
  expect(bad_kinds, call);
  EXPECT_EQ(call(good), Status::ok);
}

TEST_F(RefusedRows, OfGates) {
  const auto call = [](const Rows& r) { return gated(r.kind, r.input, r.output, r.rows, r.dim); };
  expect(bad_rows, call);
  expect(bad_inputs, call);
  expect(bad_kinds, call);
  EXPECT_EQ(call(good), Status::ok);
}

struct Logits {
  const float* logits = nullptr;
  std::uint32_t count = 20;
  std::uint32_t k = 4;
  float temperature = 1.0F;
  float* probabilities = nullptr;
  std::uint32_t* indices = nullptr;
};

constexpr Refusal<Logits> bad_softmax[] = {
    {"no logits", Status::zero_dimension, [](Logits& l) { l.count = 0; }},
    {"2^24 + 1 logits", Status::too_large, [](Logits& l) { l.count = max_logits + 1; }},
    {"temperature 0", Status::bad_scale, [](Logits& l) { l.temperature = 0.0F; }},
    {"temperature below 0", Status::bad_scale, [](Logits& l) { l.temperature = -1.0F; }},
    {"temperature subnormal", Status::bad_scale, [](Logits& l) { l.temperature = 0x1p-127F; }},
    {"temperature above 2^126", Status::bad_scale, [](Logits& l) { l.temperature = 0x1.000002p126F; }},
    {"temperature infinite", Status::bad_scale, [](Logits& l) { l.temperature = infinity; }},
    {"temperature NaN", Status::bad_scale, [](Logits& l) { l.temperature = not_a_number; }},
    {"null logits", Status::null_pointer, [](Logits& l) { l.logits = nullptr; }},
    {"null probabilities", Status::null_pointer, [](Logits& l) { l.probabilities = nullptr; }},
};

constexpr Refusal<Logits> bad_top_k[] = {
    {"no logits", Status::zero_dimension, [](Logits& l) { l.count = 0; }},
    {"none wanted", Status::zero_dimension, [](Logits& l) { l.k = 0; }},
    {"2^24 + 1 logits", Status::too_large, [](Logits& l) { l.count = max_logits + 1; }},
    {"more than there are", Status::bad_length, [](Logits& l) { l.k = 21; }},
    {"null logits", Status::null_pointer, [](Logits& l) { l.logits = nullptr; }},
    {"null indices", Status::null_pointer, [](Logits& l) { l.indices = nullptr; }},
};

TEST(RefusedLogits, AreLeft) {
  const std::vector<float> logits(20, 0.5F);
  std::vector<float> probabilities(20, -7.0F);
  std::vector<std::uint32_t> indices(20, 77);
  const Logits good{.logits = logits.data(), .probabilities = probabilities.data(), .indices = indices.data()};
  Witness witness;
  witness.watch("probabilities", probabilities);
  witness.watch("indices", indices);
  const auto weigh = [](const Logits& l) { return softmax(l.logits, l.count, l.temperature, l.probabilities); };
  const auto choose = [](const Logits& l) { return top_k(l.logits, l.count, l.k, l.indices); };
  for (const Refusal<Logits>& refusal : bad_softmax) {
    Logits spoilt = good;
    refusal.spoil(spoilt);
    witness.expect(refusal.expected, refusal.what, [&] { return weigh(spoilt); });
  }
  for (const Refusal<Logits>& refusal : bad_top_k) {
    Logits spoilt = good;
    refusal.spoil(spoilt);
    witness.expect(refusal.expected, refusal.what, [&] { return choose(spoilt); });
  }
  EXPECT_EQ(weigh(good), Status::ok);
  EXPECT_EQ(choose(good), Status::ok);
}

}  // namespace
}  // namespace heed::test
