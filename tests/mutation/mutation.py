# SPDX-License-Identifier: MIT
"""mutation.py [--count N] [--seed S] [--only FOLDER] [--quick]: see run.sh."""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import mutants

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FOLDER = ROOT / "build" / "mutation"
SOURCE = FOLDER / "source"
# Where a file is mutated: each port where it runs, the shared kernels with the port that overrides none of them. What
# has no line of its own is built with the last. Emulated programs are the quick ones alone.
PRESETS = (
    ("ports/x86_avx512/", "x86_avx512-gcc"),
    ("runtime/attention/pass_pair.hpp", "x86_avx512-gcc"),
    ("runtime/attention/next_tile.hpp", "x86_avx512-gcc"),
    ("runtime/kernels/", "x86_scalar-gcc"),
    ("ports/scalar", "x86_scalar-gcc"),
    ("ports/arm_m/", "cortex-m4f-gcc"),
    ("ports/single_floats/", "cortex-m4f-gcc"),
    ("ports/arm_mve/", "cortex-m55-gcc"),
    ("ports/arm_neon32/", "armv7-linux-gcc"),
    ("ports/arm_neon64_dotprod/", "aarch64-dotprod-linux-gcc"),
    ("ports/arm_neon64_i8mm/", "aarch64-i8mm-linux-gcc"),
    ("ports/arm_neon64/", "aarch64-linux-gcc"),
    ("ports/neon_dot_tile", "aarch64-dotprod-linux-gcc"),
    ("ports/neon_", "aarch64-linux-gcc"),
    ("ports/riscv_f/", "riscv32-bare-gcc"),
    ("ports/riscv_rvv/", "riscv64-rvv128-linux-clang"),
    ("", "x86_avx2-gcc"),
)
# Names of tests, the ones that notice most first. The last are those that a change of include/ does not compile
# again for minutes.
QUICK = ("firmware_check", "port_check")
IN_C = ("c_programs_test",)
LIBRARY = IN_C + (
    "refusal_test", "kv_cache_refusal_test", "kv_cache_binding_refusal_test", "kv_cache_attention_refusal_test",
    "layer_cache_refusal_test", "layer_refusal_test", "linear_refusal_test", "weights_refusal_test",
    "options_refusal_test", "layer_options_refusal_test", "rotary_refusal_test", "model_refusal_test",
    "transformer_refusal_test", "read_model_test", "sampling_test", "logits_test", "biases_test", "merge_test",
    "rotary_test", "attention_test", "c_api_text_twin_test", "c_api_model_twin_test", "score_selection_test")
INTERFACE = IN_C + ("plan_limits_test", "plan_test", "refusal_test")
# What a room's own tests are, those beside inaccessible memory among them: asked last, of what the others let pass.
OF_ROOM = {
    "include/": ("c_api_defaults_test", "block_test", "model_test", "linear_test", "multi_head_test", "rotary_test",
                 "touched_memory_test"),
    "runtime/attention/": ("guard_test", "guard_options_test", "guard_kv_cache_test", "options_test",
                           "options_hidden_test", "same_bits_test", "kv_cache_attention_test"),
    "runtime/cache/": ("kv_cache_test", "kv_cache_attention_test", "ring_test", "ring_attention_test",
                       "append_rotated_test", "layer_cache_test", "layer_ring_test", "layer_storage_test",
                       "guard_kv_cache_test", "guard_two_memories_test"),
    "runtime/format/": ("kv_cache_test", "kv_cache_attention_test", "layer_cache_test", "layer_storage_test",
                        "linear_test", "layer_weights_test", "guard_kv_cache_test"),
    "runtime/layer/": ("multi_head_test", "multi_head_options_test", "layer_cache_test", "layer_weights_test",
                       "layer_ring_test", "layer_storage_test", "guard_layer_test", "guard_layer_options_test"),
    "runtime/nn/": ("nn_bits_test", "normalization_test", "activation_test", "model_test", "guard_model_test"),
    "runtime/options/": ("options_test", "options_hidden_test", "options_empty_test", "options_special_test",
                         "score_mod_test", "guard_options_test", "multi_head_options_test"),
    "runtime/positions/": ("rotary_test", "phase_test", "sinusoids_test", "guard_rotary_test"),
    "runtime/product/": ("linear_test", "embedding_row_test", "layer_weights_test", "model_test", "guard_layer_test",
                         "guard_transformer_test"),
    "runtime/text/": ("tokenizer_test", "tokenizer_file_test", "sums_model_test", "guard_model_test"),
    "runtime/transformer/": ("block_test", "model_test", "model_storage_test", "model_state_refusal_test",
                             "sums_model_test", "guard_transformer_test"),
}


def run(*command, seconds=1800, environment=None, folder=None):
    """Whether a command ends well in time, and what it printed."""
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace",
                              check=False, timeout=seconds, env=environment, cwd=folder)
    except subprocess.TimeoutExpired:
        return False, "takes too long"
    return done.returncode == 0, done.stdout + done.stderr


