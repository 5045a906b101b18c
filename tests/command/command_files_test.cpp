// SPDX-License-Identifier: MIT
//
// What happens to files: no input is lost, no failure of the disk goes unnoticed, and an output goes where its name
// leads, or nowhere.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "command/model_folders.hpp"
#include "text/tokenizer_file.hpp"

namespace heed::test {
namespace {

/// A command, its inputs, and its options for outputs. `$` stands for a file.
struct Case {
  std::string line;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

class HeedFiles : public HeedPackFolder {
 protected:
  HeedFiles() {
    for (const char* name : {"q", "k", "v", "past"}) {
      write_npy(name, {1, 2, 3, 4}, std::vector<float>(24, 0.5F));
    }
    write_npy("x", {1, 3, 4}, std::vector<float>(12, 0.25F));
    write_npy("ids", {4}, std::vector<std::int32_t>{1, 2, 3, 4});
    write_safetensors(path("layer"), {{"in_proj_weight", {12, 4}, bytes_of(std::vector<float>(48, 0.5F))},
                                      {"out_proj.weight", {4, 4}, bytes_of(std::vector<float>(16, 1.0F))}});
    const TinyModel model(tiny_llama, false);
    write_bytes(path("described"), llama_json_.dump());
    write_safetensors(path("w"), stored_llama(model));
    write_bytes(path("model"), bytes_of_file(model));
    write_bytes(path("story"), llama2c_bytes(model));
    write_bytes(path("labels"), "a\n");
    const std::string tokenizer = tokenizer_file(std::vector<std::string_view>{" ", "a"});
    write_bytes(path("vocabulary"), tokenizer);
    ModelConfig config = tiny_llama;
    config.input_dim = config.outputs = 262;  // tokens of that file
    write_folder(llama_config_, stored_llama(model));
    write_bytes(path("m/generation_config.json"), "{}");
    write_bytes(path("m/tokenizer.json"), "{}");
    write_bytes(path("language"), bytes_of_file(TinyModel(config, false)));
  }

  static std::vector<Case> cases() {
    return {
        {"attend --query q --key k --value v --past-key past --past-value past",
         {"q", "k", "v", "past"},
         {"--out $", "--out a --scores $", "--out a --lse $", "--out a --present-key $", "--out a --present-value $"}},
        {"mha --weights layer --heads 2 --input x",
         {"layer", "x"},
         {"--out $", "--out a --head-outputs $", "--out a --scores $", "--out a --lse $"}},
        {"pack --weights layer --heads 2",
         {"layer"},
         {"--out $", "--c-array a --out $", "--c-array a --out a --extern $"}},
        {"pack --model described --weights w",
         {"described", "w"},
         {"--out $", "--c-array a --out a --extern $", "--out a --incbin a $"}},
        {"pack --llama2c story", {"story"}, {"--out $", "--out a --incbin a $"}},
        {"pack m",
         {"m/config.json", "m/generation_config.json", "m/model.safetensors", "m/tokenizer.json"},
         {"--out $", "--out a --tokenizer $"}},
        {"array --input x --c-array a", {"x"}, {"--out $", "--out a --extern $"}},
        {"run model --input ids",
         {"model", "ids"},
         {"--output $", "--stages $", "--stage-values $", "--attention $", "--attention-values $"}},
        {"generate language --tokenizer vocabulary --tokens 1",
         {"language", "vocabulary"},
         {"--ids $", "--stages $", "--stage-values $", "--attention $", "--attention-values $"}},
    };
  }

  [[nodiscard]] std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(path(""))) {
      const std::string name = entry.path().filename().string();
      if (name.rfind("standard_", 0) != 0 && !entry.is_directory()) all[name] = read_bytes(entry.path());
    }
    return all;
  }

  /// The environment of the next commands: what goes wrong with a file.
  static void provoke(const char* what, const std::string& value) {
    setenv("LD_PRELOAD", HEED_FAILING_READ_PATH, 1);
    setenv(what, value.c_str(), 1);
  }

  static void provoke_nothing() {
    for (const char* name : {"LD_PRELOAD", "HEED_FAILING_FILE", "HEED_FAILING_BYTES", "HEED_CUT_FILE", "HEED_SIGNAL"}) {
      unsetenv(name);
    }
  }

