// SPDX-License-Identifier: MIT
//
// Attention over parts of the keys, merged, against attention over all of them; and which layouts an output may have.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "heed/attention.hpp"
#include "support/cases.hpp"

namespace heed::test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

struct Part {
  std::vector<float> output, log_sum_exp;
};

class MergeTest : public testing::Test {
 protected:
  static constexpr std::uint32_t heads = 3, queries = 5, keys = 700, dim = 21;
  Random random_{7};
  std::vector<float> query_ = random_.normals(heads * queries * dim);
  std::vector<float> key_ = random_.normals(heads * keys * dim);
  std::vector<float> value_ = random_.normals(heads * keys * dim);

  /// Attention over the keys [first, first + count).
  Part attend_to(std::uint32_t first, std::uint32_t count) {
    AttentionPlan plan;
    EXPECT_EQ(make_plan(AttentionConfig{.heads = heads, .head_dim = dim}, plan), Status::ok);
    const AlignedMemory arena(plan.bytes);
    AttentionInputs inputs;
    inputs.query_count = queries;
    inputs.key_count = count;
    inputs.query = bhsd<const float>(query_.data(), heads, queries, dim);
    inputs.key = bhsd<const float>(key_.data() + std::size_t{first} * dim, heads, keys, dim);
    inputs.value = bhsd<const float>(value_.data() + std::size_t{first} * dim, heads, keys, dim);
    Part part{std::vector<float>(heads * queries * dim), std::vector<float>(heads * queries)};
    AttentionOutputs outputs;
    outputs.output = bhsd(part.output.data(), heads, queries, dim);
    outputs.log_sum_exp = part.log_sum_exp.data();
    EXPECT_EQ(attend(plan, arena.span(), inputs, outputs), Status::ok);
    return part;
  }

  static PartialAttention view(const Part& part) {
    return {bhsd<const float>(part.output.data(), heads, queries, dim), part.log_sum_exp.data()};
  }

  static Status merge_into(const std::vector<PartialAttention>& parts, Part& to) {
    return merge(1, heads, queries, dim, parts, bhsd(to.output.data(), heads, queries, dim), to.log_sum_exp.data());
  }
};

TEST_F(MergeTest, PartsGiveTheWhole) {
  const Part whole = attend_to(0, keys);
  for (const std::vector<std::uint32_t>& cuts :
       {std::vector<std::uint32_t>{0, keys}, {0, 1, keys}, {0, 256, keys}, {0, 100, 100, 399, keys}}) {
    std::vector<Part> parts;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) parts.push_back(attend_to(cuts[i], cuts[i + 1] - cuts[i]));
    std::vector<PartialAttention> views;
    for (const Part& part : parts) views.push_back(view(part));
    Part merged = whole;
    ASSERT_EQ(merge_into(views, merged), Status::ok);
    for (std::size_t i = 0; i < whole.output.size(); ++i) EXPECT_NEAR(merged.output[i], whole.output[i], 1e-6);
    for (std::size_t i = 0; i < whole.log_sum_exp.size(); ++i) {
      EXPECT_NEAR(merged.log_sum_exp[i], whole.log_sum_exp[i], 1e-6);
    }
  }
}

TEST_F(MergeTest, TheResultMayTakeThePlaceOfTheFirstPart) {
  const Part second = attend_to(256, keys - 256);
  Part apart = attend_to(0, 256);
  Part in_place = apart;
  const Part first = apart;
  ASSERT_EQ(merge_into({view(first), view(second)}, apart), Status::ok);
  ASSERT_EQ(merge_into({view(in_place), view(second)}, in_place), Status::ok);
  EXPECT_EQ(apart.output, in_place.output);
  EXPECT_EQ(apart.log_sum_exp, in_place.log_sum_exp);
}

