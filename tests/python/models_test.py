# SPDX-License-Identifier: MIT
"""Small random models of each kind, packed by the command: encoders of frames and of tokens, decoders, one with
cross-attention, decoders as their makers publish them. The bits are those of `heed run`, and so are the hashes of all
stages."""
import json
import sys
import unittest

import heed
import numpy as np
from surroundings import SOURCE, Files, numbers, same_bits

sys.path.insert(0, str(SOURCE / "tests" / "architectures"))
import check  # noqa: E402  (in a folder of its own)
import decoder_cases  # noqa: E402
import gpt_cases  # noqa: E402
from folders import write_folder, write_safetensors  # noqa: E402

DIM, HIDDEN, CROSS, BLOCKS = 24, 40, 16, 2


def torch_tensors(config):
    """Under the names of nn.TransformerEncoder, or of nn.TransformerDecoder with cross-attention."""
    shapes = {"positions": (config["max_positions"], DIM), "head.weight": (config["outputs"], DIM),
              "embedding": (config["input_dim"], DIM) if config["input"] == "tokens" else (DIM, config["input_dim"])}
    if "token_types" in config:
        shapes["types"] = (config["token_types"], DIM)
    cross = "cross_dim" in config["block"]
    for block in range(BLOCKS):
        layer = f"layers.{block}."
        for attention in ["self_attn."] + ["multihead_attn."] * cross:
            shapes[f"{layer}{attention}in_proj_bias"] = (3 * DIM,)
            shapes[f"{layer}{attention}out_proj.weight"] = (DIM, DIM)
            shapes[f"{layer}{attention}out_proj.bias"] = (DIM,)
        shapes[f"{layer}self_attn.in_proj_weight"] = (3 * DIM, DIM)
        if cross:
            for name, width in (("q", DIM), ("k", CROSS), ("v", CROSS)):
                shapes[f"{layer}multihead_attn.{name}_proj_weight"] = (DIM, width)
        shapes.update({f"{layer}linear1.weight": (HIDDEN, DIM), f"{layer}linear1.bias": (HIDDEN,),
                       f"{layer}linear2.weight": (DIM, HIDDEN), f"{layer}linear2.bias": (DIM,)})
        for norm in range(3 if cross else 2):
            shapes.update({f"{layer}norm{norm + 1}.weight": (DIM,), f"{layer}norm{norm + 1}.bias": (DIM,)})
    return {name: numbers(*shape, seed=i) / (5 if len(shape) == 2 else 1) for i, (name, shape) in
            enumerate(shapes.items())}


def architecture(**members):
    block = {"model_dim": DIM, "heads": 3, "mlp_dim": HIDDEN, "norm_placement": "after", "activation": "relu"}
    if members.pop("cross", False):
        block["cross_dim"] = CROSS
    return {"block": block, "blocks": BLOCKS, "max_positions": 19, "outputs": 11, "input_dim": 13,
            "positions": "learned", "final_norm": False,
            "tensors": {"input": "embedding", "positions": "positions", "head": "head.weight"}, **members}


