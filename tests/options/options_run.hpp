// SPDX-License-Identifier: MIT
//
// Running an OptionsCase through the runtime: masks and biases in memory of just the size that their strides reach.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "options/options_case.hpp"
#include "support/cases.hpp"

namespace heed::test {

/// How the options lie in memory; none of it may change a bit.
struct OptionsManner {
  Manner base{};
  MaskFormat format = MaskFormat::bytes;
  std::uint32_t padding = 0;  ///< elements between two rows of a mask or bias
  bool backwards = false;     ///< rows, heads and batch entries follow each other towards lower addresses
};

/// A Broadcast with strides. Its memory ends with the last element, so that reading on is caught by a sanitizer.
template <class Element>
struct Strided {
  std::vector<Element> memory;
  const Element* data = nullptr;
  std::ptrdiff_t batch = 0, head = 0, query = 0;

  /// Rows of `width` elements, written by fill(row, b, h, i); between them lies `garbage`.
  template <class Source, class Fill>
  Strided(const Broadcast<Source>& from, std::size_t width, const OptionsManner& manner, Element garbage,
          const Fill& fill) {
    if (from.empty()) return;
    const std::size_t step = width + manner.padding;
    const std::size_t rows = std::size_t{from.batch} * from.heads * from.queries;
    memory.assign(std::max<std::size_t>((rows - 1) * step + width, 1), garbage);
    const auto place = [&](std::size_t row) {
      return memory.data() + (manner.backwards ? rows - 1 - row : row) * step;
    };
    std::size_t row = 0;
    for (std::uint32_t b = 0; b < from.batch; ++b)
      for (std::uint32_t h = 0; h < from.heads; ++h)
        for (std::uint32_t i = 0; i < from.queries; ++i) fill(place(row++), b, h, i);
    data = place(0);
    const std::ptrdiff_t stride = (manner.backwards ? -1 : 1) * static_cast<std::ptrdiff_t>(step);
    query = from.queries == 1 ? 0 : stride;
    head = from.heads == 1 ? 0 : stride * from.queries;
    batch = from.batch == 1 ? 0 : stride * from.queries * from.heads;
  }
};

inline Strided<std::uint8_t> lay_out(const Broadcast<std::uint8_t>& mask, const OptionsManner& manner) {
  constexpr std::uint8_t truths[] = {1, 0x80, 0xFF, 2};  // anything but 0
  const bool bits = manner.format == MaskFormat::bits;
  const std::size_t width = bits ? (mask.keys + 7) / 8 : mask.keys;
  const auto fill = [&](std::uint8_t* row, std::uint32_t b, std::uint32_t h, std::uint32_t i) {
    for (std::uint32_t j = 0; j < mask.keys; ++j) {
      const bool open = mask.at(b, h, i, j) != 0;
      if (!bits) row[j] = open ? truths[j % 4] : std::uint8_t{0};
      if (bits && !open) row[j / 8] = static_cast<std::uint8_t>(row[j / 8] & ~(1U << (j % 8)));
    }
  };
  return Strided<std::uint8_t>(mask, width, manner, 0xFF, fill);
}

inline Strided<float> lay_out(const Broadcast<float>& bias, const OptionsManner& manner) {
  const auto fill = [&](float* row, std::uint32_t b, std::uint32_t h, std::uint32_t i) {
    for (std::uint32_t j = 0; j < bias.keys; ++j) row[j] = bias.at(b, h, i, j);
  };
  return Strided<float>(bias, bias.keys, manner, std::numeric_limits<float>::quiet_NaN(), fill);
}

/// AttentionOptions and the memory that they point to.
struct LaidOutOptions {
  Strided<std::uint8_t> bool_mask;
  Strided<float> mask, pre_softcap_bias;
  AttentionOptions options;

  LaidOutOptions(const OptionsCase& c, const OptionsManner& manner)
      : bool_mask(lay_out(c.bool_mask, manner)),
        mask(lay_out(c.mask, manner)),
        pre_softcap_bias(lay_out(c.pre_softcap_bias, manner)) {
    if (!c.offsets.empty()) options.causal_offsets = c.offsets.data();
    if (!c.query_lengths.empty()) options.query_lengths = c.query_lengths.data();
    if (!c.prefix_lengths.empty()) options.prefix_lengths = c.prefix_lengths.data();
    options.left_window = static_cast<std::uint32_t>(c.window_left) + 1;  // of -1: all
    options.right_window = static_cast<std::uint32_t>(c.window_right) + 1;
    options.bool_mask = {bool_mask.data,  bool_mask.batch,  bool_mask.head,
                         bool_mask.query, c.bool_mask.keys, manner.format};
    options.additive_mask = {{mask.data, mask.batch, mask.head, mask.query}, c.mask.keys};
    options.pre_softcap_bias = {
        {pre_softcap_bias.data, pre_softcap_bias.batch, pre_softcap_bias.head, pre_softcap_bias.query},
        c.pre_softcap_bias.keys};
    options.softcap = c.softcap;
    if (!c.slopes.empty()) options.alibi_slopes = c.slopes.data();
    if (!c.relative.empty()) {
      const std::size_t width = std::size_t{c.left} + 1 + c.right;
      options.relative_bias = {c.relative.data(), c.relative_heads == 1 ? 0 : static_cast<std::ptrdiff_t>(width),
                               c.left, c.right};
    }
    if (!c.sinks.empty()) options.sink_logits = c.sinks.data();
    options.smooth_softmax = c.smooth_softmax;
  }
};

/// Of a case that may be refused.
inline Result try_run(const OptionsCase& c, const OptionsManner& manner = {}) {
  const LaidOutOptions laid_out(c, manner);
  return run_by(c.base, manner.base,
                [&](const auto& plan, auto arena, const auto& in, const auto& out, const auto& executor) {
                  return attend(plan, arena, in, laid_out.options, out, executor);
                });
}

/// Of a case that must not be.
inline Result run(const OptionsCase& c, const OptionsManner& manner = {}) {
  Result result = try_run(c, manner);
  EXPECT_EQ(result.status, Status::ok);
  return result;
}

}  // namespace heed::test
