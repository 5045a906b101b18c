// SPDX-License-Identifier: MIT
//
// Layers for tests of `heed mha`: weights, their files, and the layer in double precision.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "command/command.hpp"
#include "heed/layer.hpp"
#include "support/random.hpp"
#include "support/reference.hpp"
#include "transformer/built_model.hpp"

namespace heed::test {

/// Weights [out, in] and biases of a layer, rounded so far that float16 and bfloat16 hold them exactly.
struct Weights {
  std::size_t heads, kv_heads, head_dim, value_dim, model_dim, kv_input_dim, output_dim;
  std::vector<float> query, key, value, output, query_bias, key_bias, value_bias, output_bias;

  void fill(Random& random, bool biases) {
    const auto some = [&](std::size_t count) {
      std::vector<float> values;
      for (std::size_t i = 0; i < count; ++i) {
        values.push_back((static_cast<float>(random.between(0, 128)) - 64.0F) / 128.0F);
      }
      return values;
    };
    query = some(heads * head_dim * model_dim);
    key = some(kv_heads * head_dim * kv_input_dim);
    value = some(kv_heads * value_dim * kv_input_dim);
    output = some(output_dim * heads * value_dim);
    query_bias = some(biases ? heads * head_dim : 0);
    key_bias = some(biases ? kv_heads * head_dim : 0);
    value_bias = some(biases ? kv_heads * value_dim : 0);
    output_bias = some(biases ? output_dim : 0);
  }

  /// What the library packs for a layer that has biases.
  [[nodiscard]] std::string packed(const MultiHeadPlan& plan) const {
    AlignedMemory bytes(plan.weights_bytes);
    EXPECT_EQ(pack_weights(plan,
                           {.query = query.data(),
                            .key = key.data(),
                            .value = value.data(),
                            .output = output.data(),
                            .query_bias = query_bias.data(),
                            .key_bias = key_bias.data(),
                            .value_bias = value_bias.data(),
                            .output_bias = output_bias.data()},
                           bytes.span()),
              Status::ok);
    return {reinterpret_cast<const char*>(bytes.span().data()), plan.weights_bytes};
  }
};

inline std::vector<float> concatenated(const std::vector<float>& a, const std::vector<float>& b,
                                       const std::vector<float>& c) {
  std::vector<float> all = a;
  all.insert(all.end(), b.begin(), b.end());
  all.insert(all.end(), c.begin(), c.end());
  return all;
}

/// rows of x times W^T plus bias, one output per row of W.
inline std::vector<double> project(const std::vector<double>& x, const std::vector<float>& weight, std::size_t columns,
                                   const std::vector<float>& bias) {
  const std::size_t outputs = weight.size() / columns;
  std::vector<double> y;
  for (std::size_t row = 0; row < x.size() / columns; ++row) {
    for (std::size_t out = 0; out < outputs; ++out) {
      double sum = bias.empty() ? 0.0 : static_cast<double>(bias[out]);
      for (std::size_t i = 0; i < columns; ++i) {
        sum += x[row * columns + i] * static_cast<double>(weight[out * columns + i]);
      }
      y.push_back(sum);
    }
  }
  return y;
}

/// [batch, rows, heads * dim] to [batch, heads, rows, dim].
template <class To, class From>
std::vector<To> heads_outside(const std::vector<From>& x, std::size_t heads, std::size_t rows, std::size_t dim) {
  std::vector<To> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t d = i % dim, h = i / dim % heads, r = i / dim / heads % rows, b = i / dim / heads / rows;
    y[((b * heads + h) * rows + r) * dim + d] = static_cast<To>(x[i]);
  }
  return y;
}

class HeedMha : public CommandTest {
 protected:
  static constexpr std::size_t batch = 2, tokens = 6;

  /// The layer in double, with each head's Q, K and V rounded to float on the way, and changed there.
  struct Layer {
    Expected attention;
    std::vector<double> y;
  };

