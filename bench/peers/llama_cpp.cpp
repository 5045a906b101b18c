// SPDX-License-Identifier: MIT
//
// llama.cpp through its C interface, with the header of the very version that the libraries were built from.
#include "llama_cpp.hpp"

#include <dlfcn.h>
#include <ggml-cpu.h>
#include <link.h>
#include <llama.h>

#include <vector>

#include "cases/data.hpp"

namespace heed::bench {
namespace {

namespace fs = std::filesystem;

void say_errors(ggml_log_level level, const char* text, void* /*context*/) {
  if (level == GGML_LOG_LEVEL_ERROR) std::fputs(text, stderr);
}

/// Of the libraries that are loaded, the one for a CPU.
int find_cpu_library(dl_phdr_info* library, std::size_t /*size*/, void* name) {
  const fs::path path = library->dlpi_name;
  if (path.filename().string().rfind("libggml-cpu", 0) != 0) return 0;
  *static_cast<fs::path*>(name) = path;
  return 1;
}

[[nodiscard]] fs::path cpu_library() {
  fs::path library;
  if (dl_iterate_phdr(find_cpu_library, &library) == 0) fail("llama.cpp has no library for a CPU");
  return library;
}

/// A function of the library for a CPU, which llama.cpp chooses and loads as the program runs.
template <class Function>
[[nodiscard]] Function* cpu_function(const char* name) {
  void* const found = dlsym(dlopen(cpu_library().c_str(), RTLD_NOW | RTLD_NOLOAD), name);
  if (found == nullptr) fail(std::string("llama.cpp has no ") + name + " for a CPU");
  return reinterpret_cast<Function*>(found);
}

}  // namespace

struct LlamaCpp::State {
  llama_model* model = nullptr;
  llama_context* context = nullptr;
  ggml_threadpool* threads = nullptr;
  std::vector<llama_token> tokens;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    llama_free(context);
    if (threads != nullptr) cpu_function<decltype(ggml_threadpool_free)>("ggml_threadpool_free")(threads);
    llama_model_free(model);
  }
};

LlamaCpp::LlamaCpp(const std::filesystem::path& path, std::uint32_t most_tokens, std::uint32_t vocabulary,
                   std::uint32_t workers, bool mapped)
    : state_(std::make_shared<State>()) {
  llama_log_set(say_errors, nullptr);
  ggml_backend_load_all_from_path(HEED_LLAMA_CPP_LIBRARIES);
  llama_model_params loading = llama_model_default_params();
  if (!mapped) loading.load_mode = LLAMA_LOAD_MODE_NONE;
  state_->model = llama_model_load_from_file(path.c_str(), loading);
  if (state_->model == nullptr) fail(path.string() + ": llama.cpp does not load it");
  llama_context_params params = llama_context_default_params();
  params.n_ctx = params.n_batch = params.n_ubatch = most_tokens;
  const auto count = static_cast<std::int32_t>(workers);
  params.n_threads = params.n_threads_batch = count;
  state_->context = llama_init_from_model(state_->model, params);
  const llama_context* context = state_->context;
  if (context == nullptr) fail(path.string() + ": llama.cpp has no context for it");
  const auto tokens = static_cast<std::uint32_t>(llama_vocab_n_tokens(llama_model_get_vocab(state_->model)));
  if (llama_n_ctx(context) < most_tokens || llama_n_batch(context) != most_tokens ||
      llama_n_ubatch(context) != most_tokens || llama_n_threads(state_->context) != count ||
      llama_n_threads_batch(state_->context) != count || tokens != vocabulary) {
    fail("llama.cpp does not do as it was asked");
  }
  ggml_threadpool_params pool = ggml_threadpool_params_default(count);
  state_->threads = cpu_function<decltype(ggml_threadpool_new)>("ggml_threadpool_new")(&pool);
  if (state_->threads == nullptr) fail("llama.cpp has no threads");
  llama_attach_threadpool(state_->context, state_->threads, nullptr);
}

void LlamaCpp::truncate(std::uint32_t length) {
  if (!llama_memory_seq_rm(llama_get_memory(state_->context), 0, static_cast<llama_pos>(length), -1)) {
    fail("llama.cpp keeps its tokens");
  }
}

const float* LlamaCpp::append(std::span<const std::uint32_t> tokens) {
  state_->tokens.assign(tokens.begin(), tokens.end());
  const auto count = static_cast<std::int32_t>(tokens.size());
  if (llama_decode(state_->context, llama_batch_get_one(state_->tokens.data(), count)) != 0) {
    fail("llama_decode() fails");
  }
  return llama_get_logits_ith(state_->context, -1);
}

void LlamaCpp::pause() {
  cpu_function<decltype(ggml_threadpool_pause)>("ggml_threadpool_pause")(state_->threads);
}

std::string LlamaCpp::describe() {
  return std::string("llama.cpp ") + llama_version() + " with " + cpu_library().filename().string() + ", " +
         llama_print_system_info();
}

}  // namespace heed::bench
