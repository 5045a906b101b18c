// SPDX-License-Identifier: MIT
#include "architectures/sentence_modules.hpp"

#include <system_error>

#include "architectures/published_config.hpp"
#include "formats/files.hpp"
#include "formats/json_text.hpp"
#include "support/failure.hpp"

namespace heed::tools {

namespace {

constexpr const char* modules_file = "modules.json";
constexpr const char* order = "Transformer, Pooling and perhaps Normalize are supported, in this order";

PublishedConfig read_members(const std::filesystem::path& file) {
  return PublishedConfig::parse(read_file(file), file.string());
}

bool is_there(const std::filesystem::path& file) {
  std::error_code error;
  return std::filesystem::exists(file, error);
}

struct Module {
  std::string type;  ///< the last word of it
  std::string path;
};

std::vector<Module> read_modules(const std::filesystem::path& file) {
  const nlohmann::json list = parse_json(read_file(file), file.string());
  if (!list.is_array()) throw Failure(file.string() + ": a list of modules is needed");
  std::vector<Module> modules;
  for (const nlohmann::json& one : list) {
    if (!one.is_object()) throw Failure(file.string() + ": each module is an object");
    PublishedConfig module(one, file.string() + ": module " + std::to_string(modules.size()));
    module.leave({"idx", "name"});
    const std::string type = module.take_word("type", "");
    modules.push_back(
        {type.substr(type.rfind('.') == std::string::npos ? 0 : type.rfind('.') + 1), module.take_word("path", "")});
    module.finish();
  }
  return modules;
}

/// One of the ways of pooling, of which the file has one flag each or, of newer releases, one word.
void read_pooling(const std::filesystem::path& file, SentenceModules& modules) {
  PublishedConfig config = read_members(file);
  modules.model_dim = config.take_optional_count("word_embedding_dimension", std::nullopt).value_or(0);
  if (const auto newer = config.take_optional_count("embedding_dimension", std::nullopt)) modules.model_dim = *newer;
  const std::string word = config.take_word("pooling_mode", "");
  const bool first = config.take_flag("pooling_mode_cls_token", false) || word == "cls";
  const bool mean = config.take_flag("pooling_mode_mean_tokens", word.empty() && !first) || word == "mean";
  if (first == mean || (!word.empty() && word != "cls" && word != "mean")) {
    throw config.refused("pooling_mode", "the mean of all tokens or the first one is supported");
  }
  for (const char* other : {"pooling_mode_max_tokens", "pooling_mode_mean_sqrt_len_tokens",
                            "pooling_mode_weightedmean_tokens", "pooling_mode_lasttoken"}) {
    config.require(other, {false});
  }
  config.require("include_prompt", {true});
  config.finish();
  modules.pooling = first ? "first" : "mean";
}

void read_settings(const std::filesystem::path& folder, SentenceModules& modules) {
  if (const auto file = folder / "sentence_bert_config.json"; is_there(file)) {
    PublishedConfig config = read_members(file);
    const std::optional<std::uint32_t> length = config.take_optional_count("max_seq_length", std::nullopt);
    if (length) modules.notes.push_back("texts are cut after " + std::to_string(*length) + " tokens elsewhere");
    if (config.take_flag("do_lower_case", false))
      modules.notes.push_back("texts are in lower case before the tokenizer");
    config.finish();
  }
  if (const auto file = folder / "config_sentence_transformers.json"; is_there(file)) {
    PublishedConfig config = read_members(file);
    config.require("truncate_dim", {});
    config.leave({"__version__", "prompts", "default_prompt_name", "similarity_fn_name", "model_type"});
    config.finish();
  }
}

}  // namespace

std::optional<SentenceModules> read_sentence_modules(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / modules_file;
  if (!is_there(file)) return {};
  const std::vector<Module> modules = read_modules(file);
  SentenceModules read;
  const char* const types[] = {"Transformer", "Pooling", "Normalize"};
  for (std::size_t i = 0; i < modules.size(); ++i) {
    if (i >= std::size(types) || modules[i].type != types[i]) {
      throw Failure(file.string() + ": " + modules[i].type + " is module " + std::to_string(i) + "; " + order);
    }
  }
  if (modules.size() < 2) throw Failure(file.string() + ": there is no Pooling; " + order);
  if (!modules.front().path.empty() && modules.front().path != ".") {
    throw Failure(file.string() + ": the Transformer is in " + modules.front().path +
                  "; a newer release saves it beside modules.json");
  }
  read_pooling(folder / modules[1].path / "config.json", read);
  read.unit = modules.size() == 3;
  read_settings(folder, read);
  return read;
}

void add_modules(const SentenceModules& modules, const std::string& what, PublishedModel& model) {
  nlohmann::json& architecture = model.architecture;
  if (architecture.value("pooling", "") != "every" || architecture.contains("outputs")) {
    throw Failure(what + ": " + model.name + " is no encoder without a head, which modules.json needs");
  }
  if (modules.model_dim != 0 && architecture.at("block").at("model_dim") != modules.model_dim) {
    throw Failure(what + ": the rows are not as wide as the pooling says, " + std::to_string(modules.model_dim));
  }
  architecture["pooling"] = modules.pooling;
  architecture["unit_output"] = modules.unit;
  model.name += ", sentence embedding";
  model.notes.insert(model.notes.end(), modules.notes.begin(), modules.notes.end());
}

}  // namespace heed::tools
