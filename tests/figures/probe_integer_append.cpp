// SPDX-License-Identifier: MIT
//
// The limit of probe_integer_attention, which no call can be below: the same cache, filled and never attended to, with
// the kernels that its format names, and floats where a core has no instructions for them: a sum, a product, a quotient
// and a conversion. What the other probe has above it is the call: its checks, masks, tiles and outputs.
#include "heed/cache.hpp"

namespace {

constexpr heed::KvCachePlan cache_plan = heed::plan(heed::KvCacheConfig{.kv_heads = 2,
                                                                        .head_dim = 16,
                                                                        .max_keys = 128,
                                                                        .key_type = heed::DataType::int8_integer,
                                                                        .value_type = heed::DataType::int8_integer});

}  // namespace

extern "C" heed::Status probe(heed::KvCache& cache, std::byte* memory, const heed::ConstTensor& key,
                              const heed::ConstTensor& value, std::int32_t sum, float* scale) {
  *scale = (static_cast<float>(sum) * *scale + 1.0F) / scale[1];
  const heed::Status status =
      cache.init(cache_plan, {memory, cache_plan.bytes}, {.formats = {&heed::int8_integer_cache}});
  return status != heed::Status::ok ? status : cache.append(0, 1, key, value);
}
