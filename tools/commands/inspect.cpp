// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "commands/commands.hpp"
#include "commands/model_report.hpp"
#include "formats/model_config.hpp"
#include "tensors/float_array.hpp"
#include "tensors/loaded_model.hpp"
#include "tensors/model_tensors.hpp"

namespace heed::tools {

namespace {

struct InspectOptions {
  std::string model;
  bool json = false;
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

void print_json(const ModelConfig& config, const std::vector<ModelPart>& parts, std::uint32_t bytes) {
  nlohmann::ordered_json json{{"config", to_json(config)}, {"parts", nlohmann::ordered_json::array()}};
  for (const ModelPart& part : parts) {
    json["parts"].push_back({{"where", part.where},
                             {"name", part.name},
                             {"type", part.type},
                             {"shape", part.shape},
                             {"parameters", part.parameters},
                             {"bytes", part.bytes}});
  }
  const Totals totals(parts);
  json["totals"] = {{"parameters", totals.parameters}, {"weights", totals.bytes}, {"file", bytes}};
  std::cout << json.dump(2) << '\n';
}

void print_config(const ModelConfig& config) {
  const nlohmann::ordered_json json = to_json(config);
  const auto line = [](const std::string& name, const nlohmann::ordered_json& value) {
    std::cout << "  " << name << ' ' << (value.is_string() ? value.get<std::string>() : value.dump()) << '\n';
  };
  std::cout << "model\n";
  for (const auto& [name, value] : json.items()) {
    if (!value.is_object()) line(name, value);
  }
  std::cout << "\nblock\n";
  for (const auto& [name, value] : json.at("block").items()) line(name, value);
}

void print_table(const std::vector<ModelPart>& parts, std::uint32_t file_bytes) {
  std::size_t where = 0;
  std::size_t name = 0;
  for (const ModelPart& part : parts) {
    where = std::max(where, part.where.size());
    name = std::max(name, part.name.size());
  }
  const auto line = [&](const std::string& a, const std::string& b, const std::string& type, const std::string& shape,
                        const std::string& parameters, const std::string& bytes) {
    std::cout << std::left << std::setw(static_cast<int>(where) + 2) << a << std::setw(static_cast<int>(name) + 2) << b
              << std::setw(9) << type << std::setw(16) << shape << std::right << std::setw(12) << parameters
              << std::setw(12) << bytes << '\n';
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
  LoadedModel file(options.model);
  const ModelPlan<FloatKvCache> plan = file_plan(file.config(), file.name());
  const std::vector<ModelPart> parts = parts_of(plan, file.bytes());
  if (options.json) {
    print_json(plan.config, parts, plan.file.bytes);
    return;
  }
  print_config(plan.config);
  print_table(parts, plan.file.bytes);
}

}  // namespace

void add_inspect(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("inspect", "what a model file holds");
  const auto options = std::make_shared<InspectOptions>();
  command.add_option("model", options->model, "a model file of `heed pack`")->type_name("FILE")->required();
  command.add_flag("--json", options->json, "print JSON instead of a table");
  command.callback([options] { run_inspect(*options); });
}

}  // namespace heed::tools
