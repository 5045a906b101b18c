// SPDX-License-Identifier: MIT
#include "runs/runs.hpp"
#include "support/storage.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t dim = 32;
constexpr std::uint32_t tokens = 20;

/// A prefill of all tokens but the last, which is decoded.
bool run_layer(std::uint32_t set, MultiHeadConfig config, const Format* format = nullptr) {
  Data data(set);
  config.model_dim = dim;
  config.heads = 4;
  config.kv_heads = 2;
  config.max_keys = tokens;
  MultiHeadPlan plan;
  if (make_plan(config, plan) != Status::ok) return false;
  Arena arena(plan.bytes);
  Arena packed(plan.weights_bytes);
  const auto weight = data.take(std::size_t{dim} * dim);
  const float* w = weight.data();
  if (pack_weights(plan, {w, w, w, w, w, w, w, w}, packed.span()) != Status::ok) return false;
  MultiHeadAttention layer;
  if (layer.init(plan, arena.span(), {packed.span(), format}, storage_of(config)) != Status::ok) return false;
  const auto input = data.take(std::size_t{tokens} * dim);
  const Floats output((tokens - 1) * std::size_t{dim});
  MultiHeadInputs in{.tokens = tokens - 1};
  in.input = dense(input.data(), tokens - 1, dim);
  const MultiHeadOutputs out{.output = dense(output.data(), tokens - 1, dim)};
  bool good = true;
  counted([&] {
    good = layer.prefill(in, out) == Status::ok;
    good = layer.decode(&input[(tokens - 1) * std::size_t{dim}], output.data()) == Status::ok && good;
  });
  return good && are_numbers(output.span());
}

}  // namespace

std::vector<Named> layer_shapes() {
  return {
      {"a layer", [](std::uint32_t set) { return run_layer(set, MultiHeadConfig{}); }},
      {"a layer over bfloat16, with weights of int4",
       [](std::uint32_t set) {
         return run_layer(set,
                          MultiHeadConfig{.weight_type = DataType::int4_groups,
                                          .key_type = DataType::bfloat16,
                                          .value_type = DataType::bfloat16},
                          &int4_group_weights);
       }},
  };
}

}  // namespace heed::test
