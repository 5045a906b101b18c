// SPDX-License-Identifier: MIT
#include "machine/machine.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <kernels/integer_softmax.hpp>
#include <kernels/softmax.hpp>
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

  [[nodiscard]] float greatest() const {
    return port::maximum(port::max(port::max(lanes[0], lanes[1]), port::max(lanes[2], lanes[3])));
  }
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
  return maxima.greatest();
}

template <bool Prefetch>
[[gnu::noinline]] float read_in_turn(const Reads& reads) {
  Maxima maxima;
  for (std::size_t at = 0; at < reads.first.size(); at += reads.block) {
    const std::size_t count = std::min(reads.block, reads.first.size() - at);
    read_block<Prefetch>(reads.first.data() + at, count, maxima);
    read_block<Prefetch>(reads.second.data() + at, count, maxima);
  }
  return maxima.greatest();
}

/// Both at once, as two streams.
[[gnu::noinline]] float read_at_once(const Reads& reads) {
  Maxima first;
  Maxima second;
  for (std::size_t i = 0; i < reads.first.size(); i += 64) {
    for (std::size_t part = 0; part < 64; part += 16) {
      f32x16& one = first.lanes[part / 16];
      f32x16& other = second.lanes[part / 16];
      one = port::max(one, port::load(reads.first.data() + i + part));
      other = port::max(other, port::load(reads.second.data() + i + part));
    }
  }
  return std::max(first.greatest(), second.greatest());
}

/// Factors of a product's chains, in the nearest cache.
constexpr std::size_t factor_count = 256;

/// Numbers in rows of 4 times `apart` floats: every one is multiplied, and added to one of four chains of sixteen
/// lanes, by a factor for each row of 16 floats that is `apart` from the next.
template <bool Prefetch>
[[gnu::always_inline]] inline void multiply_block(const float* data, std::size_t count, std::size_t apart,
                                                  const float* factors, Maxima& found) {
  const std::size_t step = apart == 16 ? 64 : 16;
  const std::size_t rows = std::min(factor_count, apart == 16 ? count / 64 : apart / 16);
  const std::size_t block = rows * 64;
  for (; count >= block; count -= block, data += block) {
    f32x16 sums[4] = {port::set(0.0F), port::set(0.0F), port::set(0.0F), port::set(0.0F)};
    const float* from = data;
    for (std::size_t row = 0; row < rows; ++row, from += step) {
      const f32x16 factor = port::set(factors[row]);
      for (std::size_t part = 0; part < 4; ++part) {
        if constexpr (Prefetch) port::prefetch(from + part * apart, ahead);
        sums[part] = port::fma(factor, port::load(from + part * apart), sums[part]);
      }
    }
    for (std::size_t part = 0; part < 4; ++part) found.lanes[part] = port::max(found.lanes[part], sums[part]);
  }
}

/// The two products of a decode: four panels of keys at a time, and rows of values, of 64 floats each.
template <bool Prefetch>
[[gnu::noinline]] float multiply_in_turn(const Reads& reads) {
  static const float factors[factor_count] = {1.0F};
  Maxima maxima;
  for (std::size_t at = 0; at < reads.first.size(); at += reads.block) {
    const std::size_t count = std::min(reads.block, reads.first.size() - at);
    multiply_block<Prefetch>(reads.first.data() + at, count, 1024, factors, maxima);
    if (!reads.second.empty()) multiply_block<Prefetch>(reads.second.data() + at, count, 16, factors, maxima);
  }
  return maxima.greatest();
}

/// The same with both products at once, of a block of keys and one of values: eight chains in place of four.
[[nodiscard]] float multiply_at_once(const Reads& reads) {
  constexpr std::size_t steps = 16;
  constexpr std::size_t apart = 1024;
  static const float factors[2 * steps] = {1.0F};
  Maxima keys;
  Maxima values;
  const float* key = reads.first.data();
  const float* value = reads.second.data();
  for (std::size_t left = reads.first.size(); left >= 4 * apart; left -= 4 * apart, key += 3 * apart) {
    for (std::size_t turn = 0; turn < apart / (16 * steps); ++turn, key += 16 * steps, value += 64 * steps) {
#pragma GCC unroll 16
      for (std::size_t step = 0; step < steps; ++step) {
        const f32x16 factor = port::set(factors[step]);
        const f32x16 weight = port::set(factors[steps + step]);
#pragma GCC unroll 4
        for (std::size_t part = 0; part < 4; ++part) {
          values.lanes[part] = port::fma(weight, port::load(value + 64 * step + 16 * part), values.lanes[part]);
          keys.lanes[part] = port::fma(factor, port::load(key + 16 * step + part * apart), keys.lanes[part]);
        }
      }
    }
  }
  return std::max(keys.greatest(), values.greatest());
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

namespace {

using Read = float (*)(const Reads&);

/// Bytes per second of the fastest of some loops.
[[nodiscard]] double fastest_of(std::span<const Read> ways, const Reads& reads, int repeats, std::size_t round_bytes) {
  const std::size_t passes = std::max<std::size_t>(1, round_bytes / reads.bytes());
  double best = 0;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (const Read read : ways) {
      const double start = thread_seconds();
      for (std::size_t pass = 0; pass < passes; ++pass) sink = read(reads);
      best = std::max(best, static_cast<double>(passes * reads.bytes()) / (thread_seconds() - start));
    }
  }
  return best;
}

/// Seconds of a softmax of `keys` scores: weigh(scores, count) for each key block.
template <class Weigh>
[[nodiscard]] double seconds_of_blocks(std::uint32_t keys, int repeats, const Weigh& weigh) {
  float scores[block_keys] = {};
  constexpr int rows = 200;
  double best = 1;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const double start = thread_seconds();
    for (int row = 0; row < rows; ++row) {
      for (std::uint32_t key = 0; key < keys; key += block_keys) weigh(scores, std::min(block_keys, keys - key));
    }
    best = std::min(best, (thread_seconds() - start) / rows);
  }
  sink = scores[0];
  return best;
}

}  // namespace

double measure_read_bandwidth(const Reads& reads, int repeats, std::size_t round_bytes) {
  constexpr Read ways[] = {read_straight<false>, read_straight<true>, read_in_turn<false>, read_in_turn<true>,
                           read_at_once};
  return fastest_of(std::span(ways).first(reads.second.empty() ? 2 : 5), reads, repeats, round_bytes);
}

double measure_softmax_seconds(std::uint32_t keys, int repeats) {
  float maximum = 0;
  float sum = 0;
  return seconds_of_blocks(keys, repeats, [&](float* scores, std::uint32_t count) {
    heed::detail::softmax_row(scores, {0, count}, maximum, sum);
  });
}

double measure_integer_softmax_seconds(std::uint32_t keys, int repeats) {
  float scales[block_keys];
  std::fill_n(scales, block_keys, 1.0F);
  return seconds_of_blocks(keys, repeats, [&](float* scores, std::uint32_t count) {
    heed::detail::WeighedRow row{.maximum = heed::detail::greatest_score(scores, {0, count})};
    heed::detail::weigh_scores(scores, {0, count}, scales, row);
    sink = row.greatest;
  });
}

double measure_multiply_bandwidth(const Reads& reads, int repeats, std::size_t round_bytes) {
  constexpr Read ways[] = {multiply_in_turn<false>, multiply_in_turn<true>, multiply_at_once};
  return fastest_of(std::span(ways).first(reads.second.empty() ? 2 : 3), reads, repeats, round_bytes);
}

}  // namespace heed::bench
