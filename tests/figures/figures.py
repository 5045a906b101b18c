# SPDX-License-Identifier: MIT
"""figures.py [--accept] [--built] [--folder BUILD] [preset...]: measures what the library costs on each target, prints
it beside what is committed in expected.tsv and beside the goals in goals.txt. Ends with 1 if a figure has grown
by more than 3 %, with 77 if no target could be measured. --built: BUILD/<preset> has what probes.cmake builds in Release
already. --accept writes what was measured into expected.tsv and docs/figures.md."""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import call_graph
import inner_loop
import summary
from report import Figure, commit, print_table, read_expected, read_table, regressions

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# Cores that llvm-mca models, for each port; a Cortex-M is its own.
CORES = {
    "arm_neon64": ("cortex-a53", "cortex-a55", "cortex-a57", "neoverse-n2", "cyclone"),
    "arm_neon32": ("cortex-a15",),
}


class Failed(Exception):
    """A figure cannot be measured."""


class Skipped(Exception):
    """The tools for a target are not here."""


def run(*command, **options):
    """The standard output of a command that has to end well."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise Failed(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


class Target:
    """One preset, built twice: Release, and MinSizeRel for the sizes at -Os."""

    def __init__(self, preset, folder, built):
        self.preset = preset
        self.built = built
        self.release = folder / preset
        self.small = folder / (preset + "-Os")
        self.toolchain = ROOT / "toolchains" / (preset + ".cmake")
        if not self.toolchain.exists():
            raise Failed(f"there is no {self.toolchain}")
        if not built:
            self.configure(self.release, "Release")
        for name, value in json.loads((self.release / "target.json").read_text()).items():
            setattr(self, name, value)
        if shutil.which(self.emulator[0]) is None:
            raise Skipped(f"there is no {self.emulator[0]}")
        self.tools = f"{compiler_version(self.compiler)}, LLVM {llvm_version()}"

    def configure(self, build, kind, *options):
        compiler = re.search(r"CMAKE_CXX_COMPILER (\S+)\)", toolchain_text(self.toolchain))
        if compiler is None or shutil.which(compiler[1]) is None:
            raise Skipped(f"there is no compiler for {self.preset}")
        run("cmake", "-S", HERE, "-B", build, "-G", "Ninja", f"-DCMAKE_TOOLCHAIN_FILE={self.toolchain}",
            f"-DCMAKE_BUILD_TYPE={kind}", *options)

    def build(self):
        jobs = str(os.cpu_count() or 2)
        if not self.built:
            run("cmake", "--build", self.release, "-j", jobs, "--target", "probes", "runs")
        # The sizes at -Os need what the probes link alone.
        maps = (self.release / (path.stem + ".map") for path in HERE.glob("probe_*.cpp"))
        linked = {name for path in maps for name in re.findall(r"libheed\.a\((\w+)\.cpp\.o", path.read_text())}
        self.configure(self.small, "MinSizeRel", f"-DHEED_FIGURES_OBJECTS={';'.join(sorted(linked))}")
        run("cmake", "--build", self.small, "-j", jobs, "--target", "probes")


def toolchain_text(path):
    """A toolchain file with the ones that it includes, and with what it sets `triple` to in its place."""
    text = path.read_text()
    triple = re.search(r"set\(triple (\S+)\)", text)
    for included in re.findall(r"include\(\$\{CMAKE_CURRENT_LIST_DIR\}/(\S+)\)", text):
        text += toolchain_text(path.parent / included)
    return text.replace("${triple}", triple[1]) if triple else text


def compiler_version(compiler):
    """Name and version, as the committed figures say whose they are."""
    clang = re.search(r"clang version ([\d.]+)", run(compiler, "--version"))
    return f"clang++ {clang[1]}" if clang else f"g++ {run(compiler, '-dumpfullversion').strip()}"


def llvm_version():
    for tool in ("llvm-mca", "llvm-objdump"):
        if shutil.which(tool) is None:
            raise Skipped(f"there is no {tool}")
    return re.search(r"LLVM version (\S+)", run("llvm-mca", "--version"))[1]


def sizes(target):
    """Bytes that a program needs in flash which uses one feature alone."""
    for build, level in ((target.release, "-O3"), (target.small, "-Os")):
        images = [build / path.stem for path in sorted(HERE.glob("probe_*.cpp"))]
        for image in images:
            feature = image.stem.removeprefix("probe_")
            text, data, bss = map(int, run(target.size, image).splitlines()[1].split()[:3])
            if data != 0 or bss != 0:
                raise Failed(f"{feature} has {data} bytes of .data and {bss} of .bss, and there must be none")
            yield Figure(f"code and constants, {feature}, {level}", text)


def graphs_of(build):
    """The call graphs of a build's library."""
    graphs = pathlib.Path(json.loads((build / "target.json").read_text())["objects"])
    # A source that is gone leaves its graph behind.
    return [path for path in graphs.rglob("*.ci") if (ROOT / path.relative_to(graphs)).with_suffix("").exists()]


