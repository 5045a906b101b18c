// SPDX-License-Identifier: MIT
//
// config.json of encoders beside their tensors: a BERT with a classifier, timm's ViT with everything that it can have,
// both parts of a T5. What is accepted becomes a model file. And the list of modules and the pooling of a sentence
// embedding.
#include <memory>
#include <utility>

#include "architectures/architectures.hpp"
#include "architectures/sentence_modules.hpp"
#include "fuzz/refused.hpp"
#include "fuzz/stored_tensors.hpp"
#include "heed/model.hpp"
#include "tensors/model_reader.hpp"

namespace heed::test::fuzz {
namespace {

const std::string name = "m/config.json";
const std::string weights_name = "m/model.safetensors";
const std::string modules_name = "m/modules.json";

constexpr std::uint32_t most_blocks = 64;
constexpr std::size_t dim = 4;
constexpr std::size_t hidden = 3;

constexpr const char* bert_json =
    R"({"architectures":["BertForSequenceClassification"],"model_type":"bert","vocab_size":3,"hidden_size":4,)"
    R"("num_hidden_layers":1,"num_attention_heads":2,"intermediate_size":3,"max_position_embeddings":5,)"
    R"("type_vocab_size":2,"hidden_act":"relu","id2label":{"0":"a","1":"b"}})";
constexpr const char* timm_json =
    R"({"architecture":"vit_small_patch14_reg4_dinov2","num_classes":2,"num_features":4,"global_pool":"avg",)"
    R"("pretrained_cfg":{"input_size":[1,4,4]},"model_args":{"embed_dim":4,"depth":1,"num_heads":2,)"
    R"("mlp_ratio":0.75,"patch_size":2,"in_chans":1,"reg_tokens":1,"qk_norm":true}})";
constexpr const char* t5_json =
    R"({"architectures":["T5ForConditionalGeneration"],"model_type":"t5","vocab_size":3,"d_model":4,"d_kv":2,"d_ff":3,)"
    R"("num_layers":1,"num_heads":2,"relative_attention_num_buckets":4,"relative_attention_max_distance":5})";
constexpr const char* modules_json =
    R"([{"idx":0,"name":"0","path":"","type":"sentence_transformers.models.Transformer"},)"
    R"({"idx":1,"name":"1","path":"1_Pooling","type":"sentence_transformers.models.Pooling"}])";
constexpr const char* pooling_json =
    R"({"word_embedding_dimension":4,"pooling_mode_cls_token":false,"pooling_mode_mean_tokens":true})";

/// Tensors of small numbers.
class Tensors {
 public:
  void add(const std::string& tensor, Shape shape) {
    std::size_t count = 1;
    for (const std::size_t size : shape) count *= size;
    tensors_.push_back({tensor, std::move(shape), bytes_of(std::vector<float>(count, 0.5F))});
  }
  void add_linear(const std::string& tensor, std::size_t out, std::size_t in) {
    add(tensor + ".weight", {out, in});
    add(tensor + ".bias", {out});
  }
  void add_norm(const std::string& tensor, std::size_t size = dim) {
    add(tensor + ".weight", {size});
    add(tensor + ".bias", {size});
  }
  [[nodiscard]] std::string file() const { return safetensors_file(tensors_); }

