// SPDX-License-Identifier: MIT
//
// Normalizations, activations and logits touch nothing outside of their rows, and where a row lies does not change a
// bit.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "guard/guarded.hpp"
#include "heed/heed.hpp"
#include "support/random.hpp"

namespace heed::test {
namespace {

class GuardedModel : public testing::Test {
 protected:
  /// What all calls leave of rows of `dim` numbers.
  std::vector<float> run(std::uint32_t dim, Edge edge) {
    std::vector<float> written;
    const ConstMatrix x = dense<const float>(input.copy(values, dim, edge).data(), 1, dim);
    const std::span<const float> weights = weight.copy(values, dim, edge);
    const std::span<const float> biases = bias.copy(values, dim, edge);
    const std::span<float> y = output.floats(dim, edge);
    const MutableMatrix to = dense(y.data(), 1, dim);
    const auto keep = [&](Status status) {
      EXPECT_EQ(status, Status::ok);
      written.insert(written.end(), y.begin(), y.end());
    };
    keep(layer_norm(x, 1, dim, weights, biases, 1e-5F, to));
    keep(layer_norm(x, 1, dim, weights, {}, 1e-5F, to));
    keep(rms_norm(x, 1, dim, weights, 1e-5F, to));
    for (const Activation kind : {Activation::relu, Activation::gelu_tanh, Activation::gelu_erf, Activation::silu}) {
      keep(activate(kind, to, 1, dim));
      keep(gated(kind, x, to, 1, dim));
    }
    keep(softmax(x.data, dim, 1.0F, y.data()));
    auto* const chosen = reinterpret_cast<std::uint32_t*>(indices.place(dim * sizeof(std::uint32_t), edge).data());
    EXPECT_EQ(top_k(x.data, dim, dim, chosen), Status::ok);
    EXPECT_EQ(argmax(x.data, dim), chosen[0]);
    for (std::uint32_t i = 0; i < dim; ++i) written.push_back(static_cast<float>(chosen[i]));
    return written;
  }

  const GuardedMemory input{1 << 12}, weight{1 << 12}, bias{1 << 12}, output{1 << 12}, indices{1 << 12};
  Random random{18};
  const std::vector<float> values = random.normals(600);
  FaultReport report;
};

TEST_F(GuardedModel, StaysInsideItsRows) {
  for (std::uint32_t dim = 1; dim <= 600; dim += dim < 50 ? 1 : 57) {
    std::vector<float> written[2];
    for (const Edge edge : {Edge::front, Edge::back}) {
      report.running("dim %u, %s", dim, edge == Edge::front ? "front" : "back");
      written[edge == Edge::back] = run(dim, edge);
    }
    ASSERT_EQ(written[0].size(), written[1].size());
    EXPECT_EQ(std::memcmp(written[0].data(), written[1].data(), written[0].size() * sizeof(float)), 0) << dim;
  }
}

}  // namespace
}  // namespace heed::test
