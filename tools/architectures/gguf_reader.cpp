// SPDX-License-Identifier: MIT
#include "architectures/gguf_reader.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "architectures/architectures.hpp"
#include "architectures/gguf_architectures.hpp"
#include "architectures/gguf_names.hpp"
#include "formats/gguf_numbers.hpp"
#include "support/data_types.hpp"
#include "support/failure.hpp"
#include "tensors/family_match.hpp"
#include "tensors/model_reader.hpp"
#include "tensors/stored_tensor.hpp"

namespace heed::tools {

namespace {

/// The types of the matrices that a model file has in one type, and a tensor of each.
struct MatrixKind {
  const char* member;                                                            ///< of the block or of the model
  std::map<std::string, std::pair<const NumberFormat*, std::string>> formats{};  ///< by their names
  std::string folded{};  ///< a tensor with quantized numbers that are multiplied on their way
};

MatrixKind& kind_of(std::string_view role, bool tied, MatrixKind (&kinds)[3]) {
  if (role == "input" || (role == "head" && tied)) return kinds[1];
  return role == "head" ? kinds[2] : kinds[0];
}

/// `scaled`: the numbers are multiplied on their way.
void add_formats(const FamilyName& name, bool scaled, std::uint32_t blocks, const WeightFile& file, MatrixKind& kind) {
  const bool of_block = std::string_view(name.pattern).find("{}") != std::string_view::npos;
  for (std::uint32_t block = 0; block < (of_block ? blocks : 1); ++block) {
    const std::string tensor = with_block(name.pattern, block);
    if (!file.has(tensor)) return;  // what is needed and missing is refused later
    const StoredNumbers stored = file.stored(tensor);
    if (stored.shape.size() != 2) return;
    if (scaled && stored.format->numbers > 1) kind.folded = tensor;
    // A product of two numbers of 16 bits takes more.
    const NumberFormat* const format = scaled && stored.format->numbers == 1 ? &float32_numbers : stored.format;
    kind.formats.emplace(format->name, std::pair(format, tensor));
  }
}

/// The smallest type that holds all numbers; nothing if only float32 would, of which some are quantized.
std::optional<DataType> exact_type(const MatrixKind& kind) {
  const auto only = [&](std::set<const NumberFormat*> allowed) {
    return std::all_of(kind.formats.begin(), kind.formats.end(),
                       [&](const auto& format) { return allowed.contains(format.second.first); });
  };
  if (!kind.folded.empty()) return {};
  if (only({&float32_numbers, &float16_numbers, &bfloat16_numbers})) {
    if (only({&float16_numbers})) return DataType::float16;
    return only({&bfloat16_numbers}) ? DataType::bfloat16 : DataType::float32;
  }
  if (only({&q4_0_numbers})) return DataType::int4_groups;
  if (only({&q4_0_numbers, &q5_0_numbers, &q8_0_numbers})) return DataType::int8_groups;
  return {};
}

Failure inexact(const MatrixKind& kind, const WeightFile& file) {
  std::string text;
  for (const auto& [name, of] : kind.formats) {
    text += (text.empty() ? "" : ", ") + std::string("tensor ") + of.second + " is " + name;
  }
  if (!kind.folded.empty()) text += ", and " + kind.folded + " is multiplied by a number of the architecture";
  return Failure(file.name() + ": " + text + ": no type of few bits holds these numbers as they are; " +
                 "--requantize TYPE rounds them anew, --weight-type float32 keeps them");
}

/// Says in the architecture which type each kind of matrices has.
void put_types(PublishedModel& model, const WeightFile& file, std::optional<DataType> requantize) {
  const bool tied = model.architecture.at("tied_head");
  MatrixKind kinds[] = {{"weight_type"}, {"input_type"}, {"head_type"}};
  for (const FamilyName& name : model.family.names) {
    if (std::string_view(name.role) == "positions") continue;
    const bool scaled =
        name.fold.scale != 1.0 || (model.family.query_scale.scale != 1.0 && begins_with_queries(name.role));
    add_formats(name, scaled, model.architecture.at("blocks"), file, kind_of(name.role, tied, kinds));
  }
  for (const MatrixKind& kind : kinds) {
    if (kind.formats.empty()) continue;
    const std::optional<DataType> exact = exact_type(kind);
    if (!exact && !requantize) throw inexact(kind, file);
    nlohmann::json& place = kind.member == kinds[0].member ? model.architecture["block"] : model.architecture;
    place[kind.member] = to_word(exact ? *exact : *requantize);
  }
}

}  // namespace

ModelTensors read_gguf_model(const std::shared_ptr<const WeightFile>& file, bool allow_unused, const StoredTypes& types,
                             std::optional<DataType> requantize) {
  GgufArchitecture found = read_gguf_architecture(file->gguf()->metadata(), *file);
  PublishedModel published = read_published_model(PublishedConfig(std::move(found.config), file->name()), "");
  give_gguf_names(published.family, found.pairs);
  published.notes.clear();
  for (std::string& note : found.notes) published.notes.push_back(std::move(note));
  StoredTypes chosen = types;
  const bool integers = types.rows.value_or(DataType::float32) != DataType::float32;
  if (integers && requantize) chosen.weights = requantize;
  if (!chosen.weights) put_types(published, *file, requantize);
  ModelDescription model = describe_published(std::move(published), *file, chosen, file->name());
  model.requantize = requantize.has_value();
  return read_model_tensors(model, file, allow_unused);
}

}  // namespace heed::tools
