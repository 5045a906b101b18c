/* SPDX-License-Identifier: MIT
 *
 * Small model files for C programs: C has no pack_model(), which no firmware needs. */
#ifndef HEED_TESTS_MODEL_FILE_H
#define HEED_TESTS_MODEL_FILE_H

#include <stddef.h>

#include "heed/heed_model_config.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the file of a model with weights from a fixed sequence into memory on a HEED_ARENA_ALIGNMENT boundary; returns
 * its bytes, or 0 if it does not fit or there is no such model. */
size_t write_model_file(const heed_model_config* config, void* file, size_t file_bytes);

#ifdef __cplusplus
}
#endif
#endif
