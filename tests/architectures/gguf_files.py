# SPDX-License-Identifier: MIT
"""Writes GGUF files as llama.cpp's converter makes them of a folder: its keys, its names, rows of queries and keys that
are rotated together beside each other where it has them so, norms of Gemma with their 1, and numbers in its types."""
import re
import struct

import numpy as np

TYPES = {"F32": 0, "F16": 1, "Q4_0": 2, "Q8_0": 8, "Q4_K": 12, "Q5_K": 13, "Q6_K": 14, "BF16": 30,
         "Q5_0": 6, "Q4_1": 3, "Q5_1": 7, "IQ4_NL": 20}
NAMES = {"llama": "llama", "mistral": "llama", "qwen2": "qwen2", "qwen3": "qwen3", "smollm3": "smollm3",
         "granite": "granite", "phi3": "phi3", "gemma": "gemma", "gemma2": "gemma2", "gemma3_text": "gemma3",
         "gpt2": "gpt2", "gpt_neox": "gptneox"}
PAIRS = ("llama", "smollm3", "granite")

LLAMA = {"model.embed_tokens.weight": "token_embd.weight", "model.norm.weight": "output_norm.weight",
         "lm_head.weight": "output.weight"}
LLAMA_BLOCK = {"input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm", "self_attn.q_proj": "attn_q",
               "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
               "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm", "self_attn.qkv_proj": "attn_qkv",
               "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
               "mlp.gate_up_proj": "ffn_up"}
GEMMA_BLOCK = {**LLAMA_BLOCK, "post_attention_layernorm": "post_attention_norm",
               "pre_feedforward_layernorm": "ffn_norm", "post_feedforward_layernorm": "post_ffw_norm"}
GPT2 = {"wte.weight": "token_embd.weight", "wpe.weight": "position_embd.weight", "ln_f.weight": "output_norm.weight",
        "ln_f.bias": "output_norm.bias", "lm_head.weight": "output.weight"}
GPT2_BLOCK = {"ln_1": "attn_norm", "attn.c_attn": "attn_qkv", "attn.c_proj": "attn_output", "ln_2": "ffn_norm",
              "mlp.c_fc": "ffn_up", "mlp.c_proj": "ffn_down"}
NEOX = {"gpt_neox.embed_in.weight": "token_embd.weight", "gpt_neox.final_layer_norm.weight": "output_norm.weight",
        "gpt_neox.final_layer_norm.bias": "output_norm.bias", "embed_out.weight": "output.weight"}
NEOX_BLOCK = {"input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm",
              "attention.query_key_value": "attn_qkv", "attention.dense": "attn_output",
              "mlp.dense_h_to_4h": "ffn_up", "mlp.dense_4h_to_h": "ffn_down"}


def tensor_name(name, family):
    whole, of_block = {"gpt2": (GPT2, GPT2_BLOCK), "gpt_neox": (NEOX, NEOX_BLOCK)}.get(
        family, (LLAMA, GEMMA_BLOCK if family in ("gemma2", "gemma3_text") else LLAMA_BLOCK))
    short = name.removeprefix("transformer.")
    if short in whole:
        return whole[short]
    block, rest, kind = re.fullmatch(r"(?:model\.|gpt_neox\.)?(?:layers|h)\.(\d+)\.(.*)\.(weight|bias)", short).groups()
    return f"blk.{block}.{of_block[rest]}.{kind}"


