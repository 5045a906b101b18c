/* Made by `heed pack`: a model file in constant data, and its configuration. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
#include "heed/model.hpp"
#else
#include "heed/heed_model_config.h"
#endif
#include "heed/heed_types.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "sums_model was packed for little-endian CPUs: on this one call pack_model()"
#endif

#ifdef __cplusplus
inline constexpr heed::ModelConfig sums_model_config = {
    .block = {
        .model_dim = 24,
        .heads = 3,
        .kv_heads = 3,
        .head_dim = 8,
        .mlp_dim = 64,
        .cross_dim = 0,
        .norm_epsilon = 0x1.4f8b58p-17F,
        .weight_type = heed::DataType::int8,
        .row_type = heed::DataType::float32,
        .output_row_type = heed::DataType::float32,
        .mlp_row_type = heed::DataType::float32,
        .down_row_type = heed::DataType::float32,
        .norm = heed::Norm::layer_norm,
        .norm_placement = heed::NormPlacement::before,
        .activation = heed::Activation::gelu_erf,
        .gated = false,
    },
    .blocks = 2,
    .input_dim = 259,
    .max_positions = 12,
    .outputs = 259,
    .embedding_scale = 0x1p+0F,
    .rotary_base = 0x1.388p+13F,
    .rotary_dim = 0,
    .rotary_layout = heed::RotaryLayout::halves,
    .input_type = heed::DataType::int8,
    .head_type = heed::DataType::int8,
    .input_row_type = heed::DataType::float32,
    .head_row_type = heed::DataType::float32,
    .input = heed::ModelInput::tokens,
    .positions = heed::Positions::learned,
    .pooling = heed::Pooling::last,
    .class_token = false,
    .encoder = false,
    .embedding_norm = false,
    .without_final_norm = false,
    .tied_head = true,
};
#else
static const heed_model_config sums_model_config = {
    .block = {
        .model_dim = 24,
        .heads = 3,
        .kv_heads = 3,
        .head_dim = 8,
        .mlp_dim = 64,
        .cross_dim = 0,
        .norm_epsilon = 0x1.4f8b58p-17F,
        .weight_type = 3 /* int8 */,
        .row_type = 0 /* float32 */,
        .output_row_type = 0 /* float32 */,
        .mlp_row_type = 0 /* float32 */,
        .down_row_type = 0 /* float32 */,
        .norm = 0 /* layer_norm */,
        .norm_placement = 0 /* before */,
        .activation = 0 /* gelu_erf */,
        .gated = 0,
    },
    .blocks = 2,
    .input_dim = 259,
    .max_positions = 12,
    .outputs = 259,
    .embedding_scale = 0x1p+0F,
    .rotary_base = 0x1.388p+13F,
    .rotary_dim = 0,
    .rotary_layout = 0 /* halves */,
    .input_type = 3 /* int8 */,
    .head_type = 3 /* int8 */,
    .input_row_type = 0 /* float32 */,
    .head_row_type = 0 /* float32 */,
    .input = 0 /* tokens */,
    .positions = 0 /* learned */,
    .pooling = 0 /* last */,
    .class_token = 0,
    .encoder = 0,
    .embedding_norm = 0,
    .without_final_norm = 0,
    .tied_head = 1,
};
#endif

#ifdef __cplusplus
extern "C" {
#endif
HEED_ALIGNED extern const uint32_t sums_model[6816];
extern const uint32_t sums_model_bytes;
#ifdef __cplusplus
}
#endif
