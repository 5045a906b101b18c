# SPDX-License-Identifier: MIT
"""Encoders of text to pack and run, and changes of their configuration's members."""
import numpy as np

import encoders
from gpt_cases import matrix, norm

WITHOUT_MEANING = {"hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1, "initializer_range": 0.02,
                   "torch_dtype": "float32", "transformers_version": "4.55.0", "classifier_dropout": None,
                   "use_cache": True, "gradient_checkpointing": False}


def bert_shapes(c, w):
    dim, result = c["hidden_size"], {}
    for name, count in (("word", "vocab_size"), ("position", "max_position_embeddings"),
                        ("token_type", "type_vocab_size")):
        result[f"{w}embeddings.{name}_embeddings.weight"] = (c[count], dim)
    norm(result, w + "embeddings.LayerNorm", dim)
    for block in range(c["num_hidden_layers"]):
        prefix = f"{w}encoder.layer.{block}."
        for name in ("query", "key", "value"):
            matrix(result, f"{prefix}attention.self.{name}", dim, dim)
        matrix(result, prefix + "attention.output.dense", dim, dim)
        norm(result, prefix + "attention.output.LayerNorm", dim)
        matrix(result, prefix + "intermediate.dense", c["intermediate_size"], dim)
        matrix(result, prefix + "output.dense", dim, c["intermediate_size"])
        norm(result, prefix + "output.LayerNorm", dim)
    return result


def distilbert_shapes(c, w):
    dim, result = c["dim"], {}
    for name, count in (("word", "vocab_size"), ("position", "max_position_embeddings")):
        result[f"{w}embeddings.{name}_embeddings.weight"] = (c[count], dim)
    norm(result, w + "embeddings.LayerNorm", dim)
    for block in range(c["n_layers"]):
        prefix = f"{w}transformer.layer.{block}."
        for name in ("q_lin", "k_lin", "v_lin", "out_lin"):
            matrix(result, f"{prefix}attention.{name}", dim, dim)
        norm(result, prefix + "sa_layer_norm", dim)
        matrix(result, prefix + "ffn.lin1", c["hidden_dim"], dim)
        matrix(result, prefix + "ffn.lin2", dim, c["hidden_dim"])
        norm(result, prefix + "output_layer_norm", dim)
    return result


def head_shapes(c, result, dim):
    family, task, labels = c["model_type"], c["architectures"][0], len(c.get("id2label") or "ab")
    if task in ("BertModel", "RobertaModel") and not c.get("without_pooler"):
        matrix(result, "pooler.dense", dim, dim)
    if task == "BertForMaskedLM":
        matrix(result, "cls.predictions.transform.dense", dim, dim)
        norm(result, "cls.predictions.transform.LayerNorm", dim)
        result["cls.predictions.bias"] = (c["vocab_size"],)
    if task == "DistilBertForMaskedLM":
        matrix(result, "vocab_transform", dim, dim)
        norm(result, "vocab_layer_norm", dim)
        result["vocab_projector.bias"] = (c["vocab_size"],)
    if task.endswith("ForTokenClassification"):
        matrix(result, "classifier", labels, dim)
    if task.endswith("ForSequenceClassification"):
        pooler = {"bert": "bert.pooler.dense", "distilbert": "pre_classifier"}.get(family, "classifier.dense")
        matrix(result, pooler, dim, dim)
        matrix(result, "classifier.out_proj" if "roberta" in family else "classifier", labels, dim)


def shapes(config):
    c = encoders.completed(config)
    prefix = "" if config["architectures"][0].endswith("Model") else encoders.PREFIXES[c["model_type"]]
    if c["model_type"] == "distilbert":
        result, dim = distilbert_shapes(c, prefix), c["dim"]
    else:
        result, dim = bert_shapes(c, prefix), c["hidden_size"]
    head_shapes(c, result, dim)
    return result


# What some cases have beside members: names in the file, lines that are printed, and what is refused.
CHECKS = ("stored_names", "says", "refused_files", "refused_inputs")


def case(sizes, architecture, *, changes=(), tokens=17, kind="F32", shards=1, output="outputs", types=False,
         pooling=None, unit=False, files=None, pack_options=(), padded=False, **members):
    checks = {name: members.pop(name) for name in CHECKS if name in members}
    return {"config": {"architectures": [architecture], **sizes, **WITHOUT_MEANING, **members}, "changes": changes,
            "tokens": tokens, "kind": kind, "shards": shards, "output": output, "types": types, "pooling": pooling,
            "unit": unit, "files": files, "pack_options": pack_options, "padded": padded, **checks}


def first_names(name):
    """What the first BERT calls its norms' tensors."""
    return name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")


