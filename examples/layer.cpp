// SPDX-License-Identifier: MIT
//
// A layer with its key-value cache, one token at a time. weights.h is what README's first path writes.
#include <weights.h>  // const: stays in flash
constexpr heed::MultiHeadPlan plan = heed::plan(weights_config);
static heed::StaticArena<plan.bytes> arena;  // .bss
static_assert(sizeof arena == 31680);        // all the RAM but the stack, on every target
int main() {
  heed::MultiHeadAttention layer;
  heed::Status status = layer.init(plan, arena, std::as_bytes(std::span(weights)));
  float x[32] = {1.0F}, y[32];  // in, from a sensor or an embedding, and out
  for (int token = 0; status == heed::Status::ok && token < 64; ++token)
    status = layer.decode(x, y);  // appends the token to the cache and attends to all tokens so far
  return status == heed::Status::ok ? 0 : 1;
}
