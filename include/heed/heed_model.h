/* SPDX-License-Identifier: MIT
 *
 * A whole model from a model file: tokens or frames in, logits out; model.hpp says more.
 *
 *     status = heed_read_model(file, sizeof file, &config, NULL);    (or the configuration from `heed pack --incbin`)
 *     status = heed_plan_model(&config, &memory, &plan);             (what it takes; `heed plan` prints the same)
 *     status = heed_model_init(&model, &plan, state, sizeof state, scratch, sizeof scratch, &packed, NULL);
 *     status = heed_model_decode(&model, token, logits, NULL);
 */
#ifndef HEED_HEED_MODEL_H
#define HEED_HEED_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "heed/heed_format.h"
#include "heed/heed_layer.h"
#include "heed/heed_linear.h"
#include "heed/heed_model_config.h"
#include "heed/heed_positions.h"
#include "heed/heed_types.h"

#ifdef HEED_CPP
#include <concepts>
#include <cstddef>
#include <span>
#endif

/* Where a norm's parameters lie in the weights: float [model_dim] each. RMSNorm has no bias. */
HEED_STRUCT(heed_norm_plan, NormPlan) {
  heed_region weight HEED_ZERO;
  heed_region bias HEED_ZERO;

  HEED_COMPARED(NormPlan)
};

/* The MLP of a transformer block: its weights, and hidden rows of as many rows at a time as the scratch budget allows;
 * `parts` is the number of workers where the block's rows are 16 or more for each, otherwise 1. */
HEED_STRUCT(heed_mlp_plan, MlpPlan) {
  uint32_t rows HEED_ZERO;
  heed_region hidden HEED_ZERO;    /* float [parts, rows, mlp_dim], in the scratch */
  heed_region gate_rows HEED_ZERO; /* float [parts, rows, mlp_dim], if gated */
  heed_region staging HEED_ZERO;   /* as in MultiHeadPlan, for each part, in the scratch */
  heed_linear_plan gate HEED_ZERO;
  heed_linear_plan up HEED_ZERO;
  heed_linear_plan down HEED_ZERO;

  HEED_COMPARED(MlpPlan)
};

/* Three memories, as in a MultiHeadPlan. The rows that go through are the caller's.
 * Use it as make_plan() wrote it: a changed one makes calls write outside of their memory; a debug build traps. */
HEED_STRUCT(heed_block_plan, BlockPlan) {
  heed_block_config config HEED_ZERO; /* with every 0 replaced by what it means */
  heed_block_memory memory HEED_ZERO;
  heed_multi_head_plan attention HEED_ZERO;
  heed_multi_head_plan cross HEED_ZERO;

  heed_region attention_state HEED_ZERO; /* offsets inside the state */
  heed_region cross_state HEED_ZERO;
  uint32_t state_bytes HEED_ZERO;

  heed_region branch HEED_ZERO;        /* float [rows, model_dim]: what goes into or comes out of attention and MLP */
  heed_region layer_scratch HEED_ZERO; /* of either attention; the hidden rows of the MLP lie in the same bytes */
  uint32_t scratch_bytes HEED_ZERO;

  heed_norm_plan attention_norm HEED_ZERO;
  heed_region attention_weights HEED_ZERO;
  heed_norm_plan cross_norm HEED_ZERO;
  heed_region cross_weights HEED_ZERO;
  heed_norm_plan mlp_norm HEED_ZERO;
  heed_mlp_plan mlp HEED_ZERO;
  heed_norm_plan query_norm HEED_ZERO; /* [head_dim], with qk_norm */
  heed_norm_plan key_norm HEED_ZERO;
  heed_norm_plan attention_output_norm HEED_ZERO; /* with HEED_NORM_BOTH */
  heed_norm_plan mlp_output_norm HEED_ZERO;
  uint32_t products HEED_ZERO; /* as in MultiHeadPlan, of the MLP as well */
  uint32_t weights_bytes HEED_ZERO;

  HEED_COMPARED(BlockPlan)
};