def sentence_case(sizes, architecture, mode="mean_tokens", unit=True, extra=None, **members):
    """A folder of sentence-transformers: its modules, and how the rows become one."""
    modes = ("cls_token", "mean_tokens", "max_tokens", "mean_sqrt_len_tokens", "weightedmean_tokens", "lasttoken")
    pooling = {"word_embedding_dimension": sizes.get("hidden_size") or sizes["dim"], "include_prompt": True,
               **{"pooling_mode_" + name: name == mode for name in modes}}
    module = "sentence_transformers.models."
    modules = [{"idx": 0, "name": "0", "path": "", "type": module + "Transformer"},
               {"idx": 1, "name": "1", "path": "1_Pooling", "type": module + "Pooling"}]
    if unit:
        modules.append({"idx": 2, "name": "2", "path": "2_Normalize", "type": module + "Normalize"})
    files = {"modules.json": modules, "1_Pooling/config.json": pooling,
             "sentence_bert_config.json": {"max_seq_length": 32, "do_lower_case": False}, **(extra or {})}
    files = {path: content for path, content in files.items() if content is not None}
    return case(sizes, architecture, output="sentence", pooling=pooling, unit=unit, files=files, **members)


BERT = {"model_type": "bert", "vocab_size": 37, "hidden_size": 40, "num_hidden_layers": 3, "num_attention_heads": 5,
        "intermediate_size": 56, "hidden_act": "gelu", "max_position_embeddings": 48, "type_vocab_size": 2,
        "layer_norm_eps": 0.02, "position_embedding_type": "absolute", "pad_token_id": 0}
ROBERTA = {**BERT, "model_type": "roberta", "type_vocab_size": 1, "pad_token_id": 1, "bos_token_id": 0,
           "eos_token_id": 2}
DISTILBERT = {"model_type": "distilbert", "vocab_size": 37, "max_position_embeddings": 48, "n_layers": 3, "n_heads": 5,
              "dim": 40, "hidden_dim": 56, "activation": "relu", "sinusoidal_pos_embds": False, "dropout": 0.1,
              "attention_dropout": 0.1, "qa_dropout": 0.1, "seq_classif_dropout": 0.2, "tie_weights_": True}
SETTINGS = "config_sentence_transformers.json"
PROMPTS = {"prompts": {"query": "query: ", "passage": "", "other": "a \"b\""}, "default_prompt_name": "query"}
THREE = {"id2label": {"0": "a", "1": "b", "2": "c"}, "label2id": {"a": 0, "b": 1, "c": 2}}
CHANGES = [({"hidden_act": "relu"}, "same"), ({"hidden_act": "gelu_new"}, "same"), ({"layer_norm_eps": 0.5}, "same"),
           ({"num_attention_heads": 4}, "same"), ({"num_attention_heads": 3}, "refused"),
           ({"position_embedding_type": "relative_key"}, "refused"), ({"is_decoder": True}, "refused"),
           ({"max_position_embeddings": 40}, "refused"), ({"num_hidden_layers": 2}, "refused"),
           ({"type_vocab_size": 3}, "refused"), ({"hidden_act": "mish"}, "refused")]
