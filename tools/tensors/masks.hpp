// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "formats/npy.hpp"
#include "heed/options.hpp"

namespace heed::tools {

/// The sizes of a run's scores [batch, heads, queries, keys].
struct ScoreSizes {
  std::uint32_t batch = 0;
  std::uint32_t heads = 0;
  std::uint32_t queries = 0;
  std::uint32_t keys = 0;
};

/// Truth values or numbers over [batch, heads, queries, keys]. A size of 1 before the last repeats. Keys from a padded
/// array's last size on have none.
struct ScoreArray {
  std::string name;  ///< for messages: option, file and shape
  std::array<std::size_t, 4> shape{};
  std::vector<std::uint8_t> truth{};  ///< or else
  std::vector<float> added{};
  bool is_bool = false;
  bool given = false;

  /// Where row [batch, head, query] begins.
  [[nodiscard]] std::size_t row(std::size_t batch, std::size_t head, std::size_t query) const;

  [[nodiscard]] BoolMask bool_mask() const;
  [[nodiscard]] ScoreBias bias() const;
};

/// Reads a .npy file of 1 to 4 dimensions that broadcasts, as in numpy, over the batch, heads and queries. Its last
/// dimension is the number of keys, or less if it is to be `padded`; `way` is what a refusal of less ends with.
[[nodiscard]] ScoreArray read_score_array(const std::string& option, const std::string& file, const ScoreSizes& sizes,
                                          bool padded = false, const std::string& way = {});

/// Gives an array of 1 to 4 dimensions its four; a Failure if it does not broadcast.
[[nodiscard]] ScoreArray broadcast(std::string name, NpyMask mask, const ScoreSizes& sizes);

}  // namespace heed::tools
