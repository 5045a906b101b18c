# SPDX-License-Identifier: MIT
"""check_gguf.py HEED gguf: GGUF files as llama.cpp's converter makes them of folders, packed to the same bytes as the folder;
quantized ones, whose logits have the bits of the floats that they stand for; and what is refused."""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import decoder_cases
import gpt_cases
from check import random_tensors
from folders import write_folder
from gguf_damage import damages
from gguf_files import converted, tensor_name, write_gguf

WIDE = {"vocab_size": 64, "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4,
        "num_key_value_heads": 2, "head_dim": 16, "rms_norm_eps": 1e-5}
K_WIDE = {**WIDE, "hidden_size": 256, "intermediate_size": 256, "head_dim": 64}
LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 8192}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16}
GELU = {"hidden_act": "gelu_pytorch_tanh", "hidden_activation": "gelu_pytorch_tanh"}


def llama_like(model_type, name, **members):
    return decoder_cases, decoder_cases.config(model_type, name + "ForCausalLM", **members)


def gemma3(**members):
    module, config = llama_like("gemma3_text", "Gemma3", hidden_activation=GELU["hidden_activation"], **members)
    del config["hidden_act"]
    return module, config


def gpt(sizes, **members):
    return gpt_cases, {**sizes, **members}


CONFIGS = [
    llama_like("llama", "Llama", head_dim=10),
    llama_like("llama", "Llama", num_key_value_heads=1, head_dim=24, attention_bias=True, mlp_bias=True,
               tie_word_embeddings=True, rope_scaling=LLAMA3, rope_theta=500000.0),
    llama_like("llama", "Llama", rope_scaling={"type": "linear", "factor": 2.5}),
    llama_like("qwen2", "Qwen2", tie_word_embeddings=True, rope_scaling=YARN),
    llama_like("qwen3", "Qwen3", head_dim=24, attention_bias=False),
    llama_like("smollm3", "SmolLM3", num_hidden_layers=5, rope_theta=50000.0),
    llama_like("granite", "Granite", embedding_multiplier=12.0, logits_scaling=8.0, residual_multiplier=0.22,
               attention_multiplier=0.2, tie_word_embeddings=True),
    llama_like("phi3", "Phi3", sliding_window=9, original_max_position_embeddings=64),
    llama_like("gemma", "Gemma", head_dim=24, num_key_value_heads=1, tie_word_embeddings=True, **GELU),
    llama_like("gemma2", "Gemma2", head_dim=24, tie_word_embeddings=True, query_pre_attn_scalar=24, sliding_window=7,
               attn_logit_softcapping=2.0, final_logit_softcapping=1.5, num_hidden_layers=4, **GELU),
    gemma3(head_dim=24, tie_word_embeddings=True, query_pre_attn_scalar=24, sliding_window=7, num_hidden_layers=7,
           rope_theta=20000.0, rope_local_base_freq=10000.0),
    gpt(gpt_cases.GPT2), gpt(gpt_cases.GPT2, n_inner=56, tie_word_embeddings=False),
    gpt(gpt_cases.NEOX), gpt(gpt_cases.NEOX, use_parallel_residual=False, rotary_pct=1.0),
]


class Check:
    def __init__(self, path, work):
        self.path, self.work, self.count, self.failures = path, work, 0, []

    def expect(self, good, what):
        self.count += 1
        if not good:
            self.failures.append(what)

    def pack(self, source, *options):
        """The model file, or None, and what was said."""
        model = self.work / (source.name + ".heed")
        done = subprocess.run([self.path, "pack", str(source), "--out", str(model), *options], capture_output=True,
                              text=True)
        return (model if done.returncode == 0 else None), done.stdout + done.stderr

    def logits(self, model):
        output = self.work / "logits.npy"
        done = subprocess.run([self.path, "run", str(model), "--input", str(self.work / "ids.npy"), "--every",
                               "--output", str(output)], capture_output=True, text=True)
        return np.load(output) if done.returncode == 0 else done.stderr

    def refused(self, config, tensors, words, kinds=lambda _: "F32", options=(), **changes):
        path = self.work / "refused.gguf"
        write_gguf(path, config, tensors, kinds, **changes)
        model, said = self.pack(path, *options)
        self.expect(model is None and all(word in said for word in words), f"not refused by {words}: {said.strip()}")


