/* SPDX-License-Identifier: MIT
 *
 * All that the C tests need of a framework: a count, and where a condition did not hold. */
#ifndef HEED_TESTS_C_CHECK_H
#define HEED_TESTS_C_CHECK_H

#include <stddef.h>
#include <stdio.h>

static int passed;
static int failed;

static void check(int holds, const char* condition, const char* file, int line) {
  if (holds) {
    ++passed;
  } else {
    ++failed;
    printf("%s:%d: %s\n", file, line, condition);
  }
}

#define CHECK(condition) check((condition) != 0, #condition, __FILE__, __LINE__)

static inline int close_to(const float* values, const double* expected, size_t count) {
  for (size_t k = 0; k < count; ++k) {
    const double difference = (double)values[k] - expected[k];
    if (!(difference < 1e-6 && difference > -1e-6)) return 0;
  }
  return 1;
}

static int report(void) {
  printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}

#endif
