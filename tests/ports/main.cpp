// SPDX-License-Identifier: MIT
//
// Tells where a port is wrong: every operation and kernel of its own against the plain port and the shared kernels, to
// the bit. Prints the first number of each step that differs; ends with 0 if none does.
#include <board.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <kernels/few_rows.hpp>
#include <port.hpp>
#include <span>

#include "ports/steps.hpp"

// Where the same files stand once more, compiled with the plain port.
namespace heed_shared::test {
[[nodiscard]] std::span<const port_check::Step> lane_steps();
[[nodiscard]] std::span<const port_check::Step> row_steps();
[[nodiscard]] std::span<const port_check::Step> norm_steps();
[[nodiscard]] std::span<const port_check::Step> softmax_steps();
[[nodiscard]] std::span<const port_check::Step> few_rows_steps();
[[nodiscard]] std::span<const port_check::Step> tile_steps();
[[nodiscard]] std::span<const port_check::Step> quantized_steps();
[[nodiscard]] std::span<const port_check::Step> integer_steps();
[[nodiscard]] std::span<const port_check::Step> product_steps();
[[nodiscard]] std::span<const port_check::Step> rounded_steps();
[[nodiscard]] std::span<const port_check::Step> linear_steps();
[[nodiscard]] std::span<const port_check::Step> stored_steps();
[[nodiscard]] std::span<const port_check::Step> function_steps();
}  // namespace heed_shared::test

namespace {

using port_check::Found;
using port_check::Step;

float found_room[4096];
float expected_room[4096];

/// To the bit; every NaN counts as the same, and where a number is subnormal, some processors have 0.
bool same(float found, float expected) {
  if (expected != expected) return found != found;
  const auto bits = std::bit_cast<std::uint32_t>(expected);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude != 0 && magnitude < 0x00800000U && found == 0.0F) return true;
  return std::bit_cast<std::uint32_t>(found) == bits;
}

void print_bits(float value) {
  board_print_hexadecimal(std::bit_cast<std::uint32_t>(value));
}

/// Prints the first number that differs, and how many cases are wrong.
bool check(const Step& own, const Step& shared) {
  std::uint32_t wrong = 0;
  std::uint32_t run = 0;
  for (std::uint32_t number = 0; number < own.cases; ++number) {
    Found found(found_room);
    Found expected(expected_room);
    own.run(number, found);
    if (found.count() == 0) continue;
    ++run;
    shared.run(number, expected);
    std::size_t at = 0;
    const std::size_t count = expected.values().size();
    while (at < count && at < found.values().size() && same(found.values()[at], expected.values()[at])) ++at;
    if (at == expected.count() && found.count() == expected.count()) continue;
    if (wrong++ != 0) continue;
    board_print("WRONG: ");
    board_print(own.name);
    board_print(", case ");
    board_print_number(number);
    board_print(", number ");
    board_print_number(at);
    if (at < count && at < found.values().size()) {
      board_print(": ");
      print_bits(found.values()[at]);
      board_print(" instead of ");
      print_bits(expected.values()[at]);
    }
    board_print("\n");
  }
  board_print(own.name);
  board_print(": ");
  board_print_number(run);
  board_print(" cases, ");
  board_print_number(wrong);
  board_print(" wrong\n");
  return wrong == 0;
}

bool check_all(std::span<const Step> own, std::span<const Step> shared) {
  bool good = own.size() == shared.size() && !own.empty();
  for (std::size_t i = 0; i < own.size(); ++i) good = check(own[i], shared[i]) && good;
  return good;
}

}  // namespace

int main() {
  board_print("port ");
  board_print(heed::port::name);
  board_print("\n");
  bool good = check_all(heed::test::lane_steps(), heed_shared::test::lane_steps());
  good = check_all(heed::test::row_steps(), heed_shared::test::row_steps()) && good;
  good = check_all(heed::test::norm_steps(), heed_shared::test::norm_steps()) && good;
  good = check_all(heed::test::softmax_steps(), heed_shared::test::softmax_steps()) && good;
  if constexpr (heed::detail::has_few_rows) {
    good = check_all(heed::test::few_rows_steps(), heed_shared::test::few_rows_steps()) && good;
  }
  good = check_all(heed::test::tile_steps(), heed_shared::test::tile_steps()) && good;
  good = check_all(heed::test::quantized_steps(), heed_shared::test::quantized_steps()) && good;
  good = check_all(heed::test::integer_steps(), heed_shared::test::integer_steps()) && good;
  good = check_all(heed::test::product_steps(), heed_shared::test::product_steps()) && good;
  good = check_all(heed::test::rounded_steps(), heed_shared::test::rounded_steps()) && good;
  good = check_all(heed::test::linear_steps(), heed_shared::test::linear_steps()) && good;
  good = check_all(heed::test::stored_steps(), heed_shared::test::stored_steps()) && good;
  good = check_all(heed::test::function_steps(), heed_shared::test::function_steps()) && good;
  return good ? 0 : 1;
}
