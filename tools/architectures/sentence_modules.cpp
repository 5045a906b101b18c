// SPDX-License-Identifier: MIT
#include "architectures/sentence_modules.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "architectures/published_config.hpp"
#include "formats/files.hpp"
#include "formats/input_file.hpp"
#include "formats/json_text.hpp"
#include "support/failure.hpp"

namespace heed::tools {

namespace {

constexpr const char* modules_file = "modules.json";
constexpr const char* modules_in_order = "Transformer, Pooling and perhaps Normalize are supported, in this order";

/// What the Transformer is told, under the first of these names that is there, as in sentence-transformers 5.2.
constexpr const char* transformer_files[] = {"sentence_bert_config.json",       "sentence_roberta_config.json",
                                             "sentence_distilbert_config.json", "sentence_camembert_config.json",
                                             "sentence_albert_config.json",     "sentence_xlm-roberta_config.json",
                                             "sentence_xlnet_config.json"};

/// The only input that an encoder of text has, and what is made of it, as releases from 5.4 on write it.
constexpr const char* text_alone = R"({"text": {"method": "forward", "method_output_name": "last_hidden_state"}})";

/// Nothing where there is no such file.
std::optional<PublishedConfig> read_members(const std::filesystem::path& file, const PublishedConfig::Report& report) {
  const std::optional<std::string> text = read_optional_file(file);
  if (!text) return {};
  return PublishedConfig::parse(*text, file.string(), report);
}

void read_transformer(const std::filesystem::path& folder, const PublishedConfig::Report& report,
                      SentenceModules& modules) {
  const auto* const name = std::find_if(std::begin(transformer_files), std::end(transformer_files),
                                        [&](const char* file) { return is_there(folder / file); });
  if (name == std::end(transformer_files)) return;
  PublishedConfig config = *read_members(folder / *name, report);
  const std::optional<std::uint32_t> length = config.take_optional_count("max_seq_length", std::nullopt);
  if (length) modules.notes.push_back("texts are cut after " + std::to_string(*length) + " tokens elsewhere");
  if (config.take_flag("do_lower_case", false)) modules.notes.push_back("texts are in lower case before the tokenizer");
  config.require("transformer_task", {"feature-extraction"});
  config.require("modality_config", {nlohmann::json::parse(text_alone)});
  config.require("module_output_name", {"token_embeddings"});
  config.require("processing_kwargs", {nlohmann::json::object()});
  config.leave({"unpad_inputs"});
  config.finish();
}

void read_settings(const std::filesystem::path& folder, const PublishedConfig::Report& report,
                   SentenceModules& modules) {
  std::optional<PublishedConfig> config = read_members(folder / "config_sentence_transformers.json", report);
  if (!config) return;
  config->require("truncate_dim", {});
  config->require("model_type", {"SentenceTransformer"});
  take_prompts(*config, modules);
  if (config->says("similarity_fn_name")) {
    modules.notes.push_back("embeddings are compared by " + config->take_word("similarity_fn_name", "") + " elsewhere");
  }
  config->leave({"__version__", "similarity_fn_name"});
  config->finish();
}

/// Newer releases write what they normalize.
void read_normalize(const std::filesystem::path& folder, const PublishedConfig::Report& report) {
  std::optional<PublishedConfig> config = read_members(folder / "config.json", report);
  if (!config) return;
  for (const char* member : {"module_input_name", "module_output_name"}) {
    config->require(member, {"sentence_embedding"});
  }
  config->finish();
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
  modules.with_prompt = config.take_flag("include_prompt", true);
  config.finish();
  modules.pooling = first ? "first" : "mean";
}

void take_prompts(PublishedConfig& config, SentenceModules& modules) {
  std::string prompts;
  std::map<std::string, std::string> texts;
  const nlohmann::json said = config.take("prompts").value_or(nlohmann::json::object());
  if (!said.is_object()) throw config.refused("prompts", "an object with a text for each name is needed");
  for (const auto& [name, text] : said.items()) {
    if (!text.is_string()) throw config.refused("prompts", name + ": a text is needed");
    texts[name] = text.get<std::string>();
    if (!texts[name].empty()) prompts += (prompts.empty() ? "" : ", ") + name + ' ' + text.dump();
  }
  if (!prompts.empty() && !modules.with_prompt) {
    throw config.refused("prompts", prompts + " is said, and the pooling leaves a prompt's rows out (include_prompt " +
                                        "false), which is not supported");
  }
  if (config.says("default_prompt_name")) {
    const std::string name = config.take_word("default_prompt_name", "");
    if (!texts.contains(name)) throw config.refused("default_prompt_name", name + " is said, and prompts has no such");
    modules.notes.push_back("default_prompt_name " + name + ": the library puts " + nlohmann::json(texts[name]).dump() +
                            " in front of every text, and this model file nothing: put it there yourself");
  } else if (!prompts.empty()) {
    modules.notes.push_back(
        "prompts, of which the library puts one in front of a text if it is asked to, and this "
        "model file none: " +
        prompts);
  }
  config.leave({"default_prompt_name"});
}

std::optional<SentenceModules> read_sentence_modules(const std::filesystem::path& folder,
                                                     const PublishedConfig::Report& report) {
  const std::filesystem::path file = folder / modules_file;
  if (!is_there(file)) return {};
  const std::vector<SentenceModule> modules = parse_sentence_modules(read_file(file), file.string());
  SentenceModules read;
  const std::filesystem::path pooling = folder / modules[1].path / "config.json";
  take_sentence_pooling(PublishedConfig::parse(read_file(pooling), pooling.string(), report), read);
  read.unit = modules.size() == 3;
  if (read.unit && !modules[2].path.empty()) read_normalize(folder / modules[2].path, report);
  read_transformer(folder, report, read);
  read_settings(folder, report, read);
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
