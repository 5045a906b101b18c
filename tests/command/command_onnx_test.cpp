// SPDX-License-Identifier: MIT
//
// `heed attend` as ONNX Attention 23, 24 and 25: cases that combine the operator's inputs and attributes, with 4 and
// with 3 dimensions, every output and every qk_matmul_output_mode, against a twin of the operator's function body.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "command/command.hpp"
#include "command/onnx_twin.hpp"
#include "support/cases.hpp"
#include "support/random.hpp"

namespace {

using namespace heed::test;

/// A case by what it adds to the plain one.
struct Variant {
  const char* name;
  AttentionShape shape;
  std::size_t past = 0;
  Shape mask{};
  bool bool_mask = false;
  std::vector<std::int64_t> nonpad{};
  bool is_causal = false;
  double scale = 0.0, softcap = 0.0;
  std::int64_t left = -1, right = -1;
};

void PrintTo(const Variant& variant, std::ostream* stream) {
  *stream << variant.name;
}

constexpr AttentionShape plain{2, 3, 3, 4, 6, 8, 8};
constexpr AttentionShape grouped{2, 9, 3, 4, 6, 8, 10};

const std::vector<Variant> variants{
    {.name = "plain", .shape = plain},
    {.name = "gqa_sizes", .shape = grouped},
    {.name = "scaled", .shape = plain, .scale = 0.01},
    {.name = "causal", .shape = plain, .is_causal = true},
    {.name = "softcap", .shape = plain, .softcap = 2.0},
    {.name = "mask_2d", .shape = plain, .mask = {4, 6}},
    {.name = "mask_3d_heads", .shape = grouped, .mask = {9, 4, 6}},
    {.name = "mask_4d_bool", .shape = plain, .mask = {2, 3, 4, 6}, .bool_mask = true},
    {.name = "mask_4d_bool_one_query", .shape = grouped, .mask = {2, 1, 1, 6}, .bool_mask = true, .is_causal = true},
    {.name = "mask_short", .shape = plain, .mask = {4, 4}},
    {.name = "mask_short_bool", .shape = plain, .mask = {3, 1, 3}, .bool_mask = true},
    {.name = "mask_one_key", .shape = plain, .mask = {1}, .bool_mask = true},
    {.name = "past", .shape = plain, .past = 12},
    {.name = "past_causal_gqa", .shape = {2, 9, 3, 4, 4, 8, 10}, .past = 12, .is_causal = true},
    {.name = "past_mask_softcap", .shape = grouped, .past = 5, .mask = {2, 1, 4, 11}, .softcap = 3.0},
    {.name = "nonpad", .shape = plain, .nonpad = {3, 6}},
    {.name = "nonpad_causal", .shape = plain, .nonpad = {2, 5}, .is_causal = true},
    {.name = "nonpad_causal_mask",
     .shape = grouped,
     .mask = {2, 9, 4, 6},
     .bool_mask = true,
     .nonpad = {6, 0},
     .is_causal = true},
    {.name = "window", .shape = plain, .left = 1, .right = 1},
    {.name = "window_causal_past", .shape = plain, .past = 7, .is_causal = true, .left = 3},
    {.name = "window_past", .shape = grouped, .past = 7, .left = 2, .right = 0},
    {.name = "window_nonpad", .shape = plain, .nonpad = {5, 3}, .left = 1, .right = 2},
};

class HeedAttendAsOnnx : public CommandTest, public testing::WithParamInterface<Variant> {
 protected:
  HeedAttendAsOnnx() {
    const Variant& v = GetParam();
    Random random(29);
    const AttentionCase drawn = random_case(random, v.shape, 2.0F);
    c_ = {.shape = v.shape, .q = drawn.query, .k = drawn.key, .v = drawn.value};
    c_.past_sequence_length = v.past;
    c_.past_key = random.normals(std::size_t{v.shape.batch} * v.shape.kv_heads * v.past * v.shape.head_dim);
    c_.past_value = random.normals(std::size_t{v.shape.batch} * v.shape.kv_heads * v.past * v.shape.value_dim);
    if (!v.mask.empty()) c_.attn_mask = draw_mask(random, v);
    c_.nonpad_kv_seqlen = v.nonpad;
    c_.is_causal = v.is_causal;
    c_.scale = v.scale;
    c_.softcap = v.softcap;
    c_.left_window_size = v.left;
    c_.right_window_size = v.right;
    options_ = " --key k.npy --value v.npy --out out.npy --present-key pk.npy --present-value pv.npy" + write_options();
  }

  static OnnxMask draw_mask(Random& random, const Variant& v) {
    OnnxMask mask{v.mask, {}, v.bool_mask};
    std::size_t count = 1;
    for (const std::size_t size : v.mask) count *= size;
    for (std::size_t i = 0; i < count; ++i) {
      mask.values.push_back(v.bool_mask ? static_cast<float>(random.between(0, 3) != 0) : random.normal());
    }
    return mask;
  }