CASES = {
    "bert": [
        case(BERT, "BertModel", changes=CHANGES), case(BERT, "BertModel", output="pooler_output", types=True,
                                                       pack_options=["--part", "pooler"]),
        case(BERT, "BertForSequenceClassification", types=True, shards=2, **THREE, changes=CHANGES + [
            ({"id2label": {"0": "a", "1": "b"}}, "refused")]),
        case(BERT, "BertForTokenClassification", num_attention_heads=1, kind="F16", changes=[
            ({"architectures": ["BertForMaskedLM"]}, "refused")]),
        # The encoder of a model whose own head is left out.
        case(BERT, "BertForMaskedLM", pack_options=["--part", "rows"]),
        case(BERT, "BertModel", stored_names=first_names, shards=2, changes=[
            ({"emb_size": 40}, "same"), ({"emb_size": 41}, "refused")])],
    "roberta": [
        case(ROBERTA, "RobertaForSequenceClassification", **THREE, changes=CHANGES[:-2] + [
            ({"pad_token_id": 3}, "same"), ({"model_type": "bert"}, "refused")]),
        case({**ROBERTA, "model_type": "xlm-roberta"}, "XLMRobertaForTokenClassification", kind="BF16"),
        case(ROBERTA, "RobertaModel", type_vocab_size=2, types=True),
        case(ROBERTA, "RobertaModel", refused_inputs=[
            ([5, 1, 6], "token 1 is 1, which fills texts and has no position"), ([1], "token 0 is 1")])],
    "distilbert": [
        case(DISTILBERT, "DistilBertForSequenceClassification", changes=[
            ({"activation": "gelu"}, "same"), ({"n_heads": 4}, "same"), ({"n_layers": 2}, "refused"),
            ({"max_position_embeddings": 40}, "refused")]),
        case(DISTILBERT, "DistilBertModel", n_heads=1, kind="F16", shards=2),
        case(DISTILBERT, "DistilBertForMaskedLM", pack_options=["--part", "rows"])],
    "sentence_embedding": [
        sentence_case(BERT, "BertModel", changes=CHANGES), sentence_case(BERT, "BertModel", "cls_token", padded=True),
        sentence_case(BERT, "BertModel", unit=False, extra={SETTINGS: PROMPTS}, says=[
            'default_prompt_name query: the library puts "query: " in front of every text'], refused_files=[
                (SETTINGS, {"default_prompt_name": "unheard_of"}, "default_prompt_name: unheard_of is said"),
                (SETTINGS, {"prompts": {"query": 1}}, "prompts: query: a text is needed"),
                (SETTINGS, {"truncate_dim": 4}, "truncate_dim: 4 is said, and only null is supported"),
                (SETTINGS, {"model_type": "SparseEncoder"}, "model_type: SparseEncoder is said"),
                (SETTINGS, {"unheard_of": 1}, "--ignore-member unheard_of"),
                ("1_Pooling/config.json", {"include_prompt": False}, "include_prompt false"),
                ("sentence_bert_config.json", {"transformer_task": "fill-mask"}, "transformer_task: fill-mask is said"),
                ("sentence_bert_config.json", {"modality_config": {"image": {}}}, "modality_config: ")]),
        sentence_case(BERT, "BertModel", extra={SETTINGS: {**PROMPTS, "default_prompt_name": None}}, says=[
            'prompts, of which the library puts one in front of a text if it is asked to',
            r'other "a \"b\"", query "query: "']),
        sentence_case(DISTILBERT, "DistilBertModel", padded=True),
        sentence_case(ROBERTA, "RobertaModel", types=False, kind="F16", padded=True, says=[
            "texts are in lower case before", "texts are cut after 32 tokens"], extra={
                "sentence_bert_config.json": None,
                "sentence_roberta_config.json": {"max_seq_length": 32, "do_lower_case": True}}),
        # As release 5.4 of sentence-transformers writes it, which has one word for the pooling.
        sentence_case(BERT, "BertModel", extra={
            "1_Pooling/config.json": {"embedding_dimension": 40, "pooling_mode": "mean", "include_prompt": True},
            "2_Normalize/config.json": {"module_input_name": "sentence_embedding"},
            "sentence_bert_config.json": {
                "transformer_task": "feature-extraction", "module_output_name": "token_embeddings",
                "modality_config": {"text": {"method": "forward", "method_output_name": "last_hidden_state"}}},
            "config_sentence_transformers.json": {
                "__version__": {"sentence_transformers": "5.4.0"}, "model_type": "SentenceTransformer",
                "prompts": {"query": "", "document": ""}, "default_prompt_name": None,
                "similarity_fn_name": "cosine"}})],
}


def meaningful(case):
    return [member for member in case["config"] if member in encoders.DEFAULTS[case["config"]["model_type"]]]


def inputs(case, random):
    case["options"] = []
    # From 5: none of them is the padding.
    result = {"input": random.integers(5, case["config"]["vocab_size"], case["tokens"]).astype(np.int32)}
    if case["types"]:
        types = random.integers(0, case["config"]["type_vocab_size"], case["tokens"])
        result["token-types"] = types.astype(np.int32)
    if case["padded"]:  # a second text, shorter, filled with the padding's token
        shorter = case["tokens"] - 6
        result["mask"] = np.array([[1] * case["tokens"], [1] * shorter + [0] * 6], np.int32)
        text = np.append(result["input"][::-1][:shorter], [case["config"].get("pad_token_id", 0)] * 6)
        result["input"] = np.stack([result["input"], text]).astype(np.int32)
    return result


def expected(case, config, tensors):
    tokens = case["inputs"]["input"]
    if case["padded"]:
        texts = [text[:mask.sum()] for text, mask in zip(tokens, case["inputs"]["mask"])]
        return np.array([expected_of(case, config, tensors, text) for text in texts])
    return expected_of(case, config, tensors, tokens)


def expected_of(case, config, tensors, tokens):
    types = case["inputs"].get("token-types", np.zeros_like(tokens))
    if case["output"] == "sentence":
        return encoders.sentence(config, tensors, tokens, types, case["pooling"], case["unit"])
    return getattr(encoders, case["output"])(config, tensors, tokens, types)
