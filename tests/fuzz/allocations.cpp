// SPDX-License-Identifier: MIT
#include "fuzz/allocations.hpp"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace {

std::size_t now = 0;
std::size_t peak = 0;

void* counted(void* place) {
  if (place == nullptr) throw std::bad_alloc();
  now += malloc_usable_size(place);
  peak = std::max(peak, now);
  return place;
}

void release(void* place) {
  if (place != nullptr) now -= malloc_usable_size(place);
  std::free(place);
}

}  // namespace

void* operator new(std::size_t size) {
  return counted(std::malloc(size == 0 ? 1 : size));
}

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  void* const place = std::malloc(size == 0 ? 1 : size);
  return place == nullptr ? nullptr : counted(place);
}

void* operator new[](std::size_t size) {
  return counted(std::malloc(size == 0 ? 1 : size));
}

void* operator new[](std::size_t size, std::align_val_t alignment) {
  const auto align = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(align, (size + align) / align * align));
}

void operator delete(void* place) noexcept {
  release(place);
}

void operator delete(void* place, std::size_t) noexcept {
  release(place);
}

void operator delete[](void* place) noexcept {
  release(place);
}

void operator delete[](void* place, std::size_t) noexcept {
  release(place);
}

void operator delete[](void* place, std::align_val_t) noexcept {
  release(place);
}

namespace heed::test::fuzz {

std::size_t allocated_bytes() {
  return now;
}

std::size_t peak_bytes() {
  const std::size_t most = peak;
  peak = now;
  return most;
}

}  // namespace heed::test::fuzz
