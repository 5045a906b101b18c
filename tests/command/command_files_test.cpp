// SPDX-License-Identifier: MIT
//
// What happens to files: no input is lost, no failure of the disk goes unnoticed, and an output goes where its name
// leads, or nowhere.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "command/packed_models.hpp"
#include "text/tokenizer_file.hpp"

namespace heed::test {
namespace {

/// A command, its inputs, and its options for outputs. `$` stands for a file.
struct Case {
  std::string line;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

class HeedFiles : public HeedPackModel {
 protected:
  HeedFiles() {
    for (const char* name : {"q.npy", "k.npy", "v.npy", "past.npy"}) {
      write_npy(name, {1, 2, 3, 4}, std::vector<float>(24, 0.5F));
    }
    write_npy("x.npy", {1, 3, 4}, std::vector<float>(12, 0.25F));
    write_npy("ids.npy", {4}, std::vector<std::int32_t>{1, 2, 3, 4});
    write_safetensors(path("layer.safetensors"), {{"in_proj_weight", {12, 4}, bytes_of(std::vector<float>(48, 0.5F))},
                                                  {"out_proj.weight", {4, 4}, bytes_of(std::vector<float>(16, 1.0F))}});
    const TinyModel model(tiny_llama, false);
    write_json(llama_json_);
    write_safetensors(path("w.safetensors"), stored_llama(model));
    write_bytes(path("m.heed"), bytes_of_file(model));
    write_bytes(path("m.bin"), llama2c_bytes(model));
    write_bytes(path("labels.txt"), "a\n");
    const std::string tokenizer = tokenizer_file(std::vector<std::string_view>{" ", "a"});
    write_bytes(path("t.bin"), tokenizer);
    ModelConfig config = tiny_llama;
    config.input_dim = config.outputs = 262;  // tokens of that file
    write_bytes(path("g.heed"), bytes_of_file(TinyModel(config, false)));
  }

  static std::vector<Case> cases() {
    return {
        {"attend --query q.npy --key k.npy --value v.npy --past-key past.npy --past-value past.npy",
         {"q.npy", "k.npy", "v.npy", "past.npy"},
         {"--out $", "--out a --scores $", "--out a --lse $", "--out a --present-key $", "--out a --present-value $"}},
        {"mha --weights layer.safetensors --heads 2 --input x.npy",
         {"layer.safetensors", "x.npy"},
         {"--out $", "--out a --head-outputs $", "--out a --scores $", "--out a --lse $"}},
        {"pack --weights layer.safetensors --heads 2",
         {"layer.safetensors"},
         {"--out $", "--c-array a --out $", "--c-array a --out a --extern $"}},
        {"pack --model m.json --weights w.safetensors",
         {"m.json", "w.safetensors"},
         {"--out $", "--c-array a --out a --extern $", "--out a --incbin a $"}},
        {"pack --llama2c m.bin", {"m.bin"}, {"--out $", "--out a --incbin a $"}},
        {"array --input x.npy --c-array a", {"x.npy"}, {"--out $", "--out a --extern $"}},
        {"run m.heed --input ids.npy",
         {"m.heed", "ids.npy"},
         {"--output $", "--stages $", "--stage-values $", "--attention $", "--attention-values $"}},
        {"generate g.heed --tokenizer t.bin --tokens 1",
         {"g.heed", "t.bin"},
         {"--ids $", "--stages $", "--stage-values $", "--attention $", "--attention-values $"}},
    };
  }

  [[nodiscard]] std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(path(""))) {
      const std::string name = entry.path().filename().string();
      if (name.rfind("standard_", 0) != 0) all[name] = read_bytes(entry.path());
    }
    return all;
  }

