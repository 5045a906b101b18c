// SPDX-License-Identifier: MIT
//
// `heed pack` from outside: its bytes and its header against what the library packs, and every way to refuse.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "command/command_layer.hpp"
#include "command/programs.hpp"
#include "heed/heed.hpp"

namespace {

using namespace heed::test;

class HeedPack : public HeedMha {
 protected:
  HeedPack() { w_.fill(random_, true); }

  [[nodiscard]] static heed::MultiHeadPlan plan(std::uint32_t max_keys, std::uint32_t workers) {
    heed::MultiHeadPlan made;
    const heed::MultiHeadConfig config{.model_dim = 20,
                                       .heads = 4,
                                       .kv_heads = 2,
                                       .head_dim = 5,
                                       .value_dim = 3,
                                       .output_dim = 11,
                                       .max_keys = max_keys,
                                       .workers = workers};
    EXPECT_EQ(make_plan(config, made), heed::Status::ok);
    return made;
  }

  /// What the library packs.
  [[nodiscard]] std::string expected() const { return w_.packed(plan(1, 1)); }

  /// A folder of .npy files with PyTorch's names; the three projections in one matrix or apart.
  void write_folder(const std::string& folder, bool apart) const {
    std::filesystem::create_directory(path(folder));
    if (apart) {
      write_npy(folder + "/q_proj_weight.npy", {20, 20}, w_.query);
      write_npy(folder + "/k_proj_weight.npy", {10, 20}, w_.key);
      write_npy(folder + "/v_proj_weight.npy", {6, 20}, w_.value);
    } else {
      write_npy(folder + "/in_proj_weight.npy", {36, 20}, concatenated(w_.query, w_.key, w_.value));
    }
    write_npy(folder + "/in_proj_bias.npy", {36}, concatenated(w_.query_bias, w_.key_bias, w_.value_bias));
    write_npy(folder + "/out_proj.weight.npy", {11, 12}, w_.output);
    write_npy(folder + "/out_proj.bias.npy", {11}, w_.output_bias);
  }

  /// Compiles a program that includes out.h, in both languages, and runs it.
  void expect_header(const std::string& statements, const std::string& source = "") const {
    expect_program(path("."), "#include \"out.h\"\n#include <stdio.h>\n#include <string.h>\n" + statements, source);
  }