  /// Files of the optional inputs, and the options that name them.
  std::string write_options() const {
    const AttentionShape& s = c_.shape;
    std::string options;
    const bool positioned = c_.past_sequence_length != 0 || !c_.nonpad_kv_seqlen.empty();
    if (c_.is_causal) options += " --causal onnx";
    const bool windowed = c_.left_window_size >= 0 || c_.right_window_size >= 0;
    if (!c_.is_causal && positioned && windowed) options += " --query-position onnx";
    if (c_.attn_mask) {
      const OnnxMask& mask = *c_.attn_mask;
      if (mask.is_bool) {
        write_npy("m.npy", mask.shape, std::vector<std::uint8_t>(mask.values.begin(), mask.values.end()));
      } else {
        write_npy("m.npy", mask.shape, mask.values);
      }
      options += " --mask m.npy --pad-mask";
    }
    if (c_.past_sequence_length != 0) {
      write_npy("past_k.npy", {s.batch, s.kv_heads, c_.past_sequence_length, s.head_dim}, c_.past_key);
      write_npy("past_v.npy", {s.batch, s.kv_heads, c_.past_sequence_length, s.value_dim}, c_.past_value);
      options += " --past-key past_k.npy --past-value past_v.npy";
    }
    if (!c_.nonpad_kv_seqlen.empty()) {
      write_npy("n.npy", {s.batch}, c_.nonpad_kv_seqlen);
      options += " --key-lengths n.npy";
    }
    if (c_.scale != 0.0) options += " --scale " + std::to_string(c_.scale);
    if (c_.softcap != 0.0) options += " --softcap " + std::to_string(c_.softcap);
    // ONNX counts the keys beside the query's own, and has -1 for all.
    if (c_.left_window_size >= 0) options += " --left-window " + std::to_string(c_.left_window_size + 1);
    if (c_.right_window_size >= 0) options += " --right-window " + std::to_string(c_.right_window_size + 1);
    return options;
  }

  OnnxCase c_;
  std::string options_;
};

TEST_P(HeedAttendAsOnnx, GivesEveryOutput) {
  const AttentionShape& s = c_.shape;
  write_npy("q.npy", {s.batch, s.heads, s.queries, s.head_dim}, c_.q);
  write_npy("k.npy", {s.batch, s.kv_heads, s.keys, s.head_dim}, c_.k);
  write_npy("v.npy", {s.batch, s.kv_heads, s.keys, s.value_dim}, c_.v);
  const OnnxResult expected = onnx_attention(c_);
  const char* const stages[]{"raw", "softcapped", "masked", "weights"};
  for (int mode = 0; mode < 4; ++mode) {
    SCOPED_TRACE(mode);
    expect_success("attend --query q.npy" + options_ + " --scores s.npy --stage " + stages[mode]);
    expect_near(read_npy("out.npy", {s.batch, s.heads, s.queries, s.value_dim}), expected.y, 1e-5);
    expect_near(read_npy("s.npy", {s.batch, s.heads, s.queries, c_.total()}), expected.qk_matmul_output[mode], 1e-5);
  }
  expect_near(read_npy("pk.npy", {s.batch, s.kv_heads, c_.total(), s.head_dim}), expected.present_key, 0.0);
  expect_near(read_npy("pv.npy", {s.batch, s.kv_heads, c_.total(), s.value_dim}), expected.present_value, 0.0);
}

TEST_P(HeedAttendAsOnnx, TakesThreeDimensions) {
  const AttentionShape& s = c_.shape;
  write_npy("q.npy", {s.batch, s.queries, std::size_t{s.heads} * s.head_dim},
            swap_heads_and_rows(c_.q, s.batch, s.heads, s.queries, s.head_dim));
  write_npy("k.npy", {s.batch, s.keys, std::size_t{s.kv_heads} * s.head_dim},
            swap_heads_and_rows(c_.k, s.batch, s.kv_heads, s.keys, s.head_dim));
  write_npy("v.npy", {s.batch, s.keys, std::size_t{s.kv_heads} * s.value_dim},
            swap_heads_and_rows(c_.v, s.batch, s.kv_heads, s.keys, s.value_dim));
  const OnnxResult expected = onnx_attention(c_);
  expect_success("attend --query q.npy" + options_ + " --heads " + std::to_string(s.heads) + " --kv-heads " +
                 std::to_string(s.kv_heads));
  const std::vector<float> y = read_npy("out.npy", {s.batch, s.queries, std::size_t{s.heads} * s.value_dim});
  expect_near(swap_heads_and_rows(y, s.batch, s.queries, s.heads, s.value_dim), expected.y, 1e-5);
  expect_near(read_npy("pk.npy", {s.batch, s.kv_heads, c_.total(), s.head_dim}), expected.present_key, 0.0);
  expect_near(read_npy("pv.npy", {s.batch, s.kv_heads, c_.total(), s.value_dim}), expected.present_value, 0.0);
}

INSTANTIATE_TEST_SUITE_P(, HeedAttendAsOnnx, testing::ValuesIn(variants),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
