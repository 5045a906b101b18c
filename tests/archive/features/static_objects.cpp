// SPDX-License-Identifier: MIT
//
// Every class that a program may keep in static memory: nothing of it may take bytes of flash, nor code before main,
// and objects hold pointers instead of their plans.
#include "heed/heed.hpp"

constexpr bool holds_pointers(std::size_t object, std::size_t count) {
  return object == count * sizeof(void*);
}

static_assert(holds_pointers(sizeof(heed::KvCache), 7));
static_assert(holds_pointers(sizeof(heed::MultiHeadAttention), 11));
static_assert(holds_pointers(sizeof(heed::TransformerBlock), 26));
static_assert(holds_pointers(sizeof(heed::Model), 15));

heed::AttentionPlan attention_plan;
heed::KvCachePlan kv_cache_plan;
heed::MultiHeadPlan multi_head_plan;
heed::LinearPlan linear_plan;
heed::RotaryPlan rotary_plan;
heed::RelativeBucketsPlan relative_buckets_plan;
heed::BlockPlan block_plan;
heed::ModelPlan model_plan;

heed::KvCache kv_cache;
heed::Rotary rotary;
heed::MultiHeadAttention layer;
heed::TransformerBlock block;
heed::Model model;
heed::Tokenizer tokenizer;
heed::StaticArena<4096> arena;
