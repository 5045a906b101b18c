/* SPDX-License-Identifier: MIT
 *
 * The version of these headers, for C, C++ and the preprocessor. heed_version() says which version was linked.
 */
#ifndef HEED_HEED_VERSION_H
#define HEED_HEED_VERSION_H

/* As in CMakeLists.txt, which a test compares. Versions of the same major and minor number fit each other. */
#define HEED_VERSION_MAJOR 0
#define HEED_VERSION_MINOR 3
#define HEED_VERSION_PATCH 0
#define HEED_VERSION "0.3.0"

#ifdef __cplusplus
extern "C" {
#endif

/* HEED_VERSION of the library that is linked; static storage. */
const char* heed_version(void);

#ifdef __cplusplus
}
#endif
#endif
