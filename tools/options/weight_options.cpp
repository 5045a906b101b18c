// SPDX-License-Identifier: MIT
#include "options/weight_options.hpp"

#include "options/count_option.hpp"
#include "options/help_format.hpp"

namespace heed::tools {

void add_weight_options(CLI::App& command, WeightOptions& options) {
  begin_group(command, "A layer");
  const auto count = [&](const char* name, std::uint32_t& place, const char* text) {
    return add_count(command, name, place, text);
  };
  command
      .add_option("--weights", options.weights,
                  "safetensors file with F32, F64, F16 or BF16, or a folder with NAME.npy for each tensor; [out, in]")
      ->type_name("FILE")
      ->required();
  count("--heads", options.sizes.heads, "query heads; packed weights have them");
  count("--kv-heads", options.sizes.kv_heads, "key and value heads; from the weights' shapes unless given");
  count("--head-dim", options.sizes.head_dim,
        "length of a query; from W_Q, and of a packed [W_Q; W_K; W_V] that of a value, unless given");
  count("--value-dim", options.sizes.value_dim, "length of a value; from W_O unless given");
}

void add_weight_names(CLI::App& command, WeightNames& names) {
  begin_group(command, "Names of a layer's tensors");
  const auto name = [&](const char* option, std::string& place, const char* text) {
    command.add_option(option, place, text)->type_name("NAME");
  };
  name("--prefix", names.prefix, "put before every tensor name");
  name("--in-proj-weight", names.in_proj_weight, "packed [W_Q; W_K; W_V]; in_proj_weight if the file has it");
  name("--in-proj-bias", names.in_proj_bias, "its bias; in_proj_bias if the file has it");
  name("--q-weight", names.query_weight, "W_Q [heads * head_dim, model_dim]; else q_proj_weight");
  name("--k-weight", names.key_weight, "W_K [kv_heads * head_dim, kv_input_dim]; else k_proj_weight");
  name("--v-weight", names.value_weight, "W_V [kv_heads * value_dim, kv_input_dim]; else v_proj_weight");
  name("--q-bias", names.query_bias, "bias of the queries; none unless named");
  name("--k-bias", names.key_bias, "bias of the keys; none unless named");
  name("--v-bias", names.value_bias, "bias of the values; none unless named");
  command.add_option("--out-weight", names.out_weight, "W_O [output_dim, heads * value_dim]")
      ->type_name("NAME")
      ->capture_default_str();
  name("--out-bias", names.out_bias, "its bias; out_proj.bias if the file has it");
}

}  // namespace heed::tools