 private:
  std::vector<StoredTensor> tensors_;
};

std::string bert_file() {
  Tensors tensors;
  const std::string start = "bert.embeddings.";
  tensors.add(start + "word_embeddings.weight", {3, dim});
  tensors.add(start + "position_embeddings.weight", {5, dim});
  tensors.add(start + "token_type_embeddings.weight", {2, dim});
  tensors.add_norm(start + "LayerNorm");
  const std::string block = "bert.encoder.layer.0.";
  for (const char* part : {"self.query", "self.key", "self.value", "output.dense"}) {
    tensors.add_linear(block + "attention." + part, dim, dim);
  }
  tensors.add_norm(block + "attention.output.LayerNorm");
  tensors.add_linear(block + "intermediate.dense", hidden, dim);
  tensors.add_linear(block + "output.dense", dim, hidden);
  tensors.add_norm(block + "output.LayerNorm");
  tensors.add_linear("bert.pooler.dense", dim, dim);
  tensors.add_linear("classifier", 2, dim);
  return tensors.file();
}

std::string timm_file() {
  Tensors tensors;
  tensors.add("cls_token", {1, 1, dim});
  tensors.add("reg_token", {1, 1, dim});
  tensors.add("pos_embed", {1, 4, dim});
  tensors.add("patch_embed.proj.weight", {dim, 1, 2, 2});
  tensors.add("patch_embed.proj.bias", {dim});
  tensors.add_norm("blocks.0.norm1");
  tensors.add_linear("blocks.0.attn.qkv", 3 * dim, dim);
  tensors.add_norm("blocks.0.attn.q_norm", 2);
  tensors.add_norm("blocks.0.attn.k_norm", 2);
  tensors.add_linear("blocks.0.attn.proj", dim, dim);
  tensors.add("blocks.0.ls1.gamma", {dim});
  tensors.add_norm("blocks.0.norm2");
  tensors.add_linear("blocks.0.mlp.fc1", hidden, dim);
  tensors.add_linear("blocks.0.mlp.fc2", dim, hidden);
  tensors.add("blocks.0.ls2.gamma", {dim});
  tensors.add_norm("fc_norm");
  tensors.add_linear("head", 2, dim);
  return tensors.file();
}

void add_t5_attention(Tensors& tensors, const std::string& start) {
  for (const char* part : {"q", "k", "v", "o"}) tensors.add(start + part + ".weight", {dim, dim});
}

std::string t5_file() {
  Tensors tensors;
  tensors.add("shared.weight", {3, dim});
  for (const std::string part : {"encoder.", "decoder."}) {
    const std::string block = part + "block.0.layer.";
    const bool decoder = part == "decoder.";
    const std::string last = decoder ? "2." : "1.";
    add_t5_attention(tensors, block + "0.SelfAttention.");
    tensors.add(block + "0.SelfAttention.relative_attention_bias.weight", {4, 2});
    if (decoder) add_t5_attention(tensors, block + "1.EncDecAttention.");
    tensors.add(block + last + "DenseReluDense.wi.weight", {hidden, dim});
    tensors.add(block + last + "DenseReluDense.wo.weight", {dim, hidden});
    for (const char* layer : {"0", "1", "2"}) {
      if (decoder || layer[0] != '2') tensors.add(block + layer + ".layer_norm.weight", {dim});
    }
    tensors.add(part + "final_layer_norm.weight", {dim});
  }
  return tensors.file();
}

bool pack(std::string_view text, const std::string& part, const std::string& bytes) {
  return accepts({name, weights_name, "--part"}, [&] {
    const auto weights = std::make_shared<const tools::WeightFile>(weights_name, std::string_view(bytes));
    tools::PublishedModel published = tools::read_published_model(tools::PublishedConfig::parse(text, name), part);
    const tools::ModelDescription described = describe_published(std::move(published), *weights, {}, name);
    if (described.plan.config.blocks > most_blocks) throw tools::Failure(name + ": more blocks than are tried");
    tools::AlignedBytes file = tools::pack(read_model_tensors(described, weights, true), name);
    require(read_model(file.span()).status == Status::ok, "a packed model is accepted");
  });
}

bool modules(std::string_view text) {
  return accepts({modules_name}, [&] {
    const std::size_t count = tools::parse_sentence_modules(text, modules_name).size();
    require(count == 2 || count == 3, "modules are two or three");
  });
}

bool pooling(std::string_view text) {
  return accepts({modules_name}, [&] {
    tools::SentenceModules read;
    take_sentence_pooling(tools::PublishedConfig::parse(text, modules_name), read);
    require(read.pooling == "first" || read.pooling == "mean", "a pooling is one that is supported");
  });
}

}  // namespace

Corpus corpus() {
  return {{bert_json, timm_json, t5_json, modules_json, pooling_json},
          {R"("architectures":["BertModel"],)",
           R"("architectures":["BertForMaskedLM"],)",
           "roberta",
           "distilbert",
           "whisper",
           "vit_base_patch16_clip_224",
           "deit3_small_patch16_224",
           R"("fc_norm":false,)",
           R"("class_token":false,)",
           R"("pre_norm":true,)",
           R"("img_size":[4,2],)",
           R"("init_values":null,)",
           "token",
           R"("feed_forward_proj":"gated-gelu",)",
           R"("num_decoder_layers":2,)",
           R"("tie_word_embeddings":false,)",
           R"("pooling_mode":"cls",)",
           "Normalize",
           "Dense",
           "[",
           "]",
           "{",
           "}",
           ",",
           "null",
           "true",
           "0",
           "-1",
           "1e400",
           "4294967295",
           "\"",
           "\\u0000"}};
}

bool run(std::span<const std::byte> bytes) {
  static const std::string bert = bert_file();
  static const std::string timm = timm_file();
  static const std::string t5 = t5_file();
  const std::string_view text = text_of(bytes);
  const bool as_bert = pack(text, "", bert);
  const bool as_timm = pack(text, "", timm);
  const bool as_encoder = pack(text, "encoder", t5);
  const bool as_decoder = pack(text, "decoder", t5);
  const bool as_modules = modules(text);
  return pooling(text) || as_modules || as_decoder || as_encoder || as_timm || as_bert;
}

}  // namespace heed::test::fuzz
