# SPDX-License-Identifier: MIT
"""check.py HEED ARCHITECTURE: folders of random weights under the real names, packed and run by `heed`, against the
reference in double precision; then with each member of the configuration left out or changed."""
import importlib
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

from folders import write_folder

# Of the largest output: float32 sums of a few hundred products beside double precision.
TOLERANCE = 1e-5
# What an error says of a tensor that is missing, has another shape, or is left over.
TENSOR = re.compile(r"tensor [\w.]+|does not use [\w.]+|none of the names of")
# Members that follow from others where they are not said.
DERIVED = ["partial_rotary_factor", "layer_types"]
MODULES = ["decoder", "gpt", "encoder", "vision", "pair"]


def random_tensors(shapes, random):
    """Nothing is what a member left out would make it: norms are not 1, biases not 0, and scores differ."""
    result = {}
    for name, shape in shapes.items():
        values = random.standard_normal(shape)
        if name.endswith("bias"):
            values *= 0.3
        elif len(shape) == 1:
            values = 1 + 0.3 * values
        elif "embed" not in name and "wte" not in name and "wpe" not in name:
            values *= 1 / np.sqrt(np.prod(shape[1:]))
        result[name] = values
    return result


def names_in(change):
    """The members of a change, also those of objects in it, and the class that it names."""
    inside = [name for value in change.values() if isinstance(value, dict) for name in names_in(value)]
    return [*change, *inside, *change.get("architectures", [])]


class Heed:
    """The command, in a folder that ends with the test."""

    def __init__(self, path, work):
        self.path, self.work = path, work

    def packed(self, folder, *options):
        model = str(folder) + ".heed"
        command = [self.path, "pack", str(folder), "--out", model, *options]
        done = subprocess.run(command, capture_output=True, text=True)
        return (model if done.returncode == 0 else None), done.stdout + done.stderr

    def run(self, model, case):
        output, options = self.work / "output.npy", []
        for name, values in case["inputs"].items():
            np.save(self.work / f"{name}.npy", values)
            options += ["--" + name, str(self.work / f"{name}.npy")]
        done = subprocess.run([self.path, "run", model, "--output", str(output), *options, *case.get("options", [])],
                              capture_output=True, text=True)
        return (np.load(output).astype(np.float64) if done.returncode == 0 else None), done.stderr


def error_of(output, expected):
    output = output.reshape(expected.shape)
    return np.abs(output - expected).max() / np.abs(expected).max()


class Check:
    def __init__(self, heed, work, module):
        self.heed, self.work, self.module = heed, work, module
        self.count, self.failures, self.worst = 0, [], 0.0

    def packed(self, case, config, tensors, name, options=()):
        self.count += 1
        folder = self.work / f"{name}{self.count}"
        kept = write_folder(folder, config, tensors, case.get("kind", "F32"), case.get("shards", 1), case.get("files"),
                            case.get("stored_names", str))
        model, said = self.heed.packed(folder, *case.get("pack_options", []), *options)
        return model, said, kept

    def same(self, case, config, tensors, what, options=()):
        model, said, kept = self.packed(case, config, tensors, "same", options)
        if model is None:
            self.failures.append(f"{what}: refused: {said.strip()}")
            return
        unsaid = [text for text in case.get("says", ()) if text not in said]
        self.failures += [f"{what}: not said: {text}; {said.strip()}" for text in unsaid]
        expected = self.module.expected(case, config, kept)
        output, wrong = self.heed.run(model, case)
        if output is None or output.size != expected.size:
            self.failures.append(f"{what}: {'does not run: ' + wrong.strip() if output is None else output.shape}")
            return
        error = error_of(output, expected)
        self.worst = max(self.worst, error)
        if not error <= TOLERANCE:
            self.failures.append(f"{what}: error {error:.2g}; {said.strip()}")

    def refused(self, case, config, tensors, what, members):
        """The error names a member, another one that contradicts it, or a tensor that does."""
        model, said, _ = self.packed(case, config, tensors, "refused")
        if model is not None:
            self.failures.append(f"{what}: packed, and should be refused: {said.strip()}")
            return
        named = any(re.search(rf"\b{name}\b", said) for name in [*members, *config, *DERIVED])
        if not named and not TENSOR.search(said):
            self.failures.append(f"{what}: the error names none of {members}: {said.strip()}")

    def refused_file(self, case, tensors, path, members, words):
        """With other members of a file beside config.json."""
        files = {**case["files"], path: {**case["files"].get(path, {}), **members}}
        model, said, _ = self.packed({**case, "files": files}, case["config"], tensors, "refused")
        if model is not None or words not in said:
            self.failures.append(f"with {members} in {path}: {words} is not said: {said.strip()}")

    def possible(self, case, config, tensors):
        """Whether the tensors have the shapes of a configuration, and the reference an answer."""
        if self.module.shapes(config) != {name: values.shape for name, values in tensors.items()}:
            return False
        try:
            self.module.expected(case, config, tensors)
        except ValueError:  # heads that do not divide a row
            return False
        return True

    def members(self, case, tensors):
        """Each member left out: what the library takes then, or an error where the tensors contradict it."""
        config = case["config"]
        for member in self.module.meaningful(case):
            rest = {name: value for name, value in config.items() if name != member}
            if self.possible(case, rest, tensors):
                self.same(case, rest, tensors, f"without {member}")
            else:
                self.refused(case, rest, tensors, f"without {member}", [member])
        for change, expectation, *options in case.get("changes", ()):
            what = f"with {change} {' '.join(options)}"
            if expectation == "same":
                self.same(case, {**config, **change}, tensors, what, options)
            else:
                self.refused(case, {**config, **change}, tensors, what, names_in(change))
        for path, members, words in case.get("refused_files", ()):
            self.refused_file(case, tensors, path, members, words)
        for tokens, words in case.get("refused_inputs", ()):
            model, _, _ = self.packed(case, config, tensors, "input")
            output, said = self.heed.run(model, {**case, "inputs": {"input": np.array(tokens, np.int32)}})
            if output is not None or words not in said:
                self.failures.append(f"tokens {tokens}: {words} is not said: {said.strip()}")
        model, said, _ = self.packed(case, {**config, "unheard_of": 1}, tensors, "unknown")
        if model is not None or "--ignore-member unheard_of" not in said:
            self.failures.append(f"an unknown member: {said.strip()}")
        # What it says is no more than is said anyway, or nothing.
        if "model_type" not in config:  # timm's
            return
        nothing = {"unheard_of": None, "is_decoder": False, "output_past": True, "_num_labels": 5, "xla_device": None,
                   "unsloth_version": "2025.3.19"}
        self.same(case, {**nothing, **config, "unheard_too": 1}, tensors, "without meaning",
                  ["--ignore-member", "unheard_too"])


def main(path, architecture):
    modules = [importlib.import_module(name + "_cases") for name in MODULES]
    module = next(module for module in modules if architecture in module.CASES)
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        check = Check(Heed(path, work), work, module)
        for number, case in enumerate(module.CASES[architecture]):
            random = np.random.default_rng(number)
            case["inputs"] = module.inputs(case, random)
            tensors = random_tensors(module.shapes(case["config"]), random)
            check.same(case, case["config"], tensors, f"folder {number}")
            check.members(case, tensors)
    print(f"{architecture}: {check.count} folders, largest error {check.worst:.1e}, failed {len(check.failures)}")
    print("\n".join(check.failures))
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
