// SPDX-License-Identifier: MIT
//
// The benchmarks of the library on one core of this machine (`workers` uses two). All options are Google Benchmark's;
// goals.cpp compares the JSON with the goals.
#include <benchmark/benchmark.h>

#include <cstdio>

#include "cases/topics.hpp"
#include "machine/cpu_model.hpp"
#include "machine/measure.hpp"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::AddCustomContext("cpu", heed::bench::cpu_model() + ", port " + heed::bench::port_name());
  benchmark::AddCustomContext("pinned", heed::bench::pin_to_core(0) ? "yes" : "no");
  heed::bench::add_prefill();
  heed::bench::add_parts();
  heed::bench::add_decode();
  heed::bench::add_stored();
  heed::bench::add_few_rows();
  heed::bench::add_projections();
  heed::bench::add_linear();
  heed::bench::add_layer();
  heed::bench::add_fixed_cost();
  heed::bench::add_options();
  heed::bench::add_masks();
  heed::bench::add_workers();
  heed::bench::add_unfused();
  heed::bench::quiet_rounds().listen();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  const heed::bench::RoundCount& rounds = heed::bench::quiet_rounds().count();
  if (rounds.of != 0) std::fprintf(stderr, "%s\n", rounds.describe().c_str());
  return 0;
}
