// SPDX-License-Identifier: MIT
//
// A model of the C interface beside the same of C++, from the same file.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <vector>

#include "heed/heed.h"
#include "support/cases.hpp"
#include "support/threads.hpp"
#include "transformer/random_ends.hpp"

namespace heed::test {

/// What an observer has seen, one number after the other.
using Seen = std::vector<std::uint32_t>;

inline void keep(Seen& seen, std::uint32_t block, std::uint32_t stage, const float* values, std::uint32_t rows,
                 std::uint32_t columns) {
  seen.insert(seen.end(), {block, stage, rows, columns});
  for (std::size_t i = 0; i < std::size_t{rows} * columns; ++i) seen.push_back(std::bit_cast<std::uint32_t>(values[i]));
}

inline void see(void* context, std::uint32_t block, Stage stage, const float* values, std::uint32_t rows,
                std::uint32_t columns) {
  keep(*static_cast<Seen*>(context), block, static_cast<std::uint32_t>(stage), values, rows, columns);
}

/// Both models, bound to memories of just the right size. Every call is made of both, and must have the same status,
/// outputs and stages; with several workers, that of C runs on threads.
class ModelTwins {
 public:
  Model c;
  ModelPlan plan;
  ModelConfig config;
  Model cpp;

  ModelTwins(AlignedMemory& model_file, const BlockMemory& memory, const KvStorage& storage = {})
      : config(read_model(model_file.span()).config), file_(&model_file), storage_(storage) {
    ModelConfig c_config{};
    const char* field = nullptr;
    EXPECT_EQ(heed_read_model(file_->span().data(), file_->span().size(), &c_config, &field), Status::ok);
    EXPECT_STREQ(field, "");
    EXPECT_TRUE(c_config == config);
    EXPECT_EQ(heed_plan_model(&c_config, &memory, &plan), Status::ok);
    EXPECT_EQ(make_plan(config, memory, cpp_plan_), Status::ok);
    EXPECT_TRUE(plan == cpp_plan_);
    for (AlignedMemory* const state : {&state_, &cpp_state_}) *state = AlignedMemory(plan.state_bytes);
    for (AlignedMemory* const scratch : {&scratch_, &cpp_scratch_}) *scratch = AlignedMemory(plan.scratch_bytes);
    EXPECT_EQ(start(heed_model_init), Status::ok);
    EXPECT_EQ(cpp.init(cpp_plan_, cpp_state_.span(), cpp_scratch_.span(), {file_->span(), all_formats, &extended_model},
                       storage_),
              Status::ok);
    cpp.observe({&seen_of_cpp_, see});
    heed_model_observe(&c, &observer_);
  }

  /// init or bind, with less of each memory where that is asked for.
  [[nodiscard]] Status start(auto* call, std::size_t less_state = 0, std::size_t less_scratch = 0,
                             std::size_t less_file = 0, std::size_t format_count = std::size(all_formats),
                             bool with_storage = true) {
    const heed_packed_model packed{file_->span().data(), file_->span().size() - less_file, all_formats, format_count,
                                   &heed_extended_model};
    return call(&c, &plan, state_.span().data(), state_.span().size() - less_state, scratch_.span().data(),
                scratch_.span().size() - less_scratch, &packed, with_storage ? &storage_ : nullptr);
  }

  Status prefill(const std::vector<std::uint32_t>& tokens, bool output = true) {
    return both([&](float* to) { return cpp.prefill(tokens, to); },
                [&](float* to) { return heed_model_prefill(&c, tokens.data(), tokens.size(), to, executor()); }, output,
                tokens.size());
  }
  Status decode(std::uint32_t token, bool output = true) {
    return both([&](float* to) { return cpp.decode(token, to); },
                [&](float* to) { return heed_model_decode(&c, token, to, executor()); }, output, 1);
  }
  Status encode(const std::vector<std::uint32_t>& tokens, bool output = true) {
    return both([&](float* to) { return cpp.encode(tokens, to); },
                [&](float* to) { return heed_model_encode_tokens(&c, tokens.data(), tokens.size(), to, executor()); },
                output, tokens.size());
  }
  Status encode(const std::vector<std::uint32_t>& tokens, const std::vector<std::uint32_t>& types, bool output = true) {
    const std::size_t count = tokens.size();
    return both([&](float* to) { return cpp.encode(tokens, types, to); },
                [&](float* to) {
                  return heed_model_encode_typed_tokens(&c, tokens.data(), types.data(), count, to, executor());
                },
                output, count);
  }
  Status encode(const ConstMatrix& frames, std::uint32_t count, bool output = true) {
    return both([&](float* to) { return cpp.encode(frames, count, to); },
                [&](float* to) { return heed_model_encode_frames(&c, frames, count, to, executor()); }, output,
                std::size_t{count} + 1);
  }
  Status set_context(const ConstMatrix& rows, std::uint32_t count) {
    return both([&](float* /*to*/) { return cpp.set_context(rows, count); },
                [&](float* /*to*/) { return heed_model_set_context(&c, rows, count, executor()); }, false, 0);
  }
  Status truncate(std::uint32_t length) {
    return both([&](float* /*to*/) { return cpp.truncate(length); },
                [&](float* /*to*/) { return heed_model_truncate(&c, length); }, false, 0);
  }

 private:
  template <class CallOfCpp, class CallOfC>
  Status both(const CallOfCpp& call_of_cpp, const CallOfC& call_of_c, bool output, std::size_t rows) {
    const std::size_t width = config.outputs != 0 ? config.outputs : config.block.model_dim;
    std::vector<float> expected(output ? (rows + 1) * width : 0, -7.0F);
    std::vector<float> got = expected;
    seen_of_cpp_.clear();
    seen_of_c_.clear();
    const Status status = call_of_cpp(output ? expected.data() : nullptr);
    const Status c_status = call_of_c(output ? got.data() : nullptr);
    EXPECT_EQ(c_status, status) << to_string(status);
    EXPECT_TRUE(same_bits(got, expected));
    EXPECT_EQ(seen_of_c_, seen_of_cpp_);
    EXPECT_TRUE(status == Status::ok || seen_of_c_.empty()) << to_string(status);
    EXPECT_EQ(heed_model_tokens(&c), cpp.tokens());
    EXPECT_EQ(std::memcmp(state_.span().data(), cpp_state_.span().data(), plan.state_bytes), 0);
    return status;
  }

  [[nodiscard]] const Executor* executor() const { return plan.block.memory.workers > 1 ? &threads_ : nullptr; }

  AlignedMemory* file_;
  AlignedMemory state_{0}, scratch_{0};
  ModelPlan cpp_plan_;
  AlignedMemory cpp_state_{0}, cpp_scratch_{0};
  KvStorage storage_;
  Seen seen_of_cpp_, seen_of_c_;
  heed_executor threads_ = thread_per_task();
  StageObserver observer_{&seen_of_c_, see};
};

}  // namespace heed::test
