# SPDX-License-Identifier: MIT
"""Encoders of images to pack and run, and changes of their configuration's members."""
import numpy as np

import vision
from gpt_cases import matrix, norm


def vit_shapes(c, w):
    dim, size = c["hidden_size"], c["patch_size"]
    count = (c["image_size"] // size)**2 + (2 if c["model_type"] == "deit" else 1)
    result = {w + "embeddings.cls_token": (1, 1, dim), w + "embeddings.position_embeddings": (1, count, dim),
              w + "embeddings.patch_embeddings.projection.weight": (dim, c["num_channels"], size, size),
              w + "embeddings.patch_embeddings.projection.bias": (dim,)}
    if c["model_type"] == "deit":
        result[w + "embeddings.distillation_token"] = (1, 1, dim)
    for block in range(c["num_hidden_layers"]):
        prefix = f"{w}encoder.layer.{block}."
        for name in ("query", "key", "value"):
            matrix(result, f"{prefix}attention.attention.{name}", dim, dim, False, c["qkv_bias"])
        matrix(result, prefix + "attention.output.dense", dim, dim)
        norm(result, prefix + "layernorm_before", dim)
        matrix(result, prefix + "intermediate.dense", c["intermediate_size"], dim)
        matrix(result, prefix + "output.dense", dim, c["intermediate_size"])
        norm(result, prefix + "layernorm_after", dim)
    norm(result, w + "layernorm", dim)
    return result


def timm_block_shapes(c, result, prefix):
    dim, hidden, head_dim = c["embed_dim"], int(c["embed_dim"] * c["mlp_ratio"]), c["embed_dim"] // c["num_heads"]
    norm(result, prefix + "norm1", dim)
    matrix(result, prefix + "attn.qkv", 3 * dim, dim, False, c["qkv_bias"])
    if c["qk_norm"]:
        norm(result, prefix + "attn.q_norm", head_dim)
        norm(result, prefix + "attn.k_norm", head_dim)
    matrix(result, prefix + "attn.proj", dim, dim, False, c["proj_bias"])
    norm(result, prefix + "norm2", dim)
    matrix(result, prefix + "mlp.fc1", hidden, dim, False, c["proj_bias"])
    matrix(result, prefix + "mlp.fc2", dim, hidden, False, c["proj_bias"])
    if c["init_values"] is not None:
        result[prefix + "ls1.gamma"] = result[prefix + "ls2.gamma"] = (dim,)


def timm_shapes(c):
    dim, size = c["embed_dim"], c["patch_size"]
    count = (c["img_size"] // size)**2
    before = int(c["class_token"]) + c["reg_tokens"]
    result = {"pos_embed": (1, count + (0 if c["no_embed_class"] else before), dim)}
    if c["class_token"]:
        result["cls_token"] = (1, 1, dim)
    if c["reg_tokens"]:
        result["reg_token"] = (1, c["reg_tokens"], dim)
    result["patch_embed.proj.weight"] = (dim, c["in_chans"], size, size)
    if c["pre_norm"]:
        norm(result, "norm_pre", dim)
    else:
        result["patch_embed.proj.bias"] = (dim,)
    for block in range(c["depth"]):
        timm_block_shapes(c, result, f"blocks.{block}.")
    if c["final_norm"]:
        norm(result, "fc_norm" if c["fc_norm"] else "norm", dim)
    if c["num_classes"]:
        matrix(result, "head", c["num_classes"], dim)
    return result


def shapes(config):
    c = vision.completed(config)
    if "architecture" in config:
        return timm_shapes(c)
    task = c["architectures"][0]
    result = vit_shapes(c, "" if task.endswith("Model") else c["model_type"] + ".")
    if not task.endswith("Model"):
        matrix(result, "classifier", len(c.get("id2label") or "ab"), c["hidden_size"])
    return result


def case(config, *, changes=(), kind="F32", shards=1):
    return {"config": config, "changes": changes, "kind": kind, "shards": shards}


def vit(architecture="ViTForImageClassification", *, changes=(), kind="F32", shards=1, **members):
    config = {"architectures": [architecture], "model_type": "vit", "hidden_size": 40, "num_hidden_layers": 3,
              "num_attention_heads": 5, "intermediate_size": 56, "hidden_act": "gelu", "layer_norm_eps": 0.02,
              "image_size": 24, "patch_size": 6, "num_channels": 2, "qkv_bias": True, "encoder_stride": 16,
              "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0, "initializer_range": 0.02,
              "torch_dtype": "float32", "transformers_version": "4.55.0", **THREE, **members}
    return case(config, changes=changes, kind=kind, shards=shards)


def timm(architecture, *, changes=(), kind="F32", global_pool="token", num_classes=7, **arguments):
    sizes = {"img_size": 24, "patch_size": 6, "in_chans": 2, "embed_dim": 40, "depth": 3, "num_heads": 5,
             "mlp_ratio": 1.5}
    config = {"architecture": architecture, "num_classes": num_classes, "num_features": 40,
              "global_pool": global_pool, "model_args": {**sizes, **arguments},
              "pretrained_cfg": {"tag": "random", "input_size": [2, 24, 24], "fixed_input_size": True,
                                 "interpolation": "bicubic", "crop_pct": 0.9, "crop_mode": "center",
                                 "mean": [0.5, 0.5], "std": [0.5, 0.5], "num_classes": num_classes,
                                 "pool_size": None, "first_conv": "patch_embed.proj", "classifier": "head"}}

    def changed(change):
        inside = {name: value for name, value in change.items() if name not in config and name != "model_type"}
        outside = {name: value for name, value in change.items() if name not in inside}
        return {**outside, **({"model_args": {**config["model_args"], **inside}} if inside else {})}

    return case(config, changes=[(changed(change), what) for change, what in changes], kind=kind)


THREE = {"id2label": {"0": "a", "1": "b", "2": "c"}, "label2id": {"a": 0, "b": 1, "c": 2}}
CHANGES = [({"hidden_act": "gelu_new"}, "same"), ({"layer_norm_eps": 0.5}, "same"), ({"num_attention_heads": 4}, "same"),
           ({"num_attention_heads": 3}, "refused"), ({"image_size": 30}, "refused"), ({"patch_size": 8}, "refused"),
           ({"num_hidden_layers": 2}, "refused"), ({"qkv_bias": False}, "refused")]
CASES = {
    "vit": [vit(changes=CHANGES), vit("ViTModel", qkv_bias=False, num_attention_heads=1, kind="BF16", shards=2)],
    "deit": [vit("DeiTForImageClassification", model_type="deit", changes=CHANGES + [
        ({"architectures": ["DeiTForImageClassificationWithTeacher"]}, "refused")])],
    "timm_vit": [
        timm("vit_base_patch16_224", changes=[
            ({"num_heads": 4}, "same"), ({"num_heads": 3}, "refused"), ({"depth": 2}, "refused"),
            ({"global_pool": "avg"}, "refused"), ({"global_pool": "avg", "fc_norm": False}, "same"),
            ({"global_pool": "avg", "fc_norm": False, "pool_include_prefix": True}, "same"),
            ({"global_pool": "map"}, "refused"), ({"global_pool": "max", "fc_norm": False}, "refused"),
            ({"qk_norm": True}, "refused"), ({"no_embed_class": True}, "refused"), ({"reg_tokens": 1}, "refused"),
            ({"init_values": 1e-5}, "refused"), ({"act_layer": "relu"}, "same"), ({"act_layer": "quick_gelu"}, "refused"), ({"unheard_of": 1}, "refused"),
            ({"architecture": "vit_unheard_of"}, "refused"), ({"num_classes": 8}, "refused")]),
        timm("vit_base_patch16_224", global_pool="avg", qk_norm=True, changes=[({"global_pool": "token"}, "refused")]),
        timm("deit3_small_patch16_224"), timm("vit_small_patch14_reg4_dinov2", reg_tokens=3),
        timm("vit_small_patch14_reg4_dinov2", global_pool="avg", no_embed_class=False, num_classes=0),
        timm("vit_medium_patch16_gap_256", global_pool="avg", kind="F16"),
        timm("vit_tiny_patch16_224", global_pool="avg", qkv_bias=False, proj_bias=False, class_token=False, kind="BF16"),
        timm("vit_base_patch16_clip_224")],
}


def meaningful(case):
    config = case["config"]
    if "architecture" in config:
        return ["num_classes", "global_pool"]
    return [member for member in config if member in vision.DEFAULTS[config["model_type"]]]


def inputs(case, random):
    c = vision.completed(case["config"])
    side, channels = c.get("image_size", c.get("img_size")), c.get("num_channels", c.get("in_chans"))
    image = random.standard_normal((channels, side, side))
    return {"input": vision.patches(image, c["patch_size"]).astype(np.float32)}


def expected(case, config, tensors):
    return vision.outputs(config, tensors, case["inputs"]["input"].astype(np.float64))
