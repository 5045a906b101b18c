// SPDX-License-Identifier: MIT
#include "tensors/layer_masks.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "support/failure.hpp"

namespace heed::tools {

namespace {

/// attn_mask [queries, keys] or [batch * heads, queries, keys].
ScoreArray read_attention_mask(const std::string& file, const ScoreSizes& sizes) {
  NpyMask mask = with_option("--attn-mask", [&] { return read_npy_mask(file); });
  const std::string name = "--attn-mask " + file + " " + describe(mask.shape);
  const Shape flat{sizes.queries, sizes.keys};
  const Shape deep{std::size_t{sizes.batch} * sizes.heads, sizes.queries, sizes.keys};
  if (mask.shape != flat && mask.shape != deep) {
    throw Failure(name + ": [queries, keys] = " + describe(flat) +
                  " or [batch * heads, queries, keys] = " + describe(deep) + " is needed");
  }
  if (mask.shape == deep) mask.shape = {sizes.batch, sizes.heads, sizes.queries, sizes.keys};
  return broadcast(name, std::move(mask), sizes);
}

/// key_padding_mask [batch, keys], or [keys] for a batch of one.
ScoreArray read_padding_mask(const std::string& file, const ScoreSizes& sizes) {
  NpyMask mask = with_option("--key-padding-mask", [&] { return read_npy_mask(file); });
  const std::string name = "--key-padding-mask " + file + " " + describe(mask.shape);
  const Shape needed{sizes.batch, sizes.keys};
  if (mask.shape != needed && !(sizes.batch == 1 && mask.shape == Shape{sizes.keys})) {
    throw Failure(name + ": [batch, keys] = " + describe(needed) + " is needed");
  }
  mask.shape = {sizes.batch, 1, 1, sizes.keys};
  return broadcast(name, std::move(mask), sizes);
}

/// The place of a score.
struct Place {
  std::size_t batch, head, query, key;
};

template <class Visit>
void for_each_place(const std::array<std::size_t, 4>& shape, Visit visit) {
  for (std::size_t batch = 0; batch < shape[0]; ++batch) {
    for (std::size_t head = 0; head < shape[1]; ++head) {
      for (std::size_t query = 0; query < shape[2]; ++query) {
        for (std::size_t key = 0; key < shape[3]; ++key) visit(Place{batch, head, query, key});
      }
    }
  }
}

/// The shape that all parts broadcast to, with room for the extra keys.
std::array<std::size_t, 4> common_shape(const std::vector<const ScoreArray*>& parts, std::size_t keys) {
  std::array<std::size_t, 4> shape{1, 1, 1, keys};
  for (const ScoreArray* part : parts) {
    for (std::size_t axis = 0; axis < 3; ++axis) shape[axis] = std::max(shape[axis], part->shape[axis]);
  }
  return shape;
}

}  // namespace

void add_layer_mask_options(CLI::App& command, LayerMaskOptions& options) {
  command
      .add_option("--attn-mask", options.attention,
                  "as in PyTorch: bool or uint8, true = NOT attended; or numbers that are added to the scores; "
                  "[tokens, keys] or [batch * heads, tokens, keys]")
      ->type_name("FILE");
  command
      .add_option("--key-padding-mask", options.key_padding,
                  "as in PyTorch: bool or uint8, true = NOT attended; or numbers that are added; [batch, keys]")
      ->type_name("FILE");
}

LayerMasks read_layer_masks(const LayerMaskOptions& options, const ScoreSizes& sizes, std::uint32_t extra,
                            const std::function<bool(std::size_t, std::uint32_t, std::uint32_t)>& rule) {
  std::vector<ScoreArray> read;
  if (!options.attention.empty()) read.push_back(read_attention_mask(options.attention, sizes));
  if (!options.key_padding.empty()) read.push_back(read_padding_mask(options.key_padding, sizes));
  std::vector<const ScoreArray*> closing;
  std::vector<const ScoreArray*> adding;
  for (const ScoreArray& part : read) (part.is_bool ? closing : adding).push_back(&part);

  LayerMasks masks;
  const std::size_t keys = std::size_t{sizes.keys} + extra;
  if (!closing.empty() || rule) {
    masks.open = {.name = "mask", .shape = common_shape(closing, keys), .is_bool = true, .given = true};
    if (rule) {
      masks.open.shape[0] = sizes.batch;
      masks.open.shape[2] = sizes.queries;
    }
    for_each_place(masks.open.shape, [&](const Place& at) {
      bool open = true;
      for (const ScoreArray* part : closing) {
        open = open && (at.key >= sizes.keys || part->truth[part->row(at.batch, at.head, at.query) + at.key] == 0);
      }
      if (rule && at.key < sizes.keys) {
        open = open && rule(at.batch, static_cast<std::uint32_t>(at.query), static_cast<std::uint32_t>(at.key));
      }
      masks.open.truth.push_back(open ? 1 : 0);
    });
  }
  if (!adding.empty()) {
    masks.added = {.name = "mask", .shape = common_shape(adding, keys), .given = true};
    for_each_place(masks.added.shape, [&](const Place& at) {
      float sum = 0.0F;
      for (const ScoreArray* part : adding) {
        if (at.key < sizes.keys) sum += part->added[part->row(at.batch, at.head, at.query) + at.key];
      }
      masks.added.added.push_back(sum);
    });
  }
  return masks;
}

}  // namespace heed::tools
