// SPDX-License-Identifier: MIT
//
// The three functions that a compiler may call without being asked, for an image without a C library. Weak: a library
// that has better ones wins.
#include <cstddef>
#include <cstdint>

extern "C" {

[[gnu::weak]] void* memcpy(void* to, const void* from, std::size_t count) {
  auto* target = static_cast<unsigned char*>(to);
  const auto* source = static_cast<const unsigned char*>(from);
  for (; count != 0; --count) *target++ = *source++;
  return to;
}

[[gnu::weak]] void* memmove(void* to, const void* from, std::size_t count) {
  auto* target = static_cast<unsigned char*>(to);
  const auto* source = static_cast<const unsigned char*>(from);
  if (target < source) return memcpy(to, from, count);
  while (count != 0) {
    --count;
    target[count] = source[count];
  }
  return to;
}

[[gnu::weak]] void* memset(void* to, int value, std::size_t count) {
  auto* target = static_cast<unsigned char*>(to);
  for (; count != 0; --count) *target++ = static_cast<unsigned char>(value);
  return to;
}
}
