// SPDX-License-Identifier: MIT
#include <cstddef>
#include <span>

#include "checks.hpp"
#include "data.hpp"
#include "heed/heed.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t rows = 2;
constexpr std::uint32_t cases = 40;
constexpr std::uint32_t chosen = 3;

struct Case {
  std::uint32_t dim = 0;
  std::span<float> x, y, weight, bias;
};

bool make_case(std::uint32_t number, Case& c) {
  Numbers random(7000 + number);
  c.dim = number < 35 ? chosen + number : 60 + 7 * number;
  Pool<float> pool(numbers);
  c.x = pool.take(std::size_t{rows} * c.dim);
  c.y = pool.take(std::size_t{rows} * c.dim);
  c.weight = pool.take(c.dim);
  c.bias = pool.take(c.dim);
  // Far enough for results that are 0 in some cases.
  random.fill(c.x, number % 4 == 0 ? 128.0F : 4.0F);
  random.fill(c.weight, 2.0F);
  random.fill(c.bias, 1.0F);
  return !c.bias.empty();
}

bool normalize(const Case& c, Hash& all) {
  const ConstMatrix input = dense<const float>(c.x.data(), rows, c.dim);
  const MutableMatrix output = dense(c.y.data(), rows, c.dim);
  if (layer_norm(input, rows, c.dim, c.weight, c.bias, 1e-5F, output) != Status::ok) return false;
  all.add(c.y);
  if (layer_norm(input, rows, c.dim, c.weight, {}, 1e-5F, output) != Status::ok) return false;
  all.add(c.y);
  if (rms_norm(input, rows, c.dim, c.weight, 1e-6F, output) != Status::ok) return false;
  all.add(c.y);
  return true;
}

/// Weights through gates that x opens, and x itself.
bool activate_all(const Case& c, Hash& all) {
  const ConstMatrix gate = dense<const float>(c.x.data(), rows, c.dim);
  const MutableMatrix values = dense(c.y.data(), rows, c.dim);
  for (const Activation kind : {Activation::relu, Activation::gelu_tanh, Activation::gelu_erf, Activation::silu}) {
    for (std::size_t i = 0; i < c.y.size(); ++i) c.y[i] = c.weight[i % c.dim];
    if (gated(kind, gate, values, rows, c.dim) != Status::ok) return false;
    all.add(c.y);
    for (std::size_t i = 0; i < c.y.size(); ++i) c.y[i] = c.x[i];
    if (activate(kind, values, rows, c.dim) != Status::ok) return false;
    all.add(c.y);
  }
  return true;
}

bool choose(const Case& c, Hash& all) {
  std::uint32_t indices[chosen];
  if (softmax(c.bias.data(), c.dim, 0.125F, c.y.data()) != Status::ok) return false;
  all.add(c.y.first(c.dim));
  if (top_k(c.x.data(), c.dim, chosen, indices) != Status::ok) return false;
  for (const std::uint32_t index : indices) all.add(static_cast<float>(index));
  return argmax(c.x.data(), c.dim) == indices[0];
}

}  // namespace

Outcome check_model() {
  Outcome outcome;
  Hash all;
  for (std::uint32_t number = 0; number < cases; ++number) {
    Case c;
    if (!make_case(number, c) || !normalize(c, all) || !activate_all(c, all) || !choose(c, all)) ++outcome.failures;
    ++outcome.cases;
  }
  outcome.hash = all.value();
  return outcome;
}

}  // namespace heed::test
