# SPDX-License-Identifier: MIT
"""mutation.py [--only FOLDER] [--seed S] [--sum]: see run.sh."""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import mutants

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FOLDER = ROOT / "build" / "mutation"
LIST = HERE / "mutants.tsv"
CHANGES = HERE.parent / "support" / "changes.sh"
# How many of what each folder has; AVX-512 is left out, as few machines run it.
SHARES = {
    "runtime/": 108, "include/": 12, "ports/arm_m/": 12, "ports/arm_m0/": 16, "ports/arm_m3/": 8, "ports/arm_mve/": 14,
    "ports/arm_neon32/": 4, "ports/arm_neon64/": 4, "ports/arm_neon64_dotprod/": 3, "ports/arm_neon64_i8mm/": 2,
    "ports/neon_": 3, "ports/long_products/": 10, "ports/riscv_f/": 6, "ports/riscv_i/": 12, "ports/riscv_rvv/": 6,
    "ports/single_floats/": 8, "ports/soft_floats/": 12, "ports/x86_avx2": 8, "ports/x86_floats/": 6,
    "ports/x86_integers/": 6, "tools/": 28, "packaging/python/": 12}
NATIVE = "x86_avx2-gcc"
CHECKS = "^(firmware|port)_check$"
# A step is a preset, its targets, and tests of ctest or the programs themselves. What the gate runs on every change ...
CORE = [(NATIVE, ("firmware_check", "port_check"), CHECKS)]
CORE += [(NATIVE, (f"{label}_tests",), None) for label in ("unit", "bits", "c", "heap", "guard")]
CORE += [(preset, ("firmware_check",), "^firmware_check$") for preset in (
    "aarch64-dotprod-linux-gcc", "cortex-m4f-gcc", "cortex-m55-gcc", "riscv32imc-bare-gcc", "cortex-m0plus-gcc")]
COMMAND = (NATIVE, ("heed_command", "command_tests", "data_tests"),
           "^(command_.*|error_compensation_test|tokenizer_.*)$")
# fuzz_cost holds readers to a time that code of -O1 does not keep.
READERS = (NATIVE, ("heed_command", "fuzz_tests"), "^(architecture_.*|fuzz_([abd-z]|c_).*)$")
PYTHON = (NATIVE, ("heed_command", "heed_python"), "^python_(declarations|results|models|refusal|guard|threads)$")
SWEEPS = (NATIVE, ("sweep_tests",), None)
# ... what it runs by path, as ../support/changes.sh has it ...
BY_PATH = (
    (r"^(tools/|runtime/text/)", COMMAND),
    (r"^(tools/(formats|tensors|tokenizers|architectures|support)/|runtime/(text|transformer|c)/)", READERS),
    (r"^(packaging/python/|runtime/c/)", PYTHON),
    (r"^runtime/(numerics|kernels|nn|positions)/|^ports/.*(exp2|sigmoid|map|tanh)", SWEEPS),
) + tuple((f"^ports/({folders})", (preset, ("firmware_check", "port_check"), CHECKS)) for preset, folders in re.findall(
    r"^(\S+) (\S+)$", CHANGES.read_text().split("<< 'PORTS'\n")[1].split("\nPORTS\n")[0], re.M))
# ... and what only everything.sh runs, as far as a change of one token can reach it.
REST = [SWEEPS, (NATIVE, ("once_tests",), None), COMMAND, PYTHON, READERS] + [
    (preset, ("firmware_check", "port_check"), CHECKS) for preset in (
        "x86_scalar-gcc", "aarch64-dotprod-linux-gcc", "cortex-m4f-gcc", "cortex-m55-gcc", "riscv32imc-bare-gcc",
        "cortex-m0plus-gcc", "armv7-linux-gcc", "riscv64-rvv128-linux-clang", "riscv32-bare-gcc", "cortex-m3-gcc")]


def run(*command, seconds=900, environment=None, folder=None):
    """Whether a command ends well in time, and what it printed."""
    with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", env=environment, cwd=folder, start_new_session=True) as process:
        try:
            text, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            return False, "takes too long"
    return process.returncode == 0, text


