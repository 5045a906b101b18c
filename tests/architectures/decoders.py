# SPDX-License-Identifier: MIT
"""Decoders of Llama's kind: what Hugging Face's configuration and the tensors under their names mean.

logits(config, tensors, tokens) follows the published definitions: Llama (arXiv 2302.13971, 2407.21783), Mistral
(2310.06825), Qwen2 and Qwen3 (2407.10671, 2505.09388), Gemma 1 to 3 (2403.08295, 2408.00118, 2503.19786), Phi-3
(2404.14219), Granite (its multipliers), SmolLM3 (blocks without rotation)."""
import math

import numpy as np

from arithmetic import ACTIVATIONS, attention, causal_mask, join_heads, linear, rms_norm, softcap, split_heads
from rotary import cosines, rotate

# What a member means that a configuration leaves out.
COMMON = {"hidden_act": "silu", "rms_norm_eps": 1e-6, "tie_word_embeddings": False, "rope_theta": 10000.0,
          "rope_scaling": None, "attention_bias": False, "num_key_value_heads": None, "head_dim": None}
GEMMA = {**COMMON, "head_dim": 256, "hidden_activation": "gelu_pytorch_tanh", "tie_word_embeddings": True,
         "num_key_value_heads": 4, "query_pre_attn_scalar": 256, "sliding_window": 4096, "num_attention_heads": 8,
         "num_hidden_layers": 26, "hidden_size": 2304, "intermediate_size": 9216}
DEFAULTS = {
    "llama": {**COMMON, "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32,
              "num_attention_heads": 32, "mlp_bias": False, "vocab_size": 32000, "max_position_embeddings": 2048},
    "mistral": {**COMMON, "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
                "num_attention_heads": 32, "num_key_value_heads": 8, "sliding_window": 4096, "vocab_size": 32000,
                "max_position_embeddings": 131072},
    "qwen2": {**COMMON, "hidden_size": 4096, "intermediate_size": 22016, "num_hidden_layers": 32,
              "num_attention_heads": 32, "num_key_value_heads": 32, "use_sliding_window": False,
              "sliding_window": 4096, "max_window_layers": 28, "vocab_size": 151936,
              "max_position_embeddings": 32768},
    "qwen3": {**COMMON, "hidden_size": 4096, "intermediate_size": 22016, "num_hidden_layers": 32,
              "num_attention_heads": 32, "num_key_value_heads": 32, "head_dim": 128, "use_sliding_window": False,
              "sliding_window": 4096, "max_window_layers": 28, "vocab_size": 151936,
              "max_position_embeddings": 32768},
    "gemma": {**COMMON, "hidden_size": 3072, "intermediate_size": 24576, "num_hidden_layers": 28,
              "num_attention_heads": 16, "num_key_value_heads": 16, "head_dim": 256, "tie_word_embeddings": True,
              "hidden_activation": None, "vocab_size": 256000, "max_position_embeddings": 8192},
    "gemma2": {**GEMMA, "final_logit_softcapping": 30.0, "attn_logit_softcapping": 50.0, "vocab_size": 256000,
               "max_position_embeddings": 8192},
    "gemma3_text": {**GEMMA, "final_logit_softcapping": None, "attn_logit_softcapping": None,
                    "rope_theta": 1000000.0, "rope_local_base_freq": 10000.0, "sliding_window_pattern": 6,
                    "vocab_size": 262208, "max_position_embeddings": 131072},
    "phi3": {**COMMON, "rms_norm_eps": 1e-5, "hidden_size": 3072, "intermediate_size": 8192, "num_hidden_layers": 32,
             "num_attention_heads": 32, "partial_rotary_factor": 1.0, "sliding_window": None, "vocab_size": 32064,
             "max_position_embeddings": 4096},
    "granite": {**COMMON, "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32,
                "num_attention_heads": 32, "mlp_bias": False, "embedding_multiplier": 1.0, "logits_scaling": 1.0,
                "residual_multiplier": 1.0, "attention_multiplier": 1.0, "vocab_size": 32000,
                "max_position_embeddings": 2048},
    "smollm3": {**COMMON, "hidden_size": 2048, "intermediate_size": 11008, "num_hidden_layers": 36,
                "num_attention_heads": 16, "num_key_value_heads": 4, "rope_theta": 2000000.0, "mlp_bias": False,
                "tie_word_embeddings": True, "use_sliding_window": False, "sliding_window": None,
                "no_rope_layers": None, "no_rope_layer_interval": 4, "vocab_size": 128256,
                "max_position_embeddings": 32768},
}


def completed(config):
    c = {**DEFAULTS[config["model_type"]], **config}
    # The newer place of the rotary members, of which Gemma 3 reads what stands in an object for a type of layers.
    parameters = c.get("rope_parameters")
    if c["model_type"] == "gemma3_text":
        types = parameters or {}
        c["rope_local_base_freq"] = types.get("sliding_attention", {}).get("rope_theta", c["rope_local_base_freq"])
        parameters = types.get("full_attention")
    if parameters:
        c["rope_theta"] = parameters.get("rope_theta", c["rope_theta"])
        c["rope_scaling"] = parameters
        c["partial_rotary_factor"] = parameters.get("partial_rotary_factor", c.get("partial_rotary_factor", 1.0))
    if c["model_type"] != "phi3":  # which alone reads it
        c["partial_rotary_factor"] = 1.0
    c["num_key_value_heads"] = c["num_key_value_heads"] or c["num_attention_heads"]
    c["head_dim"] = c["head_dim"] or c["hidden_size"] // c["num_attention_heads"]
    return c


