// SPDX-License-Identifier: MIT
//
// oneDNN's matmul of int8 by int8: weights in the order that it asks for, one scale per output, known beforehand: with
// scales that are known at the call alone it takes slower code. It has no scale for each row: the whole x shares one,
// by which y is multiplied here.
#include <algorithm>
#include <bit>
#include <cmath>
#include <dnnl.hpp>

#include "product_case.hpp"
#include "product_peers.hpp"

namespace heed::bench {
namespace {

using Memory = dnnl::memory;
using Type = Memory::data_type;
using Tag = Memory::format_tag;

/// The greatest |x|: integers compare as the magnitudes of floats do, and in vectors.
[[nodiscard]] float greatest_magnitude(const Floats& x) {
  std::uint32_t greatest = 0;
  for (const float value : x) greatest = std::max(greatest, std::bit_cast<std::uint32_t>(value) & 0x7FFFFFFFU);
  return std::bit_cast<float>(greatest);
}

class OneDnnProduct {
 public:
  explicit OneDnnProduct(const ProductCase& same)
      : same_(same),
        engine_(dnnl::engine::kind::cpu, 0),
        stream_(engine_),
        rounded_(same.x().size()),
        y_(same.y().size()) {
    const auto rows = static_cast<Memory::dim>(same.shape().rows);
    const auto dim = static_cast<Memory::dim>(same.shape().dim);
    const Memory::desc floats({rows, dim}, Type::f32, Tag::ab);
    const Memory::desc bytes({rows, dim}, Type::s8, Tag::ab);
    const Memory::desc asked({dim, dim}, Type::s8, Tag::any);
    dnnl::primitive_attr scaled;
    constexpr int per_output = 1 << 1;
    scaled.set_output_scales(per_output, {same.scales().begin(), same.scales().end()});
    const dnnl::matmul::primitive_desc product({bytes, asked, floats}, scaled, engine_);
    dnnl::primitive_attr steps;
    steps.set_output_scales(0, {DNNL_RUNTIME_F32_VAL});
    round_ = dnnl::reorder(dnnl::reorder::primitive_desc(engine_, floats, engine_, bytes, steps));
    multiply_ = dnnl::matmul(product);
    x_memory_ = Memory(floats, engine_, const_cast<float*>(same.x().data()));
    steps_memory_ = Memory({{1}, Type::f32, Tag::x}, engine_, &steps_);
    rounded_memory_ = Memory(bytes, engine_, rounded_.data());
    y_memory_ = Memory(floats, engine_, y_.data());
    // As they lie: [outputs, inputs].
    Memory weights({{dim, dim}, Type::s8, Tag::ba}, engine_, const_cast<std::int8_t*>(same.weights().data()));
    weight_memory_ = Memory(product.weights_desc(), engine_);
    dnnl::reorder(weights, weight_memory_).execute(stream_, weights, weight_memory_);
    stream_.wait();
  }

  void round() {
    const float greatest = greatest_magnitude(same_.x());
    steps_ = 127 / greatest;
    round_.execute(
        stream_,
        {{DNNL_ARG_FROM, x_memory_}, {DNNL_ARG_TO, rounded_memory_}, {DNNL_ARG_ATTR_OUTPUT_SCALES, steps_memory_}});
    step_ = greatest / 127;
  }

  void multiply() {
    multiply_.execute(stream_,
                      {{DNNL_ARG_SRC, rounded_memory_}, {DNNL_ARG_WEIGHTS, weight_memory_}, {DNNL_ARG_DST, y_memory_}});
    stream_.wait();
    for (float& y : y_) y *= step_;
  }

  [[nodiscard]] const Floats& y() const { return y_; }

 private:
  const ProductCase& same_;
  dnnl::engine engine_;
  dnnl::stream stream_;
  std::vector<std::int8_t> rounded_;
  Floats y_;
  float steps_ = 0;  ///< of a unit of x
  float step_ = 0;
  dnnl::reorder round_;
  dnnl::matmul multiply_;
  Memory x_memory_, steps_memory_, rounded_memory_, weight_memory_, y_memory_;
};

}  // namespace

Peer onednn_product_peer(const ProductCase& same, bool rounded_before) {
  const auto peer = std::make_shared<OneDnnProduct>(same);
  peer->round();
  const Call all = [peer] {
    peer->round();
    peer->multiply();
  };
  return local_peer(rounded_before ? "oneDNN, rounded before" : "oneDNN", PeerKind::library, work_of(same.shape()),
                    rounded_before ? Call([peer] { peer->multiply(); }) : all, peer->y().data(), peer->y().size());
}

}  // namespace heed::bench