  static std::string with_file(std::string text, const std::string& file) {
    return text.replace(text.find('$'), 1, file);
  }
};

TEST_F(HeedFiles, NoOutputReplacesAnInput) {
  for (const Case& one : cases()) {
    for (const std::string& input : one.inputs) {
      std::filesystem::create_hard_link(path(input), path("hard.S"));
      std::filesystem::create_symlink(input, path("soft"));
      std::filesystem::create_symlink("soft", path("softer"));
      const auto before = files();
      for (const std::string& output : one.outputs) {
        const std::string option =
            output.substr(output.rfind("--"), output.find(' ', output.rfind("--")) - output.rfind("--"));
        for (const std::string& name : {input, "./" + input, std::string("hard.S"), std::string("softer")}) {
          const std::string line = one.line + " " + with_file(output, name);
          expect_failure(line, {input + ": " + option + " would replace it"});
          EXPECT_EQ(run(line).out, "") << line;
          EXPECT_EQ(files(), before) << line;
        }
      }
      for (const char* name : {"hard.S", "soft", "softer"}) std::filesystem::remove(path(name));
    }
  }
}

TEST_F(HeedFiles, TheHeaderOfAnAssemblerFileReplacesNoInput) {
  std::filesystem::rename(path("w.safetensors"), path("stub.h"));
  const auto before = files();
  expect_failure("pack --model m.json --weights stub.h --out out.heed --incbin a stub.S",
                 {"stub.h: --incbin would replace it"});
  EXPECT_EQ(files(), before);
}

TEST_F(HeedFiles, TensorsOfAFolderAreInputs) {
  std::filesystem::create_directory(path("folder"));
  write_npy("folder/in_proj_weight.npy", {12, 4}, std::vector<float>(48, 0.5F));
  write_npy("folder/out_proj.weight.npy", {4, 4}, std::vector<float>(16, 1.0F));
  const std::string before = read_bytes(path("folder/out_proj.weight.npy"));
  expect_failure("pack --weights folder --heads 2 --out folder/out_proj.weight.npy", {"--out would replace it"});
  EXPECT_EQ(read_bytes(path("folder/out_proj.weight.npy")), before);
  expect_success("pack --weights folder --heads 2 --out folder/packed.bin");
}

TEST_F(HeedFiles, AReadThatFailsIsNoEndOfTheFile) {
  std::string stages;
  for (int i = 0; i < 900; ++i) stages += "stage 0 mlp 0123456789abcdef\n";
  write_bytes(path("a.txt"), stages);
  write_bytes(path("b.txt"), stages.substr(0, 29 * 500) + "stage 0 mlp 0023456789abcdef\n" + stages.substr(29 * 501));
  struct Read {
    const char* line;
    const char* file;
  };
  const Read reads[] = {
      {"compare a.txt b.txt", "a.txt"},
      {"compare a.txt b.txt", "b.txt"},
      {"attend --query q.npy --key k.npy --value v.npy --out out.npy", "k.npy"},
      {"mha --weights layer.safetensors --heads 2 --input x.npy --out out.npy", "layer.safetensors"},
      {"pack --model m.json --weights w.safetensors --out out.heed", "m.json"},
      {"pack --model m.json --weights w.safetensors --out out.heed", "w.safetensors"},
      {"pack --llama2c m.bin --out out.heed", "m.bin"},
      {"array --input x.npy --c-array a --out out.h", "x.npy"},
      {"inspect m.heed", "m.heed"},
      {"run m.heed --input ids.npy --output out.npy", "ids.npy"},
      {"run m.heed --input ids.npy --labels labels.txt --output out.npy", "labels.txt"},
      {"generate g.heed --tokenizer t.bin --tokens 1", "t.bin"},
  };
  setenv("LD_PRELOAD", HEED_FAILING_READ_PATH, 1);
  for (const Read& read : reads) {
    setenv("HEED_FAILING_FILE", path(read.file).c_str(), 1);
    const std::size_t bytes = std::filesystem::file_size(path(read.file));
    for (const std::size_t good : {std::size_t{0}, bytes / 2, bytes - bytes % 29, bytes}) {
      setenv("HEED_FAILING_BYTES", std::to_string(good).c_str(), 1);
      expect_failure(read.line, {std::string("cannot read ") + read.file, "Input/output error"});
      EXPECT_EQ(run(read.line).out, "") << read.line;
    }
  }
  unsetenv("LD_PRELOAD");
  expect_failure("compare a.txt b.txt", {"stage 500"});
}

TEST_F(HeedFiles, AnOutputGoesWhereItsLinkLeads) {
  const std::string pack = "pack --weights layer.safetensors --heads 2 --out ";
  expect_success(pack + "there.bin");
  std::filesystem::create_directory(path("folder"));
  std::filesystem::create_symlink("folder/new.bin", path("first"));
  std::filesystem::create_symlink("first", path("second"));
  expect_success(pack + "second");
  EXPECT_TRUE(std::filesystem::is_symlink(path("second")));
  EXPECT_TRUE(std::filesystem::is_symlink(path("first")));
  EXPECT_EQ(read_bytes(path("folder/new.bin")), read_bytes(path("there.bin")));
  std::filesystem::create_symlink(path("none/new.bin"), path("astray"));
  expect_failure(pack + "astray", {"--out: cannot write astray: No such file or directory"});
  EXPECT_TRUE(std::filesystem::is_symlink(path("astray")));
  std::filesystem::create_symlink("circle", path("circle"));
  expect_failure(pack + "circle", {"--out: cannot write circle: ", "links"});
}

// Nothing is computed, or printed, for a place that cannot be.
TEST_F(HeedFiles, LooksFirstWhereOutputsGo) {
  std::filesystem::create_directory(path("folder"));
  for (const std::string file : {"none/a.npy", "q.npy/a.npy", "folder", "folder/"}) {
    for (const Case& one : cases()) {
      for (const std::string& output : one.outputs) {
        const std::string line = one.line + " " + with_file(output, file);
        const Ended ended = run(line);
        EXPECT_EQ(ended.code, 2) << line;
        EXPECT_EQ(ended.out, "") << line;
        EXPECT_NE(ended.error.find(": cannot write " + file + ": "), std::string::npos) << line << ended.error;
        EXPECT_FALSE(std::filesystem::exists(path("a"))) << line;
      }
    }
  }
  EXPECT_EQ(run("demo --svg none/a.svg").out, "");
  expect_failure("demo --svg none/a.svg", {"--svg: cannot write none/a.svg"});
}

TEST_F(HeedFiles, AFileThatMayNotGrowIsRemoved) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit limit{64, before.rlim_max};
  const auto files_before = files();
  // The test's own files keep to the limit, but for what it reads: the command's message has fewer than 64 bytes.
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  const Ended ended = run("pack --llama2c m.bin --out o");
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.error, "heed: --out: cannot write o: File too large\n");
  EXPECT_EQ(files(), files_before);
}

TEST_F(HeedFiles, TextThatIsLostIsAFailure) {
  for (const char* line : {"", "--help", "--version", "pack --help", "demo", "plan --head-dim 4", "inspect m.heed",
                           "generate g.heed --tokenizer t.bin --tokens 1", "pack --llama2c m.bin --out packed.heed"}) {
    const std::string command =
        std::string("cd '") + path("") + "' && '" HEED_COMMAND_PATH "' " + line + " > /dev/full 2> standard_error";
    const int status = std::system(command.c_str());
    EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 2) << line;
    EXPECT_NE(read_bytes(path("standard_error")).find("heed: cannot write to the standard output\n"), std::string::npos)
        << line;
  }
}

}  // namespace
}  // namespace heed::test
