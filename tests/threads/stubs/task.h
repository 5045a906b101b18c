// SPDX-License-Identifier: MIT
#pragma once

#include "FreeRTOS.h"

/// The real one takes the depth as configSTACK_DEPTH_TYPE.
inline TaskHandle_t xTaskCreateStaticAffinitySet(void (*code)(void*), const char* /*name*/, std::size_t /*words*/,
                                                 void* argument, UBaseType_t /*priority*/, StackType_t* stack,
                                                 StaticTask_t* memory, UBaseType_t cores) {
  if (stack == nullptr || cores == 0) return nullptr;
  std::thread(code, argument).detach();
  return memory;
}
