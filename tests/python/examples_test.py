# SPDX-License-Identifier: MIT
"""The examples of packaging/python/README.md run as they stand, and print what they should. Where there is no PyTorch,
or one before 2.0, the few functions of it that they call are numpy's, written down here in doubles."""
import contextlib
import io
import os
import pathlib
import re
import shutil
import sys
import tempfile
import types
import unittest
from unittest import mock

import heed
import numpy as np
from surroundings import SOURCE, SUMS, SUMS_TOKENIZER


class Array(np.ndarray):
    """numpy's array with what the examples ask of a tensor."""

    def numpy(self):
        return np.asarray(self)

    def detach(self):
        return self


def randn(*shape):
    return np.random.default_rng(7).standard_normal(shape, np.float32).view(Array)


def attention(q, k, v, is_causal=False):
    q, k, v = (one.numpy().astype(np.float64) for one in (q, k, v))
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    if is_causal:
        scores = np.where(np.tril(np.ones(scores.shape[-2:], bool)), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return (weights / weights.sum(-1, keepdims=True) @ v).view(Array)


class Layer:
    def __init__(self, width, heads):
        self._heads = heads
        self._weights = {"in_proj_weight": randn(3 * width, width) / 8, "in_proj_bias": randn(3 * width),
                         "out_proj.weight": randn(width, width) / 8, "out_proj.bias": randn(width)}

    def named_parameters(self):
        return self._weights.items()

    def __call__(self, query, _key, _value):
        w = self._weights
        batch, tokens, width = query.shape
        rows = (query @ w["in_proj_weight"].T + w["in_proj_bias"]).reshape(batch, tokens, 3, self._heads, -1)
        q, k, v = np.moveaxis(rows, (2, 3), (0, 2))
        y = np.swapaxes(attention(q, k, v), 1, 2).reshape(batch, tokens, width)
        return (y @ w["out_proj.weight"].T + w["out_proj.bias"]).view(Array), None


def stand_in():
    module = types.ModuleType("torch")
    module.randn = randn
    module.nn = types.SimpleNamespace(functional=types.SimpleNamespace(scaled_dot_product_attention=attention))
    return module


def torch_and_layer():
    """PyTorch with a layer of its own, or what stands in for it."""
    try:
        import torch
        torch.nn.functional.scaled_dot_product_attention  # since 2.0; Debian 12 has 1.13
        return torch, torch.nn.MultiheadAttention(64, 8, batch_first=True)
    except (ImportError, AttributeError) as missing:
        print(f"numpy stands in for PyTorch: {missing}", file=sys.stderr)
        return stand_in(), Layer(64, 8)


class Examples(unittest.TestCase):
    def test_they_run(self):
        self.examples()

    def test_they_run_beside_an_old_torch(self):
        old = types.ModuleType("torch")
        old.nn = types.SimpleNamespace(functional=types.SimpleNamespace())
        with mock.patch.dict(sys.modules, torch=old):
            self.examples()

    def examples(self):
        torch, layer = torch_and_layer()
        with mock.patch.dict(sys.modules, torch=torch):
            self.run_blocks(layer)

    def run_blocks(self, layer):
        page = (SOURCE / "packaging" / "python" / "README.md").read_text()
        blocks = re.findall(r"```python\n(.*?)```", page, re.S)
        self.assertEqual(len(blocks), 4)
        docs = re.findall(r"```python\n(.*?)```", (SOURCE / "docs" / "python.md").read_text(), re.S)
        self.assertEqual(docs[0], blocks[0])
        self.assertEqual(len(blocks[0].splitlines()), 5)
        printed = []
        names = {"layer": layer}
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(SUMS, os.path.join(folder, "sums.heed"))
            shutil.copy(SUMS_TOKENIZER, folder)
            before = os.getcwd()
            os.chdir(folder)
            try:
                for block in blocks:
                    with contextlib.redirect_stdout(io.StringIO()) as text:
                        exec(compile(block, "README.md", "exec"), names)
                    printed.append(text.getvalue())
            finally:
                os.chdir(before)
        self.assertLess(float(printed[0]), 2e-6)
        self.assertLess(float(printed[1]), 0.1)
        self.assertEqual(printed[2], "27+59=86")
        words = re.fullmatch(r"(\d+) (\d+) \['([0-9a-f]{16})'\]\n", printed[3])
        self.assertIsNotNone(words, printed[3])
        plan = heed.load(SUMS, key_type="int8", value_type="int8").plan
        self.assertEqual([int(words[1]), int(words[2])], [plan.state_bytes, plan.scratch_bytes])


class Exceptions(unittest.TestCase):
    def test_the_page_has_those_that_are_raised(self):
        page = (SOURCE / "docs" / "python.md").read_text()
        table = re.findall(r"^\| `(?:heed\.)?(\w+)` \|", page[page.index("## Exceptions"):], re.M)
        raised = {"Error", "KeyboardInterrupt", "MemoryError", "OSError"}  # by the library, Python and numpy
        for module in pathlib.Path(heed.__file__).parent.glob("_[a-z]*.py"):
            raised |= set(re.findall(r"raise ([A-Z]\w+)\(", module.read_text()))
        self.assertEqual(set(table), raised)


if __name__ == "__main__":
    unittest.main()
