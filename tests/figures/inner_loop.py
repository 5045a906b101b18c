# SPDX-License-Identifier: MIT
"""Cycles of the inner loop of the product on a model of a core, by llvm-mca, beside what its multiply-adds alone take."""

import re
import subprocess
import sys

ITERATIONS = 200
# What the tools are told about the machine code of a port, or of a core.
TARGETS = {
    "arm_neon64": ("aarch64-linux-gnu", "+neon"),
    "arm_neon32": ("thumbv7a-linux-gnueabihf", "+neon,+vfp4"),
    "arm_m": ("thumbv7em-none-eabi", "+vfp4d16sp"),
    "cortex-m55": ("thumbv8.1m.main-none-eabi", "+mve.fp"),
}

# Fused multiply-adds, and for each kind an independent one for every register that is no factor.
KINDS = (
    (re.compile(r"fmla\s+v\d+\.4s, .*\[\d\]"), "fmla v{}.4s, v30.4s, v31.s[0]", range(24)),
    (re.compile(r"fmla\s+v\d+\.4s"), "fmla v{}.4s, v30.4s, v31.4s", range(24)),
    (re.compile(r"fmadd\s+s\d+"), "fmadd s{0}, s30, s31, s{0}", range(24)),
    (re.compile(r"vfma\.f32\s+q\d+, .*, r\d+"), "vfma.f32 q{}, q7, r0", range(7)),
    (re.compile(r"vfma\.f32\s+q\d+"), "vfma.f32 q{}, q14, q15", range(12)),
    (re.compile(r"vfma\.f32\s+s\d+"), "vfma.f32 s{}, s30, s31", range(24)),
)
INSTRUCTION = re.compile(r"\s*([0-9a-f]+):\s+(\S.*?)\s*(?:(?:@|//|;).*)?$")
TARGET = re.compile(r"(?:#-?\d+|0x([0-9a-f]+))\s*<[^>]*>")
BRANCH = re.compile(r"(b|b\.?[a-z]{2}(\.[wn])?|b\.[wn]|cbn?z|tbn?z|le)\s")


class NotModelled(Exception):
    """llvm-mca knows this core or this loop not."""


def kind_of(instruction):
    """The index in KINDS, or none."""
    return next((index for index, kind in enumerate(KINDS) if kind[0].match(instruction)), None)


def count_multiply_adds(loop):
    return sum(kind_of(instruction) is not None for instruction in loop)


def loops_of(lines):
    """The loops of one function without a branch inside, each as a list of instructions."""
    code = [(int(match[1], 16), match[2].replace("\t", " ")) for match in map(INSTRUCTION.match, lines) if match]
    for end, branch in code:
        target = TARGET.search(branch)
        if not BRANCH.match(branch) or target is None or not target[1] or int(target[1], 16) > end:
            continue
        loop = [instruction for address, instruction in code if int(target[1], 16) <= address <= end]
        if sum(BRANCH.match(instruction) is not None for instruction in loop) == 1:
            yield [TARGET.sub("loop", instruction) for instruction in loop]


def inner_loops(obj, target):
    """The loops of an object with the most multiply-adds and, of these, the fewest other instructions."""
    text = subprocess.run(
        ["llvm-objdump", "-d", "--no-show-raw-insn", f"--triple={target[0]}", f"--mattr={target[1]}", obj],
        check=True, capture_output=True, text=True).stdout
    found = []
    function = []
    for line in text.splitlines() + ["end:"]:
        if line.endswith(":") and not line.startswith(" "):
            found += loops_of(function)
            function = []
        function.append(line)
    most = max(map(count_multiply_adds, found), default=0)
    if most == 0:
        raise NotModelled(f"no loop of {obj} has a multiply-add")
    found = [loop for loop in found if count_multiply_adds(loop) == most]
    shortest = min(map(len, found))
    return [loop for loop in found if len(loop) == shortest]


def cycles(instructions, target, core):
    """Cycles of one pass, when many follow each other."""
    # The end of a low-overhead loop costs nothing, and models do not know it.
    text = "".join(f" {line}\n" for line in instructions if not line.startswith("le "))
    run = subprocess.run(["llvm-mca", f"-mtriple={target[0]}", f"-mattr={target[1]}", f"-mcpu={core}",
                          f"-iterations={ITERATIONS}"],
                         input="loop:\n" + text, capture_output=True, text=True)
    total = re.search(r"Total Cycles:\s+(\d+)", run.stdout)
    if run.returncode != 0 or total is None:
        raise NotModelled((run.stderr.strip().splitlines() or ["llvm-mca fails"])[0])
    return int(total[1]) / ITERATIONS


def loop_and_bound(obj, target, core):
    """Cycles of 100 multiply-adds in the slowest of the inner loops, and of 100 of its kinds that wait for nothing."""
    slowest = max(inner_loops(obj, target), key=lambda loop: cycles(loop, target, core))
    bound = 0.0
    for index, (_, form, registers) in enumerate(KINDS):
        here = sum(kind_of(instruction) == index for instruction in slowest)
        if here:
            block = [form.format(register) for register in registers]
            bound += here * cycles(block, target, core) / len(block)
    each = 100 / count_multiply_adds(slowest)
    return cycles(slowest, target, core) * each, bound * each


if __name__ == "__main__":
    object_file, port, *cores = sys.argv[1:]
    for one in inner_loops(object_file, TARGETS[port]):
        print("\n  ".join(["loop:"] + one))
    for name in cores:
        measured, least = loop_and_bound(object_file, TARGETS[port], name)
        print(f"{name}: {measured:.2f} cycles, {least:.2f} at least, {100 * least / measured:.1f} %")
