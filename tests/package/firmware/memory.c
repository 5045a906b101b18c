/* SPDX-License-Identifier: MIT
 *
 * What the library needs of a C library, for a program that has none. */
#include <stddef.h>

void* memcpy(void* to, const void* from, size_t count) {
  for (size_t i = 0; i < count; ++i) ((unsigned char*)to)[i] = ((const unsigned char*)from)[i];
  return to;
}

void* memset(void* to, int value, size_t count) {
  for (size_t i = 0; i < count; ++i) ((unsigned char*)to)[i] = (unsigned char)value;
  return to;
}

void* memmove(void* to, const void* from, size_t count) {
  unsigned char* const target = to;
  const unsigned char* const origin = from;
  if (target < origin) return memcpy(to, from, count);
  while (count-- > 0) target[count] = origin[count];
  return to;
}
