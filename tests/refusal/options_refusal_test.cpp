// SPDX-License-Identifier: MIT
//
// Everything that attend() with options refuses, status by status, and that a refusal changes no byte.
#include <gtest/gtest.h>

#include "heed/options.hpp"
#include "refusal/refused_attend.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t lengths_ok[] = {9, 0};
constexpr std::uint32_t key_lengths_bad[] = {9, 10};
constexpr std::uint32_t query_lengths_ok[] = {0, 3};
constexpr std::uint32_t query_lengths_bad[] = {3, 4};
constexpr std::uint32_t query_lengths_wild[] = {UINT32_MAX, 0};
constexpr std::uint32_t sequences_bad[] = {0, 2};
constexpr std::int32_t offsets[] = {INT32_MAX, INT32_MIN};
constexpr float sinks_great[] = {0.0F, 0x1.62E42Ep+127F, -infinity, 0x1.62E42Ep+127F};
constexpr float sinks_first_bad[] = {0x1.62E43p+127F, 0.0F, 0.0F, 0.0F};
constexpr float sinks_last_bad[] = {0.0F, 0.0F, 0.0F, 0x1.62E43p+127F};
constexpr float sinks_nan[] = {nan, 0.0F, 0.0F, 0.0F};
/// Floats that fit the address space.
constexpr std::ptrdiff_t most = far / 4;

/// A good call with every option.
struct OptionsCall {
  AttentionPlan plan;
  std::span<std::byte> arena;
  AttentionInputs in;
  AttentionOptions options;
  AttentionOutputs out;

  [[nodiscard]] Status operator()() const { return attend(plan, arena, in, options, out); }
};

class RefusedOptions : public RefusedAttendOf<OptionsCall> {
 protected:
  RefusedOptions() {
    set_every_option();
    witness.watch("bool mask", bool_mask);
    witness.watch("mask", mask);
    witness.watch("pre-cap bias", pre_softcap_bias);
    witness.watch("relative bias", relative);
    witness.watch("numbers of the heads", heads);
  }

  void set_every_option() {
    call.options.query_lengths = query_lengths_ok;
    call.options.prefix_lengths = lengths_ok;
    call.options.left_window = 5;
    call.options.right_window = 1;
    call.options.bool_mask = {bool_mask.data(), 108, 27, 9, 9, MaskFormat::bytes};
    call.options.additive_mask = {bhsd<const float>(mask.data(), 4, 3, 9), 9};
    call.options.pre_softcap_bias = {bhsd<const float>(pre_softcap_bias.data(), 4, 3, 9), 9};
    call.options.softcap = 20.0F;
    call.options.alibi_slopes = heads.data();
    call.options.relative_bias = {relative.data(), 6, 3, 2};
    call.options.sink_logits = heads.data();
  }

  std::vector<std::uint8_t> bool_mask = std::vector<std::uint8_t>(2 * 4 * 3 * 9, 1);
  std::vector<float> mask = random.normals(2 * 4 * 3 * 9);
  std::vector<float> pre_softcap_bias = random.normals(2 * 4 * 3 * 9);
  std::vector<float> relative = random.normals(4 * 6);
  std::vector<float> heads = random.normals(4);
};

