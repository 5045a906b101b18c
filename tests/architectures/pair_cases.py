# SPDX-License-Identifier: MIT
"""Encoders and decoders that belong together, packed and run one by one."""
import numpy as np

import pairs
from gpt_cases import matrix, norm


def t5_shapes(c):
    dim, inner, result = c["d_model"], c["num_heads"] * c["d_kv"], {"shared.weight": (c["vocab_size"], c["d_model"])}

    def attention(prefix):
        for name in "qkv":
            matrix(result, prefix + name, inner, dim, False, False)
        matrix(result, prefix + "o", dim, inner, False, False)

    alone = c["architectures"] == ["T5EncoderModel"]
    for part, blocks in (("encoder.", c["num_layers"]), ("decoder.", c["num_decoder_layers"]))[:1 if alone else 2]:
        for block in range(blocks):
            prefix = f"{part}block.{block}.layer."
            attention(prefix + "0.SelfAttention.")
            if block == 0:
                result[prefix + "0.SelfAttention.relative_attention_bias.weight"] = (
                    c["relative_attention_num_buckets"], c["num_heads"])
            if part == "decoder.":
                attention(prefix + "1.EncDecAttention.")
            last = 1 if part == "encoder." else 2
            gated = c["feed_forward_proj"].startswith("gated-")
            for name in ("wi_0", "wi_1") if gated else ("wi",):
                matrix(result, f"{prefix}{last}.DenseReluDense.{name}", c["d_ff"], dim, False, False)
            matrix(result, f"{prefix}{last}.DenseReluDense.wo", dim, c["d_ff"], False, False)
            result.update({f"{prefix}{layer}.layer_norm.weight": (dim,) for layer in range(last + 1)})
        result[part + "final_layer_norm.weight"] = (dim,)
    if not c["tie_word_embeddings"] and not alone:
        result["lm_head.weight"] = (c["vocab_size"], dim)
    return result


def whisper_shapes(c):
    dim, result = c["d_model"], {}
    result["model.encoder.conv1.weight"], result["model.encoder.conv1.bias"] = (dim, c["num_mel_bins"], 3), (dim,)
    result["model.encoder.conv2.weight"], result["model.encoder.conv2.bias"] = (dim, dim, 3), (dim,)
    result["model.encoder.embed_positions.weight"] = (c["max_source_positions"], dim)
    result["model.decoder.embed_tokens.weight"] = (c["vocab_size"], dim)
    result["model.decoder.embed_positions.weight"] = (c["max_target_positions"], dim)
    for part in ("encoder", "decoder"):
        for block in range(c[part + "_layers"]):
            prefix = f"model.{part}.layers.{block}."
            for attention in ("self_attn", "encoder_attn") if part == "decoder" else ("self_attn",):
                for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
                    matrix(result, f"{prefix}{attention}.{name}", dim, dim, False, name != "k_proj")
                norm(result, f"{prefix}{attention}_layer_norm", dim)
            matrix(result, prefix + "fc1", c[part + "_ffn_dim"], dim)
            matrix(result, prefix + "fc2", dim, c[part + "_ffn_dim"])
            norm(result, prefix + "final_layer_norm", dim)
        norm(result, f"model.{part}.layer_norm", dim)
    return result


def shapes(config):
    c = pairs.completed(config)
    return {"t5": t5_shapes, "whisper": whisper_shapes}[c["model_type"]](c)


def case(sizes, part, *, changes=(), tokens=21, kind="F32", shards=1, **members):
    return {"config": {**sizes, **members}, "part": part, "pack_options": ["--part", part], "changes": changes,
            "tokens": tokens, "kind": kind, "shards": shards}


T5 = {"architectures": ["T5ForConditionalGeneration"], "model_type": "t5", "vocab_size": 37, "d_model": 40, "d_kv": 12,
      "d_ff": 56, "num_layers": 3, "num_decoder_layers": 2, "num_heads": 4, "relative_attention_num_buckets": 8,
      "relative_attention_max_distance": 15, "layer_norm_epsilon": 0.02, "feed_forward_proj": "relu",
      "dropout_rate": 0.1, "initializer_factor": 1.0, "is_encoder_decoder": True, "pad_token_id": 0, "eos_token_id": 1,
      "decoder_start_token_id": 0, "use_cache": True, "torch_dtype": "float32", "transformers_version": "4.55.0",
      "n_positions": 512}
