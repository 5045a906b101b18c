// SPDX-License-Identifier: MIT
#include "expand.hpp"

#include <bit>
#include <cstddef>
#include <kernels/convert.hpp>
#include <port.hpp>

#include "stored_parts.hpp"

namespace heed::detail {
namespace {

using namespace port;

/// Vectors over which the channels of one int4 group stretch in a value.
constexpr std::size_t group_vectors = int4_group / panel_width;

/// `vectors` vectors from elements without a scale.
template <class Element, class Load>
void expand_plain(const std::byte* from, std::size_t vectors, float* to, Load load_elements) noexcept {
  const auto* elements = reinterpret_cast<const Element*>(from);
#pragma GCC unroll 4
  for (std::size_t v = 0; v < vectors; ++v) store(to + v * panel_width, load_elements(elements + v * panel_width));
}

/// `vectors` vectors that share the scales of their lanes. Vectors of int8 take 16 elements, those of int4 8 bytes.
template <std::size_t step, class Element, class Load>
[[gnu::always_inline]] inline void expand_scaled(const Element* from, std::size_t vectors, const f32x16& scale,
                                                 float* to, Load load_elements) noexcept {
#pragma GCC unroll 4
  for (std::size_t v = 0; v < vectors; ++v) {
    store(to + v * panel_width, mul(load_elements(from + v * step), scale));
  }
}

constexpr auto from_int8 = [](const std::int8_t* from) { return load_int8(from); };
constexpr auto from_int4 = [](const std::uint8_t* from) { return load_int4(from); };

/// A scale for each lane, which is a key.
void expand_int8_keys(const std::byte* keys, const std::byte* scales, std::uint32_t panels, std::uint32_t head_dim,
                      float* to) noexcept {
  const auto* from = reinterpret_cast<const std::int8_t*>(keys);
  const auto* scale = reinterpret_cast<const float*>(scales);
  const std::size_t panel = std::size_t{head_dim} * panel_width;
  for (std::size_t p = 0; p < panels; ++p) {
    expand_scaled<panel_width>(from + p * panel, head_dim, load(scale + p * panel_width), to + p * panel, from_int8);
  }
}

/// A scale for each channel.
void expand_int8_keys_by_channel(const std::byte* keys, const std::byte* scales, std::uint32_t panels,
                                 std::uint32_t head_dim, float* to) noexcept {
  const auto* from = reinterpret_cast<const std::int8_t*>(keys);
  const auto* scale = reinterpret_cast<const float*>(scales);
  for (std::size_t p = 0; p < panels; ++p) {
    for (std::size_t d = 0; d < head_dim; ++d, from += panel_width, to += panel_width) {
      store(to, mul(load_int8(from), set(scale[d])));
    }
  }
}

/// A scale for each lane and group of channels.
void expand_int4_keys(const std::byte* keys, const std::byte* scales, std::uint32_t panels, std::uint32_t head_dim,
                      float* to) noexcept {
  const auto* from = reinterpret_cast<const std::uint8_t*>(keys);
  const auto* scale = reinterpret_cast<const std::uint16_t*>(scales);
  for (std::size_t p = 0; p < panels; ++p) {
    for (std::size_t d = 0; d < head_dim; d += int4_group, scale += panel_width) {
      const std::size_t channels = head_dim - d < int4_group ? head_dim - d : int4_group;
      expand_scaled<panel_width / 2>(from, channels, load_bfloat16(scale), to, from_int4);
      from += channels * (panel_width / 2);
      to += channels * panel_width;
    }
  }
}

/// A scale for each row.
void expand_int8_values(const std::byte* values, const std::byte* scales, std::uint32_t keys, std::uint32_t width,
                        float* to) noexcept {
  const auto* from = reinterpret_cast<const std::int8_t*>(values);
  const auto* scale = reinterpret_cast<const float*>(scales);
  for (std::size_t k = 0; k < keys; ++k) {
    expand_scaled<panel_width>(from + k * width, width / panel_width, set(scale[k]), to + k * width, from_int8);
  }
}

/// A scale for each row and group of channels.
void expand_int4_values(const std::byte* values, const std::byte* scales, std::uint32_t keys, std::uint32_t width,
                        float* to) noexcept {
  const auto* from = reinterpret_cast<const std::uint8_t*>(values);
  const auto* scale = reinterpret_cast<const std::uint16_t*>(scales);
  const std::size_t vectors = width / panel_width;
  for (std::size_t k = 0; k < keys; ++k) {
    for (std::size_t v = 0; v < vectors; v += group_vectors, ++scale) {
      const std::size_t taken = vectors - v < group_vectors ? vectors - v : group_vectors;
      const f32x16 factor = set(std::bit_cast<float>(std::uint32_t{*scale} << 16));
      expand_scaled<panel_width / 2>(from, taken, factor, to, from_int4);
      from += taken * (panel_width / 2);
      to += taken * panel_width;
    }
  }
}

/// float16 and bfloat16.
void expand_short_floats(Storage storage, const std::byte* from, std::size_t vectors, float* to) noexcept {
  if (storage == Storage::float16) {
    expand_plain<std::uint16_t>(from, vectors, to, [](const std::uint16_t* e) { return load_half(e); });
  } else {
    expand_plain<std::uint16_t>(from, vectors, to, [](const std::uint16_t* e) { return load_bfloat16(e); });
  }
}

}  // namespace

const float* expand_keys(const StoredCache& cache, std::uint32_t sequence, std::uint32_t kv_head,
                         std::uint32_t first_key, std::uint32_t panels, float* staged) noexcept {
  const StoredCachePlan& plan = cache.plan();
  const std::uint32_t head_dim = plan.config.head_dim;
  const auto parts = stored_parts(plan, cache.memory(), sequence, kv_head);
  const std::size_t first = first_key / panel_width;
  const std::byte* keys = parts.keys + first * plan.key_panel_bytes;
  const std::byte* scales = parts.key_scales + first * plan.key_scale_bytes;  // per channel: 0 bytes further on
  switch (plan.config.key_storage) {
    case Storage::float32: return reinterpret_cast<const float*>(keys);
    case Storage::float16:
    case Storage::bfloat16:
      expand_short_floats(plan.config.key_storage, keys, std::size_t{panels} * head_dim, staged);
      break;
    case Storage::int8:
      if (plan.config.key_scales_per_channel) {
        expand_int8_keys_by_channel(keys, scales, panels, head_dim, staged);
      } else {
        expand_int8_keys(keys, scales, panels, head_dim, staged);
      }
      break;
    case Storage::int4: expand_int4_keys(keys, scales, panels, head_dim, staged); break;
  }
  return staged;
}

const float* expand_values(const StoredCache& cache, std::uint32_t sequence, std::uint32_t kv_head,
                           std::uint32_t first_key, std::uint32_t keys, float* staged) noexcept {
  const StoredCachePlan& plan = cache.plan();
  const std::uint32_t width = plan.value_width;
  const auto parts = stored_parts(plan, cache.memory(), sequence, kv_head);
  const std::byte* values = parts.values + std::size_t{first_key} * plan.value_row_bytes;
  const std::byte* scales = parts.value_scales + std::size_t{first_key} * plan.value_scale_bytes;
  switch (plan.config.value_storage) {
    case Storage::float32: return reinterpret_cast<const float*>(values);
    case Storage::float16:
    case Storage::bfloat16:
      expand_short_floats(plan.config.value_storage, values, std::size_t{keys} * (width / panel_width), staged);
      break;
    case Storage::int8: expand_int8_values(values, scales, keys, width, staged); break;
    case Storage::int4: expand_int4_values(values, scales, keys, width, staged); break;
  }
  return staged;
}

}  // namespace heed::detail
