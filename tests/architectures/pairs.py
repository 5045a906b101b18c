# SPDX-License-Identifier: MIT
"""An encoder and a decoder that looks at its rows: T5 (arXiv 1910.10683, and its version 1.1 with gated units) and
Whisper (2212.04356), as Hugging Face's configurations describe them."""
import math

import numpy as np

from arithmetic import ACTIVATIONS, attention, causal_mask, gelu, linear, rms_norm, split_heads
from gpt import Weights

DEFAULTS = {
    "t5": {"vocab_size": 32128, "d_model": 512, "d_kv": 64, "d_ff": 2048, "num_layers": 6, "num_decoder_layers": None,
           "num_heads": 8, "relative_attention_num_buckets": 32, "relative_attention_max_distance": 128,
           "layer_norm_epsilon": 1e-6, "feed_forward_proj": "relu", "tie_word_embeddings": True},
    "whisper": {"vocab_size": 51865, "num_mel_bins": 80, "encoder_layers": 4, "encoder_attention_heads": 6,
                "decoder_layers": 4, "decoder_attention_heads": 6, "decoder_ffn_dim": 1536, "encoder_ffn_dim": 1536,
                "d_model": 384, "activation_function": "gelu", "max_source_positions": 1500,
                "max_target_positions": 448, "scale_embedding": False},
}
WHISPER_EPSILON = 1e-5  # that of nn.LayerNorm; no member says it


def completed(config):
    c = {**DEFAULTS[config["model_type"]], **config}
    if c["model_type"] == "t5":
        c.setdefault("scale_decoder_outputs", c["tie_word_embeddings"])  # which release 5 writes
        c["num_decoder_layers"] = c["num_decoder_layers"] or c["num_layers"]
    return c


def relative_buckets(distance, both, buckets, most):
    """The bucket of key - query: half of them one by one, the others by the logarithm up to `most`."""
    if both:
        buckets //= 2
        first = np.where(distance > 0, buckets, 0)
        distance = np.abs(distance)
    else:
        first, distance = 0, -np.minimum(distance, 0)
    exact = buckets // 2
    with np.errstate(divide="ignore"):
        far = np.log(distance / exact) / math.log(most / exact) * (buckets - exact)
    far = np.minimum(exact + np.maximum(far, 0).astype(int), buckets - 1)
    return first + np.where(distance < exact, distance, far)


def t5_attention(c, w, x, seen, bias):
    """No scale: the initialisation has it."""
    query, key, value = (split_heads(linear(rows, w(name + ".weight")), c["num_heads"])
                         for rows, name in ((x, "q"), (seen, "k"), (seen, "v")))
    return linear(attention(query, key, value, 1.0, bias), w("o.weight"))


def t5_mlp(c, w, x):
    # "gated-gelu" means the approximation.
    kind = c["feed_forward_proj"]
    activation = ACTIVATIONS["gelu_new" if kind == "gated-gelu" else kind.split("-")[-1]]
    if kind.startswith("gated-"):
        hidden = activation(linear(x, w("wi_0.weight"))) * linear(x, w("wi_1.weight"))
    else:
        hidden = activation(linear(x, w("wi.weight")))
    return linear(hidden, w("wo.weight"))


def t5_stack(c, tensors, tokens, context=None):
    """The rows of the encoder or, with a context, of the decoder."""
    w = Weights(tensors, "encoder." if context is None else "decoder.")
    blocks = c["num_layers"] if context is None else c["num_decoder_layers"]
    x, index = tensors["shared.weight"][tokens], np.arange(len(tokens))
    buckets = relative_buckets(index[None, :] - index[:, None], context is None, c["relative_attention_num_buckets"],
                               c["relative_attention_max_distance"])
    bias = w("block.0.layer.0.SelfAttention.relative_attention_bias.weight")[buckets].transpose(2, 0, 1)
    if context is not None:
        bias = bias + causal_mask(len(tokens))

    def norm(rows, name):
        return rms_norm(rows, w(name + ".weight"), c["layer_norm_epsilon"])

    for block in range(blocks):
        prefix = f"block.{block}.layer."
        rows = norm(x, prefix + "0.layer_norm")
        x = x + t5_attention(c, w.inside(prefix + "0.SelfAttention."), rows, rows, bias)
        if context is not None:
            rows = norm(x, prefix + "1.layer_norm")
            x = x + t5_attention(c, w.inside(prefix + "1.EncDecAttention."), rows, context, 0.0)
        last = "1." if context is None else "2."
        x = x + t5_mlp(c, w.inside(prefix + last + "DenseReluDense."), norm(x, prefix + last + "layer_norm"))
    return norm(x, "final_layer_norm")


def t5(config, tensors, part, tokens, context=None):
    c = completed(config)
    x = t5_stack(c, tensors, tokens, context)
    if part == "encoder":
        return x
    if c["scale_decoder_outputs"]:
        x = x * c["d_model"]**-0.5
    return linear(x, tensors["shared.weight" if c["tie_word_embeddings"] else "lm_head.weight"])


def convolution(x, weight, bias, stride):
    """x [rows, in], weight [out, in, 3], one row of zeros on either side."""
    padded = np.pad(x, ((1, 1), (0, 0)))
    starts = range(0, len(x), stride)
    return np.array([np.einsum("ti,oit->o", padded[start:start + 3], weight) for start in starts]) + bias


def whisper_attention(w, x, seen, heads, mask):
    """Keys have no bias."""
    query, key, value = (split_heads(w.linear(rows, name), heads)
                         for rows, name in ((x, "q_proj"), (seen, "k_proj"), (seen, "v_proj")))
    return w.linear(attention(query, key, value, query.shape[-1]**-0.5, mask), "out_proj")


def whisper_stack(c, w, x, part, context=None):
    heads, mask = c[part + "_attention_heads"], 0.0 if context is None else causal_mask(len(x))
    for index in range(c[part + "_layers"]):
        b = w.inside(f"layers.{index}.")
        rows = b.norm(x, "self_attn_layer_norm", WHISPER_EPSILON)
        x = x + whisper_attention(b.inside("self_attn."), rows, rows, heads, mask)
        if context is not None:
            rows = b.norm(x, "encoder_attn_layer_norm", WHISPER_EPSILON)
            x = x + whisper_attention(b.inside("encoder_attn."), rows, context, heads, 0.0)
        hidden = ACTIVATIONS[c["activation_function"]](b.linear(b.norm(x, "final_layer_norm", WHISPER_EPSILON), "fc1"))
        x = x + b.linear(hidden, "fc2")
    return w.norm(x, "layer_norm", WHISPER_EPSILON)


def whisper(config, tensors, part, inputs, context=None):
    """Rows of the encoder from the spectrum [frames, num_mel_bins], or the decoder's logits from tokens."""
    c, w = completed(config), Weights(tensors, f"model.{part}.")
    if part == "encoder":
        x = gelu(convolution(inputs, w("conv1.weight"), w("conv1.bias"), 1))
        x = gelu(convolution(x, w("conv2.weight"), w("conv2.bias"), 2))
        return whisper_stack(c, w, x + w("embed_positions.weight")[:len(x)], part)
    x = w("embed_tokens.weight")[inputs] + w("embed_positions.weight")[:len(inputs)]
    return linear(whisper_stack(c, w, x, part, context), w("embed_tokens.weight"))


def outputs(config, tensors, part, inputs, context=None):
    return {"t5": t5, "whisper": whisper}[config["model_type"]](config, tensors, part, inputs, context)