  static std::string with_file(std::string text, const std::string& file) {
    return text.replace(text.find('$'), 1, file);
  }
};

TEST_F(HeedFiles, NoOutputReplacesAnInput) {
  for (const Case& one : cases()) {
    for (const std::string& input : one.inputs) {
      std::filesystem::create_hard_link(path(input), path("hard.x"));
      std::filesystem::create_symlink(input, path("soft"));
      std::filesystem::create_symlink("soft", path("softer"));
      const auto before = files();
      for (const std::string& output : one.outputs) {
        const std::string option =
            output.substr(output.rfind("--"), output.find(' ', output.rfind("--")) - output.rfind("--"));
        const std::vector<std::string> names = input.starts_with("m/")
                                                   ? std::vector<std::string>{"hard.x", "softer"}
                                                   : std::vector<std::string>{input, "./" + input, "hard.x", "softer"};
        for (const std::string& name : names) {
          const std::string line = one.line + " " + with_file(output, name);
          expect_failure(line, {input + ": " + option + " would replace it"});
          EXPECT_EQ(run(line).out, "") << line;
          EXPECT_EQ(files(), before) << line;
        }
      }
      for (const char* name : {"hard.x", "soft", "softer"}) std::filesystem::remove(path(name));
    }
  }
}

TEST_F(HeedFiles, TheHeaderOfAnAssemblerFileReplacesNoInput) {
  std::filesystem::rename(path("w"), path("stub.h"));
  const auto before = files();
  expect_failure("pack --model described --weights stub.h --out out.heed --incbin a stub.S",
                 {"stub.h: --incbin would replace it"});
  EXPECT_EQ(files(), before);
}

TEST_F(HeedFiles, TensorsOfAFolderAreInputs) {
  std::filesystem::create_directory(path("folder"));
  write_npy("folder/in_proj_weight.npy", {12, 4}, std::vector<float>(48, 0.5F));
  write_npy("folder/out_proj.weight.npy", {4, 4}, std::vector<float>(16, 1.0F));
  const std::string before = read_bytes(path("folder/out_proj.weight.npy"));
  std::filesystem::create_hard_link(path("folder/out_proj.weight.npy"), path("alias"));
  expect_failure("pack --weights folder --heads 2 --out alias", {"out_proj.weight.npy: --out would replace it"});
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
      {"attend --query q --key k --value v --out out.npy", "k"},
      {"mha --weights layer --heads 2 --input x --out out.npy", "layer"},
      {"pack --model described --weights w --out out.heed", "described"},
      {"pack --model described --weights w --out out.heed", "w"},
      {"pack --llama2c story --out out.heed", "story"},
      {"pack m --out out.heed", "m/config.json"},
      {"pack m --out out.heed", "m/generation_config.json"},
      {"pack m --out out.heed", "m/model.safetensors"},
      {"pack m --out out.heed", "m/tokenizer.json"},
      {"array --input x --c-array a --out out.h", "x"},
      {"inspect model", "model"},
      {"run model --input ids --output out.npy", "ids"},
      {"run model --input ids --labels labels --output out.npy", "labels"},
      {"generate language --tokenizer vocabulary --tokens 1", "vocabulary"},
  };
  for (const Read& read : reads) {
    provoke("HEED_FAILING_FILE", path(read.file));
    const std::size_t bytes = std::filesystem::file_size(path(read.file));
    for (const std::size_t good : {std::size_t{0}, bytes / 2, bytes - bytes % 29, bytes}) {
      provoke("HEED_FAILING_BYTES", std::to_string(good));
      expect_failure(read.line, {std::string("cannot read ") + read.file, "Input/output error"});
      EXPECT_EQ(run(read.line).out, "") << read.line;
    }
  }
  provoke_nothing();
  expect_difference("compare a.txt b.txt", {"stage 500"});
}

TEST_F(HeedFiles, ALinkThatLeadsNowhereIsNoMissingFile) {
  for (const char* file : {"m/generation_config.json", "m/tokenizer.json", "m/tokenizer_config.json"}) {
    const std::string kept = std::filesystem::exists(path(file)) ? read_bytes(path(file)) : "{}";
    std::filesystem::remove(path(file));
    std::filesystem::create_symlink("nowhere", path(file));
    if (file != std::string("m/tokenizer_config.json")) {  // which nobody reads without a tokenizer
      expect_failure("pack m --out out.heed", {std::string("cannot read ") + file, "No such file"});
    }
    std::filesystem::remove(path(file));
    write_bytes(path(file), kept);
  }
}

