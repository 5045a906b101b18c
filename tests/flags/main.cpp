// SPDX-License-Identifier: MIT
//
// Hashes of attend(), and of attend() with the modifier if an argument is given: a file whose flags nobody sees may
// have other bits itself, but must not change the library's.
#include <bit>
#include <cstdio>

#include "modified.hpp"

namespace {

constexpr std::uint32_t heads = 2, queries = 40, keys = 400, dim = 20;
constexpr heed::AttentionPlan plan = heed::plan(heed::AttentionConfig{.heads = heads, .head_dim = dim});
heed::StaticArena<plan.bytes> arena;
float query[heads * queries * dim], key[heads * keys * dim], value[heads * keys * dim], output[heads * queries * dim];

template <std::size_t count>
void fill(float (&values)[count], std::uint32_t state) {
  for (float& v : values) {
    state = state * 1664525U + 1013904223U;
    v = static_cast<float>(static_cast<std::int32_t>(state >> 16) - 32768) * 0x1p-13F;
  }
}

/// FNV-1a over the bits.
std::uint64_t hash_output() {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const float v : output) hash = (hash ^ std::bit_cast<std::uint32_t>(v)) * 0x100000001B3U;
  return hash;
}

bool report(const char* name, heed::Status status, std::uint64_t golden) {
  const std::uint64_t hash = hash_output();
  const bool good = status == heed::Status::ok && hash == golden;
  std::printf("%s: %s, hash %016llX%s\n", name, heed::to_string(status), static_cast<unsigned long long>(hash),
              good ? "" : "  WRONG");
  return good;
}

}  // namespace

int main(int count, char**) {
  fill(query, 1);
  fill(key, 2);
  fill(value, 3);
  // Not a number behind the mask of every query but the last: it must not show.
  for (std::uint32_t d = 0; d < dim; ++d) value[(keys - 1) * dim + d] = std::bit_cast<float>(0x7FC00000U);
  heed::AttentionInputs inputs;
  inputs.query_count = queries;
  inputs.key_count = keys;
  inputs.query = heed::bhsd<const float>(query, heads, queries, dim);
  inputs.key = heed::bhsd<const float>(key, heads, keys, dim);
  inputs.value = heed::bhsd<const float>(value, heads, keys, dim);
  inputs.causal = heed::Causal::bottom_right;
  const heed::AttentionOutputs outputs{.output = heed::bhsd(output, heads, queries, dim)};
  const bool good = report("attend", heed::attend(plan, arena, inputs, outputs), 0x633ED8B67FE4C53DU);
  if (count == 1) return good ? 0 : 1;
  return report("attend, modified", attend_with_distance(plan, arena, inputs, outputs), 0xD14AE982EEFB8B2CU) && good
             ? 0
             : 1;
}
