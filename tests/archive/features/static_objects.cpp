// SPDX-License-Identifier: MIT
//
// Every class that a program may keep in static memory: nothing of it may take bytes of flash, nor code before main,
// and objects hold pointers instead of their plans.
#include "heed/heed.hpp"

static_assert(sizeof(heed::KvCache) == 2 * sizeof(void*) && sizeof(heed::FloatKvCache) == 2 * sizeof(void*));
static_assert(sizeof(heed::MultiHeadAttention) == 6 * sizeof(void*));
static_assert(sizeof(heed::KvMultiHeadAttention) == 6 * sizeof(void*));
static_assert(sizeof(heed::DecoderBlock) == 16 * sizeof(void*));
static_assert(sizeof(heed::Model) == 9 * sizeof(void*) && sizeof(heed::KvModel) == 9 * sizeof(void*));

heed::AttentionPlan attention_plan;
heed::FloatKvCachePlan float_kv_cache_plan;
heed::KvCachePlan kv_cache_plan;
heed::MultiHeadPlan multi_head_plan;
heed::KvMultiHeadPlan kv_multi_head_plan;
heed::LinearPlan linear_plan;
heed::RotaryPlan rotary_plan;
heed::RelativeBucketsPlan relative_buckets_plan;
heed::BlockPlan<heed::FloatKvCache> block_plan;
heed::BlockPlan<heed::KvCache> kv_block_plan;
heed::ModelPlan<heed::FloatKvCache> model_plan;
heed::ModelPlan<heed::KvCache> kv_model_plan;

heed::FloatKvCache float_kv_cache;
heed::KvCache kv_cache;
heed::Rotary rotary;
heed::MultiHeadAttention layer;
heed::KvMultiHeadAttention kv_layer;
heed::DecoderBlock block;
heed::KvDecoderBlock kv_block;
heed::Model model;
heed::KvModel kv_model;
heed::Tokenizer tokenizer;
heed::StaticArena<4096> arena;