TEST_F(RefusedOptions, Values) {
  expect_refusals({
      {"left_window above 2^31", Status::bad_option, [](OptionsCall& c) { c.options.left_window = (1U << 31) + 1; }},
      {"the highest left_window", Status::bad_option, [](OptionsCall& c) { c.options.left_window = UINT32_MAX; }},
      {"right_window above 2^31", Status::bad_option, [](OptionsCall& c) { c.options.right_window = (1U << 31) + 1; }},
      {"the highest right_window", Status::bad_option, [](OptionsCall& c) { c.options.right_window = UINT32_MAX; }},
      {"softcap below 0", Status::bad_option, [](OptionsCall& c) { c.options.softcap = -1.0F; }},
      {"softcap a little below 0", Status::bad_option, [](OptionsCall& c) { c.options.softcap = -1e-45F; }},
      {"infinite softcap", Status::bad_option, [](OptionsCall& c) { c.options.softcap = infinity; }},
      {"negative infinite softcap", Status::bad_option, [](OptionsCall& c) { c.options.softcap = -infinity; }},
      {"softcap NaN", Status::bad_option, [](OptionsCall& c) { c.options.softcap = nan; }},
      {"sinks and smooth softmax", Status::bad_option, [](OptionsCall& c) { c.options.smooth_softmax = true; }},
      {"first sink too great", Status::bad_option, [](OptionsCall& c) { c.options.sink_logits = sinks_first_bad; }},
      {"last sink too great", Status::bad_option, [](OptionsCall& c) { c.options.sink_logits = sinks_last_bad; }},
      {"a sink of NaN", Status::bad_option, [](OptionsCall& c) { c.options.sink_logits = sinks_nan; }},
      {"mask format 2", Status::bad_option,
       [](OptionsCall& c) { c.options.bool_mask.format = static_cast<MaskFormat>(2); }},
      {"mask format 255", Status::bad_option,
       [](OptionsCall& c) { c.options.bool_mask.format = static_cast<MaskFormat>(255); }},
      {"relative bias of 2^30 to the left", Status::too_large,
       [](OptionsCall& c) { c.options.relative_bias.left = 1U << 30; }},
      {"relative bias of 2^30 to the right", Status::too_large,
       [](OptionsCall& c) { c.options.relative_bias.right = 1U << 30; }},
      {"relative bias of a length that wraps around", Status::too_large,
       [](OptionsCall& c) { c.options.relative_bias.left = c.options.relative_bias.right = UINT32_MAX; }},
      {"query length above queries", Status::bad_length,
       [](OptionsCall& c) { c.options.query_lengths = query_lengths_bad; }},
      {"query length far above queries", Status::bad_length,
       [](OptionsCall& c) { c.options.query_lengths = query_lengths_wild; }},
  });
}

TEST_F(RefusedOptions, Strides) {
  expect_refusals({
      {"bool mask batch overflows", Status::bad_stride,
       [](OptionsCall& c) { c.options.bool_mask.batch_stride = far_back; }},
      {"bool mask heads overflow", Status::bad_stride,
       [](OptionsCall& c) { c.options.bool_mask.head_stride = far / 3 + 1; }},
      {"bool mask queries overflow", Status::bad_stride,
       [](OptionsCall& c) { c.options.bool_mask.query_stride = far / 2 + 1; }},
      {"a sum of bool mask strides overflows", Status::bad_stride,
       [](OptionsCall& c) {
         c.options.bool_mask.batch_stride = far / 2;
         c.options.bool_mask.query_stride = far / 4 + 1;
       }},
      {"mask batch overflows", Status::bad_stride,
       [](OptionsCall& c) { c.options.additive_mask.data.batch_stride = far; }},
      {"mask heads overflow", Status::bad_stride,
       [](OptionsCall& c) { c.options.additive_mask.data.head_stride = far_back; }},
      {"mask rows overflow in bytes", Status::bad_stride,
       [](OptionsCall& c) { c.options.additive_mask.data.row_stride = far / 4 / 2 + 1; }},
      {"bias batch overflows", Status::bad_stride,
       [](OptionsCall& c) { c.options.pre_softcap_bias.data.batch_stride = far; }},
      {"bias heads overflow in bytes", Status::bad_stride,
       [](OptionsCall& c) { c.options.pre_softcap_bias.data.head_stride = far / 4 / 3 + 1; }},
      {"bias rows overflow", Status::bad_stride,
       [](OptionsCall& c) { c.options.pre_softcap_bias.data.row_stride = far_back; }},
      {"relative bias heads overflow", Status::bad_stride,
       [](OptionsCall& c) { c.options.relative_bias.head_stride = far; }},
      {"the last row of a relative bias overflows", Status::bad_stride,
       [](OptionsCall& c) { c.options.relative_bias.head_stride = (most - 1) / 3 - 1; }},
      {"the second byte of the last row of bits overflows", Status::bad_stride,
       [](OptionsCall& c) {
         c.options.bool_mask = {c.options.bool_mask.data, 0, 0, (most - 1) / 2, 9, MaskFormat::bits};
       }},
      {"a row of 8 bits is one byte: what comes next is refused", Status::too_large,
       [](OptionsCall& c) {
         c.options.bool_mask = {c.options.bool_mask.data, 0, 0, (most - 1) / 2, 8, MaskFormat::bits};
         c.options.relative_bias.left = 1U << 30;
       }},
      {"relative bias heads overflow in bytes", Status::bad_stride,
       [](OptionsCall& c) { c.options.relative_bias.head_stride = far_back / 4 / 3 - 1; }},
  });
}

