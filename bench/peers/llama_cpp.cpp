// SPDX-License-Identifier: MIT
//
// llama.cpp through its C interface, with the header of the very version that the libraries were built from.
#include "llama_cpp.hpp"

#include <link.h>
#include <llama.h>

#include <vector>

#include "cases/data.hpp"

namespace heed::bench {
namespace {

void say_errors(ggml_log_level level, const char* text, void* /*context*/) {
  if (level == GGML_LOG_LEVEL_ERROR) std::fputs(text, stderr);
}

/// Of the libraries that are loaded, the one for a CPU.
int find_cpu_library(dl_phdr_info* library, std::size_t /*size*/, void* name) {
  const std::filesystem::path path = library->dlpi_name;
  if (path.filename().string().rfind("libggml-cpu", 0) != 0) return 0;
  *static_cast<std::string*>(name) = path.filename();
  return 1;
}

}  // namespace

struct LlamaCpp::State {
  llama_model* model = nullptr;
  llama_context* context = nullptr;
  std::vector<llama_token> tokens;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    llama_free(context);
    llama_model_free(model);
  }
};

LlamaCpp::LlamaCpp(const std::filesystem::path& path, std::uint32_t most_tokens, std::uint32_t vocabulary)
    : state_(std::make_shared<State>()) {
  llama_log_set(say_errors, nullptr);
  ggml_backend_load_all_from_path(HEED_LLAMA_CPP_LIBRARIES);
  state_->model = llama_model_load_from_file(path.c_str(), llama_model_default_params());
  if (state_->model == nullptr) fail(path.string() + ": llama.cpp does not load it");
  llama_context_params params = llama_context_default_params();
  params.n_ctx = params.n_batch = params.n_ubatch = most_tokens;
  params.n_threads = params.n_threads_batch = 1;
  state_->context = llama_init_from_model(state_->model, params);
  const llama_context* context = state_->context;
  if (context == nullptr) fail(path.string() + ": llama.cpp has no context for it");
  const auto tokens = static_cast<std::uint32_t>(llama_vocab_n_tokens(llama_model_get_vocab(state_->model)));
  if (llama_n_ctx(context) < most_tokens || llama_n_batch(context) != most_tokens ||
      llama_n_ubatch(context) != most_tokens || llama_n_threads(state_->context) != 1 ||
      llama_n_threads_batch(state_->context) != 1 || tokens != vocabulary) {
    fail("llama.cpp does not do as it was asked");
  }
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

std::string LlamaCpp::describe() {
  std::string library;
  if (dl_iterate_phdr(find_cpu_library, &library) == 0) fail("llama.cpp has no library for a CPU");
  return std::string("llama.cpp ") + llama_version() + " with " + library + ", " + llama_print_system_info();
}

}  // namespace heed::bench