def prepare():
    """A copy of the tree with a build of its own; files that have not changed keep their times."""
    SOURCE.mkdir(parents=True, exist_ok=True)
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        to = SOURCE / name
        if to.exists() and to.read_bytes() == (ROOT / name).read_bytes():
            continue
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, to)


CONFIGURED = set()


def preset_for(path):
    return next(preset for beginning, preset in PRESETS if path.startswith(beginning))


def is_emulated(preset):
    return not preset.startswith("x86_")


def lacks(preset):
    """Whether this machine cannot run a preset's programs."""
    return preset == "x86_avx512-gcc" and " avx512f " not in pathlib.Path("/proc/cpuinfo").read_text()


def build_of(preset):
    """The folder that a preset is built in, configured once."""
    build = FOLDER / preset
    if preset in CONFIGURED:
        return build
    good, text = run("cmake", "--preset", preset, "-B", build, "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG",
                     "-DHEED_BUILD_TOOLS=OFF", "-DHEED_BUILD_BENCH=OFF", "-DHEED_BUILD_EXAMPLES=OFF",
                     "-DHEED_WARNINGS_AS_ERRORS=OFF", folder=SOURCE)
    if not good:
        sys.exit(text)
    CONFIGURED.add(preset)
    return build


PASSED = set()


def require(preset, programs):
    """Programs have to pass without a change before they say anything about one."""
    if (preset, programs) in PASSED:
        return
    good, text = passes(preset, programs)
    if not good:
        sys.exit(f"{preset}: without a change, this does not pass:\n{text[-4000:]}")
    PASSED.add((preset, programs))


def targets_of(name):
    """The programs that may have a test: those of one label are one."""
    if name in QUICK:
        return {name}
    if name in IN_C:
        return {"c_tests"}
    return {"guard_tests"} if name.startswith("guard_") else {"unit_tests", "bits_tests", "data_tests"}


def passes(preset, programs):
    """Whether tests build and end well, None if they do not build, and what was printed."""
    build = build_of(preset)
    good, text = run("cmake", "--build", build, "--target", *sorted(set().union(*map(targets_of, programs))))
    if not good:
        return None, text
    return run("ctest", "--test-dir", build, "--no-tests=error", "--stop-on-failure", "--timeout", 300, "-R",
               f"^({'|'.join(programs)})$", environment={**os.environ, "HEED_TEST_DIVISOR": "16"})


def write(path, text):
    path.write_text(text)
    # Within the same second a build would not see it.
    os.utime(path, ns=(time.time_ns(), time.time_ns()))


def programs_for(path):
    """What is asked, one group of programs after the other, of a mutant of a file."""
    of_room = tuple(programs for room, programs in OF_ROOM.items() if path.startswith(room))
    if is_emulated(preset_for(path)):
        return (QUICK,)
    if path.startswith("include/"):
        return (QUICK, INTERFACE, *of_room, LIBRARY)
    return (QUICK, LIBRARY, *of_room)


def judge(mutant, quick):
    """killed, survived, not compiled or not run; of the first programs alone where that is enough."""
    preset = preset_for(mutant.path)
    if lacks(preset):
        return "not run"
    path = SOURCE / mutant.path
    text = path.read_text()
    lines = text.split("\n")
    assert lines[mutant.number - 1] == mutant.before
    lines[mutant.number - 1] = mutant.after
    for programs in (QUICK,) if quick else programs_for(mutant.path):
        require(preset, programs)
        write(path, "\n".join(lines))
        try:
            good, _ = passes(preset, programs)
        finally:
            write(path, text)
        if good is None:
            return "not compiled"
        if not good:
            return "killed"
    return "survived"


def main():
    parser = argparse.ArgumentParser(prog="run.sh")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    prepare()
    chosen, possible = mutants.choose(ROOT, arguments.count, arguments.seed, arguments.only)
    explained = mutants.read_explained(HERE / "survivors.txt")
    record = FOLDER / ("quick.json" if arguments.quick else "verdicts.json")
    verdicts = json.loads(record.read_text()) if record.exists() else {}
    counts = {"killed": 0, "survived": 0, "explained": 0, "not compiled": 0, "not run": 0}
    for number, mutant in enumerate(chosen, 1):
        known = verdicts.get(f"{mutant.key()} {mutant.number}")
        verdict = known or judge(mutant, arguments.quick)
        if verdict != "not run":
            verdicts[f"{mutant.key()} {mutant.number}"] = verdict
        record.write_text(json.dumps(verdicts, indent=1))
        if verdict == "survived" and mutant.key() in explained:
            verdict = "explained"
        counts[verdict] += 1
        if verdict == "survived":
            print(mutant.difference(), flush=True)
        if number % 10 == 0:
            print(f"{number} of {len(chosen)}: {counts['killed']} killed", file=sys.stderr, flush=True)
    judged = counts["killed"] + counts["survived"]
    share = 100 * counts["killed"] / max(judged, 1)
    print(f"{len(chosen)} of {possible} mutants: {counts['killed']} killed, {counts['survived']} survived ({share:.1f} % "
          f"killed), {counts['explained']} survivors are explained, {counts['not compiled']} do not compile, {counts['not run']} cannot run here")
    sys.exit(0 if judged != 0 and share >= 95 else 1)


main()
