# SPDX-License-Identifier: MIT
"""Encoders of images: ViT (arXiv 2010.11929) and DeiT (2012.12877) in Hugging Face's transformers, and timm's
VisionTransformer with its variants: pooling of the patches, registers (2309.16588), layer scale (2103.17239), norms of
queries and keys (2302.05442), a norm before the blocks."""
import numpy as np

from arithmetic import ACTIVATIONS, attention, layer_norm, linear, split_heads
from gpt import Weights

VIT = {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072,
       "hidden_act": "gelu", "layer_norm_eps": 1e-12, "image_size": 224, "patch_size": 16, "num_channels": 3,
       "qkv_bias": True}
DEFAULTS = {"vit": VIT, "deit": VIT}
# The arguments of timm's class, and what the named architectures give it.
TIMM = {"img_size": 224, "patch_size": 16, "in_chans": 3, "num_classes": 1000, "global_pool": "token",
        "embed_dim": 768, "depth": 12, "num_heads": 12, "mlp_ratio": 4.0, "qkv_bias": True, "qk_norm": False,
        "proj_bias": True, "init_values": None, "class_token": True, "no_embed_class": False, "reg_tokens": 0,
        "pre_norm": False, "final_norm": True, "fc_norm": None, "pool_include_prefix": False, "norm_eps": 1e-6, "act_layer": "gelu"}
DINO = {"patch_size": 14, "init_values": 1e-5, "img_size": 518}
ARCHITECTURES = {
    "vit_tiny_patch16_224": {"embed_dim": 192, "num_heads": 3},
    "vit_base_patch16_224": {},
    "deit3_small_patch16_224": {"embed_dim": 384, "num_heads": 6, "no_embed_class": True, "init_values": 1e-6},
    "vit_small_patch14_reg4_dinov2": {**DINO, "embed_dim": 384, "num_heads": 6, "reg_tokens": 4,
                                      "no_embed_class": True},
    "vit_medium_patch16_gap_256": {"img_size": 256, "embed_dim": 512, "num_heads": 8, "class_token": False,
                                   "global_pool": "avg", "qkv_bias": False, "init_values": 1e-6, "fc_norm": False},
    "vit_base_patch16_clip_224": {"pre_norm": True, "norm_eps": 1e-5},
}


def completed(config):
    if "architecture" not in config:
        return {**DEFAULTS[config["model_type"]], **config}
    said = {name: config[name] for name in ("num_classes", "global_pool") if name in config}
    c = {**TIMM, **ARCHITECTURES[config["architecture"]], **said, **config.get("model_args", {})}
    c["fc_norm"] = c["global_pool"] == "avg" if c["fc_norm"] is None else c["fc_norm"]
    return c


def patches(image, size):
    """image [channels, height, width] as [patches, channels * size * size], row by row."""
    channels, height, width = image.shape
    cut = image.reshape(channels, height // size, size, width // size, size)
    return cut.transpose(1, 3, 0, 2, 4).reshape(-1, channels * size * size)


def self_attention(query, key, value):
    return attention(query, key, value, query.shape[-1]**-0.5)


def hugging_face_rows(c, w, frames):
    epsilon, e = c["layer_norm_eps"], w.inside("embeddings.")
    kernel = e("patch_embeddings.projection.weight")
    x = linear(frames, kernel.reshape(len(kernel), -1), e("patch_embeddings.projection.bias"))
    before = [e("cls_token")[0]] + ([e("distillation_token")[0]] if c["model_type"] == "deit" else [])
    x = np.concatenate(before + [x]) + e("position_embeddings")[0]
    for index in range(c["num_hidden_layers"]):
        b = w.inside(f"encoder.layer.{index}.")
        rows = b.norm(x, "layernorm_before", epsilon)
        projected = (split_heads(b.linear(rows, "attention.attention." + name), c["num_attention_heads"])
                     for name in ("query", "key", "value"))
        x = x + b.linear(self_attention(*projected), "attention.output.dense")
        hidden = b.linear(b.norm(x, "layernorm_after", epsilon), "intermediate.dense")
        x = x + b.linear(ACTIVATIONS[c["hidden_act"]](hidden), "output.dense")
    return w.norm(x, "layernorm", epsilon)


def timm_block(c, b, x):
    epsilon, heads = c["norm_eps"], c["num_heads"]
    query, key, value = (split_heads(part, heads)
                         for part in np.split(b.linear(b.norm(x, "norm1", epsilon), "attn.qkv"), 3, -1))
    if c["qk_norm"]:
        query, key = b.norm(query, "attn.q_norm", epsilon), b.norm(key, "attn.k_norm", epsilon)
    scaled = c["init_values"] is not None
    x = x + b.linear(self_attention(query, key, value), "attn.proj") * (b("ls1.gamma") if scaled else 1)
    hidden = ACTIVATIONS[c["act_layer"]](b.linear(b.norm(x, "norm2", epsilon), "mlp.fc1"))
    return x + b.linear(hidden, "mlp.fc2") * (b("ls2.gamma") if scaled else 1)


def timm(c, w, frames):
    kernel, epsilon = w("patch_embed.proj.weight"), c["norm_eps"]
    x = linear(frames, kernel.reshape(len(kernel), -1), None if c["pre_norm"] else w("patch_embed.proj.bias"))
    before = ([w("cls_token")[0]] if c["class_token"] else []) + ([w("reg_token")[0]] if c["reg_tokens"] else [])
    if c["no_embed_class"]:
        x = np.concatenate(before + [x + w("pos_embed")[0]])
    else:
        x = np.concatenate(before + [x]) + w("pos_embed")[0]
    if c["pre_norm"]:
        x = w.norm(x, "norm_pre", epsilon)
    for index in range(c["depth"]):
        x = timm_block(c, w.inside(f"blocks.{index}."), x)
    if c["final_norm"] and not c["fc_norm"]:
        x = w.norm(x, "norm", epsilon)
    if c["global_pool"] == "avg":
        first = 0 if c["pool_include_prefix"] else int(c["class_token"]) + c["reg_tokens"]
        x = x[first:].mean(0)
    elif c["global_pool"] == "token":
        x = x[0]
    if c["final_norm"] and c["fc_norm"]:
        x = w.norm(x, "fc_norm", epsilon)
    return w.linear(x, "head") if c["num_classes"] else x


def outputs(config, tensors, frames):
    """Logits, or the rows of a model without a head."""
    c = completed(config)
    if "architecture" in config:
        return timm(c, Weights(tensors, ""), frames)
    task = config["architectures"][0]
    if task.endswith("Model"):
        return hugging_face_rows(c, Weights(tensors, ""), frames)
    rows = hugging_face_rows(c, Weights(tensors, c["model_type"] + "."), frames)
    return Weights(tensors, "").linear(rows[0], "classifier")
