// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "architectures/published_config.hpp"
#include "architectures/published_model.hpp"

namespace heed::tools {

/// What sentence-transformers makes of the rows of an encoder: one row for a text.
struct SentenceModules {
  std::string pooling;          ///< "first" or "mean"
  bool unit = false;            ///< divided by its Euclidean length
  std::uint32_t model_dim = 0;  ///< of the rows, as the pooling says; 0 if it does not
  bool with_prompt = true;      ///< the rows of a prompt in front are pooled, too
  std::vector<std::string> notes = {};
};

/// A line of modules.json.
struct SentenceModule {
  std::string type;  ///< the last word of it
  std::string path;
};

/// The list, which is Transformer, Pooling and perhaps Normalize. A Failure that begins with `what` if it is another.
[[nodiscard]] std::vector<SentenceModule> parse_sentence_modules(std::string_view text, const std::string& what);

/// One of the ways of pooling, of which the configuration has one flag each or, of newer releases, one word.
void take_sentence_pooling(PublishedConfig config, SentenceModules& modules);

/// `prompts` and `default_prompt_name` of config_sentence_transformers.json, for whoever makes the texts: a model file
/// has none in front of them.
void take_prompts(PublishedConfig& config, SentenceModules& modules);

/// Those of a folder with modules.json; nothing without it. A Failure names what is not supported. What is found of
/// members goes into the report.
[[nodiscard]] std::optional<SentenceModules> read_sentence_modules(const std::filesystem::path& folder,
                                                                   const PublishedConfig::Report& report);

/// Puts them after an encoder that gives every row. A Failure that begins with `what` if it does not.
void add_modules(const SentenceModules& modules, const std::string& what, PublishedModel& model);

}  // namespace heed::tools
