// SPDX-License-Identifier: MIT
#include "architectures/model_folder_reader.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "architectures/architectures.hpp"
#include "architectures/generation_config.hpp"
#include "architectures/sentence_modules.hpp"
#include "formats/model_folder.hpp"
#include "tensors/model_reader.hpp"

namespace heed::tools {

namespace {

void add_lines(std::vector<std::string> lines, PublishedModel& model) {
  for (std::string& line : lines) model.notes.push_back(std::move(line));
}

}  // namespace

ModelTensors read_model_folder(const std::filesystem::path& folder, const FolderOptions& options,
                               const StoredTypes& types) {
  const ModelFolder files(folder);
  const auto report = std::make_shared<MemberReport>(options.ignored);
  const std::optional<SentenceModules> modules = read_sentence_modules(folder, report);
  const bool sentence = modules && (options.part.empty() || options.part == "sentence");
  PublishedModel published = read_published_model(PublishedConfig::parse(files.config(), files.config_name(), report),
                                                  sentence ? "rows" : options.part, options.type);
  if (sentence) add_modules(*modules, files.config_name(), published);
  add_lines(report->finish(), published);
  if (files.generation_config()) {
    add_lines(describe_generation(PublishedConfig::parse(*files.generation_config(), files.generation_config_name())),
              published);
  }
  const auto weights = std::make_shared<const WeightFile>(files.weights());
  return read_model_tensors(describe_published(std::move(published), *weights, types, files.config_name()), weights,
                            options.allow_unused);
}

}  // namespace heed::tools
