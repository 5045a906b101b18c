// SPDX-License-Identifier: MIT
#include "options/option_policy.hpp"

#include <kernels/exp2.hpp>

#include "attention/causal_masking.hpp"
#include "common/constants.hpp"
#include "common/key_range.hpp"
#include "options/options_check.hpp"

namespace heed::detail {
namespace {

/// One row of one batch entry's part of a tensor.
[[nodiscard]] const float* row_of(const float* batch_entry, const ConstTensor& tensor, QueryRow row) noexcept {
  return batch_entry + static_cast<std::ptrdiff_t>(row.head) * tensor.head_stride +
         static_cast<std::ptrdiff_t>(row.query) * tensor.row_stride;
}

[[nodiscard]] BoolRow row_of(const std::uint8_t* batch_entry, const BoolMask& mask, QueryRow row) noexcept {
  return {batch_entry + static_cast<std::ptrdiff_t>(row.head) * mask.head_stride +
              static_cast<std::ptrdiff_t>(row.query) * mask.query_stride,
          mask.format};
}

[[nodiscard]] const float* batch_entry(const ScoreBias& bias, std::uint32_t batch) noexcept {
  return bias.data.data == nullptr ? nullptr : bias.data.row(batch, 0, 0);
}

/// lane 0 of exp2(x), x <= 0.
[[nodiscard]] float exp2_of(float x) noexcept {
  float lanes[panel_width];
  port::store(lanes, exp2_nonpositive(port::set(x)));
  return lanes[0];
}

}  // namespace

OptionPolicy::OptionPolicy(const AttentionRun& run, std::uint32_t batch, std::uint32_t key_length) noexcept
    : run_(run),
      options_(*run.options),
      query_length_(options_.query_lengths != nullptr ? options_.query_lengths[batch] : run.inputs->query_count),
      key_length_(key_length),
      prefix_length_(options_.prefix_lengths != nullptr ? options_.prefix_lengths[batch] : 0),
      causal_(run.inputs->causal != Causal::none),
      softcaps_(options_.softcap != 0.0F || options_.pre_softcap_bias.data.data != nullptr),
      additive_mask_(batch_entry(options_.additive_mask, batch)),
      pre_softcap_bias_(batch_entry(options_.pre_softcap_bias, batch)) {
  first_position_ = first_query_position(
      run.inputs->causal,
      options_.causal_offsets != nullptr ? options_.causal_offsets[batch] : run.inputs->causal_offset, key_length,
      query_length_);
  if (options_.bool_mask.data != nullptr) {
    bool_mask_ = options_.bool_mask.data + static_cast<std::ptrdiff_t>(batch) * options_.bool_mask.batch_stride;
    key_length_ = least(key_length_, options_.bool_mask.key_count);
  }
  if (additive_mask_ != nullptr) key_length_ = least(key_length_, options_.additive_mask.key_count);
  biases_ = additive_mask_ != nullptr || options_.alibi_slopes != nullptr || options_.relative_bias.values != nullptr;
  same_for_all_ = !causal_ && !has_masks() && options_.query_lengths == nullptr && options_.left_window == 0 &&
                  options_.right_window == 0;
}

KeyRange OptionPolicy::visible(std::uint32_t query) const noexcept {
  if (query >= query_length_) return {};
  const std::int64_t position = query + first_position_;
  std::int64_t begin = 0;
  std::int64_t end = key_length_;
  if (causal_) {
    const std::int64_t seen = position + 1 > prefix_length_ ? position + 1 : prefix_length_;
    if (seen < end) end = seen;
  }
  if (options_.right_window != 0 && position + options_.right_window < end) end = position + options_.right_window;
  if (options_.left_window != 0 && position + 1 > options_.left_window) begin = position + 1 - options_.left_window;
  if (begin >= end) return {};
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

bool OptionPolicy::masked(QueryRow row, std::uint32_t key) const noexcept {
  if (bool_mask_ != nullptr && !row_of(bool_mask_, options_.bool_mask, row).open(key)) return true;
  return additive_mask_ != nullptr && row_of(additive_mask_, options_.additive_mask.data, row)[key] * log2_e < lowest;
}

void OptionPolicy::prefetch_mask(QueryRow row, std::uint32_t first_key) const noexcept {
  const void* from = nullptr;
  std::uint32_t bytes = block_keys;
  if (additive_mask_ != nullptr) {
    from = row_of(additive_mask_, options_.additive_mask.data, row) + first_key;
  } else if (bool_mask_ != nullptr) {
    const BoolRow mask = row_of(bool_mask_, options_.bool_mask, row);
    const std::uint32_t keys_of_a_byte = mask.format == MaskFormat::bits ? 8 : 1;
    from = mask.data + first_key / keys_of_a_byte;
    bytes /= keys_of_a_byte;
  } else {
    return;
  }
  for (std::uint32_t at = 0; at < bytes; at += arena_alignment) {
    port::prefetch(static_cast<const float*>(from), static_cast<std::ptrdiff_t>(at / sizeof(float)));
  }
}

KeyRange OptionPolicy::trim_masked_ends(QueryRow row, std::uint32_t first_key, KeyRange keys) const noexcept {
  if (keys.empty() || !has_masks()) return keys;
  if (bool_mask_ != nullptr) {
    const BoolRow mask = row_of(bool_mask_, options_.bool_mask, row);
    keys.begin += closed_at_begin(mask, first_key + keys.begin, keys.end - keys.begin);
    keys.end -= closed_at_end(mask, first_key + keys.begin, keys.end - keys.begin);
    if (additive_mask_ == nullptr) return keys;
  }
  while (keys.begin < keys.end && masked(row, first_key + keys.begin)) ++keys.begin;
  while (keys.begin < keys.end && masked(row, first_key + keys.end - 1)) --keys.end;
  return keys;
}

bool OptionPolicy::has_hole(QueryRow row, std::uint32_t first_key, KeyRange keys) const noexcept {
  if (additive_mask_ != nullptr) return true;
  if (bool_mask_ == nullptr || keys.empty()) return false;
  return has_closed(row_of(bool_mask_, options_.bool_mask, row), first_key + keys.begin, keys.end - keys.begin);
}

KeyRange OptionPolicy::next_unmasked_run(QueryRow row, std::uint32_t first_key, KeyRange keys) const noexcept {
  while (keys.begin < keys.end && masked(row, first_key + keys.begin)) ++keys.begin;
  std::uint32_t end = keys.begin;
  while (end < keys.end && !masked(row, first_key + end)) ++end;
  return {keys.begin, end};
}

float* OptionPolicy::score_row(std::uint32_t batch, QueryRow row) const noexcept {
  // What is before the first one wraps around to a large number.
  const ScoreSelection& wanted = options_.score_selection;
  const std::uint32_t head = row.head - wanted.first_head;
  const std::uint32_t query = row.query - wanted.first_query;
  if (head >= selected(wanted.head_count, wanted.first_head, run_.plan->config.heads)) return nullptr;
  if (query >= selected(wanted.query_count, wanted.first_query, run_.inputs->query_count)) return nullptr;
  return run_.outputs->scores.row(batch, head, query);
}

void OptionPolicy::hide_masked(QueryRow row, KeyRange keys, float hidden, float* scores) const noexcept {
  if (bool_mask_ != nullptr) {
    const BoolRow mask = row_of(bool_mask_, options_.bool_mask, row);
    for (std::uint32_t key = keys.begin; key < keys.end; ++key) scores[key] = mask.open(key) ? scores[key] : hidden;
  }
  if (additive_mask_ != nullptr) {
    const float* mask = row_of(additive_mask_, options_.additive_mask.data, row);
    for (std::uint32_t key = keys.begin; key < keys.end; ++key) {
      scores[key] = mask[key] * log2_e < lowest ? hidden : scores[key];
    }
  }
}

void OptionPolicy::softcap_scores(const KeyBlock& block, const QueryRow* rows, float* block_work) const noexcept {
  if (!softcaps_) return;
  if (pre_softcap_bias_ != nullptr) {
    NumberRows bias;
    for (std::uint32_t r = 0; r < block.group.rows; ++r) {
      bias.of[r] = row_of(pre_softcap_bias_, options_.pre_softcap_bias.data, rows[r]);
    }
    add_bias(block, block.scored, bias, options_.pre_softcap_bias.key_count, block_work);
  }
  if (options_.softcap != 0.0F) cap_scores(block, block.scored, options_.softcap);
}

void OptionPolicy::bias_scores(const KeyBlock& block, const QueryRow* rows, float* block_work) const noexcept {
  if ((!biases_ && !block.holes) || block.any.empty()) return;
  bias_by_position(block, rows, block_work);
  add_masks(block, rows, block_work);
}

void OptionPolicy::bias_by_position(const KeyBlock& block, const QueryRow* rows, float* block_work) const noexcept {
  const std::uint32_t count = block.group.rows;
  std::int64_t positions[panel_width];
  for (std::uint32_t r = 0; r < count; ++r) positions[r] = rows[r].query + first_position_;
  if (options_.alibi_slopes != nullptr) {
    float slopes[panel_width];
    for (std::uint32_t r = 0; r < count; ++r) slopes[r] = options_.alibi_slopes[rows[r].head] * log2_e;
    add_slopes(block, block.any, slopes, positions);
  }
  if (options_.relative_bias.values != nullptr) {
    NumberRows numbers;
    for (std::uint32_t r = 0; r < count; ++r) {
      numbers.of[r] = options_.relative_bias.values +
                      static_cast<std::ptrdiff_t>(rows[r].head) * options_.relative_bias.head_stride;
    }
    add_relative(block, block.any, numbers, options_.relative_bias, positions, block_work);
  }
}

void OptionPolicy::add_masks(const KeyBlock& block, const QueryRow* rows, float* block_work) const noexcept {
  const std::uint32_t count = block.group.rows;
  if (additive_mask_ != nullptr) {
    NumberRows numbers;
    for (std::uint32_t r = 0; r < count; ++r)
      numbers.of[r] = row_of(additive_mask_, options_.additive_mask.data, rows[r]);
    add_mask(block, block.any, numbers, block_work);
  }
  if (bool_mask_ != nullptr && block.holes) {
    BoolRow masks[panel_width];
    for (std::uint32_t r = 0; r < count; ++r) masks[r] = row_of(bool_mask_, options_.bool_mask, rows[r]);
    close_scores(block, block.any, masks, block_work);
  }
}

float OptionPolicy::inverse_of_sum(std::uint32_t head, float maximum, float sum) const noexcept {
  if (options_.sink_logits == nullptr && !options_.smooth_softmax) return 1.0F / sum;
  const float sink = options_.sink_logits != nullptr ? options_.sink_logits[head] * log2_e : 0.0F;
  const float greatest = maximum > sink ? maximum : sink;
  const float factor = exp2_of(maximum - greatest);
  return factor / port::fused(sum, factor, exp2_of(sink - greatest));
}

}  // namespace heed::detail
