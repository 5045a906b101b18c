// SPDX-License-Identifier: MIT
//
// What stands after the blocks of an encoder, by the class that `architectures` names.
#pragma once

#include <string>
#include <vector>

#include "architectures/published_config.hpp"
#include "architectures/published_model.hpp"

namespace heed::tools {

/// What the class computes from the rows.
enum class EncoderEnd : std::uint8_t {
  rows,      ///< "BertModel": nothing
  sequence,  ///< "BertForSequenceClassification": a pooler and a head over the first row
  tokens,    ///< "BertForTokenClassification": a head over every row
  image      ///< "ViTForImageClassification": a head over the first row
};

struct EncoderClass {
  std::string name;
  EncoderEnd end;
};

/// The class that `architectures` names, which has to be one of these; where none is named, it is the first one.
[[nodiscard]] EncoderClass take_encoder_class(PublishedConfig& config, const std::vector<EncoderClass>& classes);

/// How many labels a head has: those of id2label, or num_labels, 2 by default.
[[nodiscard]] std::uint32_t take_labels(PublishedConfig& config);

/// Members of the part of the model that follows the blocks; `part` chooses the rows or the pooler's row of a class
/// without a head. `pooler` is its activation in the terms of this library, its name without the ending in the file.
struct EncoderPooler {
  const char* activation;
  const char* name;  ///< null: the class without a head has none
};
void add_encoder_end(PublishedConfig& config, const EncoderClass& chosen, const std::string& part,
                     const EncoderPooler& pooler, PublishedModel& model);

/// The names of a matrix and its bias; texts that outlive the program's use of them.
void add_matrix_names(ModelFamily& family, const char* role, const char* weight, const char* bias_role,
                      const char* bias);

}  // namespace heed::tools
