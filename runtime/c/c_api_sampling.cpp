// SPDX-License-Identifier: MIT
//
// The C interface of sampling, by the rules of c_api_calls.hpp.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "c/c_api_calls.hpp"
#include "heed/heed_sampling.h"
#include "heed/sampling.hpp"

namespace heed::detail {

static_assert(same_size<heed_random_bits, RandomBits>);  // the member is private

static_assert(same_size<heed_sampling_config, SamplingConfig>);
HEED_SAME_MEMBER(heed_sampling_config, SamplingConfig, temperature);
HEED_SAME_MEMBER(heed_sampling_config, SamplingConfig, top_k);
HEED_SAME_MEMBER(heed_sampling_config, SamplingConfig, top_p);

}  // namespace heed::detail

heed_random_bits heed_seed_random(uint64_t seed) {
  return std::bit_cast<heed_random_bits>(heed::RandomBits(seed));
}

uint32_t heed_random_next(heed_random_bits* random) {
  if (random == nullptr) return 0;
  auto twin = std::bit_cast<heed::RandomBits>(*random);
  const std::uint32_t bits = twin.next();
  *random = std::bit_cast<heed_random_bits>(twin);
  return bits;
}

heed_sampling_config heed_default_sampling_config(void) {
  return std::bit_cast<heed_sampling_config>(heed::SamplingConfig{});
}

heed_status heed_sample_token(const heed_sampling_config* config, float* logits, size_t count, uint32_t* order,
                              size_t order_count, heed_random_bits* random, uint32_t* token) {
  if (config == nullptr || random == nullptr || token == nullptr) return HEED_NULL_POINTER;
  auto twin = std::bit_cast<heed::RandomBits>(*random);
  const heed::Status status = heed::sample_token(std::bit_cast<heed::SamplingConfig>(*config), std::span(logits, count),
                                                 std::span(order, order_count), twin, *token);
  *random = std::bit_cast<heed_random_bits>(twin);
  return heed::detail::answer(status);
}
