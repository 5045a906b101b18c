// SPDX-License-Identifier: MIT
#include "options/causal_option.hpp"

#include <charconv>
#include <system_error>

#include "support/failure.hpp"

namespace heed::tools {

namespace {

/// A rule's name or a number, for either option.
CausalMask parse_alignment(const std::string& option, const std::string& text, const char* names) {
  if (text == "top-left") return {true, Alignment::number, 0};
  if (text == "bottom-right") return {true, Alignment::bottom_right, 0};
  if (text == "onnx") return {true, Alignment::onnx, 0};
  CausalMask mask{true, Alignment::number, 0};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, mask.offset);
  if (error != std::errc{} || rest != end) {
    throw Failure(option + " " + text + ": neither " + names + " nor a whole number of 32 bits");
  }
  return mask;
}

}  // namespace

CausalMask parse_causal(const std::string& causal, const std::string& position, std::uint32_t past) {
  if (causal.empty()) return parse_causal("top-left", position, past);
  if (causal != "none") {
    if (!position.empty()) throw Failure("--query-position " + position + " needs --causal none");
    return parse_alignment("--causal", causal, "none, top-left, bottom-right, onnx");
  }
  CausalMask mask{false, Alignment::number, static_cast<std::int32_t>(past)};
  if (!position.empty()) mask = parse_alignment("--query-position", position, "top-left, bottom-right, onnx");
  mask.hides = false;
  return mask;
}

std::vector<std::int32_t> query_offsets(const CausalMask& mask, const BatchLengths& lengths) {
  std::vector<std::int32_t> offsets;
  for (std::size_t b = 0; b < lengths.batch; ++b) {
    const std::uint32_t keys = lengths.key_lengths.empty() ? lengths.keys : lengths.key_lengths[b];
    const std::uint32_t queries = lengths.query_lengths.empty() ? lengths.queries : lengths.query_lengths[b];
    std::int64_t offset = mask.offset;
    if (mask.alignment == Alignment::bottom_right) {
      offset = std::int64_t{keys} - queries;
    } else if (mask.alignment == Alignment::onnx) {
      offset = lengths.key_lengths.empty() ? 0 : std::int64_t{keys} - lengths.queries;
      if (lengths.past) offset = *lengths.past;
    }
    offsets.push_back(static_cast<std::int32_t>(offset));
  }
  return offsets;
}

}  // namespace heed::tools
