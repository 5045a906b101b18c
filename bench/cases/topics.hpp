// SPDX-License-Identifier: MIT
//
// The benchmarks by topic. Each function registers those of one file.
#pragma once

namespace heed::bench {

void add_prefill();
void add_parts();
void add_decode();
void add_stored();
void add_few_rows();
void add_projections();
void add_linear();
void add_layer();
void add_fixed_cost();
void add_options();
void add_masks();
void add_workers();
void add_unfused();

}  // namespace heed::bench
