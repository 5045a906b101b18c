// SPDX-License-Identifier: MIT
extern "C" void counted_run(void (*run)(void*), void* argument);
void counted_run(void (*run)(void*), void* argument) {
  run(argument);
}
