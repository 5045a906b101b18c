#include <cmath>

#include "model/activation.hpp"
#include "model/normalization.hpp"
namespace heed::detail {
void layer_norm_row(const float* x, std::uint32_t n, const float* w, const float* b, float e, float* y) noexcept {
  double m = 0, v = 0;
  for (std::uint32_t i = 0; i < n; ++i) m += double(x[i]);
  m /= n;
  for (std::uint32_t i = 0; i < n; ++i) v += (double(x[i]) - m) * (double(x[i]) - m);
  v = 1 / std::sqrt(v / n + double(e));
  for (std::uint32_t i = 0; i < n; ++i) y[i] = float((double(x[i]) - m) * v * double(w[i]) + (b ? double(b[i]) : 0));
}
void rms_norm_row(const float* x, std::uint32_t n, const float* w, float e, float* y) noexcept {
  double v = 0;
  for (std::uint32_t i = 0; i < n; ++i) v += double(x[i]) * double(x[i]);
  v = 1 / std::sqrt(v / n + double(e));
  for (std::uint32_t i = 0; i < n; ++i) y[i] = float(double(x[i]) * v * double(w[i]));
}
static double act(Activation k, double x) {
  switch (k) {
    case Activation::relu: return x > 0 ? x : 0;
    case Activation::gelu_tanh: return .5 * x * (1 + std::tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
    case Activation::gelu_erf: return .5 * x * (1 + std::erf(x / std::sqrt(2.0)));
    case Activation::silu: return x / (1 + std::exp(-x));
  }
  return x;
}
void activate_row(Activation k, float* v, std::uint32_t n) noexcept {
  for (std::uint32_t i = 0; i < n; ++i) v[i] = float(act(k, double(v[i])));
}
void gate_row(Activation k, const float* g, float* v, std::uint32_t n) noexcept {
  for (std::uint32_t i = 0; i < n; ++i) v[i] = float(act(k, double(g[i])) * double(v[i]));
}
}  // namespace heed::detail
