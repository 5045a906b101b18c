// SPDX-License-Identifier: MIT
#include "commands/core_report.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iomanip>
#include <sstream>
#include <vector>

#include "commands/core_table.hpp"
#include "options/count_option.hpp"
#include "options/help_format.hpp"
#include "options/presence.hpp"
#include "options/size_option.hpp"
#include "support/failure.hpp"
#include "tensors/model_cost.hpp"
#include "tensors/model_work.hpp"

namespace heed::tools {

namespace {

constexpr const char* core_options[] = {"--flash", "--ram", "--mhz", "--flash-rate"};

struct Kinds {
  bool stored_cache;   ///< keys and values are no floats
  bool integers;       ///< some products are in integers
  bool stored_floats;  ///< some weights are decoded to floats
  bool ring;
};

Kinds kinds_of(const ModelPlan& plan) {
  const BlockMemory& memory = plan.block.memory;
  const BlockConfig& block = plan.block.config;
  Kinds kinds{memory.key_type != DataType::float32 || memory.value_type != DataType::float32, false, false,
              memory.ring != 0};
  const auto look_at = [&](DataType weights, DataType rows) {
    (rows != DataType::float32 ? kinds.integers : kinds.stored_floats) |= weights != DataType::float32;
  };
  for (const DataType rows : {block.row_type, block.output_row_type, block.mlp_row_type, block.down_row_type}) {
    look_at(block.weight_type, rows);
  }
  look_at(plan.config.input_type, detail::table_row_type(plan.config));
  look_at(plan.config.head_type, detail::head_row_type(plan.config));
  return kinds;
}

/// Of the library, from the sizes of images that use one feature alone: a model over floats, and what each kind of
/// weights and caches adds to a layer or a cache.
std::uint64_t code_bytes(const Core& core, const Kinds& kinds, const char* level) {
  const auto size = [&](const char* feature) {
    return figure(core, std::string("code and constants, ") + feature + ", " + level).value_or(0.0);
  };
  double bytes = size("model");
  if (kinds.stored_floats) bytes += size("int8_layer") - size("layer");
  if (kinds.integers) bytes += size("integer_layer") - size("layer");
  if (kinds.stored_cache) bytes += size("int8_cache") - size("cache");
  if (kinds.ring) bytes += size("ring_layer") - size("layer");
  return static_cast<std::uint64_t>(bytes);
}

/// The deepest of the calls that bind and run a model, which the compiler's call graph bounds.
std::uint64_t stack_bytes(const Core& core, const ModelPlan& plan, const Kinds& kinds) {
  std::vector<std::string> variants{""};
  if (kinds.stored_cache) variants.emplace_back(", stored cache");
  if (kinds.integers) variants.emplace_back(", in integers");
  if (kinds.ring) variants.emplace_back(", ring or pages");
  if (detail::is_extended(plan.config)) variants.emplace_back(", extended model");
  double most = 0.0;
  for (const char* call :
       {"heed_model_init", "heed_model_decode", "heed_model_encode_tokens", "heed_model_encode_frames"}) {
    for (const std::string& variant : variants) {
      most = std::max(most, figure(core, std::string("stack, ") + call + variant).value_or(0.0));
    }
  }
  double added = 0.0;
  if (kinds.stored_floats) added = figure(core, "stack, weights in few bits, added").value_or(0.0);
  if (kinds.integers) {
    added = std::max(added, figure(core, "stack, weights for rows of integers, added").value_or(0.0));
  }
  return static_cast<std::uint64_t>(most + added);
}

/// Logits, or rows where there is no head, which a program has beside the model.
std::uint64_t output_bytes(const ModelPlan& plan) {
  const ModelConfig& config = plan.config;
  const std::uint64_t width = config.outputs != 0 ? config.outputs : config.block.model_dim;
  const bool every = config.encoder && config.pooling == Pooling::every;
  return width * sizeof(float) * (every ? plan.block.memory.rows : 1);
}

/// The most keys of a decoder whose state and scratch are at most so many bytes; 0 if there are none.
std::uint32_t longest_cache(const ModelPlan& plan, std::uint64_t bytes) {
  const auto fits = [&](std::uint32_t keys) {
    BlockMemory memory = plan.block.memory;
    memory.max_keys = keys;
    ModelPlan made;
    return make_plan(plan.config, memory, made) == Status::ok &&
           std::uint64_t{made.state_bytes} + made.scratch_bytes <= bytes;
  };
  std::uint32_t good = plan.block.memory.sink_tokens;
  std::uint32_t bad = plan.config.max_positions + 1;
  while (bad - good > 1) {
    const std::uint32_t middle = good + (bad - good) / 2;
    (fits(middle) ? good : bad) = middle;
  }
  return good > plan.block.memory.sink_tokens ? good : 0;
}

/// Three digits at least, and no more behind the point than these need.
std::string rounded(double value) {
  std::ostringstream out;
  const int digits = value < 1.0 ? 3 : value < 10.0 ? 2 : value < 100.0 ? 1 : 0;
  out << std::fixed << std::setprecision(digits) << value;
  return out.str();
}

/// Lines of a name, what it is, and more about it.
class Lines {
 public:
  void add(const std::string& name, const std::string& value, const std::string& text) {
    out_ << std::left << std::setw(13) << name << std::right << std::setw(11) << value << "  " << text << '\n';
  }
  [[nodiscard]] std::string text() const { return out_.str(); }

