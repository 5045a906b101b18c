// SPDX-License-Identifier: MIT
//
// `heed mha` with the options of PyTorch's nn.MultiheadAttention, whose masks mean "not attended", against a naive
// double computation, and every way to refuse them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "command/command_layer.hpp"
#include "options/option_twin.hpp"

namespace {

using namespace heed::test;

class HeedMhaAsTorch : public HeedMha {
 protected:
  static constexpr std::size_t heads = 3, dim = 4, width = 12, keys = 7;

  /// A layer whose keys and values come from rows of their own, of kdim and vdim columns.
  HeedMhaAsTorch() {
    w_.fill(random_, true);
    kdim_ = 9;
    vdim_ = 5;
    w_.key = random_.normals(width * kdim_);
    w_.value = random_.normals(width * vdim_);
    x_ = random_.normals(batch * tokens * width);
    key_ = random_.normals(batch * keys * kdim_);
    value_ = random_.normals(batch * keys * vdim_);
    write_npy("x.npy", {batch, tokens, width}, x_);
    write_npy("k.npy", {batch, keys, kdim_}, key_);
    write_npy("v.npy", {batch, keys, vdim_}, value_);
    write_weights({});
  }

  /// The names of PyTorch, where kdim or vdim differ from the width.
  void write_weights(const std::vector<StoredTensor>& more) const {
    std::vector<StoredTensor> tensors{
        {"q_proj_weight", {width, width}, bytes_of(w_.query)},
        {"k_proj_weight", {width, kdim_}, bytes_of(w_.key)},
        {"v_proj_weight", {width, vdim_}, bytes_of(w_.value)},
        {"in_proj_bias", {3 * width}, bytes_of(concatenated(w_.query_bias, w_.key_bias, w_.value_bias))},
        {"out_proj.weight", {width, width}, bytes_of(w_.output)},
        {"out_proj.bias", {width}, bytes_of(w_.output_bias)}};
    tensors.insert(tensors.end(), more.begin(), more.end());
    write_safetensors(path("w.safetensors"), tensors);
  }

  /// Projected rows [batch, heads, count, dim] with the tokens of `extra` [width each] after them.
  static std::vector<float> projected(const std::vector<float>& rows, const std::vector<float>& weight,
                                      std::size_t columns, const std::vector<float>& bias,
                                      const std::vector<std::vector<float>>& extra) {
    const std::vector<double> all = project({rows.begin(), rows.end()}, weight, columns, bias);
    const std::size_t each = all.size() / batch;
    std::vector<float> joined;
    for (std::size_t b = 0; b < batch; ++b) {
      for (std::size_t i = 0; i < each; ++i) joined.push_back(static_cast<float>(all[b * each + i]));
      for (const std::vector<float>& token : extra) joined.insert(joined.end(), token.begin(), token.end());
    }
    return heads_outside<float>(joined, heads, joined.size() / batch / width, dim);
  }

  /// The layer up to its scores; `rules` completes the case.
  TwinCase layer_case(const std::vector<std::vector<float>>& extra_keys = {},
                      const std::vector<std::vector<float>>& extra_values = {}) const {
    TwinCase c;
    c.shape = {batch, heads, heads, tokens, static_cast<std::uint32_t>(keys + extra_keys.size()), dim, dim};
    c.query = projected(x_, w_.query, width, w_.query_bias, {});
    c.key = projected(key_, w_.key, kdim_, w_.key_bias, extra_keys);
    c.value = projected(value_, w_.value, vdim_, w_.value_bias, extra_values);
    return c;
  }

  /// Runs with the options, and compares the output, the weights of each head and their mean.
  void expect_layer(const TwinCase& c, const std::string& options) const {
    SCOPED_TRACE(options);
    const TwinResult attention = option_twin(c);
    const auto joined = heads_outside<double>(attention.output, tokens, heads, dim);
    const std::string line = std::string(command) + options + " --scores s.npy ";
    expect_success(line);
    expect_near(read_npy("out.npy", {batch, tokens, width}), project(joined, w_.output, width, w_.output_bias), 3e-5);
    const std::size_t all = c.shape.keys;
    expect_near(read_npy("s.npy", {batch, heads, tokens, all}), attention.weights, 2e-5);
    std::vector<double> mean(batch * tokens * all);
    for (std::size_t i = 0; i < attention.weights.size(); ++i) {
      const std::size_t b = i / (heads * tokens * all);
      mean[b * tokens * all + i % (tokens * all)] += attention.weights[i] / heads;
    }
    expect_success(line + "--average-attn-weights");
    expect_near(read_npy("s.npy", {batch, tokens, all}), mean, 2e-5);
  }

