// SPDX-License-Identifier: MIT
//
// The three functions that a compiler may call without being asked, for an image without a C library. Weak: a library
// that has better ones wins.
#include <cstddef>
#include <cstdint>

namespace {

using Word [[gnu::may_alias]] = std::uint32_t;

bool is_aligned(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) % sizeof(Word) == 0;
}

}  // namespace

extern "C" {

[[gnu::weak]] void* memcpy(void* to, const void* from, std::size_t count) {
  auto* target = static_cast<unsigned char*>(to);
  const auto* source = static_cast<const unsigned char*>(from);
  if (is_aligned(target) && is_aligned(source)) {
    for (; count >= sizeof(Word); count -= sizeof(Word), target += sizeof(Word), source += sizeof(Word)) {
      *reinterpret_cast<Word*>(target) = *reinterpret_cast<const Word*>(source);
    }
  }
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
  if (is_aligned(target)) {
    const Word word = static_cast<unsigned char>(value) * 0x01010101U;
    for (; count >= sizeof(Word); count -= sizeof(Word), target += sizeof(Word))
      *reinterpret_cast<Word*>(target) = word;
  }
  for (; count != 0; --count) *target++ = static_cast<unsigned char>(value);
  return to;
}
}
