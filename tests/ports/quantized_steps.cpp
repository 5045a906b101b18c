// SPDX-License-Identifier: MIT
//
// Numbers in few bits: products that dequantize them on the way, and what writes them down as floats.
#include <bit>
#include <cstddef>
#include <kernels/quantized_tile.hpp>
#include <port.hpp>

#include "firmware/data.hpp"
#include "ports/steps.hpp"

namespace heed::test {
namespace {

using port_check::Found;
using port_check::Step;

constexpr std::uint32_t most_steps = 70;
constexpr std::uint32_t most_panels = 4;
constexpr std::uint32_t most_groups = (most_steps + 31) / 32;
constexpr std::size_t elements = std::size_t{most_steps} * most_panels * port::lanes;

/// What a B is stored in: elements of each size, and scales as the formats have them.
struct Stored {
  std::int8_t bytes[elements];
  std::uint8_t half_bytes[elements];
  std::uint16_t shorts[elements];
  float scales[most_panels * port::lanes + most_steps];
  std::uint16_t short_scales[std::size_t{most_groups} * most_panels * port::lanes + most_steps];
};
Stored memory;
Stored& stored() {
  return *port_check::hidden(&memory);
}

/// Halves, and the upper halves of floats, of magnitudes below 2, no one of which is a subnormal float.
void fill_stored(Numbers& random, bool half) {
  const auto short_float = [&] {
    const std::uint32_t bits = random.bits16();
    return static_cast<std::uint16_t>(half ? bits & 0xBFFFU : (bits & 0x83FFU) | 0x3C00U);
  };
  for (std::int8_t& byte : stored().bytes) byte = static_cast<std::int8_t>(random.bits16());
  for (std::uint8_t& byte : stored().half_bytes) byte = static_cast<std::uint8_t>(random.bits16());
  for (std::uint16_t& number : stored().shorts) number = short_float();
  random.fill(stored().scales, 1.0F);
  for (std::uint16_t& scale : stored().short_scales) scale = short_float();
}

/// A product of `rows` with the numbers that make(depth) has, whose panels are stacked, or side by side. Row by row
/// where the port dequantizes for one alone.
template <class Make>
void multiply(Numbers& random, std::uint32_t rows, bool stacked, Found& found, const Make& make) {
  static float a[2 * most_steps];
  static float start[2 * most_panels * port::lanes];
  static float c[2 * most_panels * port::lanes + port::lanes];
  for (float& value : c) value = -7.0F;
  random.fill(a, 1.0F);
  random.fill(start, 1.0F);
  const std::uint32_t depth = random.between(1, most_steps);
  const std::uint32_t columns = random.between(1, most_panels * port::lanes);
  const std::uint32_t panels = (columns + 15) / 16;
  const std::uint32_t start_kind = random.between(0, 2);
  const auto c_row = static_cast<std::ptrdiff_t>(panels * port::lanes);
  const auto b_row = static_cast<std::ptrdiff_t>(port::lanes);
  detail::Gemm product{.a = a,
                       .a_row = static_cast<std::ptrdiff_t>(depth),
                       .a_step = 1,
                       .b = nullptr,
                       .b_panel = stacked ? static_cast<std::ptrdiff_t>(depth) * b_row : b_row,
                       .b_step = stacked ? b_row : c_row,
                       .c = c,
                       .c_row = c_row,
                       .c_panel = port::lanes,
                       .start = start_kind == 0 ? nullptr : start,
                       .start_row = start_kind == 1 ? 0 : c_row,
                       .rows = rows,
                       .columns = columns,
                       .depth = depth};
  const auto numbers = make(depth, panels);
  const auto row_count = static_cast<std::ptrdiff_t>(rows);
  if (rows <= detail::quantized_tile_rows) {
    detail::multiply_quantized(product, numbers);
  } else {
    for (product.rows = 1; rows != 0; --rows) {
      detail::multiply_quantized(product, numbers);
      product.a += product.a_row;
      product.c += product.c_row;
      if (product.start != nullptr) product.start += product.start_row;
    }
  }
  // Past the last column a port may write what it likes, up to the end of the panel.
  for (std::ptrdiff_t row = 0; row < row_count; ++row) found.add(std::span(c + row * c_row, columns));
  found.add(std::span(c).subspan(static_cast<std::size_t>(row_count * c_row)));
}

/// All of a panel as floats.
template <class Make>
void write_panel(std::uint32_t number, Found& found, const Make& make) {
  static float panel[std::size_t{most_steps} * port::lanes + port::lanes];
  for (float& value : panel) value = -7.0F;
  const std::uint32_t steps = 1 + number % most_steps;
  detail::dequantize_panel(make(steps, 1), steps, panel);
  found.add(panel);
}

/// Weights: panels one behind the other, one row. All of a panel, and one lane of it, as floats.
template <class Make>
void run_weights(std::uint32_t number, bool half, Found& found, const Make& make) {
  Numbers random(number);
  fill_stored(random, half);
  multiply(random, 1, true, found, make);
  write_panel(number, found, make);
  static float lane[most_steps + 1];
  for (float& value : lane) value = -7.0F;
  const std::uint32_t steps = 1 + number % most_steps;
  detail::dequantize_lane(make(steps, 1), static_cast<int>(number % port::lanes), steps, lane);
  found.add(lane);
}

/// Keys, and values with their panels side by side, of a cache: up to two rows, where the port dequantizes for them at
/// all.
template <class Make>
void run_cache(std::uint32_t number, bool stacked, Found& found, const Make& make) {
#ifndef HEED_SHARED_KERNELS
  if (detail::quantized_tile_rows == 0) return;
#endif
  Numbers random(number);
  fill_stored(random, number % 2 == 0);
  multiply(random, 1 + number / 2 % 2, stacked, found, make);
}

constexpr std::uint32_t cases = 70;

void write_row(std::uint32_t number, Found& found) {
  Numbers random(number);
  fill_stored(random, false);
  float row[5 * port::lanes];
  for (float& value : row) value = -7.0F;
  detail::dequantize_row(stored().bytes + number, stored().scales[number], port::lanes * (1 + number % 4), row);
  found.add(row);
}

using Groups8 = detail::GroupsOfLanes<std::int8_t, detail::half_lanes>;
using Groups4 = detail::GroupsOfLanes<std::uint8_t, detail::half_lanes>;
using KeyGroups4 = detail::GroupsOfLanes<std::uint8_t, detail::bfloat16_lanes>;

[[nodiscard]] std::ptrdiff_t groups_of(std::uint32_t count) {
  return static_cast<std::ptrdiff_t>((count + scale_group_size - 1) / scale_group_size);
}

constexpr Step steps[] = {
    {"float16 weights", cases,
     [](std::uint32_t n, Found& found) {
       run_weights(n, true, found, [](std::uint32_t, std::uint32_t) {
         return detail::ShortFloats<detail::half_lanes>{stored().shorts};
       });
     }},
    {"bfloat16 weights", cases,
     [](std::uint32_t n, Found& found) {
       run_weights(n, false, found, [](std::uint32_t, std::uint32_t) {
         return detail::ShortFloats<detail::bfloat16_lanes>{stored().shorts};
       });
     }},
    {"int8 weights", cases,
     [](std::uint32_t n, Found& found) {
       run_weights(n, true, found, [](std::uint32_t, std::uint32_t) {
         return detail::Int8OfLanes{stored().bytes, stored().scales};
       });
     }},
    {"int8 weights in groups", cases,
     [](std::uint32_t n, Found& found) {
       run_weights(n, true, found, [](std::uint32_t depth, std::uint32_t) {
         return Groups8{stored().bytes, stored().short_scales, groups_of(depth)};
       });
     }},
    {"int4 weights in groups", cases,
     [](std::uint32_t n, Found& found) {
       run_weights(n, true, found, [](std::uint32_t depth, std::uint32_t) {
         return Groups4{stored().half_bytes, stored().short_scales, groups_of(depth)};
       });
     }},
    {"dequantize_row", 40, write_row},
    {"int8 keys with scales per channel, as floats", cases,
     [](std::uint32_t n, Found& found) {
       Numbers random(n);
       fill_stored(random, false);
       write_panel(n, found, [](std::uint32_t, std::uint32_t) {
         return detail::Int8OfSteps{stored().bytes, stored().scales};
       });
     }},
    {"int4 keys, as floats", cases,
     [](std::uint32_t n, Found& found) {
       Numbers random(n);
       fill_stored(random, false);
       write_panel(n, found, [](std::uint32_t depth, std::uint32_t) {
         return KeyGroups4{stored().half_bytes, stored().short_scales, groups_of(depth)};
       });
     }},
    {"float16 cache", cases,
     [](std::uint32_t n, Found& found) {
       run_cache(2 * n, n % 4 < 2, found,
                 [](std::uint32_t, std::uint32_t) { return detail::ShortFloats<detail::half_lanes>{stored().shorts}; });
     }},
    {"bfloat16 cache", cases,
     [](std::uint32_t n, Found& found) {
       run_cache(2 * n + 1, n % 4 < 2, found, [](std::uint32_t, std::uint32_t) {
         return detail::ShortFloats<detail::bfloat16_lanes>{stored().shorts};
       });
     }},
    {"int8 keys", cases,
     [](std::uint32_t n, Found& found) {
       run_cache(2 * n + 1, true, found, [](std::uint32_t, std::uint32_t) {
         return detail::Int8OfLanes{stored().bytes, stored().scales};
       });
     }},
    {"int8 keys with scales per channel", cases,
     [](std::uint32_t n, Found& found) {
       run_cache(2 * n + 1, true, found, [](std::uint32_t, std::uint32_t) {
         return detail::Int8OfSteps{stored().bytes, stored().scales};
       });
     }},
    {"int4 keys", cases,
     [](std::uint32_t n, Found& found) {
       run_cache(2 * n + 1, true, found, [](std::uint32_t depth, std::uint32_t) {
         return KeyGroups4{stored().half_bytes, stored().short_scales, groups_of(depth)};
       });
     }},
    {"int8 values", cases,
     [](std::uint32_t n, Found& found) {
       run_cache(2 * n + 1, false, found, [](std::uint32_t, std::uint32_t) {
         return detail::Int8OfSteps{stored().bytes, stored().scales};
       });
     }},
    {"int4 values", cases,
     [](std::uint32_t n, Found& found) {
       run_cache(2 * n + 1, false, found, [](std::uint32_t, std::uint32_t panels) {
         return detail::Int4OfSteps{stored().half_bytes, stored().short_scales, groups_of(panels * 16)};
       });
     }},
};

}  // namespace

std::span<const Step> quantized_steps() {
  return steps;
}

}  // namespace heed::test