 private:
  std::ostringstream out_;
};

std::string whole(double value) {
  return std::to_string(static_cast<std::uint64_t>(std::llround(value)));
}

/// "of N: fits; " or "of N: does not fit; ", or nothing.
std::string fitting(std::uint64_t taken, std::uint64_t given) {
  if (given == 0) return "";
  return "of " + std::to_string(given) + (taken <= given ? ": fits; " : ": does not fit; ");
}

void add_memories(const Core& core, const CoreOptions& options, const ModelPlan& plan, std::uint64_t file, Lines& lines,
                  nlohmann::ordered_json& json) {
  const Kinds kinds = kinds_of(plan);
  const std::uint64_t code = code_bytes(core, kinds, "-O3");
  const std::uint64_t stack = stack_bytes(core, plan, kinds);
  const std::uint64_t outputs = output_bytes(plan);
  const std::uint64_t ram = plan.state_bytes + std::uint64_t{plan.scratch_bytes} + outputs + stack;
  lines.add("flash", std::to_string(file + code),
            fitting(file + code, options.flash) + "file " + std::to_string(file) + ", library " + std::to_string(code) +
                " at -O3, " + std::to_string(code_bytes(core, kinds, "-Os")) + " at -Os");
  lines.add("RAM", std::to_string(ram),
            fitting(ram, options.ram) + "state " + std::to_string(plan.state_bytes) + ", scratch " +
                std::to_string(plan.scratch_bytes) + ", output " + std::to_string(outputs) + ", stack at most " +
                std::to_string(stack));
  json["flash"] = {{"bytes", file + code}, {"file", file}, {"code", code}};
  json["ram"] = {{"bytes", ram},
                 {"state", plan.state_bytes},
                 {"scratch", plan.scratch_bytes},
                 {"output", outputs},
                 {"stack", stack}};
  if (options.flash != 0) json["flash"]["fits"] = file + code <= options.flash;
  if (options.ram != 0) json["ram"]["fits"] = ram <= options.ram;
  if (options.ram == 0 || plan.config.encoder) return;
  const std::uint32_t longest = outputs + stack < options.ram ? longest_cache(plan, options.ram - outputs - stack) : 0;
  lines.add("longest cache", longest == 0 ? "none" : std::to_string(longest),
            longest == 0 ? "no --max-keys fits the RAM"
                         : "--max-keys that fits the RAM; the model has " + std::to_string(plan.config.max_positions) +
                               " positions");
  json["longest_max_keys"] = longest;
}

void add_speed(const Core& core, const CoreOptions& options, const ModelPlan& plan, Lines& lines,
               nlohmann::ordered_json& json) {
  const bool encoder = plan.config.encoder;
  const std::uint32_t tokens = plan.block.memory.max_keys;
  const std::string unit = encoder ? "call" : "token";
  if (core.has_costs) {
    const PartCost cost_of = [&](const std::string& part) {
      const std::optional<double> found = cost(core, part);
      if (!found) throw Failure("--core " + std::string(core.name) + ": nobody counted: " + part);
      return *found;
    };
    const double mean = encoder ? call_instructions(plan, cost_of) : text_instructions(plan, cost_of, tokens);
    std::string text = "a call of " + std::to_string(plan.block.memory.rows) + " rows; an estimate";
    json["instructions"] = std::llround(mean);
    if (!encoder) {
      const double first = token_instructions(plan, cost_of, 1.0);
      const double last = token_instructions(plan, cost_of, tokens);
      text = "a token in the mean of a text of " + std::to_string(tokens) + ", first " + whole(first) + ", last " +
             whole(last) + "; an estimate";
      json["first_instructions"] = std::llround(first);
      json["last_instructions"] = std::llround(last);
    }
    lines.add("instructions", whole(mean), text);
    if (options.mhz != 0) {
      const double speed = options.mhz * 1e6 / mean;
      lines.add("speed", rounded(speed),
                unit + "s a second at an instruction a cycle, without waits for memory" +
                    std::string(core.starts_several ? "; this core may start two" : ""));
      json[unit + "s_per_second"] = speed;
    }
  } else {
    lines.add("instructions", "unknown", "there is no table of instructions for " + std::string(core.name));
  }
  if (options.flash_rate != 0) {
    const double bytes = encoder ? plan.file.bytes : token_bytes(plan);
    lines.add("bound", rounded(static_cast<double>(options.flash_rate) / bytes),
              unit + "s a second at most: " + whole(bytes) + " bytes of weights a " + unit + ", flash of " +
                  std::to_string(options.flash_rate) + " bytes a second");
    json["flash_bound_" + unit + "s_per_second"] = static_cast<double>(options.flash_rate) / bytes;
  }
}

}  // namespace

void add_core_options(CLI::App& command, CoreOptions& options) {
  begin_group(command, "Of a model on a core: does it fit, how fast");
  command.add_option("--core", options.core, "cortex-m7, for example; a wrong name lists those that are known")
      ->type_name("NAME");
  add_size(command, "--flash", options.flash, 1024, "bytes of flash; K is 1024, M is 1024 K", "BYTES");
  add_size(command, "--ram", options.ram, 1024, "bytes of RAM, likewise", "BYTES");
  add_count(command, "--mhz", options.mhz, "million cycles a second", "MHZ", 100000);
  add_size(command, "--flash-rate", options.flash_rate, 1000,
           "bytes a second that the flash gives; K is 1000, M is 1000 K", "RATE");
}

void check_core_options(const CLI::App& command, const CoreOptions& options) {
  if (options.core.empty()) {
    for (const char* option : core_options) require_unused(command, {option}, "without --core");
    return;
  }
  require_unused(command, {"--workers"}, "with --core, whose figures are those of one worker");
  if (!core_of(options.core).has_costs && options.mhz != 0) {
    throw Failure("--mhz means nothing for --core " + options.core + ", of which no instructions were counted");
  }
}

CoreReport report_core(const CoreOptions& options, const ModelPlan& plan, std::uint64_t file) {
  const Core& core = core_of(options.core);
  Lines lines;
  nlohmann::ordered_json json{{"core", core.name}, {"workers", 1}};
  add_memories(core, options, plan, file, lines, json);
  add_speed(core, options, plan, lines, json);
  const std::string clock = options.mhz == 0 ? "" : " at " + std::to_string(options.mhz) + " MHz";
  return {"core " + std::string(core.name) + clock + ", one worker\n" + lines.text() +
              "without the program's own code and data\n",
          json};
}

}  // namespace heed::tools