TEST_F(RefusedOptions, WhatIsRefusedWithoutOptions) {
  expect_refusals({
      {"a plan that was never made", Status::not_initialised, [](OptionsCall& c) { c.plan = {}; }},
      {"no arena", Status::null_pointer, [](OptionsCall& c) { c.arena = {}; }},
      {"arena one byte too small", Status::arena_too_small,
       [](OptionsCall& c) { c.arena = c.arena.first(c.arena.size() - 1); }},
      {"arena moved by 32 bytes", Status::arena_misaligned,
       [](OptionsCall& c) {
         c.arena = {c.arena.data() + 32, c.arena.size()};
       }},
      {"queries above 2^30", Status::too_large, [](OptionsCall& c) { c.in.query_count = (1U << 30) + 1; }},
      {"keys above the plan", Status::keys_exceed_plan, [](OptionsCall& c) { c.in.key_count = 11; }},
      {"key length above keys", Status::bad_length, [](OptionsCall& c) { c.in.key_lengths = key_lengths_bad; }},
      {"scale NaN", Status::bad_scale, [](OptionsCall& c) { c.in.scale = nan; }},
      {"causal 4", Status::bad_option, [](OptionsCall& c) { c.in.causal = static_cast<Causal>(4); }},
      {"score stage 4", Status::bad_option, [](OptionsCall& c) { c.out.score_stage = static_cast<ScoreStage>(4); }},
      {"no query", Status::null_pointer, [](OptionsCall& c) { c.in.query.data = nullptr; }},
      {"no key", Status::null_pointer, [](OptionsCall& c) { c.in.key.data = nullptr; }},
      {"no value", Status::null_pointer, [](OptionsCall& c) { c.in.value.data = nullptr; }},
      {"no output", Status::null_pointer, [](OptionsCall& c) { c.out.output.data = nullptr; }},
      {"output rows overlap", Status::bad_stride, [](OptionsCall& c) { c.out.output.row_stride = 5; }},
      {"score rows overlap", Status::bad_stride, [](OptionsCall& c) { c.out.scores.row_stride = 8; }},
      {"value rows overflow", Status::bad_stride, [](OptionsCall& c) { c.in.value.row_stride = far; }},
  });
}

TEST_F(RefusedOptions, KeysFromACache) {
  call.in.cache = &cache;
  call.in.key = {};
  call.in.value = {};
  static const KvCache empty;
  expect_refusals({
      {"cache without memory", Status::not_initialised, [](OptionsCall& c) { c.in.cache = &empty; }},
      {"batch entry without a sequence", Status::bad_sequence, [](OptionsCall& c) { c.in.batch = 3; }},
      {"sequence that does not exist", Status::bad_sequence, [](OptionsCall& c) { c.in.sequence_ids = sequences_bad; }},
      {"key length above the cache's", Status::bad_length, [](OptionsCall& c) { c.in.key_lengths = key_lengths_bad; }},
      {"query length above queries", Status::bad_length,
       [](OptionsCall& c) { c.options.query_lengths = query_lengths_bad; }},
      {"softcap NaN", Status::bad_option, [](OptionsCall& c) { c.options.softcap = nan; }},
      {"mask rows overflow", Status::bad_stride, [](OptionsCall& c) { c.options.additive_mask.data.row_stride = far; }},
  });
}

TEST_F(RefusedOptions, WhatLooksOddAndIsAllowedWorks) {
  call.options.left_window = 1U << 31;
  call.options.right_window = 1U << 31;
  call.options.causal_offsets = offsets;
  EXPECT_EQ(call(), Status::ok);
  call.options.bool_mask.batch_stride = call.options.bool_mask.head_stride = 0;
  call.options.bool_mask.data += 18;
  call.options.bool_mask.query_stride = -9;
  EXPECT_EQ(call(), Status::ok);
  call.options.sink_logits = sinks_great;
  EXPECT_EQ(call(), Status::ok);
  call.options.relative_bias.head_stride = 1;  // heads may overlap
  EXPECT_EQ(call(), Status::ok);
  call.options.additive_mask = {{mask.data(), far, far, far}, 9};
  call.options.additive_mask.data.data = nullptr;  // none: its strides are not read
  call.options.bool_mask = {nullptr, far, far, far, UINT32_MAX, MaskFormat::bits};
  call.options.pre_softcap_bias = {{nullptr, far, far, far}, UINT32_MAX};
  call.options.relative_bias = {nullptr, far, UINT32_MAX, UINT32_MAX};
  call.options.sink_logits = nullptr;
  call.options.smooth_softmax = true;
  EXPECT_EQ(call(), Status::ok);
  call.in.key_count = 0;
  call.in.key = {};
  call.in.value = {};
  EXPECT_EQ(call(), Status::ok);
  EXPECT_EQ(output, std::vector<float>(output.size(), 0.0F));
}

}  // namespace
}  // namespace heed::test
