/* SPDX-License-Identifier: MIT
 *
 * heed for C99: scaled dot-product attention, a key-value cache, a multi-head layer, positional encodings, and whole
 * models with their tokenizer in fixed memory. It does what the C++ headers next to it do, with the same bits; a
 * struct of C is that of C++, and the C++ header of the same name says more: attention.hpp about heed_attention.h. This
 * header includes all of the C interface; each of its parts can be included alone. They serve C99 and C++98, too.
 *
 * The order of work: fill a configuration, let heed_plan_...() turn it into a plan, provide plan.bytes of memory on a
 * HEED_ARENA_ALIGNMENT boundary, run. Nothing is ever allocated. A static arena needs its size before the program runs;
 * C cannot run the plan in the preprocessor, so take the number from `heed plan` on the desktop or from the constexpr
 * plan of the C++ headers (it is the same for every target), write it down and let the first call check it:
 *
 *     HEED_ALIGNED static unsigned char state[STATE_BYTES], scratch[SCRATCH_BYTES];
 *     static heed_multi_head_attention layer;
 *     ...
 *     status = heed_plan_multi_head(&config, &plan);
 *     status = heed_multi_head_init(&layer, &plan, state, sizeof state, scratch, sizeof scratch, &weights, NULL);
 *     status = heed_multi_head_decode(&layer, x, y, 0, NULL);
 *
 * HEED_ARENA_TOO_SMALL then means that one of the numbers is out of date. Set every struct to zero before filling it:
 * zeros are the defaults. A null pointer to a struct gives HEED_NULL_POINTER, except for executors, options and
 * storages, where it means none. Each declaration lists the other statuses that it can return besides HEED_OK. A call
 * changes nothing that it takes as const, nor the memory of a const cache.
 */
#ifndef HEED_HEED_H
#define HEED_HEED_H

#include "heed/heed_attention.h"
#include "heed/heed_cache.h"
#include "heed/heed_format.h"
#include "heed/heed_layer.h"
#include "heed/heed_linear.h"
#include "heed/heed_model.h"
#include "heed/heed_model_config.h"
#include "heed/heed_options.h"
#include "heed/heed_positions.h"
#include "heed/heed_text.h"
#include "heed/heed_types.h"

#endif