// A mapped file may lose pages at any time, and what was read before it changed belongs to no file that ever was.
TEST_F(HeedFiles, AFileThatIsCutWhileItIsReadIsAFailure) {
  write_safetensors(path("large"), {{"in_proj_weight", {192, 64}, bytes_of(std::vector<float>(192 * 64, 0.5F))},
                                    {"out_proj.weight", {64, 64}, bytes_of(std::vector<float>(64 * 64, 1.0F))}});
  ModelConfig config = tiny_llama;
  config.input_dim = config.outputs = 2000;
  const TinyModel model(config, false);
  write_bytes(path("long"), bytes_of_file(model));
  write_bytes(path("story"), llama2c_bytes(model));
  struct Read {
    const char* line;
    const char* file;
    const char* reason;
  };
  const char* const lost = "it was cut while it was read";
  const char* const changed = "it was changed while it was read";
  const Read reads[] = {
      {"pack --weights large --heads 2 --out out.bin", "large", lost},
      {"mha --weights large --heads 2 --input x --out out.npy", "large", lost},
      {"pack --llama2c story --out out.heed", "story", lost},
      {"inspect long", "long", lost},
      {"run long --input ids --output out.npy", "long", lost},
      {"pack --weights layer --heads 2 --out out.bin", "layer", changed},
      {"pack m --out out.heed", "m/generation_config.json", changed},
      {"attend --query q --key k --value v --out out.npy", "k", changed},
  };
  for (const Read& read : reads) {
    const std::string whole = read_bytes(path(read.file));
    provoke("HEED_CUT_FILE", path(read.file));
    expect_failure(read.line, {std::string(read.file) + ": ", read.reason});
    provoke_nothing();
    write_bytes(path(read.file), whole);
  }
}

TEST_F(HeedFiles, ASignalLeavesNoHalfOfAFile) {
  const auto before = files();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    for (const char* line : {"pack --llama2c story --out out.heed",
                             "attend --query q --key k --value v --workers 3 --out out.npy --scores out_scores.npy"}) {
      provoke("HEED_SIGNAL", std::to_string(signal));
      const Ended ended = run(line);
      provoke_nothing();
      EXPECT_TRUE(ended.code == 128 + signal || ended.code == -1) << line << ended.code;
      EXPECT_EQ(ended.out, "");
      EXPECT_EQ(files(), before) << line;
    }
  }
  // As nohup starts a command.
  provoke("HEED_SIGNAL", std::to_string(SIGHUP));
  std::signal(SIGHUP, SIG_IGN);
  expect_success("pack --llama2c story --out kept.heed");
  std::signal(SIGHUP, SIG_DFL);
  provoke_nothing();
}

TEST_F(HeedFiles, ANameThatPromisesSomethingElseIsRefused) {
  const auto refuse = [&](const std::string& line, const std::string& name) {
    expect_failure(line + " " + name, {"cannot write " + name + ": what is written is no "});
  };
  refuse("run model --input ids --attention", "a.png");
  refuse("run model --input ids --stage-values", "a.npy");
  refuse("run model --input ids --stages", "a.safetensors");
  refuse("run model --input ids --output", "a.JSON");
  refuse("attend --query q --key k --value v --out", "a.npz");
  refuse("pack m --out", "m/tokenizer.json");
  refuse("pack m --no-tokenizer --out", "m/tokenizer.json");
  refuse("pack m --tokenizer", "m/generation_config.json");
  refuse("pack m --out", "a.h");
  refuse("pack m --c-array a --out", "a.heed");
  refuse("pack m --c-array a --out a.h --extern", "b.h");
  refuse("pack m --out a.heed --incbin a", "a.c");
  refuse("demo --svg", "a.PDF");
  expect_success("run model --input ids --output a.out --attention picture");
}

TEST_F(HeedFiles, AnOutputGoesWhereItsLinkLeads) {
  const std::string pack = "pack --weights layer --heads 2 --out ";
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
  for (const std::string file : {"none/a.npy", "q/a.npy", "folder", "folder/"}) {
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
  const Ended ended = run("pack --llama2c story --out o");
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.error, "heed: --out: cannot write o: File too large\n");
  EXPECT_EQ(files(), files_before);
}

TEST_F(HeedFiles, TextThatIsLostIsAFailure) {
  for (const char* line :
       {"", "--help", "--version", "pack --help", "demo", "plan --head-dim 4", "inspect model",
        "generate language --tokenizer vocabulary --tokens 1", "pack --llama2c story --out packed.heed"}) {
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
