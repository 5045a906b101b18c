// SPDX-License-Identifier: MIT
//
// fuzz_<target> <executions> [<seed>]   every seed of the corpus, cut off at every length and with every bit changed,
//                                       then so many mutated inputs
// fuzz_<target> --seeds <folder>        writes the corpus for libFuzzer
// fuzz_<target> --replay <file>...      runs these inputs
//
// An input lies before a page that may not be read. The one that ends the process is left in fuzz_<target>.input.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "fuzz/mutation.hpp"
#include "fuzz/target.hpp"
#include "guard/guarded.hpp"
#include "support/effort.hpp"

namespace heed::test::fuzz {
namespace {

constexpr unsigned most_seconds = 60;           ///< for one input
constexpr std::size_t most_memory = 1UL << 30;  ///< a reader that believes a size takes more
constexpr std::size_t header_bytes = 512;
constexpr std::uint64_t usual_seed = 20260101;

/// The input that is being run, for the signal handler.
struct Running {
  const void* bytes = nullptr;
  std::size_t size = 0;
  char file[256] = "";
};
Running running;

void keep_input(int signal) {
  const int file = open(running.file, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  const ssize_t written = file < 0 ? -1 : write(file, running.bytes, running.size);
  const char* const text = written < 0 ? "the input cannot be kept\n" : "the input is in the file fuzz_*.input\n";
  static_cast<void>(write(STDERR_FILENO, text, std::strlen(text)) + 1);
  ::signal(signal, SIG_DFL);
  raise(signal);
}

class Driver {
 public:
  explicit Driver(const std::string& program) : memory_(most_input_bytes) {
    std::snprintf(running.file, sizeof running.file, "%s.input", program.c_str());
    struct sigaction action {};
    action.sa_handler = keep_input;
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM}) sigaction(signal, &action, nullptr);
    // The address sanitizer takes more, and has a limit of its own.
    const rlimit limit{most_memory, most_memory};
    require(sanitized || setrlimit(RLIMIT_DATA, &limit) == 0, "the memory has a limit");
  }

  bool execute(std::string_view input) {
    const std::span<std::byte> bytes = memory_.place(input.size(), Edge::back);
    if (!input.empty()) std::memcpy(bytes.data(), input.data(), input.size());
    running.bytes = bytes.data();
    running.size = bytes.size();
    if (executions_++ % 256 == 0) alarm(most_seconds);
    const bool accepted = run(bytes);
    accepted_ += accepted ? 1 : 0;
    return accepted;
  }

  /// Every length, and every bit of the header; behind it, and where tests are slow, a share of them.
  void sweep(const std::string& seed, std::uint32_t divisor) {
    for (std::size_t length = 0; length < seed.size(); length += divisor) execute(seed.substr(0, length));
    std::string changed = seed;
    for (std::size_t bit = 0; bit < 8 * seed.size(); bit += divisor * (bit < 8 * header_bytes ? 1 : 37)) {
      const auto flipped = static_cast<char>(1U << bit % 8);
      changed[bit / 8] ^= flipped;
      execute(changed);
      changed[bit / 8] ^= flipped;
    }
  }

  void run_mutated(const Corpus& corpus, std::uint64_t count, std::uint64_t seed) {
    Random random(seed);
    for (std::uint64_t i = 0; i < count; ++i) {
      std::string input = corpus.seeds[random.bits() % corpus.seeds.size()];
      mutate(input, corpus, random);
      execute(input);
    }
  }

  void report(const char* program) const {
    std::printf("%s: %llu executions, %llu accepted\n", program, static_cast<unsigned long long>(executions_),
                static_cast<unsigned long long>(accepted_));
  }

 private:
  GuardedMemory memory_;
  std::uint64_t executions_ = 0;
  std::uint64_t accepted_ = 0;
};

int write_seeds(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const Corpus seeds = corpus();
  for (std::size_t i = 0; i < seeds.seeds.size(); ++i) {
    std::ofstream(folder / ("seed_" + std::to_string(i)), std::ios::binary) << seeds.seeds[i];
  }
  return 0;
}

int replay(Driver& driver, std::span<char*> files) {
  for (const char* file : files) {
    std::ifstream stream(file, std::ios::binary);
    const std::string input{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    require(!stream.bad() && stream.is_open(), "the file can be read");
    std::printf("%s: %s\n", file, driver.execute(input) ? "accepted" : "refused");
  }
  return 0;
}

int drive(int argc, char** argv) {
  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  const std::string program = std::filesystem::path(argv[0]).filename().string();
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first == "--seeds" && argc == 3) return write_seeds(argv[2]);
  Driver driver(program);
  if (first == "--replay") return replay(driver, arguments.subspan(2));
  if (first.empty() || first.find_first_not_of("0123456789") != first.npos) {
    std::fprintf(stderr, "%s <executions> [<seed>] | --seeds <folder> | --replay <file>...\n", program.c_str());
    return 2;
  }
  const Corpus inputs = corpus();
  const std::uint32_t divisor = case_divisor();
  for (const std::string& seed : inputs.seeds) {
    require(driver.execute(seed), "the target accepts its seeds");
    if (inputs.sweeps) driver.sweep(seed, divisor);
  }
  driver.run_mutated(inputs, std::strtoull(argv[1], nullptr, 10) / divisor,
                     argc > 2 ? std::strtoull(argv[2], nullptr, 10) : usual_seed);
  driver.report(program.c_str());
  return 0;
}

}  // namespace
}  // namespace heed::test::fuzz

// An error that a sanitizer finds leaves the input behind, too.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
  return "abort_on_error=1:handle_abort=0:handle_segv=0:handle_sigbus=0:max_allocation_size_mb=1024";
}

int main(int argc, char** argv) {
  return heed::test::fuzz::drive(argc, argv);
}
