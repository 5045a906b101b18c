// SPDX-License-Identifier: MIT
#include "architectures/encoder_ends.hpp"

#include "architectures/common_members.hpp"
#include "support/failure.hpp"

namespace heed::tools {

namespace {

void add_pooler(const PoolerNames& names, PublishedModel& model) {
  model.architecture["pooler"] = names.activation;
  model.family.names.push_back({"pooler", names.weight});
  model.family.names.push_back({"pooler_bias", names.bias});
}

/// What a classifier tells apart: as many as id2label names, else num_labels, else two.
std::uint32_t take_labels(PublishedConfig& config) {
  config.leave({"label2id"});
  const std::uint32_t said = config.take_count("num_labels", 2);
  const std::optional<nlohmann::json> labels = config.take("id2label");
  if (!labels) return said;
  if (!labels->is_object() || labels->empty()) {
    throw config.refused("id2label", "an object with a name for each label is needed");
  }
  return static_cast<std::uint32_t>(labels->size());
}

std::string in_a_row(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

EncoderClass take_encoder_class(PublishedConfig& config, const std::vector<EncoderClass>& classes) {
  const std::optional<std::vector<std::string>> said = config.take_words("architectures");
  if (!said) return classes.front();
  std::vector<std::string> known;
  for (const EncoderClass& one : classes) {
    if (said->size() == 1 && said->front() == one.name) return one;
    known.push_back(one.name);
  }
  throw config.refused("architectures", (said->empty() ? "nothing" : in_a_row(*said)) + " is said, and " +
                                            in_a_row(known) + " are supported");
}

std::string choose_part(const std::string& part, const std::vector<std::string>& parts, const std::string& name) {
  if (part.empty()) return parts.front();
  for (const std::string& known : parts) {
    if (part == known) return part;
  }
  throw Failure("--part " + part + ": " + name + " has " + in_a_row(parts));
}

void add_encoder_end(PublishedConfig& config, EncoderEnd end, const std::string& part, const PoolerNames* in_rows,
                     const PoolerNames* in_sequence, PublishedModel& model) {
  if (end == EncoderEnd::masked && part.empty()) {
    throw Failure("--part is required: the head of " + model.name + " is not supported, and its encoder has rows" +
                  (in_rows == nullptr ? "" : ", pooler"));
  }
  const bool headed = end != EncoderEnd::rows && end != EncoderEnd::masked;
  const bool rows = !headed && in_rows != nullptr;
  const std::string chosen = choose_part(
      part, rows ? std::vector<std::string>{"rows", "pooler"} : std::vector<std::string>{headed ? "head" : "rows"},
      model.name);
  const std::uint32_t labels = take_labels(config);
  if (headed) {
    model.architecture["outputs"] = labels;
  } else {
    remove_names(model.family, {"head", "head_bias"});
  }
  const bool every = end == EncoderEnd::tokens || chosen == "rows";
  model.architecture["pooling"] = every ? "every" : "first";
  if (end == EncoderEnd::sequence) {
    add_pooler(*in_sequence, model);
  } else if (chosen == "pooler") {
    add_pooler(*in_rows, model);
  } else if (in_rows != nullptr) {
    // Files have it whether it is used or not.
    model.family.buffers.push_back(in_rows->weight);
    model.family.buffers.push_back(in_rows->bias);
  }
}

}  // namespace heed::tools
