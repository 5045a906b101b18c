// SPDX-License-Identifier: MIT
#include "architectures/sentence_modules.hpp"

#include "architectures/published_config.hpp"
#include "formats/files.hpp"
#include "formats/json_text.hpp"
#include "support/failure.hpp"

namespace heed::tools {

namespace {

constexpr const char* modules_file = "modules.json";
constexpr const char* modules_in_order = "Transformer, Pooling and perhaps Normalize are supported, in this order";

PublishedConfig read_members(const std::filesystem::path& file) {
  return PublishedConfig::parse(read_file(file), file.string());
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

std::vector<SentenceModule> parse_sentence_modules(std::string_view text, const std::string& what) {
  const nlohmann::json list = parse_json(text, what);
  if (!list.is_array()) throw Failure(what + ": a list of modules is needed");
  const char* const types[] = {"Transformer", "Pooling", "Normalize"};
  std::vector<SentenceModule> modules;
  for (const nlohmann::json& one : list) {
    const std::size_t place = modules.size();
    if (!one.is_object()) throw Failure(what + ": each module is an object");
    PublishedConfig module(one, what + ": module " + std::to_string(place));
    module.leave({"idx", "name"});
    const std::string type = module.take_word("type", "");
    const std::size_t point = type.rfind('.');
    modules.push_back({type.substr(point == std::string::npos ? 0 : point + 1), module.take_word("path", "")});
    module.finish();
    if (place >= std::size(types) || modules.back().type != types[place]) {
      throw Failure(what + ": " + modules.back().type + " is module " + std::to_string(place) + "; " +
                    modules_in_order);
    }
  }
  if (modules.size() < 2) throw Failure(what + ": there is no Pooling; " + modules_in_order);
  if (!modules.front().path.empty() && modules.front().path != ".") {
    throw Failure(what + ": the Transformer is in " + modules.front().path +
                  "; a newer release saves it beside modules.json");
  }
  return modules;
}

void take_sentence_pooling(PublishedConfig config, SentenceModules& modules) {
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

std::optional<SentenceModules> read_sentence_modules(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / modules_file;
  if (!is_there(file)) return {};
  const std::vector<SentenceModule> modules = parse_sentence_modules(read_file(file), file.string());
  SentenceModules read;
  take_sentence_pooling(read_members(folder / modules[1].path / "config.json"), read);
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
