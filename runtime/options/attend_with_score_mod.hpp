// SPDX-License-Identifier: MIT
//
// attend() with a function of your own on every score, compiled into the loop over the scores: link heed::kernels,
// which brings the headers of the runtime and of the port and the flags of both, include this header as
// "options/attend_with_score_mod.hpp" and call it from one of your source files. Nobody else pays for it.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "attention/attention_check.hpp"
#include "attention/launch.hpp"
#include "common/as_made.hpp"
#include "common/constants.hpp"
#include "common/validation.hpp"
#include "heed/options.hpp"
#include "options/option_rules.hpp"
#include "options/options_check.hpp"

namespace heed {

/// score = modifier(score, batch, head, query, key), behind the softcap and before masks and biases; `key` is the key's
/// number in its batch entry. It must depend on nothing else. Called for scores that the masks take out, too.
template <class Modifier>
concept ScoreMod = requires(const Modifier& modifier, float score, std::uint32_t index) {
  { modifier(score, index, index, index, index) }
  noexcept->std::same_as<float>;
};

namespace detail {

/// The options' rules, with a modifier behind the softcap.
template <ScoreMod Modifier>
class ModifiedRules {
 public:
  static constexpr bool has_options = true;

  ModifiedRules(const OptionRules& rules, const Modifier& modifier, std::uint32_t batch) noexcept
      : rules_(rules), modifier_(modifier), batch_(batch) {}

  [[nodiscard]] bool same_for_all() const noexcept { return rules_.same_for_all(); }
  [[nodiscard]] KeyRange visible(std::uint32_t query) const noexcept { return rules_.visible(query); }
  [[nodiscard]] bool have_holes() const noexcept { return rules_.have_holes(); }
  [[nodiscard]] bool change_scores() const noexcept { return true; }
  [[nodiscard]] KeyRange without_closed_ends(QueryRow row, std::uint32_t first_key, KeyRange keys) const noexcept {
    return rules_.without_closed_ends(row, first_key, keys);
  }
  template <class Function>
  void for_open_runs(QueryRow row, std::uint32_t first_key, KeyRange keys, Function f) const noexcept {
    rules_.for_open_runs(row, first_key, keys, f);
  }
  void hide(QueryRow row, KeyRange keys, float hidden, float* scores) const noexcept {
    rules_.hide(row, keys, hidden, scores);
  }
  [[nodiscard]] float* score_row(std::uint32_t batch, QueryRow row) const noexcept {
    return rules_.score_row(batch, row);
  }
  [[nodiscard]] float inverse(std::uint32_t head, float maximum, float sum) const noexcept {
    return rules_.inverse(head, maximum, sum);
  }
  void cap(const KeyBlock& block, const QueryRow* rows, float* room) const noexcept { rules_.cap(block, rows, room); }

  void bias(const KeyBlock& block, const QueryRow* rows, float* room) const noexcept {
    const ScoreStrides strides = score_strides(block);
    for (std::uint32_t r = 0; r < block.group.rows; ++r) {
      for (std::uint32_t key = block.any.begin; key < block.any.end; ++key) {
        float& score =
            block.scores[static_cast<std::ptrdiff_t>(r) * strides.row + static_cast<std::ptrdiff_t>(key) * strides.key];
        score = log2_e * modifier_(score * ln_2, batch_, rows[r].head, rows[r].query, block.first_key + key);
      }
    }
    rules_.bias(block, rows, room);
  }

 private:
  OptionRules rules_;
  const Modifier& modifier_;
  std::uint32_t batch_;
};

}  // namespace detail

/// attend() with options and a modifier. The same promises hold if the modifier gives the same bits everywhere.
/// Statuses: those of attend() with options.
template <ScoreMod Modifier>
[[nodiscard]] Status attend_with_score_mod(const AttentionPlan& plan, std::span<std::byte> arena,
                                           const AttentionInputs& inputs, const AttentionOptions& options,
                                           const AttentionOutputs& outputs, const Modifier& modifier,
                                           const Executor& executor = {}) noexcept {
  Status status = detail::check_attention(plan, inputs, options, outputs);
  if (status == Status::ok) status = detail::check_memory(arena, plan.bytes);
  if (status != Status::ok) return status;
  detail::expect_as_made(plan);
  const detail::AttentionRun run = detail::make_run(plan, inputs, outputs, inputs.query_count);
  detail::launch(
      run, arena.data(), executor,
      [&](std::uint32_t batch, std::uint32_t length) noexcept {
        return detail::ModifiedRules<Modifier>(detail::OptionRules(run, options, batch, length), modifier, batch);
      },
      [&](std::uint32_t batch, std::uint32_t kv_head) noexcept { return detail::FloatKeys(run, batch, kv_head); });
  return Status::ok;
}

}  // namespace heed
