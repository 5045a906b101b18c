// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "aligned_bytes.hpp"
#include "heed/options.hpp"
#include "heed/stored_cache.hpp"
#include "operands.hpp"

namespace heed::tools {

/// How the keys and the values of a run are stored.
struct StorageTypes {
  Storage key = Storage::float32;
  Storage value = Storage::float32;
};

/// "f32", "f16", "bf16", "int8" or "int4", for both or as "int8:f16" for keys and values.
[[nodiscard]] StorageTypes parse_storage(const std::string& text);

/// A stored cache with the rows of every batch entry, in memory of its own.
class StoredKeys {
 public:
  StoredKeys(const StorageTypes& types, const Operand& key, const Operand& value);

  [[nodiscard]] StoredKeyView view() const { return {.cache = &cache_}; }

 private:
  std::optional<AlignedBytes> memory_;
  StoredCache cache_;
};

}  // namespace heed::tools
