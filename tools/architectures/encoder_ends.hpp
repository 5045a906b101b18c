// SPDX-License-Identifier: MIT
//
// What stands after the blocks of an encoder, by the class that `architectures` names.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "architectures/published_config.hpp"
#include "architectures/published_model.hpp"

namespace heed::tools {

/// What a class computes from the rows.
enum class EncoderEnd : std::uint8_t {
  rows,      ///< "BertModel": nothing, or with `--part pooler` the pooler of the first row
  sequence,  ///< "BertForSequenceClassification": a pooler and a head, over the first row
  tokens,    ///< "BertForTokenClassification": a head over every row
  masked,    ///< "BertForMaskedLM": a head that is not supported, so that a part has to be chosen, as of rows
  image      ///< "ViTForImageClassification": a head over the first row
};

struct EncoderClass {
  std::string name;
  EncoderEnd end;
};

/// What makes one row of another: its activation in the words of this library, and the names of its tensors.
struct PoolerNames {
  const char* activation;
  const char* weight;
  const char* bias;
};

/// The class that `architectures` names, which has to be one of these; where none is named, it is the first.
[[nodiscard]] EncoderClass take_encoder_class(PublishedConfig& config, const std::vector<EncoderClass>& classes);

/// `--part`, which has to be one of these; the first where it is not given. A Failure names them.
[[nodiscard]] std::string choose_part(const std::string& part, const std::vector<std::string>& parts,
                                      const std::string& name);

/// Adds pooling, pooler and head. `in_rows` is the pooler of a class without a head, which the file may have; null
/// where there is none. Takes id2label, so that it comes before leave_common_members().
void add_encoder_end(PublishedConfig& config, EncoderEnd end, const std::string& part, const PoolerNames* in_rows,
                     const PoolerNames* in_sequence, PublishedModel& model);

}  // namespace heed::tools