def paired(values, heads):
    """[heads, 2, half, ...] to [heads, half, 2, ...]."""
    parts = values.reshape(heads, 2, values.shape[0] // heads // 2, *values.shape[1:])
    return np.swapaxes(parts, 1, 2).reshape(values.shape)


def converted(name, values, config):
    family = config["model_type"]
    if NAMES[family] in PAIRS and re.search(r"\.(q|k)_proj\.", name):
        heads = config["num_attention_heads"]
        return paired(values, heads if ".q_proj." in name else config.get("num_key_value_heads", heads))
    if family.startswith("gemma") and name.endswith("norm.weight"):
        return (values.astype(np.float32) + np.float32(1)).astype(np.float64)
    if family == "gpt2" and re.search(r"\.c_(attn|proj|fc)\.weight", name):
        return values.T
    if "query_key_value" in name:
        heads = config["num_attention_heads"]
        parts = values.reshape(heads, 3, values.shape[0] // heads // 3, *values.shape[1:])
        return np.swapaxes(parts, 0, 1).reshape(values.shape)
    return values


def llama3_frequencies(config, head_dim):
    scaling, base = config["rope_scaling"], config.get("rope_theta", 10000.0)
    wavelengths = 2 * np.pi * base ** (np.arange(0, head_dim, 2) / head_dim)
    original, low, high = scaling["original_max_position_embeddings"], scaling["low_freq_factor"], scaling["high_freq_factor"]
    smooth = np.clip((original / wavelengths - low) / (high - low), 0, 1)
    return 1 / ((1 - smooth) / scaling["factor"] + smooth)


def keys(config):
    """Those of the converter."""
    family, name = config["model_type"], NAMES[config["model_type"]]
    result = {"general.architecture": name, "general.name": "of a test", "general.file_type": 0,
              "tokenizer.ggml.tokens": ["a", "\u00e9"], "tokenizer.ggml.scores": [0.5, 1.5]}

    def put(key, value):
        result[f"{name}.{key}"] = value

    if family == "gpt2":
        put("block_count", config["n_layer"])
        put("context_length", config["n_positions"])
        put("embedding_length", config["n_embd"])
        put("feed_forward_length", config.get("n_inner") or 4 * config["n_embd"])
        put("attention.head_count", config["n_head"])
        put("attention.layer_norm_epsilon", config["layer_norm_epsilon"])
        return result
    dim, heads = config["hidden_size"], config["num_attention_heads"]
    put("block_count", config["num_hidden_layers"])
    put("context_length", config["max_position_embeddings"])
    put("embedding_length", dim)
    put("feed_forward_length", config["intermediate_size"])
    put("attention.head_count", heads)
    if family == "gpt_neox":
        put("rope.dimension_count", int(config["rotary_pct"] * (dim // heads)))
        put("use_parallel_residual", config["use_parallel_residual"])
        put("attention.layer_norm_epsilon", config["layer_norm_eps"])
        put("rope.freq_base", float(config["rotary_emb_base"]))
        return result
    head_dim = config.get("head_dim") or dim // heads
    put("attention.head_count_kv", config["num_key_value_heads"])
    put("attention.layer_norm_rms_epsilon", config["rms_norm_eps"])
    put("rope.freq_base", config.get("rope_theta", 10000.0))
    put("rope.dimension_count", head_dim)
    put("attention.key_length", head_dim)
    put("attention.value_length", head_dim)
    put("vocab_size", config["vocab_size"])
    scaling = config.get("rope_scaling") or {}
    kind = scaling.get("rope_type", scaling.get("type"))
    if kind in ("linear", "yarn"):
        put("rope.scaling.type", kind)
        put("rope.scaling.factor", scaling["factor"])
    if kind == "yarn":
        put("rope.scaling.original_context_length", scaling["original_max_position_embeddings"])
    if family in ("gemma2", "gemma3_text", "phi3") and config.get("sliding_window"):
        put("attention.sliding_window", config["sliding_window"])
    for member in ("attn_logit_softcapping", "final_logit_softcapping"):
        if config.get(member):
            put(member, config[member])
    for key, member in (("attention.scale", "attention_multiplier"), ("embedding_scale", "embedding_multiplier"),
                        ("residual_scale", "residual_multiplier"), ("logit_scale", "logits_scaling")):
        if family == "granite":
            put(key, config[member])
    return result


def text(value):
    encoded = value.encode()
    return struct.pack("<Q", len(encoded)) + encoded


def key_value(value):
    """The type, and the bytes of a value."""
    if isinstance(value, bool):
        return 7, struct.pack("<B", value)
    if isinstance(value, int):
        return 4, struct.pack("<I", value)
    if isinstance(value, float):
        return 6, struct.pack("<f", value)
    if isinstance(value, str):
        return 8, text(value)
    kinds, parts = zip(*(key_value(element) for element in value))
    return 9, struct.pack("<IQ", kinds[0], len(value)) + b"".join(parts)


def q8_0(values):
    """Any numbers of the type: 127 is not always among them, and scales may be negative. Also what they stand for."""
    groups = values.reshape(-1, 32)
    scales = (groups[:, :1] / 119).astype("<f2")
    scales[scales == 0] = 1
    whole = np.clip(np.round(groups / scales.astype(np.float64)), -128, 127).astype("i1")
    return (np.concatenate([scales.view("u1").reshape(-1, 2), whole.view("u1")], axis=1).tobytes(),
            (whole * scales.astype(np.float64)).reshape(values.shape))


def q4_0(values):
    groups = values.reshape(-1, 32)
    scales = (groups[:, :1] / -6).astype("<f2")
    scales[scales == 0] = 1
    whole = np.clip(np.round(groups / scales.astype(np.float64)), -8, 7).astype("i1")
    codes = (whole + 8).astype("u1")
    return (np.concatenate([scales.view("u1").reshape(-1, 2), codes[:, :16] | codes[:, 16:] << 4], axis=1).tobytes(),
            (whole * scales.astype(np.float64)).reshape(values.shape))


def small_block(values, kind, random):
    """Random blocks of 32 numbers of 4 or 5 bits, which llama.cpp writes where a row is no multiple of 256. Also what they
    stand for."""
    count, bits, minima = values.size // 32, int(kind[1]), kind[3] == "1"
    scale = (random.uniform(-1.5, 1.5, (count, 1)) * 2e-2).astype("<f2")
    least = (random.uniform(-1.5, 0.5, (count, 1)) * 0.2).astype("<f2")
    codes = random.integers(0, 1 << bits, (count, 32))
    content = [scale.view("u1").reshape(count, 2)] + ([least.view("u1").reshape(count, 2)] if minima else [])
    if bits == 5:
        content.append(sum((codes[:, i:i + 1] >> 4) << i for i in range(32)).astype("<u4").view("u1").reshape(count, 4))
    content.append(((codes[:, :16] & 15) | (codes[:, 16:] & 15) << 4).astype("u1"))
    stands = scale.astype(np.float64) * (codes if minima else codes - (1 << bits - 1))
    if minima:
        stands = stands + least.astype(np.float64)
    return np.concatenate(content, axis=1).tobytes(), stands.astype("<f4").astype(np.float64).reshape(values.shape)


def k_block(values, kind, random):
    """Random blocks of a K type, which is all that a reader of them needs. Also what they stand for."""
    count = values.size // 256
    small = (random.uniform(0.5, 1.5, (count, 1)) * 2e-3).astype("<f2")
    if kind == "Q6_K":
        codes = random.integers(0, 64, (count, 256))
        scales = random.integers(-128, 128, (count, 16))
        halves = codes.reshape(count, 2, 4, 32)
        low = (halves[:, :, :2] & 15) | (halves[:, :, 2:] & 15) << 4
        high = sum((halves[:, :, quarter] >> 4) << (2 * quarter) for quarter in range(4))
        content = [low.reshape(count, 128).astype("u1"), high.reshape(count, 64).astype("u1"),
                   scales.astype("i1").view("u1"), small.view("u1").reshape(count, 2)]
        stands = small.astype(np.float64)[:, :, None] * scales[:, :, None] * (codes.reshape(count, 16, 16) - 32)
        return np.concatenate(content, axis=1).tobytes(), stands.reshape(values.shape)
    bits = 4 if kind == "Q4_K" else 5
    least = (random.uniform(0.5, 1.5, (count, 1)) * 4e-2).astype("<f2")
    codes = random.integers(0, 1 << bits, (count, 8, 32))
    scales, minima = random.integers(0, 64, (count, 8)), random.integers(0, 64, (count, 8))
    packed = np.concatenate([scales[:, :4] | (scales[:, 4:] >> 4) << 6, minima[:, :4] | (minima[:, 4:] >> 4) << 6,
                             (scales[:, 4:] & 15) | (minima[:, 4:] & 15) << 4], axis=1).astype("u1")
    low = (codes[:, 0::2] & 15) | (codes[:, 1::2] & 15) << 4
    content = [small.view("u1").reshape(count, 2), least.view("u1").reshape(count, 2), packed]
    if bits == 5:
        content.append(sum((codes[:, group] >> 4) << group for group in range(8)).astype("u1"))
    content.append(low.reshape(count, 128).astype("u1"))
    stands = (small.astype(np.float64)[:, :, None] * scales[:, :, None] * codes
              - least.astype(np.float64)[:, :, None] * minima[:, :, None])
    return np.concatenate(content, axis=1).tobytes(), stands.astype("<f4").astype(np.float64).reshape(values.shape)


def stored(values, kind, random):
    """The bytes of a tensor, and the numbers that they stand for."""
    if kind == "F32":
        return values.astype("<f4").tobytes(), values.astype("<f4").astype(np.float64)
    if kind == "F16":
        return values.astype("<f2").tobytes(), values.astype("<f2").astype(np.float64)
    if kind == "BF16":
        upper = (values.astype("<f4").view("<u4") >> 16).astype("<u2")
        return upper.tobytes(), (upper.astype("<u4") << 16).view("<f4").astype(np.float64).reshape(values.shape)
    if kind == "IQ4_NL":
        return bytes(values.size // 32 * 18), values
    if kind in ("Q4_1", "Q5_0", "Q5_1"):
        return small_block(values, kind, random)
    return {"Q8_0": q8_0, "Q4_0": q4_0}[kind](values) if kind in ("Q8_0", "Q4_0") else k_block(values, kind, random)


def write_gguf(path, config, tensors, kinds, more=None, version=3):
    """`kinds` gives the type of a matrix by its name; vectors are F32. `more`: further keys, or None for one to leave
    out. Returns the numbers that the file stands for, under the names of GGUF."""
    random = np.random.default_rng(7)
    metadata = {key: value for key, value in {**keys(config), **(more or {})}.items() if value is not None}
    scaling = config.get("rope_scaling") or {}
    converted_tensors = {tensor_name(name, config["model_type"]): converted(name, values, config)
                         for name, values in tensors.items()}
    if scaling.get("rope_type") == "llama3":
        head_dim = config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]
        converted_tensors["rope_freqs.weight"] = llama3_frequencies(config, head_dim)
    heads, data, stands = b"", b"", {}
    for name, values in converted_tensors.items():
        kind = kinds(name) if values.ndim == 2 and name != "position_embd.weight" else "F32"
        content, stands[name] = stored(np.ascontiguousarray(values), kind, random)
        heads += text(name) + struct.pack("<I", values.ndim) + b"".join(
            struct.pack("<Q", size) for size in reversed(values.shape)) + struct.pack("<IQ", TYPES[kind], len(data))
        data += content + bytes(-len(content) % 32)
    begin = b"GGUF" + struct.pack("<IQQ", version, len(converted_tensors), len(metadata))
    for key, value in metadata.items():
        kind, content = key_value(value)
        begin += text(key) + struct.pack("<I", kind) + content
    begin += heads
    path.write_bytes(begin + bytes(-len(begin) % 32) + data)
    return stands
