// SPDX-License-Identifier: MIT
#include "heed/kv_cache.hpp"

extern "C" heed::Status probe(heed::KvCache& cache, const heed::ConstTensor& key, const heed::ConstTensor& value) {
  return cache.append(0, 1, key, value);
}
