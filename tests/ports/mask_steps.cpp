// SPDX-License-Identifier: MIT
//
// Kernels on a key block's part of a bool mask.
#include <cstddef>
#include <cstdint>
#include <kernels/close_columns.hpp>
#include <kernels/open_keys.hpp>
#include <limits>
#include <port.hpp>

#include "firmware/data.hpp"
#include "ports/steps.hpp"

namespace heed::test {
namespace {

using port_check::Found;
using port_check::Step;

/// A key block's part of a bool mask: all open or closed, but for up to three places, where some keys are the other.
void look_for_open_keys(std::uint32_t number, Found& found) {
  std::uint8_t bytes[block_keys];
  std::uint8_t bits[block_keys / 8] = {};
  Numbers random(number);
  const bool most = number % 2 == 0;
  for (std::uint8_t& byte : bytes) byte = most ? static_cast<std::uint8_t>(1 + random.bits16() % 255) : 0;
  for (std::uint32_t place = 0; place < number / 2 % 4; ++place) {
    const std::uint32_t first = random.between(0, block_keys - 1);
    const std::uint32_t end = random.between(first, block_keys);
    for (std::uint32_t key = first; key < end; ++key) bytes[key] = most ? 0 : 128;
  }
  detail::KeyRange open{block_keys, 0};
  std::uint32_t count = 0;
  for (std::uint32_t key = 0; key < block_keys; ++key) {
    if (bytes[key] == 0) continue;
    bits[key / 8] = static_cast<std::uint8_t>(bits[key / 8] | 1U << key % 8);
    if (count++ == 0) open.begin = key;
    open.end = key + 1;
  }
  if (count == 0) open = {};
  for (const bool as_bytes : {true, false}) {
    bool hole = false;
    detail::KeyRange seen = detail::open_keys(as_bytes ? bytes : bits, as_bytes, hole);
    if (!detail::has_open_keys) {
      seen = open;
      hole = count != open.end - open.begin;
    }
    found.add(static_cast<float>(seen.begin));
    found.add(static_cast<float>(seen.end));
    found.add(hole ? 1.0F : 0.0F);
  }
}

/// Scores of a key block of which a mask of bytes or bits closes every third key or so.
void close_keys(std::uint32_t number, Found& found) {
  static float scores[std::size_t{block_keys} * port::lanes];
  static std::uint8_t mask[port::lanes][block_keys];
  Numbers random(number);
  random.fill(scores, 8.0F);
  const bool bytes = number % 2 == 0;
  const std::uint32_t rows = 1 + number / 2 % port::lanes;
  const detail::KeyRange keys{random.between(0, block_keys - 1), block_keys - number % 5};
  const std::uint8_t* masks[port::lanes];
  for (std::uint32_t r = 0; r < rows; ++r) {
    for (std::uint8_t& byte : mask[r]) byte = static_cast<std::uint8_t>(random.bits16() % 3 == 0 ? 0 : random.bits16());
    masks[r] = mask[r];
  }
  if constexpr (detail::has_close_columns) {
    float words[64];
    detail::close_columns(masks, rows, bytes, keys, scores, words);
  } else {
    for (std::uint32_t key = keys.begin; key < keys.end; ++key) {
      for (std::uint32_t r = 0; r < rows; ++r) {
        const std::uint32_t part = bytes ? mask[r][key] : mask[r][key / 8] >> key % 8 & 1U;
        if (part == 0) scores[std::size_t{key} * port::lanes + r] = -std::numeric_limits<float>::infinity();
      }
    }
  }
  for (std::uint32_t key = 0; key < block_keys; ++key) {
    // The room takes all but one.
    if (key != number) found.add(std::span(scores).subspan(std::size_t{key} * port::lanes, rows));
  }
}

constexpr Step steps[] = {
    {"open_keys", 200, look_for_open_keys},
    {"close_columns", 60, close_keys},
};

}  // namespace

std::span<const Step> mask_steps() {
  return steps;
}

}  // namespace heed::test
