// SPDX-License-Identifier: MIT
#include "commands/bench_report.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "machine/machine.hpp"
#include "support/data_types.hpp"
#include "support/stage_hashes.hpp"

namespace heed::tools {

namespace {

double per_second(const std::vector<Peak>& peaks, const Products& one) {
  const auto same = [&](const Peak& peak) { return peak.weights == one.weights && peak.rows == one.rows; };
  return std::find_if(peaks.begin(), peaks.end(), same)->per_second;
}

/// The time that the products take at their peaks, of that which the rows took.
double share_of(const TimedRows& rows, const std::vector<Peak>& peaks) {
  double at_peaks = 0.0;
  for (const Products& one : rows.work) at_peaks += one.count / per_second(peaks, one);
  return at_peaks * rows.rate.median / rows.count;
}

std::string name_of(const Products& one) {
  if (one.rows == DataType::float32) return "multiply-adds of floats";
  return "products of " + to_word(one.weights) + " by " + to_word(one.rows);
}

std::string billions(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", number * 1e-9);
  return text;
}

std::string peaks_text(const Work& work, const std::vector<Peak>& peaks) {
  if (work.size() == 1) {
    return "the " + billions(per_second(peaks, work[0])) + " billion " + name_of(work[0]) +
           " per second that this machine reached beside it";
  }
  std::string text = "what this machine reached beside it, in billions per second:";
  for (const Products& one : work) {
    text += (&one == work.data() ? " " : ", ") + billions(per_second(peaks, one)) + ' ' + name_of(one);
  }
  return text;
}

void print_rate(const std::string& what, std::uint32_t count, const Rate& rate, const char* counted) {
  std::printf("%-24s %10.1f %s/s, %.1f to %.1f\n", (what + " of " + std::to_string(count)).c_str(), rate.median,
              counted, rate.least, rate.most);
}

void print_rows(const std::string& what, const TimedRows& rows, const char* counted, const std::vector<Peak>& peaks) {
  print_rate(what, rows.count, rows.rate, counted);
  std::printf("  %.0f %% of %s\n", 100 * share_of(rows, peaks), peaks_text(rows.work, peaks).c_str());
}

nlohmann::ordered_json json_of(const Rate& rate) {
  return {{"median", rate.median}, {"least", rate.least}, {"most", rate.most}};
}

nlohmann::ordered_json json_of(const Work& work, const std::vector<Peak>& peaks) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Products& one : work) {
    json.push_back({{"weights", to_word(one.weights)},
                    {"rows", to_word(one.rows)},
                    {"count", one.count},
                    {"peak_per_second", per_second(peaks, one)}});
  }
  return json;
}

}  // namespace

void print_bench_text(const Measured& measured) {
  const ModelPlan& plan = measured.plan;
  const std::uint32_t workers = plan.block.memory.workers;
  const char* const unit = plan.config.input == ModelInput::tokens ? "tokens" : "frames";
  std::printf("port %s, %u worker%s, median of %u\n", bench::port_name(), workers, workers == 1 ? "" : "s",
              measured.repeats);
  if (measured.context) print_rows("context", *measured.context, "rows", measured.peaks);
  print_rows(plan.config.encoder ? "encode" : "prefill", measured.prompt, unit, measured.peaks);
  if (measured.decode) {
    print_rate("decode", measured.tokens, *measured.decode, unit);
    std::printf("  %.0f %% of the %.1f GB/s at which it read the weights, %.1f MB for a token\n",
                100 * measured.read_share, measured.read_bytes * 1e-9, token_bytes(plan) * 1e-6);
  }
  std::printf("bytes: weights %u, state %u, scratch %u\n", plan.file.bytes, plan.state_bytes, plan.scratch_bytes);
  std::printf("hash of all logits %s%s\n", to_digits(measured.hash).c_str(),
              workers > 1 ? ", the same with one worker" : "");
}

void print_bench_json(const Measured& measured) {
  const ModelPlan& plan = measured.plan;
  nlohmann::ordered_json json = {{"model", measured.model},
                                 {"port", bench::port_name()},
                                 {"workers", plan.block.memory.workers},
                                 {"repeats", measured.repeats}};
  if (measured.context) {
    json["context"] = measured.context->count;
    json["context_per_second"] = json_of(measured.context->rate);
    json["context_products"] = json_of(measured.context->work, measured.peaks);
    json["context_share"] = share_of(*measured.context, measured.peaks);
  }
  json["prompt"] = measured.prompt.count;
  json[plan.config.encoder ? "encode_per_second" : "prefill_per_second"] = json_of(measured.prompt.rate);
  json["products"] = json_of(measured.prompt.work, measured.peaks);
  json["product_share"] = share_of(measured.prompt, measured.peaks);
  if (measured.decode) {
    json["tokens"] = measured.tokens;
    json["decode_per_second"] = json_of(*measured.decode);
    json["read_bytes_per_second"] = measured.read_bytes;
    json["read_bytes_of_a_token"] = token_bytes(plan);
    json["read_share"] = measured.read_share;
  }
  json["weight_bytes"] = plan.file.bytes;
  json["state_bytes"] = plan.state_bytes;
  json["scratch_bytes"] = plan.scratch_bytes;
  json["hash"] = to_digits(measured.hash);
  std::cout << json.dump(2) << '\n';
}

}  // namespace heed::tools