/* Where a model file has what. */
HEED_STRUCT(heed_model_file_plan, ModelFilePlan) {
  heed_region header HEED_ZERO;
  heed_linear_plan input HEED_ZERO;        /* [input_dim, model_dim] of tokens, [model_dim, input_dim] of frames, of
                                              convolutions [model_dim, 3 input_dim] */
  heed_linear_plan second_input HEED_ZERO; /* of convolutions [model_dim, 3 model_dim] */
  heed_region class_token HEED_ZERO;       /* float [model_dim] */
  heed_region positions HEED_ZERO;         /* float [max_positions, model_dim] */
  heed_region registers HEED_ZERO;         /* float [registers, model_dim] */
  heed_region token_types HEED_ZERO;       /* float [token_types, model_dim] */
  heed_region relative_bias HEED_ZERO;     /* float [heads, relative_left + 1], and of an encoder + relative_left */
  uint32_t relative_left HEED_ZERO;        /* keys before a query that have numbers of their own there */
  heed_norm_plan embedding_norm HEED_ZERO;
  heed_region block_weights HEED_ZERO; /* of the first block; the others follow */
  heed_norm_plan final_norm HEED_ZERO;
  heed_linear_plan pooler HEED_ZERO; /* [model_dim, model_dim] */
  heed_linear_plan head HEED_ZERO;   /* of a tied head, the input */
  uint32_t bytes HEED_ZERO;

  HEED_COMPARED(ModelFilePlan)
};

/* Three memories: the state, caches of a decoder's blocks or the one that an encoder's blocks share; the scratch,
 * whose content means nothing between calls; and the model file, which is read where it lies. Use it as make_plan()
 * wrote it: a changed one makes calls write outside of their memory; a debug build traps. */
HEED_STRUCT(heed_model_plan, ModelPlan) {
  heed_model_config config HEED_ZERO; /* with every 0 replaced by what it means */
  heed_block_plan block HEED_ZERO;
  heed_rotary_plan rotary HEED_ZERO;       /* without a table */
  heed_rotary_plan local_rotary HEED_ZERO; /* of blocks with the window, if it is another */

  heed_region block_state HEED_ZERO; /* of the first block; a decoder's others follow */
  uint32_t state_bytes HEED_ZERO;

  heed_region rows HEED_ZERO;          /* float [rows, model_dim]: what goes through the blocks */
  heed_region block_scratch HEED_ZERO; /* of whichever block runs */
  heed_region staging HEED_ZERO;       /* as in MultiHeadPlan, of the input and the head */
  uint32_t scratch_bytes HEED_ZERO;

  heed_model_file_plan file HEED_ZERO;

  HEED_COMPARED(ModelPlan)
};

/* What a program names to run a model that goes beyond GPT-2, BERT, Llama and ViT: with qk_norm, score_softcap,
 * norm_placement both or parallel, window, rotary_skip_every, relative_buckets, registers, token_types, output_softcap,
 * pooler, norm_after_pooling, unit_output, pooling mean_of_rest, or input convolutions or none. A program that does not
 * name it links none of it, and is refused such a model (HEED_MISSING_FORMAT). */
#ifdef HEED_CPP
namespace heed {
struct ModelExtension;
}
using heed_model_extension = heed::ModelExtension;
#else
typedef struct heed_model_extension heed_model_extension;
#endif