def stack(target):
    if target.tools.startswith("clang"):
        print(f"{target.preset}: no stack: clang writes no call graph")
        return
    files = graphs_of(target.release)
    for name, (size, _) in sorted(call_graph.stack_bounds(files).items()):
        yield Figure(f"stack, {name}", size)
    yield Figure("stack, C interface beyond the C++ call", call_graph.c_interface_bound(files)[0])
    for build, level in ((target.release, "-O3"), (target.small, "-Os")):
        for call, size in call_graph.integer_bounds(graphs_of(build)).items():
            yield Figure(f"stack, {call}, {level}", size)


def instructions(target, folder):
    """Instructions of each run, per fused multiply-add of the port's width."""
    plugin = folder / "count_instructions.so"
    run("cc", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-fvisibility=hidden",
        HERE / "count_instructions.c", "-o", plugin)
    program = target.release / "runs"
    symbols = {line.split()[-1]: line.split()[0] for line in run(target.nm, "--defined-only", program).splitlines()}
    counts_file = target.release / "counts.txt"
    arguments = f"{plugin},begin={symbols['figures_begin']},end={symbols['figures_end']},out={counts_file}"
    printed = run(target.emulator[0], "-plugin", arguments, *target.emulator[1:], program, stdin=subprocess.DEVNULL)
    counts = [int(line) for line in counts_file.read_text().split()]
    lines = re.findall(r"^(.*): (\d+)$", printed, re.MULTILINE)
    if len(counts) != len(lines) or len(counts) < 2:
        raise Failed(f"{len(lines)} runs were announced and {len(counts)} counted")
    unit = "per vector FMA" if target.vector_lanes > 1 else "per FMA"
    for (name, multiplications), count in list(zip(lines, counts))[1:]:
        own = count - counts[0]
        yield Figure(f"instructions, {name}", own, own * target.vector_lanes / int(multiplications), unit)


def loop_cycles(target):
    """Cycles of the inner loop of the product, and the share of them that its multiply-adds alone need."""
    if target.port in ("scalar", "riscv_f", "riscv_rvv", "riscv_i", "arm_m0", "arm_m3"):
        return
    objects = [path for path in pathlib.Path(target.objects).rglob("multiply.cpp.o*") if path.suffix in (".o", ".obj")]
    if len(objects) != 1:
        raise Failed(f"{len(objects)} objects of the product")
    core = target.preset.split("-gcc")[0].removesuffix("f")
    machine = inner_loop.TARGETS.get(core) or inner_loop.TARGETS[target.port]
    for core in CORES.get(target.port, (core,)):
        try:
            cycles, bound = inner_loop.loop_and_bound(objects[0], machine, core)
        except inner_loop.NotModelled as reason:
            print(f"{target.preset}: no cycles on {core}: {reason}")
            continue
        name = f"cycles of 100 FMAs in the inner loop, {core}"
        yield Figure(name, round(cycles, 2), 100 * bound / cycles, "% of bound")


def check(preset, folder, built, accept):
    """Measures one target; the number of figures that have grown."""
    target = Target(preset, folder, built)
    tools, expected = read_expected(preset)
    if tools not in (None, target.tools) and not accept:
        raise Skipped(f"the committed figures come from {tools}; here is {target.tools}")
    target.build()
    figures = [*sizes(target), *stack(target), *instructions(target, folder), *loop_cycles(target)]
    print_table(preset, target.tools, figures, expected)
    if accept:
        commit(preset, target.tools, figures)
        return 0
    grown = list(regressions(figures, expected))
    for line in grown:
        print(f"{preset}: {line}")
    return len(grown)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--accept", action="store_true")
    parser.add_argument("--built", action="store_true")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build" / "figures")
    parser.add_argument("presets", nargs="*")
    options = parser.parse_args()
    presets = options.presets or read_table()[0]
    options.folder.mkdir(parents=True, exist_ok=True)
    failed = measured = 0
    for preset in presets:
        try:
            failed += check(preset, options.folder.resolve(), options.built, options.accept)
            measured += 1
        except Skipped as reason:
            print(f"{preset}: skipped: {reason}")
        except (Failed, call_graph.Refused) as reason:
            print(f"{preset}: {reason}")
            failed += 1
    if options.accept and not failed:
        summary.write()
    print(f"\n{measured} targets measured, {failed} figures failed")
    return 1 if failed else 0 if measured else 77


if __name__ == "__main__":
    sys.exit(main())