class Models(unittest.TestCase):
    def compare(self, config, inputs, call, *pack, run=()):
        """`call(model)` beside what the command has written."""
        with Files() as files:
            model = files.path / "m.heed"
            (files.path / "model.json").write_text(json.dumps(config))
            tensors = torch_tensors(config)
            write_safetensors(files.path / "m.safetensors", tensors, lambda _: "F32")
            files.run("pack", "--model", files.path / "model.json", "--weights", files.path / "m.safetensors", "--out",
                      model, *pack)
            options = [word for name, array in inputs.items() for word in (f"--{name}", files.save(name, array))]
            files.run("run", model, *options, *run, "--output", files.path / "o.npy", "--stages",
                      files.path / "s.json")
            expected, stages = files.array("o.npy"), files.stages("s.json")
            for workers in (1, 3):
                mine = heed.load(model, workers=workers, max_cross_keys=7)
                if "context" in inputs:
                    mine.set_context(inputs["context"])
                with mine.stages() as hashes:
                    output = call(mine)
                self.assertTrue(same_bits(output, expected))
                self.assertEqual(hashes, stages)

    def test_encoder_of_frames(self):
        frames = numbers(17, 13)
        wide = np.zeros((17, 30), np.float32)
        wide[:, 9:22] = frames
        for pooling, kind in (("mean", "float32"), ("every", "int8"), ("last", "float16")):
            config = architecture(input="frames", pooling=pooling, causal=False)
            self.compare(config, {"input": frames}, lambda model: model.encode(wide[:, 9:22]), "--weight-type", kind)
        with self.assertRaisesRegex(heed.Error, "40 rows: the model has room for 19"):
            self.compare(config, {"input": frames}, lambda model: model.encode(numbers(40, 13)))

    def test_encoder_of_tokens(self):
        tokens = np.arange(19, dtype=np.int32) * 5 % 13
        config = architecture(input="tokens", pooling="first", causal=False)
        self.compare(config, {"input": tokens}, lambda model: model.encode(tokens))
        out = np.empty(11, np.float32)
        self.compare(config, {"input": tokens}, lambda model: model.encode(list(map(int, tokens)), out=out))

    def test_encoder_of_typed_tokens(self):
        tokens = np.arange(19, dtype=np.int32) * 5 % 13
        types = np.arange(19, dtype=np.int32) % 3
        config = architecture(input="tokens", pooling="first", causal=False, token_types=3)
        config["tensors"]["token_types"] = "types"
        inputs = {"input": tokens, "token-types": types}
        self.compare(config, inputs, lambda model: model.encode(tokens, types=types))
        with self.assertRaises(AssertionError):
            self.compare(config, inputs, lambda model: model.encode(tokens))
        with self.assertRaisesRegex(ValueError, "types"):
            self.compare(config, inputs, lambda model: model.encode(tokens, types=types[:5]))
        with self.assertRaisesRegex(heed.Error, r"types\[2\] 3: 0 to 2 are allowed"):
            self.compare(config, inputs, lambda model: model.encode(tokens, types=types + 1))
        with self.assertRaisesRegex(heed.Error, "38 tokens: the model has room for 19"):
            self.compare(config, inputs, lambda model: model.encode([*tokens, *tokens]))

    def test_decoder_with_context(self):
        tokens = np.arange(12, dtype=np.int32) * 3 % 13
        config = architecture(input="tokens", causal=True, cross=True)
        inputs = {"input": tokens, "context": numbers(7, CROSS)}
        self.compare(config, inputs, lambda model: model.prefill(tokens))
        self.compare(config, inputs, lambda model: np.stack([model.decode(int(one)) for one in tokens]),
                     run=["--every"])

    def test_published_decoders(self):
        for name, module in (("llama", decoder_cases), ("qwen2", decoder_cases), ("gemma", decoder_cases),
                             ("gpt2", gpt_cases), ("opt", gpt_cases)):
            with self.subTest(name), Files() as files:
                case = dict(module.CASES[name][0])
                tokens = module.inputs(case, np.random.default_rng(0))["input"]
                tensors = check.random_tensors(module.shapes(case["config"]), np.random.default_rng(1))
                write_folder(files.path / "model", case["config"], tensors, case.get("kind", "F32"))
                files.run("pack", files.path / "model", "--out", files.path / "m.heed")
                files.run("run", files.path / "m.heed", "--input", files.save("t", tokens), "--output",
                          files.path / "o.npy")
                model = heed.load(files.path / "m.heed")
                entries = tokens if tokens.ndim == 2 else tokens[np.newaxis]
                rows = []
                for entry in entries:
                    model.truncate()
                    rows.append(model.prefill(entry))
                self.assertTrue(same_bits(np.stack(rows).reshape(files.array("o.npy").shape), files.array("o.npy")))


if __name__ == "__main__":
    unittest.main()
