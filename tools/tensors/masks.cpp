// SPDX-License-Identifier: MIT
#include "tensors/masks.hpp"

#include <algorithm>
#include <utility>

#include "support/failure.hpp"

namespace heed::tools {

namespace {

/// How far apart neighbours lie in each of the first three dimensions; 0 where there is one for all.
std::array<std::size_t, 3> strides(const std::array<std::size_t, 4>& shape) {
  std::array<std::size_t, 3> steps{shape[1] * shape[2] * shape[3], shape[2] * shape[3], shape[3]};
  for (std::size_t axis = 0; axis < steps.size(); ++axis) {
    if (shape[axis] == 1) steps[axis] = 0;
  }
  return steps;
}

}  // namespace

std::size_t ScoreArray::row(std::size_t batch, std::size_t head, std::size_t query) const {
  const std::array<std::size_t, 3> steps = strides(shape);
  return batch * steps[0] + head * steps[1] + query * steps[2];
}

BoolMask ScoreArray::bool_mask() const {
  if (!given || !is_bool) return {};
  const std::array<std::size_t, 3> steps = strides(shape);
  static constexpr std::uint8_t nothing = 0;
  return {.data = truth.empty() ? &nothing : truth.data(),
          .batch_stride = static_cast<std::ptrdiff_t>(steps[0]),
          .head_stride = static_cast<std::ptrdiff_t>(steps[1]),
          .query_stride = static_cast<std::ptrdiff_t>(steps[2]),
          .key_count = static_cast<std::uint32_t>(shape[3])};
}

ScoreBias ScoreArray::bias() const {
  if (!given || is_bool) return {};
  const std::array<std::size_t, 3> steps = strides(shape);
  static constexpr float nothing = 0.0F;
  return {.data = {added.empty() ? &nothing : added.data(), static_cast<std::ptrdiff_t>(steps[0]),
                   static_cast<std::ptrdiff_t>(steps[1]), static_cast<std::ptrdiff_t>(steps[2])},
          .key_count = static_cast<std::uint32_t>(shape[3])};
}

ScoreArray broadcast(std::string name, NpyMask mask, const ScoreSizes& sizes) {
  const std::string needed =
      describe({sizes.batch, sizes.heads, sizes.queries, sizes.keys}) + " = [batch, heads, queries, keys]";
  const std::size_t rank = mask.shape.size();
  if (rank < 1 || rank > 4) throw Failure(name + ": 1 to 4 dimensions are needed, that broadcast to " + needed);
  ScoreArray array{.name = std::move(name), .shape = {1, 1, 1, 1}, .is_bool = mask.is_bool, .given = true};
  std::copy(mask.shape.begin(), mask.shape.end(), array.shape.end() - static_cast<std::ptrdiff_t>(rank));
  const std::array<std::size_t, 3> repeated{sizes.batch, sizes.heads, sizes.queries};
  for (std::size_t axis = 0; axis < repeated.size(); ++axis) {
    if (array.shape[axis] != 1 && array.shape[axis] != repeated[axis]) {
      throw Failure(array.name + ": does not broadcast to " + needed);
    }
  }
  array.truth = std::move(mask.truth);
  array.added = std::move(mask.added);
  return array;
}

ScoreArray read_score_array(const std::string& option, const std::string& file, const ScoreSizes& sizes, bool padded,
                            const std::string& way) {
  NpyMask mask = with_option(option, [&] { return read_npy_mask(file); });
  std::string name = option + " " + file + " " + describe(mask.shape);
  ScoreArray array = broadcast(std::move(name), std::move(mask), sizes);
  const std::size_t keys = array.shape[3];
  if (keys > sizes.keys || (keys < sizes.keys && !padded)) {
    throw Failure(array.name + ": the last dimension is " + std::to_string(keys) + ", and there are " +
                  std::to_string(sizes.keys) + " keys" + (keys < sizes.keys ? way : ""));
  }
  return array;
}

}  // namespace heed::tools