def tensors_of(module, config, seed=0):
    random = np.random.default_rng(seed)
    tensors = random_tensors(module.shapes(config), random)
    return {name: values.astype("<f4").astype(np.float64) for name, values in tensors.items()}


def check_same_bytes(check, number, module, config):
    """In every type of floats."""
    tensors = tensors_of(module, config, number)
    for kind in ("F32", "F16", "BF16"):
        folder, gguf = check.work / f"folder{number}{kind}", check.work / f"file{number}{kind}.gguf"
        stands = write_gguf(gguf, config, tensors, lambda _, kind=kind: kind, version=2 + number % 2)
        # What the file stands for, under the folder's names and in its order; norms of Gemma as they were.
        kept = {name: unconverted(name, values, stands, config) for name, values in tensors.items()}
        write_folder(folder, config, kept)
        one, said = check.pack(folder, "--weight-type", "float32")
        other, said_of_file = check.pack(gguf, "--weight-type", "float32")
        same = one is not None and other is not None and one.read_bytes() == other.read_bytes()
        check.expect(same, f"{config['model_type']} {number} {kind}: not the same\n{said}\n{said_of_file}")
        own, said = check.pack(gguf)
        word = {"F32": "float32", "F16": "float16", "BF16": "bfloat16"}[kind]
        folds = config["model_type"] in ("granite", "gemma2")
        check.expect(own is not None and (kind == "F32" or word in said or folds), f"{number} {kind}: {said}")


def unconverted(name, values, stands, config):
    """The numbers of a folder's tensor, of those that a GGUF file stands for."""
    if values.ndim == 1:
        return values
    places = np.arange(values.size, dtype=np.float64).reshape(values.shape)
    order = converted(name, places, config).astype(np.int64)
    result = np.empty(values.size)
    result[order.reshape(-1)] = stands[tensor_name(name, config["model_type"])].reshape(-1)
    return result.reshape(values.shape)


def check_quantized(check, kinds, what, sizes, *options):
    """The bits of the logits are those of the floats that a file stands for."""
    for module, config in (llama_like("llama", "Llama", **sizes), llama_like("qwen2", "Qwen2", **sizes)):
        tensors = tensors_of(module, config)
        gguf, folder = check.work / f"{what}.gguf", check.work / f"{what}{config['model_type']}"
        stands = write_gguf(gguf, config, tensors, kinds)
        kept = {name: unconverted(name, values, stands, config) for name, values in tensors.items()}
        write_folder(folder, config, kept)
        np.save(check.work / "ids.npy", np.arange(23, dtype=np.int32) * 7 % 64)
        one, said = check.pack(gguf, *options)
        other, _ = check.pack(folder)
        check.expect(one is not None, f"{what}: {said}")
        if one is not None:
            left, right = check.logits(one), check.logits(other)
            same = isinstance(left, np.ndarray) and isinstance(right, np.ndarray) and np.array_equal(left, right)
            check.expect(same, f"{what}: other logits {left} {right}")


def matrices(kind, table, head=None):
    names = {"token_embd.weight": table, "output.weight": head or table}
    return lambda name: names.get(name, kind)


