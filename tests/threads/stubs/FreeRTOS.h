// SPDX-License-Identifier: MIT
//
// The few calls of FreeRTOS that examples/executors makes, of threads.
#pragma once

#include <cstdint>
#include <semaphore>
#include <thread>

using BaseType_t = long;
using UBaseType_t = unsigned long;
using TickType_t = std::uint32_t;
using StackType_t = std::uint32_t;
inline constexpr BaseType_t pdTRUE = 1;
inline constexpr TickType_t portMAX_DELAY = 0xFFFFFFFFU;
struct StaticSemaphore_t {
  std::binary_semaphore semaphore{0};
};
struct StaticTask_t {};
using SemaphoreHandle_t = StaticSemaphore_t*;
using TaskHandle_t = StaticTask_t*;
