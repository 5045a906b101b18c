// SPDX-License-Identifier: MIT
#include "machine/machine.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <port.hpp>
#include <utility>

#include "heed/cache.hpp"

namespace heed::bench {
namespace {

using port::f32x16;

constexpr int most_chains = 12;

/// Independent sixteen-lane chains. Every lane starts from another value, so that no two chains can be computed as one.
template <std::size_t... Chain>
[[gnu::noinline]] float run_chains(std::index_sequence<Chain...> /*chains*/, const float* starts, int steps) {
  f32x16 chains[] = {port::load(starts + 16 * Chain)...};
  const f32x16 factor = port::load(starts + 16 * most_chains);
  const f32x16 shift = port::load(starts + 16 * (most_chains + 1));
  for (int i = 0; i < steps; ++i) ((chains[Chain] = port::fma(chains[Chain], factor, shift)), ...);
  f32x16 total = port::set(0.0F);
  ((total = port::add(total, chains[Chain])), ...);
  return port::sum(total);
}

/// How far ahead of a read the prefetch is, in floats: 2 KiB.
constexpr std::ptrdiff_t ahead = 512;

struct Maxima {
  f32x16 lanes[4] = {port::set(0.0F), port::set(0.0F), port::set(0.0F), port::set(0.0F)};
};

template <bool Prefetch>
[[gnu::always_inline]] inline void read_block(const float* data, std::size_t count, Maxima& maxima) {
  for (std::size_t i = 0; i + 64 <= count; i += 64) {
    for (std::size_t part = 0; part < 4; ++part) {
      if constexpr (Prefetch) port::prefetch(data + i + part * 16, ahead);
      maxima.lanes[part] = port::max(maxima.lanes[part], port::load(data + i + part * 16));
    }
  }
}

/// The greatest number, so that nothing is left out.
template <bool Prefetch>
[[gnu::noinline]] float read_straight(const Reads& reads) {
  Maxima maxima;
  read_block<Prefetch>(reads.first.data(), reads.first.size(), maxima);
  read_block<Prefetch>(reads.second.data(), reads.second.size(), maxima);
  const auto& lanes = maxima.lanes;
  return port::maximum(port::max(port::max(lanes[0], lanes[1]), port::max(lanes[2], lanes[3])));
}

template <bool Prefetch>
[[gnu::noinline]] float read_in_turn(const Reads& reads) {
  Maxima maxima;
  for (std::size_t at = 0; at < reads.first.size(); at += reads.block) {
    const std::size_t count = std::min(reads.block, reads.first.size() - at);
    read_block<Prefetch>(reads.first.data() + at, count, maxima);
    read_block<Prefetch>(reads.second.data() + at, count, maxima);
  }
  const auto& lanes = maxima.lanes;
  return port::maximum(port::max(port::max(lanes[0], lanes[1]), port::max(lanes[2], lanes[3])));
}

thread_local volatile float sink;

constexpr double flop_per_operation = 2.0 * 16;

template <int Chains>
[[nodiscard]] double chain_operations_per_second(int operations) {
  constexpr int numbers = 16 * most_chains;
  float starts[numbers + 2 * 16];
  for (int i = 0; i < numbers; ++i) starts[i] = 1.0F + 0.01F * static_cast<float>(i);
  std::fill_n(starts + numbers, 16, 0.999F);
  std::fill_n(starts + numbers + 16, 16, 0.001F);
  const int steps = operations / Chains;
  const double start = thread_seconds();
  sink = run_chains(std::make_index_sequence<Chains>(), starts, steps);
  return Chains * steps / (thread_seconds() - start);
}

}  // namespace

const char* port_name() {
  return port::name;
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double measure_fused_multiply_add_peak(int repeats, int operations) {
  double best = 0;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    best = std::max({best, chain_operations_per_second<6>(operations), chain_operations_per_second<12>(operations)});
  }
  return best * flop_per_operation;
}

PeakSample sample_fused_multiply_add_peak() {
  PeakSample sample{};
  for (int repeat = 0; repeat < 3; ++repeat) {
    sample.peak = std::max(sample.peak, measure_fused_multiply_add_peak(1, 120000));
    sample.clock = std::max(sample.clock, chain_operations_per_second<1>(12000));
  }
  return sample;
}

void read_once(std::span<const float> data) {
  sink = read_straight<false>({.first = data});
}

Reads reads_of(const KvCache& cache) {
  const KvCachePlan& plan = cache.plan();
  const auto floats = [&](const Region& region) {
    return std::span(reinterpret_cast<const float*>(cache.memory() + region.offset), region.bytes / sizeof(float));
  };
  return {.first = floats(plan.keys), .second = floats(plan.values), .block = block_keys * plan.config.head_dim};
}

double measure_read_bandwidth(const Reads& reads, int repeats, std::size_t round_bytes) {
  using Read = float (*)(const Reads&);
  constexpr Read ways[] = {read_straight<false>, read_straight<true>, read_in_turn<false>, read_in_turn<true>};
  const std::size_t count = reads.second.empty() ? 2 : 4;
  const std::size_t passes = std::max<std::size_t>(1, round_bytes / reads.bytes());
  double best = 0;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (const Read read : std::span(ways).first(count)) {
      const double start = thread_seconds();
      for (std::size_t pass = 0; pass < passes; ++pass) sink = read(reads);
      best = std::max(best, static_cast<double>(passes * reads.bytes()) / (thread_seconds() - start));
    }
  }
  return best;
}

}  // namespace heed::bench