def rotates(c, block):
    if c["model_type"] != "smollm3":
        return True
    if c["no_rope_layers"] is not None:
        return bool(c["no_rope_layers"][block])
    return (block + 1) % c["no_rope_layer_interval"] != 0


def slides(c, block):
    """Whether a block sees only the last `sliding_window` tokens."""
    family = c["model_type"]
    if c.get("sliding_window") is None:
        return False
    if c.get("layer_types") is not None:
        return c["layer_types"][block] == "sliding_attention"
    if family in ("qwen2", "qwen3"):
        return c["use_sliding_window"] and block >= c["max_window_layers"]
    if family == "smollm3":
        return c["use_sliding_window"] and not rotates(c, block)
    if family == "gemma2":
        return (block + 1) % 2 != 0
    if family == "gemma3_text":
        return (block + 1) % c["sliding_window_pattern"] != 0
    return True


def norm(c, x, weight):
    return rms_norm(x, weight + 1 if c["model_type"].startswith("gemma") else weight, c["rms_norm_eps"])


def positions(c, block, rows):
    dim = int(c["head_dim"] * c.get("partial_rotary_factor", 1.0))
    if c["model_type"] == "gemma3_text" and slides(c, block):
        return cosines(rows, dim, c["rope_local_base_freq"])
    return cosines(rows, dim, c["rope_theta"], c["rope_scaling"], c["max_position_embeddings"])


def attend(c, w, block, x):
    prefix = f"layers.{block}.self_attn."
    heads, kv_heads, dim = c["num_attention_heads"], c["num_key_value_heads"], c["head_dim"]
    if c["model_type"] == "phi3":
        projected = linear(x, w(prefix + "qkv_proj.weight"))
        query, key, value = np.split(projected, [heads * dim, (heads + kv_heads) * dim], -1)
    else:
        biased = c["attention_bias"] or c["model_type"] == "qwen2"
        query, key, value = (linear(x, w(prefix + name + ".weight"), w(prefix + name + ".bias") if biased else None)
                             for name in ("q_proj", "k_proj", "v_proj"))
    query, key, value = split_heads(query, heads), split_heads(key, kv_heads), split_heads(value, kv_heads)
    if c["model_type"] in ("qwen3", "gemma3_text"):
        query, key = norm(c, query, w(prefix + "q_norm.weight")), norm(c, key, w(prefix + "k_norm.weight"))
    if rotates(c, block):
        turns = positions(c, block, len(x))
        query, key = rotate(query, *turns), rotate(key, *turns)
    scale = dim**-0.5
    if c["model_type"] in ("gemma2", "gemma3_text"):
        scale = c["query_pre_attn_scalar"]**-0.5
    if c["model_type"] == "granite":
        scale = c["attention_multiplier"]
    mask = causal_mask(len(x), c["sliding_window"] if slides(c, block) else 0)
    joined = attention(query, key, value, scale, mask, c.get("attn_logit_softcapping"))
    return linear(joined, w(prefix + "o_proj.weight"), w(prefix + "o_proj.bias") if c["attention_bias"] else None)


def mlp(c, w, block, x):
    prefix = f"layers.{block}.mlp."
    # Gemma's own implementations take the approximation, whatever `hidden_act` says.
    name = c["hidden_act"]
    if c["model_type"].startswith("gemma"):
        name = c["hidden_activation"] or "gelu_pytorch_tanh"
    activation = ACTIVATIONS[name]
    if c["model_type"] == "phi3":
        gate, up = np.split(linear(x, w(prefix + "gate_up_proj.weight")), 2, -1)
        return linear(activation(gate) * up, w(prefix + "down_proj.weight"))

    def projected(name, rows):
        return linear(rows, w(prefix + name + ".weight"), w(prefix + name + ".bias") if c.get("mlp_bias") else None)

    return projected("down_proj", activation(projected("gate_proj", x)) * projected("up_proj", x))


def run_block(c, w, block, x):
    prefix = f"layers.{block}."
    residual = c.get("residual_multiplier", 1.0)
    added = attend(c, w, block, norm(c, x, w(prefix + "input_layernorm.weight")))
    if c["model_type"] not in ("gemma2", "gemma3_text"):
        x = x + residual * added
        return x + residual * mlp(c, w, block, norm(c, x, w(prefix + "post_attention_layernorm.weight")))
    x = x + norm(c, added, w(prefix + "post_attention_layernorm.weight"))
    added = mlp(c, w, block, norm(c, x, w(prefix + "pre_feedforward_layernorm.weight")))
    return x + norm(c, added, w(prefix + "post_feedforward_layernorm.weight"))


def logits(config, tensors, tokens):
    """[tokens, vocab_size] from tensors of float64 by name."""
    c = completed(config)

    def w(name):
        return tensors["model." + name]

    x = w("embed_tokens.weight")[tokens]
    if c["model_type"].startswith("gemma"):
        x = x * math.sqrt(c["hidden_size"])
    x = x * c.get("embedding_multiplier", 1.0)
    for block in range(c["num_hidden_layers"]):
        x = run_block(c, w, block, x)
    x = norm(c, x, w("norm.weight"))
    head = w("embed_tokens.weight") if c["tie_word_embeddings"] else tensors["lm_head.weight"]
    y = linear(x, head) / c.get("logits_scaling", 1.0)
    return softcap(y, c.get("final_logit_softcapping"))
