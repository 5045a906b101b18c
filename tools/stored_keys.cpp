// SPDX-License-Identifier: MIT
#include "stored_keys.hpp"

#include <cstring>

#include "aligned_bytes.hpp"
#include "failure.hpp"
#include "half_floats.hpp"

namespace heed::tools {

namespace {

Storage parse_one(const std::string& word, const std::string& text) {
  if (word == "f32") return Storage::float32;
  if (word == "f16") return Storage::float16;
  if (word == "bf16") return Storage::bfloat16;
  if (word == "int8") return Storage::int8;
  if (word == "int4") return Storage::int4;
  throw Failure("--kv-type " + text + ": f32, f16, bf16, int8, int4 or two of them as KEYS:VALUES are needed");
}

/// Batch entry `batch` of an operand, as append() reads it.
ConstTensor entry_of(const Operand& operand, std::uint32_t batch) {
  ConstTensor entry = operand.tensor();
  entry.data = entry.row(batch, 0, 0);
  return entry;
}

template <class Element>
Element load(const std::byte* from, std::size_t index) {
  Element element;
  std::memcpy(&element, from + index * sizeof(Element), sizeof(Element));
  return element;
}

/// One lane of sixteen stored elements, without its scale.
float element_of(Storage storage, const std::byte* vector, std::size_t lane) {
  switch (storage) {
    case Storage::float32: return load<float>(vector, lane);
    case Storage::float16: return from_float16(load<std::uint16_t>(vector, lane));
    case Storage::bfloat16: return from_bfloat16(load<std::uint16_t>(vector, lane));
    case Storage::int8: return static_cast<float>(load<std::int8_t>(vector, lane));
    case Storage::int4: break;
  }
  const int pair = load<std::uint8_t>(vector, lane % 8);
  return static_cast<float>((lane < 8 ? pair & 15 : pair >> 4) - 8);
}

/// Number `index` of a region's scales; 1 for floats, which have none.
float scale_of(Storage storage, const std::byte* scales, std::size_t index) {
  if (storage == Storage::int8) return load<float>(scales, index);
  return storage == Storage::int4 ? from_bfloat16(load<std::uint16_t>(scales, index)) : 1.0F;
}

/// One stream's place in a cache: a sequence and a head.
struct Stream {
  const StoredCache& cache;
  std::size_t number;  ///< sequence * kv_heads + head

  [[nodiscard]] float key(std::size_t token, std::size_t column) const {
    const StoredCachePlan& plan = cache.plan();
    const Storage storage = plan.config.key_storage;
    const std::size_t panel = number * plan.key_panels + token / panel_width;
    const std::size_t lane = token % panel_width;
    const std::byte* const vector =
        cache.memory() + plan.keys.offset + panel * plan.key_panel_bytes + column * detail::vector_bytes(storage);
    const std::size_t group = storage == Storage::int4 ? column / int4_group : 0;
    const std::byte* const scales = cache.memory() + plan.key_scales.offset + panel * plan.key_scale_bytes;
    return element_of(storage, vector, lane) * scale_of(storage, scales, group * panel_width + lane);
  }

  [[nodiscard]] float value(std::size_t token, std::size_t column) const {
    const StoredCachePlan& plan = cache.plan();
    const Storage storage = plan.config.value_storage;
    const std::size_t row = number * plan.config.max_keys + token;
    const std::byte* const vector = cache.memory() + plan.values.offset + row * plan.value_row_bytes +
                                    column / panel_width * detail::vector_bytes(storage);
    const std::size_t group = storage == Storage::int4 ? column / int4_group : 0;
    const std::byte* const scales = cache.memory() + plan.value_scales.offset + row * plan.value_scale_bytes;
    return element_of(storage, vector, column % panel_width) * scale_of(storage, scales, group);
  }
};

}  // namespace

StorageTypes parse_storage(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string first = text.substr(0, colon);
  return {parse_one(first, text), parse_one(colon == std::string::npos ? first : text.substr(colon + 1), text)};
}

void round_through_cache(const StorageTypes& types, Operand& key, Operand& value) {
  const std::string where = "--kv-type, " + key.name + ", " + value.name;
  if (key.rows == 0) return;
  StoredCachePlan plan;
  require_ok(make_plan(StoredCacheConfig{.sequences = key.batch,
                                         .kv_heads = key.heads,
                                         .head_dim = key.dim,
                                         .value_dim = value.dim,
                                         .max_keys = key.rows,
                                         .key_storage = types.key,
                                         .value_storage = types.value},
                       plan),
             where);
  AlignedBytes memory(plan.bytes);
  StoredCache cache;
  require_ok(cache.init(plan, memory.span()), where);
  const MutableTensor keys = key.tensor();
  const MutableTensor values = value.tensor();
  for (std::uint32_t batch = 0; batch < key.batch; ++batch) {
    require_ok(cache.append(batch, key.rows, entry_of(key, batch), entry_of(value, batch)), where);
    for (std::uint32_t head = 0; head < key.heads; ++head) {
      const Stream stream{cache, std::size_t{batch} * key.heads + head};
      for (std::uint32_t token = 0; token < key.rows; ++token) {
        for (std::uint32_t d = 0; d < key.dim; ++d) keys.row(batch, head, token)[d] = stream.key(token, d);
        for (std::uint32_t d = 0; d < value.dim; ++d) values.row(batch, head, token)[d] = stream.value(token, d);
      }
    }
  }
}

}  // namespace heed::tools
