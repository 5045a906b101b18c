# SPDX-License-Identifier: MIT
"""Decoders with LayerNorm, biases and a plain MLP: GPT-2, GPT-NeoX (arXiv 2204.06745; Pythia is one), OPT (2205.01068).

logits(config, tensors, tokens) says what Hugging Face's configuration and the tensors under their names mean."""
import numpy as np

from arithmetic import ACTIVATIONS, attention, causal_mask, layer_norm, linear, split_heads
from rotary import cosines, rotate

DEFAULTS = {
    "gpt2": {"vocab_size": 50257, "n_positions": 1024, "n_embd": 768, "n_layer": 12, "n_head": 12, "n_inner": None,
             "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5, "scale_attn_weights": True,
             "scale_attn_by_inverse_layer_idx": False, "tie_word_embeddings": True},
    "gpt_neox": {"vocab_size": 50432, "hidden_size": 6144, "num_hidden_layers": 44, "num_attention_heads": 64,
                 "intermediate_size": 24576, "hidden_act": "gelu", "rotary_pct": 0.25, "rotary_emb_base": 10000,
                 "max_position_embeddings": 2048, "layer_norm_eps": 1e-5, "tie_word_embeddings": False,
                 "use_parallel_residual": True, "rope_scaling": None, "attention_bias": True},
    "opt": {"vocab_size": 50272, "hidden_size": 768, "num_hidden_layers": 12, "ffn_dim": 3072,
            "max_position_embeddings": 2048, "do_layer_norm_before": True, "_remove_final_layer_norm": False,
            "word_embed_proj_dim": None, "num_attention_heads": 12, "activation_function": "relu",
            "layer_norm_elementwise_affine": True, "enable_bias": True, "tie_word_embeddings": True},
}
OPT_EPSILON = 1e-5  # that of nn.LayerNorm; no member says it
OPT_FIRST_POSITION = 2


def completed(config):
    c = {**DEFAULTS[config["model_type"]], **config}
    if c["model_type"] == "gpt2":
        c["n_inner"] = c["n_inner"] or 4 * c["n_embd"]
    if c["model_type"] == "opt":
        c["word_embed_proj_dim"] = c["word_embed_proj_dim"] or c["hidden_size"]
    return c


class Weights:
    """Tensors after a prefix; a bias is None where there is none."""

    def __init__(self, tensors, prefix):
        self.tensors, self.prefix = tensors, prefix

    def __call__(self, name):
        return self.tensors[self.prefix + name]

    def norm(self, x, name, epsilon):
        return layer_norm(x, self(name + ".weight"), self.tensors.get(self.prefix + name + ".bias"), epsilon)

    def linear(self, x, name, transposed=False):
        weight = self(name + ".weight")
        return linear(x, weight.T if transposed else weight, self.tensors.get(self.prefix + name + ".bias"))

    def inside(self, prefix):
        return Weights(self.tensors, self.prefix + prefix)


def self_attention(query, key, value, heads, scale):
    query, key, value = (split_heads(rows, heads) for rows in (query, key, value))
    return attention(query, key, value, scale, causal_mask(query.shape[1]))


def gpt2(c, tensors, tokens):
    w = Weights(tensors, "transformer.")
    x = w("wte.weight")[tokens] + w("wpe.weight")[:len(tokens)]
    for index in range(c["n_layer"]):
        b = w.inside(f"h.{index}.")
        projected = b.linear(b.norm(x, "ln_1", c["layer_norm_epsilon"]), "attn.c_attn", True)
        scale = (c["n_embd"] / c["n_head"])**-0.5 if c["scale_attn_weights"] else 1.0
        if c["scale_attn_by_inverse_layer_idx"]:
            scale /= index + 1
        joined = self_attention(*np.split(projected, 3, -1), c["n_head"], scale)
        x = x + b.linear(joined, "attn.c_proj", True)
        hidden = b.linear(b.norm(x, "ln_2", c["layer_norm_epsilon"]), "mlp.c_fc", True)
        x = x + b.linear(ACTIVATIONS[c["activation_function"]](hidden), "mlp.c_proj", True)
    x = w.norm(x, "ln_f", c["layer_norm_epsilon"])
    return linear(x, w("wte.weight") if c["tie_word_embeddings"] else tensors["lm_head.weight"])


def neox_attention(c, b, x):
    heads = c["num_attention_heads"]
    # The rows of one head's query, key and value follow each other.
    projected = b.linear(x, "attention.query_key_value").reshape(len(x), heads, 3, -1)
    query, key, value = (projected[:, :, part].swapaxes(0, 1) for part in range(3))
    dim = query.shape[-1]
    turns = cosines(len(x), int(dim * c["rotary_pct"]), c["rotary_emb_base"], c["rope_scaling"],
                    c["max_position_embeddings"])
    joined = attention(rotate(query, *turns), rotate(key, *turns), value, dim**-0.5, causal_mask(len(x)))
    return b.linear(joined, "attention.dense")


def neox(c, tensors, tokens):
    w, epsilon = Weights(tensors, "gpt_neox."), c["layer_norm_eps"]
    x = w("embed_in.weight")[tokens]

    def mlp(b, x):
        hidden = b.linear(b.norm(x, "post_attention_layernorm", epsilon), "mlp.dense_h_to_4h")
        return b.linear(ACTIVATIONS[c["hidden_act"]](hidden), "mlp.dense_4h_to_h")

    for index in range(c["num_hidden_layers"]):
        b = w.inside(f"layers.{index}.")
        added = neox_attention(c, b, b.norm(x, "input_layernorm", epsilon))
        x = x + added + mlp(b, x if c["use_parallel_residual"] else x + added)
    x = w.norm(x, "final_layer_norm", epsilon)
    return linear(x, w("embed_in.weight") if c["tie_word_embeddings"] else tensors["embed_out.weight"])


def opt_block(c, b, x):
    before, heads = c["do_layer_norm_before"], c["num_attention_heads"]
    rows = b.norm(x, "self_attn_layer_norm", OPT_EPSILON) if before else x
    query, key, value = (b.linear(rows, f"self_attn.{name}_proj") for name in "qkv")
    x = x + b.linear(self_attention(query, key, value, heads, (c["hidden_size"] / heads)**-0.5), "self_attn.out_proj")
    x = x if before else b.norm(x, "self_attn_layer_norm", OPT_EPSILON)
    rows = b.norm(x, "final_layer_norm", OPT_EPSILON) if before else x
    x = x + b.linear(ACTIVATIONS[c["activation_function"]](b.linear(rows, "fc1")), "fc2")
    return x if before else b.norm(x, "final_layer_norm", OPT_EPSILON)


def opt(c, tensors, tokens):
    w = Weights(tensors, "model.decoder.")
    x = w("embed_tokens.weight")[tokens] + w("embed_positions.weight")[OPT_FIRST_POSITION:][:len(tokens)]
    for index in range(c["num_hidden_layers"]):
        x = opt_block(c, w.inside(f"layers.{index}."), x)
    if c["do_layer_norm_before"] and not c["_remove_final_layer_norm"]:
        x = w.norm(x, "final_layer_norm", OPT_EPSILON)
    return linear(x, w("embed_tokens.weight") if c["tie_word_embeddings"] else tensors["lm_head.weight"])


def logits(config, tensors, tokens):
    c = completed(config)
    return {"gpt2": gpt2, "gpt_neox": neox, "opt": opt}[c["model_type"]](c, tensors, tokens)