/* A model file, which may lie in flash, and what reads its weights. A program links the formats that it names. */
HEED_STRUCT(heed_packed_model, PackedModel) {
  const void* bytes HEED_ZERO; /* on a HEED_ARENA_ALIGNMENT boundary */
  size_t size HEED_ZERO;
  const heed_format* const* formats HEED_ZERO; /* [format_count], in any order; null with 0: float32 alone */
  size_t format_count HEED_ZERO;
  const heed_model_extension* extension HEED_ZERO; /* null, or &heed_extended_model */

#ifdef HEED_CPP
  constexpr PackedModel() noexcept = default;
  constexpr PackedModel(const void* file, size_t file_size, const heed_format* const* weight_formats = nullptr,
                        size_t weight_format_count = 0, const heed_model_extension* extended = nullptr) noexcept
      : bytes(file), size(file_size), formats(weight_formats), format_count(weight_format_count), extension(extended) {}
  /* From any bytes that a span can be made from. */
  template <std::convertible_to<std::span<const std::byte>> Bytes>
  constexpr PackedModel(const Bytes& file, std::span<const heed_format* const> weight_formats = {},
                        const heed_model_extension* extended = nullptr) noexcept
      : PackedModel(std::span<const std::byte>(file).data(), std::span<const std::byte>(file).size(),
                    weight_formats.data(), weight_formats.size(), extended) {}

  [[nodiscard]] std::span<const std::byte> span() const noexcept {
    return {static_cast<const std::byte*>(bytes), size};
  }
#endif
};

/* What a model has computed when an observer is called. */
HEED_ENUM(heed_stage, Stage, uint32_t){
    HEED_VALUE(HEED_STAGE_EMBEDDING, embedding), /* rows [model_dim] that enter the first transformer block */
    HEED_VALUE(HEED_STAGE_ATTENTION, attention), /* what the attention of a block adds, after its output
                                                    projection */
    HEED_VALUE(HEED_STAGE_CROSS_ATTENTION, cross_attention), /* likewise */
    HEED_VALUE(HEED_STAGE_MLP, mlp),                         /* what the MLP of a block adds */
    HEED_VALUE(HEED_STAGE_BLOCK, block),                     /* rows that leave a block */
    HEED_VALUE(HEED_STAGE_OUTPUT, output)                    /* what the model returns */
};

/* Is shown every intermediate result: what a device computes otherwise than a desktop begins at the first stage that
 * differs. It changes no bit of the results. */
HEED_STRUCT(heed_stage_observer, StageObserver) {
  void* context HEED_ZERO; /* passed on unchanged */

  /* values [rows, columns], dense, valid during the call; `block` is 0 outside of the transformer blocks. Null: nobody
   * looks. */
  void (*see)(void* context, uint32_t block, heed_stage stage, const float* values, uint32_t rows, uint32_t columns)
      HEED_ZERO;
};

/* A model: pointers to its plan, which outlives it, and to its memories. It must be zero until init or bind, and may be
 * copied while no call runs. */
#ifdef HEED_CPP
namespace heed {
class Model;
}
using heed_model = heed::Model;
#else
typedef struct heed_model {
  const void* pointers[15];
} heed_model;
#endif