GATED = {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}
WHISPER = {"architectures": ["WhisperForConditionalGeneration"], "model_type": "whisper", "vocab_size": 37,
           "num_mel_bins": 10, "encoder_layers": 3, "encoder_attention_heads": 5, "decoder_layers": 2,
           "decoder_attention_heads": 4, "decoder_ffn_dim": 56, "encoder_ffn_dim": 72, "d_model": 40,
           "activation_function": "gelu", "max_source_positions": 14, "max_target_positions": 32,
           "scale_embedding": False, "num_hidden_layers": 3, "is_encoder_decoder": True, "dropout": 0.0,
           "attention_dropout": 0.0, "activation_dropout": 0.0, "encoder_layerdrop": 0.0, "decoder_layerdrop": 0.0,
           "init_std": 0.02, "use_cache": True, "torch_dtype": "float32", "transformers_version": "4.55.0",
           "bos_token_id": 1, "eos_token_id": 1, "pad_token_id": 1, "decoder_start_token_id": 2,
           "suppress_tokens": [1, 2], "begin_suppress_tokens": [3]}
T5_CHANGES = [({"relative_attention_max_distance": 9}, "same"), ({"feed_forward_proj": "gelu"}, "same"),
              ({"layer_norm_epsilon": 0.5}, "same"), ({"relative_attention_num_buckets": 16}, "refused"),
              ({"feed_forward_proj": "gated-gelu"}, "refused"), ({"d_kv": 16}, "refused"),
              ({"num_layers": 2}, "refused")]
CASES = {
    "t5_encoder": [case(T5, "encoder", changes=T5_CHANGES), case(T5, "encoder", **GATED, kind="BF16", shards=2),
                   # Saved alone, with the configuration of both.
                   case({**T5, "architectures": ["T5EncoderModel"]}, "encoder", **GATED)],
    "t5_decoder": [case(T5, "decoder", changes=T5_CHANGES[:-1] + [
        ({"num_decoder_layers": 1}, "refused"), ({"tie_word_embeddings": False}, "refused"),
        ({"scale_decoder_outputs": True}, "same"), ({"scale_decoder_outputs": False}, "same"),
        ({"is_decoder": True}, "refused")]),
                   case(T5, "decoder", **GATED, relative_attention_num_buckets=32,
                        relative_attention_max_distance=128, changes=[({"feed_forward_proj": "gated-silu"}, "same")])],
    "whisper_encoder": [case(WHISPER, "encoder", changes=[
        ({"encoder_attention_heads": 4}, "same"), ({"activation_function": "relu"}, "same"),
        ({"num_mel_bins": 8}, "refused"), ({"max_source_positions": 16}, "refused")])],
    "whisper_decoder": [case(WHISPER, "decoder", kind="F16", changes=[
        ({"decoder_attention_heads": 5}, "same"), ({"activation_function": "relu"}, "same"),
        ({"scale_embedding": True}, "refused"), ({"max_target_positions": 30}, "refused")])],
}


def meaningful(case):
    """The members of the part that is packed, and of both."""
    other = {"encoder": ("decoder", "vocab_size", "max_target", "num_decoder", "scale_embedding", "tie_word"),
             "decoder": ("encoder", "num_layers", "num_mel_bins", "max_source")}[case["part"]]
    family = case["config"]["model_type"]
    return [member for member in case["config"] if member in pairs.DEFAULTS[family] and
            not (member.startswith(other) and (family, member) != ("t5", "vocab_size"))]


def inputs(case, random):
    c = case["config"]
    case["options"] = []
    tokens = random.integers(0, c["vocab_size"], case["tokens"]).astype(np.int32)
    if case["part"] == "decoder":
        case["options"] = ["--every"]
        return {"input": tokens, "context": random.standard_normal((11, c["d_model"])).astype(np.float32)}
    if c["model_type"] == "t5":
        return {"input": tokens}
    return {"input": random.standard_normal((2 * c["max_source_positions"], c["num_mel_bins"])).astype(np.float32)}


def expected(case, config, tensors):
    given = {name: values if values.dtype == np.int32 else values.astype(np.float64)
             for name, values in case["inputs"].items()}
    return pairs.outputs(config, tensors, case["part"], given["input"], given.get("context"))