def check_refusals(check):
    module, config = llama_like("llama", "Llama", **WIDE)
    tensors = tensors_of(module, config)
    for key in ("llama.block_count", "llama.context_length", "llama.embedding_length", "llama.feed_forward_length",
                "llama.attention.head_count", "llama.attention.layer_norm_rms_epsilon", "general.architecture"):
        check.refused(config, tensors, [key], more={key: None})
    for key, value in (("llama.unheard_of", 1), ("unheard_of", "a"), ("llama.expert_count", 8), ("split.count", 2),
                       ("llama.rope.scaling.type", "longrope"), ("general.architecture", "mamba"),
                       ("llama.attention.value_length", 8), ("llama.rope.dimension_count", 8),
                       ("llama.vocab_size", 65), ("general.type", "adapter"), ("llama.attention.sliding_window", 7),
                       ("llama.block_count", 0), ("llama.block_count", 1.5), ("llama.block_count", True),
                       ("llama.attention.head_count", [4, 4]), ("llama.attention.causal", False),
                       ("llama.rope.freq_base", float("nan")), ("general.alignment", 12),
                       ("llama.attention.layer_norm_rms_epsilon", float("inf"))):
        check.refused(config, tensors, [key], more={key: value})
    check.refused(config, tensors, ["blk.2.attn_norm.weight"], more={"llama.block_count": 3})
    check.refused(config, tensors, ["does not use", "blk.1."], more={"llama.block_count": 1})
    check.refused(config, tensors, ["IQ4_NL", "not supported"], lambda _: "IQ4_NL")
    mixed = matrices("Q8_0", "F32")
    check.refused(config, tensors, ["blk.1.attn_v.weight is F16", "blk.0.attn_q.weight is Q8_0", "--requantize"],
                  lambda name: "F16" if name == "blk.1.attn_v.weight" else mixed(name))
    check.refused(config, tensors, ["is Q8_0", "int8:", "--requantize"], mixed, options=["--weight-type", "int8"])
    check.refused(config, tensors, ["Q8_0", "--requantize"], mixed, options=["--activations", "int8"])
    check.refused(config, tensors, ["--requantize", "--weight-type"], mixed,
                  options=["--weight-type", "int8", "--requantize", "int8"])
    scaled = dict(tensors)
    scaled["model.norm.weight"] = tensors["model.norm.weight"] * np.nan
    check.refused(config, scaled, ["output_norm.weight", "not a number"])
    _, other = llama_like("llama", "Llama", **{**WIDE, "rope_scaling": {**LLAMA3, "high_freq_factor": 3.0,
                                                                        "original_max_position_embeddings": 32}})
    check.refused(other, tensors, ["rope_freqs.weight", "Llama 3"])


def check_requantized(check):
    module, config = llama_like("llama", "Llama", **K_WIDE)
    tensors = tensors_of(module, config)
    gguf = check.work / "requantized.gguf"
    write_gguf(gguf, config, tensors, matrices("Q4_0", "Q6_K"))
    model, said = check.pack(gguf)
    check.expect(model is None and "Q6_K" in said and "--requantize" in said, f"Q6_K: {said}")
    model, said = check.pack(gguf, "--requantize", "int8")
    check.expect(model is not None and "rounded anew: embedding table to int8, error 0.0" in said
                 and "blocks" not in said.split("rounded anew")[-1], f"Q6_K to int8: {said}")
    model, said = check.pack(gguf, "--requantize", "int8_multipliers", "--activations", "int16")
    check.expect(model is not None and "blocks to int8_multipliers" in said, f"to multipliers: {said}")


def check_damaged(check):
    module, config = llama_like("llama", "Llama", **WIDE)
    tensors = tensors_of(module, config)
    whole, quantized = check.work / "whole.gguf", check.work / "quantized.gguf"
    write_gguf(whole, config, tensors, lambda _: "F32")
    write_gguf(quantized, config, tensors, lambda _: "Q8_0")
    for what, content, words in damages(whole.read_bytes(), quantized.read_bytes()):
        damaged = check.work / "damaged.gguf"
        damaged.write_bytes(content)
        model, said = check.pack(damaged)
        good = model is None and "damaged.gguf: " in said and all(word in said for word in words)
        check.expect(good, f"damaged: {what}: {said.strip()}")


def main(path, _):
    with tempfile.TemporaryDirectory() as work:
        check = Check(path, pathlib.Path(work))
        for number, (module, config) in enumerate(CONFIGS):
            check_same_bytes(check, number, module, config)
        for kind in ("Q8_0", "Q5_0", "Q4_0"):
            check_quantized(check, lambda _, kind=kind: kind, kind, WIDE)
        check_quantized(check, matrices("Q4_0", "Q8_0"), "Q4_0 and Q8_0", WIDE)
        check_quantized(check, lambda name: "Q8_0" if "attn" in name else "Q4_0", "mixed", WIDE)
        check_quantized(check, matrices("Q8_0", "F16"), "Q8_0 and F16", WIDE)
        check_quantized(check, lambda name: "Q8_0" if "ffn_down" in name else "Q5_0", "Q8_0 and Q5_0", WIDE)
        for kind in ("Q4_1", "Q5_1"):
            check_quantized(check, lambda _, kind=kind: kind, kind, WIDE, "--weight-type", "float32")
        for kind in ("Q4_K", "Q5_K", "Q6_K"):
            check_quantized(check, lambda _, kind=kind: kind, kind, K_WIDE, "--weight-type", "float32")
        check_refusals(check)
        check_requantized(check)
        check_damaged(check)
    print(f"GGUF: {check.count} checks, failed {len(check.failures)}")
    print("\n".join(check.failures))
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
