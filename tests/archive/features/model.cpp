// SPDX-License-Identifier: MIT
#include "heed/nn.hpp"
#include "heed/text.hpp"

extern "C" heed::Status probe(const heed::MutableMatrix& x, std::span<const float> weight, float* logits,
                              std::uint32_t* tokens) {
  heed::Status status = heed::layer_norm(x, 1, 64, weight, {}, 1e-5F, x);
  if (status == heed::Status::ok) status = heed::activate(heed::Activation::gelu_erf, x, 1, 64);
  if (status == heed::Status::ok) status = heed::softmax(logits, 64, 1.0F, logits);
  return status == heed::Status::ok ? heed::top_k(logits, 64, 4, tokens) : status;
}
