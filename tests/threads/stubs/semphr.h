// SPDX-License-Identifier: MIT
#pragma once

#include "FreeRTOS.h"

inline SemaphoreHandle_t xSemaphoreCreateBinaryStatic(StaticSemaphore_t* memory) {
  return memory;
}
inline BaseType_t xSemaphoreGive(SemaphoreHandle_t semaphore) {
  semaphore->semaphore.release();
  return pdTRUE;
}
inline BaseType_t xSemaphoreTake(SemaphoreHandle_t semaphore, TickType_t /*ticks*/) {
  semaphore->semaphore.acquire();
  return pdTRUE;
}
