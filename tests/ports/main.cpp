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
HEED_STEP_FILES(HEED_DECLARE_STEPS)
HEED_DECLARE_STEPS(few_rows_steps)
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
  bool good = true;
#define HEED_CHECK_STEPS(name) good = check_all(heed::test::name(), heed_shared::test::name()) && good;
  HEED_STEP_FILES(HEED_CHECK_STEPS)
  if constexpr (heed::detail::has_few_rows) HEED_CHECK_STEPS(few_rows_steps)
  return good ? 0 : 1;
}
