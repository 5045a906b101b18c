// SPDX-License-Identifier: MIT
//
// One output's weights, as an embedding is looked up: those of the whole matrix, and nothing behind them.
#include "product/linear.hpp"
#include "product/linear_case.hpp"

namespace heed::test {
namespace {

TEST(EmbeddingRow, IsARowOfTheMatrix) {
  Random random(5);
  for (const TypeCase& type : weight_types) {
    for (const std::uint32_t inputs : {1U, 15U, 16U, 32U, 33U, 64U, 96U}) {
      const LinearPlan plan = linear_plan(inputs, 35, type.type);
      AlignedMemory packed(plan.bytes);
      std::vector<float> matrix(std::size_t{inputs} * plan.outputs);
      const std::vector<float> weights = random.normals(matrix.size());
      const std::vector<float> bias = random.normals(plan.outputs);
      ASSERT_EQ(pack_linear(plan, weights.data(), bias.data(), packed.span()), Status::ok);
      ASSERT_EQ(unpack_linear(plan, {packed.span(), type.format}, matrix.data()), Status::ok);
      for (std::uint32_t output = 0; output < plan.outputs; ++output) {
        std::vector<float> row(round_up(inputs, panel_width) + 1, -7.0F);
        detail::load_embedding_row(plan, packed.span().data(), type.format, output, row.data());
        for (std::uint32_t i = 0; i < inputs; ++i) {
          ASSERT_EQ(row[i], matrix[std::size_t{output} * inputs + i]) << name_of(plan) << ", " << output;
        }
        ASSERT_EQ(row[inputs], -7.0F) << name_of(plan);
        ASSERT_EQ(row.back(), -7.0F) << name_of(plan);
      }
    }
  }
}

}  // namespace
}  // namespace heed::test