  Weights w_{4, 2, 5, 3, 20, 20, 11, {}, {}, {}, {}, {}, {}, {}, {}};
  const std::string sizes_ = " --heads 4 --kv-heads 2 --head-dim 5 ";
  /// The beginning of a program that compares the array and its sizes with expected.bin.
  const std::string compare_ =
      "static unsigned char expected[sizeof my_layer];\n"
      "int main(void) {\n"
      "  FILE* file = fopen(\"expected.bin\", \"rb\");\n"
      "  if (file == NULL || fread(expected, 1, sizeof expected, file) != sizeof expected || getc(file) != EOF) return "
      "1;\n"
      "  fclose(file);\n"
      "  if (memcmp(expected, my_layer, sizeof expected) != 0 || (uintptr_t)my_layer % 64 != 0) return 2;\n"
      "  if (my_layer_bytes != sizeof my_layer || my_layer_model_dim != 20 || my_layer_heads != 4) return 3;\n"
      "  if (my_layer_kv_heads != 2 || my_layer_head_dim != 5 || my_layer_value_dim != 3) return 4;\n"
      "  if (my_layer_kv_input_dim != 20 || my_layer_output_dim != 11) return 5;\n"
      "  if (my_layer_config.model_dim != 20 || my_layer_config.heads != 4 || my_layer_config.kv_heads != 2 ||\n"
      "      my_layer_config.head_dim != 5 || my_layer_config.value_dim != 3 || my_layer_config.kv_input_dim != 20 ||\n"
      "      my_layer_config.output_dim != 11 || my_layer_config.max_sequences != 1) return 6;\n";
};

TEST_F(HeedPack, WritesWhatTheLibraryPacks) {
  write_packed(w_, "a.", "packed.safetensors");
  write_separate(w_, "separate.safetensors", "F32", [](float value) { return value; });
  write_folder("folder", false);
  write_folder("apart", true);
  const std::vector<std::string> all{"packed.safetensors --prefix a.", "separate.safetensors " + separate_ + biases_,
                                     "folder", "apart"};
  for (const std::string& weights : all) {
    SCOPED_TRACE(weights);
    expect_success("pack --out out.bin" + sizes_ + "--weights " + weights);
    EXPECT_EQ(read_bytes(path("out.bin")), expected());
    std::filesystem::remove(path("out.bin"));
  }
}

TEST_F(HeedPack, WritesAHeaderForBothLanguages) {
  write_folder("folder", false);
  write_bytes(path("expected.bin"), expected());
  expect_success("pack --weights folder --out out.h --c-array my_layer" + sizes_);
  EXPECT_EQ(read_bytes(path("out.h")).find("arena_bytes"), std::string::npos);
  expect_header(compare_ + "  return my_layer_config.max_keys == 0 ? 0 : 7;\n}\n");
  EXPECT_EQ(big_endian_errors(path("."), "out.h"), "") << "a word is an element";

  expect_success("pack --weights folder --out out.h --c-array my_layer --max-keys 77 --workers 3" + sizes_);
  const std::string arena = std::to_string(plan(77, 3).bytes);
  expect_header(compare_ +
                "  if (my_layer_config.max_keys != 77 || my_layer_config.workers != 3) return 7;\n"
                "  return my_layer_max_keys == 77 && my_layer_workers == 3 && my_layer_max_sequences == 1 &&\n"
                "         my_layer_arena_bytes == " +
                arena + " ? 0 : 8;\n}\n");
}

// Its configuration is all that a plan needs: in C++ at compile time, in C as it is.
TEST_F(HeedPack, WritesTheConfigurationOfItsPlan) {
  write_folder("folder", false);
  expect_success("pack --weights folder --out out.h --c-array my_layer --max-keys 77 --workers 3" + sizes_);
  const std::string arena = std::to_string(plan(77, 3).bytes);
  expect_header(
      "#ifdef __cplusplus\n"
      "static_assert(heed::plan(my_layer_config).bytes == " +
      arena +
      ");\n"
      "static_assert(heed::plan(my_layer_config).weights_bytes == my_layer_bytes);\n"
      "const heed::MultiHeadConfig* const config = &my_layer_config;\n"
      "#else\n"
      "const heed_multi_head_config* const config = &my_layer_config;\n"
      "#endif\n"
      "int main(void) { return config->workers == 3 ? 0 : 1; }\n");
}

TEST_F(HeedPack, DeclaresWhatAnotherFileDefines) {
  write_folder("folder", false);
  write_bytes(path("expected.bin"), expected());
  expect_success("pack --weights folder --out out.h --c-array my_layer --extern out.c" + sizes_);
  EXPECT_EQ(read_bytes(path("out.h")).find("0x"), std::string::npos) << "values in the header";
  expect_header(compare_ + "  return 0;\n}\n", "out.c");
}

// The layer that runs on the packed bytes computes what `heed mha` computes from the same folder.
TEST_F(HeedPack, GivesBytesThatALayerTakes) {
  write_folder("folder", true);
  const std::vector<float> x = random_.normals(tokens * 20);
  write_npy("x.npy", {tokens, 20}, x);
  expect_success("mha --weights folder --input x.npy --out y.npy --causal top-left" + sizes_);
  expect_success("pack --weights folder --out packed.bin" + sizes_);
  const std::string bytes = read_bytes(path("packed.bin"));
  const heed::MultiHeadPlan made = plan(tokens, 1);
  static heed::StaticArena<16 * 1024> packed;
  static heed::StaticArena<512 * 1024> arena;
  ASSERT_EQ(bytes.size(), made.weights_bytes);
  ASSERT_LE(made.bytes, sizeof arena.bytes);
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(packed.bytes));
  heed::MultiHeadAttention layer;
  ASSERT_EQ(layer.init(made, arena, packed), heed::Status::ok);
  std::vector<float> y(tokens * 11);
  for (std::size_t token = 0; token < tokens; ++token) {
    ASSERT_EQ(layer.decode(x.data() + token * 20, y.data() + token * 11), heed::Status::ok);
  }
  EXPECT_EQ(read_npy("y.npy", {tokens, 11}), y);
}

