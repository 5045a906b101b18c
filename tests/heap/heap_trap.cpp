// SPDX-License-Identifier: MIT
//
// Every way to the heap passes here: the C functions through the linker's --wrap, operator new and delete by
// replacement. Allowed calls go on to the C library.
#include "heap/heap_trap.hpp"

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

namespace heed::test {
namespace {

std::atomic<int> guards{0};

/// Ends the process if the heap is forbidden. write() and abort() allocate nothing.
void pass(const char* function) noexcept {
  if (guards.load() == 0) return;
  constexpr char message[] = "the heap is forbidden here, and was reached through ";
  const ssize_t written[] = {write(STDERR_FILENO, message, sizeof message - 1),
                             write(STDERR_FILENO, function, std::strlen(function)), write(STDERR_FILENO, "\n", 1)};
  static_cast<void>(written);
  std::abort();
}

}  // namespace

HeapForbidden::HeapForbidden() noexcept {
  guards.fetch_add(1);
}
HeapForbidden::~HeapForbidden() noexcept {
  guards.fetch_sub(1);
}

}  // namespace heed::test

using heed::test::pass;

extern "C" {

void* __real_malloc(std::size_t bytes);
void* __real_calloc(std::size_t count, std::size_t bytes);
void* __real_realloc(void* memory, std::size_t bytes);
void* __real_aligned_alloc(std::size_t alignment, std::size_t bytes);
int __real_posix_memalign(void** memory, std::size_t alignment, std::size_t bytes);
void __real_free(void* memory);

void* __wrap_malloc(std::size_t bytes) {
  pass("malloc");
  return __real_malloc(bytes);
}

void* __wrap_calloc(std::size_t count, std::size_t bytes) {
  pass("calloc");
  return __real_calloc(count, bytes);
}

void* __wrap_realloc(void* memory, std::size_t bytes) {
  pass("realloc");
  return __real_realloc(memory, bytes);
}

void* __wrap_aligned_alloc(std::size_t alignment, std::size_t bytes) {
  pass("aligned_alloc");
  return __real_aligned_alloc(alignment, bytes);
}

int __wrap_posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  pass("posix_memalign");
  return __real_posix_memalign(memory, alignment, bytes);
}

void __wrap_free(void* memory) {
  pass("free");
  __real_free(memory);
}

}  // extern "C"

namespace {

void* allocate(std::size_t bytes, const char* function) noexcept {
  pass(function);
  return __real_malloc(bytes == 0 ? 1 : bytes);
}

void* allocate(std::size_t bytes, std::align_val_t alignment, const char* function) noexcept {
  pass(function);
  const auto step = static_cast<std::size_t>(alignment);
  return __real_aligned_alloc(step, (bytes + step - 1) / step * step);
}

void* or_throw(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void release(void* memory) noexcept {
  pass("operator delete");
  __real_free(memory);
}

}  // namespace

void* operator new(std::size_t bytes) {
  return or_throw(allocate(bytes, "operator new"));
}
void* operator new[](std::size_t bytes) {
  return or_throw(allocate(bytes, "operator new[]"));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocate(bytes, "operator new");
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocate(bytes, "operator new[]");
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return or_throw(allocate(bytes, alignment, "operator new"));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return or_throw(allocate(bytes, alignment, "operator new[]"));
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(bytes, alignment, "operator new");
}
void* operator new[](std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(bytes, alignment, "operator new[]");
}

void operator delete(void* memory) noexcept {
  release(memory);
}
void operator delete[](void* memory) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  release(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  release(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  release(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  release(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  release(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  release(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  release(memory);
}
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  release(memory);
}
void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  release(memory);
}
