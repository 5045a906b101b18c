// SPDX-License-Identifier: MIT
//
// The runs whose instructions are counted, each between a call of figures_begin() and one of figures_end(). Prints a
// line for each: its name and its multiplications. The first is empty: what the two calls cost themselves.
#include <board.h>

#include <cstdint>
#include <span>

#include "heed/heed.hpp"

extern "C" {
// Functions that the compiler can neither copy nor leave out: their addresses are where counting begins and ends.
volatile std::uint32_t figures_mark;
[[gnu::noinline]] void figures_begin() {
  figures_mark = 1;
}
[[gnu::noinline]] void figures_end() {
  figures_mark = 2;
}
}

namespace {

/// Not a constant: nothing is worth 0 * x alone.
void fill(std::span<float> values) {
  std::uint32_t state = 1;
  for (float& value : values) {
    state = state * 1664525U + 1013904223U;
    value = static_cast<float>(static_cast<std::int32_t>(state >> 16) - 32768) * 0x1p-15F;
  }
}

void report(const char* name, std::uint64_t multiplications) {
  board_print(name);
  board_print(": ");
  board_print_number(multiplications);
  board_print("\n");
}

/// One head with `queries` queries and `keys` keys, or as many of each, in memory of its own.
template <std::uint32_t keys, std::uint32_t dim, std::uint32_t budget>
struct Run {
  static constexpr heed::AttentionPlan attention =
      heed::plan(heed::AttentionConfig{.head_dim = dim, .max_keys = keys, .scratch_budget = budget});
  static constexpr heed::KvCachePlan cached = heed::plan(heed::KvCacheConfig{.head_dim = dim, .max_keys = keys});

  heed::StaticArena<attention.bytes> scratch;
  heed::StaticArena<cached.bytes> cache_memory;
  float query[keys * dim];
  float key[keys * dim];
  float value[keys * dim];
  float output[keys * dim];

  heed::Status attend(const heed::AttentionInputs& inputs) {
    const heed::AttentionOutputs outputs{.output = heed::bhsd(output, 1, keys, dim)};
    figures_begin();
    const heed::Status status = heed::attend(attention, scratch, inputs, outputs);
    figures_end();
    return status;
  }

  heed::AttentionInputs inputs() {
    fill(query);
    fill(key);
    fill(value);
    heed::AttentionInputs in;
    in.query_count = keys;
    in.key_count = keys;
    in.query = heed::bhsd<const float>(query, 1, keys, dim);
    in.key = heed::bhsd<const float>(key, 1, keys, dim);
    in.value = heed::bhsd<const float>(value, 1, keys, dim);
    return in;
  }

  bool prefill(const char* name) {
    report(name, std::uint64_t{2} * keys * keys * dim);
    return attend(inputs()) == heed::Status::ok && output[0] != 0.0F;
  }

  bool decode(const char* name) {
    report(name, std::uint64_t{2} * keys * dim);
    heed::AttentionInputs in = inputs();
    heed::KvCache cache;
    if (cache.init(cached, cache_memory) != heed::Status::ok) return false;
    if (cache.append(0, keys, in.key, in.value) != heed::Status::ok) return false;
    in.query_count = 1;
    in.cache = &cache;
    return attend(in) == heed::Status::ok && output[0] != 0.0F;
  }
};

Run<64, 32, 16 * 1024> small;
#ifdef HEED_FIGURES_LARGE
Run<512, 64, 0> large;
Run<2048, 64, 0> long_cache;
#endif

}  // namespace

int main() {
  report("nothing", 1);
  figures_begin();
  figures_end();
  bool good = small.prefill("prefill, 64 queries and keys, head_dim 32");
  good = small.decode("decode, 64 keys, head_dim 32") && good;
#ifdef HEED_FIGURES_LARGE
  good = large.prefill("prefill, 512 queries and keys, head_dim 64") && good;
  good = long_cache.decode("decode, 2048 keys, head_dim 64") && good;
#endif
  return good ? 0 : 1;
}