TEST_F(MergeTest, PartsThatSawNothingAddNothing) {
  const Part some = attend_to(0, 100);
  const Part none = attend_to(0, 0);
  Part merged = none;
  ASSERT_EQ(merge_into({view(none), view(some), view(none)}, merged), Status::ok);
  EXPECT_EQ(merged.log_sum_exp, some.log_sum_exp);
  for (std::size_t i = 0; i < some.output.size(); ++i) EXPECT_EQ(merged.output[i], some.output[i]);
  ASSERT_EQ(merge_into({view(none), view(none)}, merged), Status::ok);
  EXPECT_EQ(merged.output, std::vector<float>(merged.output.size(), 0.0F));
  EXPECT_EQ(merged.log_sum_exp, std::vector<float>(merged.log_sum_exp.size(), -infinity));
  ASSERT_EQ(merge_into({}, merged), Status::ok);
  EXPECT_EQ(merged.log_sum_exp, std::vector<float>(merged.log_sum_exp.size(), -infinity));
}

TEST_F(MergeTest, PartsWhoseScoresAreAllMinusInfinityAddNothing) {
  const Part some = attend_to(0, 100);
  for (float& x : key_) x = 0.0F;
  for (std::size_t i = 0; i < key_.size(); i += dim) key_[i] = -infinity;
  for (std::size_t i = 0; i < query_.size(); i += dim) query_[i] = 1.0F;
  const Part none = attend_to(100, 500);
  EXPECT_EQ(none.log_sum_exp, std::vector<float>(none.log_sum_exp.size(), -infinity));
  Part merged = none;
  ASSERT_EQ(merge_into({view(none), view(some), view(none)}, merged), Status::ok);
  EXPECT_EQ(merged.log_sum_exp, some.log_sum_exp);
  EXPECT_EQ(merged.output, some.output);
  ASSERT_EQ(merge_into({view(none), view(none)}, merged), Status::ok);
  EXPECT_EQ(merged.output, std::vector<float>(merged.output.size(), 0.0F));
  EXPECT_EQ(merged.log_sum_exp, none.log_sum_exp);
}

TEST_F(MergeTest, RowsThatAPartDidNotSeeAreNotRead) {
  const Part some = attend_to(0, 100);
  Part unwritten = attend_to(0, 0);
  for (float& x : unwritten.output) x = std::numeric_limits<float>::quiet_NaN();
  Part merged = some;
  ASSERT_EQ(merge_into({view(unwritten), view(some)}, merged), Status::ok);
  EXPECT_EQ(merged.output, some.output);
}

TEST_F(MergeTest, RefusesWhatItCannotRead) {
  const Part part = attend_to(0, 10);
  Part to = part;
  PartialAttention bad = view(part);
  bad.log_sum_exp = nullptr;
  EXPECT_EQ(merge_into({bad}, to), Status::null_pointer);
  bad = view(part);
  bad.output.data = nullptr;
  EXPECT_EQ(merge_into({view(part), bad}, to), Status::null_pointer);
  EXPECT_EQ(merge(1, 0, queries, dim, {}, bhsd(to.output.data(), heads, queries, dim), nullptr),
            Status::zero_dimension);
  EXPECT_EQ(merge(1, heads, queries, dim, {}, bhsd<float>(nullptr, heads, queries, dim), nullptr),
            Status::null_pointer);
  EXPECT_EQ(to.output, part.output);
}

/// Sizes that are allowed come as far as the output that is missing.
TEST(Merge, EverySizeHasItsLimit) {
  for (std::uint32_t at = 0; at < 4; ++at) {
    const auto status = [at](std::uint32_t size) {
      std::uint32_t sizes[] = {1, 1, 1, 1};
      sizes[at] = size;
      return merge(sizes[0], sizes[1], sizes[2], sizes[3], {}, {nullptr, max_rows, max_rows, max_dimension}, nullptr);
    };
    const std::uint32_t most = at % 2 == 0 ? max_rows : max_dimension;
    EXPECT_EQ(status(0), Status::zero_dimension) << at;
    EXPECT_EQ(status(1), Status::null_pointer) << at;
    EXPECT_EQ(status(most), Status::null_pointer) << at;
    EXPECT_EQ(status(most + 1), Status::too_large) << at;
    EXPECT_EQ(status(UINT32_MAX), Status::too_large) << at;
  }
}

