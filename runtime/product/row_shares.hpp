// SPDX-License-Identifier: MIT
//
// The rows of a call, shared out among workers by the numbers of both alone.
#pragma once

#include <cstdint>
#include <kernels/row_shares.hpp>

#include "common/parallel_for.hpp"
#include "heed/linear.hpp"
#include "heed/types.hpp"

namespace heed::detail {

static_assert(least_row_share == 0 || least_row_share >= least_own_rows);

/// What a worker's own calls are given.
inline constexpr Executor no_executor{};

/// Whether each worker gets enough of so many rows.
[[nodiscard]] constexpr bool shares_rows(const Executor& executor, std::uint32_t workers, std::uint32_t rows) noexcept {
  if constexpr (least_row_share == 0) return false;
  return workers > 1 && executor.parallel_for != nullptr && rows / workers >= least_row_share;
}

/// Of the rows that there is room for, how many are taken at a time, so that every worker has room for its share.
[[nodiscard]] constexpr std::uint32_t shared_at_once(std::uint32_t workers, std::uint32_t room) noexcept {
  if constexpr (least_row_share == 0) return room;
  return room / workers >= least_row_share ? room / workers * workers : room;
}

/// Calls work(worker, first, rows) for a share of the rows of each worker, which shares_rows() allows, or for all.
template <class Work>
[[gnu::always_inline]] inline void for_row_shares(const Executor& executor, std::uint32_t workers, std::uint32_t rows,
                                                  bool shared, const Work& work) noexcept {
  if constexpr (least_row_share != 0) {
    if (shared) {
      const auto run_share = [&work, rows, workers](std::uint32_t, std::uint32_t share) noexcept {
        const auto first_of = [rows, workers](std::uint32_t number) noexcept {
          return static_cast<std::uint32_t>(std::uint64_t{rows} * number / workers);
        };
        work(share, first_of(share), first_of(share + 1) - first_of(share));
      };
      parallel_for_each(executor, workers, workers, run_share);
      return;
    }
  }
  work(std::uint32_t{0}, std::uint32_t{0}, rows);
}

/// The same for work that needs no scratch: shared wherever shares_rows() allows it.
template <class Work>
[[gnu::always_inline]] inline void for_row_shares(const Executor& executor, std::uint32_t workers, std::uint32_t rows,
                                                  const Work& work) noexcept {
  for_row_shares(executor, workers, rows, shares_rows(executor, workers, rows), work);
}

}  // namespace heed::detail