#ifdef __cplusplus
extern "C" {
#endif

extern const heed_model_extension heed_extended_model;

/* Writes the plan of a configuration; *plan is left as it was if there is none.
 * Statuses: HEED_ZERO_DIMENSION, HEED_HEADS_NOT_DIVISIBLE, HEED_TOO_LARGE, HEED_BAD_WORKERS, HEED_BAD_OPTION (a member
 * has no such value, does not go with another, or the cache has no such types), HEED_BAD_BASE, HEED_BAD_ROTARY. */
HEED_MUST_USE heed_status heed_plan_model(const heed_model_config* config, const heed_block_memory* memory,
                                          heed_model_plan* plan);

/* Takes state (at least plan->state_bytes), scratch (plan->scratch_bytes) and a model file (plan->file.bytes), each on
 * a HEED_ARENA_ALIGNMENT boundary: init empties the caches, bind keeps what a model of this plan left in the state. The
 * file's header is compared with the plan; heed_read_model() checks the rest.
 * Statuses: HEED_NOT_INITIALISED (the plan), HEED_NULL_POINTER, HEED_ARENA_TOO_SMALL, HEED_ARENA_MISALIGNED,
 * HEED_OVERLAP, HEED_WRONG_WEIGHTS (a file of another configuration), HEED_MISSING_FORMAT (a format or the extension
 * that it needs is not named, or `storage` does not name what its caches need), HEED_BAD_FLOAT_ENVIRONMENT (without
 * floats in hardware, the program's functions for them are not IEEE's); of bind HEED_BAD_STATE, if no model of this
 * plan can have left it. */
HEED_MUST_USE heed_status heed_model_init(heed_model* model, const heed_model_plan* plan, void* state,
                                          size_t state_bytes, void* scratch, size_t scratch_bytes,
                                          const heed_packed_model* file, const heed_kv_storage* storage);
HEED_MUST_USE heed_status heed_model_bind(heed_model* model, const heed_model_plan* plan, void* state,
                                          size_t state_bytes, void* scratch, size_t scratch_bytes,
                                          const heed_packed_model* file, const heed_kv_storage* storage);

/* A decoder: appends tokens [count]. logits [outputs] of the last one; with HEED_POOLING_EVERY [count, outputs] of all;
 * without a head rows [model_dim] in their place. The bits do not depend on how the tokens were split into calls.
 * Decode is prefill of one token.
 * Statuses: HEED_NOT_INITIALISED (with cross-attention, also before a context is set), HEED_PLAN_MISMATCH (not a
 * decoder of tokens), HEED_ZERO_DIMENSION, HEED_NULL_POINTER, HEED_BAD_TOKEN, HEED_CACHE_FULL, HEED_BAD_POSITION. */
HEED_MUST_USE heed_status heed_model_prefill(heed_model* model, const uint32_t* tokens, size_t count, float* logits,
                                             const heed_executor* executor);
HEED_MUST_USE heed_status heed_model_decode(heed_model* model, uint32_t token, float* logits,
                                            const heed_executor* executor);

/* An encoder of tokens [count], or of frames [1, count, input_dim]: logits [outputs], or with HEED_POOLING_EVERY
 * [rows, outputs], where rows counts the class token and the registers, too.
 * Statuses: those of heed_model_prefill(), of an encoder; HEED_TOO_LARGE (more rows than the plan's), HEED_BAD_STRIDE.
 */
HEED_MUST_USE heed_status heed_model_encode_tokens(heed_model* model, const uint32_t* tokens, size_t count,
                                                   float* logits, const heed_executor* executor);
HEED_MUST_USE heed_status heed_model_encode_frames(heed_model* model, heed_const_matrix frames, uint32_t count,
                                                   float* logits, const heed_executor* executor);

/* heed_model_encode_tokens() with types [count] of the tokens, for a model that has token_types; without them each has
 * type 0. Statuses, too: HEED_PLAN_MISMATCH (it has none), HEED_BAD_TOKEN (a type that is not there). */
HEED_MUST_USE heed_status heed_model_encode_typed_tokens(heed_model* model, const uint32_t* tokens,
                                                         const uint32_t* types, size_t count, float* logits,
                                                         const heed_executor* executor);

/* What every block's cross-attention looks at: rows [1, count, cross_dim] of an encoder.
 * Statuses: HEED_NOT_INITIALISED, HEED_PLAN_MISMATCH (no cross-attention), HEED_ZERO_DIMENSION, HEED_NULL_POINTER,
 * HEED_BAD_STRIDE, HEED_CACHE_FULL. */
HEED_MUST_USE heed_status heed_model_set_context(heed_model* model, heed_const_matrix rows, uint32_t count,
                                                 const heed_executor* executor);

/* Tokens of a decoder so far, including those that a ring has overwritten; 0 for a null model. */
uint32_t heed_model_tokens(const heed_model* model);

/* Removes a decoder's tokens from number `length` on.
 * Statuses: HEED_NOT_INITIALISED, HEED_PLAN_MISMATCH (an encoder), HEED_BAD_LENGTH (it has fewer, or a ring has
 * overwritten some and keeps fewer). */
HEED_MUST_USE heed_status heed_model_truncate(heed_model* model, uint32_t length);

/* Who is shown the stages of the calls that follow, after init or bind; the observer is copied. Null, or a null `see`:
 * nobody. */
void heed_model_observe(heed_model* model, const heed_stage_observer* observer);

/* A stage in words, in static storage; never null. */
const char* heed_stage_to_string(heed_stage stage);

#ifdef __cplusplus
}
#endif
#endif
