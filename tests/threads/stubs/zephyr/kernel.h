// SPDX-License-Identifier: MIT
//
// The few calls of Zephyr that examples/executors makes, of threads.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <semaphore>
#include <thread>

struct k_timeout_t {};
inline constexpr k_timeout_t K_FOREVER{};
struct k_sem {
  std::binary_semaphore semaphore{0};
};
struct k_thread_stack_t {
  char byte;
};
using k_thread_entry_t = void (*)(void*, void*, void*);
struct k_thread {
  struct {
    std::uint16_t cpu_mask = 0xFFFF;
  } base;
  k_thread_entry_t entry = nullptr;
  void* argument = nullptr;
  bool runs = false;
};
using k_tid_t = k_thread*;

inline thread_local k_thread main_thread{{}, nullptr, nullptr, true};
inline thread_local k_tid_t current_thread = &main_thread;
inline k_tid_t k_current_get() {
  return current_thread;
}

inline int k_sem_init(k_sem* /*semaphore*/, unsigned initial, unsigned limit) {
  return initial == 0 && limit == 1 ? 0 : -EINVAL;
}
inline void k_sem_give(k_sem* semaphore) {
  semaphore->semaphore.release();
}
inline int k_sem_take(k_sem* semaphore, k_timeout_t /*timeout*/) {
  semaphore->semaphore.acquire();
  return 0;
}
inline k_tid_t k_thread_create(k_thread* thread, k_thread_stack_t* /*stack*/, std::size_t /*bytes*/,
                               k_thread_entry_t entry, void* first, void* /*second*/, void* /*third*/, int /*priority*/,
                               std::uint32_t /*options*/, k_timeout_t /*delay*/) {
  *thread = {{}, entry, first, false};
  return thread;
}
/// Of a thread that runs: refused, as kernel/cpu_mask.c does.
inline int k_thread_cpu_pin(k_tid_t thread, int core) {
  if (thread->runs) return -EINVAL;
  thread->base.cpu_mask = static_cast<std::uint16_t>(1U << core);
  return 0;
}
inline void k_thread_start(k_tid_t thread) {
  thread->runs = true;
  std::thread([thread] {
    current_thread = thread;
    thread->entry(thread->argument, nullptr, nullptr);
  }).detach();
}
