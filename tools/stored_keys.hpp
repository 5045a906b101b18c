// SPDX-License-Identifier: MIT
#pragma once

#include <string>

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

/// Puts keys and values into a stored cache and takes them out again. Attention over such a cache has the bits of
/// attention over the floats that it decodes to, by its contract, so that these floats stand for it.
void round_through_cache(const StorageTypes& types, Operand& key, Operand& value);

}  // namespace heed::tools
