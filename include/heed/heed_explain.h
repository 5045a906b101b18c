/* SPDX-License-Identifier: MIT
 *
 * Why a configuration has no plan. In the shared library alone, which is for the desktop: in C++ explain() of types.hpp
 * says the same without a function of the library. heed.h does not include this header.
 */
#ifndef HEED_HEED_EXPLAIN_H
#define HEED_HEED_EXPLAIN_H

#include "heed/heed_attention.h"
#include "heed/heed_cache.h"
#include "heed/heed_layer.h"
#include "heed/heed_model_config.h"
#include "heed/heed_positions.h"
#include "heed/heed_types.h"

/* Which member was refused, and what this check allows; others may leave less. The texts lie in static storage and are
 * never null; what is not known is "" or 0. */
typedef struct heed_explanation {
  heed_status status; /* what the function that writes the plan returns; with HEED_OK the rest means nothing */
  const char* member; /* its name in the configuration, or in the heed_block_memory */
  double value;       /* with every 0 replaced by what it means */
  double least;
  double most;
  const char* rule; /* what the range does not say, in words: "must divide heads" */
} heed_explanation;

#ifdef __cplusplus
extern "C" {
#endif

/* What heed_plan_attention() and those like it say of a configuration, by the same checks. HEED_NULL_POINTER for a null
 * configuration. */
heed_explanation heed_explain_attention(const heed_attention_config* config);
heed_explanation heed_explain_kv_cache(const heed_kv_cache_config* config);
heed_explanation heed_explain_multi_head(const heed_multi_head_config* config);
heed_explanation heed_explain_rotary(const heed_rotary_config* config);
heed_explanation heed_explain_model(const heed_model_config* config, const heed_block_memory* memory);

#ifdef __cplusplus
}
#endif
#endif