TEST(Merge, TheMostHeadsAndTheLongestValues) {
  constexpr std::uint32_t most = max_dimension;
  const std::vector<float> from = Random(9).normals(most);
  const std::vector<float> log_sum_exp(most, 0.5F);
  std::vector<float> output(most, -7.0F);
  const PartialAttention of_heads{bhsd(from.data(), most, 1, 1), log_sum_exp.data()};
  EXPECT_EQ(merge(1, most, 1, 1, {&of_heads, 1}, bhsd(output.data(), most, 1, 1), nullptr), Status::ok);
  EXPECT_EQ(output, from);
  output.assign(most, -7.0F);
  const PartialAttention of_values{bhsd(from.data(), 1, 1, most), log_sum_exp.data()};
  EXPECT_EQ(merge(1, 1, 1, most, {&of_values, 1}, bhsd(output.data(), 1, 1, most), nullptr), Status::ok);
  EXPECT_EQ(output, from);
}

/// merge() of no parts writes zeros, once to every element.
struct Written {
  std::uint32_t batch, heads, rows, dim;
  std::ptrdiff_t batch_stride, head_stride, row_stride;

  [[nodiscard]] Status status(std::vector<float>& memory) const {
    const MutableTensor output{memory.data() + memory.size() / 2, batch_stride, head_stride, row_stride};
    return merge(batch, heads, rows, dim, {}, output, nullptr);
  }
};

TEST(RefusedOutput, NoTwoElementsShareAnAddress) {
  Random random(7);
  std::uint32_t taken = 0;
  for (int i = 0; i < 40000; ++i) {
    const auto count = [&] { return random.between(1, 3); };
    const auto stride = [&] { return static_cast<std::ptrdiff_t>(random.between(0, 60)) - 30; };
    const Written w{count(), count(), count(), count(), stride(), stride(), stride()};
    std::vector<float> memory(400, -7.0F);
    if (w.status(memory) != Status::ok) continue;
    ++taken;
    ASSERT_EQ(std::count(memory.begin(), memory.end(), 0.0F), w.batch * w.heads * w.rows * w.dim)
        << w.batch_stride << ", " << w.head_stride << ", " << w.row_stride;
  }
  EXPECT_GT(taken, 2000U);
}

TEST(RefusedOutput, LayoutsThatStepOverEachOtherAreTaken) {
  std::vector<float> memory(1 << 12);
  constexpr Written layouts[] = {
      {2, 3, 4, 5, 60, 20, 5},    // [batch, heads, rows, dim]
      {2, 3, 4, 5, 60, 5, 15},    // [batch, rows, heads, dim]
      {2, 3, 4, 5, 5, 40, 10},    // [heads, rows, batch, dim]
      {2, 3, 4, 5, 96, 32, 8},    // padded rows
      {2, 3, 4, 5, 100, 7, 25},   // padded heads inside padded rows
      {2, 3, 4, 5, 91, 7, 24},    // the padding after the last head and the last row is used
      {2, 3, 4, 5, -60, 20, -5},  // backwards
      {1, 3, 4, 5, 0, -5, 15},    // one batch entry
      {2, 1, 4, 5, 20, 1, 5},     // one head
      {2, 3, 1, 1, 3, 1, 0},      // one row
  };
  for (const Written& layout : layouts) {
    EXPECT_EQ(layout.status(memory), Status::ok)
        << layout.batch_stride << ", " << layout.head_stride << ", " << layout.row_stride;
  }
}

}  // namespace
}  // namespace heed::test
