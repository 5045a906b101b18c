# SPDX-License-Identifier: MIT
"""The module has the C headers' declarations, all of them, as the compiler lays them out; the library exports these
names and no others."""
import ctypes
import inspect
import os
import pathlib
import pydoc
import re
import subprocess
import sys
import tempfile
import unittest

import heed
import numpy as np
from surroundings import SOURCE, SUMS

GENERATOR = SOURCE / "packaging" / "python" / "generate.py"
HEADERS = SOURCE / "include" / "heed"
d = heed.declarations


def plain_declarations():
    """Names with a parenthesis after them, found in another way than the generator's."""
    names = set()
    for header in HEADERS.glob("heed_*.h"):
        text = re.sub(r"/\*.*?\*/", " ", header.read_text(), flags=re.S)
        text = re.sub(r"static inline.*?\n}", " ", text, flags=re.S)
        text = re.sub(r"#\s*define.*?[^\\]\n", " ", text, flags=re.S)
        names |= set(re.findall(r"\b(heed_\w+)\s*\(", text))
    return names


class Declarations(unittest.TestCase):
    def test_every_function_is_bound(self):
        names = plain_declarations()
        self.assertGreater(len(names), 70)
        self.assertEqual(set(d.FUNCTIONS), names)
        for name in names:
            self.assertIsNotNone(getattr(heed.c, name).argtypes)

    def test_layouts_are_the_compilers(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "layout"
            run = [sys.executable, "-B", GENERATOR, "layout", HEADERS, f"{program}.c"]
            subprocess.run(run, check=True)
            subprocess.run([os.environ["HEED_C_COMPILER"], f"-I{HEADERS.parent}", f"{program}.c", "-o", program],
                           check=True)
            lines = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
        values = dict(d.CONSTANTS)
        for kind, _, names in d.ENUMERATIONS.values():
            values.update(zip(names, kind))
        seen = {"struct": 0, "member": 0, "enum": 0, "value": 0}
        for line in lines:
            what, name, *rest = line.split()
            seen[what] += 1
            if what == "struct":
                self.assertEqual(ctypes.sizeof(d.STRUCTS[name]), int(rest[0]), line)
            elif what == "member":
                member = getattr(d.STRUCTS[name], rest[0])
                self.assertEqual((member.offset, member.size), (int(rest[1]), int(rest[2])), line)
            elif what == "enum":
                self.assertEqual(ctypes.sizeof(d.ENUMERATIONS[name][1]), int(rest[0]), line)
            else:
                self.assertEqual(values[name], int(rest[0]), line)
        self.assertEqual(seen["struct"], len(d.STRUCTS))
        self.assertEqual(seen["member"], sum(len(one._fields_) for one in d.STRUCTS.values()))
        self.assertEqual(seen["enum"], len(d.ENUMERATIONS))
        self.assertEqual(seen["value"], sum(not isinstance(value, str) for value in values.values()))

    def test_library_exports_the_interface(self):
        library = os.environ["HEED_LIBRARY_PATH"]
        listed = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True)
        exported = [line.split()[-1].split("@")[0] for line in listed.stdout.splitlines() if " A " not in line]
        self.assertEqual(sorted(exported), sorted([*plain_declarations(), *d.OBJECTS]))
        for header in HEADERS.glob("heed_*.h"):
            for name in re.findall(r"^extern const \w+ (\w+);", header.read_text(), re.M):
                self.assertIn(name, heed._library.addresses)

    def test_a_program_in_c_links_it(self):
        library = pathlib.Path(os.environ["HEED_LIBRARY_PATH"])
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "plain"
            subprocess.run([os.environ["HEED_C_COMPILER"], f"-I{HEADERS.parent}", SOURCE / "tests/consumer/plain.c",
                            f"-L{library.parent}", "-lheed_c", f"-Wl,-rpath,{library.parent}", "-o", program],
                           check=True)
            subprocess.run([program], check=True, capture_output=True)

    def test_library_needs_libc_alone(self):
        dynamic = subprocess.run(["readelf", "-dW", os.environ["HEED_LIBRARY_PATH"]], check=True, capture_output=True,
                                 text=True).stdout
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
        self.assertLessEqual(set(needed), {"libc.so.6", "libgcc_s.so.1"})
        self.assertEqual(re.findall(r"\(SONAME\).*\[(.*)\]", dynamic),
                         ["libheed_c.so." + ".".join(heed.version.split(".")[:2])])


class Shown(unittest.TestCase):
    def test_signatures_have_every_keyword(self):
        options = set(heed._options.NAMES)
        for function in (heed.attend, heed.Attention.__call__, heed.MultiHeadAttention.attend,
                         heed.MultiHeadAttention.prefill, heed.MultiHeadAttention.encode):
            parameters = inspect.signature(function).parameters
            self.assertLessEqual(options | {"causal", "scale", "scores", "key_lengths"}, set(parameters))
            self.assertNotIn(inspect.Parameter.VAR_KEYWORD, [one.kind for one in parameters.values()])
            text = pydoc.render_doc(function)
            for name in options:
                self.assertIn(f"{name}=None", text)
        for function, struct in ((heed.Attention, d.AttentionConfig), (heed.attention_plan, d.AttentionConfig),
                                 (heed.KvCache, d.KvCacheConfig), (heed.kv_cache_plan, d.KvCacheConfig),
                                 (heed.MultiHeadAttention, d.MultiHeadConfig), (heed.Rotary, d.RotaryConfig),
                                 (heed.multi_head_plan, d.MultiHeadConfig), (heed.rotary_plan, d.RotaryConfig),
                                 (heed.RelativeBuckets, d.RelativeBucketsConfig), (heed.load, d.BlockMemory),
                                 (heed.relative_buckets_plan, d.RelativeBucketsConfig), (heed.Model, d.BlockMemory)):
            self.assertLessEqual({name for name, _ in struct._fields_}, set(inspect.signature(function).parameters))
        # Positional ones stay, and a call takes what the signature shows.
        inspect.signature(heed.attend).bind(1, 2, 3, softcap=1.0)
        self.assertEqual(inspect.signature(heed.KvCache).parameters["key_type"].default, "float32")

    def test_objects_say_what_they_are(self):
        model = heed.load(SUMS, key_type="int8", value_type="float16")
        plan = model.plan
        for words in (str(SUMS), "decoder", "2 blocks of 24", "weight_type=int8", "key_type=int8", "value_type=float16",
                      f"{SUMS.stat().st_size} bytes", f"{plan.state_bytes} of state",
                      f"{plan.scratch_bytes} of scratch"):
            self.assertIn(words, repr(model))
        cache = heed.KvCache(kv_heads=2, head_dim=16, max_keys=9, value_type="int4")
        self.assertEqual(repr(cache), "<heed.KvCache max_sequences=1, kv_heads=2, head_dim=16, max_keys=9, "
                                      f"key_type=float32, value_type=int4, {cache.plan.bytes} bytes>")
        run = heed.Attention(heads=4, head_dim=16, workers=2)
        self.assertIn(f"head_dim=16, max_keys={run.plan.config.max_keys}, workers=2, {run.plan.bytes} bytes", repr(run))
        eye = np.eye(8, dtype=np.float32)
        layer = heed.MultiHeadAttention(model_dim=8, heads=2, max_keys=3, query=eye, key=eye, value=eye, output=eye)
        self.assertIn("model_dim=8, heads=2, kv_heads=2, max_keys=3, weight_type=float32", repr(layer))


if __name__ == "__main__":
    unittest.main()