  static constexpr const char* command =
      "mha --weights w.safetensors --heads 3 --input x.npy --key k.npy --value v.npy --out out.npy ";
  Weights w_{heads, heads, dim, dim, width, width, width, {}, {}, {}, {}, {}, {}, {}, {}};
  std::size_t kdim_ = 0, vdim_ = 0;
  std::vector<float> x_, key_, value_;
};

TEST_F(HeedMhaAsTorch, TakesKeysAndValuesOfTheirOwnWidths) {
  TwinCase c = layer_case();
  expect_layer(c, "");
  c.seen = [](auto, auto, auto i, auto j) { return j <= i + 1; };
  c.softcap = 2.0;
  expect_layer(c, "--causal bottom-right --softcap 2 --workers 2");
  c.seen = [](auto, auto, auto i, auto j) { return j + 1 >= i && j <= i + 2; };
  c.sinks.assign(heads, 0.0);
  expect_layer(c, "--left-window 2 --right-window 3 --softcap 2 --smooth-softmax");
}

TEST_F(HeedMhaAsTorch, MasksMeanNotAttended) {
  std::vector<std::uint8_t> padding(batch * keys);
  padding[2] = padding[keys + 5] = padding[keys + 6] = 1;
  write_npy("pad.npy", {batch, keys}, padding);
  TwinCase c = layer_case();
  c.seen = [&](auto b, auto, auto, auto j) { return padding[b * keys + j] == 0; };
  expect_layer(c, "--key-padding-mask pad.npy");

  std::vector<std::uint8_t> closed(batch * heads * tokens * keys);
  for (std::uint8_t& value : closed) value = random_.between(0, 2) == 0;
  write_npy("deep.npy", {batch * heads, tokens, keys}, closed);
  c.seen = [&](auto b, auto h, auto i, auto j) {
    return padding[b * keys + j] == 0 && closed[((b * heads + h) * tokens + i) * keys + j] == 0;
  };
  expect_layer(c, "--key-padding-mask pad.npy --attn-mask deep.npy");

  const std::vector<float> added = random_.normals(tokens * keys);
  write_npy("added.npy", {tokens, keys}, added);
  c.seen = [&](auto b, auto, auto, auto j) { return padding[b * keys + j] == 0; };
  c.bias = [&](auto, auto, auto i, auto j) { return static_cast<double>(added[i * keys + j]); };
  expect_layer(c, "--key-padding-mask pad.npy --attn-mask added.npy");
  const std::vector<float> soft = random_.normals(batch * keys);
  write_npy("soft.npy", {batch, keys}, soft);
  c.seen = [](auto...) { return true; };
  c.bias = [&](auto b, auto, auto i, auto j) { return double{added[i * keys + j]} + double{soft[b * keys + j]}; };
  expect_layer(c, "--key-padding-mask soft.npy --attn-mask added.npy");
}

TEST_F(HeedMhaAsTorch, ExtraTokensLieBehindTheOthersAndAreSeenByAll) {
  const std::vector<float> bias_k = random_.normals(width), bias_v = random_.normals(width), zero(width);
  write_npy("bk.npy", {1, 1, width}, bias_k);
  write_npy("bv.npy", {width}, bias_v);
  expect_layer(layer_case({zero}, {zero}), "--add-zero-attn");
  expect_layer(layer_case({bias_k}, {bias_v}), "--bias-k bk.npy --bias-v bv.npy");

  TwinCase c = layer_case({bias_k, zero}, {bias_v, zero});
  const std::string both = "--bias-k bk.npy --bias-v bv.npy --add-zero-attn ";
  c.seen = [](auto b, auto, auto i, auto j) { return j >= keys || (j <= i && j < (b == 0 ? 7U : 2U)); };
  expect_layer(c, both + "--causal top-left --key-lengths 7,2");
  c.seen = [](auto, auto, auto i, auto j) { return j >= keys || (j <= i + 1 && j >= i); };
  expect_layer(c, both + "--left-window 1 --right-window 2");

  std::vector<std::uint8_t> closed(tokens * keys, 1);
  closed[3] = 0;
  const std::vector<float> soft = random_.normals(batch * keys);
  write_npy("closed.npy", {tokens, keys}, closed);
  write_npy("soft.npy", {batch, keys}, soft);
  c.seen = [&](auto, auto, auto i, auto j) { return j >= keys || closed[i * keys + j] == 0; };
  c.bias = [&](auto b, auto, auto, auto j) { return j >= keys ? 0.0 : double{soft[b * keys + j]}; };
  expect_layer(c, both + "--attn-mask closed.npy --key-padding-mask soft.npy");
}

TEST_F(HeedMhaAsTorch, ReadsExtraTokensFromTheWeights) {
  const std::vector<float> bias_k = random_.normals(width), bias_v = random_.normals(width);
  write_weights({{"bias_k", {1, 1, width}, bytes_of(bias_k)}, {"bias_v", {1, 1, width}, bytes_of(bias_v)}});
  expect_failure("pack --weights w.safetensors --heads 3 --out out.bin", {"bias_k", "w.safetensors"});
  expect_layer(layer_case({bias_k}, {bias_v}), "");
}

// Filling the cache apart from the layer changes no bit.
TEST_F(HeedMhaAsTorch, EqualInputsGiveTheBitsOfOneMemory) {
  Weights w{heads, heads, dim, dim, width, width, width, {}, {}, {}, {}, {}, {}, {}, {}};
  w.fill(random_, true);
  write_packed(w, "", "packed.safetensors");
  const std::string line = "mha --weights packed.safetensors --heads 3 --input x.npy --out out.npy ";
  expect_success(line);
  const std::string bytes = read_bytes(path("out.npy"));
  expect_success(line + "--key x.npy --value x.npy");
  EXPECT_EQ(read_bytes(path("out.npy")), bytes);
  expect_success(line + "--kv-input x.npy");
  EXPECT_EQ(read_bytes(path("out.npy")), bytes);
}

TEST_F(HeedMhaAsTorch, RefusesWhatDoesNotFit) {
  const std::string all = command;
  const std::string only = "mha --weights w.safetensors --heads 3 --input x.npy --out out.npy ";
  expect_failure(only, {"w.safetensors", "9", "5", "--key and --value"});
  expect_failure(only + "--kv-input k.npy", {"--key and --value"});
  expect_failure(only + "--key k.npy", {"--key", "--value"});
  expect_failure(only + "--key v.npy --value v.npy", {"v.npy [2, 7, 5]", "9"});
  expect_failure(all + "--kv-input k.npy", {"--kv-input", "--key"});
  expect_failure("pack --weights w.safetensors --heads 3 --out out.bin", {"w.safetensors", "9", "5"});
  write_npy("short.npy", {batch, keys - 1, vdim_}, std::vector<float>(batch * (keys - 1) * vdim_));
  expect_failure(only + "--key k.npy --value short.npy", {"k.npy", "short.npy [2, 6, 5]", "tokens"});
  expect_failure(all + "--bias-k k.npy", {"--bias-k", "--bias-v"});
  expect_failure(all + "--bias-k k.npy --bias-v v.npy", {"--bias-k k.npy", "[2, 7, 9]", "[12]"});
  expect_failure(all + "--average-attn-weights", {"--average-attn-weights", "--scores"});
  expect_failure(all + "--average-attn-weights --scores out_s.npy --stage raw", {"--average-attn-weights", "weights"});
  expect_failure(all + "--add-zero-attn --alibi", {"--alibi"});
  write_npy("bad.npy", {tokens, keys + 1}, std::vector<std::uint8_t>(tokens * (keys + 1)));
  expect_failure(all + "--attn-mask bad.npy", {"--attn-mask bad.npy [6, 8]", "[6, 7]", "[6, 6, 7]"});
  expect_failure(all + "--key-padding-mask bad.npy", {"--key-padding-mask bad.npy [6, 8]", "[2, 7]"});
  expect_failure(all + "--add-zero-attn --key-lengths 8,1", {"--key-lengths 8,1", "0..7"});
}

}  // namespace
