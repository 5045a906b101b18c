# SPDX-License-Identifier: MIT
"""Decoders of Llama's kind to pack and run: configurations with sizes that are no multiples of each other, and changes
of their members."""
import numpy as np

import decoders

LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 16}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 256}
# Members that change nothing here, as save_pretrained() writes them.
WITHOUT_MEANING = {"attention_dropout": 0.0, "initializer_range": 0.02, "use_cache": True, "torch_dtype": "float32",
                   "transformers_version": "4.55.0", "bos_token_id": 1, "eos_token_id": 2}


def config(model_type, architecture, **members):
    sizes = {"vocab_size": 37, "hidden_size": 40, "intermediate_size": 56, "num_hidden_layers": 3,
             "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 64, "rms_norm_eps": 0.02,
             "hidden_act": "silu", "tie_word_embeddings": False}
    return {"architectures": [architecture], "model_type": model_type, **WITHOUT_MEANING, **sizes, **members}


def shapes(config):
    c = decoders.completed(config)
    family, dim, hidden = c["model_type"], c["hidden_size"], c["intermediate_size"]
    queries, keys = c["num_attention_heads"] * c["head_dim"], c["num_key_value_heads"] * c["head_dim"]
    result = {"model.embed_tokens.weight": (c["vocab_size"], dim), "model.norm.weight": (dim,)}
    for block in range(c["num_hidden_layers"]):
        prefix = f"model.layers.{block}."

        def matrix(name, rows, columns, biased, prefix=prefix):
            result[prefix + name + ".weight"] = (rows, columns)
            if biased:
                result[prefix + name + ".bias"] = (rows,)

        norms = ["input_layernorm", "post_attention_layernorm"]
        if family in ("gemma2", "gemma3_text"):
            norms += ["pre_feedforward_layernorm", "post_feedforward_layernorm"]
        result.update({f"{prefix}{name}.weight": (dim,) for name in norms})
        if family in ("qwen3", "gemma3_text"):
            result.update({f"{prefix}self_attn.{name}.weight": (c["head_dim"],) for name in ("q_norm", "k_norm")})
        biased = c["attention_bias"]
        if family == "phi3":
            matrix("self_attn.qkv_proj", queries + 2 * keys, dim, False)
            matrix("mlp.gate_up_proj", 2 * hidden, dim, False)
        else:
            for name, rows in (("q_proj", queries), ("k_proj", keys), ("v_proj", keys)):
                matrix("self_attn." + name, rows, dim, biased or family == "qwen2")
            matrix("mlp.gate_proj", hidden, dim, c.get("mlp_bias"))
            matrix("mlp.up_proj", hidden, dim, c.get("mlp_bias"))
        matrix("self_attn.o_proj", dim, queries, biased)
        matrix("mlp.down_proj", dim, hidden, c.get("mlp_bias"))
    if not c["tie_word_embeddings"]:
        result["lm_head.weight"] = (c["vocab_size"], dim)
    return result


def case(model_type, architecture, *, changes=(), tokens=29, kind="F32", shards=1, **members):
    """Each change: members to set, and whether the library's meaning must come out or an error that names them."""
    made = config(model_type, architecture, **members)
    if model_type == "gemma3_text":
        del made["hidden_act"]  # which only its predecessors have
    return {"config": made, "changes": changes, "tokens": tokens, "kind": kind, "shards": shards}


CAUSAL = "ForCausalLM"
ROPE = [({"rope_theta": 500.0}, "same"), ({"rope_scaling": {"type": "linear", "factor": 3.0}}, "same"),
        ({"rope_scaling": LLAMA3}, "same"), ({"rope_scaling": {"rope_type": "default"}}, "same"),
        ({"rope_scaling": {"rope_type": "unheard_of", "factor": 2.0}}, "refused"),
        ({"partial_rotary_factor": 1.0}, "same"), ({"partial_rotary_factor": 0.4}, "refused"),
        ({"partial_rotary_factor": 0.4}, "same", "--ignore-member", "partial_rotary_factor")]
TWO_OF_THREE = ["full_attention" if (block + 1) % 3 == 0 else "sliding_attention" for block in range(7)]
# The same, of the newer place.
PARAMETERS = {"rope_type": "default", "rope_theta": 70.0, "partial_rotary_factor": 0.4}
OFTEN = [({"rms_norm_eps": 0.5}, "same"), ({"hidden_act": "gelu"}, "same"), ({"hidden_act": "gelu_new"}, "same"),
         ({"hidden_act": "mish"}, "refused"), ({"quantization_config": {"bits": 4}}, "refused"),
         ({"num_attention_heads": 8}, "refused"), ({"vocab_size": 38}, "refused"), ({"hidden_size": 48}, "refused"),
         ({"num_hidden_layers": 4}, "refused"), ({"num_hidden_layers": 2}, "refused")]
