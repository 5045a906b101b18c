// SPDX-License-Identifier: MIT
#include "support/attention_record.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>

#include "formats/safetensors_writer.hpp"
#include "support/failure.hpp"

namespace heed::tools {

namespace {

/// A GiB.
constexpr std::uint64_t most_kept_weights = std::uint64_t{1} << 28;

std::vector<std::string> numbers_up_to(std::uint32_t count) {
  std::vector<std::string> labels;
  for (std::uint32_t i = 0; i < count; ++i) labels.push_back(std::to_string(i));
  return labels;
}

}  // namespace

AttentionRecord::AttentionRecord(const AttentionFiles& files, const LoadedModel& model, BoundModel& bound)
    : files_(files),
      name_(std::filesystem::path(model.name()).filename().string()),
      config_(bound.model().plan().config),
      context_rows_(bound.model().plan().block.memory.max_cross_keys),
      replay_(with_option(files.asked(), [&] { return AttentionReplay(model, bound); })) {
  const bool cross = config_.block.cross_dim != 0;
  const std::uint64_t maps = std::uint64_t{config_.blocks} * config_.block.heads * (cross ? 2 : 1);
  if (!files.picture.empty() && maps > most_shown_weights) {
    throw Failure("--attention: " + std::to_string(maps) + " maps, and a picture has room for " +
                  std::to_string(most_shown_weights) + " weights");
  }
  kinds_.push_back({.stage = Stage::attention});
  if (cross) kinds_.push_back({.stage = Stage::cross_attention});
  for (Kind& kind : kinds_) kind.blocks.resize(config_.blocks);
}

void AttentionRecord::see(std::uint32_t block, Stage stage, const float* values, std::uint32_t rows) noexcept {
  if (!failed_.empty() || (stage != Stage::attention && stage != Stage::cross_attention)) return;
  try {
    keep(block, stage, values, rows);
  } catch (const Failure& failure) {
    failed_ = failure.message();
  } catch (const std::exception& error) {
    failed_ = error.what();
  }
}

/// A row of self-attention may see all rows so far, and every row of an encoder, which come at once.
void AttentionRecord::make_room(Kind& kind, std::uint32_t rows) const {
  kind.queries += rows;
  kind.keys = kind.stage == Stage::attention ? kind.queries : context_rows_;
  const std::uint64_t maps = std::uint64_t{config_.blocks} * config_.block.heads;
  std::uint64_t weights = 0;
  for (const Kind& each : kinds_) weights += std::uint64_t{each.queries} * each.keys;
  if (weights > most_kept_weights / maps) throw Failure("the weights exceed 1 GiB; fewer rows or tokens are needed");
}

void AttentionRecord::keep(std::uint32_t block, Stage stage, const float* values, std::uint32_t rows) {
  Kind& kind = kinds_[stage == Stage::attention ? 0 : 1];
  if (block == 0) make_room(kind, rows);
  kind.blocks[block].push_back(replay_.replay(block, stage, values, rows).weights);
}

/// Of a decoder, the keys after those of a pass are 0.
AttentionMaps AttentionRecord::joined(const Kind& kind) const {
  AttentionMaps maps;
  maps.title = kind.stage == Stage::attention ? "Self-attention" : "Cross-attention";
  maps.heads = config_.block.heads;
  maps.queries = kind.queries;
  maps.keys = kind.keys;
  for (const std::vector<AttentionWeights>& block : kind.blocks) {
    std::vector<float>& all = maps.blocks.emplace_back(std::size_t{maps.heads} * maps.queries * maps.keys);
    std::size_t first = 0;
    for (const AttentionWeights& pass : block) {
      for (std::size_t row = 0; row < std::size_t{maps.heads} * pass.queries; ++row) {
        const std::size_t head = row / pass.queries;
        const std::size_t query = first + row % pass.queries;
        std::copy_n(pass.values.data() + row * pass.keys, pass.keys,
                    all.data() + (head * maps.queries + query) * maps.keys);
      }
      first += pass.queries;
    }
  }
  return maps;
}

std::vector<std::string> AttentionRecord::notes() const {
  std::vector<std::string> notes{
      "A row is a query, a column is a key, and the weights of a row sum to 1. A block's heads share a scale. "
      "Grey is a weight of 0, as of keys that a row does not see."};
  const std::uint32_t group = config_.block.heads / config_.block.kv_heads;
  if (group != 1) {
    notes.push_back("Heads of keys and values: " + std::to_string(config_.block.kv_heads) + ", each shared by " +
                    std::to_string(group) + " heads, in their order.");
  }
  return notes;
}

void AttentionRecord::add_to(OutputFiles& files, const std::vector<std::string>& rows) {
  if (!failed_.empty()) throw Failure(files_.asked() + ": " + failed_);
  std::vector<AttentionMaps> kinds;
  SafetensorsWriter tensors;
  for (Kind& kind : kinds_) {
    kinds.push_back(joined(kind));
    kind.blocks.clear();
    AttentionMaps& maps = kinds.back();
    maps.rows = rows;
    maps.columns = kind.stage == Stage::attention ? rows : numbers_up_to(maps.keys);
    for (std::size_t block = 0; !files_.values.empty() && block < maps.blocks.size(); ++block) {
      tensors.add(std::to_string(block) + "." + to_string(kind.stage), {maps.heads, maps.queries, maps.keys},
                  maps.blocks[block].data());
    }
  }
  if (!files_.values.empty()) files.add(files_.values, tensors.take_bytes(), "--attention-values");
  if (files_.picture.empty()) return;
  files.add(files_.picture, to_svg(kinds, "Attention weights of " + name_, notes()), "--attention");
}

}  // namespace heed::tools
