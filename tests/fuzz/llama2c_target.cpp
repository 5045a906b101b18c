// SPDX-License-Identifier: MIT
//
// llama2.c's files. One that is accepted becomes a model file, which is accepted as well.
#include "command/model_files.hpp"
#include "formats/llama2c.hpp"
#include "fuzz/refused.hpp"
#include "heed/model.hpp"

namespace heed::test::fuzz {

Corpus corpus() {
  ModelConfig config = tiny_llama;
  config.block.model_dim = 4;
  config.block.mlp_dim = 1;
  config.blocks = 1;
  config.input_dim = config.outputs = 1;
  config.max_positions = 1;
  config.rotary_layout = RotaryLayout::interleaved;
  ModelConfig tied = config;
  tied.tied_head = true;
  tied.blocks = 2;
  return {{llama2c_bytes(TinyModel(config, false)), llama2c_bytes(TinyModel(tied, false))}, {"24ka"}};
}

bool run(std::span<const std::byte> bytes) {
  const std::string name = "m.bin";
  return accepts({name}, [&] {
    const tools::ModelTensors tensors = tools::read_llama2c(text_of(bytes), name, {});
    tools::AlignedBytes file = tools::pack(tensors, name);
    require(read_model(file.span()).status == Status::ok, "a packed model is accepted");
  });
}

}  // namespace heed::test::fuzz