CASES = {
    "llama": [
        case("llama", "Llama" + CAUSAL, changes=ROPE + OFTEN + [
            ({"pretraining_tp": 1}, "same"),
            ({"rope_parameters": {"rope_type": "default", "rope_theta": 70.0}}, "same"),
            ({"rope_parameters": PARAMETERS}, "refused"),
            ({"rope_parameters": PARAMETERS}, "same", "--ignore-member", "rope_parameters.partial_rotary_factor"),
            ({"layer_types": ["full_attention"] * 3}, "same"), ({"layer_types": ["sliding_attention"] * 3}, "refused"),
            ({"sliding_window": None}, "same"), ({"sliding_window": 9}, "refused"), ({"is_decoder": True}, "same"),
            ({"num_key_value_heads": 1}, "refused"), ({"head_dim": 12}, "refused"), ({"head_dim": 10}, "same")]),
        case("llama", "Llama" + CAUSAL, num_key_value_heads=1, head_dim=24, attention_bias=True, mlp_bias=True,
             tie_word_embeddings=True, rope_scaling=LLAMA3, rope_theta=500000.0, kind="BF16", shards=3,
             changes=[({"attention_bias": False}, "refused"), ({"mlp_bias": False}, "refused")]),
        case("llama", "Llama" + CAUSAL, num_key_value_heads=4, rope_scaling={"type": "linear", "factor": 2.5},
             kind="F16"),
        case("llama", "Llama" + CAUSAL, head_dim=24, rope_scaling=YARN, rope_theta=100.0, max_position_embeddings=1024,
             hidden_act="gelu", changes=[
            ({"rope_scaling": {**YARN, "attention_factor": 1.3}}, "same"),
            ({"rope_scaling": {**YARN, "beta_fast": 8.0, "beta_slow": 0.5}}, "same"),
            ({"rope_scaling": {**YARN, "unheard_of": 1.0}}, "refused")])],
    "mistral": [
        case("mistral", "Mistral" + CAUSAL, sliding_window=7, changes=ROPE + OFTEN + [
            ({"sliding_window": None}, "same"), ({"sliding_window": 12}, "same"), ({"sliding_window": 1}, "same"),
            ({"layer_types": ["sliding_attention"] * 3}, "same"),
            ({"layer_types": ["full_attention"] * 3}, "refused")]),
        case("mistral", "Mistral" + CAUSAL, sliding_window=4096, head_dim=12, num_key_value_heads=4)],
    "qwen2": [
        case("qwen2", "Qwen2" + CAUSAL, use_sliding_window=False, sliding_window=7, max_window_layers=3,
             changes=ROPE + OFTEN + [({"use_sliding_window": True}, "same"),
                                     ({"use_sliding_window": True, "max_window_layers": 0}, "same"),
                                     ({"use_sliding_window": True, "max_window_layers": 1}, "refused")]),
        case("qwen2", "Qwen2" + CAUSAL, tie_word_embeddings=True, num_key_value_heads=1, kind="BF16")],
    "qwen3": [
        case("qwen3", "Qwen3" + CAUSAL, head_dim=24, use_sliding_window=False, sliding_window=None,
             max_window_layers=3, attention_bias=False, changes=ROPE + OFTEN),
        case("qwen3", "Qwen3" + CAUSAL, head_dim=16, attention_bias=True, num_key_value_heads=1,
             tie_word_embeddings=True, rope_scaling=YARN, max_position_embeddings=1024, hidden_act="relu")],
    "gemma": [
        case("gemma", "Gemma" + CAUSAL, head_dim=24, num_key_value_heads=1, tie_word_embeddings=True,
             hidden_act="gelu_pytorch_tanh", hidden_activation="gelu_pytorch_tanh", changes=[
                 ({"hidden_activation": "silu"}, "refused"), ({"hidden_activation": None}, "same"),
                 ({"hidden_act": "gelu"}, "refused"),
                 ({"rms_norm_eps": 0.5}, "same"), ({"rope_theta": 300.0}, "same")])],
    "gemma2": [
        case("gemma2", "Gemma2" + CAUSAL, head_dim=24, hidden_act="gelu_pytorch_tanh", tie_word_embeddings=True,
             hidden_activation="gelu_pytorch_tanh", query_pre_attn_scalar=20, sliding_window=7,
             attn_logit_softcapping=2.0, final_logit_softcapping=40.0, num_hidden_layers=4,
             cache_implementation="hybrid",
             changes=[({"query_pre_attn_scalar": 64}, "same"), ({"attn_logit_softcapping": None}, "same"),
                      ({"final_logit_softcapping": None}, "same"), ({"sliding_window": None}, "refused"),
                      ({"hidden_activation": "relu"}, "same"),
                      ({"layer_types": ["sliding_attention", "full_attention"] * 2}, "same"),
                      ({"layer_types": ["sliding_attention"] * 4}, "same"),
                      ({"sliding_window_size": 7}, "same"), ({"sliding_window_size": 4096}, "refused"),
                      ({"layer_types": ["full_attention", "sliding_attention"] * 2}, "refused")])],
    "gemma3": [
        case("gemma3_text", "Gemma3" + CAUSAL, head_dim=24, tie_word_embeddings=True, num_hidden_layers=7,
             hidden_activation="gelu_pytorch_tanh", query_pre_attn_scalar=20, sliding_window=7, rope_theta=20000.0,
             rope_local_base_freq=100.0, sliding_window_pattern=3, changes=[
                 ({"sliding_window_pattern": 2}, "same"), ({"rope_local_base_freq": 5000.0}, "same"),
                 ({"rope_theta": 300.0}, "same"), ({"rope_scaling": {"rope_type": "linear", "factor": 8.0}}, "same"),
                 ({"final_logit_softcapping": 40.0, "attn_logit_softcapping": 2.0}, "same"),
                 ({"query_pre_attn_scalar": 256}, "same"), ({"_sliding_window_pattern": 2}, "refused"),
                 ({"_sliding_window_pattern": 2, "layer_types": TWO_OF_THREE}, "same"),
                 ({"rope_theta": None, "rope_parameters": {"rope_type": "default", "rope_theta": 50.0}}, "refused"),
                 ({"rope_parameters": {"rope_type": "default", "rope_theta": 50.0}}, "same",
                  "--ignore-member", "rope_parameters.rope_theta"),
                 ({"rope_parameters": {"factor": 8.0}}, "refused"),
                 ({"rope_theta": None, "rope_local_base_freq": None, "rope_parameters": {
                     "full_attention": {"rope_type": "linear", "factor": 2.0, "rope_theta": 700.0},
                     "sliding_attention": {"rope_type": "default", "rope_theta": 50.0}}}, "same")])],
    "phi3": [
        case("phi3", "Phi3" + CAUSAL, original_max_position_embeddings=64, sliding_window=None, resid_pdrop=0.0,
             embd_pdrop=0.0, changes=OFTEN + [({"sliding_window": 9}, "same"), ({"rope_theta": 300.0}, "same"),
                                              ({"partial_rotary_factor": 0.4}, "same"),
                                              ({"rope_scaling": {"type": "longrope", "short_factor": [2.0] * 5,
                                                                 "long_factor": [4.0] * 5}}, "refused")]),
        case("phi3", "Phi3" + CAUSAL, num_key_value_heads=4, sliding_window=9, partial_rotary_factor=0.6, shards=2)],
    "granite": [
        case("granite", "Granite" + CAUSAL, embedding_multiplier=12.0, logits_scaling=8.0, residual_multiplier=0.22,
             attention_multiplier=0.2, tie_word_embeddings=True, changes=ROPE + OFTEN + [
                 ({"embedding_multiplier": 3.0}, "same"), ({"logits_scaling": 2.0}, "same"),
                 ({"residual_multiplier": 0.5}, "same"), ({"attention_multiplier": 0.5}, "same")]),
        case("granite", "Granite" + CAUSAL, attention_bias=True, mlp_bias=True, embedding_multiplier=0.5,
             logits_scaling=0.25, residual_multiplier=1.5, attention_multiplier=0.0625)],
    "smollm3": [
        case("smollm3", "SmolLM3" + CAUSAL, num_hidden_layers=5, no_rope_layer_interval=2, rope_theta=50000.0,
             no_rope_layers=[1, 0, 1, 0, 1], use_sliding_window=False, sliding_window=None,
             layer_types=["full_attention"] * 5, changes=ROPE + OFTEN + [
                 ({"no_rope_layers": [1, 1, 0, 1, 1]}, "same"), ({"no_rope_layers": [1] * 5}, "same"),
                 ({"no_rope_layers": None}, "same"), ({"no_rope_layers": [0, 1, 1, 1, 0]}, "refused")])],
}


def meaningful(case):
    return [member for member in case["config"] if member in decoders.DEFAULTS[case["config"]["model_type"]]]


def inputs(case, random):
    case["options"] = ["--every"]
    return {"input": random.integers(0, case["config"]["vocab_size"], case["tokens"]).astype(np.int32)}


def expected(case, config, tensors):
    return decoders.logits(config, tensors, case["inputs"]["input"])