TEST_F(HeedPack, RefusesWhatItCannotPack) {
  write_folder("folder", false);
  write_folder("broken", true);
  write_folder("empty", true);
  write_npy("broken/k_proj_weight.npy", {9, 20}, std::vector<float>(180));
  std::filesystem::remove(path("empty/k_proj_weight.npy"));
  write_bytes(path("empty/q_proj_weight.npy"), "no array");
  const std::string good = "pack --weights folder --out out.bin" + sizes_;
  expect_failure("pack --out out.bin" + sizes_, {"--weights"});
  expect_failure("pack --weights folder" + sizes_, {"--out"});
  expect_failure("pack --weights folder --out out.bin", {"--heads"});
  expect_failure("pack --weights none --out out.bin" + sizes_, {"--weights: cannot read none"});
  std::filesystem::create_directory(path("circle"));
  std::filesystem::create_symlink("out_proj.weight.npy", path("circle/out_proj.weight.npy"));
  expect_failure("pack --weights circle --out out.bin" + sizes_, {"cannot read circle/out_proj.weight.npy", "link"});
  expect_failure("pack --weights folder --out no/such/out.bin" + sizes_, {"--out: cannot write no/such/out.bin"});
  expect_failure("pack --weights folder --out out.bin --heads 5",
                 {"--weights folder: tensor out_proj.weight [11, 12]", "--heads 5 does not divide 12"});
  expect_failure("pack --weights folder --out out.bin --heads 4 --kv-heads 3 --head-dim 3 --value-dim 3",
                 {"in_proj_weight [36, 20]", "[30, 20]"});
  expect_failure(good + "--q-weight q", {"folder: there is no file q.npy"});
  expect_failure(good + "--prefix a.", {"folder: there is no file a.out_proj.weight.npy"});
  expect_failure("pack --weights broken --out out.bin" + sizes_, {"k_proj_weight [9, 20]", "[10, 20]"});
  expect_failure("pack --weights empty --out out.bin" + sizes_, {"q_proj_weight.npy", "not a .npy file"});
  for (const char* name : {"3layers", "my-layer", "a.b"}) {
    expect_failure(good + "--c-array " + name, {"--c-array", "not a name"});
  }
  for (const char* name : {"float",       "switch",   "_Bool",    "template",    "and",
                           "heed",        "main",     "std",      "linux",       "exp",
                           "expf",        "abs",      "malloc",   "uint32_t",    "size_t",
                           "INT8_MAX",    "SIZE_MAX", "INFINITY", "heed_attend", "heed_multi_head",
                           "HEED_ALIGNED"}) {
    expect_failure(good + "--c-array " + name, {std::string("--c-array ") + name + ": "});
  }
  expect_failure(good + "--extern out.c", {"--extern means nothing without --c-array"});
  expect_failure(good + "--c-array layer --max-sequences 2", {"--max-sequences means nothing without --max-keys"});
  expect_failure(good + "--c-array ''", {"--c-array", "empty"});
  expect_failure(good + "--max-keys 7", {"--max-keys means nothing without --c-array"});
  expect_failure(good + "--c-array layer --workers 2", {"--workers means nothing without --max-keys"});
  expect_failure(good + "--c-array layer --max-keys 7 --workers 65", {"--workers: Value 65 not in range 1 to 64"});
  expect_failure(good + "--c-array layer --max-keys 0", {"--max-keys", "Value 0"});
}

}  // namespace
