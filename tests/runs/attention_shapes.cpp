// SPDX-License-Identifier: MIT
#include "runs/runs.hpp"

namespace heed::test {
namespace {

struct Sizes {
  std::uint32_t heads, kv_heads, queries, keys, dim;
  Causal causal = Causal::none;
};

template <class Options>
bool attend_to(std::uint32_t set, const Sizes& s, const Options& set_options) {
  Data data(set);
  AttentionPlan plan;
  if (make_plan({.heads = s.heads, .kv_heads = s.kv_heads, .head_dim = s.dim}, plan) != Status::ok) return false;
  Arena arena(plan.bytes);
  const auto query = data.take(std::size_t{s.heads} * s.queries * s.dim);
  const auto key = data.take(std::size_t{s.kv_heads} * s.keys * s.dim);
  const auto value = data.take(std::size_t{s.kv_heads} * s.keys * s.dim);
  const Floats output(query.size());
  const Floats scores(std::size_t{s.heads} * s.queries * s.keys);
  AttentionInputs in;
  in.query_count = s.queries;
  in.key_count = s.keys;
  in.causal = s.causal;
  in.query = bhsd(query.data(), s.heads, s.queries, s.dim);
  in.key = bhsd(key.data(), s.kv_heads, s.keys, s.dim);
  in.value = bhsd(value.data(), s.kv_heads, s.keys, s.dim);
  AttentionOutputs out{.output = bhsd(output.data(), s.heads, s.queries, s.dim)};
  AttentionOptions options;
  const auto bias = data.take(std::size_t{s.queries} * s.keys);
  const auto slopes = data.take(s.heads);
  if (set_options(options, bias.data(), slopes.data(), s)) {
    out.scores = bhsd(scores.data(), s.heads, s.queries, s.keys);
  }
  Status status = Status::ok;
  counted([&] { status = attend(plan, arena.span(), in, options, out); });
  const bool wanted = out.scores.data != nullptr;
  return status == Status::ok && are_numbers(output.span()) && (!wanted || are_numbers(scores.span()));
}

bool nothing(AttentionOptions&, const float*, const float*, const Sizes&) {
  return false;
}

bool every_term(AttentionOptions& options, const float* bias, const float* slopes, const Sizes& s) {
  options.softcap = 20.0F;
  options.alibi_slopes = slopes;
  options.sink_logits = slopes;
  options.pre_softcap_bias = {{bias, 0, 0, static_cast<std::ptrdiff_t>(s.keys)}, s.keys};
  options.left_window = 21;
  return true;
}

}  // namespace

std::vector<Named> attention_shapes() {
  return {
      {"1 query, 40 keys",
       [](std::uint32_t set) {
         return attend_to(set, {1, 1, 1, 40, 16}, nothing);
       }},
      {"70 queries, 70 keys",
       [](std::uint32_t set) {
         return attend_to(set, {2, 2, 70, 70, 24}, nothing);
       }},
      {"grouped heads, causal, two blocks",
       [](std::uint32_t set) {
         return attend_to(set, {4, 2, 5, 300, 33, Causal::bottom_right}, nothing);
       }},
      {"20 queries, causal, a window, softcap, ALiBi, a bias, sinks and scores",
       [](std::uint32_t set) {
         return attend_to(set, {2, 1, 20, 60, 16, Causal::top_left}, every_term);
       }},
  };
}

}  // namespace heed::test
