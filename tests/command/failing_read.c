/* SPDX-License-Identifier: MIT
 *
 * Loaded into a program, it has reads of the file HEED_FAILING_FILE fail after its first HEED_FAILING_BYTES bytes, as
 * those of a broken medium do. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

typedef ssize_t (*reader)(int, void*, size_t);

/* Whether the descriptor is of that file; then how many bytes are left before the broken ones. */
static int is_failing(int descriptor, size_t* left) {
  const char* const file = getenv("HEED_FAILING_FILE");
  const char* const bytes = getenv("HEED_FAILING_BYTES");
  struct stat wanted, opened;
  if (file == NULL || bytes == NULL || stat(file, &wanted) != 0 || fstat(descriptor, &opened) != 0) return 0;
  if (wanted.st_dev != opened.st_dev || wanted.st_ino != opened.st_ino) return 0;
  const off_t end = (off_t)strtol(bytes, NULL, 10);
  const off_t here = lseek(descriptor, 0, SEEK_CUR);
  *left = here < end ? (size_t)(end - here) : 0;
  return 1;
}

ssize_t read(int descriptor, void* bytes, size_t count) {
  static reader next;
  size_t left = 0;
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "read");
  if (is_failing(descriptor, &left) && left == 0) {
    errno = EIO;
    return -1;
  }
  return next(descriptor, bytes, left != 0 && left < count ? left : count);
}
