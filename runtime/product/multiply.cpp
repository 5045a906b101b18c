// SPDX-License-Identifier: MIT
#include <kernels/panel_pairs.hpp>
#include <kernels/row_tiles.hpp>

#include "heed/arena.hpp"
#include "heed/detail/linked_code.hpp"
#include "product/float_linear.hpp"
#include "product/gemm.hpp"

namespace heed::detail {
namespace {

constexpr std::ptrdiff_t tile_rows = port::tile_rows;
/// Rows of A that are at least this long are prefetched one tile ahead; shorter ones arrive in time.
constexpr std::uint32_t long_row = 128;
/// Rows 4 KiB apart share a set of the first-level cache, and two tiles of them would push each other out.
constexpr std::ptrdiff_t page = 4096 / sizeof(float);

/// Rows of the next tile of at most `most` when `left` rows are left: full tiles, and two of nearly the same height at
/// the end, because a tile of few rows has too few independent sums to keep the multipliers busy.
[[nodiscard]] int next_rows(std::ptrdiff_t left, std::ptrdiff_t most = tile_rows) noexcept {
  if (left >= 2 * most) return static_cast<int>(most);
  return static_cast<int>(left > most ? (left + 1) / 2 : left);
}

/// Whole panels [begin, end). A panel of B, or a pair of them, stays in a near cache while all rows of A pass by it;
/// rows of one tile take all panels at once.
void multiply_panels(const Gemm& product, std::ptrdiff_t begin, std::ptrdiff_t end) noexcept {
  const auto rows = static_cast<std::ptrdiff_t>(product.rows);
  const bool pairs = panels_at_once == 2 && rows > tile_rows && product.a_step == 1;
  const bool long_rows = product.a_step == 1 && product.depth >= long_row && (pairs || product.a_row < page);
  for (std::ptrdiff_t panel = begin; panel < end;) {
    const bool pair = pairs && end - panel >= 2;
    const std::ptrdiff_t next = rows <= tile_rows ? end : panel + (pair ? 2 : 1);
    for (std::ptrdiff_t done = 0; done < rows;) {
      const int taken = next_rows(rows - done, pair ? pair_rows : tile_rows);
      multiply_whole_panels(product, done, taken, panel, next, long_rows);
      done += taken;
    }
    panel = next;
  }
}

void multiply_columns(const Gemm& product, std::ptrdiff_t panel, int lanes) noexcept {
  const auto rows = static_cast<std::ptrdiff_t>(product.rows);
  for (std::ptrdiff_t done = 0; done < rows;) {
    const int taken = next_rows(rows - done);
    multiply_partial_panel(product, done, taken, panel, lanes);
    done += taken;
  }
}

}  // namespace

constinit const LinkedCode float_product_code;

void multiply(Gemm& product) noexcept {
  const auto panels = static_cast<std::ptrdiff_t>(product.columns / panel_width);
  const auto lanes = static_cast<std::ptrdiff_t>(product.columns % panel_width);
  multiply_panels(product, 0, panels);
  if (lanes == 0) return;
  // Where columns lie side by side, the last panel can begin further left: some columns are computed twice, with the
  // same result, which costs less than the masks of partial vectors.
  if (panels != 0 && product.start == nullptr && product.b_panel == panel_width && product.c_panel == panel_width) {
    const std::ptrdiff_t shift = std::ptrdiff_t{panel_width} - lanes;
    product.b -= shift;
    product.c -= shift;
    multiply_panels(product, panels, panels + 1);
    product.b += shift;
    product.c += shift;
  } else {
    multiply_columns(product, panels, static_cast<int>(lanes));
  }
}

#ifdef __OPTIMIZE_SIZE__
void multiply_floats_apart(const LinearShare& share) noexcept {
  multiply_floats(share);
}
#endif

}  // namespace heed::detail
