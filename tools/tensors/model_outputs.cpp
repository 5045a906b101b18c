// SPDX-License-Identifier: MIT
#include "tensors/model_outputs.hpp"

#include "support/failure.hpp"

namespace heed::tools {

OutputSizes output_sizes(const ModelConfig& config, std::uint32_t count, bool every) {
  if (every && config.encoder) {
    throw Failure("--every: an encoder's output is what its file says, and no row of it can be had alone");
  }
  OutputSizes sizes;
  sizes.width = config.outputs != 0 ? config.outputs : config.block.model_dim;
  sizes.many = every || config.pooling == Pooling::every;
  if (sizes.many) sizes.rows = detail::encoder_rows(config, count);
  return sizes;
}

void run_entry(Model& model, const std::string& option, const ModelInputs& inputs, std::uint32_t entry,
               const OutputSizes& sizes, float* output, const Executor& executor) {
  const ModelConfig& config = model.plan().config;
  const std::string what = option + ", entry " + std::to_string(entry);
  if (config.input != ModelInput::tokens) {
    if (!config.encoder) throw Failure("a decoder of frames cannot be run");
    require_ok(model.encode(inputs.frames_of(entry), inputs.count, output, executor), what);
  } else if (!inputs.types.empty()) {
    require_ok(model.encode(inputs.tokens_of(entry), inputs.types_of(entry), output, executor), what);
  } else if (config.encoder) {
    require_ok(model.encode(inputs.tokens_of(entry), output, executor), what);
  } else {
    if (entry != 0) require_ok(model.truncate(0), what);
    if (!sizes.many || config.pooling == Pooling::every) {
      require_ok(model.prefill(inputs.tokens_of(entry), output, executor), what);
      return;
    }
    for (const std::uint32_t token : inputs.tokens_of(entry)) {
      require_ok(model.decode(token, output, executor), what);
      output += sizes.width;
    }
  }
}

}  // namespace heed::tools
