// SPDX-License-Identifier: MIT
//
// The operations of the vector contract.
#include <bit>
#include <cstddef>
#include <limits>
#include <port.hpp>

#include "firmware/data.hpp"
#include "ports/steps.hpp"

namespace heed::test {
namespace {

using namespace port;
using port_check::Found;
using port_check::Step;

constexpr std::uint32_t pairs = 400;
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float special[lanes] = {0.0F,  -0.0F,    1.0F,      -1.0F, 3.0F,     0.1F,      -1e30F,      1e30F,
                                  1e-6F, infinity, -infinity, nan,   0x1p-60F, -0x1p-60F, 16777215.0F, 0x1.FFFFFEp127F};

struct Operands {
  float a[lanes];
  float b[lanes];
  float c[lanes];
};

/// Every pair of the special numbers, and then numbers of like magnitude: c is often near -a * b, where only a product
/// that is not rounded leaves the right rest. The last products are nearly 2.
Operands operands(std::uint32_t number) {
  Operands made;
  Numbers random(number);
  const auto like = [&random] {
    const std::uint32_t bits = random.bits16() << 16 | random.bits16();
    return std::bit_cast<float>((bits & 0x83FFFFFFU) | 0x3C000000U);
  };
  for (int i = 0; i < lanes; ++i) {
    made.a[i] = number < lanes ? special[number] : like();
    made.b[i] = number < lanes ? special[i] : like();
    if (number == pairs - 1) {
      made.a[i] = port_check::nearly_two[i % 2];
      made.b[i] = port_check::nearly_two[1 - i % 2];
    }
    const float product = -made.a[i] * made.b[i];
    made.c[i] = number < lanes ? special[(number + 3U * static_cast<std::uint32_t>(i)) % lanes]
                               : (i % 3 != 0 ? product : like());
  }
  return made;
}

void keep(const f32x16& v, Found& found) {
  float values[lanes];
  store(values, v);
  found.add(values);
}

/// Of two zeros either may be the greater one, and of NaN in the first operand nothing is said.
template <class Operation>
void keep_choice(std::uint32_t number, Found& found, Operation operation) {
  Operands of = operands(number);
  for (float& a : of.a) a = a != a ? 2.0F : a;
  float values[lanes];
  store(values, operation(load(of.a), load(of.b)));
  for (float& value : values) value = value == 0.0F ? 0.0F : value;
  found.add(values);
}

/// Numbers at an address that is no multiple of a vector, between others that must not be met.
struct Surrounded {
  float floats[lanes * 3];
  explicit Surrounded(float around) {
    for (float& value : floats) value = around;
  }
  [[nodiscard]] float* at(std::uint32_t number) { return floats + 9 + number % 5; }
};

void load_whole(std::uint32_t number, Found& found) {
  Surrounded memory(nan);
  for (int i = 0; i < lanes; ++i) memory.at(number)[i] = static_cast<float>(i + 1);
  keep(load(memory.at(number)), found);
}

void store_whole(std::uint32_t number, Found& found) {
  Surrounded memory(-7.0F);
  store(memory.at(number), load(operands(number + lanes).a));
  found.add(memory.floats);
}

void load_first(std::uint32_t number, Found& found) {
  Surrounded memory(nan);
  const auto count = static_cast<int>(number % (lanes + 1));
  for (int i = 0; i < count; ++i) memory.at(number)[i] = static_cast<float>(i + 1);
  keep(load_partial(memory.at(number), count), found);
}

void store_first(std::uint32_t number, Found& found) {
  Surrounded memory(-7.0F);
  store_partial(memory.at(number), load(operands(number + lanes).a), static_cast<int>(number % (lanes + 1)));
  found.add(memory.floats);
}

/// Every k of 0..254.
void make_powers(std::uint32_t number, Found& found) {
  float shifted[lanes];
  for (std::uint32_t i = 0; i < lanes; ++i) {
    const std::uint32_t k = number * lanes + i;
    shifted[i] = 12582912.0F + static_cast<float>(k < 254 ? k : 254);
  }
  keep(power_from_low_bits(load(shifted)), found);
}

/// Numbers whose sum depends on the order: great ones cancel, and what was added to them is lost. Then one lane alone.
void add_lanes(std::uint32_t number, Found& found) {
  Numbers random(number);
  float values[lanes];
  random.fill(values, 1.0F);
  for (int i = 0; i < lanes; ++i) {
    if (random.bits16() % 2 == 0) values[i] *= 0x1p22F;
    if (number < lanes) values[i] = i == static_cast<int>(number) ? 1.5F : 0.0F;
  }
  found.add(sum(load(values)));
}

/// The greatest number in each lane in turn, above and below 0.
void find_greatest(std::uint32_t number, Found& found) {
  Numbers random(number);
  float values[lanes];
  random.fill(values, 1.0F);
  values[number % lanes] = 2.0F;
  if (number % 3 == 1) {
    for (float& value : values) value -= 4.0F;
  }
  if (number % 3 == 2) {
    for (float& value : values) value = value == 2.0F ? -1e30F : -infinity;
  }
  found.add(maximum(load(values)));
}

constexpr Step steps[] = {
    {"set", lanes, [](std::uint32_t n, Found& found) { keep(set(special[n]), found); }},
    {"load", 5, load_whole},
    {"store", 40, store_whole},
    {"load_partial", 5 * (lanes + 1), load_first},
    {"store_partial", 5 * (lanes + 1), store_first},
    {"add", pairs, [](std::uint32_t n, Found& found) { keep(add(load(operands(n).a), load(operands(n).b)), found); }},
    {"sub", pairs, [](std::uint32_t n, Found& found) { keep(sub(load(operands(n).a), load(operands(n).b)), found); }},
    {"mul", pairs, [](std::uint32_t n, Found& found) { keep(mul(load(operands(n).a), load(operands(n).b)), found); }},
    {"div", pairs, [](std::uint32_t n, Found& found) { keep(div(load(operands(n).a), load(operands(n).b)), found); }},
    {"fma", pairs,
     [](std::uint32_t n, Found& found) {
       const Operands of = operands(n);
       keep(fma(load(of.a), load(of.b), load(of.c)), found);
     }},
    {"max", pairs,
     [](std::uint32_t n, Found& found) {
       keep_choice(n, found, [](const f32x16& a, const f32x16& b) { return max(a, b); });
     }},
    {"min", pairs,
     [](std::uint32_t n, Found& found) {
       keep_choice(n, found, [](const f32x16& a, const f32x16& b) { return min(a, b); });
     }},
    {"where_less", pairs,
     [](std::uint32_t n, Found& found) {
       const Operands of = operands(n);
       keep(where_less(load(of.a), load(of.b), load(of.c), load(special)), found);
     }},
    {"where_less, x < 0 ? 0 : x", pairs,
     [](std::uint32_t n, Found& found) {
       const f32x16 x = load(operands(n).a);
       keep(where_less(x, set(0.0F), set(0.0F), x), found);
     }},
    {"power_from_low_bits", 16, make_powers},
    {"sum", 100, add_lanes},
    {"maximum", 3 * lanes, find_greatest},
};

}  // namespace

std::span<const Step> lane_steps() {
  return steps;
}

}  // namespace heed::test
