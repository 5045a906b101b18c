// SPDX-License-Identifier: MIT
//
// Numbers as text, for boards without a C library.
#include <cstdint>

#include "board.h"

namespace {

struct Divided {
  std::uint64_t quotient;
  std::uint32_t digit;
};

/// By ten, in halves of 32 bits: a 64-bit division is a library routine on a small CPU.
Divided by_ten(std::uint64_t number) {
  const auto high = static_cast<std::uint32_t>(number >> 32);
  std::uint32_t rest = high % 10;
  std::uint64_t quotient = high / 10;
  for (int shift = 16; shift >= 0; shift -= 16) {
    const std::uint32_t part = rest << 16 | (static_cast<std::uint32_t>(number >> shift) & 0xFFFFU);
    quotient = quotient << 16 | part / 10;
    rest = part % 10;
  }
  return {quotient, rest};
}

}  // namespace

void board_print_number(std::uint64_t number) {
  char text[21];
  char* first = text + 20;
  *first = '\0';
  do {
    const Divided divided = by_ten(number);
    *--first = static_cast<char>('0' + divided.digit);
    number = divided.quotient;
  } while (number != 0);
  board_print(first);
}

void board_print_hexadecimal(std::uint64_t number) {
  char text[17];
  for (int i = 0; i < 16; ++i) text[i] = "0123456789ABCDEF"[number >> (60 - 4 * i) & 15U];
  text[16] = '\0';
  board_print(text);
}