class Tree:
    """A copy of the tree with builds of its own, one for each preset."""

    def __init__(self):
        self.source = FOLDER / "source"
        self.files = {}
        self.passed = set()
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for name in filter(None, listed.split("\0")):
            to = self.source / name
            if not (ROOT / name).exists() or (to.exists() and to.read_bytes() == (ROOT / name).read_bytes()):
                continue
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, to)

    def compiled(self, preset):
        """The files that a preset's build has compiled, configured once."""
        if preset in self.files:
            return self.files[preset]
        build = FOLDER / preset
        tools = "ON" if preset == NATIVE else "OFF"
        good, text = run("cmake", "--preset", preset, "-B", build, "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG",
                         f"-DHEED_BUILD_TOOLS={tools}", "-DHEED_BUILD_BENCH=OFF", "-DHEED_WARNINGS_AS_ERRORS=OFF",
                         "-DHEED_COUNT_INSTRUCTIONS=OFF", "-DHEED_TEST_FLAGS=", folder=self.source)
        if good:
            good, text = run("cmake", "--build", build, "-j", 2, "--target", "firmware_check", "port_check")
        if not good:
            sys.exit(text)
        deps = subprocess.run(["ninja", "-t", "deps"], cwd=build, capture_output=True, text=True, check=True).stdout
        prefix = re.escape(str(self.source)) + "/"
        self.files[preset] = set(re.findall(rf"^    (?:{prefix}|(?:\.\./)+source/)(\S+)", deps, re.M))
        return self.files[preset]

    def concerns(self, step, path):
        """Whether a step's programs can tell a change of a file."""
        preset, _, _ = step
        if path.startswith("tools/"):
            return step in (COMMAND, READERS)
        if path.startswith("packaging/python/"):
            return step == PYTHON
        # Tests compile more of the library than firmware_check, and of other ports soft_floats alone.
        more = preset == NATIVE and step != CORE[0] and re.match("include/|runtime/|ports/soft_floats/", path)
        return path in self.compiled(preset) or bool(more)

    def passes(self, step):
        """Whether a step's tests build and end well, None if they do not build, and what was printed."""
        preset, targets, tests = step
        self.compiled(preset)
        build = FOLDER / preset
        good, text = run("cmake", "--build", build, "-j", 2, "--target", *targets)
        if not good:
            return None, text
        environment = {**os.environ, "HEED_TEST_DIVISOR": "40"}
        if tests is None:
            return run(build / "tests" / targets[0], "--gtest_fail_fast", environment=environment, seconds=120)
        return run("ctest", "--test-dir", build, "-j", 2, "--no-tests=error", "--stop-on-failure", "--timeout", 100,
                   "-R", tests, environment=environment)

    def require(self, step):
        """A step has to pass without a change before it says anything about one."""
        if step in self.passed:
            return
        good, text = self.passes(step)
        if not good:
            sys.exit(f"{step}: without a change, this does not pass:\n{text[-4000:]}")
        self.passed.add(step)

    def noticed(self, mutant, steps):
        """The first step that notices a mutant, as words; None if none does."""
        path = self.source / mutant.path
        text = path.read_text()
        lines = text.split("\n")
        assert lines[mutant.number - 1] == mutant.before
        lines[mutant.number - 1] = mutant.after
        built = False
        for step in steps:
            if not self.concerns(step, mutant.path):
                continue
            self.require(step)
            write(path, "\n".join(lines))
            try:
                good, _ = self.passes(step)
            finally:
                write(path, text)
            if good is None and not built:
                return "not compiled"
            built = True
            if not good:
                return f"{step[0]}: {step[2] or step[1][0]}"
        return None


def write(path, text):
    path.write_text(text)
    # Within the same second a build would not see it.
    os.utime(path, ns=(time.time_ns(), time.time_ns()))


def gate_of(path):
    steps = [step for pattern, step in BY_PATH if re.search(pattern, path)]
    return CORE + steps


def rounds(path):
    """What is asked in turn: the gate's programs of this machine, its others, what everything has beside."""
    gate = gate_of(path)
    here = [step for step in gate if step[0] == NATIVE]
    return (("gate", here), ("gate", [step for step in gate if step not in here]),
            ("everything alone", [step for step in REST if step not in gate]))


def sum_up(verdicts, chosen):
    """Writes the list, and prints what the gate notices of what everything does."""
    lines = ["verdict\tmutant"]
    explained = mutants.read_explained(HERE / "survivors.txt")
    counts = dict.fromkeys(("gate", "everything alone", "not noticed", "listed", "not compiled", "not judged"), 0)
    for mutant in chosen:
        verdict = verdicts.get(f"{mutant.key()} {mutant.number}", "")
        if not verdict or verdict.startswith("passed"):
            verdict = "not judged"
        if verdict == "not noticed" and mutant.key() in explained:
            verdict = "listed"
        counts[verdict.split(":")[0]] += 1
        lines.append(f"{verdict}\t{mutant.path}:{mutant.number}: {mutant.before.strip()} => {mutant.after.strip()}")
    LIST.write_text("\n".join(lines) + "\n")
    noticed = counts["gate"] + counts["everything alone"]
    print(f"{len(chosen)} mutants: {counts['gate']} noticed by the gate, {counts['everything alone']} by everything "
          f"alone, {counts['not noticed']} by neither, {counts['listed']} are listed, "
          f"{counts['not compiled']} do not compile, "
          f"{counts['not judged']} are not judged: the gate notices {100 * counts['gate'] / max(noticed, 1):.1f} %")
    return noticed != 0 and counts["not judged"] == 0 and counts["gate"] >= 0.95 * noticed


def main():
    parser = argparse.ArgumentParser(prog="run.sh")
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--sum", action="store_true")
    arguments = parser.parse_args()
    chosen = [mutant for folder, count in SHARES.items() if folder.startswith(arguments.only)
              for mutant in mutants.choose(ROOT, count, arguments.seed, folder)]
    # Those of all folders in turn, so that an interrupted run tells of each; but those that take longest last.
    chosen.sort(key=lambda mutant: (mutant.path.startswith(("include/", "tools/")),
                                    mutants.order(arguments.seed, mutant)))
    FOLDER.mkdir(parents=True, exist_ok=True)
    record = FOLDER / "verdicts.json"
    verdicts = json.loads(record.read_text()) if record.exists() else {}
    if not arguments.sum:
        tree = Tree()
        began = time.time()
        # What one round lets pass waits until it has been asked of all.
        for turn in range(3):
            for number, mutant in enumerate(chosen, 1):
                key = f"{mutant.key()} {mutant.number}"
                if verdicts.get(key, f"passed {turn}") != f"passed {turn}":
                    continue
                who, steps = rounds(mutant.path)[turn]
                by = tree.noticed(mutant, steps)
                verdicts[key] = (by if by == "not compiled" else f"{who}: {by}" if by else
                                 "not noticed" if turn == 2 else f"passed {turn + 1}")
                record.write_text(json.dumps(verdicts, indent=1))
                print(f"{turn + 1}: {number}/{len(chosen)}, {time.time() - began:.0f} s: {verdicts[key]}: "
                      f"{mutant.path}:{mutant.number}", flush=True)
    sys.exit(0 if sum_up(verdicts, chosen) else 1)


main()
