// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "commands/model_report.hpp"
#include "formats/config_members.hpp"
#include "formats/input_file.hpp"
#include "formats/model_config.hpp"
#include "heed/text.hpp"
#include "options/help_format.hpp"
#include "support/data_types.hpp"
#include "tensors/float_array.hpp"
#include "tensors/loaded_model.hpp"
#include "tensors/model_tensors.hpp"
#include "tensors/packed_layer.hpp"

namespace heed::tools {

namespace {

struct InspectOptions {
  std::string model;
  bool json = false;
};

/// What a file is, and all that it holds.
struct Contents {
  const char* kind;
  nlohmann::ordered_json config;
  std::vector<ModelPart> parts;
  std::size_t bytes = 0;
  std::span<const std::byte> tokenizer{};  ///< after a model; `bytes` counts it
};

struct Totals {
  std::uint64_t parameters = 0;
  std::uint64_t bytes = 0;

  explicit Totals(const std::vector<ModelPart>& parts) {
    for (const ModelPart& part : parts) {
      parameters += part.parameters;
      bytes += part.bytes;
    }
  }
};

Contents contents_of(const PackedLayer& layer) {
  const MultiHeadConfig& config = layer.plan().config;
  Contents contents{"layer", {}, parts_of(layer.plan(), layer.bytes()), layer.bytes().size()};
  for_each_layer_size(config, [&](const char* member, std::uint32_t value) { contents.config[member] = value; });
  contents.config["weight_type"] = to_word(config.weight_type);
  return contents;
}

Contents contents_of(const LoadedModel& file) {
  const ModelPlan plan = file_plan(file.config(), file.name());
  return {"model", to_json(plan.config), parts_of(plan, file.bytes()), file.bytes().size(), file.tokenizer()};
}

const char* word_of(TokenizerKind kind) {
  if (kind == TokenizerKind::characters) return "characters";
  if (kind == TokenizerKind::bytes) return "bytes";
  return kind == TokenizerKind::unigram ? "unigram" : "word_pieces";
}

nlohmann::ordered_json describe_tokenizer(std::span<const std::byte> file) {
  const TextTokenizerFile read = read_text_tokenizer(file);
  return {{"kind", word_of(read.kind)}, {"tokens", read.tokens}, {"bytes", file.size()}};
}

void print_json(const Contents& contents) {
  nlohmann::ordered_json json{{"config", contents.config}, {"parts", nlohmann::ordered_json::array()}};
  for (const ModelPart& part : contents.parts) {
    json["parts"].push_back({{"where", part.where},
                             {"name", part.name},
                             {"type", part.type},
                             {"shape", part.shape},
                             {"parameters", part.parameters},
                             {"bytes", part.bytes}});
  }
  const Totals totals(contents.parts);
  json["totals"] = {{"parameters", totals.parameters}, {"weights", totals.bytes}, {"file", contents.bytes}};
  if (!contents.tokenizer.empty()) json["tokenizer"] = describe_tokenizer(contents.tokenizer);
  std::cout << json.dump(2) << '\n';
}

/// Members, and then the objects inside, under their names.
void print_config(const std::string& name, const nlohmann::ordered_json& config) {
  std::cout << name << '\n';
  for (const auto& [member, value] : config.items()) {
    if (value.is_object()) continue;
    std::cout << "  " << member << ' ' << (value.is_string() ? value.get<std::string>() : value.dump()) << '\n';
  }
  for (const auto& [member, value] : config.items()) {
    if (!value.is_object()) continue;
    std::cout << '\n';
    print_config(member, value);
  }
}

void print_table(const std::vector<ModelPart>& parts, std::size_t file_bytes) {
  std::size_t where = 0;
  std::size_t name = 0;
  std::size_t type_width = 7;
  for (const ModelPart& part : parts) {
    where = std::max(where, part.where.size());
    name = std::max(name, part.name.size());
    type_width = std::max(type_width, part.type.size());
  }
  const auto line = [&](const std::string& a, const std::string& b, const std::string& type, const std::string& shape,
                        const std::string& parameters, const std::string& bytes) {
    std::cout << std::left << std::setw(static_cast<int>(where) + 2) << a << std::setw(static_cast<int>(name) + 2) << b
              << std::setw(static_cast<int>(type_width) + 2) << type << std::setw(16) << shape << std::right
              << std::setw(12) << parameters << std::setw(12) << bytes << '\n';
  };
  std::cout << '\n';
  line("part", "tensor", "type", "shape", "parameters", "bytes");
  for (const ModelPart& part : parts) {
    const Shape shape(part.shape.begin(), part.shape.end());
    line(part.where, part.name, part.type, describe(shape), std::to_string(part.parameters),
         std::to_string(part.bytes));
  }
  const Totals totals(parts);
  line("total", "", "", "", std::to_string(totals.parameters), std::to_string(totals.bytes));
  std::cout << "\nfile: " << file_bytes << " bytes, headers included\n";
}

void run_inspect(const InspectOptions& options) {
  const auto file = std::make_shared<const MappedFile>(options.model);
  const Contents contents = begins_as_packed_layer(file->bytes())
                                ? contents_of(PackedLayer(options.model, file->bytes()))
                                : contents_of(LoadedModel(options.model, file));
  if (options.json) {
    print_json(contents);
    return;
  }
  print_config(contents.kind, contents.config);
  print_table(contents.parts, contents.bytes);
  if (contents.tokenizer.empty()) return;
  const nlohmann::ordered_json tokenizer = describe_tokenizer(contents.tokenizer);
  std::cout << "tokenizer, counted there: " << tokenizer["bytes"] << " bytes, kind "
            << tokenizer["kind"].get<std::string>() << ", " << tokenizer["tokens"] << " tokens\n";
}

}  // namespace

void add_inspect(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("inspect", "what a model file, or a layer's packed weights, hold");
  const auto options = std::make_shared<InspectOptions>();
  command.add_option("model", options->model, "what `heed pack` has written as bytes")->type_name("FILE")->required();
  command.add_flag("--json", options->json, "print JSON instead of a table");
  add_example(command, "heed inspect model.heed");
  command.callback([options] { run_inspect(*options); });
}

}  // namespace heed::tools
