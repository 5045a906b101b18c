// SPDX-License-Identifier: MIT
#include "heed/stored_cache.hpp"

extern "C" heed::Status probe(heed::StoredCache& cache, const heed::ConstTensor& key, const heed::ConstTensor& value) {
  return cache.append(0, 1, key, value);
}
