// SPDX-License-Identifier: MIT
//
// What a user writes on OpenBLAS: sgemm, a softmax per row, sgemm; sgemv for a single query. The softmax is this
// library's own kernel, so that the comparison is about fusing and not about exp.
#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <kernels/softmax.hpp>

#include "peer.hpp"

namespace heed::bench {
namespace {

class OpenBlasCase {
 public:
  explicit OpenBlasCase(const AttentionCase& same)
      : shape_(same.shape()),
        tensors_(same.tensors()),
        padded_keys_(static_cast<std::uint32_t>(round_up(shape_.keys, panel_width))),
        scores_(std::size_t{row_block} * padded_keys_),
        output_(std::size_t{shape_.heads} * shape_.queries * shape_.head_dim) {
    openblas_set_num_threads(1);
  }

  void run() {
    for (std::uint32_t head = 0; head < shape_.heads; ++head) {
      for (std::uint32_t first = 0; first < shape_.queries; first += row_block) {
        if (shape_.queries == 1) {
          run_one_row(head);
        } else {
          run_rows(head, first, std::min(row_block, shape_.queries - first));
        }
      }
    }
  }

  [[nodiscard]] const Floats& output() const { return output_; }

 private:
  [[nodiscard]] std::size_t row_at(std::uint32_t head, std::uint32_t row) const {
    return (std::size_t{head} * shape_.queries + row) * shape_.head_dim;
  }
  [[nodiscard]] std::size_t keys_at(std::uint32_t head) const {
    return std::size_t{head} * shape_.keys * shape_.head_dim;
  }
  /// The softmax is taken in base 2.
  [[nodiscard]] float scale() const { return 1.44269504F / std::sqrt(static_cast<float>(shape_.head_dim)); }

  void softmax(float* row, std::uint32_t keys) {
    float maximum = 0;
    float sum = 0;
    detail::softmax_row(row, {0, keys}, maximum, sum);
    const float factor = 1.0F / sum;
    for (std::uint32_t key = 0; key < keys; ++key) row[key] *= factor;
  }

  void run_one_row(std::uint32_t head) {
    const auto dim = static_cast<int>(shape_.head_dim);
    const auto keys = static_cast<int>(shape_.keys);
    cblas_sgemv(CblasRowMajor, CblasNoTrans, keys, dim, scale(), tensors_.key + keys_at(head), dim,
                tensors_.query + row_at(head, 0), 1, 0.0F, scores_.data(), 1);
    softmax(scores_.data(), shape_.keys);
    cblas_sgemv(CblasRowMajor, CblasTrans, keys, dim, 1.0F, tensors_.value + keys_at(head), dim, scores_.data(), 1,
                0.0F, output_.data() + row_at(head, 0), 1);
  }

  void run_rows(std::uint32_t head, std::uint32_t first, std::uint32_t rows) {
    const auto dim = static_cast<int>(shape_.head_dim);
    const auto width = static_cast<int>(padded_keys_);
    const std::uint32_t seen = keys_seen(shape_, first, rows);
    const auto keys = static_cast<int>(seen);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<int>(rows), keys, dim, scale(),
                tensors_.query + row_at(head, first), dim, tensors_.key + keys_at(head), dim, 0.0F, scores_.data(),
                width);
    for (std::uint32_t row = 0; row < rows; ++row) {
      float* scores = scores_.data() + std::size_t{row} * padded_keys_;
      const std::uint32_t visible = shape_.causal == Causal::none ? seen : first + row + 1;
      softmax(scores, visible);
      std::fill(scores + visible, scores + seen, 0.0F);
    }
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<int>(rows), dim, keys, 1.0F, scores_.data(),
                width, tensors_.value + keys_at(head), dim, 0.0F, output_.data() + row_at(head, first), dim);
  }

  AttentionShape shape_;
  Tensors tensors_;
  std::uint32_t padded_keys_;
  Floats scores_;  ///< [row_block, padded_keys]
  Floats output_;
};

}  // namespace

Peer openblas_peer(const AttentionCase& same) {
  const auto peer = std::make_shared<OpenBlasCase>(same);
  return local_peer(
      "openblas", PeerKind::library, work_of(same.shape()), [peer] { peer->run(); }, peer->output().data(),
      peer->output().size());
}

}  // namespace heed::bench
