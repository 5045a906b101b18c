// SPDX-License-Identifier: MIT
//
// Options whose every array touches a forbidden page.
#pragma once

#include <algorithm>
#include <vector>

#include "guard/guarded.hpp"
#include "options/options_run.hpp"

namespace heed::test {

template <class Element>
const Element* guarded_copy(const GuardedMemory& to, const std::vector<Element>& from, Edge edge) {
  if (from.empty()) return nullptr;
  const std::span<std::byte> memory = to.place(from.size() * sizeof(Element), edge);
  std::memcpy(memory.data(), from.data(), memory.size());
  return reinterpret_cast<const Element*>(memory.data());
}

class GuardedOptionArrays {
 public:
  /// What `laid_out` has, in guarded memory; valid until the next call.
  AttentionOptions place(const OptionsCase& c, const LaidOutOptions& laid_out, Edge edge) {
    AttentionOptions options = laid_out.options;
    options.causal_offsets = guarded_copy(offsets_, c.offsets, edge);
    options.query_lengths = guarded_copy(query_lengths_, c.query_lengths, edge);
    options.prefix_lengths = guarded_copy(prefix_lengths_, c.prefix_lengths, edge);
    options.alibi_slopes = guarded_copy(slopes_, c.slopes, edge);
    options.relative_bias.values = guarded_copy(relative_, c.relative, edge);
    options.sink_logits = guarded_copy(sinks_, c.sinks, edge);
    options.bool_mask.data = place(bool_mask_, laid_out.bool_mask, edge);
    options.additive_mask.data.data = place(mask_, laid_out.mask, edge);
    options.pre_softcap_bias.data.data = place(pre_cap_bias_, laid_out.pre_softcap_bias, edge);
    return options;
  }

 private:
  template <class Element>
  static const Element* place(const GuardedMemory& to, const Strided<Element>& from, Edge edge) {
    if (from.data == nullptr) return nullptr;
    return guarded_copy(to, from.memory, edge) + (from.data - from.memory.data());
  }

  static constexpr std::size_t plenty = std::size_t{4} << 20;
  GuardedMemory offsets_{64}, query_lengths_{64}, prefix_lengths_{64}, slopes_{256}, sinks_{256}, relative_{plenty};
  GuardedMemory bool_mask_{plenty}, mask_{plenty}, pre_cap_bias_{plenty};
};

}  // namespace heed::test
