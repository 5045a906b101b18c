// SPDX-License-Identifier: MIT
//
// What a program names so that a cache stores as its plan says: that and no more.
#pragma once

#include "heed/format.hpp"

namespace heed::test {

inline constexpr DataType value_types[] = {DataType::float32, DataType::float16, DataType::bfloat16, DataType::int8,
                                           DataType::int4};
inline constexpr DataType key_types[] = {DataType::float32, DataType::float16, DataType::bfloat16,
                                         DataType::int8,    DataType::int4,    DataType::int8_channels};

/// The format that stores keys or values as a type; null for float32, which needs none.
inline const Format* cache_format(DataType type) {
  switch (type) {
    case DataType::float16: return &float16_cache;
    case DataType::bfloat16: return &bfloat16_cache;
    case DataType::int8: return &int8_cache;
    case DataType::int4: return &int4_cache;
    case DataType::int8_channels: return &int8_channel_keys;
    case DataType::int8_integer: return &int8_integer_cache;
    default: break;
  }
  return nullptr;
}

/// Of the configuration of a cache, a layer, a block or a model. A ring is one that is only decoded unless it is given.
template <class Config>
KvStorage storage_of(const Config& config, const KvRing& ring = kv_ring) {
  KvStorage storage{.formats = {cache_format(config.key_type)}};
  if (config.value_type != config.key_type) storage.formats[1] = cache_format(config.value_type);
  if constexpr (requires { config.cross_type; }) storage.formats[2] = cache_format(config.cross_type);
  if (config.ring != 0) storage.ring = &ring;
  if constexpr (requires { config.max_pages; }) {
    if (config.max_pages != 0) storage.pages = &kv_pages;
  }
  return storage;
}

}  // namespace heed::test
