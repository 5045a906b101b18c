# SPDX-License-Identifier: MIT
"""What the tests of the Python module share. Paths come from the environment that python.cmake sets."""
import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np

SOURCE = pathlib.Path(os.environ["HEED_SOURCE_DIR"])
COMMAND = os.environ.get("HEED_COMMAND_PATH", "")
SUMS = SOURCE / "examples" / "sums" / "sums_model.heed"
SUMS_TOKENIZER = SOURCE / "examples" / "sums" / "sums_tokenizer.bin"


def numbers(*shape, seed=1):
    """Floats of which every bit counts."""
    return np.random.default_rng((seed, *shape)).standard_normal(shape, np.float32)


def same_bits(a, b):
    return a.dtype == b.dtype == np.float32 and a.shape == b.shape and a.tobytes() == b.tobytes()


class Files:
    """A folder of .npy files for the command, which ends with the test."""

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self._folder.name)
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

    def save(self, name, array):
        path = self.path / f"{name}.npy"
        np.save(path, array)
        return str(path)

    def run(self, *arguments):
        """The command's standard output."""
        done = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, check=False)
        if done.returncode != 0:
            raise AssertionError(f"heed {' '.join(map(str, arguments))}: {done.stderr.decode()}")
        return done.stdout

    def array(self, name):
        return np.load(self.path / name)

    def stages(self, name):
        """{(block, stage): [hash]} of a file that the command wrote."""
        found = {}
        for one in json.loads((self.path / name).read_text())["stages"]:
            found.setdefault((one["block"], one["stage"]), []).append(one["hash"])
        return found
