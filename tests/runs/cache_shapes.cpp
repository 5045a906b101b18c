// SPDX-License-Identifier: MIT
#include "runs/runs.hpp"
#include "support/storage.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t heads = 2;
constexpr std::uint32_t dim = 40;
constexpr std::uint32_t max_keys = 48;

/// What is counted: tokens that are stored, or a query over those that are, without options and with them.
enum class Part : std::uint8_t { append, attend };

/// Tokens one by one, more than a ring has slots, and a query after them.
bool stream(std::uint32_t set, DataType type, bool ring, Part part) {
  Data data(set);
  KvCachePlan cache_plan;
  const KvCacheConfig config{
      .kv_heads = heads, .head_dim = dim, .max_keys = max_keys, .key_type = type, .value_type = type, .ring = ring};
  AttentionPlan plan;
  if (make_plan(config, cache_plan) != Status::ok) return false;
  if (make_plan({.heads = heads, .head_dim = dim, .max_keys = max_keys}, plan) != Status::ok) return false;
  Arena memory(cache_plan.bytes);
  Arena arena(plan.bytes);
  KvCache cache;
  if (cache.init(cache_plan, memory.span(), storage_of(config)) != Status::ok) return false;
  const std::uint32_t tokens = ring ? max_keys + 5 : max_keys;
  const auto key = data.take(std::size_t{heads} * tokens * dim);
  const auto query = data.take(std::size_t{heads} * dim);
  const Floats output(query.size());
  AttentionInputs in;
  in.query_count = 1;
  in.query = bhsd(query.data(), heads, 1, dim);
  in.cache = &cache;
  in.causal = Causal::bottom_right;
  const AttentionOutputs out{.output = bhsd(output.data(), heads, 1, dim)};
  bool good = true;
  const auto append = [&] {
    for (std::uint32_t token = 0; token < tokens; ++token) {
      ConstTensor row = bhsd(key.data(), heads, tokens, dim);
      row.data = row.row(0, 0, token);
      good = cache.append(0, 1, row, row) == Status::ok && good;
    }
  };
  const auto attend_to = [&] {
    good = heed::attend(plan, arena.span(), in, out) == Status::ok && good;
    good = heed::attend(plan, arena.span(), in, AttentionOptions{}, out) == Status::ok && good;
  };
  if (part == Part::append) {
    counted(append);
  } else {
    append();
    counted(attend_to);
  }
  return good && (part == Part::append || are_numbers(output.span()));
}

}  // namespace

std::vector<Named> cache_shapes() {
  using enum DataType;
  using enum Part;

  // Storing in fewer bits than bfloat16 is left out: how a number is rounded depends on its size.
  return {
      {"tokens into a cache of floats", [](std::uint32_t set) { return stream(set, float32, false, append); }},
      {"tokens into a cache of bfloat16", [](std::uint32_t set) { return stream(set, bfloat16, false, append); }},
      {"a query over a cache of floats", [](std::uint32_t set) { return stream(set, float32, false, attend); }},
      {"a query over a ring of float16", [](std::uint32_t set) { return stream(set, float16, true, attend); }},
      {"a query over a cache of bfloat16", [](std::uint32_t set) { return stream(set, bfloat16, false, attend); }},
      {"a query over a ring of int8", [](std::uint32_t set) { return stream(set, int8, true, attend); }},
      {"a query over a cache of int4", [](std::uint32_t set) { return stream(set, int4, false, attend); }},
  };
}

}  // namespace heed::test
