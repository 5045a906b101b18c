// SPDX-License-Identifier: MIT
#include "heed/kv_cache.hpp"
#include "heed/rotary.hpp"

extern "C" heed::Status probe(heed::KvCache& cache, const heed::ConstTensor& key, const heed::ConstTensor& value,
                              const heed::Rotary& rotary) {
  return heed::append_rotated(cache, 0, 1, key, value, rotary);
}
