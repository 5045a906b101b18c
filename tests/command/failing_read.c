/* SPDX-License-Identifier: MIT
 *
 * Loaded into a program, it has reads of the file HEED_FAILING_FILE fail after its first HEED_FAILING_BYTES bytes, as
 * those of a broken medium do. The file HEED_CUT_FILE loses its second half when a read has come to its end. The first
 * write to a file that is to be renamed is followed by the signal HEED_SIGNAL to the process. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

typedef ssize_t (*reader)(int, void*, size_t);
typedef ssize_t (*writer)(int, const void*, size_t);

/* Whether the descriptor is of the file that the variable names. */
static int is_named(int descriptor, const char* variable) {
  const char* const file = getenv(variable);
  struct stat wanted, opened;
  if (file == NULL || stat(file, &wanted) != 0 || fstat(descriptor, &opened) != 0) return 0;
  return wanted.st_dev == opened.st_dev && wanted.st_ino == opened.st_ino;
}

/* Then how many bytes are left before the broken ones. */
static int is_failing(int descriptor, size_t* left) {
  const char* const bytes = getenv("HEED_FAILING_BYTES");
  if (bytes == NULL || !is_named(descriptor, "HEED_FAILING_FILE")) return 0;
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
  const ssize_t got = next(descriptor, bytes, left != 0 && left < count ? left : count);
  if (got == 0 && is_named(descriptor, "HEED_CUT_FILE")) {
    struct stat opened;
    if (fstat(descriptor, &opened) != 0 || truncate(getenv("HEED_CUT_FILE"), opened.st_size / 2) != 0) abort();
  }
  return got;
}

ssize_t write(int descriptor, const void* bytes, size_t count) {
  static writer next;
  static int sent;
  const char* const signal = getenv("HEED_SIGNAL");
  char link[64], name[4096] = "";
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "write");
  const ssize_t got = next(descriptor, bytes, count);
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  if (signal != NULL && !sent && readlink(link, name, sizeof name - 1) > 0 && strstr(name, "/.heed-") != NULL) {
    sent = 1;
    kill(getpid(), (int)strtol(signal, NULL, 10));
  }
  return got;
}
