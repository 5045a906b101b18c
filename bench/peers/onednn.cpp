// SPDX-License-Identifier: MIT
//
// What a user writes on oneDNN: its matmul and softmax primitives over blocks of query rows, one head at a time; all
// heads in one primitive for a single query, where the cost of a primitive's call would show.
#include <algorithm>
#include <cmath>
#include <dnnl.hpp>
#include <limits>
#include <unordered_map>

#include "peer.hpp"

namespace heed::bench {
namespace {

using Memory = dnnl::memory;
using Dims = Memory::dims;

[[nodiscard]] Memory::desc describe_floats(const Dims& dims, const Dims& strides) {
  return {dims, Memory::data_type::f32, strides};
}

/// The primitives of one block: `heads` heads, `rows` rows, `keys` keys. The scores are dense: the softmax primitive
/// is a slow one otherwise.
struct Block {
  Block(const dnnl::engine& engine, const AttentionShape& shape, std::uint32_t head_count, std::uint32_t row_count,
        std::uint32_t key_count) {
    const auto heads = static_cast<Memory::dim>(head_count);
    const auto rows = static_cast<Memory::dim>(row_count);
    const auto keys = static_cast<Memory::dim>(key_count);
    const auto dim = static_cast<Memory::dim>(shape.head_dim);
    const auto all = static_cast<Memory::dim>(shape.keys);
    const Memory::desc queries = describe_floats({heads, rows, dim}, {shape.queries * dim, dim, 1});
    const Memory::desc transposed_keys = describe_floats({heads, dim, keys}, {all * dim, 1, dim});
    const Memory::desc scores = describe_floats({heads, rows, keys}, {rows * keys, keys, 1});
    const Memory::desc values = describe_floats({heads, keys, dim}, {all * dim, dim, 1});
    dnnl::primitive_attr scaled;
    scaled.set_output_scales(0, {1.0F / std::sqrt(static_cast<float>(dim))});
    const dnnl::matmul::primitive_desc score_product({queries, transposed_keys, scores}, scaled, engine);
    const dnnl::softmax_forward::primitive_desc normalise({dnnl::prop_kind::forward_inference, scores, 2}, engine);
    const dnnl::matmul::primitive_desc value_product({scores, values, queries}, engine);
    score = dnnl::matmul(score_product);
    softmax = dnnl::softmax_forward(normalise);
    value = dnnl::matmul(value_product);
    query_memory = Memory(queries, engine, nullptr);
    key_memory = Memory(transposed_keys, engine, nullptr);
    score_memory = Memory(scores, engine, nullptr);
    value_memory = Memory(values, engine, nullptr);
    output_memory = Memory(queries, engine, nullptr);
  }

  dnnl::matmul score;
  dnnl::softmax_forward softmax;
  dnnl::matmul value;
  Memory query_memory, key_memory, score_memory, value_memory, output_memory;
};

class OneDnnCase {
 public:
  explicit OneDnnCase(const AttentionCase& same)
      : shape_(same.shape()),
        tensors_(same.tensors()),
        engine_(dnnl::engine::kind::cpu, 0),
        stream_(engine_),
        heads_at_once_(shape_.queries == 1 ? shape_.heads : 1),
        scores_(std::size_t{heads_at_once_} * std::min(row_block, shape_.queries) * shape_.keys),
        output_(std::size_t{shape_.heads} * shape_.queries * shape_.head_dim) {
    for (std::uint32_t first = 0; first < shape_.queries; first += row_block) {
      const std::uint32_t rows = std::min(row_block, shape_.queries - first);
      blocks_.emplace(first, Block(engine_, shape_, heads_at_once_, rows, keys_seen(shape_, first, rows)));
    }
  }

  void run() {
    for (std::uint32_t head = 0; head < shape_.heads; head += heads_at_once_) {
      for (std::uint32_t first = 0; first < shape_.queries; first += row_block) run_block(head, first);
    }
    stream_.wait();
  }

  [[nodiscard]] const Floats& output() const { return output_; }

 private:
  void run_block(std::uint32_t head, std::uint32_t first) {
    Block& block = blocks_.at(first);
    const std::size_t row_at = (std::size_t{head} * shape_.queries + first) * shape_.head_dim;
    const std::size_t keys_at = std::size_t{head} * shape_.keys * shape_.head_dim;
    block.query_memory.set_data_handle(const_cast<float*>(tensors_.query + row_at));
    block.key_memory.set_data_handle(const_cast<float*>(tensors_.key + keys_at));
    block.score_memory.set_data_handle(scores_.data());
    block.value_memory.set_data_handle(const_cast<float*>(tensors_.value + keys_at));
    block.output_memory.set_data_handle(output_.data() + row_at);
    block.score.execute(
        stream_,
        {{DNNL_ARG_SRC, block.query_memory}, {DNNL_ARG_WEIGHTS, block.key_memory}, {DNNL_ARG_DST, block.score_memory}});
    if (shape_.causal != Causal::none) mask(first);
    block.softmax.execute(stream_, {{DNNL_ARG_SRC, block.score_memory}, {DNNL_ARG_DST, block.score_memory}});
    block.value.execute(stream_, {{DNNL_ARG_SRC, block.score_memory},
                                  {DNNL_ARG_WEIGHTS, block.value_memory},
                                  {DNNL_ARG_DST, block.output_memory}});
  }

  void mask(std::uint32_t first) {
    stream_.wait();
    const std::uint32_t rows = std::min(row_block, shape_.queries - first);
    for (std::uint32_t row = 0; row < rows; ++row) {
      float* scores = scores_.data() + std::size_t{row} * (first + rows);
      std::fill(scores + first + row + 1, scores + first + rows, -std::numeric_limits<float>::infinity());
    }
  }

  AttentionShape shape_;
  Tensors tensors_;
  dnnl::engine engine_;
  dnnl::stream stream_;
  std::uint32_t heads_at_once_;
  Floats scores_;  ///< [heads_at_once, rows, keys]
  Floats output_;
  std::unordered_map<std::uint32_t, Block> blocks_;  ///< by first row
};

}  // namespace

Peer onednn_peer(const AttentionCase& same) {
  const auto peer = std::make_shared<OneDnnCase>(same);
  return local_peer(
      "onednn", PeerKind::library, work_of(same.shape()), [peer] { peer->run(); }, peer->output().data(),
      peer->output().size());
}

}  // namespace heed::bench