  static Layer reference(const Weights& w, const std::vector<float>& x, const std::vector<float>& memory,
                         std::size_t keys, Causal causal, const std::function<void(AttentionCase&)>& change = {}) {
    AttentionCase c;
    const auto narrow = [](std::size_t size) { return static_cast<std::uint32_t>(size); };
    c.shape = {narrow(batch), narrow(w.heads),    narrow(w.kv_heads), narrow(tokens),
               narrow(keys),  narrow(w.head_dim), narrow(w.value_dim)};
    const std::vector<double> from(x.begin(), x.end());
    const std::vector<double> seen(memory.begin(), memory.end());
    c.query = heads_outside<float>(project(from, w.query, w.model_dim, w.query_bias), w.heads, tokens, w.head_dim);
    c.key = heads_outside<float>(project(seen, w.key, w.kv_input_dim, w.key_bias), w.kv_heads, keys, w.head_dim);
    c.value = heads_outside<float>(project(seen, w.value, w.kv_input_dim, w.value_bias), w.kv_heads, keys, w.value_dim);
    c.causal = causal;
    if (change) change(c);
    Layer layer{reference_attention(c), {}};
    // Swapping the roles of heads and rows undoes heads_outside().
    const auto joined = heads_outside<double>(layer.attention.output, tokens, w.heads, w.value_dim);
    layer.y = project(joined, w.output, w.heads * w.value_dim, w.output_bias);
    return layer;
  }

  void write_packed(const Weights& w, const std::string& prefix, const char* file) const {
    const std::size_t rows = (w.heads + w.kv_heads) * w.head_dim + w.kv_heads * w.value_dim;
    std::vector<StoredTensor> tensors{
        {prefix + "in_proj_weight", {rows, w.model_dim}, bytes_of(concatenated(w.query, w.key, w.value))},
        {prefix + "out_proj.weight", {w.output_dim, w.heads * w.value_dim}, bytes_of(w.output)}};
    if (!w.query_bias.empty()) {
      tensors.push_back(
          {prefix + "in_proj_bias", {rows}, bytes_of(concatenated(w.query_bias, w.key_bias, w.value_bias))});
      tensors.push_back({prefix + "out_proj.bias", {w.output_dim}, bytes_of(w.output_bias)});
    }
    write_safetensors(path(file), tensors);
  }

  /// q.weight, k.weight, v.weight, o.weight and their biases, each element by way of `convert`.
  template <class Convert>
  void write_separate(const Weights& w, const char* file, const char* type, Convert convert) const {
    std::vector<StoredTensor> tensors;
    const auto add = [&](const char* name, const Shape& shape, const std::vector<float>& values) {
      std::vector<decltype(convert(0.0F))> converted;
      for (const float value : values) converted.push_back(convert(value));
      if (!values.empty()) tensors.push_back({name, shape, bytes_of(converted), type});
    };
    add("q.weight", {w.heads * w.head_dim, w.model_dim}, w.query);
    add("k.weight", {w.kv_heads * w.head_dim, w.kv_input_dim}, w.key);
    add("v.weight", {w.kv_heads * w.value_dim, w.kv_input_dim}, w.value);
    add("o.weight", {w.output_dim, w.heads * w.value_dim}, w.output);
    add("q.bias", {w.heads * w.head_dim}, w.query_bias);
    add("k.bias", {w.kv_heads * w.head_dim}, w.key_bias);
    add("v.bias", {w.kv_heads * w.value_dim}, w.value_bias);
    add("o.bias", {w.output_dim}, w.output_bias);
    write_safetensors(path(file), tensors);
  }

  Random random_{5};
  const std::string separate_ = "--q-weight q.weight --k-weight k.weight --v-weight v.weight --out-weight o.weight ";
  const std::string biases_ = "--q-bias q.bias --k-bias k.bias --v-bias v.bias --out-bias o.bias ";
};

}  // namespace heed::test
