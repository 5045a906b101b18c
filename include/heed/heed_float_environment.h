/* SPDX-License-Identifier: MIT
 *
 * How the calling thread computes floats; float_environment.hpp says more.
 */
#ifndef HEED_HEED_FLOAT_ENVIRONMENT_H
#define HEED_HEED_FLOAT_ENVIRONMENT_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the calling thread rounds to nearest and keeps subnormal numbers, which the same bits need; see
 * float_environment.hpp. */
bool heed_float_environment_is_standard(void);

#ifdef __cplusplus
}
#endif
#endif
