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

ModelTensors read_model_folder(const std::filesystem::path& folder, const std::string& part, bool allow_unused,
                               const StoredTypes& types) {
  const ModelFolder files(folder);
  const std::optional<SentenceModules> modules = read_sentence_modules(folder);
  const bool sentence = modules && (part.empty() || part == "sentence");
  PublishedModel published =
      read_published_model(PublishedConfig::parse(files.config(), files.config_name()), sentence ? "rows" : part);
  if (sentence) add_modules(*modules, files.config_name(), published);
  if (files.generation_config()) {
    for (std::string& line :
         describe_generation(PublishedConfig::parse(*files.generation_config(), files.generation_config_name()))) {
      published.notes.push_back(std::move(line));
    }
  }
  const auto weights = std::make_shared<const WeightFile>(files.weights());
  return read_model_tensors(describe_published(std::move(published), *weights, types, files.config_name()), weights,
                            allow_unused);
}

}  // namespace heed::tools
