// SPDX-License-Identifier: MIT
#include "machine.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <port.hpp>
#include <vector>

namespace heed::bench {
namespace {

using port::f32x16;

/// Six sixteen-lane chains: what the product tile keeps in registers. Every lane starts from another value, so that no
/// two chains can be computed as one.
[[gnu::noinline]] float run_chains(const float* starts, int steps) {
  f32x16 a = port::load(starts);
  f32x16 b = port::load(starts + 16);
  f32x16 c = port::load(starts + 32);
  f32x16 d = port::load(starts + 48);
  f32x16 e = port::load(starts + 64);
  f32x16 f = port::load(starts + 80);
  const f32x16 factor = port::load(starts + 96);
  const f32x16 shift = port::load(starts + 112);
  for (int i = 0; i < steps; ++i) {
    a = port::fma(a, factor, shift);
    b = port::fma(b, factor, shift);
    c = port::fma(c, factor, shift);
    d = port::fma(d, factor, shift);
    e = port::fma(e, factor, shift);
    f = port::fma(f, factor, shift);
  }
  return port::sum(port::add(port::add(port::add(a, b), port::add(c, d)), port::add(e, f)));
}

[[gnu::noinline]] float read_all(const float* data, std::size_t count) {
  f32x16 sums[4] = {port::set(0.0F), port::set(0.0F), port::set(0.0F), port::set(0.0F)};
  for (std::size_t i = 0; i + 64 <= count; i += 64) {
    sums[0] = port::max(sums[0], port::load(data + i));
    sums[1] = port::max(sums[1], port::load(data + i + 16));
    sums[2] = port::max(sums[2], port::load(data + i + 32));
    sums[3] = port::max(sums[3], port::load(data + i + 48));
  }
  return port::maximum(port::max(port::max(sums[0], sums[1]), port::max(sums[2], sums[3])));
}

thread_local volatile float sink;

}  // namespace

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double measure_fused_multiply_add_peak(int repeats) {
  constexpr int steps = 100000;
  float starts[8 * 16];
  for (int i = 0; i < 6 * 16; ++i) starts[i] = 1.0F + 0.01F * static_cast<float>(i);
  for (int i = 6 * 16; i < 8 * 16; ++i) starts[i] = i < 7 * 16 ? 0.999F : 0.001F;
  double best = 0;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const double start = thread_seconds();
    sink = run_chains(starts, steps);
    best = std::max(best, steps * 6.0 * 16 * 2 / (thread_seconds() - start));
  }
  return best;
}

void read_once(std::span<const float> data) {
  sink = read_all(data.data(), data.size());
}

double measure_read_bandwidth(std::span<const float> data, int repeats, std::size_t round_bytes) {
  const std::size_t passes = std::max<std::size_t>(1, round_bytes / data.size_bytes());
  double best = 0;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const double start = thread_seconds();
    for (std::size_t pass = 0; pass < passes; ++pass) read_once(data);
    best = std::max(best, static_cast<double>(passes * data.size_bytes()) / (thread_seconds() - start));
  }
  return best;
}

double measure_read_bandwidth(std::size_t bytes) {
  const std::vector<float> data(std::max<std::size_t>(bytes / sizeof(float), 64), 1.0F);
  return measure_read_bandwidth(data, 20, std::size_t{1} << 24);
}

}  // namespace heed::bench
