// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "heed/kv_cache.hpp"
#include "heed/options.hpp"
#include "support/aligned_bytes.hpp"
#include "tensors/operands.hpp"

namespace heed::tools {

/// How the keys and the values of a run are stored.
struct KvTypes {
  DataType key = DataType::float32;
  DataType value = DataType::float32;
};

/// "f32", "f16", "bf16", "int8" or "int4", for both or as "int8:f16" for keys and values.
[[nodiscard]] KvTypes parse_kv_type(const std::string& text);

/// A KvCache with the rows of every batch entry, in memory of its own.
class KvCacheKeys {
 public:
  KvCacheKeys(const KvTypes& types, const Operand& key, const Operand& value);
  KvCacheKeys(const KvCacheKeys&) = delete;
  KvCacheKeys& operator=(const KvCacheKeys&) = delete;
  ~KvCacheKeys() = default;

  [[nodiscard]] KvCacheView view() const { return {.cache = &cache_}; }

 private:
  KvCachePlan plan_;
  std::optional<AlignedBytes> memory_;
  KvCache cache_;
};

}  // namespace heed::tools
