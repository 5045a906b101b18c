// SPDX-License-Identifier: MIT
//
// Everything that linear layers refuse, and that a refusal changes no byte.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "product/linear_case.hpp"
#include "refusal/refusals.hpp"

namespace heed::test {
namespace {

constexpr LinearConfig config{.inputs = 40, .outputs = 20, .type = DataType::int4_groups};
constexpr std::uint32_t rows = 5;

TEST(RefusedLinear, Plans) {
  const Refusal<LinearConfig> refusals[] = {
      {"no inputs", Status::zero_dimension, [](LinearConfig& c) { c.inputs = 0; }},
      {"no outputs", Status::zero_dimension, [](LinearConfig& c) { c.outputs = 0; }},
      {"too many inputs", Status::too_large, [](LinearConfig& c) { c.inputs = max_rows + 1; }},
      {"too many outputs", Status::too_large, [](LinearConfig& c) { c.outputs = max_rows + 1; }},
      {"too many weights", Status::too_large, [](LinearConfig& c) { c.inputs = c.outputs = 1U << 17; }},
      {"type 6", Status::bad_option, [](LinearConfig& c) { c.type = DataType{6}; }},
  };
  for (const Refusal<LinearConfig>& refusal : refusals) {
    LinearConfig spoilt = config;
    refusal.spoil(spoilt);
    LinearPlan plan = linear_plan(3, 4, DataType::int8);
    const LinearPlan before = plan;
    EXPECT_EQ(make_plan(spoilt, plan), refusal.expected) << refusal.what;
    EXPECT_EQ(plan, before) << refusal.what;
  }
}

/// The greatest magnitude of which a type stores nothing but zeros.
struct Loss {
  DataType type;
  DataType row_type;
  const Format* format;
  float greatest;
};
constexpr Loss losses[] = {
    {DataType::float16, DataType::float32, &float16_weights, 0x1p-25F},
    {DataType::bfloat16, DataType::float32, &bfloat16_weights, 0x1p-134F},
    {DataType::int8, DataType::float32, &int8_weights, 0x1p-142F},
    {DataType::int8, DataType::int16, &int8_integer_weights, 0x1p-142F},
    {DataType::int8_groups, DataType::float32, &int8_group_weights, 127 * 0x1p-25F},
    {DataType::int4_groups, DataType::float32, &int4_group_weights, 8 * 0x1p-25F},
    {DataType::int8_multipliers, DataType::int8, &int8_multiplier_weights, 0x1p-139F},
    {DataType::int4_multipliers, DataType::int16, &int4_multiplier_weights, 0x1p-143F},
};

/// Weights that a type would store as zeros are refused, whatever their bias is; where one of them is greater, or not
/// finite, and where all are zeros, they are taken. float32 holds all.
TEST(RefusedLinear, WeightsThatAreLost) {
  for (const Loss& loss : losses) {
    LinearPlan plan;
    ASSERT_EQ(make_plan({.inputs = 40, .outputs = 20, .type = loss.type, .row_type = loss.row_type}, plan), Status::ok);
    const AlignedMemory packed(plan.bytes, 0xA5);
    std::vector<float> weight(40 * 20, 0.0F);
    const std::vector<float> bias(20, 1.0F);
    const auto pack = [&] { return pack_linear(plan, weight.data(), bias.data(), packed.span()); };
    weight[333] = loss.greatest;
    weight[700] = -loss.greatest;
    Witness witness;
    witness.watch("packed", packed.span());
    witness.expect(Status::bad_scale, "weights that become 0", pack);
    weight[333] = std::nextafter(4 * loss.greatest, 1.0F);
    EXPECT_EQ(pack(), Status::ok);
    std::vector<float> stored(weight.size());
    EXPECT_EQ(unpack_linear(plan, {packed.span(), loss.format}, stored.data()), Status::ok);
    EXPECT_NE(stored[333], 0.0F);
    weight[333] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(pack(), Status::ok);
    weight.assign(weight.size(), -0.0F);
    EXPECT_EQ(pack(), Status::ok);
  }
  const LinearPlan plan = linear_plan(40, 20, DataType::float32);
  const AlignedMemory packed(plan.bytes);
  const std::vector<float> weight(40 * 20, 0x1p-149F);
  EXPECT_EQ(pack_linear(plan, weight.data(), nullptr, packed.span()), Status::ok);
}

struct Call {
  LinearPlan plan;
  PackedWeights weights;
  std::uint32_t rows;
  ConstMatrix x;
  MutableMatrix y;
  std::span<std::byte> scratch;
  std::uint32_t workers;
};

constexpr Refusal<Call> bad_calls[] = {
    {"a plan that was never made", Status::not_initialised, [](Call& c) { c.plan = {}; }},
    {"no weights", Status::null_pointer, [](Call& c) { c.weights.bytes = nullptr; }},
    {"weights one byte too small", Status::arena_too_small, [](Call& c) { --c.weights.size; }},
    {"weights moved by 4 bytes", Status::arena_misaligned,
     [](Call& c) { c.weights.bytes = c.weights.span().data() + 4; }},
    {"no format", Status::missing_format, [](Call& c) { c.weights.format = nullptr; }},
    {"another format", Status::missing_format, [](Call& c) { c.weights.format = &int8_group_weights; }},
    {"a format of caches", Status::missing_format, [](Call& c) { c.weights.format = &int4_cache; }},
    {"no rows", Status::zero_dimension, [](Call& c) { c.rows = 0; }},
    {"too many rows", Status::too_large, [](Call& c) { c.rows = max_rows + 1; }},
    {"no workers", Status::zero_dimension, [](Call& c) { c.workers = 0; }},
    {"too many workers", Status::bad_workers, [](Call& c) { c.workers = 65; }},
    {"no scratch", Status::null_pointer, [](Call& c) { c.scratch = {}; }},
    {"scratch for one worker", Status::arena_too_small, [](Call& c) { c.workers = 3; }},
    {"scratch moved by 4 bytes", Status::arena_misaligned,
     [](Call& c) {
       c.scratch = {c.scratch.data() + 4, c.scratch.size()};
     }},
    {"no x", Status::null_pointer, [](Call& c) { c.x.data = nullptr; }},
    {"x beyond the address space", Status::bad_stride, [](Call& c) { c.x.row_stride = PTRDIFF_MAX / 2; }},
    {"no y", Status::null_pointer, [](Call& c) { c.y.data = nullptr; }},
    {"rows of y share addresses", Status::bad_stride, [](Call& c) { c.y.row_stride = 19; }},
};

TEST(RefusedLinear, Calls) {
  Random random(5);
  const LinearPlan plan = linear_plan(config.inputs, config.outputs, config.type);
  const AlignedMemory packed(plan.bytes + 64);
  ASSERT_EQ(pack_linear(plan, random.normals(40 * 20).data(), nullptr, packed.span()), Status::ok);
  const std::vector<float> x = random.normals(rows * 40);
  std::vector<float> y(rows * 20, -7.0F);
  const AlignedMemory scratch(std::size_t{2} * plan.staging_bytes + 64, 0xA5);
  const Call good{plan,
                  {packed.span().first(plan.bytes), &int4_group_weights},
                  rows,
                  dense(x.data(), rows, 40),
                  dense(y.data(), rows, 20),
                  scratch.span().first(std::size_t{2} * plan.staging_bytes),
                  2};
  Witness witness;
  witness.watch("scratch", scratch.span());
  witness.watch("y", std::as_writable_bytes(std::span(y)));
  const auto call = [](const Call& c) { return linear(c.plan, c.weights, c.rows, c.x, c.y, c.scratch, {}, c.workers); };
  for (const Refusal<Call>& refusal : bad_calls) {
    Call spoilt = good;
    refusal.spoil(spoilt);
    witness.expect(refusal.expected, refusal.what, [&] { return call(spoilt); });
  }
  EXPECT_EQ(call(good), Status::ok);
}

TEST(RefusedLinear, Packing) {
  Random random(6);
  const LinearPlan plan = linear_plan(config.inputs, config.outputs, config.type, false);
  const std::vector<float> weight = random.normals(40 * 20);
  StoredWeights stored = stored_weights(random, plan);
  const AlignedMemory packed(plan.bytes + 64, 0xA5);
  const auto to = packed.span().first(plan.bytes);
  Witness witness;
  witness.watch("packed", packed.span());
  const float* const w = weight.data();
  witness.expect(Status::not_initialised, "no plan", [&] { return pack_linear({}, w, nullptr, to); });
  witness.expect(Status::null_pointer, "no weight", [&] { return pack_linear(plan, nullptr, nullptr, to); });
  witness.expect(Status::null_pointer, "no memory", [&] { return pack_linear(plan, w, nullptr, {}); });
  witness.expect(Status::arena_too_small, "too small",
                 [&] { return pack_linear(plan, w, nullptr, to.first(plan.bytes - 1)); });
  witness.expect(Status::arena_misaligned, "moved",
                 [&] { return pack_linear(plan, w, nullptr, packed.span().subspan(4)); });
  witness.expect(Status::bad_option, "a bias", [&] { return pack_linear(plan, w, w, to); });
  witness.expect(Status::plan_mismatch, "float16",
                 [&] { return pack_linear_quantized(plan, stored.half_scales.data(), nullptr, to); });
  witness.expect(Status::plan_mismatch, "int8", [&] {
    return pack_linear_quantized(plan, stored.integers.data(), stored.float_scales.data(), nullptr, to);
  });
  witness.expect(Status::null_pointer, "no scales", [&] {
    return pack_linear_quantized(plan, stored.integers.data(), static_cast<const std::uint16_t*>(nullptr), nullptr, to);
  });
  for (const int wrong : {-9, 8}) {
    stored.integers[799] = static_cast<std::int8_t>(wrong);
    witness.expect(Status::bad_option, "q outside of its range",
                   [&] { return pack_stored(plan, stored, nullptr, to); });
  }
  stored.integers[799] = 7;
  EXPECT_EQ(pack_stored(plan, stored, nullptr, to), Status::ok);
  for (const std::byte byte : packed.span().last(64)) EXPECT_EQ(byte, std::byte{0xA5});
}

/// Every way to pack stored numbers: no room, no scales, and a plan of another type.
TEST(RefusedLinear, StoredNumbersOfAnotherPlan) {
  const std::vector<std::uint16_t> shorts(40 * 20);
  const std::vector<std::int8_t> integers(40 * 20);
  const std::vector<float> scales(20);
  const LinearPlan floats = linear_plan(40, 20, DataType::float32);
  const AlignedMemory packed(floats.bytes, 0xA5);
  const std::span<std::byte> to = packed.span();
  Witness witness;
  witness.watch("packed", to);
  const float* const no_floats = nullptr;
  for (const DataType type : {DataType::float16, DataType::int8, DataType::int8_groups}) {
    const LinearPlan plan = linear_plan(40, 20, type);
    const auto short_room = to.first(plan.bytes - 1);
    const auto expect_room = [&](const auto& call) { witness.expect(Status::arena_too_small, "no room", call); };
    if (type == DataType::float16) {
      expect_room([&] { return pack_linear_quantized(plan, shorts.data(), nullptr, short_room); });
    } else if (type == DataType::int8) {
      expect_room([&] { return pack_linear_quantized(plan, integers.data(), scales.data(), nullptr, short_room); });
      witness.expect(Status::null_pointer, "no scales",
                     [&] { return pack_linear_quantized(plan, integers.data(), no_floats, nullptr, to); });
    } else {
      expect_room([&] { return pack_linear_quantized(plan, integers.data(), shorts.data(), nullptr, short_room); });
    }
  }
  witness.expect(Status::plan_mismatch, "floats",
                 [&] { return pack_linear_quantized(floats, shorts.data(), nullptr, to); });
  witness.expect(Status::plan_mismatch, "floats",
                 [&] { return pack_linear_quantized(floats, integers.data(), scales.data(), nullptr, to); });
  witness.expect(Status::plan_mismatch, "floats",
                 [&] { return pack_linear_quantized(floats, integers.data(), shorts.data(), nullptr, to); });
}

/// Of the very type that the weights have.
TEST(RefusedLinear, FormatsOfCaches) {
  const std::pair<DataType, const Format*> formats[] = {
      {DataType::float16, &float16_cache}, {DataType::bfloat16, &bfloat16_cache}, {DataType::int8, &int8_cache}};
  for (const auto& [type, format] : formats) {
    const LinearPlan plan = linear_plan(40, 20, type);
    const AlignedMemory packed(plan.bytes), scratch(plan.staging_bytes, 0xA5);
    const std::vector<float> weight(40 * 20, 1.0F);
    ASSERT_EQ(pack_linear(plan, weight.data(), nullptr, packed.span()), Status::ok);
    std::vector<float> y(20, -7.0F), back(40 * 20, -7.0F);
    Witness witness;
    witness.watch("scratch", scratch.span());
    witness.watch("y", y);
    witness.watch("unpacked", back);
    const PackedWeights weights(packed.span(), format);
    witness.expect(Status::missing_format, "a product", [&] {
      return linear(plan, weights, 1, dense(weight.data(), 1, 40), dense(y.data(), 1, 20), scratch.span());
    });
    witness.expect(Status::missing_format, "unpacked", [&] { return unpack_linear(plan, weights, back.data()); });
  }
}

TEST(RefusedLinear, Unpacking) {
  const LinearPlan plan = linear_plan(config.inputs, config.outputs, config.type);
  const AlignedMemory packed(plan.bytes);
  std::vector<float> weight(40 * 20, -7.0F);
  Witness witness;
  witness.watch("weight", std::as_writable_bytes(std::span(weight)));
  const PackedWeights good(packed.span(), &int4_group_weights);
  witness.expect(Status::not_initialised, "no plan", [&] { return unpack_linear({}, good, weight.data()); });
  witness.expect(Status::missing_format, "no format",
                 [&] { return unpack_linear(plan, packed.span(), weight.data()); });
  witness.expect(Status::null_pointer, "no weight", [&] { return unpack_linear(plan, good, nullptr); });
}

}  // namespace
}  // namespace heed::test
