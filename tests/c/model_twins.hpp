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
#include "transformer/random_model.hpp"

namespace heed::test {

/// What an observer has seen, one number after the other.
using Seen = std::vector<std::uint32_t>;

inline void keep(Seen& seen, std::uint32_t block, std::uint32_t stage, const float* values, std::uint32_t rows,
                 std::uint32_t columns) {
  seen.insert(seen.end(), {block, stage, rows, columns});
  for (std::size_t i = 0; i < std::size_t{rows} * columns; ++i) seen.push_back(std::bit_cast<std::uint32_t>(values[i]));
}

inline void see_of_cpp(void* context, std::uint32_t block, Stage stage, const float* values, std::uint32_t rows,
                       std::uint32_t columns) {
  keep(*static_cast<Seen*>(context), block, static_cast<std::uint32_t>(stage), values, rows, columns);
}

inline void see_of_c(void* context, std::uint32_t block, heed_stage stage, const float* values, std::uint32_t rows,
                     std::uint32_t columns) {
  keep(*static_cast<Seen*>(context), block, stage, values, rows, columns);
}

/// Both models, bound to memories of just the right size. Every call is made of both, and must have the same status,
/// outputs and stages; with several workers, that of C runs on threads.
class ModelTwins {
 public:
  heed_model c{};
  heed_model_plan plan{};
  ModelConfig config;
  Model cpp;

  ModelTwins(AlignedBytes& model_file, const BlockMemory& memory, const KvStorage& storage = {})
      : config(read_model(model_file.span()).config), file_(&model_file), storage_(storage) {
    heed_model_config c_config{};
    const char* field = nullptr;
    EXPECT_EQ(heed_read_model(file_->span().data(), file_->span().size(), &c_config, &field), HEED_OK);
    EXPECT_STREQ(field, "");
    EXPECT_EQ(std::memcmp(&c_config, &config, sizeof config), 0);
    const auto c_memory = std::bit_cast<heed_block_memory>(memory);
    EXPECT_EQ(heed_plan_model(&c_config, &c_memory, &plan), HEED_OK);
    EXPECT_EQ(make_plan(config, memory, cpp_plan_), Status::ok);
    EXPECT_EQ(std::memcmp(&plan, &cpp_plan_, sizeof plan), 0);
    for (AlignedBytes* const state : {&state_, &cpp_state_}) *state = AlignedBytes(plan.state_bytes);
    for (AlignedBytes* const scratch : {&scratch_, &cpp_scratch_}) *scratch = AlignedBytes(plan.scratch_bytes);
    EXPECT_EQ(start(heed_model_init), HEED_OK);
    EXPECT_EQ(cpp.init(cpp_plan_, cpp_state_.span(), cpp_scratch_.span(), {file_->span(), all_formats}, storage_),
              Status::ok);
    cpp.observe({&seen_of_cpp_, see_of_cpp});
    heed_model_observe(&c, &observer_);
  }

  /// init or bind, with less of each memory where that is asked for.
  [[nodiscard]] heed_status start(auto* call, std::size_t less_state = 0, std::size_t less_scratch = 0,
                                  std::size_t less_file = 0, std::size_t format_count = 5, bool with_storage = true) {
    const heed_packed_model packed{file_->span().data(), file_->span().size() - less_file, all_formats, format_count};
    const auto storage = std::bit_cast<heed_kv_storage>(storage_);
    return call(&c, &plan, state_.span().data(), state_.span().size() - less_state, scratch_.span().data(),
                scratch_.span().size() - less_scratch, &packed, with_storage ? &storage : nullptr);
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
  Status encode(const ConstMatrix& frames, std::uint32_t count, bool output = true) {
    const auto c_frames = std::bit_cast<heed_const_matrix>(frames);
    return both([&](float* to) { return cpp.encode(frames, count, to); },
                [&](float* to) { return heed_model_encode_frames(&c, c_frames, count, to, executor()); }, output,
                std::size_t{count} + 1);
  }
  Status set_context(const ConstMatrix& rows, std::uint32_t count) {
    const auto c_rows = std::bit_cast<heed_const_matrix>(rows);
    return both([&](float* /*to*/) { return cpp.set_context(rows, count); },
                [&](float* /*to*/) { return heed_model_set_context(&c, c_rows, count, executor()); }, false, 0);
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
    const heed_status c_status = call_of_c(output ? got.data() : nullptr);
    EXPECT_EQ(static_cast<int>(c_status), static_cast<int>(status)) << to_string(status);
    EXPECT_TRUE(same_bits(got, expected));
    EXPECT_EQ(seen_of_c_, seen_of_cpp_);
    EXPECT_TRUE(status == Status::ok || seen_of_c_.empty()) << to_string(status);
    EXPECT_EQ(heed_model_tokens(&c), cpp.tokens());
    EXPECT_EQ(std::memcmp(state_.span().data(), cpp_state_.span().data(), plan.state_bytes), 0);
    return status;
  }

  [[nodiscard]] const heed_executor* executor() const { return plan.block.memory.workers > 1 ? &threads_ : nullptr; }

  AlignedBytes* file_;
  AlignedBytes state_{0}, scratch_{0};
  ModelPlan cpp_plan_;
  AlignedBytes cpp_state_{0}, cpp_scratch_{0};
  KvStorage storage_;
  Seen seen_of_cpp_, seen_of_c_;
  heed_executor threads_ = std::bit_cast<heed_executor>(thread_per_task());
  heed_stage_observer observer_{&seen_of_c_, see_of_c};
};

}  // namespace heed::test
